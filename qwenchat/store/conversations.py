"""Jobs about conversations: keep, change, delete with a way back, load."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from qwenchat.errors import ConversationNotFound, InvalidRequest
from qwenchat.store.columns import (
    CONVERSATION_COLUMNS,
    MESSAGE_COLUMNS,
    conversation_from,
    conversation_values,
    messages_from,
    values_of,
)
from qwenchat.store.index import index_title, unindex_message, unindex_title
from qwenchat.store.rows import ConversationChanges, ConversationRow, MessageRow

_CONVERSATION = ", ".join(CONVERSATION_COLUMNS)
_MESSAGE = ", ".join(MESSAGE_COLUMNS)


def insert_conversation(
    connection: sqlite3.Connection, row: ConversationRow, content_hash: str | None = None
) -> None:
    """Keep a new conversation.

    Args:
        content_hash: Of an imported one, so that it is recognised under another id.

    Raises:
        InvalidRequest: The id is taken.
    """
    marks = ", ".join("?" * (len(CONVERSATION_COLUMNS) + 1))
    try:
        connection.execute(
            f"INSERT INTO conversations ({_CONVERSATION}, content_hash) VALUES ({marks})",
            [*conversation_values(row), content_hash],
        )
    except sqlite3.IntegrityError:
        raise InvalidRequest("There is a conversation of this id already.", param="id") from None
    index_title(connection, *_number_and_title(connection, row.id))


def update_conversation(
    connection: sqlite3.Connection, conversation_id: str, changes: ConversationChanges
) -> None:
    """Change what is named in ``changes`` and nothing else.

    Raises:
        ConversationNotFound: There is none of that id, or it is deleted.
    """
    number, title = _number_and_title(connection, conversation_id)
    columns = values_of(changes)
    if not columns:
        return
    assignments = ", ".join(f"{name} = ?" for name in columns)
    connection.execute(
        f"UPDATE conversations SET {assignments} WHERE number = ?", [*columns.values(), number]
    )
    if columns.get("title", title) != title:
        unindex_title(connection, number, title)
        index_title(connection, number, columns["title"])


def rename_conversation(connection: sqlite3.Connection, conversation_id: str, title: str) -> None:
    """Give a conversation the title that the person wants; nothing else renames it then.

    Raises:
        ConversationNotFound: There is none of that id, or it is deleted.
    """
    update_conversation(connection, conversation_id, {"title": title, "title_is_own": True})


def pin_conversation(connection: sqlite3.Connection, conversation_id: str, pinned: bool) -> None:
    """Keep a conversation on top of the list, or no longer.

    Raises:
        ConversationNotFound: There is none of that id, or it is deleted.
    """
    update_conversation(connection, conversation_id, {"pinned": pinned})


def delete_conversation(
    connection: sqlite3.Connection, conversation_id: str, deleted_at: float
) -> None:
    """Delete a conversation so that it can still be restored.

    Args:
        deleted_at: Seconds since 1970.

    Raises:
        ConversationNotFound: There is none of that id, or it is deleted already.
    """
    number, _ = _number_and_title(connection, conversation_id)
    connection.execute(
        "UPDATE conversations SET deleted_at = ? WHERE number = ?", (deleted_at, number)
    )


def restore_conversation(connection: sqlite3.Connection, conversation_id: str) -> None:
    """Undo the deletion of a conversation; one that is not deleted stays as it is.

    Raises:
        ConversationNotFound: It is gone for good.
    """
    restored = connection.execute(
        "UPDATE conversations SET deleted_at = NULL WHERE id = ?", (conversation_id,)
    )
    if not restored.rowcount:
        raise _not_found()


def purge_deleted(connection: sqlite3.Connection, older_than: float) -> int:
    """Remove for good what was deleted before ``older_than``; returns how many.

    Args:
        older_than: Seconds since 1970.
    """
    deleted = connection.execute(
        "SELECT id FROM conversations WHERE deleted_at < ?", (older_than,)
    ).fetchall()
    for (conversation_id,) in deleted:
        purge_conversation(connection, conversation_id)
    return len(deleted)


def purge_conversation(connection: sqlite3.Connection, conversation_id: str) -> None:
    """Remove a deleted conversation for good; nothing happens when there is none."""
    found = connection.execute(
        "SELECT number, title FROM conversations WHERE id = ? AND deleted_at IS NOT NULL",
        (conversation_id,),
    ).fetchone()
    if found is None:
        return
    messages = connection.execute(
        "SELECT number FROM messages WHERE conversation_id = ?", (conversation_id,)
    ).fetchall()
    for (number,) in messages:
        unindex_message(connection, number)
    # In one statement, so that parents and children go at once.
    connection.execute("DELETE FROM messages WHERE conversation_id = ?", (conversation_id,))
    number, title = found
    unindex_title(connection, number, title)
    connection.execute("DELETE FROM conversations WHERE number = ?", (number,))


def load_conversation(
    connection: sqlite3.Connection, conversation_id: str
) -> tuple[ConversationRow, list[MessageRow]]:
    """A conversation and all its messages, oldest first.

    Raises:
        ConversationNotFound: There is none of that id, or it is deleted.
    """
    row = load_settings(connection, conversation_id)
    messages = connection.execute(
        f"SELECT {_MESSAGE} FROM messages WHERE conversation_id = ? ORDER BY number",
        (conversation_id,),
    )
    return row, messages_from(messages)


def load_settings(connection: sqlite3.Connection, conversation_id: str) -> ConversationRow:
    """A conversation without its messages.

    Raises:
        ConversationNotFound: There is none of that id, or it is deleted.
    """
    values = connection.execute(
        f"SELECT {_CONVERSATION} FROM conversations WHERE id = ? AND deleted_at IS NULL",
        (conversation_id,),
    ).fetchone()
    if values is None:
        raise _not_found()
    return conversation_from(values)


def known_conversations(
    connection: sqlite3.Connection, ids: Sequence[str], content_hashes: Sequence[str]
) -> set[str]:
    """Those of ``ids`` and ``content_hashes`` that belong to a conversation that is there."""
    found: set[str] = set()
    for column, values in (("id", ids), ("content_hash", content_hashes)):
        marks = ", ".join("?" * len(values))
        found |= {
            value
            for (value,) in connection.execute(
                f"SELECT {column} FROM conversations "
                f"WHERE {column} IN ({marks}) AND deleted_at IS NULL",
                values,
            )
        }
    return found


def _number_and_title(connection: sqlite3.Connection, conversation_id: str) -> tuple[int, str]:
    found = connection.execute(
        "SELECT number, title FROM conversations WHERE id = ? AND deleted_at IS NULL",
        (conversation_id,),
    ).fetchone()
    if found is None:
        raise _not_found()
    number, title = found
    return number, title


def _not_found() -> ConversationNotFound:
    return ConversationNotFound(
        "This conversation does not exist, or was deleted. Choose another one from the list, "
        "or start a new chat."
    )
