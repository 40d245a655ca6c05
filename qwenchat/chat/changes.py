"""How watchers learn that something changed, without a queue for each of them."""

from __future__ import annotations

from collections.abc import Callable


class Changes:
    """A bell: it says that something changed, never what.

    Watchers look up the values that interest them and compare with what they saw last. So
    a slow watcher misses intermediate values but nothing piles up for it.
    """

    def __init__(self) -> None:
        self._watchers: set[Callable[[], None]] = set()

    def watch(self, on_change: Callable[[], None]) -> Callable[[], None]:
        """Call ``on_change`` at every change, on the event loop; returns what ends that."""
        self._watchers.add(on_change)
        return lambda: self._watchers.discard(on_change)

    def notify(self) -> None:
        """Ring."""
        for on_change in tuple(self._watchers):
            on_change()
