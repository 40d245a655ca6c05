"""Personas and presets in the database: kept, changed, deleted for a while, saved from damage."""

from __future__ import annotations

from pathlib import Path

import pytest

from qwenchat.store.connections import DATABASE_NAME
from qwenchat.store.conversations import insert_conversation, load_settings
from qwenchat.store.database import Database
from qwenchat.store.opening import open_store
from qwenchat.store.rows import ConversationRow
from qwenchat.store.shelves import (
    SHELVES,
    Shelf,
    keep,
    list_kept,
    mark_deleted,
    purge_kept,
)
from tests.store.samples import NOON
from tests.store.samples import keep as keep_conversation

VALUE = {
    "name": "船长 \U0001f6a2",
    "system_prompt": "a\n\tb \u2028 \ud800 \0",
    "sampling": {"top_k": 3},
}


def kept(database: Database, shelf: Shelf) -> list[tuple[str, dict]]:
    return database.read(list_kept, shelf).result()


@pytest.mark.parametrize("shelf", SHELVES)
def test_what_is_kept_is_there_as_it_was_in_its_order(database: Database, shelf: Shelf) -> None:
    database.write(keep, shelf, [("b", VALUE), ("a", {"name": "second"})]).result()
    database.write(keep, shelf, [("b", VALUE | {"name": "other"})]).result()
    assert kept(database, shelf) == [("b", VALUE | {"name": "other"}), ("a", {"name": "second"})]
    other: Shelf = "presets" if shelf == "personas" else "personas"
    assert kept(database, other) == []


def test_what_is_deleted_comes_back_in_its_place_until_it_is_purged(database: Database) -> None:
    items = [(key, {"name": key}) for key in "abc"]
    database.write(keep, "personas", items).result()
    database.write(mark_deleted, "personas", "a", NOON).result()
    assert [key for key, _ in kept(database, "personas")] == ["b", "c"]
    database.write(purge_kept, "personas", NOON).result()  # not older than that
    database.write(mark_deleted, "personas", "a", None).result()
    assert kept(database, "personas") == items
    database.write(mark_deleted, "personas", "a", NOON).result()
    database.write(purge_kept, "personas", NOON + 1).result()
    database.write(mark_deleted, "personas", "a", None).result()
    assert [key for key, _ in kept(database, "personas")] == ["b", "c"]


def test_a_value_that_is_no_object_is_left_out(database: Database) -> None:
    database.write(keep, "presets", [("good", {"name": "x"}), ("bad", {})]).result()
    for nonsense in ("{", "[1]", "null"):
        database.write(
            lambda connection, text: connection.execute(
                "UPDATE presets SET value = ? WHERE id = 'bad'", (text,)
            ),
            nonsense,
        ).result()
        assert kept(database, "presets") == [("good", {"name": "x"})]


def test_a_conversation_remembers_its_persona_and_language(database: Database) -> None:
    row = ConversationRow("c", "t", NOON, NOON, persona="guide", reply_language="zh")
    database.write(insert_conversation, row).result()
    assert database.read(load_settings, "c").result() == row
    database.write(
        lambda connection: connection.execute("UPDATE conversations SET reply_language = 'tlh'")
    ).result()
    assert database.read(load_settings, "c").result().reply_language == "auto"


@pytest.mark.parametrize("how", ["by sqlite", "from pages"])
def test_personas_are_saved_from_a_damaged_database(tmp_path: Path, how: str) -> None:
    database = open_store(tmp_path).database
    value = {"name": "Captain", "system_prompt": "Sail.", "sampling": {}}
    database.write(keep, "personas", [("p", value), ("gone", value)]).result()
    database.write(mark_deleted, "personas", "gone", NOON).result()
    database.write(keep, "presets", [("s", {"name": "Mine", "sampling": {"top_k": 3}})]).result()
    keep_conversation(database, "c", *["text " * 400 for _ in range(40)])
    database.close()
    path = tmp_path / DATABASE_NAME
    content = bytearray(path.read_bytes())
    if how == "from pages":
        content[100:4096] = bytes(3996)  # the schema: no table can be found any more
    else:
        at = content.rindex(b"text text")
        page = at // 4096 * 4096
        content[page : page + 8] = b"\xff" * 8
    path.write_bytes(content)
    opened = open_store(tmp_path)
    assert opened.recovery is not None
    assert kept(opened.database, "personas") == [("p", value)]
    assert kept(opened.database, "presets") == [("s", {"name": "Mine", "sampling": {"top_k": 3}})]
    opened.database.close()
