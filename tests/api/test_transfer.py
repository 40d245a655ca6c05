"""Conversations as files over HTTP: what goes out is what is kept, what comes in is checked."""

from __future__ import annotations

import json
import socket
from pathlib import Path
from typing import Any

import pytest

from qwenchat.api import transfer
from qwenchat.engine.fake import FakeEngine, Script
from tests.api.conftest import Serve
from tests.api.serving import Serving, wait_until

ODD = (
    "Tabs\there:\n\tif x:\n\t\treturn '```'\n\n| a | 表 |\n|---|---|\n| 1 | 二 |\n"
    "````\nfence in fence\n````\n  trailing  \r\n🎉👩\u200d👧\u2028 <b>&amp;</b> \\$x\\$\n"
)


def imported(server: Serving) -> dict[str, Any]:
    """How the import ended."""
    with server.page() as page:
        while True:
            found = page.until("import")["import"]
            if found["state"] != "running":
                return dict(found)


def upload(server: Serving, content: bytes, name: str = "chats.json") -> Any:
    return server.http.post("/api/import", params={"name": name}, content=content)


def chat_with(server: Serving, content: str) -> str:
    chat = server.conversation(system_prompt=ODD)
    server.send(chat, content)
    server.ended(chat)
    return chat


@pytest.fixture
def server(serve: Serve) -> Serving:
    return serve(FakeEngine(lambda _: Script([ODD])))


def test_exports_hold_the_stored_text_byte_for_byte(server: Serving) -> None:
    chat = chat_with(server, ODD)
    kept = [message["content"] for message in server.read(chat)["messages"]]
    assert kept == [ODD, ODD]
    answer = server.http.get("/api/export", params={"format": "json", "id": chat})
    (conversation,) = json.loads(answer.content)["conversations"]
    assert [message["content"] for message in conversation["messages"]] == kept
    assert conversation["system_prompt"] == ODD
    assert answer.headers["content-disposition"].endswith('.json"')
    markdown = server.http.get("/api/export", params={"format": "markdown", "id": chat}).content
    assert markdown.count(ODD.encode()) == 3


def test_an_export_imported_elsewhere_is_the_same(server: Serving, tmp_path: Path) -> None:
    chats = [chat_with(server, f"{ODD}{number}") for number in range(3)]
    server.http.post(f"/api/conversations/{chats[0]}/regenerate")
    server.ended(chats[0])
    before = {chat: server.read(chat) for chat in chats}
    export = server.http.get("/api/export").content
    for chat in chats:
        server.http.delete(f"/api/conversations/{chat}")
    assert upload(server, export).status_code == 202
    assert imported(server)["imported"] == 3
    assert {chat: server.read(chat) for chat in chats} == before
    listed = server.http.get("/api/conversations").json()
    assert {one["id"] for one in listed["conversations"]} == set(chats)
    server.http.delete("/api/import")
    assert upload(server, export).status_code == 202
    again = imported(server)
    assert (again["imported"], again["skipped"], again["failed"]) == (0, 3, 0)
    assert list((tmp_path / transfer.UPLOADS).iterdir()) == []


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"{not json", "broken"),
        (b'{"some": "thing"}', "neither"),
        (b'[{"title": "x", "mapping": 7}]', "mapping"),
        (b"\x00\x01\x02", "JSON"),
        (b'{"format": "qwenchat-conversations", "version": 99, "conversations": []}', "newer"),
    ],
    ids=["broken", "another shape", "no mapping", "binary", "newer"],
)
def test_a_file_that_cannot_be_imported_is_explained(
    server: Serving, content: bytes, says: str
) -> None:
    assert upload(server, content, "<img src=x onerror=alert(1)>").status_code == 202
    ended = imported(server)
    assert ended["state"] == "failed"
    assert ended["error"]["code"] == "invalid_request"
    assert says in ended["error"]["message"]
    assert ended["name"] == "<img src=x onerror=alert(1)>"
    assert server.http.get("/api/conversations").json()["total"] == 0


def test_an_empty_file_and_one_that_breaks_off_are_refused(server: Serving, tmp_path: Path) -> None:
    assert upload(server, b"").json()["error"]["code"] == "invalid_request"
    head = f"POST /api/import HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n"
    with socket.create_connection(("127.0.0.1", server.port)) as wire:
        wire.sendall(f"{head}Content-Length: 1000000\r\n\r\n[".encode() + b" " * 70_000)
    folder = tmp_path / transfer.UPLOADS
    wait_until(lambda: not list(folder.iterdir()))
    assert upload(server, b"[]").status_code == 202


def test_a_disk_without_room_is_said_and_leaves_nothing(
    server: Serving, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / transfer.UPLOADS).write_text("a file where the folder should be")
    refused = upload(server, b"[]")
    assert refused.status_code >= 500
    assert refused.json()["error"]["code"] == "disk_full"


def test_one_import_at_a_time_shows_progress_and_can_be_cancelled(server: Serving) -> None:
    message = {"role": "user", "created_at": 1.0}
    conversations = [
        {
            "id": f"c{n}",
            "title": str(n),
            "created_at": 1.0,
            "updated_at": 1.0,
            "ignored": "x" * 15_000,
            "messages": [message | {"id": f"m{n}-{k}", "content": f"{n} {k}"} for k in range(9)],
        }
        for n in range(600)
    ]
    head = {"format": "qwenchat-conversations", "version": 1, "exported_at": 1.0}
    content = json.dumps(head | {"conversations": conversations}).encode()
    assert len(content) > 8 * 2**20, "larger than any other body may be"
    assert upload(server, content).status_code == 202
    refused = upload(server, content)
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "import_running")
    with server.page() as page:
        part = page.until("import")["import"]
        assert part["state"] == "running"
        while not part["done"]:
            part = page.until("import")["import"]
        assert 0 < part["done"] < part["total"]
        assert server.http.delete("/api/import").status_code == 204
        while part["state"] == "running":
            part = page.until("import")["import"]
    assert part["state"] == "cancelled"
    total = server.http.get("/api/conversations").json()["total"]
    assert 0 < total < 600
    server.http.delete("/api/import")
    assert upload(server, content).status_code == 202
    ended = imported(server)
    assert (ended["imported"], ended["skipped"]) == (600 - total, total)


def test_what_does_not_exist_is_not_exported(server: Serving) -> None:
    chat = chat_with(server, "one")
    missing = server.http.get("/api/export", params={"id": "unknown"})
    assert (missing.status_code, missing.json()["error"]["code"]) == (404, "conversation_not_found")
    refused = server.http.get("/api/export", params={"format": "pdf"})
    assert refused.json()["error"]["code"] == "invalid_request"
    both = server.http.get("/api/export", params={"id": [chat, "unknown"]})
    assert len(json.loads(both.content)["conversations"]) == 1
