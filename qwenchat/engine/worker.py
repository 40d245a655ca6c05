"""The engine process's loop.

It is handed an engine and knows neither vLLM nor the pipe: commands come from an inbox,
events go out in batches. It waits only when there is nothing to compute; otherwise it
takes what has arrived and steps. A request that cannot be added fails alone; a step that
fails ends the process, for nothing the engine says afterwards could be trusted.
"""

from __future__ import annotations

import queue
from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

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


class SteppedEngine(Protocol):
    """What the loop needs of an engine (see ``vllm_engine.VllmEngine``)."""

    @property
    def has_work(self) -> bool: ...
    def add(self, request: Generate) -> None: ...
    def abort(self, request_id: str) -> Finished | None: ...
    def measure(self, messages: tuple[ChatMessage, ...]) -> int: ...
    def step(self) -> Sequence[Event]: ...


Inbox = queue.SimpleQueue[Command]


def run(engine: SteppedEngine, inbox: Inbox, emit: Emit) -> None:
    """Serve until :class:`Shutdown` arrives.

    Raises:
        Exception: A step failed.
    """
    while True:
        for command in _arrived(inbox, wait=not engine.has_work):
            if isinstance(command, Shutdown):
                return
            _obey(engine, command, emit)
        if engine.has_work:
            events = engine.step()
            if events:
                emit(events)


def _arrived(inbox: Inbox, *, wait: bool) -> Iterator[Command]:
    """Commands in the inbox now; with ``wait`` at least one."""
    try:
        yield inbox.get(block=wait)
        while True:
            yield inbox.get_nowait()
    except queue.Empty:
        return


def _obey(engine: SteppedEngine, command: Command, emit: Emit) -> None:
    match command:
        case Generate(request_id=request_id):
            with_failure(request_id, emit, lambda: engine.add(command))
        case Measure(request_id=request_id, messages=messages):
            with_failure(
                request_id,
                emit,
                lambda: emit([Measured(request_id, engine.measure(messages))]),
            )
        case Abort(request_id=request_id):
            finished = engine.abort(request_id)
            if finished:
                emit([finished])
        case Load() | Shutdown():
            raise AssertionError(f"{type(command).__name__} cannot come here")


def with_failure(request_id: str, emit: Emit, action: Callable[[], None]) -> None:
    """Do ``action``; what it raises becomes the request's own :class:`Failed`."""
    try:
        action()
    except QwenChatError as error:
        emit([Failed(request_id, error.code, error.message)])
    except Exception as error:  # one request's trouble must not end the others'
        text = f"The engine could not take this request: {type(error).__name__}: {error}"[:500]
        emit([Failed(request_id, EngineInternal.code, f"{text}. Try again, or start a new chat.")])
