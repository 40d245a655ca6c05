"""The engine's status, and telling everybody who watches of each change."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from qwenchat.engine.seam import EngineStatus, OnFallback
from qwenchat.errors import QwenChatError


class Board:
    """See ``seam.Engine`` for what watchers are told.

    Attributes:
        status: A new value at every change.
        changed: Set, and replaced by a new one, at every change of status.
    """

    def __init__(self, status: EngineStatus) -> None:
        self.status = status
        self.changed = asyncio.Event()
        self._watchers: set[Callable[[EngineStatus], None]] = set()
        self._fallback_watchers: set[OnFallback] = set()

    def watch(self, on_change: Callable[[EngineStatus], None]) -> Callable[[], None]:
        """Call ``on_change`` at every change of status; returns what ends that."""
        self._watchers.add(on_change)
        return lambda: self._watchers.discard(on_change)

    def watch_fallbacks(self, on_fallback: OnFallback) -> Callable[[], None]:
        """Call ``on_fallback`` at every going back; returns what ends that."""
        self._fallback_watchers.add(on_fallback)
        return lambda: self._fallback_watchers.discard(on_fallback)

    def show(self, status: EngineStatus) -> None:
        """Put up a status; one that is up already is no change. Each start has a ``Ready`` of
        its own, also where it says the same as the one before."""
        if status == self.status and status.ready is self.status.ready:
            return
        self.status = status
        self.changed.set()
        self.changed = asyncio.Event()
        for on_change in tuple(self._watchers):
            on_change(status)

    def went_back(self, failed: str, error: QwenChatError) -> None:
        """Tell that a model could not be loaded; the status names the one there is instead."""
        for on_fallback in tuple(self._fallback_watchers):
            on_fallback(failed, error)
