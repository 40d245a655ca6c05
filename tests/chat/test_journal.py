"""An answer is in the database almost as soon as on the page, and a store that refuses
loses nothing."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest

from qwenchat.chat import journal, replies
from qwenchat.chat.conversations import Conversation, Message
from qwenchat.engine.fake import FakeEngine, Script
from qwenchat.errors import StoreError, StoreFull
from qwenchat.store.database import Database
from qwenchat.store.opening import open_store
from tests.chat.running import ENDLESS, Running, as_if_killed, held, run, shown, until

MEANWHILE = {"append_text", "finish_message"}


class Refusing:
    """A store that refuses jobs whose names are in ``refused``, but for messages whose ids
    are in ``accepted``."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.refused: set[str] = set()
        self.accepted: set[str] = set()
        self.tried = 0
        write = Database.write

        def refusing(database: Database, job: Callable[..., Any], *args: Any, **kw: Any) -> Any:
            is_refused = bool({"all", job.__name__} & self.refused)
            if not is_refused or self.accepted & set(map(str, args[:1])):
                return write(database, job, *args, **kw)
            self.tried += 1
            failed: Future[Any] = Future()
            failed.set_exception(StoreFull("There is no room left. Free some space."))
            return failed

        monkeypatch.setattr(Database, "write", refusing)


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> Refusing:
    monkeypatch.setattr(journal, "RETRY_SECONDS", 0.05)
    monkeypatch.setattr(journal, "JOURNAL_SECONDS", 0.02)
    return Refusing(monkeypatch)


def notices(here: Running) -> list[str]:
    return [notice.kind for notice in here.chat.notices.all()]


async def growing(here: Running) -> tuple[Conversation, Message]:
    chat = await here.chat.create()
    _, answer = await here.chat.turns.send(chat.id, "go")
    await until(lambda: bool(answer.content))
    return chat, answer


def test_what_the_database_has_is_never_long_behind_what_was_said(tmp_path: Path) -> None:
    async def story(here: Running) -> None:
        chat = await here.chat.create()
        said: list[tuple[float, int]] = []
        _, answer = await here.chat.turns.send(chat.id, "go")
        here.chat.changes.watch(lambda: said.append((time.monotonic(), len(answer.content))))
        behind = 0.0
        while here.chat.is_running(chat.id):
            await asyncio.sleep(0.02)
            now = time.monotonic()
            length = len(here.stored(chat.id)[1][answer.id].content)
            late = [now - at for at, said_length in said if said_length > length]
            behind = max([behind, *late])
        assert said[-1][1] == len("word ") * 120
        assert behind < 1.0, f"a page may know {behind:.2f} s more than the disk"

    run(tmp_path, story, FakeEngine(lambda _: Script(["word "] * 120, 0.01)))


def test_an_answer_goes_on_while_the_store_refuses_and_is_whole_afterwards(
    tmp_path: Path, store: Refusing
) -> None:
    async def story(here: Running) -> None:
        chat, answer = await growing(here)
        assert notices(here) == []
        store.refused = MEANWHILE
        await until(lambda: notices(here) == ["not_saved"])
        assert "Free some space." in here.chat.notices.all()[0].message
        length = len(answer.content)
        await until(lambda: len(answer.content) > length)
        await here.chat.turns.stop(chat.id)
        tried = store.tried
        await until(lambda: store.tried > tried + 2)
        assert answer.state == "stopped"
        assert notices(here) == ["not_saved"]
        assert here.stored(chat.id)[1][answer.id].state == "streaming"
        store.refused = set()
        await until(lambda: notices(here) == [])
        await here.settled(chat.id)
        assert here.stored(chat.id) == held(chat)

    run(tmp_path, story, FakeEngine(lambda _: ENDLESS))


def test_the_notice_stays_until_the_last_answer_is_saved(tmp_path: Path, store: Refusing) -> None:
    async def story(here: Running) -> None:
        one, first = await growing(here)
        two, second = await growing(here)
        store.refused = MEANWHILE
        for chat in (one, two):
            await here.chat.turns.stop(chat.id)
        unsaved = here.chat._replies._unsaved._messages
        await until(lambda: unsaved == {first.id, second.id})
        store.accepted = {first.id}
        await until(lambda: unsaved == {second.id})
        assert notices(here) == ["not_saved"]
        store.refused = set()
        await until(lambda: notices(here) == [])
        for chat in (one, two):
            await here.settled(chat.id)
            assert here.stored(chat.id) == held(chat)

    run(tmp_path, story, FakeEngine(lambda _: ENDLESS))


def test_a_notice_that_was_read_does_not_come_back_for_the_same_answer(
    tmp_path: Path, store: Refusing
) -> None:
    async def story(here: Running) -> None:
        await growing(here)
        store.refused = MEANWHILE
        await until(lambda: notices(here) == ["not_saved"])
        here.chat.notices.remove("not_saved")
        tried = store.tried
        await until(lambda: store.tried > tried + 3)
        assert notices(here) == []
        store.refused = set()

    run(tmp_path, story, FakeEngine(lambda _: ENDLESS))


def test_what_the_store_refuses_has_not_happened(tmp_path: Path, store: Refusing) -> None:
    async def story(here: Running) -> None:
        chat = await here.begin("one", "two")
        before, revision = held(chat), chat.revision
        listed = here.chat.conversations.summaries.in_order()
        answer = chat.path()[-1]
        store.refused = {"all"}
        steps = [
            lambda: here.chat.create(),
            lambda: here.chat.update(chat.id, title="x", system_prompt="y"),
            lambda: here.chat.delete(chat.id),
            lambda: here.chat.fork(chat.id, answer.id),
            lambda: here.chat.turns.send(chat.id, "three"),
            lambda: here.chat.turns.regenerate(chat.id),
            lambda: here.chat.turns.continue_(chat.id, answer.id),
            lambda: here.chat.turns.summarize(chat.id),
            lambda: here.chat.edits.edit_answer(chat.id, answer.id, "x"),
            lambda: here.chat.edits.delete(chat.id, answer.id),
        ]
        for step in steps:
            with pytest.raises(StoreError):
                await step()
        assert (held(chat), chat.revision, chat.deleted) == (before, revision, False)
        assert here.chat.conversations.summaries.in_order() == listed
        assert not here.chat.is_running(chat.id)
        store.refused = set()
        await here.chat.edits.delete(chat.id, answer.id)
        store.refused = {"all"}
        gone = held(chat)
        with pytest.raises(StoreError):
            await here.chat.edits.restore(chat.id, answer.id)
        assert held(chat) == gone
        store.refused = set()
        await here.chat.edits.restore(chat.id, answer.id)
        assert held(chat) == before == here.stored(chat.id)

    run(tmp_path, story)


@pytest.mark.parametrize("step", ["continue", "edit", "delete", "delete the conversation"])
def test_an_answer_whose_end_is_not_saved_yet_can_go_on_or_go_once_it_is(
    tmp_path: Path, store: Refusing, step: str
) -> None:
    async def story(here: Running) -> None:
        chat, answer = await growing(here)
        store.refused = MEANWHILE
        await here.chat.turns.stop(chat.id)
        await until(lambda: notices(here) == ["not_saved"])
        change = {
            "continue": lambda: here.chat.turns.continue_(chat.id, answer.id),
            "edit": lambda: here.chat.edits.edit_answer(chat.id, answer.id, "x"),
            "delete": lambda: here.chat.edits.delete(chat.id, answer.id),
            "delete the conversation": lambda: here.chat.delete(chat.id),
        }[step]
        with pytest.raises(StoreError):
            await change()
        assert (answer.state, answer in chat.path()) == ("stopped", True)
        text = answer.content
        store.refused = set()
        await change()
        await until(lambda: notices(here) == [])
        now = chat
        if step == "continue":
            await until(lambda: len(answer.content) > len(text))
            await here.chat.turns.stop(chat.id)
        elif step == "delete the conversation":
            now = await here.chat.restore(chat.id)
            assert shown(now)[-1] == text
        await here.settled(chat.id)
        assert here.stored(chat.id) == held(now)

    run(tmp_path, story, FakeEngine(lambda _: ENDLESS))


def test_an_answer_that_is_gone_for_good_is_not_saved_any_more(
    tmp_path: Path, store: Refusing
) -> None:
    async def story(here: Running) -> None:
        chat, answer = await growing(here)
        store.refused = MEANWHILE
        await until(lambda: notices(here) == ["not_saved"])
        await asyncio.wrap_future(
            here.chat.database.write(lambda c: c.execute("DELETE FROM messages") and None)
        )
        store.refused = set()
        await here.chat.turns.stop(chat.id)
        await here.settled(chat.id)
        assert notices(here) == []
        assert answer.state == "stopped"

    run(tmp_path, story, FakeEngine(lambda _: ENDLESS))


def test_a_journal_that_breaks_is_told_in_the_log_and_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def broken(*_: object) -> None:
        raise RuntimeError("a bug")

    async def story(here: Running) -> None:
        monkeypatch.setattr(journal.Journal, "finish_now", broken)
        chat = await here.begin("one")
        assert here.chat._replies._journals == {}
        assert chat.path()[-1].state == "done"

    run(tmp_path, story)
    assert "An answer is not kept" in caplog.text


def test_an_app_that_ends_while_the_store_refuses_keeps_what_was_saved_and_says_so(
    tmp_path: Path,
    store: Refusing,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(replies, "LAST_TRY_SECONDS", 0.2)
    key = ""

    async def story(here: Running) -> None:
        nonlocal key
        chat, answer = await growing(here)
        key = chat.id
        await until(lambda: bool(here.stored(key)[1][answer.id].content))
        store.refused = MEANWHILE

    run(tmp_path, story, FakeEngine(lambda _: ENDLESS))
    assert "could not be saved" in caplog.text
    store.refused = set()

    async def again(here: Running) -> None:
        answer = (await here.chat.conversations.get(key)).path()[-1]
        assert (answer.state, answer.content[:5]) == ("interrupted", "word ")

    run(tmp_path, again)


def test_an_app_that_ends_tries_once_more(
    tmp_path: Path, store: Refusing, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal, "RETRY_SECONDS", 1.0)
    assert journal.RETRY_SECONDS < replies.LAST_TRY_SECONDS

    async def story(here: Running) -> None:
        chat, _ = await growing(here)
        store.refused = MEANWHILE
        await until(lambda: notices(here) == ["not_saved"])
        await here.chat.turns.stop(chat.id)
        tried = store.tried
        await until(lambda: store.tried > tried)
        store.refused = set()

    run(tmp_path, story, FakeEngine(lambda _: ENDLESS))
    opened = open_store(tmp_path)
    assert opened.interrupted == 0
    opened.database.close()


def test_a_kill_between_two_tries_keeps_every_whole_append(tmp_path: Path, store: Refusing) -> None:
    async def story(here: Running) -> None:
        chat, answer = await growing(here)
        await until(lambda: bool(here.stored(chat.id)[1][answer.id].content))
        store.refused = MEANWHILE
        kept = here.stored(chat.id)[1][answer.id].content
        await until(lambda: len(answer.content) > len(kept) + 20)
        store.refused = set()
        await until(lambda: len(here.stored(chat.id)[1][answer.id].content) > len(kept))
        copy = as_if_killed(here.folder, tmp_path / "killed")
        opened = await asyncio.to_thread(open_store, copy)
        (content,) = opened.database.read(
            lambda c: c.execute(
                "SELECT content FROM messages WHERE id = ?", (answer.id,)
            ).fetchone()
        ).result()
        opened.database.close()
        assert answer.content.startswith(content)
        assert len(content) > len(kept)

    run(tmp_path, story, FakeEngine(lambda _: ENDLESS))
