"""Files over HTTP: taken in as text, sent along with words, and what is refused."""

from __future__ import annotations

import json
import os
import socket
from pathlib import Path
from typing import Any

import pytest

from qwenchat.api import files
from qwenchat.engine.fake import FakeEngine, Script
from tests.api.conftest import Serve
from tests.api.serving import Serving, wait_until
from tests.files.samples import CHINESE, docx, locked_pdf, pdf


@pytest.fixture
def server(serve: Serve) -> Serving:
    return serve(FakeEngine(lambda _: Script(["Read."], prompt_tokens=None)))


def add(server: Serving, data: bytes, name: str, **query: Any) -> dict[str, Any]:
    answer = server.http.post("/api/files", params={"name": name, **query}, content=data)
    assert answer.status_code == 201, answer.text
    return dict(answer.json()["file"])


def send(server: Serving, chat: str, content: str, *chosen: dict[str, Any], **fields: Any) -> Any:
    body = {"content": content, "files": list(chosen), **fields}
    return server.http.post(f"/api/conversations/{chat}/messages", json=body)


def asked(server: Serving) -> str:
    """What the engine was last asked."""
    return server.engine.requests[-1].messages[-1].content


def test_a_file_is_taken_in_as_text_and_told_of(server: Serving) -> None:
    file = add(server, CHINESE.encode("gb18030"), "../说明.txt")
    assert file["name"] == "说明.txt"
    assert (file["kind"], file["unit"], file["count"]) == ("text", "line", 3)
    assert file["characters"] == len(CHINESE) and file["preview"] == CHINESE
    assert file["size"] == len(CHINESE.encode("gb18030"))
    assert file["tokens"] > 0 and file["cut"] is False
    again = server.http.get(f"/api/files/{file['id']}").json()["file"]
    assert again == file


def test_a_message_with_a_file_asks_with_its_text_and_keeps_the_words_apart(
    server: Serving,
) -> None:
    file = add(server, docx("Revenue rose."), "报告.docx")
    chat = server.conversation()
    answer = send(server, chat, "Sum it up.", {"id": file["id"]})
    assert answer.status_code == 202, answer.text
    user = answer.json()["user"]
    assert user["content"] == "Sum it up."
    (attached,) = user["attachments"]
    assert attached == {key: file[key] for key in attached if key not in ("from", "to")} | {
        "from": None,
        "to": None,
    }
    assert "text" not in attached
    server.ended(chat)
    assert asked(server).startswith("File: 报告.docx\n```\n# 季度报告 Report\n")
    assert asked(server).endswith("\n```\n\nSum it up.")
    kept = server.read(chat)["messages"][0]
    assert kept["attachments"] == [attached]


def test_pages_can_be_chosen_counted_and_read(server: Serving) -> None:
    file = add(server, pdf(["One." * 20, "Two.", "Three." * 20]), "a.pdf")
    assert (file["unit"], file["count"]) == ("page", 3)
    at = f"/api/files/{file['id']}"
    text = server.http.get(f"{at}/text", params={"from": 2, "to": 3}).json()["text"]
    assert text == "Two.\n\n" + "Three." * 20
    whole = server.http.get(f"{at}/tokens").json()["tokens"]
    part = server.http.get(f"{at}/tokens", params={"to": 1}).json()["tokens"]
    assert 0 < part < whole == file["tokens"]
    chat = server.conversation()
    send(server, chat, "Which?", {"id": file["id"], "from": 2, "to": 2})
    server.ended(chat)
    assert asked(server) == "File: a.pdf (page 2 of 3)\n```\nTwo.\n```\n\nWhich?"
    assert server.read(chat)["messages"][0]["attachments"][0]["from"] == 2


def test_the_measure_is_what_the_engine_then_counts(server: Serving) -> None:
    file = add(server, b"x = 1\n" * 40, "main.py")
    chat = server.conversation()
    turn = {"content": "Explain.", "files": [{"id": file["id"], "from": 1, "to": 9}]}
    found = server.http.post("/api/measure", json={**turn, "conversation_id": chat}).json()
    without = server.http.post("/api/measure", json={"content": "Explain."}).json()
    assert found["message_tokens"] > without["message_tokens"]
    assert send(server, chat, turn["content"], *turn["files"]).status_code == 202
    assert server.ended(chat)["usage"]["prompt_tokens"] == found["prompt_tokens"]
    assert asked(server).startswith("File: main.py (lines 1 to 9 of 41)\n```py\nx = 1\n")


def test_the_beginning_that_fits_is_found(serve: Serve) -> None:
    server = serve(FakeEngine(lambda _: Script(["ok"]), context_length=400))
    file = add(server, b"".join(b"line %03d\n" % n for n in range(300)), "log.txt")
    turn: dict[str, Any] = {"content": "Why?", "files": [{"id": file["id"]}]}
    assert server.http.post("/api/measure", json=turn).json()["fits"] is False
    last = server.http.post(f"/api/files/{file['id']}/fit", json=turn).json()["to"]
    for to, fits in ((last, True), (last + 1, False)):
        turn["files"] = [{"id": file["id"], "from": 1, "to": to}]
        assert server.http.post("/api/measure", json=turn).json()["fits"] is fits
    turn = {"content": "y" * 2000, "files": [{"id": file["id"]}]}
    assert server.http.post(f"/api/files/{file['id']}/fit", json=turn).json() == {"to": None}


def test_a_message_may_have_no_words_and_the_chat_is_named_for_its_file(server: Serving) -> None:
    file = add(server, b"words", "minutes.md")
    chat = server.conversation()
    assert send(server, chat, "", {"id": file["id"]}).status_code == 202
    server.ended(chat)
    assert asked(server) == "File: minutes.md\n```\nwords\n```"
    assert server.read(chat)["title"] == "minutes.md"
    assert send(server, chat, "").json()["error"]["code"] == "invalid_request"


def test_the_files_of_a_message_can_go_along_when_it_is_edited(server: Serving) -> None:
    file = add(server, b"words", "a.txt")
    chat = server.conversation()
    first = send(server, chat, "one", {"id": file["id"]}).json()["user"]
    server.ended(chat)
    assert server.http.delete(f"/api/files/{file['id']}").status_code == 204
    edited = send(server, chat, "two", {"id": file["id"]}, parent_id=first["parent_id"])
    assert edited.status_code == 202, edited.text
    server.ended(chat)
    assert asked(server) == "File: a.txt\n```\nwords\n```\n\ntwo"
    where = {"conversation_id": chat}
    text = server.http.get(f"/api/files/{file['id']}/text", params=where)
    assert text.json() == {"text": "words"}
    gone = server.http.get(f"/api/files/{file['id']}")
    assert (gone.status_code, gone.json()["error"]["code"]) == (404, "file_not_found")


def test_a_file_is_found_by_its_text_and_by_its_name(server: Serving) -> None:
    file = add(server, "the albatross 信天翁 sleeps".encode(), "birds-2024.txt")
    chat = server.conversation()
    send(server, chat, "Tell me.", {"id": file["id"]})
    server.ended(chat)
    for query in ("albatross", "信天翁", "birds-2024", "tell albatross"):
        hits = server.http.get("/api/search", params={"q": query}).json()["hits"]
        assert [hit["conversation_id"] for hit in hits] == [chat], query
        assert any(is_hit for _, is_hit in hits[0]["snippet"]), query


def test_a_file_goes_out_with_an_export_and_comes_back(server: Serving, serve: Serve) -> None:
    file = add(server, pdf(["One.", "Two."]), "a_b.pdf")
    chat = server.conversation()
    send(server, chat, "Hi", {"id": file["id"], "from": 2, "to": 2})
    server.ended(chat)
    before = server.read(chat)["messages"][0]["attachments"]
    exported = server.http.get("/api/export", params={"id": chat}).content
    markdown = server.http.get("/api/export", params={"id": chat, "format": "markdown"}).text
    assert "\nFiles:\n\n- a\\_b.pdf (page 2 of 2)\n" in markdown
    server.http.delete(f"/api/conversations/{chat}")
    begun = server.http.post("/api/import", params={"name": "a.json"}, content=exported)
    assert begun.status_code == 202
    wait_until(lambda: server.http.get(f"/api/conversations/{chat}").status_code == 200, 5)
    assert server.read(chat)["messages"][0]["attachments"] == before


def test_what_an_import_says_of_files_is_checked(server: Serving) -> None:
    odd = {"id": "../x", "name": "../../e\nvil", "text": "a\nb", "unit": "page", "count": 99}
    odd |= {"kind": "exe", "size": -4, "first": 70, "last": 80}
    message = {"id": "m", "role": "user", "content": "", "attachments": [odd, {"name": "no"}, 7]}
    chat = {"id": "odd", "title": "t", "messages": [message]}
    content = json.dumps(
        {"format": "qwenchat-conversations", "version": 1, "conversations": [chat]}
    ).encode()
    server.http.post("/api/import", params={"name": "a.json"}, content=content)
    wait_until(lambda: server.http.get("/api/conversations/odd").status_code == 200, 5)
    (kept,) = server.read("odd")["messages"][0]["attachments"]
    assert "/" not in kept["id"] and kept["name"] == "e vil"
    assert (kept["kind"], kept["size"], kept["count"], kept["from"]) == ("text", 3, 1, None)


def test_nothing_of_a_file_for_a_temporary_chat_is_written(server: Serving, tmp_path: Path) -> None:
    secret = b"the purple giraffe confesses"
    file = add(server, secret, "secret-name.txt", temporary="1")
    chat = server.conversation(temporary=True)
    assert send(server, chat, "Hm?", {"id": file["id"]}).status_code == 202
    server.ended(chat)
    assert secret.decode() in asked(server)
    for path in tmp_path.rglob("*"):
        if path.is_file():
            assert b"giraffe" not in path.read_bytes() and b"secret-name" not in path.read_bytes()
    assert server.http.get("/api/search", params={"q": "giraffe"}).json()["hits"] == []


def test_a_file_can_be_counted_only_when_the_model_is_there(serve: Serve) -> None:
    server = serve(FakeEngine(hold=True))
    assert add(server, b"words", "a.txt")["tokens"] is None


# ---- bad input


@pytest.mark.parametrize(
    ("data", "name", "status", "says"),
    [
        (b"", "a.txt", 400, "The file is empty"),
        (b"\x89PNG\r\n\x1a\n" + bytes(99), "cat.png", 415, "cannot see pictures"),
        (locked_pdf(), "a.pdf", 422, "locked with a password"),
        (pdf([""]), "scan.pdf", 422, "only pictures"),
        (os.urandom(5000), "noise.bin", 415, "is not text"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused_with_the_reason(
    server: Serving, data: bytes, name: str, status: int, says: str
) -> None:
    answer = server.http.post("/api/files", params={"name": name}, content=data)
    assert answer.status_code == status
    assert says in answer.json()["error"]["message"]
    assert answer.json()["error"]["param"] == "file"


def test_a_file_of_200_megabytes_is_refused_before_it_is_read(server: Serving) -> None:
    head = f"POST /api/files?name=big.txt HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n"
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as line:
        line.sendall(f"{head}Content-Length: {200 * 2**20}\r\n\r\n".encode())
        assert b"413" in line.recv(4096)


def test_a_file_that_does_not_say_its_size_is_read_up_to_the_limit(
    server: Serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "MOST_BYTES", 1 << 20)
    answer = server.http.post("/api/files", content=(b"x" * 65536 for _ in range(40)))
    assert answer.status_code == 413
    assert "larger than 1 MiB" in answer.json()["error"]["message"]


def test_an_upload_that_breaks_off_leaves_nothing_open(server: Serving) -> None:
    before = len(os.listdir("/proc/self/fd"))
    head = f"POST /api/files?name=a HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n"
    for _ in range(5):
        with socket.create_connection(("127.0.0.1", server.port)) as line:
            line.sendall(f"{head}Content-Length: 1000\r\n\r\nabc".encode())
    wait_until(lambda: len(os.listdir("/proc/self/fd")) <= before, 5)


@pytest.mark.parametrize(
    ("chosen", "code"),
    [
        ([{"id": "nope"}], "file_not_found"),
        ([{}], "invalid_request"),
        (["nope"], "invalid_request"),
        ("nope", "invalid_request"),
        ([{"id": "x", "pages": 1}], "invalid_request"),
        ([{"id": "x", "from": "1"}], "invalid_request"),
        ([{"id": "x"}] * 21, "invalid_request"),
    ],
)
def test_files_of_a_message_that_make_no_sense_are_refused(
    server: Serving, chosen: Any, code: str
) -> None:
    chat = server.conversation()
    answer = server.http.post(
        f"/api/conversations/{chat}/messages", json={"content": "hi", "files": chosen}
    )
    assert answer.json()["error"]["code"] == code
    assert server.read(chat)["messages"] == []


@pytest.mark.parametrize(("first", "last"), [(0, 1), (2, 1), (1, 4), (4, None), (-1, 2)])
def test_a_range_outside_the_file_is_refused(server: Serving, first: int, last: int | None) -> None:
    file = add(server, b"a\nb\nc", "a.txt")
    chat = server.conversation()
    answer = send(server, chat, "hi", {"id": file["id"], "from": first, "to": last})
    assert answer.status_code == 400
    assert "1 to 3" in answer.json()["error"]["message"]
    assert server.read(chat)["messages"] == []


def test_a_range_that_is_no_number_is_refused(server: Serving) -> None:
    file = add(server, b"a\nb\nc", "a.txt")
    for value in ("x", "-1", "1.5", "9" * 30, "１"):
        answer = server.http.get(f"/api/files/{file['id']}/text", params={"from": value})
        assert answer.status_code == 400, value
