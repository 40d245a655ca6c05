"""Another model while the app runs: refused at once where that can be known, remembered once
it has loaded, told of when it has not."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from logging import getLogger
from pathlib import Path

from qwenchat.engine.seam import Engine, EngineStatus
from qwenchat.errors import QwenChatError
from qwenchat.hosting.choice import Choice, write_choice
from qwenchat.hosting.preparing import Preparer, shown_name

_START_FAILED = "The engine could not start: "
"""How the engine begins to say why; the notice says so in its own words."""

_log = getLogger(__name__)


class Switcher:
    """Which model the engine has, and how it gets another.

    Args:
        choice: What the engine loads at the start.
        fallback: What it loads when it cannot; None for nothing.
    """

    def __init__(
        self, engine: Engine, preparer: Preparer, choice: Choice, fallback: Choice | None = None
    ) -> None:
        self._engine = engine
        self._preparer = preparer
        self._choice = choice
        self._before = fallback
        self._has_loaded = False
        self._to_remember: Choice | None = None
        self._switching = asyncio.Lock()
        self._writing = asyncio.Lock()
        self._writes: set[asyncio.Task[None]] = set()
        self._watchers: set[Callable[[], None]] = set()
        self._fallback_watchers: set[Callable[[str], None]] = set()
        engine.watch(self._look)
        engine.watch_fallbacks(self._went_back)

    @property
    def choice(self) -> Choice:
        """What is loaded or loading."""
        return self._choice

    @property
    def snapshot(self) -> Path | None:
        """The folder of what is loaded or loading; None before it is found."""
        return self._preparer.folder(self._choice)

    @property
    def in_use(self) -> set[Path]:
        """The folders of what is loaded or loading, and of what takes its place when that fails."""
        choices = [self._choice] + ([self._before] if self._before else [])
        return {folder for choice in choices if (folder := self._preparer.folder(choice))}

    def watch(self, on_change: Callable[[], None]) -> Callable[[], None]:
        """Call ``on_change`` when :attr:`choice` changes; returns what ends that."""
        self._watchers.add(on_change)
        return lambda: self._watchers.discard(on_change)

    def watch_fallbacks(self, on_fallback: Callable[[str], None]) -> Callable[[], None]:
        """Call ``on_fallback`` with words to show when a model could not be loaded and another
        is loaded instead; returns what ends that."""
        self._fallback_watchers.add(on_fallback)
        return lambda: self._fallback_watchers.discard(on_fallback)

    async def switch(self, choice: Choice) -> None:
        """Have the engine load a model; what it had is back when that does not work.

        Returns when loading has begun. What is loaded or loading already is left as it is. Of
        several calls at once the last one counts.

        Raises:
            ModelError: It cannot be loaded, as is known beforehand. Nothing has changed.
        """
        async with self._switching:
            if choice != self._choice or self._has_failed:
                await self._preparer.check(choice, self._engine.resident_bytes)
                # As the engine does: back to the last that was ready; where none was, to the
                # one before, unless that has failed.
                if self._before is None and not self._has_failed:
                    self._before = self._choice
                self._set_choice(choice)
                await self._engine.switch(self._preparer.prepare(choice), shown_name(choice))
            self._to_remember = choice
            self._look(self._engine.status)

    async def close(self) -> None:
        """Return when what is to be remembered is written."""
        if self._writes:
            await asyncio.wait(self._writes)

    @property
    def _has_failed(self) -> bool:
        return self._engine.status.state == "failed"

    def _set_choice(self, choice: Choice) -> None:
        if choice != self._choice:
            self._choice = choice
            for on_change in tuple(self._watchers):
                on_change()

    def _look(self, status: EngineStatus) -> None:
        if status.state != "ready":
            return
        self._has_loaded = True
        self._before = self._choice
        if self._to_remember == self._choice:
            self._to_remember = None
            writing = asyncio.create_task(self._write(self._choice), name="remember the model")
            self._writes.add(writing)
            writing.add_done_callback(self._writes.discard)

    def _went_back(self, failed: str, error: QwenChatError) -> None:
        self._to_remember = None
        if self._before is not None:
            self._set_choice(self._before)
        why = error.message.removeprefix(_START_FAILED)
        name = self._engine.status.model
        instead = f"went back to {name}" if self._has_loaded else f"starts with {name} instead"
        message = f"{failed} could not be loaded: {why} QwenChat {instead}."
        _log.warning("%s", message)
        for on_fallback in tuple(self._fallback_watchers):
            on_fallback(message)

    async def _write(self, choice: Choice) -> None:
        # One after the other: the last choice is the one that stays.
        async with self._writing:
            await asyncio.to_thread(write_choice, self._preparer.settings.data_dir, choice)
