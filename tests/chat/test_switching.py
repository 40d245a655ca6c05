"""What becomes of answers when another model takes the place of the one that writes them."""

from __future__ import annotations

import asyncio
from pathlib import Path

from qwenchat.engine.fake import FakeEngine, LoadStage, Script
from qwenchat.engine.protocol import Load
from qwenchat.engine.seam import PreparedModel, Progress
from qwenchat.errors import ModelDamaged
from qwenchat.sampling import SamplingParameters
from tests.chat.running import ENDLESS, Running, run, until


async def other(progress: Progress) -> PreparedModel:
    load = Load("", "Other-1B", 0, 2048, 0, 8, "auto", 0)
    return PreparedModel(load, SamplingParameters(temperature=0.1))


def test_the_text_of_a_running_answer_is_kept_and_goes_on_with_the_other_model(
    tmp_path: Path,
) -> None:
    async def story(here: Running) -> None:
        conversation = await here.chat.create()
        _, answer = await here.chat.turns.send(conversation.id, "Tell me everything.")
        await until(lambda: len(answer.content) > 50)
        await here.engine.switch(other, "Other-1B")
        await here.ended(conversation.id)
        assert (answer.state, answer.error and answer.error[0]) == ("failed", "model_switched")
        words = answer.error[1] if answer.error else ""
        assert "kept" in words and "Continue" in words
        before = answer.content
        assert len(before) > 50
        assert here.stored(conversation.id)[1][answer.id].content == before
        here.engine._answer = lambda request: Script(["The end."])
        await here.chat.turns.continue_(conversation.id, answer.id)
        await here.ended(conversation.id)
        assert answer.content == before + "The end."
        assert (answer.state, answer.model) == ("done", "Other-1B")

    run(tmp_path, story, FakeEngine(lambda request: ENDLESS))


def test_an_answer_without_a_word_is_had_from_the_other_model(tmp_path: Path) -> None:
    scripts = iter([Script(queued=3, queue_delay=0.2), Script(["From the other."])])

    async def story(here: Running) -> None:
        conversation = await here.chat.create()
        _, answer = await here.chat.turns.send(conversation.id, "Hello?")
        await until(lambda: bool(here.engine.requests))
        await here.engine.switch(other, "Other-1B")
        await here.ended(conversation.id)
        assert (answer.state, answer.content, answer.model) == (
            "done",
            "From the other.",
            "Other-1B",
        )
        assert (answer.sampling or {})["temperature"] == 0.1

    run(tmp_path, story, FakeEngine(lambda request: next(scripts)))


def test_a_message_sent_while_it_switches_waits_also_through_going_back(tmp_path: Path) -> None:
    told: list[str] = []

    async def story(here: Running) -> None:
        conversation = await here.begin("One.")
        here.engine.watch_fallbacks(lambda model, error: told.append(f"{model}: {error.message}"))
        here.engine.fail_next_load(ModelDamaged("It is cut short."))
        await here.engine.switch(other, "Other-1B")
        _, answer = await here.chat.turns.send(conversation.id, "Two.")
        await asyncio.sleep(0)
        assert here.engine.status.state != "ready"
        await here.ended(conversation.id)
        assert (answer.state, answer.model) == ("done", "Fake-0.1B")

    run(tmp_path, story, FakeEngine(stages=[LoadStage("Loading", seconds=0.05)]))
    assert told == ["Other-1B: It is cut short."]


def test_stopping_an_answer_that_waits_for_the_other_model(tmp_path: Path) -> None:
    async def story(here: Running) -> None:
        conversation = await here.begin("One.")
        here.engine._hold = True
        await here.engine.switch(other, "Other-1B")
        _, answer = await here.chat.turns.send(conversation.id, "Two.")
        await here.chat.turns.stop(conversation.id)
        assert (answer.state, answer.content) == ("stopped", "")

    run(tmp_path, story)
