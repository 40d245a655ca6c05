"""The report for a terminal: one line a check, what to do below it."""

from __future__ import annotations

import os
import shutil
import textwrap
from collections.abc import Mapping, Sequence
from typing import TextIO

from qwenchat.doctor.outcome import Check, Status

WIDEST = 100
_COLOURS = {Status.OK: "32", Status.WARNING: "33", Status.PROBLEM: "1;31"}
_STATUS_COLUMN = len(Status.PROBLEM) + 1
_NAME_COLUMN = 14
_INDENT = " " * (_STATUS_COLUMN + _NAME_COLUMN)


def use_colours(stream: TextIO, environment: Mapping[str, str] | None = None) -> bool:
    """Only for a person's terminal that has not asked for none (https://no-color.org)."""
    given = os.environ if environment is None else environment
    return stream.isatty() and not given.get("NO_COLOR") and given.get("TERM") != "dumb"


def terminal_width() -> int:
    """Columns to fill."""
    return min(shutil.get_terminal_size().columns, WIDEST)


def line(check: Check, width: int, *, colours: bool) -> str:
    """One check as one or more lines of at most ``width`` columns, but for long paths."""
    status = f"{check.status:<{_STATUS_COLUMN}}"
    if colours:
        status = f"\033[{_COLOURS[check.status]}m{status}\033[0m"
    name = f"{check.name:<{_NAME_COLUMN - 1}} "
    room = width - len(_INDENT)
    summary = _wrapped(check.summary, room)
    if len(check.name) >= _NAME_COLUMN:
        lines = [status + check.name, *(_INDENT + text for text in summary)]
    else:
        lines = [status + name + summary[0], *(_INDENT + text for text in summary[1:])]
    if check.status is not Status.OK:
        lines += [_INDENT + text for text in _wrapped(check.detail, room)]
        lines += [_INDENT + text for text in _wrapped(f"-> {check.fix}", room, "   ")]
    return "\n".join(lines)


def closing(checks: Sequence[Check]) -> str:
    """The last line: what came of it."""
    counts = {status: sum(check.status is status for check in checks) for status in Status}
    parts = [f"{counts[Status.OK]} ok"]
    for status in (Status.WARNING, Status.PROBLEM):
        if counts[status]:
            parts.append(f"{counts[status]} {status}{'s' if counts[status] > 1 else ''}")
    guide = " Each failure is explained in docs/cpu-guide.md." if counts[Status.PROBLEM] else ""
    return ", ".join(parts) + "." + guide


def _wrapped(text: str, width: int, indent: str = "") -> list[str]:
    lines: list[str] = []
    for part in text.splitlines():
        # No path is broken, so that it can be copied.
        lines += textwrap.wrap(
            part, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
        )
    return lines
