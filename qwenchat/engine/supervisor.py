"""The life of the engine process: prepared, started, watched, explained, started again.

Notices its end, says why, starts it again with a growing pause, and gives up after three
starts that came to nothing. A switch ends one life and begins another, with a model that has
to become ready once before it is trusted: until then any failure leads back to the model
before. All state is touched from the event loop only; the process's threads hand over
through ``call_soon_threadsafe``.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from logging import getLogger

from qwenchat import hardware
from qwenchat.engine import causes
from qwenchat.engine.board import Board
from qwenchat.engine.environment import engine_environment, find_preloads
from qwenchat.engine.plan import Plan, Plans, switched
from qwenchat.engine.process import EngineProcess, exit_code_of, shut_down
from qwenchat.engine.protocol import Command, Event, Failed, Loading, Ready, RequestEvent
from qwenchat.engine.seam import EngineStatus
from qwenchat.errors import EngineDied, EngineStartFailed, QwenChatError
from qwenchat.sampling import SamplingParameters

BACK_OFF_SECONDS = (1.0, 2.0, 4.0)
"""Pauses before the first, second and third restart in a row."""
STEADY_SECONDS = 60.0
"""An engine that was ready this long counts as sound: its end starts a new row."""

_log = getLogger(__name__)


class Supervisor:
    """Keeps one engine process alive.

    Args:
        plan: What to load.
        fallback: What to load when that cannot be loaded; None for nothing.
        on_event: Called with every event that belongs to a request.
        on_end: Called with the reason when requests cannot be answered any more.

    Attributes:
        board: Its status, for all to see.
        defaults: The recommended sampling parameters of the model that was prepared last.
    """

    def __init__(
        self,
        plan: Plan,
        fallback: Plan | None,
        on_event: Callable[[RequestEvent], None],
        on_end: Callable[[QwenChatError], None],
    ) -> None:
        self.board = Board(EngineStatus("starting", plan.model))
        self.defaults = SamplingParameters()
        self._plans = Plans(plan, fallback)
        self._on_event = on_event
        self._on_end = on_end
        self._process: EngineProcess | None = None
        self._life: asyncio.Task[None] | None = None
        self._ending: set[asyncio.Task[None]] = set()
        self._heard: _Heard | None = None
        self._closed = False

    @property
    def resident_bytes(self) -> int:
        """See ``seam.Engine``."""
        return hardware.private_memory_bytes(self._process.pid) if self._process else 0

    def send(self, command: Command) -> None:
        """Give the process a command; without a process it is dropped."""
        if self._process:
            self._process.send(command)

    # ---- beginning and ending

    async def start(self) -> None:
        self._begin_life()

    async def restart(self) -> None:
        if self.board.status.state == "failed":
            # At once, so that a message sent next waits instead of failing.
            self.board.show(replace(self.board.status, state="starting", error=None))
            self._begin_life()

    async def switch(self, plan: Plan) -> None:
        """Carry out another plan. All that matters happens before anybody else's turn, so that
        of several calls the last one counts, whatever the others have come to."""
        if self._closed:
            return
        self._plans.switch(plan, has_failed=self.board.status.state == "failed")
        self.board.show(EngineStatus("starting", plan.model))
        self._begin_life()
        self._on_end(switched())

    async def close(self) -> None:
        self._closed = True
        self._end_life()
        while self._ending:
            await asyncio.wait(self._ending)
        await self._end_process()

    def _begin_life(self) -> None:
        self._end_life()
        if not self._closed:
            self._life = asyncio.create_task(self._live(), name="engine life")

    def _end_life(self) -> None:
        """Have the life end; what its process still says is not listened to."""
        self._heard = None
        if self._life and not self._life.done():
            self._life.cancel()
            self._ending.add(self._life)
            self._life.add_done_callback(self._ending.discard)
        self._life = None

    async def _end_process(self) -> None:
        if self._process:
            await shut_down(self._process)
            self._process = None

    async def _live(self) -> None:
        """Start the engine again and again until it fails for good."""
        while self._ending:
            await asyncio.wait(self._ending)
        await self._end_process()
        failures = 0
        while True:
            self.board.show(
                replace(
                    self.board.status, state="starting", ready=None, retry_in_seconds=None, stage=""
                )
            )
            try:
                end = await self._one_life()
            except Exception as error:
                end = _End(_as_ours(error), can_try_again=False)
            if self._life is not asyncio.current_task():
                return  # cancelled, but in the middle of something that told of a failure
            if end.ready_seconds is None and self._go_back(end.error):
                failures = 0
                continue
            failures = 0 if (end.ready_seconds or 0.0) >= STEADY_SECONDS else failures
            if not end.can_try_again or failures == len(BACK_OFF_SECONDS):
                self._fail(self._plans.final(end.error))
                return
            pause = BACK_OFF_SECONDS[failures]
            failures += 1
            self.board.show(replace(self.board.status, state="restarting", retry_in_seconds=pause))
            await asyncio.sleep(pause)

    def _go_back(self, error: QwenChatError) -> bool:
        """Have the plan before carried out, where there is one."""
        failed = self._plans.go_back(error)
        if failed is None:
            return False
        self.board.show(EngineStatus("starting", self._plans.current.model))
        self.board.went_back(failed, error)
        return True

    def _fail(self, error: QwenChatError) -> None:
        self.board.show(
            replace(
                self.board.status,
                state="failed",
                ready=None,
                error=(error.code, error.message),
                retry_in_seconds=None,
            )
        )

    # ---- one life

    async def _one_life(self) -> _End:
        """Prepare, start, and wait for the end of one process.

        Raises:
            QwenChatError: Preparing failed.
        """
        loop = asyncio.get_running_loop()
        prepared = await self._plans.current.prepare(self._progress)
        self.defaults = prepared.defaults
        self.board.show(
            replace(self.board.status, model=prepared.load.model, model_note=prepared.note)
        )
        ended = asyncio.Event()
        heard = self._heard = _Heard()

        def on_events(events: Sequence[Event]) -> None:
            loop.call_soon_threadsafe(self._receive, heard, events)

        def on_end() -> None:
            # The loop may be closed already when the whole app ends.
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(ended.set)

        kills_before = hardware.out_of_memory_kills()
        environment = engine_environment(os.environ, hardware.compute_threads(), find_preloads())
        self._process = process = EngineProcess(environment, on_events, on_end)
        process.send(prepared.load)
        await ended.wait()
        exit_code = await exit_code_of(process)
        self._process = None
        evidence = causes.Evidence(
            exit_code,
            hardware.out_of_memory_kills() > kills_before,
            heard.last_words,
            process.last_lines,
        )
        error = self._mourn(heard, causes.explain(evidence))
        if heard.ready_at is None:
            # What failed by itself while loading would again.
            return _End(error, can_try_again=not heard.last_words)
        return _End(error, can_try_again=True, ready_seconds=loop.time() - heard.ready_at)

    def _mourn(self, heard: _Heard, cause: str) -> QwenChatError:
        """Tell everybody why the process ended, and return it as an error."""
        died = heard.ready_at is not None
        kind: type[QwenChatError] = EngineDied if died else EngineStartFailed
        lead = "The engine stopped" if died else "The engine could not start"
        error = kind(f"{lead}: {cause}")
        _log.warning("%s", error.message)
        self.board.show(replace(self.board.status, ready=None, error=(error.code, error.message)))
        self._on_end(error)
        return error

    def _progress(self, stage: str, done: int, total: int) -> None:
        self.board.show(
            replace(self.board.status, state="loading", stage=stage, done=done, total=total)
        )

    def _receive(self, heard: _Heard, events: Sequence[Event]) -> None:
        if heard is not self._heard:
            return
        for event in events:
            match event:
                case Loading(stage=stage, done=done, total=total):
                    if heard.ready_at is None:
                        self._progress(stage, done, total)
                case Ready():
                    heard.ready_at = asyncio.get_running_loop().time()
                    self._plans.succeeded()
                    self.board.show(
                        replace(
                            self.board.status,
                            state="ready",
                            stage="",
                            done=0,
                            total=0,
                            ready=event,
                            error=None,
                        )
                    )
                case Failed(request_id=None, message=message):
                    heard.last_words = message
                case _:
                    self._on_event(event)


def _as_ours(error: Exception) -> QwenChatError:
    if isinstance(error, QwenChatError):
        return error
    _log.error("preparing the engine failed", exc_info=error)
    return EngineStartFailed(f"The engine could not be started: {error}")


@dataclass(slots=True)
class _Heard:
    """What was heard of one process: when it became ready (loop clock), its last words."""

    ready_at: float | None = None
    last_words: str = ""


@dataclass(frozen=True, slots=True)
class _End:
    """How one life ended: ``ready_seconds`` it was ready for, None when it never was."""

    error: QwenChatError
    can_try_again: bool
    ready_seconds: float | None = None
