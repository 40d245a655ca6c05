"""Numbers as people read them in a terminal, and complaints."""

from __future__ import annotations

import shutil
import sys
import textwrap
import time

_UNITS = (("TB", 10**12), ("GB", 10**9), ("MB", 10**6), ("KB", 10**3))


def size_text(size: float) -> str:
    """Bytes in decimal units, with three digits: ``1.23 GB``."""
    for unit, factor in _UNITS:
        # 999.6 KB would be shown as 1000 KB.
        if size >= 0.9995 * factor:
            value = size / factor
            digits = 2 if value < 9.995 else 1 if value < 99.95 else 0
            return f"{value:.{digits}f} {unit}"
    return f"{size:.0f} bytes"


def duration_text(seconds: float) -> str:
    """A duration, finer the shorter it is: ``54 s``, ``3 min 20 s``, ``2 h 5 min``."""
    whole = max(1, round(seconds))
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    if whole < 48 * 3600:
        return f"{whole // 3600} h {whole % 3600 // 60} min"
    return f"{whole // 86400} days"


def moment_text(when: float | None, now: float | None = None) -> str:
    """How long ago something was, in the largest unit; seconds since 1970."""
    if when is None:
        return "never"
    ago = (time.time() if now is None else now) - when
    for unit, length in (("day", 86400), ("hour", 3600), ("minute", 60)):
        if ago >= length:
            count = int(ago // length)
            return f"{count} {unit}{'s' if count > 1 else ''} ago"
    return "just now"


def complain(message: str) -> None:
    """Say to standard error what went wrong, in lines that fit the terminal."""
    width = min(shutil.get_terminal_size().columns, 100)
    # No path is broken, so that it can be copied.
    wrapped = textwrap.fill(message, width, break_long_words=False, break_on_hyphens=False)
    print(wrapped, file=sys.stderr, flush=True)
