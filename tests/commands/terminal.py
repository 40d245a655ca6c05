"""A command run as a person runs it: a process of its own, with a terminal or without."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
import termios
from collections.abc import Callable
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]

_CODE = "import sys; from qwenchat.commands.run import run; run(sys.argv[1:])"
_IN_TERMINAL = (
    "import fcntl, os, termios; os.setsid(); fcntl.ioctl(0, termios.TIOCSCTTY, 0); " + _CODE
)


def started(*arguments: str) -> subprocess.Popen[str]:
    """The command as a process without a terminal, whose output is to be read."""
    return subprocess.Popen(
        [sys.executable, "-c", _CODE, *arguments],
        cwd=PROJECT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def ended(*arguments: str) -> tuple[int, str, str]:
    """Run a command to its end; returns exit status, output, and errors on one line."""
    process = started(*arguments)
    output, errors = process.communicate(timeout=60)
    return process.returncode, output, " ".join(errors.split())


class Terminal:
    """A terminal of 100 columns with a command in it, which ends with the block at the latest.

    Attributes:
        shown: Everything that was written to it.
    """

    def __init__(self, *arguments: str) -> None:
        self._ours, theirs = pty.openpty()
        termios.tcsetwinsize(theirs, (24, 100))
        self.process = subprocess.Popen(
            [sys.executable, "-c", _IN_TERMINAL, *arguments],
            cwd=PROJECT,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
        )
        os.close(theirs)
        self.shown = ""

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self._ours)

    @property
    def line(self) -> str:
        """The line that was written last; empty before there is any."""
        return self.lines[-1] if self.lines else ""

    @property
    def lines(self) -> list[str]:
        """Every state the current line was in, and every line above it."""
        plain = re.sub(r"\x1b\[K", "", self.shown)
        return [line for line in re.split(r"[\r\n]+", plain) if line]

    def read_until(self, holds: Callable[[], bool]) -> None:
        """Read until something is so, or the command has ended."""
        while not holds():
            try:
                block = os.read(self._ours, 65_536)
            except OSError:
                return
            if not block:
                return
            self.shown += block.decode()

    def type(self, text: str) -> None:
        """Press keys."""
        os.write(self._ours, text.encode())

    def end(self) -> int:
        """Read the rest; returns the exit status."""
        self.read_until(lambda: False)
        return self.process.wait(timeout=30)
