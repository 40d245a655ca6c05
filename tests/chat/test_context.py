"""Fitting turns into a small context."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from qwenchat.api.values import conversation_value
from qwenchat.chat.context import Planner, start_of
from qwenchat.chat.conversations import Conversation, Message
from qwenchat.chat.counting import TokenCounter
from qwenchat.engine.fake import FakeEngine, Script
from qwenchat.engine.protocol import Generate
from qwenchat.engine.seam import NO_VALUES
from qwenchat.errors import ContextLengthExceeded
from qwenchat.store.intake import keep_whole
from qwenchat.types import ChatMessage
from tests.chat.running import Running, held, run, shown

CONTEXT = 400
SAMPLING = {"max_tokens": 50}
"""The reserve, as it is less than a quarter of the context."""


def small(answer: str = "a" * 80, context_length: int = CONTEXT) -> FakeEngine:
    return FakeEngine(lambda _: Script([answer], prompt_tokens=None), context_length=context_length)


def texts(request: Generate) -> list[str]:
    return [message.content for message in request.messages]


def question(number: int, length: int = 80) -> str:
    return f"q{number} ".ljust(length, ".")


def test_oldest_turns_are_left_out_in_large_steps_and_prompts_begin_alike(tmp_path: Path) -> None:
    async def story(here: Running) -> None:
        chat = await here.begin(system_prompt="Be brief.", sampling=SAMPLING)
        firsts: list[str] = []
        for number in range(30):
            await here.chat.turns.send(chat.id, question(number))
            answer = await here.ended(chat.id)
            assert answer.state == "done"
            read = texts(here.engine.requests[-1])
            assert read[0] == "Be brief."
            assert read[-1] == question(number)
            assert answer.usage
            assert answer.usage.prompt_tokens + 50 <= CONTEXT
            firsts.append(read[1])
            value = conversation_value(here.chat, chat)
            left_out = 2 * number + 1 - (len(read) - 1)
            assert value["left_out"] == left_out
            first = chat.path()[left_out]
            assert value["first_read_id"] == (first.id if left_out else None)
            assert read[1] == first.content
        steps = [one for one, before in zip(firsts[1:], firsts, strict=False) if one != before]
        assert 3 <= len(steps) <= 12, "several turns fit before it has to happen again"
        assert here.stored(chat.id) == held(chat)

    run(tmp_path, story, small())


def test_what_is_left_out_is_remembered_over_a_restart(tmp_path: Path) -> None:
    key, first = "", ""

    async def story(here: Running) -> None:
        nonlocal key, first
        chat = await here.begin(*(question(n) for n in range(9)), sampling=SAMPLING)
        key, first = chat.id, texts(here.engine.requests[-1])[0]
        assert first != question(0)

    async def again(here: Running) -> None:
        await here.chat.turns.regenerate(key)
        await here.ended(key)
        assert texts(here.engine.requests[-1])[0] == first

    run(tmp_path, story, small())
    run(tmp_path, again, small())


def test_shortening_keeps_every_turn_until_hardly_a_word_fits(tmp_path: Path) -> None:
    async def story(here: Running) -> None:
        chat = await here.begin(question(0), question(1), sampling={"max_tokens": 2000})
        await here.chat.turns.send(chat.id, question(2, 1000), overflow="shorten")
        await here.ended(chat.id)
        assert texts(here.engine.requests[-1])[0] == question(0)
        await here.chat.turns.regenerate(chat.id)
        await here.ended(chat.id)
        assert texts(here.engine.requests[-1]) == [question(2, 1000)]
        await here.chat.turns.regenerate(chat.id, overflow="shorten")
        await here.ended(chat.id)
        assert texts(here.engine.requests[-1])[0] == question(0), "each answer reads anew"

    run(tmp_path, story, small())


@pytest.mark.parametrize("overflow", ["leave_out", "shorten"])
def test_a_message_too_long_alone_fails_with_numbers_and_spoils_nothing(
    tmp_path: Path, overflow: str
) -> None:
    async def story(here: Running) -> None:
        chat = await here.begin("one")
        await here.chat.turns.send(chat.id, "x" * 4000, overflow=overflow)
        answer = await here.ended(chat.id)
        assert answer.error
        code, message = answer.error
        assert code == ContextLengthExceeded.code
        assert "1,004 tokens" in message
        assert "400" in message
        assert len(here.engine.requests) == 1, "the engine is not asked for what cannot be"
        await here.chat.turns.send(chat.id, "two")
        assert (await here.ended(chat.id)).state == "done"
        assert texts(here.engine.requests[-1]) == ["one", "a" * 80, "two"]

    run(tmp_path, story, small())


class Impatient(FakeEngine):
    """Counts no more than 3,000 characters, as the real one does with its own limit."""

    async def measure(
        self,
        messages: tuple[ChatMessage, ...],
        continue_final: bool = False,
        template_values: Mapping[str, Any] = NO_VALUES,
    ) -> int:
        characters = sum(len(message.content) for message in messages)
        if characters > 3000:
            raise ContextLengthExceeded(f"The prompt has {characters:,} characters.")
        return await super().measure(messages, continue_final, template_values)


def test_a_history_too_long_to_be_counted_is_left_out_all_the_same(tmp_path: Path) -> None:
    async def story(here: Running) -> None:
        chat = Conversation()
        for number in range(200):
            role = "assistant" if number % 2 else "user"
            chat.add(Message(role, question(number), chat.leaf_id, model="imported"))
        rows = [message.row(chat.id) for message in chat.messages.values()]
        await here.chat.conversations.write(keep_whole, chat, chat.row(), rows)
        here.chat._access.appeared(chat)
        await here.chat.turns.send(chat.id, "last")
        answer = await here.ended(chat.id)
        assert (answer.state, answer.error) == ("done", None)
        read = texts(here.engine.requests[-1])
        assert read[-2:] == [question(199), "last"]
        assert 3 < len(read) < 20
        await here.chat.turns.send(chat.id, "x" * 5000)
        assert (await here.ended(chat.id)).error is not None

    engine = Impatient(lambda _: Script(["ok"]), context_length=CONTEXT)
    run(tmp_path, story, engine)


def test_an_imported_system_prompt_stays_when_turns_are_left_out(tmp_path: Path) -> None:
    async def story(here: Running) -> None:
        chat = Conversation()
        chat.add(Message("system", "Rules.", None))
        rows = [message.row(chat.id) for message in chat.messages.values()]
        await here.chat.conversations.write(keep_whole, chat, chat.row(), rows)
        here.chat._access.appeared(chat)
        for number in range(12):
            await here.chat.turns.send(chat.id, question(number))
            await here.ended(chat.id)
            assert texts(here.engine.requests[-1])[0] == "Rules."
        assert texts(here.engine.requests[-1])[1] != question(0)
        await here.chat.update(chat.id, system_prompt="Mine.")
        await here.chat.turns.send(chat.id, "last")
        await here.ended(chat.id)
        assert texts(here.engine.requests[-1])[0] == "Mine."
        assert "Rules." not in texts(here.engine.requests[-1])[1:]

    run(tmp_path, story, small())


def test_an_answer_that_filled_the_context_says_so_and_can_go_on(tmp_path: Path) -> None:
    async def story(here: Running) -> None:
        # The engine ends at the context's end before it ends at max_tokens.
        chat = await here.begin(*(question(n) for n in range(3)), sampling={"max_tokens": 5})
        answer = chat.path()[-1]
        assert (answer.finish_reason, answer.context_full) == ("length", False)
        await here.chat.update(chat.id, sampling={"max_tokens": 1000})
        answer = await here.chat.turns.regenerate(chat.id)
        await here.ended(chat.id)
        assert answer.context_full
        (value,) = conversation_value(here.chat, chat, limit=1)["messages"]
        assert value["context_full"] is True
        assert here.stored(chat.id) == held(chat)
        await here.chat.turns.continue_(chat.id, answer.id)
        assert not answer.context_full
        await here.ended(chat.id)
        assert here.stored(chat.id) == held(chat)

    class Ending(FakeEngine):
        def _finished(self, request, script, count, aborted):
            finished = super()._finished(request, script, count, aborted)
            object.__setattr__(finished, "finish_reason", "length")
            return finished

    run(tmp_path, story, Ending(lambda _: Script(["w "] * 20), context_length=CONTEXT))


def _random_path(choose: random.Random) -> list[Message]:
    chat = Conversation()
    for _ in range(choose.randrange(1, 12)):
        chat.add(Message("user", "u" * choose.randrange(1, 600), chat.leaf_id))
        if choose.random() < 0.9:
            chat.add(Message("assistant", "a" * choose.randrange(0, 600), chat.leaf_id))
    chat.add(Message("user", "u" * choose.randrange(1, 1700), chat.leaf_id))
    return chat.path()


def test_a_plan_fits_keeps_the_last_turn_and_leaves_out_only_what_it_must() -> None:
    async def story() -> None:
        engine = FakeEngine(context_length=CONTEXT)
        await engine.start()
        engine.become_ready()
        choose = random.Random(5)
        left_out = refused = 0
        for _ in range(200):
            reserve, system_prompt = choose.choice([20, 50, 100]), "S" * choose.randrange(200)
            planner = Planner(TokenCounter(engine), CONTEXT, reserve)
            path = _random_path(choose)
            alone = await planner.whole(system_prompt, path[-1:])
            whole = await planner.whole(system_prompt, path)
            try:
                plan = await planner.plan(system_prompt, path)
            except ContextLengthExceeded:
                refused += 1
                assert not planner.fits_shortened(alone)
                continue
            assert planner.fits(plan) == planner.fits(alone)
            assert planner.fits_shortened(plan)
            assert plan.messages[-1].content == path[-1].content
            assert path[plan.start].role == "user"
            assert plan.prompt_tokens == await engine.measure(plan.messages)
            assert (plan.start > 0) == (not planner.fits(whole))
            left_out += plan.start > 0
        assert left_out > 50
        assert 0 < refused < 50

    asyncio.run(story())


def test_a_start_that_is_no_longer_there_is_the_beginning() -> None:
    chat = Conversation()
    chat.add(Message("user", "q", None))
    chat.add(Message("assistant", "a", chat.leaf_id, first_read_id="gone"))
    assert start_of(chat.path()) == 0
    assert shown(chat) == ["q", "a"]
