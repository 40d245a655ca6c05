"""What the doctor says: checks, and the report they make."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any


class Status(StrEnum):
    """How it is: fine, worth knowing, or in the way of QwenChat."""

    OK = "ok"
    WARNING = "warning"
    PROBLEM = "problem"


@dataclass(frozen=True, slots=True)
class Check:
    """One line of the report.

    Attributes:
        name: What was looked at.
        summary: What was found, in one line.
        detail: More of it, such as another program's own words; may be empty.
        fix: What to do about it; empty when there is nothing to do.
    """

    name: str
    status: Status
    summary: str
    detail: str = ""
    fix: str = ""


def ok(name: str, summary: str, detail: str = "") -> Check:
    """Nothing to do."""
    return Check(name, Status.OK, summary, detail)


def warning(name: str, summary: str, fix: str, detail: str = "") -> Check:
    """QwenChat runs, but not as well as it could."""
    return Check(name, Status.WARNING, summary, detail, fix)


def problem(name: str, summary: str, fix: str, detail: str = "") -> Check:
    """QwenChat does not run, or not with what was asked for."""
    return Check(name, Status.PROBLEM, summary, detail, fix)


@dataclass(frozen=True, slots=True)
class Report:
    """All that was found."""

    checks: tuple[Check, ...]

    @property
    def status(self) -> Status:
        """The worst of all checks."""
        order = list(Status)
        return max((check.status for check in self.checks), key=order.index, default=Status.OK)

    def as_dict(self) -> dict[str, Any]:
        """The report as JSON shows it."""
        return {"checks": [asdict(check) for check in self.checks], "status": self.status}
