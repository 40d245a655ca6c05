"""The engine process's loop.

It is handed an engine and knows neither vLLM nor the pipe: commands come from an inbox,
events go out in batches. It waits only when there is nothing to compute; otherwise it
takes what has arrived and steps. A request that cannot be added fails alone; a step that
fails ends the process, for nothing the engine says afterwards could be trusted.

Measuring has a thread of its own: a tokenizer reads 0.4 to 3 million characters a second,
so a pasted book would otherwise hold every running answer up for a second.
"""

from __future__ import annotations

import queue
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Protocol

from qwenchat.engine.protocol import (
    Abort,
    Command,
    Event,
    Failed,
    Finished,
    Generate,
    Load,
    Measure,
    Measured,
    Shutdown,
)
from qwenchat.errors import EngineInternal, QwenChatError
from qwenchat.types import ChatMessage

Emit = Callable[[Sequence[Event]], None]
"""Called from the loop and from the measuring thread."""


class SteppedEngine(Protocol):
    """What the loop needs of an engine (see ``vllm_engine.VllmEngine``)."""

    @property
    def has_work(self) -> bool: ...
    def add(self, request: Generate) -> None: ...
    def abort(self, request_id: str) -> Finished | None: ...
    def measure(
        self,
        messages: tuple[ChatMessage, ...],
        continue_final: bool,
        template_values: Mapping[str, Any],
    ) -> int:
        """Called from another thread than the rest."""

    def step(self) -> Sequence[Event]: ...


Inbox = queue.SimpleQueue[Command]


def run(engine: SteppedEngine, inbox: Inbox, emit: Emit) -> None:
    """Serve until :class:`Shutdown` arrives.

    Raises:
        Exception: A step failed.
    """
    measuring = ThreadPoolExecutor(max_workers=1, thread_name_prefix="measure")
    try:
        while True:
            for command in _arrived(inbox, wait=not engine.has_work):
                match command:
                    case Shutdown():
                        return
                    case Measure():
                        measuring.submit(_measure, engine, command, emit)
                    case _:
                        _obey(engine, command, emit)
            if engine.has_work:
                events = engine.step()
                if events:
                    emit(events)
    finally:
        measuring.shutdown(wait=False, cancel_futures=True)


def _arrived(inbox: Inbox, *, wait: bool) -> Iterator[Command]:
    """Commands in the inbox now; with ``wait`` at least one."""
    try:
        yield inbox.get(block=wait)
        while True:
            yield inbox.get_nowait()
    except queue.Empty:
        return


def _measure(engine: SteppedEngine, command: Measure, emit: Emit) -> None:
    def measure() -> None:
        tokens = engine.measure(command.messages, command.continue_final, command.template_values)
        emit([Measured(command.request_id, tokens)])

    with_failure(command.request_id, emit, measure)


def _obey(engine: SteppedEngine, command: Generate | Abort | Load, emit: Emit) -> None:
    match command:
        case Generate(request_id=request_id):
            with_failure(request_id, emit, lambda: engine.add(command))
        case Abort(request_id=request_id):
            finished = engine.abort(request_id)
            if finished:
                emit([finished])
        case Load():
            raise AssertionError("the process loads once, before the loop")


def with_failure(request_id: str, emit: Emit, action: Callable[[], None]) -> None:
    """Do ``action``; what it raises becomes the request's own :class:`Failed`."""
    try:
        action()
    except QwenChatError as error:
        emit([Failed(request_id, error.code, error.message, error.param)])
    except Exception as error:  # one request's trouble must not end the others'
        text = f"The engine could not take this request: {type(error).__name__}: {error}"[:500]
        emit([Failed(request_id, EngineInternal.code, f"{text}. Try again, or start a new chat.")])
