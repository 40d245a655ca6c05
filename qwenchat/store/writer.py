"""The thread that writes.

Writes that wait together share a transaction, so that many small ones cost little more
than one; each still succeeds or fails alone.
"""

from __future__ import annotations

import contextlib
import queue
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from qwenchat.errors import StoreError
from qwenchat.store.connections import connect_writer
from qwenchat.store.failures import moved_away, sqlite_errors, store_error

T = TypeVar("T")

BATCH_SECONDS = 0.05
"""After this long no further write joins a transaction, so that none waits for others."""


@dataclass(frozen=True, slots=True)
class _Write:
    job: Callable[[sqlite3.Connection], Any]
    future: Future[Any]


@dataclass(frozen=True, slots=True)
class _Outcome:
    result: Any = None
    error: BaseException | None = None

    def settle(self, future: Future[Any]) -> None:
        if self.error is not None:
            future.set_exception(self.error)
        else:
            future.set_result(self.result)


class Writer:
    """Runs jobs one after the other on a thread and a connection of its own.

    Raises:
        StoreError: The database cannot be opened for writing.
    """

    def __init__(self, path: Path, busy_seconds: float) -> None:
        self._path = path
        self._waiting: queue.SimpleQueue[_Write | None] = queue.SimpleQueue()
        self._closing = threading.Lock()
        self._closed = False
        self._ended = False
        self._identity: tuple[int, int] | None = None
        opened: Future[None] = Future()
        self._thread = threading.Thread(
            target=self._run, args=(busy_seconds, opened), name="store writer", daemon=True
        )
        self._thread.start()
        try:
            opened.result()
        except StoreError:
            self._closed = True
            raise

    def submit(self, job: Callable[[sqlite3.Connection], T]) -> Future[T]:
        """Queue ``job``.

        Raises:
            StoreError: The writer is closed.
        """
        future: Future[T] = Future()
        # From here on it cannot be cancelled: a task that is cancelled while it waits for
        # a write must not take the write with it.
        future.set_running_or_notify_cancel()
        with self._closing:
            if self._closed:
                raise StoreError("QwenChat is closing its database and saves nothing more.")
            self._waiting.put(_Write(job, future))
        return future

    def close(self) -> None:
        """Run what is queued and close the connection."""
        with self._closing:
            if not self._closed:
                self._waiting.put(None)
            self._closed = True
        self._thread.join()

    def _run(self, busy_seconds: float, opened: Future[None]) -> None:
        try:
            with sqlite_errors(self._path):
                connection = connect_writer(self._path, busy_seconds)
        except StoreError as error:
            opened.set_exception(error)
            return
        self._identity = _identity(self._path)
        opened.set_result(None)
        try:
            while not self._ended and (first := self._waiting.get()) is not None:
                self._run_batch(connection, first)
        finally:
            connection.close()

    def _queued(self, first: _Write) -> Iterator[_Write]:
        """``first`` and what is waiting behind it."""
        until = time.monotonic() + BATCH_SECONDS
        write: _Write | None = first
        while write is not None:
            yield write
            if time.monotonic() > until:
                return
            try:
                write = self._waiting.get_nowait()
            except queue.Empty:
                return
        self._ended = True

    def _run_batch(self, connection: sqlite3.Connection, first: _Write) -> None:
        queued = self._queued(first)
        batch: list[_Write] = []
        outcomes: list[_Outcome] = []
        try:
            # SQLite would go on writing to a file that nobody can open again.
            if _identity(self._path) != self._identity:
                raise moved_away(self._path)
            connection.execute("BEGIN IMMEDIATE")
            for write in queued:
                batch.append(write)
                outcomes.append(_run_one(connection, write, self._path))
            connection.execute("COMMIT")
        except Exception as error:
            if len(batch) > 1:
                # One of them may be what the disk has no room for; the others have a chance.
                _roll_back(connection)
                for write in batch:
                    self._run_alone(connection, write)
                return
            # Where not even a transaction could begin, whoever waits behind would only wait
            # as long again.
            for write in batch or queued:
                write.future.set_exception(self._failure(connection, error))
            return
        for write, outcome in zip(batch, outcomes, strict=True):
            outcome.settle(write.future)

    def _run_alone(self, connection: sqlite3.Connection, write: _Write) -> None:
        try:
            connection.execute("BEGIN IMMEDIATE")
            outcome = _run_one(connection, write, self._path)
            connection.execute("COMMIT")
        except Exception as error:
            outcome = _Outcome(error=self._failure(connection, error))
        outcome.settle(write.future)

    def _failure(self, connection: sqlite3.Connection, error: Exception) -> Exception:
        _roll_back(connection)
        return store_error(error, self._path) if isinstance(error, sqlite3.Error) else error


def _identity(path: Path) -> tuple[int, int] | None:
    """Which file is at ``path``; None when there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _run_one(connection: sqlite3.Connection, write: _Write, path: Path) -> _Outcome:
    """Run a write within the open transaction.

    Raises:
        sqlite3.Error: SQLite has rolled the whole transaction back.
    """
    connection.execute("SAVEPOINT one")
    try:
        with sqlite_errors(path):
            result = write.job(connection)
    except BaseException as error:
        if not connection.in_transaction:
            cause = error.__cause__
            raise cause if isinstance(cause, sqlite3.Error) else sqlite3.OperationalError from error
        connection.execute("ROLLBACK TO one")
        connection.execute("RELEASE one")
        return _Outcome(error=error)
    connection.execute("RELEASE one")
    return _Outcome(result)


def _roll_back(connection: sqlite3.Connection) -> None:
    # SQLite may have rolled back by itself; and one that fails leaves nothing to undo.
    with contextlib.suppress(sqlite3.Error):
        if connection.in_transaction:
            connection.execute("ROLLBACK")
