"""Reading what can still be read from a damaged database, without changing it.

First by SQLite, from both ends of each table up to where it stumbles; then, for what lies
between or cannot be reached at all, straight from the file's pages.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from qwenchat.store.columns import (
    CONVERSATION_COLUMNS,
    MESSAGE_COLUMNS,
    conversation_from,
    message_from,
    storable,
)
from qwenchat.store.connections import connect_reader
from qwenchat.store.pages import Record, read_records
from qwenchat.store.rows import STORED_ROLES, ConversationRow, MessageRow
from qwenchat.store.shelves import SHELF_COLUMNS, SHELVES, Shelf, object_of


@dataclass(slots=True)
class Salvaged:
    """What could be read, by id.

    Attributes:
        shelves: What was kept beside conversations, by shelf and id.
        deleted: Conversations that the person had deleted; they are not kept.
        lost_conversations: Ids that an index still tells of, without their rows.
        lost_messages: Likewise, and messages that an answer refers to.
    """

    conversations: dict[str, ConversationRow] = field(default_factory=dict)
    messages: dict[str, MessageRow] = field(default_factory=dict)
    shelves: dict[Shelf, dict[str, dict[str, Any]]] = field(
        default_factory=lambda: {shelf: {} for shelf in SHELVES}
    )
    deleted: set[str] = field(default_factory=set)
    lost_conversations: set[str] = field(default_factory=set)
    lost_messages: set[str] = field(default_factory=set)


def salvage(path: Path, tables: dict[str, list[str]]) -> Salvaged:
    """Every row of the database at ``path`` that can be read.

    Args:
        tables: The columns of each table, in their order in the file.

    Raises:
        OSError: The file itself cannot be read.
    """
    found = Salvaged()
    # For SQLite an empty file has no log, and it would delete the one there is.
    empty = path.stat().st_size == 0
    if empty or not _read_by_sqlite(path, found):
        _read_from_pages(path, tables, found)
    referred = {row.parent_id for row in found.messages.values() if row.parent_id is not None}
    found.lost_messages |= referred
    found.lost_messages -= found.messages.keys()
    homes = {row.conversation_id for row in found.messages.values()}
    found.lost_conversations |= homes
    found.lost_conversations -= found.conversations.keys() | found.deleted
    for key in [k for k, row in found.messages.items() if row.conversation_id in found.deleted]:
        del found.messages[key]
    return found


def _read_by_sqlite(path: Path, found: Salvaged) -> bool:
    """Whether both tables could be read from one end to the other."""
    try:
        connection = connect_reader(path)
    except sqlite3.Error:
        return False
    with contextlib.closing(connection):
        columns = ", ".join((*CONVERSATION_COLUMNS, "deleted_at"))
        conversations, all_conversations = _read_table(connection, "conversations", columns)
        for values in conversations:
            _keep_conversation(found, values[:-1], values[-1])
        messages, all_messages = _read_table(connection, "messages", ", ".join(MESSAGE_COLUMNS))
        for values in messages:
            _keep_message(found, values)
        for shelf in SHELVES:
            for key, deleted_at, text in _read_table(connection, shelf, "id, deleted_at, value")[0]:
                _keep_on_shelf(found, shelf, key, deleted_at, text)
        found.lost_conversations |= _ids(connection, "conversations")
        found.lost_messages |= _ids(connection, "messages")
    return all_conversations and all_messages


def _read_table(
    connection: sqlite3.Connection, table: str, columns: str
) -> tuple[list[Sequence[Any]], bool]:
    rows: list[Sequence[Any]] = []
    for direction in ("ASC", "DESC"):
        try:
            for values in connection.execute(
                f"SELECT {columns} FROM {table} NOT INDEXED ORDER BY number {direction}"
            ):
                rows.append(values)
            return rows, True
        except sqlite3.Error:
            continue
    return rows, False


def _ids(connection: sqlite3.Connection, table: str) -> set[str]:
    """The ids that the index of a table tells of, as far as it can be read."""
    ids: set[str] = set()
    with contextlib.suppress(sqlite3.Error):
        for (key,) in connection.execute(
            f"SELECT id FROM {table} INDEXED BY sqlite_autoindex_{table}_1"
        ):
            if isinstance(key, str):
                ids.add(key)
    return ids


def _read_from_pages(path: Path, tables: dict[str, list[str]], found: Salvaged) -> None:
    for record in read_records(path):
        conversation = _named(record, tables["conversations"])
        message = _named(record, tables["messages"])
        if message.get("role") in STORED_ROLES and "content" in message:
            _keep_message(found, [message[name] for name in MESSAGE_COLUMNS], record.whole)
        elif conversation.get("pinned") in (0, 1) and conversation.get("title_is_own") in (0, 1):
            values = [conversation[name] for name in CONVERSATION_COLUMNS]
            _keep_conversation(found, values, conversation["deleted_at"])
        elif len(record.values) == SHELF_COLUMNS:
            _, key, deleted_at, text = record.values
            shelf: Shelf = "personas" if '"system_prompt"' in str(text) else "presets"
            _keep_on_shelf(found, shelf, key, deleted_at, text)


def _named(record: Record, columns: list[str]) -> dict[str, Any]:
    """The record's values by column; nothing when it cannot be a row of that table."""
    if not 8 <= len(record.values) <= len(columns):
        return {}
    # A row from before a column was added ends earlier.
    missing = [None] * (len(columns) - len(record.values))
    return dict(zip(columns, [*record.values, *missing], strict=True))


def _keep_conversation(found: Salvaged, values: Sequence[Any], deleted_at: Any) -> None:
    with contextlib.suppress(ValueError):
        row = conversation_from(_storable(values))
        if deleted_at is not None:
            found.deleted.add(row.id)
        elif row.id not in found.deleted:
            found.conversations.setdefault(row.id, row)


def _keep_message(found: Salvaged, values: Sequence[Any], whole: bool = True) -> None:
    with contextlib.suppress(ValueError):
        row = message_from(_storable(values))
        if not whole or row.state == "streaming":
            row = replace(row, state="interrupted")
        found.messages.setdefault(row.id, row)


def _keep_on_shelf(found: Salvaged, shelf: Shelf, key: Any, deleted_at: Any, text: Any) -> None:
    value = object_of(text)
    if isinstance(key, str) and deleted_at is None and value and "name" in value:
        found.shelves[shelf].setdefault(storable(key), value)


def _storable(values: Sequence[Any]) -> list[Any]:
    """The values as they will be stored, so that garbled ids still fit each other."""
    return [storable(value) if isinstance(value, str) else value for value in values]
