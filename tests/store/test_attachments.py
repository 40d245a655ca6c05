"""Files of messages are kept, found, deleted and saved with them; unsent ones wait a day."""

from __future__ import annotations

import contextlib
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from qwenchat.errors import AttachedFileNotFound
from qwenchat.store.conversations import load_conversation
from qwenchat.store.database import Database
from qwenchat.store.index import INDEXED_CHARACTERS
from qwenchat.store.intake import content_hash, take_in
from qwenchat.store.messages import delete_message, insert_messages, set_content
from qwenchat.store.opening import open_store
from qwenchat.store.recovery import recover
from qwenchat.store.rows import Attachment, ConversationRow, MessageRow
from qwenchat.store.search import search
from qwenchat.store.uploads import delete_file, keep_file, load_file, purge_files
from tests.store.samples import ATTACHED, NOON

CHAT = ConversationRow("chat", "Birds", NOON, NOON)
FILE = Attachment("f", "birds-2024.txt", "text", 40, "line", 2, "the albatross\n信天翁 sleeps\n")
ROW = MessageRow("m", "chat", "user", "Tell me.", NOON, attachments=(FILE, *ATTACHED))


def found(database: Database, text: str) -> list[str | None]:
    return [hit.message_id for hit in database.read(search, text).result().hits]


def kept(database: Database) -> MessageRow:
    return database.read(load_conversation, "chat").result()[1][0]


@pytest.fixture
def filled(database: Database) -> Database:
    assert database.write(take_in, CHAT, [ROW]).result()
    return database


def test_attachments_come_back_as_they_went_in(filled: Database) -> None:
    assert kept(filled) == ROW


def test_half_a_character_in_a_file_is_replaced(
    database: Database,
) -> None:
    file = replace(FILE, text="a\ud83dc")
    database.write(take_in, CHAT, [replace(ROW, attachments=(file,))]).result()
    assert kept(database).attachments == (replace(FILE, text="a\ufffdc"),)


@pytest.mark.parametrize("query", ["albatross", "信天翁", "birds-2024", "tell sleeps", "a.pdf"])
def test_a_message_is_found_by_its_files(filled: Database, query: str) -> None:
    assert found(filled, query) == ["m"]


def test_the_snippet_of_a_hit_in_a_file_is_from_the_file(filled: Database) -> None:
    (hit,) = filled.read(search, "albatross").result().hits
    start, end = hit.snippet_places[0]
    assert hit.snippet[start:end] == "albatross"


def test_a_deleted_message_is_found_by_its_files_no_more(filled: Database) -> None:
    filled.write(delete_message, "m").result()
    assert found(filled, "albatross") == []
    words = "SELECT count(*) FROM message_words WHERE message_words MATCH 'albatross'"
    assert filled.read(lambda connection: connection.execute(words).fetchone()[0]).result() == 0


def test_another_text_leaves_the_files_findable(filled: Database) -> None:
    filled.write(set_content, "m", "Other words.").result()
    assert found(filled, "albatross other") == ["m"] and found(filled, "tell") == []
    assert kept(filled).attachments == ROW.attachments


def test_only_the_beginning_of_a_huge_file_is_indexed(database: Database) -> None:
    text = "early " + "x " * (INDEXED_CHARACTERS // 2) + "late"
    database.write(take_in, CHAT, [replace(ROW, attachments=(replace(FILE, text=text),))]).result()
    assert found(database, "early") == ["m"] and found(database, "late") == []
    assert kept(database).attachments[0].text == text


def test_conversations_that_differ_in_their_files_are_two() -> None:
    plain = replace(ROW, attachments=())
    other = replace(ROW, attachments=(replace(FILE, text="else"),))
    assert len({content_hash([row]) for row in (plain, ROW, other)}) == 3
    assert content_hash([ROW]) == content_hash([replace(ROW, id="n")])


def test_files_are_saved_from_a_damaged_database(tmp_path: Path) -> None:
    opened = open_store(tmp_path)
    opened.database.write(take_in, CHAT, [ROW]).result()
    path = opened.database.path
    opened.database.close()
    report = recover(path, "a test says so")
    assert (report.messages_kept, report.messages_lost) == (1, 0)
    again = open_store(tmp_path).database
    assert kept(again) == ROW and found(again, "albatross") == ["m"]
    again.close()


@pytest.mark.parametrize("column", ["[", "7", '"x"', "[7, {}]", '[{"text": 5}]', "{}"])
def test_a_garbled_column_costs_the_files_and_not_the_message(
    filled: Database, column: str
) -> None:
    def garble(connection: sqlite3.Connection) -> None:
        connection.execute("UPDATE messages SET attachments = ?", (column,))

    filled.write(garble).result()
    assert kept(filled) == replace(ROW, attachments=())


def test_a_message_that_damage_garbled_does_not_hide_the_others(filled: Database) -> None:
    second = MessageRow("n", "chat", "assistant", "Hello.", NOON + 1, "m")
    filled.write(insert_messages, [second]).result()

    def garble(connection: sqlite3.Connection) -> None:
        connection.execute("UPDATE messages SET role = 'wizard' WHERE id = 'm'")

    filled.write(garble).result()
    assert filled.read(load_conversation, "chat").result()[1] == [second]


# ---- files that wait


def test_an_uploaded_file_is_kept_until_it_is_deleted(database: Database) -> None:
    for file in ATTACHED:
        database.write(keep_file, file, NOON).result()
        assert database.read(load_file, file.id).result() == file
    database.write(delete_file, "file-1").result()
    with pytest.raises(AttachedFileNotFound, match="Add it again"):
        database.read(load_file, "file-1").result()
    assert database.read(load_file, "file-2").result() == ATTACHED[1]


def test_old_files_are_purged_and_newer_ones_stay(database: Database) -> None:
    database.write(keep_file, ATTACHED[0], NOON).result()
    database.write(keep_file, ATTACHED[1], NOON + 10).result()
    assert database.write(purge_files, NOON + 5).result() == 1
    assert database.read(load_file, "file-2").result() == ATTACHED[1]
    with contextlib.suppress(AttachedFileNotFound):
        database.read(load_file, "file-1").result()
        pytest.fail("the old file is still there")
