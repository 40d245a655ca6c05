"""A scripted process where an engine process would be, and ways to ask it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence

from qwenchat.engine.client import EngineClient
from qwenchat.engine.protocol import (
    Abort,
    Command,
    Delta,
    Event,
    Failed,
    Finished,
    Generate,
    Load,
    Measure,
    Measured,
    Ready,
)
from qwenchat.sampling import SamplingParameters
from qwenchat.types import ChatMessage, Timings, Usage

LOAD = Load("/models/m", "m", 100, 1024, 1000, 4, "auto", 1)
READY = Ready("m", 1024, 4, 4096, 1000.0, 256)
END = (Usage(3, 0, 2), Timings(0.0, 0.1, 0.2))


class ScriptedProcess:
    """Stands where an engine process would: ``script`` decides what it says and when it ends."""

    made: list[ScriptedProcess]
    script: Callable[[ScriptedProcess], None]

    def __init__(
        self,
        environment: Mapping[str, str],
        on_events: Callable[[Sequence[Event]], None],
        on_end: Callable[[], None],
    ) -> None:
        self.environment = environment
        self.say, self.end = on_events, on_end
        self.commands: list[Command] = []
        self.exit_code = 0
        self.last_lines: list[str] = []
        self.pid = 1000 + len(self.made)
        self.made.append(self)

    def send(self, command: Command) -> None:
        self.commands.append(command)
        if isinstance(command, Load):
            type(self).script(self)
        elif isinstance(command, Generate):
            self.answer(command)
        elif isinstance(command, Abort):
            self.say([Finished(command.request_id, "abort", *END)])
        elif isinstance(command, Measure):
            self.say([Measured(command.request_id, 7)])

    def answer(self, request: Generate) -> None:
        text = request.messages[-1].content
        if text == "die":
            self.die(-9)
        elif text == "too long":
            self.say([Failed(request.request_id, "context_length_exceeded", "too long")])
        elif text != "wait":
            self.say([Delta(request.request_id, "Hi", 1), Delta(request.request_id, "!", 1)])
            self.say([Finished(request.request_id, "stop", *END)])

    def die(self, exit_code: int) -> None:
        self.exit_code = exit_code
        self.end()

    def wait(self, seconds: float) -> int:
        return self.exit_code

    def kill(self) -> None:
        self.exit_code = -9


async def collect(engine: EngineClient, text: str = "hello", name: str = "r") -> list[Event]:
    request = Generate(name, (ChatMessage("user", text),), SamplingParameters())
    return [event async for event in engine.generate(request)]


async def until_state(engine: EngineClient, state: str) -> None:
    while engine.status.state != state:
        await asyncio.sleep(0.001)
