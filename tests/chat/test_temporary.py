"""A temporary conversation can do everything and leaves nothing behind."""

from __future__ import annotations

import gc
from pathlib import Path

import pytest

from qwenchat.chat import collection
from qwenchat.chat.conversations import Conversation
from qwenchat.engine.fake import FakeEngine, Script
from qwenchat.errors import ConversationNotFound
from qwenchat.store.connections import DATABASE_NAME
from qwenchat.store.search import search
from qwenchat.store.stream import stream_conversations
from tests.chat.running import ENDLESS, Running, run, shown, until

MARKER = "Xylophonquark"


def found_on_disk(folder: Path) -> bool:
    files = list(folder.rglob("*"))
    assert folder / DATABASE_NAME in files
    return any(MARKER.encode() in file.read_bytes() for file in files if file.is_file())


async def _do_everything(here: Running, chat: Conversation) -> list[Conversation]:
    turns, edits = here.chat.turns, here.chat.edits
    await here.chat.update(chat.id, title=MARKER, pinned=True, system_prompt=MARKER)
    await turns.send(chat.id, f"{MARKER} one")
    await here.ended(chat.id)
    user, answer = chat.path()
    await edits.edit_answer(chat.id, answer.id, f"{MARKER} edited")
    assert len(chat.versions(answer)) == 2
    await turns.continue_(chat.id, answer.id)
    await here.ended(chat.id)
    assert shown(chat)[-1] == f"{MARKER} edited" + f"{MARKER} answer"
    await turns.regenerate(chat.id)
    await here.ended(chat.id)
    await edits.show(chat.id, answer.id)
    await turns.send(chat.id, f"{MARKER} two", parent_id=None)
    await here.ended(chat.id)
    assert await edits.delete(chat.id, user.id) == 4
    assert shown(chat)[0] == f"{MARKER} two"
    await edits.restore(chat.id, user.id)
    assert len(chat.messages) == 6
    fork = await here.chat.fork(chat.id, answer.id)
    summary = await turns.summarize(chat.id)
    await here.ended(summary.id)
    assert here.engine.requests[-1].messages[1].content.startswith(MARKER)
    return [chat, fork, summary]


def test_nothing_of_a_temporary_conversation_is_written_whatever_is_done(tmp_path: Path) -> None:
    async def story(here: Running) -> None:
        chat = await here.chat.create(temporary=True)
        made = await _do_everything(here, chat)
        assert all(one.temporary for one in made)
        assert len({one.id for one in made}) == 3
        assert not here.chat.conversations.summaries.in_order()
        assert (await here.chat.read(search, MARKER)).hits == ()
        assert list(stream_conversations(here.chat.database)) == []
        assert not found_on_disk(here.folder)
        assert await here.chat.restore(chat.id) is chat, "what is there stays as it is"
        await here.chat.delete(chat.id)
        with pytest.raises(ConversationNotFound):
            await here.chat.conversations.get(chat.id)

    run(tmp_path, story, FakeEngine(lambda _: Script([MARKER, " answer"])))
    assert not found_on_disk(tmp_path)


def test_the_same_things_done_for_good_are_found_on_the_disk(tmp_path: Path) -> None:
    async def story(here: Running) -> None:
        made = await _do_everything(here, await here.chat.create())
        assert len(here.chat.conversations.summaries) == len(made)
        assert (await here.chat.read(search, MARKER)).hits
        assert found_on_disk(here.folder)

    run(tmp_path, story, FakeEngine(lambda _: Script([MARKER, " answer"])))


def test_stop_works_and_the_conversation_itself_says_whether_it_is_answered(
    tmp_path: Path,
) -> None:
    async def story(here: Running) -> None:
        chat = await here.chat.create(temporary=True)
        _, answer = await here.chat.turns.send(chat.id, "go")
        await until(lambda: bool(answer.content))
        revision = chat.revision
        await here.chat.turns.stop(chat.id)
        assert answer.state == "stopped"
        assert chat.revision > revision
        await here.chat.turns.send(chat.id, "again")
        await here.chat.delete(chat.id)
        assert not here.chat.is_running(chat.id)

    run(tmp_path, story, FakeEngine(lambda _: ENDLESS))


def test_only_so_many_are_kept_besides_those_in_use(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(collection, "KEPT_TEMPORARY", 3)

    async def story(here: Running) -> None:
        looked_at = await here.chat.create(temporary=True)
        growing = (await here.chat.create(temporary=True)).id
        await here.chat.turns.send(growing, "go")
        old = (await here.chat.create(temporary=True)).id
        for _ in range(4):
            await here.chat.create(temporary=True)
        gc.collect()
        with pytest.raises(ConversationNotFound):
            await here.chat.conversations.get(old)
        assert await here.chat.conversations.get(looked_at.id) is looked_at
        assert (await here.chat.conversations.get(growing)).path()[-1].state == "streaming"
        await here.chat.turns.stop(growing)
        assert len(here.chat.conversations._temporary) == 3

    run(tmp_path, story, FakeEngine(lambda _: ENDLESS))
