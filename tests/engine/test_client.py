"""The life of an engine as the web process sees it, with scripted processes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from typing import Any

import pytest

from qwenchat.engine import client as client_module
from qwenchat.engine.client import EngineClient
from qwenchat.engine.protocol import (
    Abort,
    Delta,
    Failed,
    Finished,
    Generate,
)
from qwenchat.engine.seam import EngineStatus, PreparedModel, Progress
from qwenchat.engine.supervisor import BACK_OFF_SECONDS
from qwenchat.errors import (
    ContextLengthExceeded,
    EngineDied,
    EngineStartFailed,
    EngineStarting,
    ModelDamaged,
    QueueFull,
    QwenChatError,
)
from qwenchat.sampling import SamplingParameters
from qwenchat.types import ChatMessage
from tests.engine.scripted_process import (
    END,
    LOAD,
    READY,
    ScriptedProcess,
    collect,
    until_state,
)

MESSAGES = (ChatMessage("user", "hello"),)


async def prepare(progress: Progress) -> PreparedModel:
    progress("Looking", 0, 0)
    return PreparedModel(LOAD, SamplingParameters(temperature=0.3), "a note")


def run(body: Callable[[EngineClient, list[EngineStatus]], Coroutine[Any, Any, None]]) -> None:
    async def main() -> None:
        engine = EngineClient(prepare, "m")
        seen: list[EngineStatus] = []
        engine.watch(seen.append)
        await engine.start()
        async with asyncio.timeout(5):
            await body(engine, seen)
        await engine.close()

    asyncio.run(main())


def test_the_stages_lead_to_ready(processes: type[ScriptedProcess]) -> None:
    async def body(engine: EngineClient, seen: list[EngineStatus]) -> None:
        await until_state(engine, "ready")
        assert engine.status.ready == READY
        assert engine.status.model_note == "a note"
        assert engine.defaults.temperature == 0.3
        stages = [(s.state, s.stage, s.done, s.total) for s in seen if s.state == "loading"]
        assert ("loading", "Looking", 0, 0) in stages
        assert ("loading", "Reading the weights", 50, 100) in stages

    run(body)


def test_a_request_sent_early_waits_and_is_answered(processes: type[ScriptedProcess]) -> None:
    async def body(engine: EngineClient, seen: list[EngineStatus]) -> None:
        events = await collect(engine)
        assert [e.text for e in events if isinstance(e, Delta)] == ["Hi", "!"]
        assert events[-1] == Finished("r", "stop", *END)

    run(body)


def test_abort_while_the_engine_loads(processes: type[ScriptedProcess]) -> None:
    processes.script = staticmethod(lambda process: None)  # type: ignore[method-assign, assignment]

    async def body(engine: EngineClient, seen: list[EngineStatus]) -> None:
        asking = asyncio.create_task(collect(engine))
        await until_state(engine, "loading")
        await engine.abort("r")
        (finished,) = await asking
        assert isinstance(finished, Finished)
        assert finished.finish_reason == "abort"
        assert not [c for c in processes.made[0].commands if isinstance(c, Generate)]

    run(body)


def test_ceasing_to_iterate_aborts_the_request(processes: type[ScriptedProcess]) -> None:
    async def body(engine: EngineClient, seen: list[EngineStatus]) -> None:
        await until_state(engine, "ready")
        asking = asyncio.create_task(collect(engine, "wait"))
        while not [c for c in processes.made[0].commands if isinstance(c, Generate)]:
            await asyncio.sleep(0.001)
        asking.cancel()
        await asyncio.wait({asking})
        assert processes.made[0].commands[-1] == Abort("r")

    run(body)


def test_a_refused_request_raises_its_own_error(processes: type[ScriptedProcess]) -> None:
    async def body(engine: EngineClient, seen: list[EngineStatus]) -> None:
        with pytest.raises(ContextLengthExceeded):
            await collect(engine, "too long")
        assert len(await collect(engine)) == 3

    run(body)


def test_a_killed_engine_fails_what_runs_and_comes_back(processes: type[ScriptedProcess]) -> None:
    async def body(engine: EngineClient, seen: list[EngineStatus]) -> None:
        waiting = asyncio.create_task(collect(engine, "wait", "other"))
        await until_state(engine, "ready")
        with pytest.raises(EngineDied, match="signal 9"):
            await collect(engine, "die")
        with pytest.raises(EngineDied):
            await waiting
        assert len(await collect(engine)) == 3
        assert len(processes.made) == 2
        restarting = next(s for s in seen if s.state == "restarting")
        assert restarting.error and restarting.error[0] == "engine_died"
        assert restarting.retry_in_seconds == 0.01
        assert engine.status.error is None

    run(body)


def test_after_three_restarts_it_gives_up_and_can_be_restarted(
    processes: type[ScriptedProcess],
) -> None:
    healthy = processes.script
    processes.script = staticmethod(lambda process: process.die(-11))  # type: ignore[method-assign, assignment]

    async def body(engine: EngineClient, seen: list[EngineStatus]) -> None:
        await until_state(engine, "failed")
        assert len(processes.made) == 1 + len(BACK_OFF_SECONDS)
        pauses = [s.retry_in_seconds for s in seen if s.state == "restarting"]
        assert pauses == [0.01, 0.02, 0.03]
        with pytest.raises(EngineStartFailed, match="SIGSEGV"):
            await collect(engine)
        processes.script = staticmethod(healthy)  # type: ignore[method-assign, assignment]
        await engine.restart()
        assert len(await collect(engine)) == 3

    run(body)


def test_a_failure_of_its_own_while_loading_is_not_tried_again(
    processes: type[ScriptedProcess],
) -> None:
    def fail(process: ScriptedProcess) -> None:
        process.say([Failed(None, "engine_start_failed", "SafetensorError: bad header")])
        process.die(1)

    processes.script = staticmethod(fail)  # type: ignore[method-assign, assignment]

    async def body(engine: EngineClient, seen: list[EngineStatus]) -> None:
        await until_state(engine, "failed")
        assert len(processes.made) == 1
        assert engine.status.error and "damaged" in engine.status.error[1]

    run(body)


def test_a_model_that_cannot_be_prepared_is_named(processes: type[ScriptedProcess]) -> None:
    async def broken(progress: Progress) -> PreparedModel:
        raise ModelDamaged("the file is cut short")

    async def main() -> None:
        engine = EngineClient(broken, "m")
        await engine.start()
        async with asyncio.timeout(5):
            await until_state(engine, "failed")
            with pytest.raises(ModelDamaged, match="cut short"):
                await collect(engine)
        assert not processes.made

    asyncio.run(main())


def test_more_requests_than_the_limit_are_refused(
    processes: type[ScriptedProcess], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client_module, "MAX_REQUESTS", 2)

    async def body(engine: EngineClient, seen: list[EngineStatus]) -> None:
        await until_state(engine, "ready")
        waiting = [asyncio.create_task(collect(engine, "wait", f"w{i}")) for i in range(2)]
        await asyncio.sleep(0.01)
        with pytest.raises(QueueFull):
            await collect(engine)
        for name in ("w0", "w1"):
            await engine.abort(name)
        await asyncio.gather(*waiting)
        assert len(await collect(engine)) == 3

    run(body)


def test_measure_answers_or_says_that_the_engine_is_not_there(
    processes: type[ScriptedProcess],
) -> None:
    async def body(engine: EngineClient, seen: list[EngineStatus]) -> None:
        with pytest.raises(EngineStarting):
            await engine.measure(MESSAGES)
        await until_state(engine, "ready")
        assert await engine.measure(MESSAGES) == 7

    run(body)


def test_every_error_survives_the_pipe_by_its_code() -> None:
    from qwenchat.errors import error_from_code

    def all_kinds(kind: type[QwenChatError]) -> Iterator[type[QwenChatError]]:
        yield kind
        for child in kind.__subclasses__():
            yield from all_kinds(child)

    kinds = list(all_kinds(QwenChatError))
    assert len({kind.code for kind in kinds}) == len(kinds)
    for kind in kinds:
        rebuilt = error_from_code(kind.code, "words", "field")
        assert type(rebuilt) is kind
        assert (rebuilt.message, rebuilt.param) == ("words", "field")
