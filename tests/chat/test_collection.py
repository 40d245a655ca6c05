"""Conversations in memory and in the store: one object for each, loaded, kept, let go."""

from __future__ import annotations

import asyncio
import gc
import time
from pathlib import Path

import pytest

from qwenchat.chat import collection, service
from qwenchat.engine.fake import FakeEngine
from qwenchat.errors import ConversationNotFound, StoreError
from qwenchat.store.search import search
from tests.chat.running import ENDLESS, Running, echo, held, run, shown, until


def test_whoever_loads_a_conversation_gets_the_same_one(tmp_path: Path) -> None:
    key = ""

    async def story(here: Running) -> None:
        nonlocal key
        key = (await here.begin("one", "two")).id

    async def again(here: Running) -> None:
        assert here.chat.conversations.in_memory(key) is None
        first, *others = await asyncio.gather(*(here.chat.conversations.get(key) for _ in range(5)))
        assert all(other is first for other in others)
        assert shown(first) == ["one", "one! 1", "two", "two! 2"]
        assert here.chat.conversations._loading == {}

    run(tmp_path, story, echo())
    run(tmp_path, again)


def test_a_load_goes_on_for_others_when_one_who_waits_is_cancelled(tmp_path: Path) -> None:
    key = ""

    async def story(here: Running) -> None:
        nonlocal key
        key = (await here.begin("one")).id

    async def again(here: Running) -> None:
        impatient = asyncio.create_task(here.chat.conversations.get(key))
        patient = asyncio.create_task(here.chat.conversations.get(key))
        await asyncio.sleep(0)
        impatient.cancel()
        assert shown(await patient) == ["one", "one! 1"]
        assert impatient.cancelled()

    run(tmp_path, story, echo())
    run(tmp_path, again)


def test_a_conversation_that_somebody_holds_is_never_loaded_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(collection, "KEPT_LOADED", 3)

    async def story(here: Running) -> None:
        held_one = await here.begin("one", "two")
        let_go = (await here.begin("other")).id
        growing = await here.begin()
        _, answer = await here.chat.turns.send(growing.id, "long")
        running = growing.id
        del growing
        for _ in range(5):
            await here.chat.create()
        gc.collect()
        conversations = here.chat.conversations
        assert len(conversations._recent) == 3
        assert await conversations.get(held_one.id) is held_one
        assert conversations.in_memory(let_go) is None
        assert (await conversations.get(running)).messages[answer.id] is answer
        cold = await conversations.get(let_go)
        assert shown(cold) == ["other", "other! 3"]
        assert here.stored(let_go) == held(cold)
        await here.chat.turns.stop(running)

    engine = echo()
    answered = engine._answer
    engine._answer = lambda r: ENDLESS if r.messages[-1].content == "long" else answered(r)
    run(tmp_path, story, engine)


def test_an_unknown_conversation_is_missing_whatever_is_asked_of_it(tmp_path: Path) -> None:
    async def story(here: Running) -> None:
        chat = here.chat
        for asked in (
            chat.conversations.get("nope"),
            chat.update("nope", title="x"),
            chat.delete("nope"),
            chat.restore("nope"),
            chat.fork("nope", "x"),
            chat.turns.send("nope", "x"),
            chat.turns.regenerate("nope"),
            chat.turns.summarize("nope"),
            chat.edits.show("nope", "x"),
        ):
            with pytest.raises(ConversationNotFound):
                await asked

    run(tmp_path, story)


def test_a_load_that_fails_can_be_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def story(here: Running) -> None:
        key = (await here.begin("one")).id
        here.chat.conversations._recent.clear()
        gc.collect()
        assert here.chat.conversations.in_memory(key) is None

        def broken(*_: object) -> None:
            raise StoreError("The disk hums.")

        with monkeypatch.context() as patch:
            patch.setattr(collection, "load_conversation", broken)
            with pytest.raises(StoreError):
                await here.chat.conversations.get(key)
        assert shown(await here.chat.conversations.get(key)) == ["one", "one! 1"]

    run(tmp_path, story, echo())


def test_deleting_stops_the_answer_and_restoring_brings_its_text_back_at_once(
    tmp_path: Path,
) -> None:
    async def story(here: Running) -> None:
        chat = await here.chat.create()
        _, answer = await here.chat.turns.send(chat.id, "needle")
        await until(lambda: len(answer.content) > 10)
        await here.chat.delete(chat.id)
        assert chat.deleted
        assert answer.state == "stopped"
        assert not here.chat.is_running(chat.id)
        assert here.chat._replies._journals == {}
        with pytest.raises(ConversationNotFound):
            await here.chat.conversations.get(chat.id)
        assert (await here.chat.read(search, "needle")).hits == ()
        restored = await here.chat.restore(chat.id)
        assert restored is not chat
        assert held(restored) == held(chat)
        assert (await here.chat.restore(chat.id)) is restored
        assert here.chat.conversations.summaries.get(chat.id)
        assert len((await here.chat.read(search, "needle")).hits) == 1

    run(tmp_path, story, FakeEngine(lambda _: ENDLESS))


def test_what_was_deleted_long_enough_ago_is_gone_for_good(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "RESTORABLE_SECONDS", 0.2)

    async def story(here: Running) -> None:
        here.chat.start()
        chat = await here.begin("secretmarker")
        message = (await here.begin("kept")).path()[0]
        other = here.chat.conversations.summaries.in_order()[0].id
        await here.chat.edits.delete(other, message.id)
        await here.chat.delete(chat.id)
        deleted = time.monotonic()
        await here.chat.restore(chat.id)
        await here.chat.delete(chat.id)

        async def count() -> int:
            job = "SELECT count(*) FROM conversations WHERE id = ?"
            return int((await here.chat.read(lambda c: c.execute(job, (chat.id,)).fetchone()))[0])

        while await count():
            await asyncio.sleep(0.02)
        assert time.monotonic() - deleted >= 0.2
        await until(lambda: here.chat.edits._deleted == {})
        with pytest.raises(ConversationNotFound):
            await here.chat.restore(chat.id)

    run(tmp_path, story)


def test_removing_for_good_goes_on_after_a_store_that_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "RESTORABLE_SECONDS", 0.02)
    calls = 0

    def fails_at_first(*_: object) -> int:
        nonlocal calls
        calls += 1
        if calls == 1:
            raise StoreError("Full.")
        if calls == 2:
            raise RuntimeError("a bug")
        return 0

    async def story(here: Running) -> None:
        monkeypatch.setattr(service, "purge_deleted", fails_at_first)
        here.chat.start()
        await until(lambda: calls >= 4)

    run(tmp_path, story)


def test_a_database_that_could_not_mark_interrupted_answers_leaves_none_growing(
    tmp_path: Path,
) -> None:
    async def story(here: Running) -> None:
        chat = await here.chat.create()
        _, answer = await here.chat.turns.send(chat.id, "go")
        await until(lambda: bool(answer.content))
        others = collection.Conversations(here.chat.database)
        cold = await others.get(chat.id)
        assert cold.path()[-1].state == "interrupted"

    run(tmp_path, story, FakeEngine(lambda _: ENDLESS))
