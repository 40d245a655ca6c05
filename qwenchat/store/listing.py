"""Jobs that read the list of conversations: pinned ones first, then the latest used."""

from __future__ import annotations

import json
import sqlite3

from qwenchat.errors import InvalidRequest
from qwenchat.store.rows import Counts, Summary, SummaryPage


def list_summaries(
    connection: sqlite3.Connection, limit: int = 100, cursor: str | None = None
) -> SummaryPage:
    """A stretch of the list.

    Args:
        cursor: From the stretch before; None is the beginning. What is moved in the list
            meanwhile may come twice or not at all, everything else comes once.

    Raises:
        InvalidRequest: ``cursor`` is none of ours.
    """
    # Read from the index alone, so a long system prompt costs nothing here.
    after = "AND (pinned, updated_at, id) < (?, ?, ?)" if cursor else ""
    found = connection.execute(
        "SELECT pinned, updated_at, id, title FROM conversations "
        f"WHERE deleted_at IS NULL {after} "
        "ORDER BY pinned DESC, updated_at DESC, id DESC LIMIT ?",
        [*(_place(cursor) if cursor else ()), limit + 1],
    ).fetchall()
    items = found[:limit]
    return SummaryPage(
        items=tuple(Summary(key, title, used, bool(pinned)) for pinned, used, key, title in items),
        cursor=json.dumps(items[-1][:3]) if len(found) > limit else None,
        total=_count_conversations(connection),
    )


def count_all(connection: sqlite3.Connection) -> Counts:
    """How many conversations and messages there are."""
    (messages,) = connection.execute(
        "SELECT count(*) FROM conversations "
        "JOIN messages ON conversation_id = conversations.id "
        "WHERE deleted_at IS NULL"
    ).fetchone()
    return Counts(_count_conversations(connection), messages)


def _count_conversations(connection: sqlite3.Connection) -> int:
    (count,) = connection.execute(
        "SELECT count(*) FROM conversations WHERE deleted_at IS NULL"
    ).fetchone()
    return int(count)


def _place(cursor: str) -> tuple[int, float, str]:
    try:
        pinned, used, key = json.loads(cursor)
        return int(pinned), float(used), str(key)
    except (ValueError, TypeError, OverflowError):
        raise InvalidRequest("The cursor is none of this list.", param="cursor") from None
