"""How a connection to the database is set up."""

from __future__ import annotations

import sqlite3
from pathlib import Path

DATABASE_NAME = "conversations.sqlite3"
BUSY_SECONDS = 5.0
"""How long a statement waits for another program that holds the database."""

_JOURNAL_BYTES = 16 << 20


def connect_writer(path: Path, busy_seconds: float = BUSY_SECONDS) -> sqlite3.Connection:
    """A connection that reads and writes an existing database; transactions are explicit.

    Raises:
        sqlite3.Error: It cannot be opened, or is no database.
    """
    connection = _connect(path, "rw", busy_seconds)
    try:
        # So that reading never waits for writing; stays set in the file.
        connection.execute("PRAGMA journal_mode = WAL")
        # In WAL mode this loses nothing when a process is killed, only the last moments
        # when the power fails, and never harms the file. FULL would wait for the disk at
        # each of the four writes a second of a growing reply.
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA foreign_keys = ON")
        # What was deleted is overwritten: it is private, and rows that are read from a
        # damaged file's pages are rows that were there.
        connection.execute("PRAGMA secure_delete = ON")
        connection.execute(f"PRAGMA journal_size_limit = {_JOURNAL_BYTES}")
    except BaseException:
        connection.close()
        raise
    return connection


def connect_reader(path: Path, busy_seconds: float = BUSY_SECONDS) -> sqlite3.Connection:
    """A connection that cannot change anything, not even by cleaning up when it is closed.

    Raises:
        sqlite3.Error: It cannot be opened.
    """
    return _connect(path, "ro", busy_seconds)


def _connect(path: Path, mode: str, busy_seconds: float) -> sqlite3.Connection:
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode={mode}",
        uri=True,
        timeout=busy_seconds,
        isolation_level=None,
    )
    # One garbled text must not hide the rest of its conversation.
    connection.text_factory = lambda data: data.decode("utf-8", "replace")
    return connection
