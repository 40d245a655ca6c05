"""Answers of models that think: kept apart, counted, ended, gone on with."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from qwenchat.chat.conversations import Message
from qwenchat.chat.export import export_json, export_markdown
from qwenchat.chat.import_own import own_conversation
from qwenchat.chat.meter import NextTurn, measure_turn
from qwenchat.chat.service import Chat
from qwenchat.chat.thinking import ANSWER_NOW, shown_thoughts
from qwenchat.chat.thinking_mode import THINKING_MAX_TOKENS, Wish, mode_of
from qwenchat.engine.fake import FakeEngine, Script
from qwenchat.engine.protocol import Generate
from qwenchat.errors import InvalidRequest
from qwenchat.sampling import SamplingParameters
from qwenchat.store.opening import open_store
from qwenchat.store.search import search
from qwenchat.types import ThinkingStyle
from tests.chat.running import ENDLESS, Running, as_if_killed, run, until

HYBRID = ThinkingStyle("hybrid")
ONLY = ThinkingStyle("thinking_only", prompt_opens=True)
NONE = ThinkingStyle()
THOUGHT = ("<think>", "\n", "secret", "thought", "\n", "</think>", "\n\n", "Yes", ".")
HEAD = "<think>\nsecretthought\n</think>\n\n"


def engine(style: ThinkingStyle = HYBRID, chunks: tuple[str, ...] = THOUGHT, **more: Any) -> Any:
    return FakeEngine(lambda _: Script(chunks, 0.002), thinking=style, **more)


def parts(message: Message) -> tuple[str, str]:
    return message.thoughts, message.content


def test_thoughts_are_kept_apart_from_the_answer(tmp_path: Path) -> None:
    async def story(here: Running) -> None:
        conversation = await here.begin("Is it?")
        answer = await here.ended(conversation.id)
        assert parts(answer) == (HEAD, "Yes.")
        assert answer.thinking == "on"
        assert answer.thinking_seconds is not None and answer.thinking_seconds > 0
        _, rows = here.stored(conversation.id)
        row = rows[answer.id]
        assert (row.thoughts, row.content) == (HEAD, "Yes.")
        assert row.extra["thinking_seconds"] == answer.thinking_seconds
        assert not (await here.chat.read(search, "secretthought")).hits
        assert (await here.chat.read(search, "Yes")).hits
        assert conversation.title == "Is it?"

    run(tmp_path, story, engine())


def test_thoughts_do_not_go_into_the_next_prompt(tmp_path: Path) -> None:
    async def story(here: Running) -> None:
        await here.begin("Is it?", "And now?")
        (_, second) = here.engine.requests
        assert [message.content for message in second.messages] == ["Is it?", "Yes.", "And now?"]

    run(tmp_path, story, engine())


@pytest.mark.parametrize(
    ("style", "wish", "values"),
    [
        (HYBRID, None, {"enable_thinking": True}),
        (HYBRID, "on", {"enable_thinking": True}),
        (HYBRID, "off", {"enable_thinking": False}),
        (ThinkingStyle("hybrid", on_by_default=False), None, {"enable_thinking": False}),
        (ONLY, "off", {}),
        (NONE, "on", {}),
    ],
)
def test_the_switch_reaches_the_template_of_hybrid_models_alone(
    tmp_path: Path, style: ThinkingStyle, wish: Wish, values: dict[str, bool]
) -> None:
    async def story(here: Running) -> None:
        await here.begin("Hi", thinking=wish)
        assert here.engine.requests[0].template_values == values

    run(tmp_path, story, engine(style, ("Yes",)))


@pytest.mark.parametrize("wish", [None, "on", "off"])
def test_what_is_measured_is_what_the_engine_counts(tmp_path: Path, wish: Wish) -> None:
    async def story(here: Running) -> None:
        conversation = await here.begin("Hi", thinking=wish, system_prompt="Be brief.")
        measured = await measure_turn(here.chat, NextTurn("And?", conversation.id))
        _, message = await here.chat.turns.send(conversation.id, "And?")
        await here.ended(conversation.id)
        assert message.usage and message.usage.prompt_tokens == measured.prompt_tokens

    run(
        tmp_path, story, FakeEngine(lambda _: Script(("Yes",), prompt_tokens=None), thinking=HYBRID)
    )


def test_a_turn_is_measured_with_the_switch_that_is_not_saved_yet(tmp_path: Path) -> None:
    async def story(here: Running) -> None:
        conversation = await here.begin(thinking="on")
        saved = await measure_turn(here.chat, NextTurn("Hi", conversation.id))
        off = await measure_turn(here.chat, NextTurn("Hi", conversation.id, thinking="off"))
        assert off.prompt_tokens == saved.prompt_tokens + 4

    run(tmp_path, story, engine())


def test_without_thinking_a_tag_is_text(tmp_path: Path) -> None:
    async def story(here: Running) -> None:
        conversation = await here.begin("What is <think>?", thinking="off")
        answer = await here.ended(conversation.id)
        assert parts(answer) == ("", "".join(THOUGHT))

    run(tmp_path, story, engine())


def test_an_output_with_the_closing_tag_alone(tmp_path: Path) -> None:
    async def story(here: Running) -> None:
        conversation = await here.begin("Hi")
        answer = await here.ended(conversation.id)
        assert parts(answer) == ("Hm.\n</think>\n\n", "Yes.")
        assert answer.thinking is None

    run(tmp_path, story, engine(ONLY, ("Hm", ".\n</th", "ink>\n\nYes", ".")))


RECOMMENDED = [
    (HYBRID, "on", (0.6, 0.95, 20, 0.0)),
    (HYBRID, "off", (0.7, 0.8, 20, 0.0)),
    (ONLY, None, (0.5, 0.9, 7, 0.1)),
    (NONE, None, (0.5, 0.9, 7, 0.1)),
]


@pytest.mark.parametrize(("style", "wish", "values"), RECOMMENDED)
def test_each_mode_has_its_recommended_sampling(
    style: ThinkingStyle, wish: Wish, values: tuple[float, ...]
) -> None:
    own = SamplingParameters(0.5, 0.9, 7, 0.1, repetition_penalty=1.05)
    mode = mode_of(style, wish, own)
    got = mode.defaults
    assert (got.temperature, got.top_p, got.top_k, got.min_p) == values
    assert got.repetition_penalty == 1.05
    assert got.max_tokens == (own.max_tokens if mode.form == "plain" else THINKING_MAX_TOKENS)


def test_what_the_person_changed_stays_in_either_mode(tmp_path: Path) -> None:
    async def story(here: Running) -> None:
        conversation = await here.begin("Hi", sampling={"top_p": 0.5})
        await here.chat.update(conversation.id, thinking="off")
        await here.chat.turns.send(conversation.id, "Again")
        await here.ended(conversation.id)
        asked = [request.sampling for request in here.engine.requests]
        assert [(one.temperature, one.top_p) for one in asked] == [(0.6, 0.5), (0.7, 0.5)]

    run(tmp_path, story, engine())


def test_stop_while_thinking_and_continue_from_the_very_output(tmp_path: Path) -> None:
    begun = Script(["<think>", "\n", *["hm "] * 100_000], 0.001)
    scripts = iter([begun, Script(THOUGHT[4:], 0.01)])

    async def story(here: Running) -> None:
        conversation = await here.begin()
        _, message = await here.chat.turns.send(conversation.id, "Hi")
        await until(lambda: len(message.thoughts) > 40)
        await here.chat.turns.stop(conversation.id)
        assert message.state == "stopped" and not message.content
        before, seconds = message.thoughts, message.thinking_seconds or 0.0
        # The switch of now is for new answers; this one goes on as it was begun.
        await here.chat.update(conversation.id, thinking="off")
        await here.chat.turns.continue_(conversation.id, message.id)
        await here.settled(conversation.id)
        request = here.engine.requests[-1]
        assert request.continue_final and request.messages[-1].content == before
        assert request.template_values == {"enable_thinking": True}
        assert parts(message) == (f"{before}\n</think>\n\n", "Yes.")
        assert (message.thinking_seconds or 0) > seconds > 0
        assert held_rows(here, conversation.id, message) == parts(message)

    run(tmp_path, story, FakeEngine(lambda _: next(scripts), thinking=HYBRID))


def held_rows(here: Running, conversation_id: str, message: Message) -> tuple[str, str]:
    row = here.stored(conversation_id)[1][message.id]
    return row.thoughts, row.content


@pytest.mark.parametrize("where", ["in the thoughts", "in the answer"])
def test_a_kill_loses_nothing_and_the_answer_goes_on(tmp_path: Path, where: str) -> None:
    begun = ["<think>\n", *["hm "] * 9]
    if where == "in the answer":
        begun += ["\n</think>\n\n"]
    copy = tmp_path / "copy"

    async def killed(here: Running) -> None:
        conversation = await here.begin()
        _, message = await here.chat.turns.send(conversation.id, "Hi")
        await until(lambda: len(message.thoughts) + len(message.content) > 60)
        await until(lambda: sum(map(len, held_rows(here, conversation.id, message))) > 60)
        as_if_killed(here.folder, copy)

    endless = FakeEngine(lambda _: Script([*begun, *["so "] * 100_000], 0.001), thinking=HYBRID)
    (tmp_path / "data").mkdir()
    run(tmp_path / "data", killed, endless)

    async def again(here: Running) -> None:
        (summary,) = here.chat.conversations.summaries.in_order()
        conversation = await here.chat.conversations.get(summary.id)
        message = conversation.path()[-1]
        assert message.state == "interrupted"
        before = message.thoughts + message.content
        assert before.startswith("<think>\nhm hm")
        assert bool(message.content) == (where == "in the answer")
        await here.chat.turns.continue_(conversation.id, message.id)
        await here.settled(conversation.id)
        assert here.engine.requests[-1].messages[-1].content == before
        assert message.content.endswith("Yes.")
        assert "think>" not in message.content

    end = ("Yes.",) if where == "in the answer" else ("\n</think>\n\n", "Yes.")
    run(copy, again, engine(HYBRID, end))


def test_max_tokens_while_thinking_leaves_thoughts_alone(tmp_path: Path) -> None:
    async def story(here: Running) -> None:
        conversation = await here.begin("Hi", sampling={"max_tokens": 3})
        answer = await here.ended(conversation.id)
        assert (answer.state, answer.finish_reason) == ("done", "length")
        assert parts(answer) == ("<think>\nsecret", "")
        # Nothing was answered, so nothing of it is read later.
        await here.chat.turns.send(conversation.id, "And?")
        await here.ended(conversation.id)
        assert [m.content for m in here.engine.requests[-1].messages] == ["Hi", "And?"]

    run(tmp_path, story, engine())


def budget_engine(chunks: list[str], answer: list[str]) -> FakeEngine:
    def script(request: Generate) -> Script:
        if request.continue_final:
            return Script(answer, 0.001, prompt_tokens=900, cached_tokens=800)
        return Script(chunks, 0.001, prompt_tokens=30, cached_tokens=5)

    return FakeEngine(script, thinking=HYBRID)


def test_a_thinking_budget_ends_thinking_properly(tmp_path: Path) -> None:
    async def story(here: Running) -> None:
        conversation = await here.begin("Hi", thinking_budget=20, sampling={"max_tokens": 100})
        answer = await here.ended(conversation.id)
        first, second = here.engine.requests
        thought = answer.thoughts.removesuffix(ANSWER_NOW)
        assert thought == "<think>\n" + "hm " * (thought.count("hm"))
        assert 19 <= thought.count("hm") <= 25
        assert answer.content == "It is 4."
        assert (answer.state, answer.finish_reason) == ("done", "stop")
        assert second.continue_final and second.messages[-1].content == answer.thoughts
        assert second.messages[:-1] == first.messages
        assert second.template_values == first.template_values
        written = thought.count("hm") + 1
        assert second.sampling.max_tokens == 100 - written
        # As one answer: what was written adds up, and the prompt is the person's.
        assert answer.usage and answer.timings
        assert answer.usage.completion_tokens == written + 2
        assert (answer.usage.prompt_tokens, answer.usage.cached_tokens) == (30, 5)
        assert answer.timings.decode_seconds == pytest.approx(0.001 * (written - 1 + 1))
        assert held_rows(here, conversation.id, answer) == parts(answer)

    run(tmp_path, story, budget_engine(["<think>\n", *["hm "] * 500], ["It is", " 4."]))


def test_thinking_within_its_budget_is_left_alone(tmp_path: Path) -> None:
    async def story(here: Running) -> None:
        conversation = await here.begin("Hi", thinking_budget=16)
        assert parts(await here.ended(conversation.id)) == (HEAD, "Yes.")
        assert len(here.engine.requests) == 1

    run(tmp_path, story, engine())


def test_the_budget_is_for_thoughts_not_for_the_answer(tmp_path: Path) -> None:
    async def story(here: Running) -> None:
        conversation = await here.begin("Hi", thinking_budget=16)
        answer = await here.ended(conversation.id)
        assert answer.content == "word " * 60
        assert len(here.engine.requests) == 1

    run(tmp_path, story, engine(HYBRID, ("<think>\n", "hm\n", "</think>\n\n", *["word "] * 60)))


def test_stop_after_the_budget_stops_the_answer(tmp_path: Path) -> None:
    async def story(here: Running) -> None:
        conversation = await here.begin(thinking_budget=20)
        _, message = await here.chat.turns.send(conversation.id, "Hi")
        await until(lambda: len(message.content) > 20)
        await here.chat.turns.stop(conversation.id)
        assert message.state == "stopped" and message.content.startswith("word word")
        assert message.thoughts.endswith(ANSWER_NOW)

    thinking = ["<think>\n", *["hm "] * 500]
    run(tmp_path, story, budget_engine(thinking, list(ENDLESS.chunks)))


def test_regenerate_edit_and_fork_of_a_thought_about_answer(tmp_path: Path) -> None:
    async def story(here: Running) -> None:
        conversation = await here.begin("Hi", thinking="on", thinking_budget=64)
        first = await here.ended(conversation.id)
        again = await here.chat.turns.regenerate(conversation.id)
        await here.settled(conversation.id)
        assert parts(again) == parts(first) == (HEAD, "Yes.")
        edited = await here.chat.edits.edit_answer(conversation.id, again.id, "No.")
        assert parts(edited) == (HEAD, "No.")
        assert held_rows(here, conversation.id, edited) == (HEAD, "No.")
        copy = await here.chat.fork(conversation.id, edited.id)
        assert (copy.thinking, copy.thinking_budget) == ("on", 64)
        assert parts(copy.path()[-1]) == (HEAD, "No.")
        row, rows = here.stored(copy.id)
        assert (row.thinking, row.thinking_budget) == ("on", 64)
        assert {one.thoughts for one in rows.values()} == {"", HEAD}

    run(tmp_path, story, engine())


def test_json_export_keeps_thoughts_and_markdown_leaves_them_out(tmp_path: Path) -> None:
    async def story(here: Running) -> None:
        conversation = await here.begin("Hi", thinking="on", thinking_budget=64)
        await here.ended(conversation.id)
        row, rows = here.stored(conversation.id)
        exported = [(row, list(rows.values()))]
        assert "secretthought" not in "".join(export_markdown(exported))
        loaded = json.loads("".join(export_json(exported, 0.0)))["conversations"][0]
        assert own_conversation(loaded, 0.0) == (row, list(rows.values()))
        assert loaded["messages"][1]["thoughts"] == HEAD
        loaded["thinking"], loaded["thinking_budget"] = "maybe", -3
        loaded["messages"][1]["thoughts"] = 7
        strange, messages = own_conversation(loaded, 0.0)
        assert (strange.thinking, strange.thinking_budget) == (None, None)
        assert messages[1].thoughts == ""

    run(tmp_path, story, engine())


def test_settings_survive_a_restart(tmp_path: Path) -> None:
    async def story(here: Running) -> None:
        conversation = await here.begin("Hi")
        await here.chat.update(conversation.id, thinking="off", thinking_budget=100)
        again = Chat(here.engine, open_store_copy(here, tmp_path / "copy"))
        loaded = await again.conversations.get(conversation.id)
        assert (loaded.thinking, loaded.thinking_budget) == ("off", 100)
        assert shown_thoughts(loaded.path()[-1].thoughts) == "secretthought"
        await again.close()
        again.database.close()
        await here.chat.update(conversation.id, thinking=None, thinking_budget=None)
        row, _ = here.stored(conversation.id)
        assert (row.thinking, row.thinking_budget) == (None, None)

    (tmp_path / "data").mkdir()
    run(tmp_path / "data", story, engine())


def open_store_copy(here: Running, copy: Path) -> Any:
    return open_store(as_if_killed(here.folder, copy))


@pytest.mark.parametrize("budget", [0, -1, 15, 2_000_000])
def test_a_budget_out_of_range_is_refused(tmp_path: Path, budget: int) -> None:
    async def story(here: Running) -> None:
        conversation = await here.begin()
        with pytest.raises(InvalidRequest, match="from 16 to 1,000,000 tokens"):
            await here.chat.update(conversation.id, thinking_budget=budget)
        assert conversation.thinking_budget is None

    run(tmp_path, story, engine())


def test_another_model_goes_on_in_its_own_way(tmp_path: Path) -> None:
    """What a hybrid model thought is no text for one that does not think."""

    async def first(here: Running) -> None:
        conversation = await here.begin()
        _, message = await here.chat.turns.send(conversation.id, "Hi")
        await until(lambda: message.content.count("word") > 3)
        await here.chat.turns.stop(conversation.id)

    async def second(here: Running) -> None:
        (summary,) = here.chat.conversations.summaries.in_order()
        conversation = await here.chat.conversations.get(summary.id)
        message = conversation.path()[-1]
        before = message.content
        await here.chat.turns.continue_(conversation.id, message.id)
        await here.settled(conversation.id)
        request = here.engine.requests[-1]
        assert request.messages[-1].content == before and request.template_values == {}
        assert message.content == f"{before}end" and message.thoughts == "<think>\nhm\n</think>\n\n"

    endless = ("<think>\n", "hm\n", "</think>\n\n", *["word "] * 100_000)
    run(tmp_path, first, engine(HYBRID, endless))
    run(tmp_path, second, engine(NONE, ("end",)))
