"""Reading everything there is, a little at a time, so that memory stays flat."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator, Sequence

from qwenchat.errors import ConversationNotFound
from qwenchat.store.columns import MESSAGE_COLUMNS, messages_from
from qwenchat.store.conversations import load_settings
from qwenchat.store.database import Database
from qwenchat.store.rows import ConversationRow, MessageRow

MESSAGES_AT_ONCE = 200


def stream_conversations(
    database: Database, ids: Sequence[str] | None = None
) -> Iterator[tuple[ConversationRow, Iterator[MessageRow]]]:
    """Conversations and their messages, oldest first; use each one's before the next.

    Blocks while it reads, in short reads with room for others between them: not for an
    event loop.

    Args:
        ids: Which ones; None is all. What is deleted meanwhile is left out.

    Raises:
        StoreError: The database cannot be read.
    """
    for conversation_id in database.read(_all_ids).result() if ids is None else ids:
        with contextlib.suppress(ConversationNotFound):
            row = database.read(load_settings, conversation_id).result()
            yield row, _messages(database, conversation_id)


def _messages(database: Database, conversation_id: str) -> Iterator[MessageRow]:
    # All numbers at once cost little and are sorted but once.
    numbers = database.read(_numbers, conversation_id).result()
    for start in range(0, len(numbers), MESSAGES_AT_ONCE):
        yield from database.read(_some, numbers[start : start + MESSAGES_AT_ONCE]).result()


def _all_ids(connection: sqlite3.Connection) -> list[str]:
    found = connection.execute(
        "SELECT id FROM conversations WHERE deleted_at IS NULL ORDER BY created_at, number"
    )
    return [key for (key,) in found]


def _numbers(connection: sqlite3.Connection, conversation_id: str) -> list[int]:
    found = connection.execute(
        "SELECT number FROM messages WHERE conversation_id = ? ORDER BY number", (conversation_id,)
    )
    return [number for (number,) in found]


def _some(connection: sqlite3.Connection, numbers: Sequence[int]) -> list[MessageRow]:
    found = connection.execute(
        f"SELECT {', '.join(MESSAGE_COLUMNS)} FROM messages "
        f"WHERE number IN ({', '.join('?' * len(numbers))}) ORDER BY number",
        numbers,
    )
    return messages_from(found)
