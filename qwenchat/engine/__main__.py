"""Entry of the engine process: ``python -m qwenchat.engine FILE_DESCRIPTOR``.

Started by ``process.py`` with one end of a socket pair. A thread does nothing but read
that socket: commands go to the inbox, and its end means the web process is gone, in which
case this process ends at once, whatever it is doing.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import queue
import sys
import threading
import time
import traceback
from collections.abc import Sequence
from multiprocessing.connection import Connection

from qwenchat.engine import worker
from qwenchat.engine.protocol import READING_WEIGHTS, Event, Failed, Load, Loading
from qwenchat.errors import EngineStartFailed

OPTIONAL_BROKEN = ("torchvision", "torchaudio", "torchcodec")


def hide_broken_modules(names: Sequence[str] = OPTIONAL_BROKEN) -> list[str]:
    """Make modules that are installed but cannot be imported look absent.

    The CUDA builds of these, beside a CPU torch, fail to load, and then so does every
    model in transformers that looks whether they are there. Text chat needs none of them.

    Returns:
        The names hidden.
    """
    hidden = []
    for name in names:
        if importlib.util.find_spec(name) is None:
            continue
        try:
            importlib.import_module(name)
        except Exception as error:  # a broken build raises anything: OSError, RuntimeError …
            for loaded in [m for m in sys.modules if m == name or m.startswith(f"{name}.")]:
                del sys.modules[loaded]
            sys.modules[name] = None  # type: ignore[assignment]
            hidden.append(name)
            print(f"{name} is installed but broken, and is ignored: {error}", file=sys.stderr)
    return hidden


class _Pipe:
    """The socket: a reader thread, and sending that several threads may use."""

    def __init__(self, connection: Connection) -> None:
        self.inbox: worker.Inbox = queue.SimpleQueue()
        self._connection = connection
        self._lock = threading.Lock()
        threading.Thread(target=self._read, name="commands", daemon=True).start()

    def _read(self) -> None:
        while True:
            try:
                command = self._connection.recv()
            except (EOFError, OSError):
                os._exit(0)
            self.inbox.put(command)

    def emit(self, events: Sequence[Event]) -> None:
        with self._lock:
            self._connection.send(tuple(events))


def resident_bytes() -> int:
    """Resident memory of this process."""
    with open("/proc/self/statm", encoding="ascii") as statm:
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


class _LoadProgress:
    """Says loading stages; while weights are read, the growth of resident memory tells how
    far that is (vLLM has no callback for it, and this holds for every weight format)."""

    def __init__(self, pipe: _Pipe, weights_bytes: int) -> None:
        self._pipe = pipe
        self._weights_bytes = weights_bytes
        self._stage = ""

    def stage(self, name: str) -> None:
        self._stage = name
        counted = name == READING_WEIGHTS
        self._pipe.emit([Loading(name, 0, self._weights_bytes if counted else 0)])
        if counted:
            threading.Thread(target=self._watch, name="progress", daemon=True).start()

    def finish(self) -> None:
        self._stage = ""

    def _watch(self) -> None:
        before = resident_bytes()
        while self._stage == READING_WEIGHTS:
            done = min(self._weights_bytes, max(0, resident_bytes() - before))
            self._pipe.emit([Loading(READING_WEIGHTS, done, self._weights_bytes)])
            time.sleep(0.25)


def main() -> None:
    """Load, then serve; exit status 1 when either fails."""
    pipe = _Pipe(Connection(int(sys.argv[1])))
    load = pipe.inbox.get()
    assert isinstance(load, Load)
    try:
        progress = _LoadProgress(pipe, load.weights_bytes)
        progress.stage("Starting vLLM")
        hide_broken_modules()
        from qwenchat.engine import vllm_engine

        engine, ready = vllm_engine.load_engine(load, progress.stage)
        progress.finish()
        pipe.emit([ready])
        worker.run(engine, pipe.inbox, pipe.emit)
    except BaseException as error:
        traceback.print_exc()
        sys.stderr.flush()
        last = f"{type(error).__name__}: {error}".strip()
        pipe.emit([Failed(None, EngineStartFailed.code, last)])
        os._exit(1)
    # Skip the destructors of torch and vLLM: nothing is left to save, and they take seconds.
    os._exit(0)


if __name__ == "__main__":
    main()
