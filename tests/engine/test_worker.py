"""The loop of the engine process, with a scripted engine."""

from __future__ import annotations

import queue
import threading
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from qwenchat.engine import worker
from qwenchat.engine.protocol import (
    Abort,
    Delta,
    Event,
    Failed,
    Finished,
    Generate,
    Measure,
    Measured,
    Shutdown,
)
from qwenchat.errors import ContextLengthExceeded
from qwenchat.sampling import SamplingParameters
from qwenchat.types import ChatMessage, Timings, Usage

END = (Usage(1, 0, 1), Timings(0.0, 0.0, 0.0))


def ask(request_id: str, text: str = "hello") -> Generate:
    return Generate(request_id, (ChatMessage("user", text),), SamplingParameters())


class ScriptedEngine:
    """Says one word a step for each request, three steps long; steps only when it has work."""

    def __init__(self) -> None:
        self.left: dict[str, int] = {}
        self.steps = 0
        self.broken = False
        self.measured_meanwhile = threading.Event()
        self.measured_meanwhile.set()

    @property
    def has_work(self) -> bool:
        return bool(self.left)

    def add(self, request: Generate) -> None:
        if request.messages[0].content == "too long":
            raise ContextLengthExceeded("too long, shorten it")
        if request.messages[0].content == "odd":
            raise ZeroDivisionError("odd")
        self.left[request.request_id] = 3

    def abort(self, request_id: str) -> Finished | None:
        if self.left.pop(request_id, None) is None:
            return None
        return Finished(request_id, "abort", *END)

    def measure(
        self,
        messages: tuple[ChatMessage, ...],
        continue_final: bool,
        template_values: Mapping[str, Any],
    ) -> int:
        if messages[0].content == "endless":
            raise ContextLengthExceeded("endless, shorten it")
        self.measured_meanwhile.wait(5)
        return len(messages[0].content) + 100 * continue_final

    def step(self) -> Sequence[Event]:
        assert self.left, "step() without work would block for ever in the real engine"
        if self.broken:
            raise RuntimeError("the step failed")
        self.steps += 1
        events: list[Event] = []
        for request_id in list(self.left):
            self.left[request_id] -= 1
            events.append(Delta(request_id, "word ", 1))
            if not self.left[request_id]:
                del self.left[request_id]
                events.append(Finished(request_id, "stop", *END))
                self.measured_meanwhile.set()
        return events


def run(engine: ScriptedEngine, *commands: object) -> list[Event]:
    inbox: worker.Inbox = queue.SimpleQueue()
    for command in commands:
        inbox.put(command)  # type: ignore[arg-type]
    said: list[Event] = []
    expected = sum(isinstance(c, Measure | Generate) for c in commands)

    def emit(events: Sequence[Event]) -> None:
        said.extend(events)
        ends = [event for event in said if isinstance(event, Finished | Measured | Failed)]
        if len(ends) == expected and inbox.empty():
            inbox.put(Shutdown())

    thread = threading.Thread(target=worker.run, args=(engine, inbox, emit))
    thread.start()
    thread.join(timeout=5)
    assert not thread.is_alive()
    return said


def test_requests_that_arrived_together_share_steps() -> None:
    engine = ScriptedEngine()
    said = run(engine, ask("a"), ask("b"))
    assert engine.steps == 3
    assert [e for e in said if isinstance(e, Finished)] == [
        Finished("a", "stop", *END),
        Finished("b", "stop", *END),
    ]


def test_abort_is_answered_by_finished_abort_and_spares_the_others() -> None:
    said = run(ScriptedEngine(), ask("a"), ask("b"), Abort("a"))
    assert Finished("a", "abort", *END) in said
    assert Finished("b", "stop", *END) in said
    assert not [e for e in said if isinstance(e, Delta) and e.request_id == "a"]


def test_abort_of_an_unknown_request_says_nothing() -> None:
    said = run(ScriptedEngine(), Abort("nobody"), ask("b"))
    assert {e.request_id for e in said} == {"b"}


def test_measure_is_answered() -> None:
    message = ChatMessage("user", "four")
    assert run(ScriptedEngine(), Measure("m", (message,))) == [Measured("m", 4)]
    assert run(ScriptedEngine(), Measure("m", (message,), True)) == [Measured("m", 104)]


def test_what_cannot_be_measured_fails_alone() -> None:
    said = run(ScriptedEngine(), Measure("m", (ChatMessage("user", "endless"),)))
    assert said == [Failed("m", "context_length_exceeded", "endless, shorten it")]


def test_answers_go_on_while_something_long_is_measured() -> None:
    engine = ScriptedEngine()
    engine.measured_meanwhile.clear()  # the measurement ends when an answer has
    said = run(engine, Measure("m", (ChatMessage("user", "four"),)), ask("a"))
    assert Finished("a", "stop", *END) in said
    assert said.index(Measured("m", 4)) > said.index(Delta("a", "word ", 1))


def test_a_request_that_cannot_be_added_fails_alone() -> None:
    said = run(ScriptedEngine(), ask("a", "too long"), ask("b"))
    assert said[0] == Failed("a", "context_length_exceeded", "too long, shorten it")
    assert Finished("b", "stop", *END) in said


def test_an_unforeseen_failure_of_one_request_is_its_own() -> None:
    said = run(ScriptedEngine(), ask("a", "odd"), ask("b"))
    failed = said[0]
    assert isinstance(failed, Failed)
    assert failed.code == "engine_internal"
    assert "ZeroDivisionError" in failed.message
    assert Finished("b", "stop", *END) in said


def test_a_failing_step_ends_the_loop() -> None:
    engine = ScriptedEngine()
    engine.broken = True
    inbox: worker.Inbox = queue.SimpleQueue()
    inbox.put(ask("a"))
    with pytest.raises(RuntimeError, match="the step failed"):
        worker.run(engine, inbox, lambda events: None)
