"""The one seam where SQLite's exceptions become ours."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from qwenchat.errors import (
    StoreBusy,
    StoreDamaged,
    StoreError,
    StoreFull,
    StoreReadOnly,
)
from qwenchat.store.suspicion import suspect


def is_damage(error: sqlite3.Error) -> bool:
    """Whether SQLite says that rows, not only the search index, are not what it wrote."""
    damage = _code(error) in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
    return damage and not is_index_damage(error)


def is_index_damage(error: sqlite3.Error) -> bool:
    """Whether only the search index, which can be made anew, is not what it should be."""
    return getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_CORRUPT_VTAB


def store_error(error: sqlite3.Error, path: Path) -> StoreError:
    """What ``error`` means for the database at ``path``, and what to do about it."""
    match _code(error):
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return StoreBusy(
                f"Another program is using the database {path}. Close that program; what was "
                "to be saved can be tried again then."
            )
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_PERM | sqlite3.SQLITE_AUTH:
            return StoreReadOnly(
                f"The database {path} cannot be written, only read. Correct the permissions of "
                "the file and its folder; until then nothing new is saved."
            )
        case sqlite3.SQLITE_FULL:
            return StoreFull(
                f"There is no room left to save in {path}. Free some space on that disk; what "
                "was to be saved can be tried again then."
            )
        case sqlite3.SQLITE_CORRUPT | sqlite3.SQLITE_NOTADB:
            return StoreDamaged(
                f"The database {path} is damaged. Restart QwenChat: it keeps the damaged file "
                "aside, unchanged, and saves everything that can still be read."
            )
        case _:
            return StoreError(
                f"The database {path} could not be used: {error}. Check the disk and the "
                "permissions of the folder, then try again."
            )


def moved_away(path: Path) -> StoreReadOnly:
    """The database at ``path`` is no longer there, though it is open."""
    return StoreReadOnly(
        f"The database {path} was moved, replaced or deleted while QwenChat was using it. Put "
        "it back if you can, and restart QwenChat; until then nothing is saved."
    )


@contextlib.contextmanager
def sqlite_errors(path: Path) -> Iterator[None]:
    """Turn SQLite's exceptions about the database at ``path`` into ours.

    Wrong use of the library, which has no code, passes: it is an error of ours.
    """
    try:
        yield
    except sqlite3.Error as error:
        if _code(error) is None:
            raise
        ours = store_error(error, path)
        if isinstance(ours, StoreDamaged):
            suspect(path)
        raise ours from error


def _code(error: sqlite3.Error) -> int | None:
    """The primary result code."""
    extended: int | None = getattr(error, "sqlite_errorcode", None)
    return None if extended is None else extended & 0xFF
