"""Files of conversations as QwenChat exports them, and a way to have them in a served app."""

from __future__ import annotations

import json
import time
import urllib.request
from collections.abc import Iterable
from typing import Any

from tests.ui.serving import Served

DAY = 86400.0


def conversation(
    title: str, *texts: str, id: str = "", ago: float = 0.0, pinned: bool = False
) -> dict[str, Any]:
    """A conversation in which person and model took turns; last used ``ago`` seconds ago."""
    name = id or f"c-{abs(hash(title)):x}"
    used = time.time() - ago
    messages = [
        {
            "id": f"{name}-{index}",
            "role": "assistant" if index % 2 else "user",
            "content": text,
            "created_at": used,
            **({"parent_id": f"{name}-{index - 1}"} if index else {}),
        }
        for index, text in enumerate(texts)
    ]
    return {
        "id": name,
        "title": title,
        "created_at": used,
        "updated_at": used,
        "pinned": pinned,
        "messages": messages,
    }


def export(conversations: Iterable[dict[str, Any]]) -> bytes:
    """The bytes of an export."""
    head = {"format": "qwenchat-conversations", "version": 1, "exported_at": time.time()}
    return json.dumps({**head, "conversations": list(conversations)}, ensure_ascii=False).encode()


def request(served: Served, method: str, path: str, body: bytes | None = None) -> Any:
    """Ask the served app as the page would."""
    asked = urllib.request.Request(served.url + path.lstrip("/"), body, method=method)
    with urllib.request.urlopen(asked, timeout=30) as answer:
        text = answer.read()
    return json.loads(text) if text else None


def seed(served: Served, conversations: Iterable[dict[str, Any]]) -> None:
    """Have these conversations in the app, and no trace of how they came there."""
    wanted = list(conversations)
    request(served, "POST", "/api/import?name=seed.json", export(wanted))
    deadline = time.monotonic() + 120
    while (ended := served.web.imports.current) is None or ended.state == "running":
        assert time.monotonic() < deadline, "the import did not come to its end"
        time.sleep(0.02)
    assert (ended.state, ended.imported) == ("done", len(wanted)), ended
    while served.web.imports.current is not None:
        request(served, "DELETE", "/api/import")
