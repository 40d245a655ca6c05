"""A damaged database: found when it is opened, put aside unchanged, its rows saved."""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from qwenchat.store.connections import connect_reader, connect_writer
from qwenchat.store.conversations import insert_conversation
from qwenchat.store.failures import is_damage
from qwenchat.store.files import put_in_place
from qwenchat.store.index import renew_index
from qwenchat.store.log import is_damaged_log
from qwenchat.store.messages import insert_messages
from qwenchat.store.migrations import check_version, migrate, schema_version
from qwenchat.store.rows import ConversationRow, MessageRow
from qwenchat.store.salvage import Salvaged, salvage
from qwenchat.store.shelves import keep
from qwenchat.store.tree import mend_tree, shown_leaf

CHECKED_BYTES = 256 << 20
"""A database up to this size is checked at every opening, which takes a millisecond for each
megabyte that the disk has delivered; a larger one when something in it was found damaged
while it was in use."""
RECOVERED_TITLE = "Recovered chat"
"""Of messages whose conversation's own row is lost."""


@dataclass(frozen=True, slots=True)
class RecoveryReport:
    """What became of a damaged database.

    Attributes:
        problem: What was found, in SQLite's words.
        damaged_file: Where it is now, unchanged; with ``-wal`` behind it lies its log.
        conversations_lost: At least this many; of what nothing is left nobody knows.
        messages_lost: Likewise.
        mended: Messages whose parent was lost and that hang on an older one now.
    """

    problem: str
    damaged_file: Path
    conversations_kept: int
    messages_kept: int
    conversations_lost: int
    messages_lost: int
    mended: int

    @property
    def message(self) -> str:
        """The report as a paragraph to show."""
        lost = [
            f"{count:,} {name}{'s' if count != 1 else ''}"
            for count, name in (
                (self.conversations_lost, "conversation title"),
                (self.messages_lost, "message"),
            )
            if count
        ]
        kept = f"{self.conversations_kept:,} conversations with {self.messages_kept:,} messages"
        return (
            f"The database of conversations was damaged. {kept} were saved from it; "
            + (f"{' and '.join(lost)} could not be read. " if lost else "nothing known is lost. ")
            + f"The damaged file is kept unchanged as {self.damaged_file}."
        )


def find_damage(path: Path, thorough: bool, busy_seconds: float) -> str | None:
    """What is wrong with the database at ``path``, or None; nothing is changed.

    Args:
        thorough: Check every page, whatever the size.
        busy_seconds: How long to wait for another program that holds it.

    Raises:
        StoreTooNew: Its schema is newer than this version knows.
        StoreError: It is a database of another program.
        sqlite3.Error: It cannot be read for another reason than damage.
        OSError: It cannot be read at all.
    """
    if path.stat().st_size == 0:
        return "the file is empty"
    if is_damaged_log(_log_of(path)):
        return "the write-ahead log is damaged"
    try:
        with contextlib.closing(connect_reader(path, busy_seconds)) as connection:
            check_version(schema_version(connection), path)
            if not thorough and path.stat().st_size > CHECKED_BYTES:
                return None
            found = [str(row[0]) for row in connection.execute("PRAGMA quick_check(10)")]
    except sqlite3.DatabaseError as error:
        if not is_damage(error):
            raise
        return str(error)
    # Later versions of SQLite check the search index too; it can be made anew.
    problems = [line for line in found if line != "ok" and "FTS5" not in line]
    return problems[0] if problems else None


def create_database(path: Path) -> None:
    """Make a new, empty database, there whole or not at all.

    Raises:
        sqlite3.Error: It cannot be made.
        OSError: The same.
    """
    part = _part_of(path)
    try:
        _create_at(part)
        put_in_place(part, path)
    finally:
        _remove(part)


def recover(path: Path, problem: str, now: datetime | None = None) -> RecoveryReport:
    """Make a new database of what the damaged one at ``path`` still has, in its place.

    Until the new one is complete nothing is changed, so this can be tried again.

    Raises:
        sqlite3.Error: The new one cannot be made, as when the disk is full.
        OSError: The same, or the damaged one cannot be read at all.
    """
    part = _part_of(path)
    try:
        _create_at(part)
        with contextlib.closing(connect_writer(part)) as connection:
            tables = {
                table: [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
                for table in ("conversations", "messages")
            }
            found = salvage(path, tables)
            connection.execute("BEGIN IMMEDIATE")
            conversations, messages, mended = _insert_all(connection, found)
            connection.execute("COMMIT")
        damaged_file = _put_aside(path, now or datetime.now())
        put_in_place(part, path)
    finally:
        _remove(part)
    return RecoveryReport(
        problem=problem,
        damaged_file=damaged_file,
        conversations_kept=conversations,
        messages_kept=messages,
        conversations_lost=len(found.lost_conversations),
        messages_lost=len(found.lost_messages),
        mended=mended,
    )


def _insert_all(connection: sqlite3.Connection, found: Salvaged) -> tuple[int, int, int]:
    """Keep what was found; returns how many conversations, messages and mended messages."""
    messages: defaultdict[str, list[MessageRow]] = defaultdict(list)
    for message in found.messages.values():
        messages[message.conversation_id].append(message)
    mended = 0
    homeless = {
        key: _conversation_for(key, rows)
        for key, rows in messages.items()
        if key not in found.conversations
    }
    conversations = found.conversations | homeless
    for key, conversation in conversations.items():
        rows, count = mend_tree(messages[key])
        mended += count
        leaf_id = shown_leaf(rows, conversation.leaf_id)
        insert_conversation(connection, replace(conversation, leaf_id=leaf_id))
        insert_messages(connection, rows)
    for shelf, kept in found.shelves.items():
        keep(connection, shelf, list(kept.items()))
    return len(conversations), len(found.messages), mended


def _conversation_for(conversation_id: str, rows: Sequence[MessageRow]) -> ConversationRow:
    times = [row.created_at for row in rows]
    return ConversationRow(conversation_id, RECOVERED_TITLE, min(times), max(times))


def _create_at(part: Path) -> None:
    _remove(part)
    part.touch(mode=0o600)
    with contextlib.closing(connect_writer(part)) as connection:
        migrate(connection, part)
        connection.execute("BEGIN IMMEDIATE")
        renew_index(connection)
        connection.execute("COMMIT")


def _put_aside(path: Path, now: datetime) -> Path:
    """Give the damaged file and its log another name; they stay reachable throughout."""
    base = f"{path.stem}.damaged-{now:%Y%m%d-%H%M%S}"
    target = path.with_name(base + path.suffix)
    number = 2
    while target.exists():
        target = path.with_name(f"{base}-{number}{path.suffix}")
        number += 1
    log = _log_of(path)
    if log.exists():
        _also_as(log, _log_of(target))
    _also_as(path, target)
    # Before the new database takes the place: the log would be played into it.
    log.unlink(missing_ok=True)
    path.with_name(path.name + "-shm").unlink(missing_ok=True)
    return target


def _also_as(file: Path, target: Path) -> None:
    try:
        os.link(file, target)
    except OSError:
        # Not every file system knows a second name for a file.
        shutil.copyfile(file, target)


def _log_of(path: Path) -> Path:
    return path.with_name(path.name + "-wal")


def _part_of(path: Path) -> Path:
    return path.with_name(f"{path.stem}.new{path.suffix}")


def _remove(part: Path) -> None:
    for suffix in ("", "-wal", "-shm"):
        part.with_name(part.name + suffix).unlink(missing_ok=True)
