"""The life of the engine process: prepared, started, watched, explained, started again.

Notices its end, says why, starts it again with a growing pause, and gives up after three
starts that came to nothing. All state is touched from the event loop only; the process's
threads hand over through ``call_soon_threadsafe``.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from logging import getLogger

from qwenchat import hardware
from qwenchat.engine import causes
from qwenchat.engine.environment import engine_environment, find_preloads
from qwenchat.engine.process import EngineProcess
from qwenchat.engine.protocol import (
    Command,
    Event,
    Failed,
    Load,
    Loading,
    Ready,
    RequestEvent,
    Shutdown,
)
from qwenchat.engine.seam import EngineStatus
from qwenchat.errors import EngineDied, EngineStartFailed, QwenChatError
from qwenchat.sampling import SamplingParameters

BACK_OFF_SECONDS = (1.0, 2.0, 4.0)
"""Pauses before the first, second and third restart in a row."""
STEADY_SECONDS = 60.0
"""An engine that was ready this long counts as sound: its end starts a new row."""
SHUTDOWN_SECONDS = 2.0

_log = getLogger(__name__)

Progress = Callable[[str, int, int], None]
"""Called with a stage, and how much of how much of it is done (0 of 0: not counted)."""


@dataclass(frozen=True, slots=True)
class PreparedModel:
    """A model that is on disk and has been found fit to load."""

    load: Load
    defaults: SamplingParameters
    note: str = ""


Prepare = Callable[[Progress], Awaitable[PreparedModel]]
"""Finds or fetches the model. Called before every start; raises QwenChatError."""


class Supervisor:
    """Keeps one engine process alive.

    Args:
        prepare: Makes the model ready to load.
        model: Its name, to show before it is ready.
        on_event: Called with every event that belongs to a request.
        on_end: Called with the reason when the process has ended.

    Attributes:
        status: A new value at every change.
        defaults: The model's recommended sampling parameters, once prepared.
        changed: Set, and replaced by a new one, at every change of status.
    """

    def __init__(
        self,
        prepare: Prepare,
        model: str,
        on_event: Callable[[RequestEvent], None],
        on_end: Callable[[QwenChatError], None],
    ) -> None:
        self.status = EngineStatus("starting", model)
        self.defaults = SamplingParameters()
        self.changed = asyncio.Event()
        self._prepare = prepare
        self._on_event = on_event
        self._on_end = on_end
        self._watchers: set[Callable[[EngineStatus], None]] = set()
        self._process: EngineProcess | None = None
        self._life: asyncio.Task[None] | None = None

    def watch(self, on_change: Callable[[EngineStatus], None]) -> Callable[[], None]:
        """Call ``on_change`` at every change of status; returns what ends that."""
        self._watchers.add(on_change)
        return lambda: self._watchers.discard(on_change)

    def send(self, command: Command) -> None:
        """Give the process a command; without a process it is dropped."""
        if self._process:
            self._process.send(command)

    def _set_status(self, status: EngineStatus) -> None:
        if status == self.status:
            return
        self.status = status
        self.changed.set()
        self.changed = asyncio.Event()
        for on_change in tuple(self._watchers):
            on_change(status)

    async def start(self) -> None:
        self._life = asyncio.create_task(self._live(), name="engine life")

    async def restart(self) -> None:
        if self.status.state == "failed":
            # At once, so that a message sent next waits instead of failing.
            self._set_status(replace(self.status, state="starting", error=None))
            await self.start()

    async def close(self) -> None:
        if self._life:
            self._life.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._life
        if process := self._process:
            self._process = None
            process.send(Shutdown())
            if await asyncio.to_thread(process.wait, SHUTDOWN_SECONDS) is None:
                process.kill()
                await asyncio.to_thread(process.wait, SHUTDOWN_SECONDS)

    async def _live(self) -> None:
        """Start the engine again and again until it fails for good."""
        failures = 0
        while True:
            self._set_status(
                replace(self.status, state="starting", ready=None, retry_in_seconds=None, stage="")
            )
            try:
                ready_seconds = await self._one_life()
            except QwenChatError as error:
                self._fail(error)
                return
            except Exception as error:
                _log.exception("preparing the engine failed")
                self._fail(EngineStartFailed(f"The engine could not be started: {error}"))
                return
            failures = 0 if ready_seconds >= STEADY_SECONDS else failures
            if failures == len(BACK_OFF_SECONDS):
                self._set_status(replace(self.status, state="failed", retry_in_seconds=None))
                return
            pause = BACK_OFF_SECONDS[failures]
            failures += 1
            self._set_status(replace(self.status, state="restarting", retry_in_seconds=pause))
            await asyncio.sleep(pause)

    def _fail(self, error: QwenChatError) -> None:
        self._set_status(
            replace(self.status, state="failed", ready=None, error=(error.code, error.message))
        )

    async def _one_life(self) -> float:
        """Prepare, start, and wait for the end of one process.

        Returns:
            Seconds for which it was ready.

        Raises:
            QwenChatError: Preparing failed, or the engine said starting again is no use.
        """
        loop = asyncio.get_running_loop()
        prepared = await self._prepare(self._progress)
        self.defaults = prepared.defaults
        self._set_status(replace(self.status, model=prepared.load.model, model_note=prepared.note))
        ended = asyncio.Event()
        life = _Life()

        def on_events(events: Sequence[Event]) -> None:
            loop.call_soon_threadsafe(self._receive, life, events)

        def on_end() -> None:
            # The loop may be closed already when the whole app ends.
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(ended.set)

        kills_before = hardware.out_of_memory_kills()
        environment = engine_environment(os.environ, hardware.compute_threads(), find_preloads())
        self._process = process = EngineProcess(environment, on_events, on_end)
        process.send(prepared.load)
        await ended.wait()
        self._process = None
        exit_code = await asyncio.to_thread(process.wait, SHUTDOWN_SECONDS)
        if exit_code is None:
            process.kill()
            exit_code = await asyncio.to_thread(process.wait, SHUTDOWN_SECONDS)
        evidence = causes.Evidence(
            exit_code,
            hardware.out_of_memory_kills() > kills_before,
            life.last_words,
            process.last_lines,
        )
        error = self._mourn(life, causes.explain(evidence))
        if life.ready_at is None and life.last_words:
            raise error  # it failed by itself while loading, and would again
        return loop.time() - life.ready_at if life.ready_at else 0.0

    def _mourn(self, life: _Life, cause: str) -> QwenChatError:
        """Tell everybody why the process ended, and return it as an error."""
        died = life.ready_at is not None
        kind: type[QwenChatError] = EngineDied if died else EngineStartFailed
        lead = "The engine stopped" if died else "The engine could not start"
        error = kind(f"{lead}: {cause}")
        _log.warning("%s", error.message)
        self._set_status(replace(self.status, ready=None, error=(error.code, error.message)))
        self._on_end(error)
        return error

    def _progress(self, stage: str, done: int, total: int) -> None:
        self._set_status(replace(self.status, state="loading", stage=stage, done=done, total=total))

    def _receive(self, life: _Life, events: Sequence[Event]) -> None:
        for event in events:
            match event:
                case Loading(stage=stage, done=done, total=total):
                    if life.ready_at is None:
                        self._progress(stage, done, total)
                case Ready():
                    life.ready_at = asyncio.get_running_loop().time()
                    self._set_status(
                        replace(
                            self.status,
                            state="ready",
                            stage="",
                            done=0,
                            total=0,
                            ready=event,
                            error=None,
                        )
                    )
                case Failed(request_id=None, message=message):
                    life.last_words = message
                case _:
                    self._on_event(event)


@dataclass(slots=True)
class _Life:
    """What was heard of one process: when it became ready (loop clock), its last words."""

    ready_at: float | None = None
    last_words: str = ""
