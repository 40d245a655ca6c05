"""What a turn would take of the context is what it takes."""

from __future__ import annotations

import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from qwenchat.chat.conversations import Conversation, Message
from qwenchat.chat.meter import Measurement, NextTurn, measure_turn
from qwenchat.engine.fake import FakeEngine, Script
from qwenchat.engine.seam import NO_VALUES
from qwenchat.errors import (
    ContextLengthExceeded,
    ConversationNotFound,
    EngineDied,
    EngineError,
    EngineStarting,
    InvalidRequest,
    MessageNotFound,
)
from qwenchat.store.intake import keep_whole
from qwenchat.types import ChatMessage
from tests.chat.running import Running, run

CONTEXT = 300


def check_parts(found: Measurement) -> None:
    parts = (found.system_tokens, found.history_tokens, found.message_tokens)
    assert sum(parts) == found.prompt_tokens
    assert min(parts) >= 0


async def _grown(here: Running, choose: random.Random, with_system: bool) -> Conversation:
    """A conversation with branches; some begin with an imported system prompt."""
    chat = Conversation("S" * choose.choice([0, 30]), {"max_tokens": choose.choice([20, 60])})
    if with_system:
        chat.add(Message("system", "R" * 50, None))
    for _ in range(choose.randrange(0, 8)):
        chat.add(Message("user", "u" * choose.randrange(1, 250), chat.leaf_id))
        chat.add(Message("assistant", "a" * choose.randrange(0, 250), chat.leaf_id, model="m"))
    rows = [message.row(chat.id) for message in chat.messages.values()]
    await here.chat.conversations.write(keep_whole, chat, chat.row(), rows)
    here.chat._access.appeared(chat)
    return chat


def test_a_measurement_adds_up_and_is_what_the_engine_is_then_asked(tmp_path: Path) -> None:
    async def story(here: Running) -> None:
        choose = random.Random(11)
        fits = left_out = later = 0
        for case in range(100):
            chat = await _grown(here, choose, with_system=case % 4 == 0)
            for _ in range(2):
                content = "m" * choose.randrange(1, 300)
                parent = choose.choice(
                    [None, choose.choice(list(chat.messages) or [None]), *4 * ["leaf"]]
                )
                found = await measure_turn(
                    here.chat, NextTurn(content, conversation_id=chat.id, parent_id=parent)
                )
                check_parts(found)
                await here.chat.turns.send(chat.id, content, parent_id=parent)
                answer = await here.ended(chat.id)
                assert answer.state == "done"
                asked = here.engine.requests[-1]
                tokens = await here.engine.measure(asked.messages)
                assert answer.usage and answer.usage.prompt_tokens == tokens
                assert tokens == (found.prompt_tokens if found.fits else found.kept_tokens)
                assert found.fits == (found.prompt_tokens + found.reserve_tokens <= CONTEXT)
                assert found.can_leave_out == (found.left_out > 0) == (not found.fits)
                assert found.short_answer_tokens == max(0, CONTEXT - found.prompt_tokens)
                fits += found.fits
                left_out += found.can_leave_out
                later += answer.first_read_id is not None and found.fits
        assert (fits > 50, left_out > 20, later > 3) == (True, True, True)

    engine = FakeEngine(lambda _: Script(["ok"], prompt_tokens=None), context_length=CONTEXT)
    run(tmp_path, story, engine)


def test_an_imported_system_prompt_counts_as_one_also_when_turns_are_left_out(
    tmp_path: Path,
) -> None:
    async def story(here: Running) -> None:
        chat = Conversation()
        chat.add(Message("system", "R" * 200, None))
        rows = [message.row(chat.id) for message in chat.messages.values()]
        await here.chat.conversations.write(keep_whole, chat, chat.row(), rows)
        here.chat._access.appeared(chat)
        system = (
            await measure_turn(here.chat, NextTurn("", conversation_id=chat.id))
        ).system_tokens
        assert system >= 50
        for number in range(6):
            await here.chat.turns.send(chat.id, f"{number}".ljust(100))
            answer = await here.ended(chat.id)
        assert answer.first_read_id
        found = await measure_turn(here.chat, NextTurn("next", conversation_id=chat.id))
        check_parts(found)
        assert (found.system_tokens, found.message_tokens) == (system, 1)

    engine = FakeEngine(lambda _: Script(["ok" * 20], prompt_tokens=None), context_length=CONTEXT)
    run(tmp_path, story, engine)


def test_settings_that_are_only_tried_count_instead_of_those_that_hold(tmp_path: Path) -> None:
    async def story(here: Running) -> None:
        chat = await here.begin("one", system_prompt="S" * 40, sampling={"max_tokens": 10})
        plain = await measure_turn(here.chat, NextTurn("two", conversation_id=chat.id))
        tried = await measure_turn(
            here.chat,
            NextTurn(
                "two",
                conversation_id=chat.id,
                system_prompt="S" * 80,
                sampling={"max_tokens": 9999},
            ),
        )
        assert tried.system_tokens == plain.system_tokens + 10
        assert tried.prompt_tokens == plain.prompt_tokens + 10
        assert (plain.reserve_tokens, tried.reserve_tokens) == (10, CONTEXT // 4)
        none = await measure_turn(
            here.chat, NextTurn("two", conversation_id=chat.id, system_prompt="")
        )
        assert none.prompt_tokens == plain.prompt_tokens - 14
        fresh = await measure_turn(here.chat, NextTurn("two", system_prompt="S" * 40))
        assert (fresh.system_tokens, fresh.history_tokens) == (plain.system_tokens, 0)
        assert len(here.engine.requests) == 1, "nothing was generated"

    run(tmp_path, story, FakeEngine(context_length=CONTEXT))


def test_a_turn_too_long_for_leaving_out_says_so(tmp_path: Path) -> None:
    async def story(here: Running) -> None:
        chat = await here.begin("one")
        found = await measure_turn(here.chat, NextTurn("x" * 4 * CONTEXT, conversation_id=chat.id))
        assert not (found.fits or found.can_leave_out or found.can_shorten)
        assert (found.left_out, found.short_answer_tokens) == (0, 0)
        check_parts(found)

    run(tmp_path, story, FakeEngine(context_length=CONTEXT))


class Impatient(FakeEngine):
    """Counts no more than 3,000 characters."""

    async def measure(
        self,
        messages: tuple[ChatMessage, ...],
        continue_final: bool = False,
        template_values: Mapping[str, Any] = NO_VALUES,
    ) -> int:
        if sum(len(message.content) for message in messages) > 3000:
            raise ContextLengthExceeded("Too many characters.")
        return await super().measure(messages, continue_final, template_values)


def test_what_is_too_long_to_be_counted_is_estimated(tmp_path: Path) -> None:
    async def story(here: Running) -> None:
        chat = await here.begin("one")
        for content, system_prompt in (("x" * 8000, ""), ("x", "S" * 8000), ("x" * 3100, "S")):
            found = await measure_turn(
                here.chat, NextTurn(content, conversation_id=chat.id, system_prompt=system_prompt)
            )
            check_parts(found)
            assert found.prompt_tokens > CONTEXT
            assert not (found.fits or found.can_leave_out or found.can_shorten)

    run(tmp_path, story, Impatient(context_length=CONTEXT))


def test_what_cannot_be_measured_is_told_by_its_reason(tmp_path: Path) -> None:
    async def story(here: Running) -> None:
        with pytest.raises(EngineStarting):
            await measure_turn(here.chat, NextTurn("x"))
        here.engine.become_ready()
        chat = await here.begin()
        with pytest.raises(ConversationNotFound):
            await measure_turn(here.chat, NextTurn("x", conversation_id="nope"))
        with pytest.raises(MessageNotFound):
            await measure_turn(here.chat, NextTurn("x", conversation_id=chat.id, parent_id="nope"))
        with pytest.raises(InvalidRequest):
            await measure_turn(here.chat, NextTurn("x", sampling={"top_p": 7}))
        here.engine._loading = None
        here.engine._hold = True
        here.engine.die()
        with pytest.raises(EngineDied) as died:
            await measure_turn(here.chat, NextTurn("x"))
        assert isinstance(died.value, EngineError)

    run(tmp_path, story, FakeEngine(hold=True))


class Counting(FakeEngine):
    """Counts how often it counts."""

    counted = 0

    async def measure(
        self,
        messages: tuple[ChatMessage, ...],
        continue_final: bool = False,
        template_values: Mapping[str, Any] = NO_VALUES,
    ) -> int:
        self.counted += 1
        return await super().measure(messages, continue_final, template_values)


def test_counts_are_remembered_only_for_the_same_model(tmp_path: Path) -> None:
    engine = Counting()

    async def story(here: Running) -> None:
        chat = await here.begin("one")
        await measure_turn(here.chat, NextTurn("two", conversation_id=chat.id))
        counted = engine.counted
        await measure_turn(here.chat, NextTurn("two", conversation_id=chat.id))
        assert engine.counted == counted
        engine.become_ready()
        await measure_turn(here.chat, NextTurn("two", conversation_id=chat.id))
        assert engine.counted > counted
        for number in range(100):
            await here.chat.turns.counter.count((ChatMessage("user", f"{number}"),))
        assert len(here.chat.turns.counter._known) <= 64

    run(tmp_path, story, engine)
