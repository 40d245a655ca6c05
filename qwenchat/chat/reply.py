"""One running answer: owned by the app, not by a page that watches it.

The reply's task consumes the engine's events and writes what it learns into the message.
Whoever watches is told that something changed and reads the message. Only
:meth:`Reply.stop` and :meth:`Reply.interrupt` end it early. A message that has text already
goes on from there.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from logging import getLogger

from qwenchat.chat.conversations import Message, Progress
from qwenchat.chat.thinking import ANSWER_NOW, Format, Splitter, raw_output
from qwenchat.engine.protocol import Delta, Finished, Generate, Prefill, Queued, RequestEvent
from qwenchat.engine.seam import Engine, EngineStatus
from qwenchat.errors import EngineInternal, EngineStarting, ModelSwitched, QwenChatError
from qwenchat.store.columns import storable
from qwenchat.types import ChatMessage, FinishReason, MessageState, Timings, Usage

STOP_SECONDS = 2.0
"""How long an aborted request may take to say so; then it is left to itself."""


@dataclass(frozen=True, slots=True)
class Task:
    """What the engine is asked, and how its output is to be read.

    Attributes:
        form: What the output looks like.
        thinking: ``on`` or ``off``, where the model has the choice.
        thinking_budget: Tokens of thinking at most; None is no limit.
    """

    request: Generate
    form: Format = "plain"
    thinking: str | None = None
    thinking_budget: int | None = None


BuildTask = Callable[[], Awaitable[Task]]

_log = getLogger(__name__)


class Reply:
    """The answer that fills ``message``.

    Args:
        message: An assistant message in state ``streaming``.
        build_task: Makes the request once the engine is ready, because neither the model's
            sampling defaults nor its context are known before.
        on_change: Called at every change of the message, on the event loop.

    Attributes:
        task: Done when the message changes no more.
    """

    def __init__(
        self,
        engine: Engine,
        message: Message,
        build_task: BuildTask,
        on_change: Callable[[], None],
    ) -> None:
        self.message = message
        self.stopping = False
        self._engine = engine
        self._build_task = build_task
        self._on_change = on_change
        self._request: Generate | None = None
        self._before = message.usage, message.timings
        self._splitter = Splitter("plain")
        self._thinking = _Thinking(message)
        self._tokens = 0
        self._first_token_at = 0.0
        self._end_state: MessageState = "interrupted"
        self.task = asyncio.create_task(self._run(), name=f"reply {message.id}")

    async def wait(self) -> None:
        """Return when the reply has ended, however it did."""
        await asyncio.wait({self.task})

    async def stop(self) -> None:
        """End the reply as somebody wished; its text so far stays. Returns when it ended."""
        self.stopping = True
        self._end_state = "stopped"
        if self._request:
            await self._engine.abort(self._request.request_id)
            await asyncio.wait({self.task}, timeout=STOP_SECONDS)
        await self._cancel()

    async def interrupt(self) -> None:
        """End the reply because the app ends. Returns when it ended."""
        await self._cancel()

    async def _cancel(self) -> None:
        # A task cancelled before its first step would never come to its ``finally``.
        await asyncio.sleep(0)
        self.task.cancel()
        await self.wait()

    async def _run(self) -> None:
        try:
            while not await self._answered():
                self._show(Progress("waiting"))
            if self.message.state == "streaming":
                raise EngineInternal("The engine ended the answer without a word. Regenerate it.")
        except asyncio.CancelledError:
            if self.message.state == "streaming":
                self._finish(self._end_state, "abort")
        except QwenChatError as error:
            self._fail(error)
        except Exception:
            _log.exception("A reply failed; the log in the data folder says why.")
            self._fail(
                EngineInternal(
                    "The answer broke off because of an error inside QwenChat; the log has the "
                    "details. Regenerate the answer to try again."
                )
            )

    async def _answered(self) -> bool:
        """Have the engine answer; False when its model was switched before the first word, so
        that the answer is still to be had, from the other model."""
        await _until_settled(self._engine)
        try:
            task = await self._build_task()
            message = self.message
            self._splitter = Splitter(task.form, message.thoughts, message.content)
            message.model = self._engine.status.model
            message.sampling = task.request.sampling.as_dict()
            message.thinking = task.thinking
            self._show(Progress("queued", position=1))
            request: Generate | None = task.request
            while request:
                request = await self._follow(request, task)
        except (ModelSwitched, EngineStarting):
            if self._tokens or self.stopping:
                raise
            return False
        return True

    async def _follow(self, request: Generate, task: Task) -> Generate | None:
        """Take in what comes of a request; returns the one that goes on from there, when the
        model has thought for as long as it may."""
        self._request = request
        is_cut = False
        async for event in self._engine.generate(request):
            if is_cut and isinstance(event, Finished) and event.finish_reason == "abort":
                if self.stopping:
                    self._receive(event)
                    return None
                return self._answer_now(request, task, event)
            self._receive(event)
            if not is_cut and not self.stopping and self._thought_enough(task):
                is_cut = True
                await self._engine.abort(request.request_id)
        return None

    def _thought_enough(self, task: Task) -> bool:
        budget = task.thinking_budget
        return budget is not None and self._splitter.is_thinking and self._thinking.tokens >= budget

    def _answer_now(self, request: Generate, task: Task, cut: Finished) -> Generate:
        """The request in which the model goes on from its thoughts, brought to an end."""
        if self._splitter.is_thinking:
            self._take_in(ANSWER_NOW)
        self._before = self._together(cut.usage, cut.timings)
        self._thinking.was_cut = True
        message = self.message
        raw = raw_output(message.thoughts, message.content, task.form)
        asked = request.messages[:-1] if request.continue_final else request.messages
        left = max(1, request.sampling.max_tokens - cut.usage.completion_tokens)
        return replace(
            request,
            request_id=f"{request.request_id}-answer",
            messages=(*asked, ChatMessage("assistant", raw)),
            sampling=replace(request.sampling, max_tokens=left),
            continue_final=True,
        )

    def _take_in(self, text: str) -> None:
        was_thinking = self._splitter.is_thinking
        thoughts, content = self._splitter.feed(text)
        self.message.thoughts += thoughts
        self.message.content += content
        if was_thinking or self._splitter.is_thinking:
            self._thinking.goes_on()

    def _receive(self, event: RequestEvent) -> None:
        match event:
            case Queued() | Prefill() if self._thinking.was_cut:
                pass  # What was written before is read again, which the cache answers.
            case Queued(position=position):
                self._show(Progress("queued", position=position))
            case Prefill(done=done, total=total, cached=cached):
                self._show(Progress("prefill", done=done, total=total, cached=cached))
            case Delta(text=text, tokens=tokens):
                self._take_in(storable(text))
                self._tokens += tokens
                if self._splitter.is_thinking:
                    self._thinking.tokens += tokens
                self._show(
                    Progress("decode", tokens=self._tokens, tokens_per_second=self._decode_rate())
                )
            case Finished(finish_reason=reason, usage=usage, timings=timings):
                state: MessageState = "stopped" if reason == "abort" else "done"
                self._finish(state, reason, usage, timings)

    def _decode_rate(self) -> float | None:
        now = asyncio.get_running_loop().time()
        if not self._first_token_at:
            self._first_token_at = now
        elapsed = now - self._first_token_at
        return (self._tokens - 1) / elapsed if self._tokens > 1 and elapsed > 0 else None

    def _show(self, progress: Progress) -> None:
        self.message.progress = progress
        self._on_change()

    def _finish(
        self,
        state: MessageState,
        reason: FinishReason,
        usage: Usage | None = None,
        timings: Timings | None = None,
    ) -> None:
        message = self.message
        message.content += self._splitter.finish()
        message.state, message.finish_reason = state, reason
        message.progress = None
        if usage and self._request:
            limit = self._request.sampling.max_tokens
            message.context_full = reason == "length" and usage.completion_tokens < limit
        message.usage, message.timings = self._together(usage, timings)
        self._on_change()

    def _together(
        self, usage: Usage | None, timings: Timings | None
    ) -> tuple[Usage | None, Timings | None]:
        """Usage and timings of the answer, with those of the part it went on from."""
        usage_before, timings_before = self._before
        if usage and usage_before:
            completion = usage_before.completion_tokens + usage.completion_tokens
            # What was read again to end the thinking is no prompt of anybody's.
            read = usage_before if self._thinking.was_cut else usage
            usage = replace(read, completion_tokens=completion)
        if timings and timings_before:
            decode = timings_before.decode_seconds + timings.decode_seconds
            begun = timings_before if self._thinking.was_cut else timings
            timings = replace(begun, decode_seconds=decode)
        return usage or usage_before, timings or timings_before

    def _fail(self, error: QwenChatError) -> None:
        # Whoever pressed Stop has what they wanted; an engine that dies of it is no failure
        # of this answer.
        if self.stopping:
            self._finish("stopped", "abort")
            return
        self.message.content += self._splitter.finish()
        self.message.state, self.message.error = "failed", (error.code, error.message)
        self.message.progress = None
        self._on_change()


class _Thinking:
    """How long a message was thought about.

    Attributes:
        tokens: Of thinking, in this reply.
        was_cut: It reached its budget.
    """

    def __init__(self, message: Message) -> None:
        self.tokens = 0
        self.was_cut = False
        self._message = message
        self._seconds_before = message.thinking_seconds or 0.0
        self._begun_at: float | None = None

    def goes_on(self) -> None:
        """There is a thought now; the time up to it counts."""
        now = asyncio.get_running_loop().time()
        if self._begun_at is None:
            self._begun_at = now
        seconds = self._seconds_before + now - self._begun_at
        self._message.thinking_seconds = round(seconds, 3)


async def _until_settled(engine: Engine) -> None:
    """Wait until the engine is ready or has given up."""
    settled = asyncio.Event()

    def look(status: EngineStatus) -> None:
        if status.state in ("ready", "failed"):
            settled.set()

    unwatch = engine.watch(look)
    try:
        look(engine.status)
        await settled.wait()
    finally:
        unwatch()
