"""Failures of the disk and of other programs are named, and cost one write at most."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
import time
from pathlib import Path

import pytest

from qwenchat.errors import (
    StoreBusy,
    StoreDamaged,
    StoreError,
    StoreFull,
    StoreReadOnly,
)
from qwenchat.store.conversations import (
    insert_conversation,
    load_conversation,
    rename_conversation,
)
from qwenchat.store.database import Database
from qwenchat.store.listing import count_all, list_summaries
from qwenchat.store.messages import append_text, insert_messages
from qwenchat.store.opening import open_store
from qwenchat.store.rows import Counts
from qwenchat.store.search import search
from tests.store.samples import conversation, growing, keep


def hold(database: Database) -> threading.Event:
    """Keep the writer busy; what is written until the event is set shares a transaction."""
    begun, go_on = threading.Event(), threading.Event()

    def wait(_: sqlite3.Connection) -> None:
        begun.set()
        go_on.wait(10)

    database.write(wait)
    assert begun.wait(5)
    return go_on


def test_writes_that_wait_together_share_a_transaction_and_fail_alone(database: Database) -> None:
    transactions = []

    def note(connection: sqlite3.Connection, key: str) -> int:
        insert_conversation(connection, conversation(key))
        if key == "bad":
            raise LookupError("no good")
        transactions.append(connection.execute("PRAGMA data_version").fetchone()[0])
        return connection.total_changes

    go_on = hold(database)
    futures = [database.write(note, key) for key in ("a", "bad", "b")]
    assert not any(future.done() for future in futures)
    go_on.set()
    futures[0].result()
    futures[2].result()
    with pytest.raises(LookupError):
        futures[1].result()
    items = database.read(list_summaries).result().items
    assert {item.id for item in items} == {"a", "b"}


def test_a_write_is_visible_to_every_reader_once_its_future_resolves(database: Database) -> None:
    for number in range(50):
        database.write(insert_conversation, conversation(f"c{number}")).result()
        assert database.read(count_all).result().conversations == number + 1


def test_a_cancelled_task_does_not_take_its_write_with_it(database: Database) -> None:
    async def main() -> None:
        go_on = hold(database)
        future = database.write(insert_conversation, conversation("c"))
        task = asyncio.ensure_future(asyncio.wrap_future(future))
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.sleep(0)
        go_on.set()
        await asyncio.to_thread(future.result)

    asyncio.run(main())
    assert database.read(count_all).result().conversations == 1


def test_a_database_another_program_holds_is_busy_and_the_same_write_works_later(
    database: Database,
) -> None:
    reply = growing(keep(database, "c", "question")[0])
    database.write(insert_messages, [reply]).result()
    other = sqlite3.connect(database.path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreBusy, match="Another program"):
        database.write(append_text, "reply", 0, "text").result()
    assert database.read(search, "question").result().hits, "reading goes on"
    other.execute("COMMIT")
    other.close()
    assert database.write(append_text, "reply", 0, "text").result() == 4


def test_all_that_waits_for_a_held_database_is_told_at_once(database: Database) -> None:
    other = sqlite3.connect(database.path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    before = time.monotonic()
    futures = [database.write(count_all) for _ in range(50)]
    for future in futures:
        with pytest.raises(StoreBusy):
            future.result()
    assert time.monotonic() - before < 2, "each waited 0.2 s after the other"
    other.close()
    database.write(count_all).result()


def test_a_database_another_program_holds_at_the_start_is_busy(tmp_path: Path) -> None:
    open_store(tmp_path).database.close()
    other = sqlite3.connect(tmp_path / "conversations.sqlite3", isolation_level=None)
    other.execute("PRAGMA locking_mode = EXCLUSIVE")
    other.execute("BEGIN EXCLUSIVE")
    with pytest.raises(StoreBusy):
        open_store(tmp_path, busy_seconds=0.1)
    other.close()
    open_store(tmp_path).database.close()


def test_a_write_that_needs_more_room_than_there_is_fails_alone(database: Database) -> None:
    keep(database, "c", "question")
    limit = "PRAGMA max_page_count = {}"
    pages = database.write(
        lambda connection: connection.execute("PRAGMA page_count").fetchone()[0]
    ).result()
    database.write(lambda connection: connection.execute(limit.format(pages + 2))).result()

    go_on = hold(database)
    small = database.write(rename_conversation, "c", "small")
    large = database.write(rename_conversation, "c", "x" * 1_000_000)
    after = database.write(rename_conversation, "c", "after")
    go_on.set()
    small.result()
    with pytest.raises(StoreFull, match="no room"):
        large.result()
    after.result()
    assert database.read(list_summaries).result().items[0].title == "after"

    database.write(lambda connection: connection.execute(limit.format(1 << 20))).result()
    database.write(rename_conversation, "c", "x" * 1_000_000).result()


def test_a_database_that_was_moved_away_is_named(database: Database, tmp_path: Path) -> None:
    keep(database, "c", "question")
    database.path.rename(tmp_path / "elsewhere")
    with pytest.raises(StoreReadOnly, match="moved, replaced or deleted"):
        database.write(rename_conversation, "c", "x").result()
    (tmp_path / "elsewhere").rename(database.path)
    database.write(rename_conversation, "c", "x").result()


def test_damage_met_while_reading_is_named_and_checked_at_the_next_start(
    database: Database, tmp_path: Path
) -> None:
    keep(database, "c", "x" * 100_000)
    database.close()
    content = bytearray(database.path.read_bytes())
    at = content.index(b"x" * 4000) + 5 * 4096
    opened = open_store(tmp_path).database
    content[at // 4096 * 4096 : at // 4096 * 4096 + 8192] = b"\xff" * 8192
    opened.path.write_bytes(content)
    with pytest.raises(StoreDamaged, match="Restart"):
        opened.read(load_conversation, "c").result()
    opened.close()
    assert (tmp_path / "conversations.sqlite3-suspect").exists()
    again = open_store(tmp_path)
    assert again.recovery is not None
    assert not (tmp_path / "conversations.sqlite3-suspect").exists()
    again.database.close()


def test_closing_finishes_what_was_asked_for_and_refuses_the_rest(tmp_path: Path) -> None:
    database = open_store(tmp_path).database
    go_on = hold(database)
    future = database.write(insert_conversation, conversation("c"))
    threading.Timer(0.1, go_on.set).start()
    database.close()
    future.result(0)
    with pytest.raises(StoreError, match="closing"):
        database.write(count_all)
    with pytest.raises(StoreError, match="closing"):
        database.read(count_all)
    database.close()
    assert {file.name for file in tmp_path.iterdir()} == {"conversations.sqlite3"}
    again = open_store(tmp_path).database
    assert again.read(count_all).result() == Counts(1, 0)
    again.close()


def test_many_threads_may_write_at_once(database: Database) -> None:
    def fill(name: str) -> None:
        for number in range(40):
            database.write(insert_conversation, conversation(f"{name}{number}"))

    threads = [threading.Thread(target=fill, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    database.write(lambda _: None).result()
    assert database.read(count_all).result().conversations == 160
