"""What the pages of one browser reported (``observe.js``)."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playwright.sync_api import BrowserContext

_SCRIPT = Path(__file__).with_name("observe.js")
PENDING = "pending"
"""The id of a message that is still on its way."""


@dataclass(frozen=True)
class Shown:
    """A message as a page showed it.

    Attributes:
        conversation: What the address bar named.
        letters: Its text without anything but letters.
    """

    conversation: str
    message_id: str
    role: str
    letters: str


@dataclass(frozen=True)
class Accepted:
    """A message that a page got an answer 202 for."""

    conversation: str
    user_id: str
    assistant_id: str


@dataclass
class Observed:
    """Filled while the pages of a context run; ``errors`` are uncaught ones of theirs."""

    shown: list[Shown] = field(default_factory=list)
    accepted: list[Accepted] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def watch(self, context: BrowserContext) -> None:
        """Watch every page that the context opens from now on."""
        context.expose_binding("observed", lambda source, report: self._take(report))
        context.add_init_script(path=_SCRIPT)
        context.on("weberror", lambda error: self.errors.append(str(error.error)))

    def _take(self, report: dict[str, Any]) -> None:
        if report["kind"] == "accepted":
            accepted = Accepted(report["conversation"], report["user"], report["assistant"])
            self.accepted.append(accepted)
        elif report["messageId"] != PENDING:
            self.shown.append(
                Shown(report["open"], report["messageId"], report["role"], report["letters"])
            )


def letters_of(text: str) -> str:
    """As ``observe.js`` takes them."""
    return "".join(filter(str.isalpha, text))
