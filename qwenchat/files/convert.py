"""Having a file read as text, by a process of its own that ends with it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path

import qwenchat
from qwenchat.errors import UnreadableFile, error_from_code
from qwenchat.files.kinds import Kind
from qwenchat.files.sections import Unit

MODULE = "qwenchat.files.worker"
SECONDS = 90.0
"""Of waiting, at most; the process itself has less time of the processor."""


@dataclass(frozen=True, slots=True)
class Converted:
    """A file as text.

    Attributes:
        unit: What a range of it is counted in.
        cut: There was more than could be kept.
    """

    kind: Kind
    unit: Unit
    text: str
    cut: bool


async def convert(path: Path, name: str, seconds: float = SECONDS) -> Converted:
    """The text of the file at ``path``. Cancelling the task ends the process.

    Args:
        name: As the person knows it, for its kind and for messages.
        seconds: How long it may take.

    Raises:
        UnsupportedFile: It is of a kind that is not read.
        UnreadableFile: It is damaged, locked, without text, or takes too long.
    """
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        MODULE,
        str(path.absolute()),
        name,
        env=_environment(),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        async with asyncio.timeout(seconds):
            output, _ = await process.communicate()
    except TimeoutError:
        raise UnreadableFile(
            f"{name} takes too long to be read. Save the part you need as a file of its own, then "
            "add that.",
            param="file",
        ) from None
    finally:
        if process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()
    head, _, body = output.partition(b"\n")
    try:
        found = json.loads(head)
    except ValueError:
        raise UnreadableFile(
            f"{name} cannot be read: reading it failed (exit status {process.returncode}). Open "
            "it, save it anew, then add that.",
            param="file",
        ) from None
    if error := found.get("error"):
        raise error_from_code(error["code"], error["message"], error["param"])
    return Converted(found["kind"], found["unit"], body.decode(), found["cut"])


def _environment() -> dict[str, str]:
    """Only what Python needs: no proxy, no token, no search path of programs."""
    root = str(Path(qwenchat.__file__).resolve().parent.parent)
    inherited = os.environ.get("PYTHONPATH")
    paths = [root, *([inherited] if inherited else [])]
    return {"PYTHONPATH": os.pathsep.join(paths), "PYTHONUTF8": "1", "PYTHONDONTWRITEBYTECODE": "1"}
