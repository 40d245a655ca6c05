"""The engine as the web process uses it: requests in, their events out, behind one seam."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any

from qwenchat.engine.plan import Plan
from qwenchat.engine.protocol import (
    Abort,
    Failed,
    Finished,
    Generate,
    Measure,
    Measured,
    RequestEvent,
)
from qwenchat.engine.seam import NO_VALUES, EngineStatus, OnFallback, Prepare
from qwenchat.engine.supervisor import Supervisor
from qwenchat.errors import QueueFull, QwenChatError, error_from_code
from qwenchat.sampling import SamplingParameters
from qwenchat.types import ChatMessage, Timings, Usage

MAX_REQUESTS = 64
"""Requests in the engine or waiting for it; one more is refused."""


class EngineClient:
    """See ``seam.Engine`` for what each method promises.

    Args:
        prepare: Makes the model ready to load.
        model: Its name, to show before it is ready.
        fallback: What to load when that cannot be loaded; None for nothing.
    """

    def __init__(self, prepare: Prepare, model: str, fallback: Plan | None = None) -> None:
        self._supervisor = Supervisor(Plan(model, prepare), fallback, self._deliver, self._fail_all)
        self._streams: dict[str, asyncio.Queue[RequestEvent | QwenChatError]] = {}
        self._aborted: dict[str, asyncio.Event] = {}

    @property
    def status(self) -> EngineStatus:
        return self._supervisor.board.status

    @property
    def defaults(self) -> SamplingParameters:
        return self._supervisor.defaults

    @property
    def resident_bytes(self) -> int:
        return self._supervisor.resident_bytes

    def watch(self, on_change: Callable[[EngineStatus], None]) -> Callable[[], None]:
        return self._supervisor.board.watch(on_change)

    def watch_fallbacks(self, on_fallback: OnFallback) -> Callable[[], None]:
        return self._supervisor.board.watch_fallbacks(on_fallback)

    async def start(self) -> None:
        await self._supervisor.start()

    async def restart(self) -> None:
        await self._supervisor.restart()

    async def switch(self, prepare: Prepare, model: str) -> None:
        await self._supervisor.switch(Plan(model, prepare))

    async def close(self) -> None:
        await self._supervisor.close()

    async def generate(self, request: Generate) -> AsyncIterator[RequestEvent]:
        request_id = request.request_id
        if len(self._aborted) >= MAX_REQUESTS:
            raise QueueFull(
                f"{MAX_REQUESTS} requests are already waiting or running. Try again in a minute."
            )
        self._aborted[request_id] = aborted = asyncio.Event()
        sent = finished = False
        try:
            if not await self._until_ready(aborted):
                finished = True
                yield Finished(request_id, "abort", Usage(0, 0, 0), Timings(0.0, 0.0, 0.0))
                return
            stream = self._streams[request_id] = asyncio.Queue()
            self._supervisor.send(request)
            sent = True
            while not finished:
                event = await stream.get()
                if isinstance(event, QwenChatError):
                    finished = True
                    raise event
                finished = isinstance(event, Finished | Failed)
                if isinstance(event, Failed):
                    raise error_from_code(event.code, event.message, event.param)
                yield event
        finally:
            del self._aborted[request_id]
            self._streams.pop(request_id, None)
            if sent and not finished:
                self._supervisor.send(Abort(request_id))

    async def abort(self, request_id: str) -> None:
        if aborted := self._aborted.get(request_id):
            aborted.set()
        if request_id in self._streams:
            self._supervisor.send(Abort(request_id))

    async def measure(
        self,
        messages: tuple[ChatMessage, ...],
        continue_final: bool = False,
        template_values: Mapping[str, Any] = NO_VALUES,
    ) -> int:
        if self.status.state != "ready":
            raise self._unavailable()
        request_id = f"measure-{secrets.token_hex(8)}"
        stream = self._streams[request_id] = asyncio.Queue()
        try:
            values = dict(template_values)
            self._supervisor.send(Measure(request_id, messages, continue_final, values))
            event = await stream.get()
        finally:
            del self._streams[request_id]
        match event:
            case QwenChatError():
                raise event
            case Failed(code=code, message=message):
                raise error_from_code(code, message)
            case Measured(prompt_tokens=tokens):
                return tokens
        raise AssertionError(f"unexpected {event}")

    def _unavailable(self) -> QwenChatError:
        if self.status.error:
            return error_from_code(*self.status.error)
        return error_from_code("engine_starting", "The model is still loading. Wait a moment.")

    async def _until_ready(self, aborted: asyncio.Event) -> bool:
        """Wait until the engine is ready; False when the request was aborted meanwhile.

        Raises:
            EngineError: The engine failed for good.
        """
        while self.status.state != "ready":
            if self.status.state == "failed":
                raise self._unavailable()
            waits = [
                asyncio.create_task(e.wait()) for e in (self._supervisor.board.changed, aborted)
            ]
            try:
                await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for wait in waits:
                    wait.cancel()
            if aborted.is_set():
                return False
        return True

    def _deliver(self, event: RequestEvent) -> None:
        if stream := self._streams.get(str(event.request_id)):
            stream.put_nowait(event)

    def _fail_all(self, error: QwenChatError) -> None:
        for stream in self._streams.values():
            stream.put_nowait(error)
