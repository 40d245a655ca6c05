"""A reply's life: every way it can end, and what is left then."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest

from qwenchat.chat import reply as reply_module
from qwenchat.chat.conversations import Message, Progress
from qwenchat.chat.service import Chat
from qwenchat.engine.fake import FakeEngine, Script
from qwenchat.engine.protocol import Delta, Generate, RequestEvent
from qwenchat.errors import EngineInternal, EngineStartFailed, ReplyRunning
from qwenchat.store.opening import open_store

ENDLESS = Script(["word "] * 100_000, 0.001)


def run(story: Callable[[Chat, FakeEngine], Awaitable[None]], engine: FakeEngine) -> None:
    async def whole(folder: Path) -> None:
        await engine.start()
        chat = Chat(engine, open_store(folder))
        async with asyncio.timeout(10):
            await story(chat, engine)
        await chat.close()
        chat.database.close()
        await engine.close()

    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(whole(Path(folder)))


async def ended(chat: Chat, conversation_id: str) -> Message:
    while chat.is_running(conversation_id):
        await asyncio.sleep(0.005)
    return (await chat.conversations.get(conversation_id)).path()[-1]


async def text_came(message: Message) -> None:
    while not message.content:
        await asyncio.sleep(0.005)


def test_a_reply_fills_its_message_and_says_how_it_went() -> None:
    async def story(chat: Chat, engine: FakeEngine) -> None:
        seen: list[Progress | None] = []
        conversation_id = (await chat.create()).id
        _, message = await chat.turns.send(conversation_id, "hi")
        seen.append(message.progress)
        chat.changes.watch(lambda: seen.append(message.progress))
        await ended(chat, conversation_id)
        assert (message.content, message.state, message.finish_reason) == ("abc", "done", "stop")
        assert message.usage is not None
        assert message.usage.completion_tokens == 3
        assert message.timings is not None
        phases = list(dict.fromkeys(p.phase for p in seen if p))
        assert phases == ["waiting", "queued", "prefill", "decode"]
        assert message.progress is None

    run(story, FakeEngine(lambda _: Script(["a", "b", "c"], queued=2, prefill_steps=3)))


def test_the_length_limit_is_told_apart() -> None:
    async def story(chat: Chat, engine: FakeEngine) -> None:
        conversation_id = (await chat.create(sampling={"max_tokens": 2})).id
        await chat.turns.send(conversation_id, "hi")
        message = await ended(chat, conversation_id)
        assert (message.content, message.state, message.finish_reason) == ("ab", "done", "length")

    run(story, FakeEngine(lambda _: Script(["a", "b", "c"])))


def test_stop_keeps_the_text() -> None:
    async def story(chat: Chat, engine: FakeEngine) -> None:
        conversation_id = (await chat.create()).id
        _, message = await chat.turns.send(conversation_id, "hi")
        await text_came(message)
        await chat.turns.stop(conversation_id)
        assert (message.state, message.finish_reason) == ("stopped", "abort")
        assert message.content.startswith("word ")
        assert message.usage is not None

    run(story, FakeEngine(lambda _: ENDLESS))


@pytest.mark.parametrize("hold", [True, False], ids=["while loading", "at once"])
def test_stop_works_before_the_engine_saw_the_request(hold: bool) -> None:
    async def story(chat: Chat, engine: FakeEngine) -> None:
        conversation_id = (await chat.create()).id
        _, message = await chat.turns.send(conversation_id, "hi")
        await chat.turns.stop(conversation_id)
        assert (message.state, message.content) == ("stopped", "")
        assert not chat.is_running(conversation_id)

    run(story, FakeEngine(lambda _: ENDLESS, hold=hold))


def test_stop_does_not_wait_for_an_engine_that_does_not_listen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def deaf(request_id: str) -> None: ...

    async def story(chat: Chat, engine: FakeEngine) -> None:
        monkeypatch.setattr(engine, "abort", deaf)
        conversation_id = (await chat.create()).id
        _, message = await chat.turns.send(conversation_id, "hi")
        await text_came(message)
        await chat.turns.stop(conversation_id)
        assert message.state == "stopped"
        assert engine._endings == {}

    monkeypatch.setattr(reply_module, "STOP_SECONDS", 0.1)
    run(story, FakeEngine(lambda _: ENDLESS))


def test_a_message_sent_while_stopping_waits_and_one_while_running_is_refused() -> None:
    async def story(chat: Chat, engine: FakeEngine) -> None:
        conversation_id = (await chat.create()).id
        _, message = await chat.turns.send(conversation_id, "hi")
        await text_came(message)
        with pytest.raises(ReplyRunning):
            await chat.turns.send(conversation_id, "too early")
        stopping = asyncio.create_task(chat.turns.stop(conversation_id))
        await asyncio.sleep(0)
        first, second = await asyncio.gather(
            chat.turns.send(conversation_id, "now"),
            chat.turns.send(conversation_id, "and now"),
            return_exceptions=True,
        )
        await stopping
        assert isinstance(first, tuple)
        assert isinstance(second, ReplyRunning)

    run(story, FakeEngine(lambda _: ENDLESS))


def test_an_engine_that_dies_leaves_the_text_and_the_reason() -> None:
    async def story(chat: Chat, engine: FakeEngine) -> None:
        conversation_id = (await chat.create()).id
        _, message = await chat.turns.send(conversation_id, "hi")
        await text_came(message)
        engine.die("The engine stopped: it was killed.")
        await ended(chat, conversation_id)
        assert message.state == "failed"
        assert message.error == ("engine_died", "The engine stopped: it was killed.")
        assert message.content.startswith("word ")
        assert message.progress is None

    run(story, FakeEngine(lambda _: ENDLESS))


def test_an_engine_that_dies_of_being_stopped_is_no_failure() -> None:
    async def story(chat: Chat, engine: FakeEngine) -> None:
        conversation_id = (await chat.create()).id
        _, message = await chat.turns.send(conversation_id, "hi")
        await text_came(message)

        async def die(request_id: str) -> None:
            engine.die()

        engine.abort = die  # type: ignore[method-assign]
        await chat.turns.stop(conversation_id)
        assert (message.state, message.error) == ("stopped", None)

    run(story, FakeEngine(lambda _: ENDLESS))


def test_an_engine_that_gave_up_fails_the_answer_with_its_reason() -> None:
    async def story(chat: Chat, engine: FakeEngine) -> None:
        engine.fail(EngineStartFailed("Out of memory."))
        conversation_id = (await chat.create()).id
        user, _ = await chat.turns.send(conversation_id, "precious")
        message = await ended(chat, conversation_id)
        assert message.error == ("engine_start_failed", "Out of memory.")
        assert user.content == "precious"
        await engine.restart()
        engine.become_ready()
        answer = await chat.turns.regenerate(conversation_id)
        await ended(chat, conversation_id)
        assert answer.state == "done"
        assert answer.parent_id == user.id

    run(story, FakeEngine(hold=True))


def test_a_refused_request_fails_with_the_text_so_far() -> None:
    async def story(chat: Chat, engine: FakeEngine) -> None:
        conversation_id = (await chat.create()).id
        await chat.turns.send(conversation_id, "hi")
        message = await ended(chat, conversation_id)
        assert (message.state, message.content) == ("failed", "ab")
        assert message.error == ("engine_internal", "No.")

    run(story, FakeEngine(lambda _: Script(["a", "b"], error=EngineInternal("No."))))


class Broken(FakeEngine):
    """Breaks its promises in the middle of an answer."""

    def __init__(self, error: Exception | None) -> None:
        super().__init__()
        self._error = error

    async def generate(self, request: Generate) -> AsyncIterator[RequestEvent]:
        yield Delta(request.request_id, "part", 1)
        if self._error:
            raise self._error


@pytest.mark.parametrize("error", [None, RuntimeError("secret")], ids=["silent", "bug"])
def test_a_broken_engine_never_leaves_a_reply_streaming(error: Exception | None) -> None:
    async def story(chat: Chat, engine: FakeEngine) -> None:
        conversation_id = (await chat.create()).id
        await chat.turns.send(conversation_id, "hi")
        message = await ended(chat, conversation_id)
        assert (message.state, message.content) == ("failed", "part")
        assert message.error is not None
        assert "secret" not in message.error[1]

    run(story, Broken(error))


def test_closing_interrupts_every_reply_at_once() -> None:
    async def story(chat: Chat, engine: FakeEngine) -> None:
        messages = [(await chat.turns.send((await chat.create()).id, "hi"))[1] for _ in range(3)]
        await text_came(messages[0])
        late = (await chat.turns.send((await chat.create()).id, "hi"))[1]
        await chat.close()
        assert {m.state for m in [*messages, late]} == {"interrupted"}
        assert engine._endings == {}

    run(story, FakeEngine(lambda _: ENDLESS))
