"""Jobs about messages: keep, grow, finish, edit, delete."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Sequence
from typing import Literal

from qwenchat.errors import ConversationNotFound, InvalidRequest, MessageNotFound
from qwenchat.store.columns import MESSAGE_COLUMNS, message_values, storable, values_of
from qwenchat.store.conversations import update_conversation
from qwenchat.store.index import index_message, unindex_message
from qwenchat.store.rows import ConversationChanges, MessageChanges, MessageRow
from qwenchat.types import MessageState

MAX_NUMBER = 2**53
"""Milliseconds since 1970; the clock of a message may be wrong."""

_INSERT = (
    f"INSERT INTO messages (number, {', '.join(MESSAGE_COLUMNS)}) "
    f"VALUES ({', '.join('?' * (len(MESSAGE_COLUMNS) + 1))})"
)


def insert_messages(
    connection: sqlite3.Connection,
    rows: Sequence[MessageRow],
    changes: ConversationChanges | None = None,
) -> None:
    """Keep new messages of one conversation, parents before their children.

    Args:
        changes: Of the conversation, made along with it, as the leaf that is shown now.

    Raises:
        ConversationNotFound: Their conversation does not exist, or is deleted.
        MessageNotFound: The parent of one is no message of its conversation.
        InvalidRequest: An id is taken.
    """
    last = -1
    for row in rows:
        _check_place(connection, row)
        last = _free_number(connection, row.created_at, last)
        try:
            connection.execute(_INSERT, [last, *message_values(row)])
        except sqlite3.IntegrityError:
            raise InvalidRequest("There is a message of this id already.", param="id") from None
        if row.state != "streaming":
            index_message(connection, last)
    if changes and rows:
        update_conversation(connection, rows[0].conversation_id, changes)


def append_text(
    connection: sqlite3.Connection,
    message_id: str,
    from_length: int,
    text: str,
    part: Literal["content", "thoughts"] = "content",
) -> int:
    """Let a growing message grow by ``text``, if it is ``from_length`` characters long.

    Otherwise nothing changes, so the same call twice has the effect of one.

    Args:
        part: What of it grows, and is meant by its length.

    Returns:
        How many characters it has now; go on from there.

    Raises:
        MessageNotFound: No message has this id.
    """
    connection.execute(
        f"UPDATE messages SET {part} = {part} || ? "
        f"WHERE id = ? AND state = 'streaming' AND length({part}) = ?",
        (storable(text), message_id, from_length),
    )
    found = connection.execute(
        f"SELECT length({part}) FROM messages WHERE id = ?", (message_id,)
    ).fetchone()
    if found is None:
        raise _not_found()
    return int(found[0])


def set_content(connection: sqlite3.Connection, message_id: str, content: str) -> None:
    """Replace a message's text.

    Raises:
        MessageNotFound: No message has this id.
    """
    number, state = _number_and_state(connection, message_id)
    unindex_message(connection, number)
    connection.execute(
        "UPDATE messages SET content = ? WHERE number = ?", (storable(content), number)
    )
    if state != "streaming":
        index_message(connection, number)


def replace_text(connection: sqlite3.Connection, earlier: MessageRow, edited: MessageRow) -> None:
    """Give a message another text and keep what it was as a message beside it.

    Args:
        earlier: What it was, under a new id.
        edited: What it is to be.

    Raises:
        MessageNotFound: No message has the id of ``edited``.
    """
    insert_messages(connection, [earlier])
    changes = MessageChanges(
        state=edited.state,
        finish_reason=edited.finish_reason,
        error=edited.error,
        usage=edited.usage,
        timings=edited.timings,
        extra=edited.extra,
    )
    update_message(connection, edited.id, changes)
    set_content(connection, edited.id, edited.content)


def let_grow(
    connection: sqlite3.Connection,
    conversation_id: str,
    message_id: str,
    changes: ConversationChanges,
) -> None:
    """Let a message that had ended grow again from its text.

    Args:
        changes: Of the conversation, made along with it.

    Raises:
        ConversationNotFound: The conversation does not exist, or is deleted.
        MessageNotFound: No message has this id.
    """
    update_message(
        connection, message_id, {"state": "streaming", "finish_reason": None, "error": None}
    )
    update_conversation(connection, conversation_id, changes)


def update_message(
    connection: sqlite3.Connection, message_id: str, changes: MessageChanges
) -> None:
    """Change what is named in ``changes`` and nothing else, the text least of all.

    Raises:
        MessageNotFound: No message has this id.
    """
    number, _ = _number_and_state(connection, message_id)
    columns = values_of(changes)
    if columns:
        assignments = ", ".join(f"{name} = ?" for name in columns)
        connection.execute(
            f"UPDATE messages SET {assignments} WHERE number = ?", [*columns.values(), number]
        )


def finish_message(
    connection: sqlite3.Connection,
    message_id: str,
    content: str,
    state: MessageState,
    changes: MessageChanges | None = None,
) -> None:
    """End a growing message with its whole text, and make it findable.

    Args:
        state: Any but ``streaming``.

    Raises:
        MessageNotFound: No message has this id.
    """
    update_message(connection, message_id, {**(changes or {}), "state": state})
    set_content(connection, message_id, content)


def delete_message(connection: sqlite3.Connection, message_id: str) -> str | None:
    """Delete a message with everything below it.

    Where the conversation showed any of that, it shows the newest leaf beside it, or what
    was above it.

    Returns:
        The leaf that the conversation shows now.

    Raises:
        MessageNotFound: No message has this id.
    """
    number, _ = _number_and_state(connection, message_id)
    conversation_id, parent_id = connection.execute(
        "SELECT conversation_id, parent_id FROM messages WHERE number = ?", (number,)
    ).fetchone()
    below = connection.execute(_BELOW, (conversation_id, message_id)).fetchall()
    for found, _ in below:
        unindex_message(connection, found)
    connection.execute(
        f"DELETE FROM messages WHERE id IN ({_BELOW_IDS})", (conversation_id, message_id)
    )
    (leaf,) = connection.execute(
        "SELECT leaf_id FROM conversations WHERE id = ?", (conversation_id,)
    ).fetchone()
    if leaf in {key for _, key in below}:
        leaf = _newest_leaf(connection, conversation_id, parent_id)
        connection.execute(
            "UPDATE conversations SET leaf_id = ? WHERE id = ?", (leaf, conversation_id)
        )
    return leaf if leaf is None else str(leaf)


def mark_interrupted(connection: sqlite3.Connection) -> int:
    """After a start: what was growing when the app ended grows no more; returns how many."""
    growing = connection.execute("SELECT number FROM messages WHERE state = 'streaming'").fetchall()
    connection.execute("UPDATE messages SET state = 'interrupted' WHERE state = 'streaming'")
    for (number,) in growing:
        index_message(connection, number)
    return len(growing)


# ?1 the conversation, ?2 the topmost of the messages
_BELOW = """
    WITH RECURSIVE below (number, id) AS (
        SELECT number, id FROM messages WHERE conversation_id = ?1 AND id = ?2
        UNION
        SELECT child.number, child.id FROM below
        JOIN messages AS child ON child.conversation_id = ?1 AND child.parent_id = below.id
    )
    SELECT number, id FROM below
"""
_BELOW_IDS = f"SELECT id FROM ({_BELOW})"


def _newest_leaf(
    connection: sqlite3.Connection, conversation_id: str, parent_id: str | None
) -> str | None:
    """The newest message below ``parent_id``, or of all, that nothing is below."""
    if parent_id is None:
        within = "SELECT number, id FROM messages WHERE conversation_id = ?1 AND ?2 IS NULL"
    else:
        within = _BELOW
    found = connection.execute(
        f"SELECT id FROM ({within}) AS within WHERE NOT EXISTS ("
        "SELECT 1 FROM messages WHERE conversation_id = ?1 AND parent_id = within.id"
        ") ORDER BY number DESC LIMIT 1",
        (conversation_id, parent_id),
    ).fetchone()
    return found[0] if found else None


def _free_number(connection: sqlite3.Connection, created_at: float, last: int) -> int:
    """A number for that time, later when it is taken; one after ``last`` is likely free."""
    wanted = min(max(round(created_at * 1000), 0), MAX_NUMBER)
    number = start = max(wanted, last + 1)
    width = 1
    while connection.execute("SELECT 1 FROM messages WHERE number = ?", (number,)).fetchone():
        # Thousands of imported messages may bear the same time.
        width *= 2
        number = start + random.randrange(width)
    return number


def _check_place(connection: sqlite3.Connection, row: MessageRow) -> None:
    if not connection.execute(
        "SELECT 1 FROM conversations WHERE id = ? AND deleted_at IS NULL", (row.conversation_id,)
    ).fetchone():
        raise ConversationNotFound(
            "This conversation does not exist, or was deleted. Choose another one from the "
            "list, or start a new chat."
        )
    if (
        row.parent_id is not None
        and not connection.execute(
            "SELECT 1 FROM messages WHERE conversation_id = ? AND id = ?",
            (row.conversation_id, row.parent_id),
        ).fetchone()
    ):
        raise _not_found()


def _number_and_state(connection: sqlite3.Connection, message_id: str) -> tuple[int, str]:
    found = connection.execute(
        "SELECT number, state FROM messages WHERE id = ?", (message_id,)
    ).fetchone()
    if found is None:
        raise _not_found()
    number, state = found
    return number, state


def _not_found() -> MessageNotFound:
    return MessageNotFound(
        "This message does not exist, or was deleted. Reload the page to see what is there."
    )
