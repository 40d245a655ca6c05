"""One engine process as the web process holds it: started, spoken to, listened to, ended.

The child gets its own environment, one end of a socket pair, and a pipe for all it
prints. Four threads serve it: one sends (a large send blocks until the peer reads, which
the event loop must never do), one receives, one collects its output, and one waits for its
end, which a program that it started would hide by holding the pipe open.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import queue
import socket
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from logging import getLogger
from multiprocessing import Pipe
from multiprocessing.connection import Connection

from qwenchat.engine.protocol import Command, Event, Shutdown

LAST_LINES = 200
SHUTDOWN_SECONDS = 2.0
"""What a process gets to end by itself."""
LAST_WORDS_SECONDS = 0.5
"""After its end, until what it has sent is surely read."""

_log = getLogger(__name__)


class EngineProcess:
    """A running engine process.

    Args:
        environment: The child's whole environment.
        on_events: Called with each batch of events, on the receiving thread.
        on_end: Called once, on the receiving thread, when the child's end of the pipe is
            closed, that is, when it has ended or is about to.
    """

    def __init__(
        self,
        environment: Mapping[str, str],
        on_events: Callable[[Sequence[Event]], None],
        on_end: Callable[[], None],
    ) -> None:
        self._on_events = on_events
        self._on_end = on_end
        self._outbox: queue.SimpleQueue[Command | None] = queue.SimpleQueue()
        self._lines: deque[str] = deque(maxlen=LAST_LINES)
        self._connection, theirs = Pipe(duplex=True)
        output, their_output = os.pipe()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "qwenchat.engine", str(theirs.fileno())],
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=their_output,
            stderr=their_output,
            pass_fds=[theirs.fileno()],
            # Ctrl-C in the terminal is for the web process, which then ends this one.
            start_new_session=True,
        )
        # With the child's ends closed here, a dead child reads as end of file.
        theirs.close()
        os.close(their_output)
        self._collector = self._thread(lambda: self._collect(output))
        self._thread(lambda: self._send_all(self._connection))
        self._thread(lambda: self._receive(self._connection))
        self._thread(lambda: self._watch(self._connection))

    @property
    def pid(self) -> int:
        """The child's process id."""
        return self._process.pid

    @property
    def last_lines(self) -> list[str]:
        """The last lines the child printed, oldest first."""
        return list(self._lines)

    def send(self, command: Command) -> None:
        """Queue a command. One for a child that has ended is dropped."""
        self._outbox.put(command)

    def wait(self, seconds: float) -> int | None:
        """The exit code, waiting at most ``seconds``; None when it still runs.

        Negative is the signal that killed it.
        """
        try:
            code = self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None
        self._collector.join(timeout=1)
        return code

    def kill(self) -> None:
        """End the child at once."""
        self._process.kill()

    # ---- threads

    @staticmethod
    def _thread(target: Callable[[], None]) -> threading.Thread:
        thread = threading.Thread(target=target, name="engine process", daemon=True)
        thread.start()
        return thread

    def _send_all(self, connection: Connection) -> None:
        while (command := self._outbox.get()) is not None:
            try:
                connection.send(command)
            except OSError:
                return  # the child has ended; the receiving thread tells

    def _receive(self, connection: Connection) -> None:
        while True:
            try:
                events = connection.recv()
            except (EOFError, OSError):
                break
            self._on_events(events)
        self._outbox.put(None)
        self._on_end()

    def _watch(self, connection: Connection) -> None:
        self._process.wait()
        time.sleep(LAST_WORDS_SECONDS)
        with (
            contextlib.suppress(OSError),
            socket.socket(fileno=os.dup(connection.fileno())) as ours,
        ):
            ours.shutdown(socket.SHUT_RD)

    def _collect(self, output: int) -> None:
        with os.fdopen(output, encoding="utf-8", errors="replace") as stream:
            for line in stream:
                if text := line.rstrip():
                    self._lines.append(text)
                    _log.info("engine: %s", text)


async def exit_code_of(process: EngineProcess) -> int | None:
    """Wait for a process that is about to end, and kill it when it does not.

    Returns:
        As :meth:`EngineProcess.wait` says.
    """
    code = await asyncio.to_thread(process.wait, SHUTDOWN_SECONDS)
    if code is None:
        process.kill()
        code = await asyncio.to_thread(process.wait, SHUTDOWN_SECONDS)
    return code


async def shut_down(process: EngineProcess) -> None:
    """End a process. Can be called again when it was cancelled."""
    process.send(Shutdown())
    await exit_code_of(process)
