"""The list of conversations, and who hears of which change."""

from __future__ import annotations

from pathlib import Path

from qwenchat.chat.summaries import Summaries
from qwenchat.store.listing import list_summaries
from qwenchat.store.rows import Summary
from tests.chat.running import Running, echo, run


def summary(key: str, at: float = 0, pinned: bool = False) -> Summary:
    return Summary(key, f"Title {key}", at, pinned)


def test_the_list_has_pinned_ones_first_then_the_latest() -> None:
    listed = Summaries([summary("a", 1), summary("b", 3), summary("c", 2, True)])
    listed.put(summary("d", 2))
    assert [one.id for one in listed.in_order()] == ["c", "b", "d", "a"]
    assert len(listed) == 4


def test_each_is_told_what_changed_since_it_last_looked_and_once() -> None:
    listed = Summaries([summary("a"), summary("b"), summary("c")])
    assert list(listed.changed_since(listed.revision)) == []
    seen = listed.revision
    listed.put(summary("b", 5))
    listed.note("a")
    listed.put(summary("b", 6))
    listed.remove("c")
    listed.remove("c")
    assert list(listed.changed_since(seen)) == ["c", "b", "a"]
    assert listed.get("c") is None
    seen = listed.revision
    assert list(listed.changed_since(seen)) == []
    listed.note("a")
    assert list(listed.changed_since(seen)) == ["a"]


def test_the_list_in_memory_is_that_of_the_store_after_any_change(tmp_path: Path) -> None:
    async def story(here: Running) -> None:
        chat = here.chat

        async def same() -> None:
            page = await chat.read(list_summaries, limit=1000)
            assert list(page.items) == chat.conversations.summaries.in_order()

        one, two = await here.begin("one"), await here.begin("two")
        await same()
        await chat.update(one.id, pinned=True, title="First")
        await same()
        await chat.turns.send(two.id, "more")
        await here.ended(two.id)
        await same()
        await chat.fork(two.id, two.path()[0].id)
        await chat.delete(one.id)
        await same()
        await chat.restore(one.id)
        await here.ended((await chat.turns.summarize(one.id)).id)
        await same()
        await chat.turns.continue_(two.id, two.path()[-1].id)
        await here.ended(two.id)
        await chat.create(temporary=True)
        await same()
        assert len(chat.conversations.summaries) == 4

    run(tmp_path, story, echo())


def test_the_first_line_of_the_first_message_is_the_title_unless_there_is_one(
    tmp_path: Path,
) -> None:
    async def story(here: Running) -> None:
        chat = await here.begin("\n  What is\n this?", "second")
        assert chat.title == "What is"
        own = await here.chat.create()
        await here.chat.update(own.id, title="Mine")
        await here.chat.turns.send(own.id, "Not this")
        await here.ended(own.id)
        assert here.stored(own.id)[0].title == "Mine" == own.title

    run(tmp_path, story, echo())
