"""Taking in conversations that were written elsewhere, each whole or not at all."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from qwenchat.store.conversations import (
    insert_conversation,
    known_conversations,
    purge_conversation,
)
from qwenchat.store.messages import insert_messages
from qwenchat.store.rows import ConversationRow, MessageRow
from qwenchat.store.tree import parents_first


def take_in(
    connection: sqlite3.Connection, row: ConversationRow, messages: Sequence[MessageRow]
) -> bool:
    """Keep a conversation with its messages, unless it is there already.

    It is there when one has its id, or was taken in with the same content. Message ids that
    other conversations have become new ones.

    Args:
        messages: A tree without circles, in any order.

    Returns:
        Whether it was kept.
    """
    ordered = parents_first(messages)
    digest = content_hash(ordered) if ordered else None
    if known_conversations(connection, [row.id], [digest] if digest else []):
        return False
    # One of that id that was deleted a moment ago makes room.
    purge_conversation(connection, row.id)
    if _any_taken(connection, ordered):
        row, ordered = _with_new_ids(row, ordered)
    insert_conversation(connection, row, digest)
    insert_messages(connection, ordered)
    return True


def keep_whole(
    connection: sqlite3.Connection, row: ConversationRow, messages: Sequence[MessageRow]
) -> None:
    """Keep a new conversation with its messages, parents before their children.

    Raises:
        InvalidRequest: An id is taken.
    """
    insert_conversation(connection, row)
    insert_messages(connection, messages)


def content_hash(ordered: Sequence[MessageRow]) -> str:
    """What the messages say and how they follow each other, whatever their ids and times.

    Args:
        ordered: Parents before children.
    """
    place = {row.id: index for index, row in enumerate(ordered)}
    digest = hashlib.sha256()
    for row in ordered:
        parent = None if row.parent_id is None else place[row.parent_id]
        said: list[Any] = [parent, row.role, row.content]
        # Only where there are any, so that what was taken in before is still recognised.
        said += [[one.name, one.text, one.first, one.last] for one in row.attachments]
        digest.update(json.dumps(said).encode())
    return digest.hexdigest()


def derived_id(*parts: str) -> str:
    """An id for what has none that could be used; the same for the same parts."""
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:24]


def _any_taken(connection: sqlite3.Connection, rows: Sequence[MessageRow]) -> bool:
    return any(
        connection.execute("SELECT 1 FROM messages WHERE id = ?", (row.id,)).fetchone()
        for row in rows
    )


def _with_new_ids(
    row: ConversationRow, messages: Sequence[MessageRow]
) -> tuple[ConversationRow, list[MessageRow]]:
    new = {message.id: derived_id(row.id, message.id) for message in messages}
    renamed = [
        replace(
            message,
            id=new[message.id],
            parent_id=None if message.parent_id is None else new[message.parent_id],
        )
        for message in messages
    ]
    return replace(row, leaf_id=new.get(row.leaf_id) if row.leaf_id else None), renamed
