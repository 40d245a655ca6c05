"""Long work on a model in a process of its own: what both of its ends say.

The worker reports in lines of JSON on its standard output::

    {"stage": "Downloading", "done": 1048576, "total": 988097824}
    {"detail": {…}}                               more than a bar shows; each worker's own
    {"path": "…"}                                 the last line when it went well
    {"error": {"code": "disk_full", …}}           or when it did not

It may be killed at any time, and ends by itself when its standard input does, that is,
when the process that started it is gone.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TextIO

import qwenchat
from qwenchat.errors import ModelError, QwenChatError, error_from_code
from qwenchat.models.manifest import Progress

_REPORT_SECONDS = 0.2
_STDERR_BYTES_KEPT = 4096
_LINE_BYTES = 1 << 24
"""The longest line that is read; the list of a model's files is one line."""

Detail = dict[str, Any]

# ---- the worker's end


class Reporter:
    """Writes the lines.

    Called as a :data:`Progress`, it says so at most five times a second, and each new stage
    at once.
    """

    def __init__(self, output: TextIO) -> None:
        self._output = output
        self._lock = threading.Lock()
        self._last = ("", 0.0)

    def __call__(self, stage: str, done: int, total: int) -> None:
        now = time.monotonic()
        last_stage, at = self._last
        if stage != last_stage or now - at >= _REPORT_SECONDS or done == total:
            self._last = (stage, now)
            self.progress(stage, done, total)

    def line(self, content: dict[str, Any]) -> None:
        with self._lock:
            self._output.write(json.dumps(content) + "\n")
            self._output.flush()

    def detail(self, content: Detail) -> None:
        """Say more than a bar shows."""
        self.line({"detail": content})

    def progress(self, stage: str, done: int, total: int) -> None:
        """Say how far it is, in any case."""
        self.line({"stage": stage, "done": done, "total": total})


def run_as_worker(work: Callable[[Reporter], Path]) -> int:
    """Do ``work`` as the whole of this process, reporting; returns its exit status."""
    # Whatever libraries print goes to standard error: the other one is for our lines.
    reporter = Reporter(os.fdopen(os.dup(1), "w", encoding="utf-8"))
    os.dup2(2, 1)
    _end_with_parent()
    try:
        path = work(reporter)
    except QwenChatError as error:
        reporter.line({"error": error.as_dict()})
        return 1
    reporter.line({"path": str(path)})
    return 0


def _end_with_parent() -> None:
    def wait_for_end() -> None:
        os.read(0, 1)
        os._exit(1)

    threading.Thread(target=wait_for_end, daemon=True).start()


# ---- the end that starts it


class WorkerEnded(ModelError):
    """The worker ended without a result; the message says how."""

    code = "worker_ended"


async def run_worker(
    module: str,
    arguments: list[str],
    on_progress: Progress | None,
    on_detail: Callable[[Detail], None] | None = None,
) -> Path:
    """Run ``python -m module arguments`` and return the path it reports.

    Cancelling the task ends the process.

    Args:
        on_progress: Called on the event loop with a stage to show, done and total bytes
            (0 of 0 where there is nothing to count).
        on_detail: Called on the event loop with what that worker says besides.

    Raises:
        WorkerEnded: It ended without a result.
        QwenChatError: What the worker reports.
    """
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        module,
        *arguments,
        env=_environment(),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        limit=_LINE_BYTES,
        # Ctrl-C in the terminal is for this process, which then ends that one.
        start_new_session=True,
    )
    assert process.stdout is not None and process.stderr is not None
    try:
        last, errors = await asyncio.gather(
            _follow(process.stdout, on_progress, on_detail), _tail(process.stderr)
        )
        await process.wait()
    finally:
        if process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()
    if "path" in last:
        return Path(last["path"])
    if "error" in last:
        error = last["error"]
        raise error_from_code(error["code"], error["message"], error["param"])
    raise WorkerEnded(f"exit status {process.returncode}{_reason(errors)}")


def _environment() -> dict[str, str]:
    root = str(Path(qwenchat.__file__).resolve().parent.parent)
    inherited = os.environ.get("PYTHONPATH")
    return os.environ | {"PYTHONPATH": os.pathsep.join([root] + ([inherited] if inherited else []))}


async def _follow(
    output: asyncio.StreamReader,
    on_progress: Progress | None,
    on_detail: Callable[[Detail], None] | None,
) -> dict[str, Any]:
    """Pass reports on until the output ends; returns the last line that is none."""
    last: dict[str, Any] = {}
    async for line in output:
        try:
            content = json.loads(line)
        except ValueError:
            continue
        if "stage" in content:
            if on_progress is not None:
                on_progress(content["stage"], content["done"], content["total"])
        elif "detail" in content:
            if on_detail is not None:
                on_detail(content["detail"])
        else:
            last = content
    return last


async def _tail(output: asyncio.StreamReader) -> str:
    kept = b""
    while block := await output.read(_STDERR_BYTES_KEPT):
        kept = (kept + block)[-_STDERR_BYTES_KEPT:]
    return kept.decode("utf-8", "replace")


def _reason(errors: str) -> str:
    lines = errors.strip().splitlines()
    return f": {lines[-1]}" if lines else ""
