"""Ranges of a file's text: pages of a PDF, lines of what has lines, else characters."""

from __future__ import annotations

from typing import Literal, get_args

from qwenchat.errors import InvalidRequest

Unit = Literal["page", "line", "character"]
UNITS: tuple[Unit, ...] = get_args(Unit)

PAGE_BREAK = "\f"
"""Between the pages in the text of a PDF, as pdftotext writes it."""
LONGEST_LINE = 4000
"""Characters. With a longer line the lines are no use for choosing a range."""


def unit_of(text: str) -> Unit:
    """What a range of ``text``, which has no pages, is counted in."""
    longest = max(map(len, text.split("\n")))
    return "line" if longest <= LONGEST_LINE else "character"


def count_of(text: str, unit: Unit) -> int:
    """How many units ``text`` has; at least 1."""
    if unit == "character":
        return max(1, len(text))
    return text.count(PAGE_BREAK if unit == "page" else "\n") + 1


def section(text: str, unit: Unit, first: int | None, last: int | None) -> str:
    """The units from ``first`` to ``last`` of ``text``, both counted from 1 and included.

    Args:
        first: None is the first there is.
        last: None is the last.
    """
    start = (first or 1) - 1
    if unit == "character":
        return text[start:last]
    if unit == "page":
        pages = text.split(PAGE_BREAK)[start:last]
        return "\n\n".join(page.strip("\n") for page in pages)
    return "\n".join(text.split("\n")[start:last]) if start or last is not None else text


def checked_range(first: int | None, last: int | None, count: int) -> tuple[int | None, int | None]:
    """A range of ``count`` units; (None, None) where it is all of them.

    Raises:
        InvalidRequest: It is not within 1 and ``count``, or ends before it begins.
    """
    start, end = first or 1, count if last is None else last
    if (first is not None and first < 1) or end < start or end > count:
        raise InvalidRequest(
            f"The range {start:,} to {end:,} is not within this file, which has 1 to {count:,}. "
            "Choose another range.",
            param="files",
        )
    return (None, None) if (start, end) == (1, count) else (start, end)
