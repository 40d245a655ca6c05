"""The report as a terminal shows it."""

from __future__ import annotations

import io
import re

import pytest

from qwenchat.doctor.outcome import Check, Report, Status, ok, problem, warning
from qwenchat.doctor.table import closing, line, use_colours

LONG = "words that go on and on " * 10
PATH = "/a/very/long/path/" + "x" * 90


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("width", [60, 80, 100])
@pytest.mark.parametrize(
    "check",
    [
        ok("torch", LONG),
        warning("a name that is too long", LONG, LONG, LONG),
        problem("torch", LONG, LONG, f"{LONG}\n{LONG}"),
    ],
)
def test_no_line_is_wider_than_the_terminal(check: Check, width: int) -> None:
    shown = line(check, width, colours=False)
    assert max(map(len, shown.splitlines())) <= width


def test_a_path_is_never_broken() -> None:
    assert PATH in line(problem("folder", "x", "y", PATH), 80, colours=False)


def test_what_to_do_stands_below_what_was_found() -> None:
    shown = line(problem("torch", "a CUDA build", "Reinstall it.", "said so"), 80, colours=False)
    assert shown.splitlines() == [
        "problem torch         a CUDA build",
        "                      said so",
        "                      -> Reinstall it.",
    ]


def test_details_of_what_is_all_right_are_left_to_json() -> None:
    assert line(ok("models", "2 ready", "here"), 80, colours=False).split() == [
        *("ok", "models", "2", "ready")
    ]


def test_colours_change_nothing_but_colour() -> None:
    check = warning("torch", "old", "renew")
    coloured = line(check, 80, colours=True)
    assert "\033[33m" in coloured
    assert re.sub(r"\033\[[\d;]*m", "", coloured) == line(check, 80, colours=False)


@pytest.mark.parametrize(
    ("stream", "environment", "wanted"),
    [
        (_Terminal(), {}, True),
        (io.StringIO(), {}, False),
        (_Terminal(), {"NO_COLOR": "1"}, False),
        (_Terminal(), {"NO_COLOR": ""}, True),
        (_Terminal(), {"TERM": "dumb"}, False),
    ],
)
def test_colours_are_for_terminals_that_want_them(
    stream: io.StringIO, environment: dict[str, str], wanted: bool
) -> None:
    assert use_colours(stream, environment) is wanted


@pytest.mark.parametrize(
    ("checks", "status", "words"),
    [
        ([ok("a", "x")], "ok", "1 ok."),
        ([ok("a", "x"), warning("b", "x", "y")], "warning", "1 ok, 1 warning."),
        (
            [problem("a", "x", "y"), warning("b", "x", "y"), problem("c", "x", "y")],
            "problem",
            "0 ok, 1 warning, 2 problems. Each failure is explained in docs/cpu-guide.md.",
        ),
    ],
)
def test_the_worst_check_is_the_reports_status(
    checks: list[Check], status: str, words: str
) -> None:
    assert Report(tuple(checks)).status == status
    assert closing(checks) == words


def test_json_has_every_field_of_every_check() -> None:
    found = Report((problem("a", "s", "f", "d"),)).as_dict()
    check = {"name": "a", "status": "problem", "summary": "s", "detail": "d", "fix": "f"}
    assert found == {"checks": [check], "status": Status.PROBLEM}
