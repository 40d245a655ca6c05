"""Keeping the search index in step with titles and messages.

The index holds no text, so whatever is taken out of it is named by the very words that went
in: of a message the first ``indexed_length`` characters, of a conversation its title. An
index that turns out damaged is emptied and filled anew; nothing else depends on it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from logging import getLogger

from qwenchat.store.columns import attachments_from
from qwenchat.store.failures import is_index_damage
from qwenchat.store.rows import Attachment
from qwenchat.store.words import WORDS_VERSION, indexed_words

INDEXED_CHARACTERS = 200_000
"""Of each attached file; what comes later in it is not found."""

_log = getLogger(__name__)


def findable_text(content: str, attachments: Sequence[Attachment]) -> str:
    """All that a message is found by: its words, then names and texts of its files."""
    parts = [content]
    for attachment in attachments:
        parts += [attachment.name, attachment.text[:INDEXED_CHARACTERS]]
    return "\n".join(parts)


def index_title(connection: sqlite3.Connection, number: int, title: str) -> None:
    """Make a conversation's title findable."""
    _tended(connection, lambda: _insert(connection, "title_words", number, title))


def unindex_title(connection: sqlite3.Connection, number: int, title: str) -> None:
    """Forget a conversation's title as it was indexed."""
    _tended(connection, lambda: _delete(connection, "title_words", number, title))


def index_message(connection: sqlite3.Connection, number: int) -> None:
    """Make a message findable by its text of now, and no longer by an earlier one."""
    _tended(connection, lambda: _index_message(connection, number))


def unindex_message(connection: sqlite3.Connection, number: int) -> None:
    """Make a message unfindable, as before its text changes or it goes."""
    _tended(connection, lambda: _unindex_message(connection, number))


def index_waiting(connection: sqlite3.Connection, limit: int) -> int:
    """Index messages that are not, except growing ones; returns how many, at most ``limit``."""
    numbers = connection.execute(
        "SELECT number FROM messages WHERE indexed_length IS NULL AND state <> 'streaming' LIMIT ?",
        (limit,),
    ).fetchall()
    for (number,) in numbers:
        index_message(connection, number)
    return len(numbers)


def renew_index(connection: sqlite3.Connection) -> None:
    """Empty the index when it was made by other rules for words than those of now."""
    found = connection.execute("SELECT value FROM facts WHERE name = 'words'").fetchone()
    if found is None or found[0] != WORDS_VERSION:
        reset_index(connection)


def reset_index(connection: sqlite3.Connection) -> None:
    """Make the index anew with all titles; messages wait for :func:`index_waiting`."""
    for table in ("title_words", "message_words"):
        _empty(connection, table)
    connection.execute("UPDATE messages SET indexed_length = NULL WHERE indexed_length IS NOT NULL")
    for number, title in connection.execute("SELECT number, title FROM conversations").fetchall():
        _insert(connection, "title_words", number, title)
    connection.execute("REPLACE INTO facts (name, value) VALUES ('words', ?)", (WORDS_VERSION,))


def _empty(connection: sqlite3.Connection, table: str) -> None:
    (statement,) = connection.execute(
        "SELECT sql FROM sqlite_schema WHERE name = ?", (table,)
    ).fetchone()
    try:
        connection.execute(f"DROP TABLE {table}")
    except sqlite3.DatabaseError as error:
        if not is_index_damage(error):
            raise
        # Too damaged to be dropped. What an empty one consists of makes it droppable.
        connection.execute("CREATE VIRTUAL TABLE temp.blank USING fts5 (words, content = '')")
        for part in ("data", "idx"):
            connection.execute(f"DELETE FROM {table}_{part}")
            connection.execute(f"INSERT INTO {table}_{part} SELECT * FROM temp.blank_{part}")
        connection.execute("DROP TABLE temp.blank")
        connection.execute(f"DROP TABLE {table}")
    connection.execute(statement)


def _tended(connection: sqlite3.Connection, change: Callable[[], None]) -> None:
    try:
        change()
    except sqlite3.DatabaseError as error:
        if not is_index_damage(error):
            raise
        _log.warning("The search index is damaged; the next start completes a new one: %s", error)
        reset_index(connection)


def _index_message(connection: sqlite3.Connection, number: int) -> None:
    _unindex_message(connection, number)
    content, attachments = connection.execute(
        "SELECT content, attachments FROM messages WHERE number = ?", (number,)
    ).fetchone()
    text = findable_text(content, attachments_from(attachments))
    _insert(connection, "message_words", number, text)
    connection.execute(
        "UPDATE messages SET indexed_length = ? WHERE number = ?", (len(content), number)
    )


def _unindex_message(connection: sqlite3.Connection, number: int) -> None:
    content, length, attachments = connection.execute(
        "SELECT content, indexed_length, attachments FROM messages WHERE number = ?", (number,)
    ).fetchone()
    if length is not None:
        text = findable_text(content[:length], attachments_from(attachments))
        _delete(connection, "message_words", number, text)
        connection.execute("UPDATE messages SET indexed_length = NULL WHERE number = ?", (number,))


def _insert(connection: sqlite3.Connection, table: str, number: int, text: str) -> None:
    if words := indexed_words(text):
        connection.execute(f"INSERT INTO {table} (rowid, words) VALUES (?, ?)", (number, words))


def _delete(connection: sqlite3.Connection, table: str, number: int, text: str) -> None:
    if words := indexed_words(text):
        connection.execute(
            f"INSERT INTO {table} ({table}, rowid, words) VALUES ('delete', ?, ?)",
            (number, words),
        )
