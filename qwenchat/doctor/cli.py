"""``python -m qwenchat doctor``."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from qwenchat.doctor.checkup import run_checks
from qwenchat.doctor.outcome import Check, Report, Status, problem
from qwenchat.doctor.subject import Subject
from qwenchat.doctor.table import closing, line, terminal_width, use_colours
from qwenchat.errors import QwenChatError


def main(arguments: Sequence[str] | None = None) -> int:
    """Look, tell, and return the exit status: 1 when there is a problem, else 0."""
    options, rest = _parser().parse_known_args(arguments)
    checks: list[Check] = []
    colours = use_colours(sys.stdout)
    for check in _checks(options, rest):
        checks.append(check)
        if not options.json:
            print(line(check, terminal_width(), colours=colours), flush=True)
    report = Report(tuple(checks))
    print(json.dumps(report.as_dict(), indent=2) if options.json else "\n" + closing(checks))
    return int(report.status is Status.PROBLEM)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m qwenchat doctor",
        description="Look at this machine, the installation and the data folder, say what is "
        "wrong and what to do about it. Exit status 1 when there is a problem.",
        epilog="Every setting of the app can be given too, such as --data-dir, --model, --port; "
        "`python app.py --help` lists them.",
        allow_abbrev=False,
    )
    parser.add_argument("--json", action="store_true", help="the report as JSON")
    parser.add_argument(
        "--no-token", action="store_true", help="do not load the demo model for one token"
    )
    return parser


def _checks(options: argparse.Namespace, rest: Sequence[str]) -> Iterator[Check]:
    subject, troubles = _subject(rest)
    yield from troubles
    yield from run_checks(subject, with_token=not options.no_token)


def _subject(arguments: Sequence[str]) -> tuple[Subject, list[Check]]:
    """Whom to look at; where the settings cannot be read, the defaults and the reason."""
    try:
        from qwenchat.settings.sources import load_settings

        return Subject.of(load_settings(arguments)), []
    except QwenChatError as error:
        what, _, rest = error.message.partition(". ")
        trouble = problem("settings", what, rest or "Correct it, or leave it out.")
    except ModuleNotFoundError as error:
        trouble = problem(
            "settings", f"not read: {error.name} is not installed", "See the line `packages`."
        )
    home = os.environ.get("XDG_DATA_HOME") or str(Path.home() / ".local/share")
    return Subject(Path(home) / "qwenchat"), [trouble]
