"""Ranges of a file's text."""

from __future__ import annotations

import pytest

from qwenchat.errors import InvalidRequest
from qwenchat.files.sections import checked_range, count_of, section, unit_of

PAGES = "one\n\ftwo\n\f\ffour"


@pytest.mark.parametrize(
    ("text", "unit", "count"),
    [(PAGES, "page", 4), ("a\nb\n", "line", 3), ("", "line", 1), ("abc", "character", 3)],
)
def test_units_are_counted(text: str, unit: str, count: int) -> None:
    assert count_of(text, unit) == count


@pytest.mark.parametrize(
    ("unit", "first", "last", "expected"),
    [
        ("page", 1, 2, "one\n\ntwo"),
        ("page", 4, 4, "four"),
        ("page", None, None, "one\n\ntwo\n\n\n\nfour"),
        ("line", 2, 2, "\ftwo"),
        ("line", None, None, PAGES),
        ("character", 2, 3, "ne"),
    ],
)
def test_a_range_is_cut_out(unit: str, first: int, last: int, expected: str) -> None:
    assert section(PAGES, unit, first, last) == expected


@pytest.mark.parametrize("unit", ["line", "character"])
def test_ranges_side_by_side_are_the_whole(unit: str) -> None:
    text = "a\n\nb\tc\n"
    count = count_of(text, unit)
    glue = "\n" if unit == "line" else ""
    for cut in range(1, count):
        assert section(text, unit, 1, cut) + glue + section(text, unit, cut + 1, None) == text


def test_lines_that_are_too_long_are_counted_in_characters() -> None:
    assert unit_of("short\n" * 9000) == "line"
    assert unit_of("short\n" + "x" * 4001) == "character"


@pytest.mark.parametrize(
    ("first", "last", "expected"),
    [(None, None, (None, None)), (1, 9, (None, None)), (2, None, (2, 9)), (None, 3, (1, 3))],
)
def test_a_range_that_is_everything_is_none(first: int, last: int, expected: tuple) -> None:
    assert checked_range(first, last, 9) == expected


@pytest.mark.parametrize(("first", "last"), [(0, 1), (3, 2), (1, 10), (10, 10), (-1, None)])
def test_a_range_beyond_the_file_is_refused(first: int, last: int) -> None:
    with pytest.raises(InvalidRequest, match="1 to 9"):
        checked_range(first, last, 9)
