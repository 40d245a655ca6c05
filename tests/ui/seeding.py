"""Conversations that are there before the page is: taken in as an import."""

from __future__ import annotations

import json
import time
import urllib.request
from typing import Any

from qwenchat.chat.export import FORMAT, FORMAT_VERSION
from tests.ui.serving import Served


def fetch(served: Served, method: str, path: str, body: Any = None) -> Any:
    """One request to the app, and its answer."""
    data = None if body is None else json.dumps(body).encode()
    headers = {"Content-Type": "application/json"} if data else {}
    request = urllib.request.Request(served.url + path, data, headers, method=method)
    with urllib.request.urlopen(request, timeout=20) as response:
        text = response.read()
    return json.loads(text) if text else None


def turns(count: int, tag: str = "") -> list[tuple[str, str]]:
    """Questions and answers, ``count`` messages in all; equal chats are taken in once only."""
    return [
        ("user", f"Question {n // 2}{tag}") if n % 2 == 0 else ("assistant", f"Answer {n // 2}.")
        for n in range(count)
    ]


def seed(served: Served, title: str, messages: list[tuple[str, str]], **fields: Any) -> str:
    """Take in a conversation of (role, content) in a row; its id."""
    conversation = {
        "id": f"seed-{time.time_ns()}",
        "title": title,
        "created_at": time.time(),
        "updated_at": time.time(),
        "messages": [
            {
                "id": f"{title.replace(' ', '-')}-{n}",
                "parent_id": f"{title.replace(' ', '-')}-{n - 1}" if n else None,
                "role": role,
                "content": content,
                "created_at": time.time() + n / 1000,
                "state": "done",
                "finish_reason": "stop" if role == "assistant" else None,
            }
            for n, (role, content) in enumerate(messages)
        ],
        **fields,
    }
    file = {"format": FORMAT, "version": FORMAT_VERSION, "conversations": [conversation]}
    fetch(served, "POST", "api/import?name=seed.json", file)
    for _ in range(200):
        for one in fetch(served, "GET", "api/conversations")["conversations"]:
            if one["title"] == title:
                return one["id"]
        time.sleep(0.05)
    raise AssertionError("the seed did not arrive")
