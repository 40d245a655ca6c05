"""The schema, and how a database of any earlier version gets to it.

A migration that was ever released never changes again: a new one follows it, and
``tests/store/old`` gets a database of its version.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path

from qwenchat.errors import StoreError, StoreTooNew
from qwenchat.store.files import copy_database

APPLICATION_ID = 0x51436861
"""``QCha`` in the file's header: it is a database of QwenChat's."""

Migration = Callable[[sqlite3.Connection], None]


def _conversations_messages_and_search(connection: sqlite3.Connection) -> None:
    for statement in (
        f"PRAGMA application_id = {APPLICATION_ID}",
        # `number` is the row's place in the search index. What can be long comes last, so
        # that whatever reads the other columns need not follow it.
        """
        CREATE TABLE conversations (
            number INTEGER PRIMARY KEY,
            id TEXT NOT NULL UNIQUE,
            title TEXT NOT NULL,
            title_is_own INTEGER NOT NULL,
            created_at REAL NOT NULL,
            updated_at REAL NOT NULL,
            pinned INTEGER NOT NULL,
            leaf_id TEXT,
            model TEXT,
            thinking TEXT,
            sampling TEXT NOT NULL,
            deleted_at REAL,
            content_hash TEXT,
            system_prompt TEXT NOT NULL
        )
        """,
        """
        CREATE INDEX conversations_listed
        ON conversations (pinned DESC, updated_at DESC, id DESC, title)
        WHERE deleted_at IS NULL
        """,
        """
        CREATE INDEX conversations_by_hash ON conversations (content_hash)
        WHERE content_hash IS NOT NULL
        """,
        # `number` is the time in milliseconds, moved on while it is taken: the search index
        # returns the newest first without sorting. The parent must be of the same
        # conversation. `indexed_length` characters of the text are in the search index.
        """
        CREATE TABLE messages (
            number INTEGER PRIMARY KEY,
            id TEXT NOT NULL UNIQUE,
            conversation_id TEXT NOT NULL REFERENCES conversations (id),
            parent_id TEXT,
            role TEXT NOT NULL,
            state TEXT NOT NULL,
            created_at REAL NOT NULL,
            finish_reason TEXT,
            error_code TEXT,
            error_message TEXT,
            usage TEXT,
            timings TEXT,
            model TEXT,
            sampling TEXT,
            extra TEXT NOT NULL,
            indexed_length INTEGER,
            content TEXT NOT NULL,
            UNIQUE (conversation_id, id),
            FOREIGN KEY (conversation_id, parent_id) REFERENCES messages (conversation_id, id)
        )
        """,
        "CREATE INDEX messages_children ON messages (conversation_id, parent_id)",
        "CREATE INDEX messages_streaming ON messages (state) WHERE state = 'streaming'",
        "CREATE INDEX messages_unindexed ON messages (state) WHERE indexed_length IS NULL",
        "CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
        # Without the texts themselves, which are in the other tables, and without positions,
        # which are found in them. Words come separated by spaces (qwenchat.store.words), so
        # the plainest tokenizer does.
        *(
            f"""
            CREATE VIRTUAL TABLE {table} USING fts5 (
                words, content = '', detail = none, columnsize = 0, prefix = '1 3',
                tokenize = 'ascii'
            )
            """
            for table in ("title_words", "message_words")
        ),
    ):
        connection.execute(statement)


def _thoughts(connection: sqlite3.Connection) -> None:
    connection.execute("ALTER TABLE messages ADD COLUMN thoughts TEXT NOT NULL DEFAULT ''")
    connection.execute("ALTER TABLE conversations ADD COLUMN thinking_budget INTEGER")


def _files(connection: sqlite3.Connection) -> None:
    # Texts of files that wait to be sent, for a day; of those that were, the message has a
    # copy.
    connection.execute(
        """
        CREATE TABLE files (
            id TEXT PRIMARY KEY,
            uploaded_at REAL NOT NULL,
            file TEXT NOT NULL
        )
        """
    )
    connection.execute("ALTER TABLE messages ADD COLUMN attachments TEXT")


def _personas_and_presets(connection: sqlite3.Connection) -> None:
    for statement in (
        "ALTER TABLE conversations ADD COLUMN persona TEXT",
        "ALTER TABLE conversations ADD COLUMN reply_language TEXT NOT NULL DEFAULT 'auto'",
        # `value` is JSON: both are read and written only as wholes.
        *(
            f"""
            CREATE TABLE {table} (
                number INTEGER PRIMARY KEY,
                id TEXT NOT NULL UNIQUE,
                deleted_at REAL,
                value TEXT NOT NULL
            )
            """
            for table in ("personas", "presets")
        ),
    ):
        connection.execute(statement)


MIGRATIONS: tuple[Migration, ...] = (
    _conversations_messages_and_search,
    _thoughts,
    _personas_and_presets,
    _files,
)


def schema_version(connection: sqlite3.Connection) -> int:
    """How many migrations the database has had; 0 for an empty one.

    Raises:
        StoreError: It is a database of another program.
        sqlite3.Error: It cannot be read.
    """
    version = int(connection.execute("PRAGMA user_version").fetchone()[0])
    application = int(connection.execute("PRAGMA application_id").fetchone()[0])
    tables = int(connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0])
    if application != APPLICATION_ID and (tables or version):
        raise StoreError(
            "The file conversations.sqlite3 in the data folder is a database of another "
            "program. Move it away, or choose another folder with --data-dir."
        )
    return version


def check_version(version: int, path: Path, known: int = len(MIGRATIONS)) -> None:
    """Refuse a schema from the future.

    Raises:
        StoreTooNew: ``version`` is not known yet.
    """
    if version > known:
        raise StoreTooNew(
            f"The conversations in {path} were saved by a newer version of QwenChat (format "
            f"{version}; this one knows {known}). Nothing was changed. Update QwenChat, or "
            "choose another folder with --data-dir."
        )


def migrate(
    connection: sqlite3.Connection, path: Path, migrations: Sequence[Migration] = MIGRATIONS
) -> Path | None:
    """Bring the database at ``path`` to the current schema, each step whole or not at all.

    Returns:
        The backup copy that was made before; None where nothing was to be kept or done.

    Raises:
        StoreError: It is a database of another program.
        StoreTooNew: It is newer than ``migrations``.
        sqlite3.Error: A step failed; the database is as before that step.
        OSError: The backup copy could not be made; nothing was changed.
    """
    version = schema_version(connection)
    check_version(version, path, len(migrations))
    if version == len(migrations):
        return None
    backup = None
    if version > 0:
        backup = path.with_name(f"{path.stem}.before-v{len(migrations)}{path.suffix}")
        copy_database(connection, backup)
    # Some changes of a table are made by building it anew, which must not delete the rows
    # that refer to it. Only outside a transaction can this be set.
    connection.execute("PRAGMA foreign_keys = OFF")
    try:
        for number, migration in enumerate(migrations[version:], start=version + 1):
            _apply(connection, migration, number)
    finally:
        connection.execute("PRAGMA foreign_keys = ON")
    return backup


def _apply(connection: sqlite3.Connection, migration: Migration, number: int) -> None:
    connection.execute("BEGIN IMMEDIATE")
    try:
        migration(connection)
        connection.execute(f"PRAGMA user_version = {number}")
        broken = connection.execute("PRAGMA foreign_key_check").fetchone()
        if broken is not None:
            raise StoreError(
                f"The conversations could not be brought to format {number}: a row of "
                f"{broken[0]} would lose what it belongs to. Nothing was changed. Report this."
            )
        connection.execute("COMMIT")
    except BaseException:
        with contextlib.suppress(sqlite3.Error):
            connection.execute("ROLLBACK")
        raise
