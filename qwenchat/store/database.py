"""The open database: one thread that writes, one that reads, none of them the event loop.

A job is a function whose first argument is a connection. What it returns or raises comes
out of a :class:`concurrent.futures.Future`; on an event loop await it with
``asyncio.wrap_future``.
"""

from __future__ import annotations

import contextlib
import sqlite3
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Concatenate, ParamSpec, TypeAlias, TypeVar

from qwenchat.errors import StoreError
from qwenchat.store.connections import BUSY_SECONDS, connect_reader
from qwenchat.store.failures import sqlite_errors
from qwenchat.store.writer import Writer

P = ParamSpec("P")
T = TypeVar("T")
Job: TypeAlias = Callable[Concatenate[sqlite3.Connection, P], T]


class Database:
    """A database whose schema is current; :func:`qwenchat.store.opening.open_store` opens it.

    Args:
        busy_seconds: How long a write waits for another program that holds the database.

    Raises:
        StoreError: It cannot be opened; which one says why.
    """

    def __init__(self, path: Path, busy_seconds: float = BUSY_SECONDS) -> None:
        self.path = path
        self._local = threading.local()
        self._writer = Writer(path, busy_seconds)
        self._reader = ThreadPoolExecutor(1, thread_name_prefix="store reader")
        try:
            self._reader.submit(self._connect_reader, busy_seconds).result()
        except BaseException:
            self.close()
            raise

    def write(self, job: Job[P, T], *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Run ``job`` in a transaction, after the writes that were asked for before.

        The future resolves when the transaction is on its way to the disk, beyond the reach
        of whatever kills this process. Cancelling it does nothing: what was to be saved is
        saved. A job that fails leaves no trace and harms no other; it may run more than
        once, so it changes nothing but the database.

        Raises:
            StoreError: The database is closed. What else goes wrong is in the future.
        """
        return self._writer.submit(lambda connection: job(connection, *args, **kwargs))

    def read(self, job: Job[P, T], *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Run ``job`` on a connection that sees every finished write and waits for none.

        Cancelling the future of a job that has not begun spares it.

        Raises:
            StoreError: The database is closed. What else goes wrong is in the future.
        """

        def run() -> T:
            with sqlite_errors(self.path):
                return job(self._local.connection, *args, **kwargs)

        try:
            return self._reader.submit(run)
        except RuntimeError:
            raise StoreError("QwenChat is closing its database and reads no more.") from None

    def close(self) -> None:
        """Finish what was asked for and close the file. Calling it again does nothing."""
        # The writer last: whoever is last empties the log into the file, and only it can.
        with contextlib.suppress(RuntimeError):
            self._reader.submit(self._close_reader).result()
            self._reader.shutdown()
        self._writer.close()

    def _connect_reader(self, busy_seconds: float) -> None:
        with sqlite_errors(self.path):
            self._local.connection = connect_reader(self.path, busy_seconds)

    def _close_reader(self) -> None:
        if connection := getattr(self._local, "connection", None):
            connection.close()
