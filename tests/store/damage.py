"""Databases to damage, and what must hold after each recovery."""

from __future__ import annotations

import random
import sqlite3
from pathlib import Path

from qwenchat.store.conversations import (
    load_conversation,
)
from qwenchat.store.database import Database
from qwenchat.store.listing import count_all, list_summaries
from qwenchat.store.opening import Opened, open_store
from qwenchat.store.rows import Counts
from tests.store.samples import keep

NAME = "conversations.sqlite3"
PAGE = 4096
CHATS = 12
MESSAGES = 30

Texts = dict[str, str]


def fill(folder: Path) -> Texts:
    """Conversations of short and long messages; returns every message's text by id."""
    choose = random.Random(5)
    database = open_store(folder).database
    texts: Texts = {}
    for number in range(CHATS):
        contents = [
            f"第{number}-{index} " + "word 词 " * choose.choice([1, 5, 30, 30, 1500])
            for index in range(MESSAGES)
        ]
        rows = keep(database, f"c{number}", *contents, title=f"Chat {number}")
        texts |= {row.id: row.content for row in rows}
    database.close()
    return texts


def stored(database: Database) -> Texts:
    """Every message's text by id, of all conversations that are listed."""
    texts: Texts = {}
    for item in database.read(list_summaries, 1000).result().items:
        _, rows = database.read(load_conversation, item.id).result()
        texts |= {row.id: row.content for row in rows}
    return texts


def check(opened: Opened, before: bytes, texts: Texts) -> int:
    """What holds after every recovery; returns how many messages are not what they were."""
    report = opened.recovery
    assert report is not None
    assert report.damaged_file.read_bytes() == before, "the damaged file was changed"
    database = opened.database
    found = stored(database)
    counts = database.read(count_all).result()
    assert counts == Counts(report.conversations_kept, report.messages_kept)
    assert len(found) == report.messages_kept
    assert found.keys() <= texts.keys(), "nothing may come from nowhere"
    # A text whose end could not be read is kept as far as it could, and marked.
    changed = {key for key, text in found.items() if text != texts[key]}
    missing = texts.keys() - found.keys()
    assert len(missing) >= report.messages_lost
    assert str(report.damaged_file) in report.message
    for item in database.read(list_summaries, 1000).result().items:
        row, rows = database.read(load_conversation, item.id).result()
        ids = {message.id for message in rows}
        assert all(message.parent_id in ids or message.parent_id is None for message in rows)
        assert (row.leaf_id in ids) == bool(rows)
    integrity = database.write(
        lambda connection: connection.execute("PRAGMA integrity_check").fetchall()
    ).result()
    assert integrity == [("ok",)]
    return len(changed) + len(missing)


def overwrite(path: Path, start: int, data: bytes) -> bytes:
    content = bytearray(path.read_bytes())
    content[start : start + len(data)] = data
    path.write_bytes(content)
    return bytes(content)


def root_page(path: Path, name: str) -> int:
    connection = sqlite3.connect(path)
    (page,) = connection.execute(
        "SELECT rootpage FROM sqlite_schema WHERE name = ?", (name,)
    ).fetchone()
    connection.close()
    return int(page)
