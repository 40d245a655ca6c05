"""Branches: asking and answering anew beside what was said."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from qwenchat.engine.fake import FakeEngine, Script
from qwenchat.errors import (
    ConversationNotFound,
    InvalidRequest,
    MessageNotFound,
    ReplyRunning,
)
from tests.chat.running import ENDLESS, Running, as_if_killed, echo, held, run, shown, until


def test_changing_a_question_makes_a_branch_beside_it(tmp_path: Path) -> None:
    async def story(here: Running) -> None:
        chat = await here.begin("one", "two")
        first, _, second, _ = chat.path()
        sent, _ = await here.chat.turns.send(chat.id, "two!", parent_id=second.parent_id)
        await here.ended(chat.id)
        assert shown(chat) == ["one", "one! 1", "two!", "two!! 3"]
        assert chat.versions(sent) == [second.id, sent.id] == chat.versions(second)
        begun, _ = await here.chat.turns.send(chat.id, "new", parent_id=None)
        await here.ended(chat.id)
        assert shown(chat) == ["new", "new! 4"]
        assert chat.versions(begun) == [first.id, begun.id]
        assert [m.content for m in here.engine.requests[-1].messages] == ["new"]
        assert here.stored(chat.id) == held(chat)

    run(tmp_path, story, echo())


def test_showing_a_message_shows_its_newest_end_and_is_remembered(tmp_path: Path) -> None:
    key = ""

    async def story(here: Running) -> None:
        nonlocal key
        chat = await here.begin("one", "two")
        key = chat.id
        two = chat.path()[2]
        await here.chat.turns.regenerate(chat.id)
        await here.ended(chat.id)
        await here.chat.turns.send(chat.id, "elsewhere", parent_id=None)
        await here.ended(chat.id)
        assert shown(chat) == ["elsewhere", "elsewhere! 4"]
        await here.chat.edits.show(chat.id, two.id)
        assert shown(chat) == ["one", "one! 1", "two", "two! 3"]
        revision = chat.revision
        await here.chat.edits.show(chat.id, two.id)
        assert chat.revision == revision, "what is shown already stays as it is"

    async def again(here: Running) -> None:
        assert shown(await here.chat.conversations.get(key))[-1] == "two! 3"

    run(tmp_path, story, echo())
    run(tmp_path, again)


def test_regenerating_answers_the_question_that_is_meant(tmp_path: Path) -> None:
    async def story(here: Running) -> None:
        chat = await here.begin("one", "two", "three")
        one, answer, *_ = chat.path()
        by_question = await here.chat.turns.regenerate(chat.id, one.id)
        await here.ended(chat.id)
        assert shown(chat) == ["one", "one! 4"]
        by_answer = await here.chat.turns.regenerate(chat.id, answer.id)
        await here.ended(chat.id)
        assert chat.versions(by_answer) == [answer.id, by_question.id, by_answer.id]
        assert [m.content for m in here.engine.requests[-1].messages] == ["one"]
        with pytest.raises(MessageNotFound):
            await here.chat.turns.regenerate(chat.id, "nope")
        with pytest.raises(MessageNotFound):
            await here.chat.turns.regenerate((await here.chat.create()).id)
        assert here.stored(chat.id) == held(chat)

    run(tmp_path, story, echo())


def test_only_the_last_answer_with_text_can_go_on(tmp_path: Path) -> None:
    async def story(here: Running) -> None:
        chat = await here.begin("one", "empty")
        one, answer, _, empty = chat.path()
        for message in (one, answer, empty):
            with pytest.raises(InvalidRequest):
                await here.chat.turns.continue_(chat.id, message.id)
        assert here.stored(chat.id) == held(chat)

    run(
        tmp_path,
        story,
        FakeEngine(lambda r: Script([] if "empty" in r.messages[-1].content else ["x"])),
    )


def test_an_answer_goes_on_from_its_exact_text_and_its_usage_adds_up(tmp_path: Path) -> None:
    text = "  a\n\n中🎉e\u0301 "

    async def story(here: Running) -> None:
        chat = await here.begin("go", sampling={"max_tokens": 3})
        answer = chat.path()[-1]
        assert (answer.content, answer.finish_reason) == (text[:3], "length")
        before = answer.usage
        assert before
        again = await here.chat.turns.continue_(chat.id, answer.id)
        assert again is answer
        assert (answer.state, answer.finish_reason) == ("streaming", None)
        assert here.stored(chat.id)[1][answer.id].state == "streaming"
        await here.ended(chat.id)
        request = here.engine.requests[-1]
        assert request.continue_final
        assert [m.content for m in request.messages] == ["go", text[:3]]
        assert answer.content == text[:3] + text[:3], "the script begins anew; nothing between"
        assert answer.usage
        assert answer.usage.completion_tokens == before.completion_tokens + 3
        assert len(chat.messages) == 2
        assert here.stored(chat.id) == held(chat)

    run(tmp_path, story, FakeEngine(lambda _: Script(list(text))))


def test_an_answer_that_a_kill_interrupted_goes_on_from_what_was_saved(tmp_path: Path) -> None:
    key, saved = "", ""

    async def story(here: Running) -> None:
        nonlocal key
        chat = await here.chat.create()
        key = chat.id
        _, answer = await here.chat.turns.send(chat.id, "go")
        await until(lambda: len(here.stored(chat.id)[1][answer.id].content) > 20)
        as_if_killed(here.folder, tmp_path / "killed")

    async def again(here: Running) -> None:
        nonlocal saved
        chat = await here.chat.conversations.get(key)
        answer = chat.path()[-1]
        saved = answer.content
        assert (answer.state, len(saved) > 20) == ("interrupted", True)
        assert not here.chat.is_running(key)
        await here.chat.turns.continue_(key, answer.id)
        await here.ended(key)
        assert answer.content == saved + "END"
        assert here.engine.requests[-1].messages[-1].content == saved
        assert here.stored(key) == held(chat)

    run(tmp_path, story, FakeEngine(lambda _: ENDLESS))
    run(tmp_path / "killed", again, FakeEngine(lambda _: Script(["END"])))


def test_of_two_messages_sent_at_once_one_is_answered(tmp_path: Path) -> None:
    async def story(here: Running) -> None:
        chat = await here.chat.create()
        results = await asyncio.gather(
            *(here.chat.turns.send(chat.id, f"hi {n}") for n in range(8)), return_exceptions=True
        )
        assert [type(r) for r in results].count(ReplyRunning) == 7
        assert len(chat.messages) == 2
        assert here.stored(chat.id)[1].keys() == chat.messages.keys()

    run(tmp_path, story, FakeEngine(lambda _: ENDLESS))


def test_names_settings_and_branches_change_while_an_answer_is_written(tmp_path: Path) -> None:
    async def story(here: Running) -> None:
        chat = await here.begin()
        await here.chat.turns.send(chat.id, "one")
        await until(lambda: bool(chat.path()[-1].content))
        await here.chat.turns.stop(chat.id)
        first = chat.path()[-1]
        growing = await here.chat.turns.regenerate(chat.id)
        await until(lambda: bool(growing.content))
        await here.chat.update(chat.id, title="Named", pinned=True, system_prompt="S")
        await here.chat.edits.show(chat.id, first.id)
        length = len(growing.content)
        await until(lambda: len(growing.content) > length)
        assert chat.path()[-1] is first
        with pytest.raises(ReplyRunning):
            await here.chat.turns.send(chat.id, "too early")
        await here.chat.turns.stop(chat.id)
        await here.ended(chat.id)
        assert growing.state == "stopped"
        row, _ = here.stored(chat.id)
        assert (row.title, row.pinned, row.leaf_id) == ("Named", True, first.id)
        assert here.stored(chat.id) == held(chat)

    run(tmp_path, story, FakeEngine(lambda _: ENDLESS))


def test_deleting_while_sending_leaves_nothing_running(tmp_path: Path) -> None:
    async def story(here: Running) -> None:
        for _ in range(10):
            chat = await here.chat.create()
            sent, deleted = await asyncio.gather(
                here.chat.turns.send(chat.id, "hi"),
                here.chat.delete(chat.id),
                return_exceptions=True,
            )
            assert deleted is None
            assert isinstance(sent, tuple | ConversationNotFound)
            assert not here.chat.is_running(chat.id)
        assert here.engine._endings == {}
        assert len(here.chat.conversations.summaries) == 0

    run(tmp_path, story, FakeEngine(lambda _: ENDLESS))


def test_a_summary_reads_the_other_conversation_and_stands_for_itself(tmp_path: Path) -> None:
    async def story(here: Running) -> None:
        chat = await here.begin("one", "two", system_prompt="S", sampling={"top_k": 3})
        fresh = await here.chat.turns.summarize(chat.id)
        await here.ended(fresh.id)
        read = [m.content for m in here.engine.requests[-1].messages]
        assert read[:-1] == ["S", *shown(chat)]
        assert "Summarize" in read[-1]
        assert (fresh.system_prompt, fresh.sampling) == ("S", {"top_k": 3})
        await here.chat.turns.regenerate(fresh.id)
        await here.ended(fresh.id)
        assert [m.content for m in here.engine.requests[-1].messages] == read
        await here.chat.turns.send(fresh.id, "three")
        await here.ended(fresh.id)
        last = [m.content for m in here.engine.requests[-1].messages]
        assert last == ["S", read[-1], fresh.path()[1].content, "three"]
        with pytest.raises(MessageNotFound):
            await here.chat.turns.summarize((await here.chat.create()).id)

    run(tmp_path, story, echo())


def test_a_fork_copies_the_path_and_both_go_their_own_way(tmp_path: Path) -> None:
    async def story(here: Running) -> None:
        chat = await here.begin("one", "two")
        before = held(chat)
        copy = await here.chat.fork(chat.id, chat.path()[1].id)
        assert shown(copy) == shown(chat)[:2]
        assert not copy.messages.keys() & chat.messages.keys()
        await here.chat.turns.send(copy.id, "other")
        await here.ended(copy.id)
        assert held(chat) == before == here.stored(chat.id)
        assert here.stored(copy.id) == held(copy)
        with pytest.raises(MessageNotFound):
            await here.chat.fork(chat.id, copy.path()[0].id)

    run(tmp_path, story, echo())


def test_a_fork_of_a_growing_answer_is_interrupted_there_and_can_go_on(tmp_path: Path) -> None:
    async def story(here: Running) -> None:
        chat = await here.chat.create()
        _, answer = await here.chat.turns.send(chat.id, "go")
        await until(lambda: bool(answer.content))
        copy = await here.chat.fork(chat.id, answer.id)
        assert copy.path()[-1].state == "interrupted"
        text = copy.path()[-1].content
        await here.chat.turns.continue_(copy.id, copy.path()[-1].id)
        await until(lambda: len(copy.path()[-1].content) > len(text))
        assert here.engine.requests[-1].messages[-1].content == text

    run(tmp_path, story, FakeEngine(lambda _: ENDLESS))
