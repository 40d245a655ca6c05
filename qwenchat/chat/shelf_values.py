"""Names and texts of what stands on a shelf, checked as they come in."""

from __future__ import annotations

from typing import Any

from qwenchat.errors import InvalidRequest
from qwenchat.store.columns import storable

LONGEST_NAME = 60


def free_name(name: str, taken: set[str]) -> str:
    """``name``, or with the first number behind it that makes it another."""
    number, free = 2, name
    while free in taken:
        tail = f" {number}"
        free = name[: LONGEST_NAME - len(tail)].rstrip() + tail
        number += 1
    return free


def checked_name(value: Any) -> str:
    """A name as it is kept: one line.

    Raises:
        InvalidRequest: It is no text, is empty, or too long.
    """
    return checked_line(value, "name", "A name", LONGEST_NAME, least=1)


def checked_line(value: Any, param: str, what: str, most: int, *, least: int = 0) -> str:
    """A text of one line with at least ``least`` and at most ``most`` characters.

    Raises:
        InvalidRequest: It is none.
    """
    line = " ".join(checked_text(value, param, what, 100 * most).split())
    if len(line) < least:
        raise InvalidRequest(f"{what} needs at least one character.", param=param)
    if len(line) > most:
        raise InvalidRequest(
            f"{what} has at most {most} characters; this one has {len(line):,}.", param=param
        )
    return line


def checked_text(value: Any, param: str, what: str, most: int) -> str:
    """A text of at most ``most`` characters, as it can be kept.

    Raises:
        InvalidRequest: It is none.
    """
    if not isinstance(value, str):
        raise InvalidRequest(f"{what} must be text.", param=param)
    if len(value) > most:
        raise InvalidRequest(
            f"{what} has at most {most:,} characters; this one has {len(value):,}. Shorten it.",
            param=param,
        )
    return storable(value)
