"""Full-text search in titles and messages.

The index says which texts may match; what is shown is found in the text itself, so a hit
is never wrong and its place is exact.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass

from qwenchat.store.columns import attachments_from
from qwenchat.store.index import findable_text
from qwenchat.store.words import Query, parse_query

MAX_CANDIDATES = 20_000
"""Messages that one search goes through, the newest first."""
MAX_READ = 2000
"""How many of them it reads, because their conversation is not among the hits yet."""
SNIPPET_CHARACTERS = 120
_BEFORE_HIT = 30

Place = tuple[int, int]
"""Start and end of a hit, in characters (code points)."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A conversation that a search found.

    Attributes:
        updated_at: Seconds since 1970.
        title_places: Where the query stands in ``title``; empty for a hit in a message.
        message_id: The newest message that matches; None for a hit in the title.
        snippet: A stretch of that message on one line, as long as the text.
        snippet_places: Where parts of the query stand in ``snippet``.
    """

    conversation_id: str
    title: str
    updated_at: float
    title_places: tuple[Place, ...] = ()
    message_id: str | None = None
    snippet: str = ""
    snippet_places: tuple[Place, ...] = ()


@dataclass(frozen=True, slots=True)
class Hits:
    """What a search found; ``more`` says that there is more than fits ``limit``."""

    hits: tuple[Hit, ...]
    more: bool


def search(connection: sqlite3.Connection, text: str, limit: int = 50) -> Hits:
    """Conversations with every word of ``text`` in their title or in one message.

    A word is found by its beginning, in Chinese and other scripts without spaces anywhere.
    Hits in titles come first, then the newest messages. Quotes and operators are plain
    text; a query without any word finds nothing.
    """
    query = parse_query(text)
    if not query.match:
        return Hits((), False)
    found: dict[str, Hit] = {}
    for hits in (_in_titles(connection, query), _in_messages(connection, query, found)):
        for hit in hits:
            if hit.conversation_id in found:
                continue
            if len(found) == limit:
                return Hits(tuple(found.values()), True)
            found[hit.conversation_id] = hit
    return Hits(tuple(found.values()), False)


def pieces(text: str, places: tuple[Place, ...]) -> list[tuple[str, bool]]:
    """``text`` cut at the places of hits: each piece, and whether it is one.

    The page can show them one by one, without counting characters its own way.
    """
    cut: list[tuple[str, bool]] = []
    at = 0
    for start, end in places:
        cut += [(text[at:start], False), (text[start:end], True)]
        at = end
    return [(piece, hit) for piece, hit in [*cut, (text[at:], False)] if piece]


def _in_titles(connection: sqlite3.Connection, query: Query) -> Iterator[Hit]:
    found = connection.execute(
        "SELECT id, title, updated_at FROM title_words "
        "JOIN conversations ON number = title_words.rowid "
        "WHERE title_words MATCH ? AND deleted_at IS NULL ORDER BY updated_at DESC",
        (query.match,),
    )
    for conversation_id, title, updated_at in found:
        if places := query.places(title):
            yield Hit(conversation_id, title, updated_at, tuple(places))


def _in_messages(
    connection: sqlite3.Connection, query: Query, found: dict[str, Hit]
) -> Iterator[Hit]:
    # Of the candidates only the number, so that those of conversations that are found
    # already, often most, cost no text. The text comes last for the same reason.
    numbers = connection.execute(
        "SELECT rowid FROM message_words WHERE message_words MATCH ? ORDER BY rowid DESC LIMIT ?",
        (query.match, MAX_CANDIDATES),
    )
    read = 0
    for (number,) in numbers:
        row = connection.execute(
            "SELECT id, conversation_id FROM messages WHERE number = ?", (number,)
        ).fetchone()
        if row is None or row[1] in found:
            continue
        message_id, conversation_id = row
        values = connection.execute(
            "SELECT title, updated_at, content, attachments FROM messages JOIN conversations "
            "ON conversations.id = conversation_id "
            "WHERE messages.number = ? AND deleted_at IS NULL",
            (number,),
        ).fetchone()
        if values is not None:
            title, updated_at, content, attachments = values
            text = findable_text(content, attachments_from(attachments))
            if places := query.places(text):
                snippet, hits = _snippet(text, places)
                yield Hit(conversation_id, title, updated_at, (), message_id, snippet, hits)
        read += 1
        if read == MAX_READ:
            return


def _snippet(text: str, places: list[Place]) -> tuple[str, tuple[Place, ...]]:
    """A stretch of ``text`` around its first hit, and the hits that are in it."""
    start = max(places[0][0] - _BEFORE_HIT, 0)
    end = max(start + SNIPPET_CHARACTERS, places[0][1])
    # White space is as many characters as before, so places stay right.
    shown = "".join(" " if char.isspace() else char for char in text[start:end])
    inside = [(left - start, min(right, end) - start) for left, right in places if left < end]
    return shown, tuple(inside)
