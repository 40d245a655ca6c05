"""What is kept comes back, what is deleted can come back, and the list is quick."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import pytest

from qwenchat.errors import ConversationNotFound, InvalidRequest
from qwenchat.store.conversations import (
    delete_conversation,
    insert_conversation,
    known_conversations,
    load_conversation,
    load_settings,
    pin_conversation,
    purge_deleted,
    rename_conversation,
    restore_conversation,
    update_conversation,
)
from qwenchat.store.database import Database
from qwenchat.store.listing import count_all, list_summaries
from qwenchat.store.messages import insert_messages
from qwenchat.store.opening import open_store
from qwenchat.store.rows import Counts, Summary
from qwenchat.store.search import search
from tests.store.samples import FULL_CONVERSATION, FULL_MESSAGES, NOON, conversation, keep


def test_everything_about_a_conversation_outlives_the_process(
    database: Database, tmp_path: Path
) -> None:
    database.write(insert_conversation, FULL_CONVERSATION).result()
    database.write(insert_messages, FULL_MESSAGES).result()
    database.close()
    again = open_store(tmp_path).database
    assert again.read(load_conversation, "full").result() == (FULL_CONVERSATION, FULL_MESSAGES)
    again.close()


def test_text_that_cannot_be_stored_keeps_its_length(database: Database) -> None:
    keep(database, "c", "a\0b\ud800c\udc00", title="\ud83d\0")
    row, messages = database.read(load_conversation, "c").result()
    assert (row.title, messages[0].content) == ("\ufffd\ufffd", "a\ufffdb\ufffdc\ufffd")


def test_an_update_changes_what_is_named_and_nothing_else(database: Database) -> None:
    database.write(insert_conversation, FULL_CONVERSATION).result()
    database.write(update_conversation, "full", {"model": None, "sampling": {"top_k": 5}}).result()
    database.write(update_conversation, "full", {}).result()
    assert database.read(load_settings, "full").result() == replace(
        FULL_CONVERSATION, model=None, sampling={"top_k": 5}
    )


def test_a_renamed_conversation_is_found_by_its_new_title_only(database: Database) -> None:
    keep(database, "c", title="Old name")
    database.write(rename_conversation, "c", "New 名字").result()
    row = database.read(load_settings, "c").result()
    assert row.title == "New 名字" and row.title_is_own
    assert not database.read(search, "old").result().hits
    assert database.read(search, "字").result().hits


def test_a_taken_id_is_refused(database: Database) -> None:
    rows = keep(database, "c", "text")
    with pytest.raises(InvalidRequest):
        database.write(insert_conversation, conversation("c")).result()
    with pytest.raises(InvalidRequest):
        database.write(insert_messages, rows).result()
    assert database.read(count_all).result() == Counts(1, 1)


def test_a_deleted_conversation_is_nowhere_and_undo_brings_all_of_it_back(
    database: Database,
) -> None:
    keep(database, "kept", "another")
    keep(database, "c", "needle", "answer", title="Haystack")
    before = database.read(load_conversation, "c").result()
    database.write(delete_conversation, "c", NOON).result()
    with pytest.raises(ConversationNotFound):
        database.read(load_conversation, "c").result()
    for action, arguments in (
        (update_conversation, ({"title": "x"},)),
        (pin_conversation, (True,)),
        (delete_conversation, (NOON,)),
    ):
        with pytest.raises(ConversationNotFound):
            database.write(action, "c", *arguments).result()
    assert not database.read(search, "needle").result().hits
    assert not database.read(search, "haystack").result().hits
    assert [s.id for s in database.read(list_summaries).result().items] == ["kept"]
    assert database.read(count_all).result() == Counts(1, 1)
    assert not database.read(known_conversations, ["c"], []).result()

    database.write(restore_conversation, "c").result()
    assert database.read(load_conversation, "c").result() == before
    assert database.read(search, "needle").result().hits


def test_what_was_deleted_long_ago_goes_for_good_and_is_overwritten(
    database: Database, tmp_path: Path
) -> None:
    keep(database, "old", "first secretneedle", "second", title="oldsecret")
    keep(database, "new", "still wanted")
    database.write(delete_conversation, "old", NOON).result()
    database.write(delete_conversation, "new", NOON + 10).result()
    assert database.write(purge_deleted, NOON + 5).result() == 1
    with pytest.raises(ConversationNotFound):
        database.write(restore_conversation, "old").result()
    database.write(restore_conversation, "new").result()
    assert database.read(search, "wanted").result().hits
    database.close()
    for file in tmp_path.iterdir():
        assert b"secretneedle" not in file.read_bytes(), file


def test_a_chat_of_5000_messages_is_deleted_for_good(database: Database) -> None:
    keep(database, "long", *("x" for _ in range(5000)))
    database.write(delete_conversation, "long", NOON).result()
    assert database.write(purge_deleted, NOON + 1).result() == 1
    assert database.read(count_all).result() == Counts(0, 0)


def test_an_imported_one_is_known_by_id_or_content(database: Database) -> None:
    database.write(insert_conversation, conversation("a"), "hash-a").result()
    known = database.read(known_conversations, ["a", "b"], ["hash-a", "hash-b"]).result()
    assert known == {"a", "hash-a"}


def test_the_list_has_pinned_ones_first_then_the_latest_used(database: Database) -> None:
    for key, at in (("old", NOON), ("new", NOON + 2), ("pinned", NOON - 9), ("mid", NOON + 1)):
        database.write(insert_conversation, conversation(key, at=at)).result()
    database.write(pin_conversation, "pinned", True).result()
    page = database.read(list_summaries).result()
    assert [(item.id, item.pinned) for item in page.items] == [
        ("pinned", True),
        ("new", False),
        ("mid", False),
        ("old", False),
    ]


def test_5000_conversations_are_listed_in_stretches_each_once_and_quickly(
    database: Database,
) -> None:
    def fill(connection) -> None:
        for number in range(5000):
            # Many share a time, and system prompts are long.
            row = conversation(f"c{number:04}", f"Chat {number}", NOON + number // 7)
            insert_conversation(connection, replace(row, system_prompt="x" * 3000))
            if number % 100 == 0:
                pin_conversation(connection, row.id, True)

    database.write(fill).result()
    before = time.perf_counter()
    everything = database.read(list_summaries, 5000).result()
    assert time.perf_counter() - before < 1
    assert everything.total == 5000 and everything.cursor is None

    before = time.perf_counter()
    seen: list[Summary] = []
    cursor = None
    while True:
        page = database.read(list_summaries, 333, cursor).result()
        seen += page.items
        if (cursor := page.cursor) is None:
            break
    assert time.perf_counter() - before < 1
    assert tuple(seen) == everything.items


@pytest.mark.parametrize("cursor", ["x", "[]", "[1]", "{}", "[null, 1, 2]"])
def test_a_cursor_of_another_list_is_refused(database: Database, cursor: str) -> None:
    with pytest.raises(InvalidRequest):
        database.read(list_summaries, 10, cursor).result()
