"""The live channel, over real WebSockets."""

from __future__ import annotations

import asyncio
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import orjson
import pytest
from websockets.exceptions import ConnectionClosed

from qwenchat.api.app import create_app
from qwenchat.engine.fake import FakeEngine, LoadStage, Script
from qwenchat.settings import Settings
from qwenchat.store.opening import open_store
from tests.api.conftest import Serve
from tests.api.serving import wait_until

MIXED = [*"Hello, 世界! 🎉 ", "👩\u200d👩\u200d👧", "\n\n", "```\n\tx\n```", *"the end"]


def test_a_page_learns_of_engine_and_list_at_once(serve: Serve) -> None:
    server = serve()
    chat = server.conversation()
    with server.page() as page:
        engine = page.until("engine")["engine"]
        assert engine["state"] == "ready"
        assert engine["model"] == "Fake-0.1B"
        assert engine["context_length"] == 4096
        assert engine["defaults"]["temperature"] == 0.7
        listed = page.until("conversations")["conversations"]
        assert [c["id"] for c in listed] == [chat]


def test_loading_is_told_stage_by_stage(serve: Serve) -> None:
    server = serve(FakeEngine(stages=[LoadStage("Reading weights", 1000, 10, 1.0)]))
    with server.page() as page:
        states = [page.until("engine")["engine"]]
        while states[-1]["state"] != "ready":
            states.append(page.until("engine")["engine"])
    loading = [s for s in states if s["state"] == "loading"]
    assert len(loading) >= 3
    assert loading[-1]["stage"] == "Reading weights"
    assert [s["done"] for s in loading] == sorted(s["done"] for s in loading)
    assert loading[0]["defaults"] is None


def test_joined_deltas_are_the_answer(serve: Serve) -> None:
    server = serve(FakeEngine(lambda _: Script(MIXED * 5, 0.005)))
    chat = server.conversation()
    with server.page(chat) as page:
        page.until("conversation")
        sent = server.send(chat, "go")
        message = page.until_ended()
        kinds = [frame["type"] for frame in page.frames]
    assert message["content"] == "".join(MIXED * 5) == page.text[message["id"]]
    assert message["id"] == sent["assistant"]["id"]
    assert kinds.count("delta") >= 5
    # what the list says changes twice: it runs, and it has ended
    assert page.frames[-1]["type"] == "message"


def test_progress_is_told_in_order_and_not_too_often(serve: Serve) -> None:
    script = Script(["x "] * 60, 0.02, 2, 0.2, 4, 0.15, 1000, 100)
    server = serve(FakeEngine(lambda _: script))
    chat = server.conversation()
    with server.page(chat) as page:
        page.until("conversation")
        server.send(chat, "go")
        began = time.monotonic()
        page.until_ended()
        seconds = time.monotonic() - began
    told = [f["progress"] for f in page.frames if f["type"] == "progress"]
    phases = list(dict.fromkeys(p["phase"] for p in told))
    assert phases == ["queued", "prefill", "decode"]
    prefill = [p for p in told if p["phase"] == "prefill"]
    assert (prefill[-1]["total"], prefill[-1]["cached"]) == (1000, 100)
    assert [p["tokens"] for p in told if p["phase"] == "decode"][-1] > 30
    assert told[-1]["tokens_per_second"] > 0
    assert len(told) <= seconds / 0.1 + 2


def test_a_page_that_comes_later_gets_the_text_so_far_and_the_rest(serve: Serve) -> None:
    server = serve(FakeEngine(lambda _: Script([f"{n} " for n in range(100)], 0.02)))
    chat = server.conversation()
    server.send(chat, "count")
    with server.page(chat) as first:
        for _ in range(3):
            first.until("delta")
    with server.page(chat) as again:
        opened = again.until("conversation")["conversation"]
        assert opened["running"]
        assert opened["messages"][-1]["content"].startswith("0 1 2 ")
        message = again.until_ended()
    assert again.text[message["id"]] == "".join(f"{n} " for n in range(100))


def test_eight_pages_see_the_same(serve: Serve) -> None:
    server = serve(FakeEngine(lambda _: Script(MIXED * 3, 0.01)))
    chat = server.conversation()
    with ExitStack() as stack:
        pages = [stack.enter_context(server.page(chat)) for _ in range(8)]
        for page in pages:
            page.until("conversation")
        server.send(chat, "go")
        ends = [page.until_ended() for page in pages]
    assert {page.text[end["id"]] for page, end in zip(pages, ends, strict=True)} == {
        "".join(MIXED * 3)
    }


def test_two_conversations_stream_at_once_and_keep_apart(serve: Serve) -> None:
    server = serve(FakeEngine(lambda r: Script([r.messages[-1].content] * 50, 0.02)))
    one, two = server.conversation(), server.conversation()
    with server.page(one) as first, server.page(two) as second:
        first.until("conversation")
        second.until("conversation")
        server.send(one, "a")
        server.send(two, "b")
        first.until("delta")
        assert server.read(one)["running"] and server.read(two)["running"]
        second.until("delta")
        assert first.until_ended()["content"] == "a" * 50
        assert second.until_ended()["content"] == "b" * 50
        assert {f["conversation_id"] for f in first.frames if f["type"] == "delta"} == {one}


def test_opening_another_conversation_leaves_the_first(serve: Serve) -> None:
    server = serve(FakeEngine(lambda _: Script(["x"] * 100, 0.02)))
    one, two = server.conversation(), server.conversation()
    server.send(one, "go")
    with server.page(one) as page:
        page.until("delta")
        page.open(two)
        page.until("conversation")
        time.sleep(0.3)
        page.open(None)
        server.conversation()
        page.until("summaries")
        after = page.frames[[f["type"] for f in page.frames].index("delta") + 1 :]
        tail = after[[f["type"] for f in after].index("conversation") :]
    assert "delta" not in {f["type"] for f in tail}


def test_a_page_that_does_not_read_finds_no_backlog(tmp_path: Path) -> None:
    pieces = [f"{n} " for n in range(500)]
    engine = FakeEngine(lambda _: Script(pieces))
    app = create_app(Settings(data_dir=tmp_path), engine, open_store(tmp_path), with_page=False)

    async def run() -> list[dict[str, Any]]:
        await engine.start()
        chat = (await app.chat.create()).id
        from_page: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        from_page.put_nowait({"type": "websocket.connect"})
        opening = orjson.dumps({"type": "open", "conversation_id": chat}).decode()
        from_page.put_nowait({"type": "websocket.receive", "text": opening})
        sent: list[dict[str, Any]] = []
        reads = asyncio.Event()
        reads.set()

        async def send(message: Any) -> None:
            await reads.wait()
            if "text" in message:
                sent.append(orjson.loads(message["text"]))

        scope = {
            "type": "websocket",
            "path": "/api/live",
            "query_string": b"",
            "headers": [(b"host", b"localhost")],
        }
        channel = asyncio.create_task(app(scope, from_page.get, send))
        while not {"conversation", "conversations"} <= {frame["type"] for frame in sent}:
            await asyncio.sleep(0.01)
        reads.clear()
        del sent[:]
        await app.chat.turns.send(chat, "count")
        while app.chat.is_running(chat):
            await asyncio.sleep(0.01)
        reads.set()
        await asyncio.sleep(0.5)
        from_page.put_nowait({"type": "websocket.disconnect", "code": 1000})
        await channel
        return sent

    sent = asyncio.run(run())
    # one frame was under way when the page stopped reading
    assert len(sent) <= 6
    last = next(f for f in reversed(sent) if f["type"] in ("conversation", "message"))
    message = last.get("message") or last["conversation"]["messages"][-1]
    assert message["content"] == "".join(pieces)


def test_an_engine_that_dies_is_told_with_the_text_kept(serve: Serve) -> None:
    engine = FakeEngine(
        lambda _: Script(["word "] * 500, 0.02), stages=[LoadStage("Starting", 0, 1, 0.5)]
    )
    server = serve(engine)
    chat = server.conversation()
    with server.page(chat) as page:
        page.until("conversation")
        server.send(chat, "go")
        for _ in range(3):
            page.until("delta")
        server.on_loop(engine.die, "The engine stopped: it was killed.")
        message = page.until_ended(5)
        assert message["state"] == "failed"
        assert message["error"]["code"] == "engine_died"
        assert message["content"].startswith("word word ")
        kept = message["content"]
        wait_until(lambda: engine.status.state == "ready")
        server.send(chat, "next")
        page.until("conversation")
        page.until("delta")
    assert [m.content for m in engine.requests[-1].messages] == ["go", kept, "next"]


def test_a_missing_conversation_is_told_and_so_is_a_deleted_one(serve: Serve) -> None:
    server = serve()
    chat = server.conversation()
    with server.page("nope") as page:
        missing = page.until("missing", conversation_id="nope")
        assert missing["error"]["code"] == "conversation_not_found"
        page.open(chat)
        page.until("conversation")
        server.http.delete(f"/api/conversations/{chat}")
        page.until("missing", conversation_id=chat)


@pytest.mark.parametrize("frame", ["", "nonsense", "[]", '{"type": "shout"}', b"\x00\x01"])
def test_a_malformed_frame_is_answered_and_the_channel_stays(
    serve: Serve, frame: str | bytes
) -> None:
    server = serve()
    chat = server.conversation()
    with server.page() as page:
        page.socket.send(frame)
        assert page.until("error")["error"]["code"] == "invalid_request"
        page.open(chat)
        page.until("conversation")


def test_pages_that_go_leave_nothing_behind(serve: Serve) -> None:
    server = serve()
    for _ in range(20):
        with server.page() as page:
            page.until("engine")
    wait_until(lambda: not server.app.chat.changes._watchers)


def test_the_server_ends_while_pages_listen(serve: Serve) -> None:
    server = serve(FakeEngine(lambda _: Script(["x"] * 10_000, 0.01)))
    chat = server.conversation()
    server.send(chat, "go")
    with server.page(chat) as page:
        page.until("delta")
        began = time.monotonic()
        server.end()
        with pytest.raises(ConnectionClosed):
            while True:
                page.next()
    assert time.monotonic() - began < 3
    (message,) = [
        m
        for m in server.app.chat.conversations.in_memory(chat).messages.values()
        if m.role != "user"
    ]
    wait_until(lambda: message.state != "streaming")
    assert message.state == "interrupted"
