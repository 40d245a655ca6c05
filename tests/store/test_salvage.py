"""What is read from the pages of a damaged file is what was written, and nothing else."""

from __future__ import annotations

import contextlib
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from qwenchat.errors import StoreError
from qwenchat.store.conversations import (
    delete_conversation,
    insert_conversation,
    load_conversation,
    purge_deleted,
)
from qwenchat.store.listing import count_all, list_summaries
from qwenchat.store.messages import append_text, insert_messages
from qwenchat.store.opening import open_store
from qwenchat.store.pages import read_records
from qwenchat.store.recovery import RECOVERED_TITLE
from qwenchat.store.rows import Counts
from tests.store.damage import (
    CHATS,
    MESSAGES,
    NAME,
    PAGE,
    fill,
    overwrite,
    root_page,
)
from tests.store.samples import FULL_CONVERSATION, FULL_MESSAGES, NOON, growing, keep


def test_messages_without_their_conversation_get_a_new_one(tmp_path: Path) -> None:
    fill(tmp_path)
    path = tmp_path / NAME
    before = overwrite(path, (root_page(path, "conversations") - 1) * PAGE, b"\0" * PAGE)
    opened = open_store(tmp_path)
    assert opened.recovery.conversations_lost == CHATS
    assert f"{CHATS} conversation" in opened.recovery.message
    assert opened.recovery.damaged_file.read_bytes() == before
    items = opened.database.read(list_summaries).result().items
    assert {item.title for item in items} == {RECOVERED_TITLE}
    assert opened.database.read(count_all).result() == Counts(CHATS, CHATS * MESSAGES)
    opened.database.close()


def test_settings_and_every_column_survive_reading_from_pages(tmp_path: Path) -> None:
    database = open_store(tmp_path).database
    database.write(insert_conversation, FULL_CONVERSATION).result()
    database.write(insert_messages, FULL_MESSAGES).result()
    database.close()
    overwrite(tmp_path / NAME, 0, b"\0" * PAGE)
    opened = open_store(tmp_path)
    assert opened.database.read(load_conversation, "full").result() == (
        FULL_CONVERSATION,
        FULL_MESSAGES,
    )
    opened.database.close()


def test_what_was_deleted_does_not_come_back(tmp_path: Path) -> None:
    database = open_store(tmp_path).database
    for number in range(6):
        keep(database, f"c{number}", *(f"text {number} " * 60 for _ in range(20)))
    for number in (1, 3):
        database.write(delete_conversation, f"c{number}", NOON).result()
    database.write(purge_deleted, NOON + 1).result()
    database.write(delete_conversation, "c5", NOON).result()
    database.close()
    overwrite(tmp_path / NAME, 0, b"\0" * PAGE)
    opened = open_store(tmp_path)
    assert {item.id for item in opened.database.read(list_summaries).result().items} == {
        "c0",
        "c2",
        "c4",
    }
    assert opened.database.read(count_all).result() == Counts(3, 60)
    opened.database.close()


def test_a_growing_reply_is_saved_as_interrupted(tmp_path: Path) -> None:
    database = open_store(tmp_path).database
    reply = growing(keep(database, "c", "question")[0])
    database.write(insert_messages, [reply], {"leaf_id": "reply"}).result()
    database.write(append_text, "reply", 0, "so far").result()
    database.close()
    overwrite(tmp_path / NAME, 0, b"\0" * PAGE)
    opened = open_store(tmp_path)
    row, rows = opened.database.read(load_conversation, "c").result()
    assert (rows[-1].content, rows[-1].state) == ("so far", "interrupted")
    assert row.leaf_id == "reply"
    opened.database.close()


def test_an_answer_without_its_question_hangs_on_what_came_before(tmp_path: Path) -> None:
    database = open_store(tmp_path).database
    keep(database, "c", *(f"text {number}" for number in range(6)))
    database.close()
    # Foreign keys are not enforced here, as on a damaged page.
    with contextlib.closing(sqlite3.connect(tmp_path / NAME, isolation_level=None)) as connection:
        connection.execute("PRAGMA secure_delete = ON")
        connection.execute("DELETE FROM messages WHERE id = 'c-2'")
    overwrite(tmp_path / NAME, 0, b"\0" * PAGE)
    opened = open_store(tmp_path)
    assert (opened.recovery.mended, opened.recovery.messages_lost) == (1, 1)
    _, rows = opened.database.read(load_conversation, "c").result()
    assert {row.id: row.parent_id for row in rows} == {
        "c-0": None,
        "c-1": "c-0",
        "c-3": "c-1",
        "c-4": "c-3",
        "c-5": "c-4",
    }
    opened.database.close()


def test_when_saving_fails_the_damaged_file_stays_in_place(
    damaged: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = overwrite(damaged, 0, b"\0" * PAGE)

    def no_room(*_: object) -> None:
        error = sqlite3.OperationalError("database or disk is full")
        error.sqlite_errorcode = sqlite3.SQLITE_FULL
        raise error

    monkeypatch.setattr("qwenchat.store.recovery.insert_messages", no_room)
    with pytest.raises(StoreError, match="no room"):
        open_store(damaged.parent)
    assert [file.name for file in damaged.parent.iterdir()] == [NAME]
    assert damaged.read_bytes() == before
    monkeypatch.undo()
    open_store(damaged.parent).database.close()


def test_a_large_database_is_read_from_pages_completely(tmp_path: Path) -> None:
    database = open_store(tmp_path).database
    question = keep(database, "c", "q")[0]
    rows = [
        replace(
            growing(question, f"m{number}"), content=f"{number} " * (number % 700), state="done"
        )
        for number in range(1500)
    ]
    database.write(insert_messages, rows).result()
    database.close()
    texts = {
        record.values[1]: record.values[16]
        for record in read_records(tmp_path / NAME)
        if len(record.values) > 16 and record.values[4] in ("user", "assistant")
    }
    assert texts == {"c-0": "q"} | {row.id: row.content for row in rows}


def test_ids_that_were_garbled_alike_still_fit_each_other(tmp_path: Path) -> None:
    database = open_store(tmp_path).database
    keep(database, "c", "question", "answer", "again")
    database.close()
    path = tmp_path / NAME
    path.write_bytes(path.read_bytes().replace(b"c-1", b"c\0\xff"))
    overwrite(path, 0, b"\0" * PAGE)
    opened = open_store(tmp_path)
    _, rows = opened.database.read(load_conversation, "c").result()
    assert [row.content for row in rows] == ["question", "answer", "again"]
    assert rows[2].parent_id == rows[1].id
    opened.database.close()
