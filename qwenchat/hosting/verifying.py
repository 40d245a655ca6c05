"""Checking a model's files while the app goes on: one at a time, with progress, to be cancelled."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from logging import getLogger
from typing import Literal

from qwenchat.errors import QwenChatError, VerificationRunning
from qwenchat.models.installed_model import InstalledModel
from qwenchat.models.library import Library
from qwenchat.models.verification import Damage

PROGRESS_SECONDS = 0.2
"""Between two reports of progress at least."""

_log = getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Verification:
    """How far a check is, or how it ended.

    Attributes:
        model: The model's id.
        done: Bytes read, of ``total``; 0 of 0 until that is known.
        damaged: The files that are not what they should be, once it is done.
        error: ``(code, message)`` of why it could not be done.
    """

    model: str
    state: Literal["running", "done", "failed", "cancelled"] = "running"
    done: int = 0
    total: int = 0
    damaged: tuple[Damage, ...] = ()
    error: tuple[str, str] | None = None


class Verifier:
    """The check that runs or ran last; ``on_change`` is called on the loop as it goes on."""

    def __init__(self, library: Library, on_change: Callable[[], None]) -> None:
        self._library = library
        self._on_change = on_change
        self._task: asyncio.Task[None] | None = None
        self.current: Verification | None = None

    def check_free(self) -> None:
        """Raise when a check runs.

        Raises:
            VerificationRunning: It does.
        """
        if self._task and not self._task.done() and self.current:
            raise VerificationRunning(
                f"The files of {self.current.model} are being checked. Wait until that has "
                "ended, or cancel it."
            )

    def start(self, model: InstalledModel) -> None:
        """Begin to read all of a model.

        Raises:
            VerificationRunning: Another check runs.
        """
        self.check_free()
        self.current = Verification(model.id)
        self._task = asyncio.create_task(self._run(model), name=f"verify {model.id}")
        self._on_change()

    async def cancel(self) -> None:
        """End a running check, or clear away one that ended."""
        if self._task and not self._task.done():
            self._task.cancel()
            await asyncio.wait({self._task})
            # It may have been at its very end.
            if self._task.cancelled():
                self._change(state="cancelled")
        else:
            self.current = None
            self._on_change()

    async def close(self) -> None:
        """End a running check because the app ends."""
        if self._task and not self._task.done():
            await self.cancel()

    async def _run(self, model: InstalledModel) -> None:
        loop = asyncio.get_running_loop()
        last = 0.0

        def on_progress(done: int, total: int) -> None:
            """On a thread of its own."""
            nonlocal last
            now = time.monotonic()
            if now - last >= PROGRESS_SECONDS:
                last = now
                loop.call_soon_threadsafe(self._progress, model.id, done, total)

        try:
            damaged = await self._library.verify_model(model, on_progress)
        except QwenChatError as error:
            self._change(state="failed", error=(error.code, error.message))
        except OSError as error:
            self._change(
                state="failed",
                error=(
                    "model_damaged",
                    f"{error.filename or model.path} cannot be read ({error.strerror}). Check "
                    "that the disk is there and that this user may read it, then try again.",
                ),
            )
        except Exception as error:
            _log.exception("Checking %s failed.", model.id)
            message = f"The check ended because of an error: {type(error).__name__}. Try again."
            self._change(state="failed", error=(QwenChatError.code, message))
        else:
            self._end(tuple(damaged))

    def _end(self, damaged: tuple[Damage, ...]) -> None:
        assert self.current
        self._change(state="done", done=self.current.total, damaged=damaged)

    def _progress(self, model_id: str, done: int, total: int) -> None:
        current = self.current
        if current and current.model == model_id and current.state == "running":
            self._change(done=done, total=total)

    def _change(self, **changes: object) -> None:
        if self.current:
            self.current = replace(self.current, **changes)  # type: ignore[arg-type]
            self._on_change()
