"""The open conversation on the live channel, as its branches change and its pages come back."""

from __future__ import annotations

import time
from contextlib import ExitStack
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed

from qwenchat.api import feed as feed_module
from qwenchat.chat.notices import Notice
from qwenchat.engine.fake import FakeEngine, Script
from tests.api.conftest import Serve
from tests.api.serving import Frame, Page, Serving, wait_until


@pytest.fixture
def server(serve: Serve) -> Serving:
    numbers = iter(range(1, 100))
    return serve(FakeEngine(lambda _: Script([f"answer {next(numbers)}", "."])))


def talk(server: Serving, *questions: str, **settings: Any) -> str:
    chat = server.conversation(**settings)
    for question in questions:
        server.send(chat, question)
        server.ended(chat)
    return chat


def texts(conversation: Frame) -> list[str]:
    return [message["content"] for message in conversation["messages"]]


def settled(page: Page, server: Serving, chat: str) -> Frame:
    """What the page shows once it shows what the server has."""
    truth = server.read(chat)
    shown: Frame = {}
    while shown.get("messages") != truth["messages"]:
        frame = page.next()
        if frame["type"] == "conversation":
            shown = frame["conversation"]
        elif frame["type"] == "message":
            message = frame["message"]
            shown["messages"] = [
                message if one["id"] == message["id"] else one for one in shown["messages"]
            ]
    return shown


def test_a_page_gets_the_end_of_a_long_chat_and_as_much_more_as_it_asks_for(
    server: Serving,
) -> None:
    chat = talk(server, *(f"q{n}" for n in range(5)))
    all_ids = [message["id"] for message in server.read(chat)["messages"]]
    with server.page() as page:
        for more, first in (
            ({"limit": 3}, 7),
            ({"limit": 3, "from": all_ids[2]}, 2),
            ({"limit": 3, "from": all_ids[9]}, 7),
            ({"limit": 3, "from": "gone"}, 7),
            ({"limit": 100}, 0),
            ({}, 0),
        ):
            page.ask({"type": "open", "conversation_id": chat} | more)
            opened = page.until("conversation")["conversation"]
            assert opened["earlier"] == first, more
            assert [message["id"] for message in opened["messages"]] == all_ids[first:]
        page.ask({"type": "open", "conversation_id": chat, "limit": 1})
        page.until("conversation")
        server.send(chat, "more")
        assert len(page.until("conversation")["conversation"]["messages"]) == 1


@pytest.mark.parametrize(
    "more", [{"limit": 0}, {"limit": -1}, {"limit": "9"}, {"limit": 1.5}, {"from": 5}]
)
def test_an_open_with_nonsense_is_refused_and_the_channel_stays(
    server: Serving, more: Frame
) -> None:
    with server.page() as page:
        page.ask({"type": "open", "conversation_id": "x"} | more)
        assert page.until("error")["error"]["code"] == "invalid_request"
        page.open("x")
        page.until("missing")


def test_two_pages_see_every_change_of_branches_alike(server: Serving) -> None:
    chat = talk(server, "one", "two")
    first, answer, second, _ = (message["id"] for message in server.read(chat)["messages"])
    where = f"/api/conversations/{chat}"

    def changes() -> list[tuple[str, str, Frame]]:
        return [
            ("POST", "/messages", {"content": "two!", "parent_id": answer}),
            ("POST", f"/messages/{second}/show", {}),
            ("POST", "/regenerate", {}),
            ("PUT", f"/messages/{answer}", {"content": "edited"}),
            ("POST", f"/messages/{server.read(chat)['messages'][-1]['id']}/continue", {}),
            ("DELETE", f"/messages/{second}", {}),
            ("POST", f"/messages/{second}/restore", {}),
            ("POST", "/messages", {"content": "new", "parent_id": None}),
            ("DELETE", f"/messages/{first}", {}),
        ]

    with ExitStack() as stack:
        pages = [stack.enter_context(server.page(chat)) for _ in range(2)]
        for page in pages:
            settled(page, server, chat)
        for index in range(len(changes())):
            method, path, body = changes()[index]
            done = server.http.request(method, where + path, json=body)
            assert done.status_code < 300, done.text
            server.ended(chat)
            shown = [settled(page, server, chat) for page in pages]
            assert shown[0] == shown[1]
    assert texts(server.read(chat))[0] == "new"


def test_an_answer_that_goes_on_streams_into_the_same_message(serve: Serve) -> None:
    server = serve(FakeEngine(lambda _: Script(["part "] * 10, 0.02)))
    chat = talk(server, "go")
    answer = server.read(chat)["messages"][-1]
    with server.page(chat) as page:
        page.until("conversation")
        server.http.post(f"/api/conversations/{chat}/messages/{answer['id']}/continue")
        begun = page.until("conversation")["conversation"]["messages"][-1]
        assert (begun["id"], begun["state"]) == (answer["id"], "streaming")
        ended = page.until_ended()
        kinds = [frame["type"] for frame in page.frames]
    assert kinds.count("delta") >= 3
    assert ended["content"] == "part " * 20 == page.text[answer["id"]]
    assert ended["usage"]["completion_tokens"] == 20


def test_a_page_that_comes_back_gets_the_truth_whatever_it_missed(serve: Serve) -> None:
    server = serve(FakeEngine(lambda _: Script(["x "] * 30, 0.02)))
    chat = server.conversation()
    with server.page(chat) as page:
        page.until("conversation")
        sent = server.send(chat, "one")
        page.until("delta")
    server.http.patch(
        f"/api/conversations/{chat}", json={"title": "Named", "sampling": {"seed": 1}}
    )
    with server.page(chat) as page:
        opened = page.until("conversation")["conversation"]
        assert (opened["title"], opened["sampling"]) == ("Named", {"seed": 1})
        page.until_ended()
        assert page.text[sent["assistant"]["id"]] == "x " * 30
    server.http.post(f"/api/conversations/{chat}/regenerate")
    server.ended(chat)
    with server.page(chat) as page:
        assert (
            page.until("conversation")["conversation"]["messages"] == server.read(chat)["messages"]
        )


def test_a_restored_conversation_can_be_opened_by_the_page_that_lost_it(server: Serving) -> None:
    chat = talk(server, "one")
    with server.page(chat) as page:
        page.until("conversation")
        server.http.delete(f"/api/conversations/{chat}")
        missing = page.until("missing", conversation_id=chat)
        assert missing["error"]["code"] == "conversation_not_found"
        assert chat in page.until("summaries")["removed"]
        server.http.post(f"/api/conversations/{chat}/restore")
        assert page.until("summaries")["changed"][0]["id"] == chat
        page.open(chat)
        assert texts(page.until("conversation")["conversation"]) == ["one", "answer 1."]
        server.send(chat, "two")
        server.ended(chat)
        assert texts(settled(page, server, chat))[2:] == ["two", "answer 2."]


def test_a_temporary_conversation_says_itself_whether_it_is_answered(serve: Serve) -> None:
    server = serve(FakeEngine(lambda _: Script(["x "] * 10, 0.02)))
    chat = server.conversation(temporary=True)
    with server.page(chat) as page:
        assert not page.until("conversation")["conversation"]["running"]
        server.send(chat, "go")
        assert page.until("conversation")["conversation"]["running"]
        while page.until("conversation")["conversation"]["running"]:
            pass
        assert not any(frame["type"] == "summaries" for frame in page.frames)


def test_notices_come_on_connect_only_when_there_are_any(server: Serving) -> None:
    with server.page() as page:
        page.until("conversations")
        server.conversation()
        page.until("summaries")
        assert "notices" not in {frame["type"] for frame in page.frames}
        server.on_loop(server.app.chat.notices.put, Notice("not_saved", "Full."))
        (notice,) = page.until("notices")["notices"]
        assert notice == {"id": "not_saved", "kind": "not_saved", "message": "Full."}
    with server.page() as page:
        assert page.until("notices")["notices"] == [notice]


def test_a_channel_that_breaks_is_closed_so_that_its_page_connects_again(
    server: Serving, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    chat = talk(server, "one")

    def broken(*_: Any) -> Frame:
        raise RuntimeError("a bug")

    with server.page(chat) as page:
        page.until("conversation")
        with monkeypatch.context() as patch:
            patch.setattr(feed_module, "conversation_value", broken)
            server.http.patch(f"/api/conversations/{chat}", json={"title": "Other"})
            with pytest.raises(ConnectionClosed) as closed:
                while True:
                    page.next()
    assert closed.value.rcvd and closed.value.rcvd.code == 1011
    assert "A live channel broke" in caplog.text
    wait_until(lambda: not server.app.chat.changes._watchers)
    with server.page(chat) as page:
        assert page.until("conversation")["conversation"]["title"] == "Other"


def test_a_page_knows_hardly_more_than_the_disk(serve: Serve) -> None:
    server = serve(FakeEngine(lambda _: Script(["word "] * 100, 0.01)))
    chat = server.conversation()
    database = server.app.chat.database
    with server.page(chat) as page:
        page.until("conversation")
        answer = server.send(chat, "go")["assistant"]["id"]
        known: list[tuple[float, int]] = []
        behind = 0.0
        while not known or page.frames[-1]["type"] != "message":
            page.next()
            known.append((time.monotonic(), len(page.text.get(answer, ""))))
            (kept,) = database.read(
                lambda c: c.execute(
                    "SELECT length(content) FROM messages WHERE id = ?", (answer,)
                ).fetchone()
            ).result()
            late = [known[-1][0] - at for at, length in known if length > kept]
            behind = max([behind, *late])
    assert known[-1][1] == 500
    assert behind < 1.0, f"the page was shown {behind:.2f} s before the disk had it"
