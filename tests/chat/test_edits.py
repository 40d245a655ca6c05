"""Changing an answer's text, deleting messages and getting them back."""

from __future__ import annotations

from pathlib import Path

import pytest

from qwenchat.chat.conversations import Conversation
from qwenchat.engine.fake import FakeEngine
from qwenchat.errors import InvalidRequest, MessageNotFound, ReplyRunning
from tests.chat.running import ENDLESS, Running, echo, held, run, shown


def test_an_edited_answer_keeps_its_old_texts_beside_it_oldest_first(tmp_path: Path) -> None:
    key, texts = "", ["one! 1", "fair", "good", "well", "better", "best"]

    def versions(chat: Conversation) -> list[str]:
        return [chat.messages[key].content for key in chat.versions(chat.path()[1])]

    async def story(here: Running) -> None:
        nonlocal key
        chat = await here.begin("one", "two")
        key, answer = chat.id, chat.path()[1]
        for number, text in enumerate(texts[1:]):
            edited = await here.chat.edits.edit_answer(chat.id, answer.id, text)
            assert (edited.id, edited.edited, edited.usage) == (answer.id, True, None)
            assert versions(chat) == texts[: number + 2]
        assert shown(chat) == ["one", "best", "two", "two! 2"], "what follows it follows it still"
        assert not chat.messages[chat.versions(chat.path()[1])[0]].edited
        await here.chat.turns.send(chat.id, "three")
        await here.ended(chat.id)
        assert here.engine.requests[-1].messages[1].content == "best"
        assert here.stored(chat.id) == held(chat)

    async def again(here: Running) -> None:
        chat = await here.chat.conversations.get(key)
        assert versions(chat) == texts
        assert chat.path()[1].edited
        await here.chat.edits.show(key, chat.versions(chat.path()[1])[0])
        assert shown(chat) == ["one", "one! 1"]

    run(tmp_path, story, echo())
    run(tmp_path, again)


def test_what_cannot_be_edited_is_refused_and_stays(tmp_path: Path) -> None:
    async def story(here: Running) -> None:
        chat = await here.begin("one")
        user, answer = chat.path()
        before = held(chat)
        for message_id, text in ((user.id, "x"), (answer.id, " \n"), (answer.id, "")):
            with pytest.raises(InvalidRequest):
                await here.chat.edits.edit_answer(chat.id, message_id, text)
        with pytest.raises(MessageNotFound):
            await here.chat.edits.edit_answer(chat.id, "nope", "x")
        assert await here.chat.edits.edit_answer(chat.id, answer.id, answer.content) is answer
        assert held(chat) == before == here.stored(chat.id)

    run(tmp_path, story)


def test_nothing_is_edited_or_deleted_while_an_answer_is_written(tmp_path: Path) -> None:
    async def story(here: Running) -> None:
        chat = await here.chat.create()
        _, answer = await here.chat.turns.send(chat.id, "go")
        edits = here.chat.edits
        for change in (edits.delete(chat.id, answer.id), edits.restore(chat.id, answer.id)):
            with pytest.raises(ReplyRunning):
                await change
        with pytest.raises(ReplyRunning):
            await edits.edit_answer(chat.id, answer.id, "x")

    run(tmp_path, story, FakeEngine(lambda _: ENDLESS))


def test_a_deleted_branch_makes_way_for_the_one_beside_it_and_comes_back_as_it_was(
    tmp_path: Path,
) -> None:
    async def story(here: Running) -> None:
        chat = await here.begin("one", "two")
        beside = await here.chat.turns.regenerate(chat.id, chat.path()[1].id)
        await here.ended(chat.id)
        below = chat.versions(beside)[0]
        await here.chat.edits.show(chat.id, below)
        before = held(chat)
        assert await here.chat.edits.delete(chat.id, below) == 3
        assert shown(chat) == ["one", "one! 3"]
        assert here.stored(chat.id) == held(chat)
        await here.chat.edits.restore(chat.id, below)
        await here.chat.edits.restore(chat.id, below)
        assert held(chat) == before == here.stored(chat.id)
        assert shown(chat) == ["one", "one! 1", "two", "two! 2"]
        assert chat.versions(beside) == [below, beside.id], "in its old place"

    run(tmp_path, story, echo())


def test_everything_can_be_deleted_and_restored(tmp_path: Path) -> None:
    async def story(here: Running) -> None:
        chat = await here.begin("one", "two")
        before = held(chat)
        root = chat.path()[0].id
        assert await here.chat.edits.delete(chat.id, root) == 4
        assert (chat.leaf_id, chat.messages) == (None, {})
        assert here.stored(chat.id) == held(chat)
        await here.chat.edits.restore(chat.id, root)
        assert held(chat) == before == here.stored(chat.id)

    run(tmp_path, story, echo())


def test_restoring_what_was_not_shown_leaves_what_is_shown_now(tmp_path: Path) -> None:
    async def story(here: Running) -> None:
        chat = await here.begin("one")
        old = chat.path()[1].id
        await here.chat.turns.regenerate(chat.id)
        await here.ended(chat.id)
        await here.chat.edits.delete(chat.id, old)
        await here.chat.turns.send(chat.id, "two")
        await here.ended(chat.id)
        await here.chat.edits.restore(chat.id, old)
        assert shown(chat) == ["one", "one! 2", "two", "two! 3"]
        assert here.stored(chat.id) == held(chat)

    run(tmp_path, story, echo())


def test_a_message_comes_back_only_where_it_was(tmp_path: Path) -> None:
    async def story(here: Running) -> None:
        chat, other = await here.begin("one"), await here.begin("other")
        root, answer = (message.id for message in chat.path())
        await here.chat.edits.delete(chat.id, root)
        with pytest.raises(MessageNotFound):
            await here.chat.edits.restore(other.id, root)
        await here.chat.edits.restore(chat.id, root)
        await here.chat.edits.delete(chat.id, answer)
        await here.chat.edits.delete(chat.id, root)
        with pytest.raises(MessageNotFound):
            await here.chat.edits.restore(chat.id, answer)
        await here.chat.edits.restore(chat.id, root)
        await here.chat.edits.restore(chat.id, answer)
        assert shown(chat) == ["one", "one! 1"]
        assert shown(other) == ["other", "other! 2"]
        assert here.stored(chat.id) == held(chat)

    run(tmp_path, story, echo())


def test_what_was_deleted_is_let_go_after_a_while(tmp_path: Path) -> None:
    async def story(here: Running) -> None:
        chat = await here.begin("one")
        root = chat.path()[0].id
        await here.chat.edits.delete(chat.id, root)
        here.chat.edits.forget(60)
        await here.chat.edits.restore(chat.id, root)
        await here.chat.edits.delete(chat.id, root)
        here.chat.edits.forget(0)
        assert here.chat.edits._deleted == {}
        with pytest.raises(MessageNotFound):
            await here.chat.edits.restore(chat.id, root)

    run(tmp_path, story, echo())
