"""A scripted engine, for fast tests and for working on the page without a model.

It keeps the promises of ``seam.Engine`` on the event loop alone: no process, no model.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from qwenchat.engine.board import Board
from qwenchat.engine.fake_script import LoadStage, Script
from qwenchat.engine.partial import split_partial
from qwenchat.engine.plan import Plan, Plans, switched
from qwenchat.engine.protocol import (
    Delta,
    Finished,
    Generate,
    Load,
    Prefill,
    Queued,
    Ready,
    RequestEvent,
    TokenChance,
    TokenLogprob,
)
from qwenchat.engine.seam import (
    NO_VALUES,
    EngineStatus,
    OnFallback,
    Prepare,
    PreparedModel,
    Progress,
)
from qwenchat.errors import EngineDied, EngineStarting, QwenChatError, error_from_code
from qwenchat.sampling import SamplingParameters
from qwenchat.types import THINKING_SWITCH, ChatMessage, ThinkingStyle, Timings, Usage

__all__ = ["FakeEngine", "LoadStage", "Script"]


class FakeEngine:
    """See ``seam.Engine``; what it is asked is kept in ``requests``.

    Args:
        answer: The script for a request.
        stages: What loading consists of, after a model is prepared; a restart and a switch go
            through it again.
        hold: Stay in the last loading stage until :meth:`become_ready`.
        measure_delay: Seconds a measurement takes.
        thinking: How the model thinks; its scripts say what it writes then, tags included.
    """

    def __init__(
        self,
        answer: Callable[[Generate], Script] = lambda request: Script(),
        *,
        stages: Sequence[LoadStage] = (),
        hold: bool = False,
        model: str = "Fake-0.1B",
        note: str = "A scripted engine.",
        context_length: int = 4096,
        defaults: SamplingParameters | None = None,
        measure_delay: float = 0.0,
        thinking: ThinkingStyle | None = None,
    ) -> None:
        self.requests: list[Generate] = []
        self._thinking = thinking or ThinkingStyle()
        self._measure_delay = measure_delay
        self._answer = answer
        self._stages = stages
        self._hold = hold
        self._defaults = defaults or SamplingParameters(temperature=0.7, top_p=0.9)
        load = Load("", model, 0, context_length, 0, 8, "auto", 0)
        self._prepared = first = PreparedModel(load, self._defaults, note)

        async def prepare(progress: Progress) -> PreparedModel:
            return first

        self._plans = Plans(Plan(model, prepare))
        self._board = Board(EngineStatus("starting", model, note))
        self._next_failure: QwenChatError | None = None
        self._ready = asyncio.Event()
        self._endings: dict[str, asyncio.Future[QwenChatError | None]] = {}
        self._running: set[str] = set()
        self._loading: asyncio.Task[None] | None = None

    @property
    def status(self) -> EngineStatus:
        return self._board.status

    @property
    def defaults(self) -> SamplingParameters:
        return self._defaults

    @property
    def resident_bytes(self) -> int:
        return 0

    def watch(self, on_change: Callable[[EngineStatus], None]) -> Callable[[], None]:
        return self._board.watch(on_change)

    def watch_fallbacks(self, on_fallback: OnFallback) -> Callable[[], None]:
        return self._board.watch_fallbacks(on_fallback)

    async def start(self) -> None:
        self._begin_loading()

    async def restart(self) -> None:
        if self.status.state == "failed":
            self._begin_loading()

    async def switch(self, prepare: Prepare, model: str) -> None:
        self._plans.switch(Plan(model, prepare), has_failed=self.status.state == "failed")
        self._ready.clear()
        self._board.show(EngineStatus("starting", model))
        self._begin_loading()
        self._end_requests(self._running, switched())

    def _begin_loading(self) -> None:
        if self._loading:
            self._loading.cancel()
        self._loading = asyncio.create_task(self._load())

    async def close(self) -> None:
        if self._loading:
            self._loading.cancel()

    # ---- the script's stage directions

    def become_ready(self) -> None:
        """Be ready now, whatever stages are left."""
        if self._loading:
            self._loading.cancel()
        self._be_ready()

    def fail_next_load(self, error: QwenChatError) -> None:
        """Have the next load end with ``error``, after its last stage; going back to the model
        before is another load."""
        self._next_failure = error

    def _be_ready(self) -> None:
        self._plans.succeeded()
        load = self._prepared.load
        ready = Ready(
            load.model, load.context_length, 8, 32768, 1000.0, 256, thinking=self._thinking
        )
        self._set(state="ready", stage="", done=0, total=0, ready=ready, error=None)
        self._ready.set()

    def die(self, message: str = "The engine stopped: it was killed.") -> None:
        """End as a killed process does: running requests fail; it restarts by itself."""
        error = EngineDied(message)
        self._ready.clear()
        self._set(state="restarting", ready=None, error=(error.code, message), retry_in_seconds=1.0)
        self._end_requests(self._running, error)
        self._begin_loading()

    def fail(self, error: QwenChatError) -> None:
        """Give up for good, until :meth:`restart`."""
        self._ready.clear()
        if self._loading:
            self._loading.cancel()
        self._set(state="failed", ready=None, error=(error.code, error.message))
        self._end_requests(self._endings, error)

    def _end_requests(self, request_ids: Iterable[str], error: QwenChatError) -> None:
        for ending in [self._endings[request_id] for request_id in request_ids]:
            if not ending.done():
                ending.set_result(error)

    async def _load(self) -> None:
        while True:
            try:
                await self._play_stages()
                return
            except QwenChatError as error:
                failed = self._plans.go_back(error)
                if failed is None:
                    self.fail(self._plans.final(error))
                    return
                self._board.show(EngineStatus("starting", self._plans.current.model))
                self._board.went_back(failed, error)

    async def _play_stages(self) -> None:
        prepared = self._prepared = await self._plans.current.prepare(self._progress)
        self._defaults = prepared.defaults
        self._set(model=prepared.load.model, model_note=prepared.note)
        for stage in self._stages:
            for step in range(stage.steps):
                self._progress(stage.stage, stage.total * step // stage.steps, stage.total)
                await asyncio.sleep(stage.seconds / stage.steps)
        if self._next_failure:
            error, self._next_failure = self._next_failure, None
            raise error
        if not self._hold:
            self._be_ready()

    def _progress(self, stage: str, done: int, total: int) -> None:
        self._set(state="loading", stage=stage, done=done, total=total)

    def _set(self, **changes: object) -> None:
        self._board.show(replace(self.status, **changes))  # type: ignore[arg-type]

    # ---- requests

    async def generate(self, request: Generate) -> AsyncIterator[RequestEvent]:
        self.requests.append(request)
        counted = _count_tokens(request.messages, request.continue_final, request.template_values)
        counted += len(request.prompt or "") // 4
        ending = asyncio.get_running_loop().create_future()
        self._endings[request.request_id] = ending
        count = 0
        script = self._answer(request)
        if script.prompt_tokens is None:
            script = replace(script, prompt_tokens=counted)
        events = self._play(request, script)
        try:
            while True:
                step = asyncio.ensure_future(anext(events, None))
                await asyncio.wait({step, ending}, return_when=asyncio.FIRST_COMPLETED)
                if ending.done():
                    step.cancel()
                    if error := ending.result():
                        raise error
                    yield self._finished(request, script, count, aborted=True)
                    return
                event = step.result()
                if event is None:
                    break
                count += isinstance(event, Delta)
                yield event
            if script.error:
                raise script.error
            yield self._finished(request, script, count, aborted=False)
        finally:
            del self._endings[request.request_id]
            self._running.discard(request.request_id)

    async def _play(self, request: Generate, script: Script) -> AsyncIterator[RequestEvent]:
        if self.status.state == "failed" and self.status.error:
            raise error_from_code(*self.status.error)
        await self._ready.wait()
        self._running.add(request.request_id)
        for position in range(script.queued, 0, -1):
            yield Queued(request.request_id, position)
            await asyncio.sleep(script.queue_delay)
        total, cached = script.prompt_tokens or 0, script.cached_tokens
        for step in range(1, script.prefill_steps + 1):
            await asyncio.sleep(script.prefill_delay)
            done = cached + (total - cached) * step // script.prefill_steps
            yield Prefill(request.request_id, done, total, cached)
        for chunk in script.chunks[: request.sampling.max_tokens]:
            await asyncio.sleep(script.delay)
            yield Delta(request.request_id, chunk, 1, _chances(chunk, request.logprobs))

    def _finished(self, request: Generate, script: Script, count: int, aborted: bool) -> Finished:
        return Finished(
            request.request_id,
            "abort" if aborted else "stop" if count == len(script.chunks) else "length",
            Usage(script.prompt_tokens or 0, script.cached_tokens, count),
            Timings(
                script.queued * script.queue_delay,
                script.prefill_steps * script.prefill_delay + script.delay,
                max(0, count - 1) * script.delay,
            ),
        )

    async def abort(self, request_id: str) -> None:
        ending = self._endings.get(request_id)
        if ending and not ending.done():
            ending.set_result(None)

    async def measure(
        self,
        messages: tuple[ChatMessage, ...],
        continue_final: bool = False,
        template_values: Mapping[str, Any] = NO_VALUES,
    ) -> int:
        if self.status.state != "ready":
            raise EngineStarting("The model is still loading. Wait a moment.")
        await asyncio.sleep(self._measure_delay)
        return _count_tokens(messages, continue_final, template_values)


def _chances(chunk: str, logprobs: int | None) -> tuple[TokenLogprob, ...]:
    """``chunk`` as the likeliest token, every other one a tenth as likely as the one before."""
    if logprobs is None:
        return ()
    chances = tuple(TokenChance(chunk + "~" * i, -0.1 - 2.3 * i) for i in range(logprobs))
    return (TokenLogprob(TokenChance(chunk, -0.1), chances),)


def _count_tokens(
    messages: tuple[ChatMessage, ...], continue_final: bool, template_values: Mapping[str, Any]
) -> int:
    """Four characters a token and four tokens around each message; a partial answer has
    nothing around it. Thinking that is switched off is an empty block in the prompt."""
    before, partial = split_partial(messages, continue_final)
    block = 4 if template_values.get(THINKING_SWITCH) is False else 0
    return sum(4 + len(message.content) // 4 for message in before) + len(partial) // 4 + block
