"""Another model while the engine runs, with scripted processes: what is ended, what waits, and
what is gone back to."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from qwenchat.engine.client import EngineClient
from qwenchat.engine.plan import Plan
from qwenchat.engine.protocol import Delta, Failed, Finished, Load, Loading, Ready, Shutdown
from qwenchat.engine.seam import EngineStatus, Prepare, PreparedModel, Progress
from qwenchat.errors import EngineStartFailed, ModelDamaged, ModelSwitched, QwenChatError
from qwenchat.sampling import SamplingParameters
from tests.engine.scripted_process import ScriptedProcess, collect, until_state

TEMPERATURES = {"A": 0.1, "B": 0.2, "C": 0.3}


def prepare(model: str, error: QwenChatError | None = None) -> Prepare:
    async def prepared(progress: Progress) -> PreparedModel:
        progress(f"Looking for {model}", 0, 0)
        if error:
            raise error
        load = Load(f"/models/{model}", model, 100, 1024, 1000, 4, "auto", 1)
        return PreparedModel(load, SamplingParameters(temperature=TEMPERATURES[model]))

    return prepared


def load_well(process: ScriptedProcess, model: str) -> None:
    process.say([Loading("Reading the weights", 50, 100)])
    process.say([Ready(model, 1024, 4, 4096, 1000.0, 256)])


def be_killed(process: ScriptedProcess, model: str) -> None:
    process.say([Loading("Reading the weights", 50, 100)])
    process.die(-9)


def fail_with_words(process: ScriptedProcess, model: str) -> None:
    process.say([Failed(None, "engine_start_failed", "SafetensorError: bad header")])
    process.die(1)


def never_end(process: ScriptedProcess, model: str) -> None:
    process.say([Loading("Reading the weights", 50, 100)])


class World:
    """An engine that begins with model A, and how loading goes for each model."""

    def __init__(
        self, processes: type[ScriptedProcess], engine: EngineClient, **loads: Callable[..., None]
    ) -> None:
        self.processes, self.engine = processes, engine
        self.loads = {name: load_well for name in TEMPERATURES} | loads
        self.seen: list[EngineStatus] = []
        self.fallbacks: list[tuple[str, QwenChatError]] = []
        self.models: list[str] = []
        engine.watch(self.seen.append)
        engine.watch_fallbacks(lambda model, error: self.fallbacks.append((model, error)))
        processes.script = staticmethod(self._load)  # type: ignore[method-assign, assignment]

    def _load(self, process: ScriptedProcess) -> None:
        (load,) = [command for command in process.commands if isinstance(command, Load)]
        for earlier in self.processes.made[:-1]:
            ended = earlier.exit_code != 0 or Shutdown() in earlier.commands
            assert ended, "two engines at once"
        self.models.append(load.model)
        self.loads[load.model](process, load.model)

    async def switch(self, model: str, error: QwenChatError | None = None) -> None:
        await self.engine.switch(prepare(model, error), model)

    async def loaded(self, model: str) -> None:
        while (self.engine.status.state, self.engine.status.model) != ("ready", model):
            await asyncio.sleep(0.001)


Story = Callable[[World], Coroutine[Any, Any, None]]


def run(
    processes: type[ScriptedProcess],
    story: Story,
    *,
    first: Prepare | None = None,
    fallback: Plan | None = None,
    **loads: Callable[..., None],
) -> World:
    async def main() -> World:
        engine = EngineClient(first or prepare("A"), "A", fallback)
        world = World(processes, engine, **loads)
        await engine.start()
        async with asyncio.timeout(5):
            await story(world)
        await engine.close()
        return world

    return asyncio.run(main())


Processes = type[ScriptedProcess]


def test_the_old_engine_is_ended_and_the_new_one_loads_in_stages(processes: Processes) -> None:
    async def story(world: World) -> None:
        await world.loaded("A")
        assert world.engine.defaults.temperature == 0.1
        await world.switch("B")
        assert (world.engine.status.state, world.engine.status.model) == ("starting", "B")
        assert world.engine.status.ready is None
        await world.loaded("B")
        assert world.engine.defaults.temperature == 0.2
        assert len(await collect(world.engine)) == 3
        assert Shutdown() in processes.made[0].commands

    world = run(processes, story)
    assert world.models == ["A", "B"]
    stages = [s.stage for s in world.seen if s.state == "loading" and s.model == "B"]
    assert stages == ["Looking for B", "Reading the weights"]
    assert world.fallbacks == []


def test_a_process_that_does_not_end_by_itself_is_killed(
    processes: Processes,
) -> None:
    killed: list[str] = []
    waits = iter([None, -9])

    async def story(world: World) -> None:
        await world.loaded("A")
        processes.made[0].wait = lambda seconds: next(waits)  # type: ignore
        processes.made[0].kill = lambda: killed.append("A")  # type: ignore[method-assign]
        await world.switch("B")
        await world.loaded("B")

    run(processes, story)
    assert killed == ["A"]


def test_running_requests_fail_as_switched_and_waiting_ones_are_answered(
    processes: Processes,
) -> None:
    async def story(world: World) -> None:
        await world.loaded("A")
        runs = asyncio.create_task(collect(world.engine, "wait", "runs"))
        measures = asyncio.create_task(world.engine.measure(()))
        await asyncio.sleep(0.01)
        assert await measures == 7
        await world.switch("B")
        waits = asyncio.create_task(collect(world.engine, "hello", "waits"))
        with pytest.raises(ModelSwitched, match="kept"):
            await runs
        assert [e.text for e in await waits if isinstance(e, Delta)] == ["Hi", "!"]
        assert world.engine.status.model == "B"

    run(processes, story)


def test_what_the_old_process_still_says_is_not_listened_to(processes: Processes) -> None:
    async def story(world: World) -> None:
        await until_state(world.engine, "loading")
        while not processes.made:
            await asyncio.sleep(0.001)
        await world.switch("B")
        load_well(processes.made[0], "A")
        await world.loaded("B")
        load_well(processes.made[0], "A")
        await asyncio.sleep(0.01)
        assert world.engine.status.ready and world.engine.status.ready.model == "B"

    world = run(processes, story, A=never_end)
    assert [s.model for s in world.seen if s.state == "ready"] == ["B"]


@pytest.mark.parametrize("failure", [be_killed, fail_with_words])
def test_a_process_that_ends_while_it_loads_leads_back_at_once(
    processes: Processes, failure: Callable[..., None]
) -> None:
    async def story(world: World) -> None:
        await world.loaded("A")
        await world.switch("B")
        answered = await collect(world.engine)
        assert isinstance(answered[-1], Finished)
        assert world.engine.status.model == "A"
        assert world.engine.status.error is None
        assert world.engine.defaults.temperature == 0.1

    world = run(processes, story, B=failure)
    assert world.models == ["A", "B", "A"]
    ((model, error),) = world.fallbacks
    assert model == "B" and isinstance(error, EngineStartFailed)
    assert "failed" not in [s.state for s in world.seen]
    assert "restarting" not in [s.state for s in world.seen]


def test_a_model_that_cannot_be_prepared_leads_back(processes: Processes) -> None:
    async def story(world: World) -> None:
        await world.loaded("A")
        await world.switch("B", ModelDamaged("B is cut short."))
        await world.loaded("A")

    world = run(processes, story)
    assert world.models == ["A", "A"]
    assert [(m, e.message) for m, e in world.fallbacks] == [("B", "B is cut short.")]


def test_a_switch_during_a_switch_keeps_the_last_that_was_ready(processes: Processes) -> None:
    async def story(world: World) -> None:
        await world.loaded("A")
        await world.switch("B")
        while world.models != ["A", "B"]:
            await asyncio.sleep(0.001)
        waits = asyncio.create_task(collect(world.engine))
        await world.switch("C")
        assert isinstance((await waits)[-1], Finished)
        assert world.engine.status.model == "A"

    world = run(processes, story, B=never_end, C=be_killed)
    assert world.models == ["A", "B", "C", "A"]
    assert [model for model, _ in world.fallbacks] == ["C"]


def test_a_switch_before_any_model_was_ready_leads_back_to_the_first(processes: Processes) -> None:
    async def story(world: World) -> None:
        while world.models != ["A"]:
            await asyncio.sleep(0.001)
        world.loads["A"] = load_well
        await world.switch("B")
        await world.loaded("A")

    world = run(processes, story, A=never_end, B=be_killed)
    assert world.models == ["A", "B", "A"]


def test_many_switches_at_once_end_with_the_last(processes: Processes) -> None:
    async def story(world: World) -> None:
        await world.loaded("A")
        await asyncio.gather(*(world.switch(name) for name in "BCBCBCBC"))
        waits = asyncio.create_task(collect(world.engine))
        await world.loaded("C")
        assert len(await waits) == 3
        for name in "BCBCB":
            await world.switch(name)
            await asyncio.sleep(0)
        await world.loaded("B")

    world = run(processes, story)
    assert world.models == ["A", "C", "B"]
    assert world.fallbacks == []


def test_when_the_one_before_cannot_be_loaded_either_both_reasons_are_given(
    processes: Processes,
) -> None:
    async def story(world: World) -> None:
        await world.loaded("A")
        world.loads["A"] = fail_with_words
        await world.switch("B", ModelDamaged("B is cut short."))
        with pytest.raises(EngineStartFailed, match="B is cut short.*Nor could A.*damaged"):
            await collect(world.engine)
        assert world.engine.status.state == "failed"
        world.loads["A"] = load_well
        await world.engine.restart()
        await world.loaded("A")
        assert world.engine.status.error is None

    run(processes, story)


def test_a_switch_after_the_engine_gave_up(processes: Processes) -> None:
    async def story(world: World) -> None:
        await until_state(world.engine, "failed")
        await world.switch("B")
        await world.loaded("B")

    world = run(processes, story, A=fail_with_words)
    assert world.fallbacks == []


def test_after_giving_up_there_is_nothing_to_go_back_to(processes: Processes) -> None:
    async def story(world: World) -> None:
        await until_state(world.engine, "failed")
        await world.switch("B", ModelDamaged("B is cut short."))
        await until_state(world.engine, "failed")
        assert world.engine.status.error == ("model_damaged", "B is cut short.")

    world = run(processes, story, A=fail_with_words)
    assert world.fallbacks == []


def test_once_it_was_ready_a_model_is_restarted_and_not_left(processes: Processes) -> None:
    async def story(world: World) -> None:
        await world.loaded("A")
        await world.switch("B")
        await world.loaded("B")
        processes.made[-1].die(-9)
        await until_state(world.engine, "restarting")
        await world.loaded("B")

    world = run(processes, story)
    assert world.models == ["A", "B", "B"]
    assert world.fallbacks == []


def test_the_first_model_has_a_fallback_when_given_one(processes: Processes) -> None:
    async def story(world: World) -> None:
        await world.loaded("C")
        assert len(await collect(world.engine)) == 3

    world = run(
        processes,
        story,
        first=prepare("A", ModelDamaged("A is cut short.")),
        fallback=Plan("C", prepare("C")),
    )
    assert [(m, e.message) for m, e in world.fallbacks] == [("A", "A is cut short.")]
    assert world.seen[-1].model == "C"


@pytest.mark.parametrize("turns", [0, 1, 2, 3, 5, 20])
def test_closing_in_the_middle_of_a_switch_leaves_no_process(
    processes: Processes, turns: int
) -> None:
    async def story(world: World) -> None:
        await world.loaded("A")
        switching = asyncio.create_task(world.switch("B"))
        for _ in range(turns):
            await asyncio.sleep(0)
        await asyncio.gather(world.engine.close(), switching)
        made = len(processes.made)
        await world.switch("C")
        await asyncio.sleep(0.02)
        assert len(processes.made) == made
        assert all(Shutdown() in process.commands for process in processes.made)

    run(processes, story, B=never_end)


def test_a_preparation_that_will_not_be_cancelled_does_not_lead_back(processes: Processes) -> None:
    async def stubborn(progress: Progress) -> PreparedModel:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            await asyncio.sleep(0.01)
        raise ModelDamaged("its process was ended")

    async def story(world: World) -> None:
        await world.loaded("A")
        await world.engine.switch(stubborn, "B")
        await asyncio.sleep(0.01)
        await world.switch("C")
        await world.loaded("C")

    world = run(processes, story)
    assert world.models == ["A", "C"]
    assert world.fallbacks == []
