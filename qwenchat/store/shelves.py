"""Jobs about what the person keeps beside conversations: personas and presets, one JSON each."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any, Literal

Shelf = Literal["personas", "presets"]
"""The table."""
SHELVES: tuple[Shelf, ...] = ("personas", "presets")
SHELF_COLUMNS = 4


def list_kept(connection: sqlite3.Connection, shelf: Shelf) -> list[tuple[str, dict[str, Any]]]:
    """Ids and values of what is not deleted, oldest first; what cannot be read is left out."""
    rows = connection.execute(
        f"SELECT id, value FROM {shelf} WHERE deleted_at IS NULL ORDER BY number"
    )
    return [(key, found) for key, value in rows if (found := object_of(value)) is not None]


def keep(
    connection: sqlite3.Connection, shelf: Shelf, items: Sequence[tuple[str, Mapping[str, Any]]]
) -> None:
    """Keep new values by id, and other values in place of those of the same id."""
    connection.executemany(
        f"INSERT INTO {shelf} (id, value) VALUES (?, ?) "
        "ON CONFLICT (id) DO UPDATE SET value = excluded.value, deleted_at = NULL",
        # As ASCII, so that no text inside can be unstorable.
        [(key, json.dumps(dict(value), allow_nan=False)) for key, value in items],
    )


def mark_deleted(
    connection: sqlite3.Connection, shelf: Shelf, key: str, deleted_at: float | None
) -> None:
    """Delete what has this id so that it can be restored, or restore it with None.

    Args:
        deleted_at: Seconds since 1970.
    """
    connection.execute(f"UPDATE {shelf} SET deleted_at = ? WHERE id = ?", (deleted_at, key))


def purge_kept(connection: sqlite3.Connection, shelf: Shelf, older_than: float) -> None:
    """Remove for good what was deleted before ``older_than``, in seconds since 1970."""
    connection.execute(f"DELETE FROM {shelf} WHERE deleted_at < ?", (older_than,))


def object_of(text: Any) -> dict[str, Any] | None:
    """The JSON object in a column, if there is one."""
    try:
        value = json.loads(text)
    except (TypeError, ValueError):
        return None
    return value if isinstance(value, dict) else None
