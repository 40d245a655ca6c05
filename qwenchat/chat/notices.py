"""What the person should know of data or model, until they have read it or it is over."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

NoticeKind = Literal["recovered", "not_saved", "model"]


@dataclass(frozen=True, slots=True)
class Notice:
    """A paragraph to show; one of each kind at a time."""

    kind: NoticeKind
    message: str


class Notices:
    """The notices that hold now; ``on_change`` is called when they change."""

    def __init__(self, on_change: Callable[[], None]) -> None:
        self._on_change = on_change
        self._by_kind: dict[str, Notice] = {}
        self.revision = 0

    def all(self) -> tuple[Notice, ...]:
        """Every notice, oldest first."""
        return tuple(self._by_kind.values())

    def put(self, notice: Notice) -> None:
        """Show a notice, in place of an earlier one of its kind."""
        if self._by_kind.get(notice.kind) != notice:
            self._by_kind[notice.kind] = notice
            self._changed()

    def remove(self, kind: str) -> None:
        """Take a notice away, if it is there."""
        if self._by_kind.pop(kind, None):
            self._changed()

    def _changed(self) -> None:
        self.revision += 1
        self._on_change()
