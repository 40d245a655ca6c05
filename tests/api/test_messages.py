"""Turns and single messages over HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import closing
from typing import Any

import pytest

from qwenchat.engine.fake import FakeEngine, Script
from qwenchat.errors import StoreFull
from qwenchat.store.connections import connect_reader
from qwenchat.store.conversations import load_conversation
from qwenchat.store.database import Database
from qwenchat.store.rows import ConversationRow, MessageRow
from tests.api.conftest import Serve
from tests.api.serving import Frame, Serving, serving, wait_until

MESSAGE = {
    "id",
    "parent_id",
    "role",
    "content",
    "created_at",
    "state",
    "versions",
    "edited",
    "finish_reason",
    "context_full",
    "error",
    "usage",
    "timings",
    "progress",
    "attachments",
    "thoughts",
    "thinking_seconds",
    "model",
    "sampling",
}
CONVERSATION = {
    "id",
    "title",
    "updated_at",
    "pinned",
    "running",
    "temporary",
    "system_prompt",
    "sampling",
    "persona",
    "reply_language",
    "thinking",
    "thinking_budget",
}
WITH_MESSAGES = CONVERSATION | {"earlier", "left_out", "first_read_id", "messages"}


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    """One server for all, because its end takes longer than most tests."""
    with serving(tmp_path_factory.mktemp("data")) as server:
        yield server


@pytest.fixture
def server(shared: Serving) -> Serving:
    """The server with an engine that numbers its answers from 1."""
    numbers = iter(range(1, 100))
    shared.engine._answer = lambda _: Script(["answer ", str(next(numbers))])
    return shared


@pytest.fixture
def chat(server: Serving) -> str:
    """A conversation with one turn."""
    chat = server.conversation()
    server.send(chat, "one")
    server.ended(chat)
    return chat


def stored(server: Serving, chat: str) -> tuple[ConversationRow, list[MessageRow]]:
    """What somebody else finds in the database file now."""
    with closing(connect_reader(server.app.chat.database.path)) as connection:
        return load_conversation(connection, chat)


def texts(server: Serving, chat: str) -> list[str]:
    return [message["content"] for message in server.read(chat)["messages"]]


def post(server: Serving, chat: str, path: str, status: int, **body: Any) -> Frame:
    answer = server.http.post(f"/api/conversations/{chat}{path}", json=body)
    assert answer.status_code == status, answer.text
    return dict(answer.json())


def test_every_answer_has_the_shape_of_the_contract(server: Serving, chat: str) -> None:
    assert set(server.read(chat)) == WITH_MESSAGES
    sent = post(server, chat, "/messages", 202, content="two", overflow="shorten")
    assert set(sent) == {"user", "assistant"}
    assert set(sent["user"]) == set(sent["assistant"]) == MESSAGE
    assert sent["user"]["versions"] == [sent["user"]["id"]]
    assert sent["assistant"]["state"] == "streaming"
    answer = server.ended(chat)
    assert set(post(server, chat, "/regenerate", 202)) == {"assistant"}
    again = server.ended(chat)
    assert again["versions"] == [answer["id"], again["id"]]
    grown = post(server, chat, f"/messages/{again['id']}/continue", 202)
    assert (set(grown), grown["assistant"]["id"]) == ({"assistant"}, again["id"])
    assert grown["assistant"]["state"] == "streaming"
    assert grown["assistant"]["finish_reason"] is None
    assert server.ended(chat)["content"] == "answer 3answer 4"
    one = f"/api/conversations/{chat}/messages/{again['id']}"
    edited = server.http.put(one, json={"content": "mine"}).json()
    assert set(edited) == {"message"}
    assert (edited["message"]["edited"], edited["message"]["content"]) == (True, "mine")
    assert len(edited["message"]["versions"]) == 3
    assert post(server, chat, f"/messages/{answer['id']}/show", 200) == {}
    assert texts(server, chat)[-1] == "answer 2"
    question = sent["user"]["id"]
    where = f"/api/conversations/{chat}/messages/{question}"
    assert server.http.delete(where).json() == {"deleted": 4}
    assert texts(server, chat) == ["one", "answer 1"]
    assert post(server, chat, f"/messages/{question}/restore", 200) == {}
    assert texts(server, chat)[-1] == "answer 2"
    fork = post(server, chat, "/fork", 201, message_id=question)
    assert set(fork) == WITH_MESSAGES
    assert [m["content"] for m in fork["messages"]] == ["one", "answer 1", "two"]
    summary = post(server, chat, "/summarize", 201)
    assert (set(summary), summary["running"]) == (WITH_MESSAGES, True)
    assert summary["messages"][-1]["state"] == "streaming"
    changed = server.http.patch(f"/api/conversations/{chat}", json={"pinned": True}).json()
    assert set(changed) == CONVERSATION
    server.http.delete(f"/api/conversations/{chat}")
    assert set(post(server, chat, "/restore", 200)) == CONVERSATION
    assert post(server, chat, "/stop", 202) == {}


def test_a_parent_says_where_a_message_goes(server: Serving, chat: str) -> None:
    first, answer = server.read(chat)["messages"]
    server.ended(chat)
    post(server, chat, "/messages", 202, content="two", parent_id=answer["id"])
    server.ended(chat)
    other = post(server, chat, "/messages", 202, content="other", parent_id=None)["user"]
    assert (other["parent_id"], other["versions"]) == (None, [first["id"], other["id"]])
    server.ended(chat)
    assert texts(server, chat) == ["other", "answer 3"]
    branch = post(server, chat, "/messages", 202, content="two!", parent_id=answer["id"])
    server.ended(chat)
    assert texts(server, chat) == ["one", "answer 1", "two!", "answer 4"]
    assert len(branch["user"]["versions"]) == 2
    row, _ = stored(server, chat)
    assert row.leaf_id == branch["assistant"]["id"]


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "code", "param"),
    [
        ("POST", "/messages", {}, 400, "invalid_request", "content"),
        ("POST", "/messages", {"content": None}, 400, "invalid_request", "content"),
        ("POST", "/messages", {"content": "\n \t"}, 400, "invalid_request", "content"),
        (
            "POST",
            "/messages",
            {"content": "x", "parent_id": 5},
            400,
            "invalid_request",
            "parent_id",
        ),
        ("POST", "/messages", {"content": "x", "parent_id": "?"}, 404, "message_not_found", None),
        (
            "POST",
            "/messages",
            {"content": "x", "overflow": "cut"},
            400,
            "invalid_request",
            "overflow",
        ),
        ("POST", "/messages", {"content": "x", "overflow": []}, 400, "invalid_request", "overflow"),
        ("POST", "/messages", {"content": "x", "role": "y"}, 400, "invalid_request", "role"),
        ("POST", "/regenerate", {"message_id": "?"}, 404, "message_not_found", None),
        ("POST", "/regenerate", {"message_id": 1}, 400, "invalid_request", "message_id"),
        ("POST", "/messages/nope/continue", {}, 404, "message_not_found", None),
        ("POST", "/messages/{user}/continue", {}, 400, "invalid_request", "message_id"),
        ("PUT", "/messages/{user}", {"content": "x"}, 400, "invalid_request", "message_id"),
        ("PUT", "/messages/{answer}", {"content": ""}, 400, "invalid_request", "content"),
        ("PUT", "/messages/{answer}", {}, 400, "invalid_request", "content"),
        ("PUT", "/messages/nope", {"content": "x"}, 404, "message_not_found", None),
        ("POST", "/messages/nope/show", {}, 404, "message_not_found", None),
        ("DELETE", "/messages/nope", None, 404, "message_not_found", None),
        ("POST", "/messages/nope/restore", {}, 404, "message_not_found", None),
        ("POST", "/fork", {}, 400, "invalid_request", "message_id"),
        ("POST", "/fork", {"message_id": "nope"}, 404, "message_not_found", None),
    ],
)
def test_what_cannot_be_done_is_told_and_changes_nothing(
    server: Serving,
    chat: str,
    method: str,
    path: str,
    body: Any,
    status: int,
    code: str,
    param: str | None,
) -> None:
    before = server.read(chat)
    user, answer = (message["id"] for message in before["messages"])
    path = path.replace("{user}", user).replace("{answer}", answer)
    refused = server.http.request(method, f"/api/conversations/{chat}{path}", json=body)
    error = refused.json()["error"]
    assert (refused.status_code, error["code"], error["param"]) == (status, code, param)
    assert error["message"].endswith(".")
    assert server.read(chat) == before


@pytest.mark.parametrize("path", ["messages", "regenerate", "stop", "fork", "summarize", "restore"])
def test_a_conversation_that_is_not_there_is_missing_on_every_route(
    server: Serving, path: str
) -> None:
    body = {"messages": {"content": "x"}, "fork": {"message_id": "x"}}.get(path, {})
    missing = server.http.post(f"/api/conversations/nope/{path}", json=body)
    assert missing.status_code == 404
    assert missing.json()["error"]["code"] == "conversation_not_found"


def test_while_an_answer_runs_what_would_disturb_it_is_refused(serve: Serve) -> None:
    server = serve(FakeEngine(lambda _: Script(["x "] * 1000, 0.01)))
    chat = server.conversation()
    answer = server.send(chat, "one")["assistant"]["id"]
    one = f"/api/conversations/{chat}/messages/{answer}"
    for refused in (
        server.http.post(f"{one}/continue"),
        server.http.put(one, json={"content": "x"}),
        server.http.delete(one),
        server.http.post(f"{one}/restore"),
    ):
        assert refused.status_code == 409
        assert refused.json()["error"]["code"] == "reply_running"
    assert server.http.post(f"{one}/show").status_code == 200
    named = server.http.patch(f"/api/conversations/{chat}", json={"title": "Named"}).json()
    assert (named["title"], named["running"]) == ("Named", True)


def test_what_the_database_refuses_is_an_error_that_says_what_to_do(
    server: Serving, chat: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = server.read(chat)

    def full(*_: Any, **__: Any) -> Future[None]:
        failed: Future[None] = Future()
        failed.set_exception(StoreFull("There is no room left. Free some space."))
        return failed

    with monkeypatch.context() as patch:
        patch.setattr(Database, "write", full)
        refused = server.http.post(f"/api/conversations/{chat}/messages", json={"content": "two"})
        assert refused.status_code == 507
        assert refused.json()["error"]["message"].endswith("Free some space.")
        assert server.http.post("/api/conversations").status_code == 507
        assert server.read(chat) == before
    server.send(chat, "two")
    assert texts(server, chat)[2] == "two"


def test_text_that_no_database_can_keep_is_shown_as_it_is_kept(server: Serving) -> None:
    chat = server.conversation(system_prompt="a\0b")
    sent = server.send(chat, "x\0y")
    assert sent["user"]["content"] == "x\ufffdy"
    server.ended(chat)
    assert stored(server, chat)[0].system_prompt == "a\ufffdb"
    assert server.read(chat)["system_prompt"] == "a\ufffdb"
    wait_until(lambda: [m.content for m in stored(server, chat)[1]] == texts(server, chat))


def test_a_temporary_conversation_answers_over_http_and_is_in_no_list_search_or_export(
    server: Serving,
) -> None:
    chat = server.conversation(temporary=True)
    server.send(chat, "Xylophonquark")
    server.ended(chat)
    assert server.read(chat)["temporary"] is True
    assert post(server, chat, "/restore", 200)["temporary"] is True
    assert chat not in server.http.get("/api/conversations?limit=1000").text
    assert server.http.get("/api/search?q=Xylophonquark").json()["hits"] == []
    assert server.http.get(f"/api/export?id={chat}").status_code == 404
    assert b"Xylophonquark" not in server.http.get("/api/export").content
    summary = post(server, chat, "/summarize", 201)
    assert summary["temporary"] is True
