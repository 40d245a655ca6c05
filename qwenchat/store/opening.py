"""Opening the store: check, save from damage, bring up to date, tidy up."""

from __future__ import annotations

import contextlib
import sqlite3
from concurrent.futures import Future
from dataclasses import dataclass
from logging import getLogger
from pathlib import Path

from qwenchat.errors import DataFolderUnusable, StoreError
from qwenchat.store.connections import BUSY_SECONDS, DATABASE_NAME, connect_writer
from qwenchat.store.database import Database
from qwenchat.store.failures import sqlite_errors
from qwenchat.store.index import index_waiting, renew_index, reset_index
from qwenchat.store.messages import mark_interrupted
from qwenchat.store.migrations import migrate
from qwenchat.store.recovery import RecoveryReport, create_database, find_damage, recover
from qwenchat.store.suspicion import clear_suspicion, is_suspect

INDEXED_AT_ONCE = 20
"""Messages that are indexed in one go at a start, so that other writes come between."""

_log = getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Opened:
    """The open database and what was to be done first.

    Attributes:
        recovery: What became of a damaged one, to be shown; None when it was whole.
        backup: The copy that was made before the schema changed; None when it did not.
        interrupted: Messages that were growing when the app last ended.
    """

    database: Database
    recovery: RecoveryReport | None
    backup: Path | None
    interrupted: int


def open_store(folder: Path, busy_seconds: float = BUSY_SECONDS) -> Opened:
    """Open the database of conversations in ``folder``; made when there is none.

    Takes as long as reading the file, seconds when it is damaged: not for an event loop.
    Whatever is missing in the search index is added afterwards, in the background.

    Args:
        folder: Exists and is held by a ``DataFolderLock``.
        busy_seconds: How long to wait for another program that holds the database.

    Raises:
        StoreTooNew: A newer version wrote it; nothing was changed.
        StoreBusy: Another program holds it.
        StoreReadOnly: Its schema is old and it cannot be written.
        StoreFull: There is no room to bring it up to date or to save what is readable.
        StoreError: It is a database of another program, or the disk fails.
        DataFolderUnusable: The files cannot be read or made.
    """
    path = folder / DATABASE_NAME
    try:
        with sqlite_errors(path):
            recovery = _make_whole(path, busy_seconds)
            backup = _bring_up_to_date(path, busy_seconds)
    except OSError as error:
        raise DataFolderUnusable(
            f"The conversations in {folder} cannot be opened: {error.strerror or error}. Correct "
            "the folder's permissions or make room, or choose another one with --data-dir.",
            param="data_dir",
        ) from error
    database = Database(path, busy_seconds)
    interrupted = 0
    # A database that cannot be written now can still be read.
    with contextlib.suppress(StoreError):
        interrupted = database.write(mark_interrupted).result()
    _index_the_rest(database)
    return Opened(database, recovery, backup, interrupted)


def _make_whole(path: Path, busy_seconds: float) -> RecoveryReport | None:
    log = path.with_name(path.name + "-wal")
    if not path.exists():
        if not (log.exists() and log.stat().st_size):
            create_database(path)
            return None
        # Its newest part is left; an empty file makes it a damaged database.
        path.touch()
    suspected = is_suspect(path)
    problem = find_damage(path, suspected, busy_seconds)
    report = recover(path, problem) if problem else None
    if suspected and not report:
        _renew_index(path, busy_seconds)
    clear_suspicion(path)
    return report


def _bring_up_to_date(path: Path, busy_seconds: float) -> Path | None:
    with contextlib.closing(connect_writer(path, busy_seconds)) as connection:
        return migrate(connection, path)


def _renew_index(path: Path, busy_seconds: float) -> None:
    with contextlib.closing(connect_writer(path, busy_seconds)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        reset_index(connection)
        connection.execute("COMMIT")


def _index_the_rest(database: Database) -> None:
    """Index what is not, a few messages at a time, until nothing is left."""

    def look(done: Future[int]) -> None:
        if (error := done.exception()) is not None:
            _log.warning("The search index was not completed: %s", error)
        elif done.result():
            go_on()

    def go_on() -> None:
        # Closed meanwhile: the next start goes on.
        with contextlib.suppress(StoreError):
            database.write(_index_some).add_done_callback(look)

    go_on()


def _index_some(connection: sqlite3.Connection) -> int:
    renew_index(connection)
    return index_waiting(connection, INDEXED_AT_ONCE)
