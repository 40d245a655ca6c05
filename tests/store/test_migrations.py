"""Old databases open and keep everything; newer ones are left alone."""

from __future__ import annotations

import contextlib
import re
import sqlite3
from pathlib import Path

import pytest

from qwenchat.errors import StoreBusy, StoreError, StoreTooNew
from qwenchat.store.connections import connect_writer
from qwenchat.store.conversations import load_conversation
from qwenchat.store.listing import list_summaries
from qwenchat.store.migrations import MIGRATIONS, migrate, schema_version
from qwenchat.store.opening import open_store
from qwenchat.store.recovery import create_database
from qwenchat.store.search import search
from tests.store.old import FOLDER, dump_of
from tests.store.samples import keep

NAME = "conversations.sqlite3"
VERSIONS = range(1, len(MIGRATIONS) + 1)


def rows_of(path: Path) -> dict[str, list[tuple]]:
    """What people wrote, by the columns that every version has."""
    with contextlib.closing(sqlite3.connect(path)) as connection:
        return {
            table: connection.execute(f"SELECT {columns} FROM {table} ORDER BY id").fetchall()
            for table, columns in (
                ("conversations", "id, title, system_prompt, leaf_id, created_at, deleted_at"),
                ("messages", "id, conversation_id, parent_id, role, content, created_at"),
            )
        }


def old_database(version: int, folder: Path) -> Path:
    path = folder / NAME
    # Without newline translation: the texts in it have their own.
    script = dump_of(version).read_bytes().decode("utf-8")
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.executescript(script)
    return path


def test_every_version_has_a_database_here() -> None:
    names = {file.name for file in FOLDER.glob("*.sql")}
    assert names == {dump_of(version).name for version in VERSIONS}, (
        "run `python -m tests.store.old` for a new schema version, and never remove an old one"
    )


@pytest.mark.parametrize("version", VERSIONS)
def test_a_database_of_every_version_opens_and_keeps_all_rows(version: int, tmp_path: Path) -> None:
    path = old_database(version, tmp_path)
    before = rows_of(path)
    assert len(before["messages"]) >= 8
    opened = open_store(tmp_path)
    assert opened.recovery is None and opened.interrupted == 1
    assert (opened.backup is not None) == (version < len(MIGRATIONS))
    database = opened.database
    for item in database.read(list_summaries).result().items:
        database.read(load_conversation, item.id).result()
    assert database.read(search, "你").result().hits
    database.close()
    assert rows_of(path) == before


def schema_of(path: Path) -> dict[str, str]:
    with contextlib.closing(sqlite3.connect(path)) as connection:
        rows = connection.execute("SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL")
        return {name: re.sub(r"\s+", " ", sql) for name, sql in rows}


def test_a_migrated_database_has_the_schema_of_a_new_one(tmp_path: Path) -> None:
    for version in VERSIONS:
        folder = tmp_path / str(version)
        folder.mkdir()
        old_database(version, folder)
        open_store(folder).database.close()
        create_database(folder / "new.sqlite3")
        assert schema_of(folder / NAME) == schema_of(folder / "new.sqlite3")


@pytest.mark.parametrize("in_log", [False, True], ids=["in the file", "in its log"])
def test_a_newer_database_is_refused_and_stays_as_it_is(tmp_path: Path, in_log: bool) -> None:
    database = open_store(tmp_path).database
    keep(database, "c", "question")
    database.close()
    path = tmp_path / NAME
    newer = sqlite3.connect(path, isolation_level=None)
    newer.execute("CREATE TABLE from_the_future (x)")
    newer.execute("PRAGMA user_version = 99")
    if not in_log:
        newer.close()
    files = (path, path.with_name(NAME + "-wal"))
    before = [file.read_bytes() if file.exists() else b"" for file in files]
    with pytest.raises(StoreTooNew, match=r"format 99.*Nothing was changed"):
        open_store(tmp_path)
    assert [file.read_bytes() if file.exists() else b"" for file in files] == before
    newer.close()


def test_a_database_of_another_program_is_refused_and_stays_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / NAME
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE bookmarks (url)")
        connection.commit()
    before = path.read_bytes()
    with pytest.raises(StoreError, match="another program"):
        open_store(tmp_path)
    assert path.read_bytes() == before


def _add_a_column(connection: sqlite3.Connection) -> None:
    connection.execute("ALTER TABLE conversations ADD COLUMN colour TEXT DEFAULT 'blue'")


def _fail_half_way(connection: sqlite3.Connection) -> None:
    connection.execute("DELETE FROM messages")
    connection.execute("UPDATE nothing SET x = 1")


def _lose_a_parent(connection: sqlite3.Connection) -> None:
    connection.execute("DELETE FROM conversations")


def test_a_copy_is_made_before_the_schema_changes(tmp_path: Path) -> None:
    database = open_store(tmp_path).database
    keep(database, "c", "question", "answer")
    database.close()
    path = tmp_path / NAME
    before = rows_of(path)
    with contextlib.closing(connect_writer(path)) as connection:
        backup = migrate(connection, path, (*MIGRATIONS, _add_a_column))
        assert schema_version(connection) == len(MIGRATIONS) + 1
        assert connection.execute("PRAGMA foreign_keys").fetchone() == (1,)
        assert migrate(connection, path, (*MIGRATIONS, _add_a_column)) is None
    assert backup == tmp_path / f"conversations.before-v{len(MIGRATIONS) + 1}.sqlite3"
    assert rows_of(backup) == before == rows_of(path)
    with contextlib.closing(sqlite3.connect(backup)) as copy:
        assert schema_version(copy) == len(MIGRATIONS)
        assert copy.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert "colour" in schema_of(path)["conversations"]


@pytest.mark.parametrize("migration", [_fail_half_way, _lose_a_parent])
def test_a_migration_that_fails_changes_nothing(tmp_path: Path, migration) -> None:
    database = open_store(tmp_path).database
    keep(database, "c", "question", "answer")
    database.close()
    path = tmp_path / NAME
    before = rows_of(path)
    with contextlib.closing(connect_writer(path)) as connection:
        with pytest.raises((sqlite3.Error, StoreError)):
            migrate(connection, path, (*MIGRATIONS, migration))
        assert schema_version(connection) == len(MIGRATIONS)
    assert rows_of(path) == before
    assert not list(tmp_path.glob("*.part"))
    open_store(tmp_path).database.close()


def test_a_new_folder_gets_a_database_of_its_owner_only(tmp_path: Path) -> None:
    open_store(tmp_path).database.close()
    assert (tmp_path / NAME).stat().st_mode & 0o077 == 0
    assert [file.name for file in tmp_path.iterdir()] == [NAME]


def test_an_old_database_that_is_held_is_busy(tmp_path: Path) -> None:
    path = old_database(1, tmp_path)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    with pytest.raises(StoreBusy):
        open_store(tmp_path, busy_seconds=0.1)
    other.close()
