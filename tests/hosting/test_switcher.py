"""Switching while the app runs: refused beforehand, remembered afterwards, and told of when it
came to nothing. Over the scripted engine."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from qwenchat import hardware
from qwenchat.engine.fake import FakeEngine, LoadStage
from qwenchat.errors import EngineStartFailed, ModelDamaged, ModelNotFound
from qwenchat.hosting.choice import DEMO, Choice
from qwenchat.hosting.hosting import Hosting, host
from qwenchat.models.fit import GIB, DoesNotFit
from qwenchat.settings import Settings
from tests.hosting.running import World, run
from tests.models.samples import small_snapshot

pytestmark = pytest.mark.usefixtures("machine")

OUT_OF_MEMORY = EngineStartFailed(
    "The engine could not start: the system ran out of memory and ended it. Close other programs."
)


def over_fake(tmp_path: Path, engine: FakeEngine | None = None) -> Callable[[], Hosting]:
    def make() -> Hosting:
        fake = engine or FakeEngine(stages=[LoadStage("Reading", 100, 4, 0.02)])
        return host(Settings(data_dir=tmp_path / "data"), fake)

    return make


def test_a_switch_loads_and_is_remembered_once_it_is_ready(tmp_path: Path, one: Choice) -> None:
    async def story(world: World) -> None:
        assert world.remembered is None, "what nobody chose is not remembered"
        await world.switcher.switch(one)
        assert world.switcher.choice == one
        assert world.engine.status.state == "starting"
        await asyncio.sleep(0)
        assert world.remembered is None
        await world.settled()
        assert world.remembered == one
        ready = world.engine.status.ready
        assert ready and (ready.model, ready.context_length) == ("one", 1024)
        assert world.switcher.snapshot == Path(one.model)
        assert world.choices == [one]
        assert world.messages == []

    run(over_fake(tmp_path), story)


def test_other_values_of_the_same_model_are_a_switch(tmp_path: Path, one: Choice) -> None:
    async def story(world: World) -> None:
        for choice in (one, Choice(one.model, 512), Choice(one.model, 512, "float32")):
            await world.switcher.switch(choice)
            await world.settled()
            assert world.remembered == choice
        assert world.engine.status.ready.context_length == 512
        assert len(world.choices) == 3

    run(over_fake(tmp_path), story)


def test_what_is_loaded_already_is_left_as_it_is(tmp_path: Path, one: Choice) -> None:
    async def story(world: World) -> None:
        await world.switcher.switch(DEMO)
        await world.settled()
        assert world.remembered == DEMO, "it was chosen"
        await world.switcher.switch(one)
        await world.switcher.switch(one)
        await world.settled()
        ready = world.engine.status.ready
        await world.switcher.switch(one)
        assert world.engine.status.ready is ready
        assert world.choices == [one]

    run(over_fake(tmp_path), story)


def test_what_is_known_not_to_load_is_refused_and_nothing_changes(
    tmp_path: Path, one: Choice, monkeypatch: pytest.MonkeyPatch
) -> None:
    cut = small_snapshot(tmp_path / "cut")
    (cut / "tokenizer.json").write_text('{"version')

    async def story(world: World) -> None:
        ready = world.engine.status.ready
        for choice, error in (
            (Choice(str(tmp_path / "gone")), ModelNotFound),
            (Choice("Qwen/Qwen3-4B"), ModelNotFound),
            (Choice(str(cut)), ModelDamaged),
        ):
            with pytest.raises(error):
                await world.switcher.switch(choice)
        monkeypatch.setattr(hardware, "available_memory_bytes", lambda: 1024**2)
        with pytest.raises(DoesNotFit):
            await world.switcher.switch(one)
        assert world.engine.status.ready is ready
        assert (world.switcher.choice, world.choices, world.remembered) == (DEMO, [], None)

    run(over_fake(tmp_path), story)


def test_the_memory_of_the_running_engine_counts_as_free(
    tmp_path: Path, one: Choice, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Large(FakeEngine):
        @property
        def resident_bytes(self) -> int:
            return 4 * GIB

    async def story(world: World) -> None:
        monkeypatch.setattr(hardware, "available_memory_bytes", lambda: 1024**2)
        await world.switcher.switch(one)
        assert world.switcher.choice == one

    run(over_fake(tmp_path, Large()), story)


def test_a_load_that_fails_goes_back_and_is_told_in_a_sentence(
    tmp_path: Path, one: Choice, two: Choice
) -> None:
    engine = FakeEngine()

    async def story(world: World) -> None:
        await world.switcher.switch(one)
        await world.settled()
        engine.fail_next_load(OUT_OF_MEMORY)
        await world.switcher.switch(two)
        await world.settled()
        assert world.messages == [
            "two could not be loaded: the system ran out of memory and ended it. Close other "
            "programs. QwenChat went back to one."
        ]
        assert world.switcher.choice == one
        assert world.choices == [one, two, one]
        assert world.remembered == one, "never one that failed"
        assert world.switcher.snapshot == Path(one.model)
        assert world.engine.status.model == "one"

    run(over_fake(tmp_path, engine), story)


def test_what_may_be_gone_back_to_is_in_use_until_the_new_one_is_ready(
    tmp_path: Path, one: Choice, two: Choice
) -> None:
    async def story(world: World) -> None:
        await world.switcher.switch(one)
        await world.settled()
        assert world.switcher.in_use == {Path(one.model)}
        await world.switcher.switch(two)
        assert world.switcher.in_use == {Path(two.model), Path(one.model)}
        await world.settled()
        assert world.switcher.in_use == {Path(two.model)}

    run(over_fake(tmp_path), story)


def test_switches_at_once_are_one_after_the_other_and_the_last_counts(
    tmp_path: Path, one: Choice, two: Choice
) -> None:
    async def story(world: World) -> None:
        switches = [world.switcher.switch(choice) for choice in (one, two, one, DEMO, two)]
        await asyncio.gather(*switches)
        assert world.switcher.choice == two
        await world.settled()
        assert (world.remembered, world.engine.status.model) == (two, "two")
        assert world.messages == []

    run(over_fake(tmp_path), story)


def test_a_refused_switch_beside_a_good_one_does_not_disturb_it(
    tmp_path: Path, one: Choice
) -> None:
    async def story(world: World) -> None:
        gone = Choice(str(tmp_path / "gone"))
        results = await asyncio.gather(
            *(world.switcher.switch(choice) for choice in (gone, one, gone)), return_exceptions=True
        )
        assert [type(result) for result in results] == [ModelNotFound, type(None), ModelNotFound]
        await world.settled()
        assert world.remembered == one

    run(over_fake(tmp_path), story)
