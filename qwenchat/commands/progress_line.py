"""One line that shows how far something is: rewritten in a terminal, now and then elsewhere."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from typing import TextIO

from qwenchat.commands.words import duration_text, size_text
from qwenchat.models.download_state import Download

_PLAIN_SECONDS = 5.0
_BAR_CELLS = 10
"""So that the longest line, with minutes left, fits a terminal of 80 columns."""


class ProgressLine:
    """Shows one thing's progress.

    Args:
        output: Where; a terminal gets one line that is rewritten, all else a line every five
            seconds and at each new stage.
    """

    def __init__(self, output: TextIO, clock: Callable[[], float] = time.monotonic) -> None:
        self._output = output
        self._clock = clock
        self._rewrites = output.isatty()
        self._open = False
        self._stage = ""
        self._at = float("-inf")
        self._last = ""

    def show(self, stage: str, text: str) -> None:
        """Show ``text``; ``stage`` is what it is about."""
        if self._rewrites:
            width = shutil.get_terminal_size().columns - 1
            self._write(f"\r{text[:width]}\x1b[K")
            self._open = True
            return
        now = self._clock()
        self._last = text
        if stage != self._stage or now - self._at >= _PLAIN_SECONDS:
            self._stage, self._at, self._last = stage, now, ""
            self._write(text + "\n")

    def say(self, text: str) -> None:
        """A line that stays, above the progress."""
        self._write(f"\r{text}\x1b[K\n" if self._rewrites else f"{text}\n")

    def end(self) -> None:
        """Leave what was shown last standing, and go to the next line."""
        if self._open:
            self._write("\n")
        elif self._last:
            self._write(self._last + "\n")
        self._open, self._last = False, ""

    def _write(self, text: str) -> None:
        self._output.write(text)
        self._output.flush()


def download_text(download: Download) -> str:
    """A download in one line: bar, percent, bytes, rate, time left."""
    if download.state == "queued":
        return "Waiting"
    if download.state == "verifying":
        return share_text(download.stage, download.checked_bytes, download.to_check_bytes)
    if download.total_bytes == 0 or download.stage not in ("Downloading", ""):
        return download.stage or "Starting"
    parts = [share_text("Downloading", download.done_bytes, download.total_bytes)]
    if download.bytes_per_second > 0:
        parts.append(f"{size_text(download.bytes_per_second)}/s")
    if download.seconds_left is not None and download.done_bytes < download.total_bytes:
        parts.append(f"{duration_text(download.seconds_left)} left")
    if download.note and download.state == "running":
        parts.append(download.note)
    return "  ".join(parts)


def share_text(what: str, done: int, total: int) -> str:
    """A bar, percent and bytes. It says 100 % only when it is."""
    share = done / total if total else 0.0
    cells = int(share * _BAR_CELLS)
    bar = "█" * cells + "░" * (_BAR_CELLS - cells)
    return f"{what}  {bar} {int(100 * share):3} %  {size_text(done)} of {size_text(total)}"
