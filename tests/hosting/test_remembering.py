"""The choice at the next start, and what is loaded when it cannot be: all that ``compose``
builds, with scripted processes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from qwenchat.compose import build_hosting
from qwenchat.engine import supervisor
from qwenchat.engine.protocol import Load, Ready, Shutdown
from qwenchat.hosting.choice import DEMO, FILE_NAME, Choice, read_choice, write_choice
from qwenchat.hosting.hosting import Hosting
from qwenchat.models.demo import DEMO_FOLDER, DEMO_NAME
from qwenchat.settings import Settings
from tests.engine.scripted_process import ScriptedProcess
from tests.hosting.running import World, run
from tests.models.samples import small_snapshot

pytestmark = pytest.mark.usefixtures("machine")


@pytest.fixture
def scripted(
    tmp_path: Path, demo_snapshot: Path, monkeypatch: pytest.MonkeyPatch
) -> type[ScriptedProcess]:
    """Processes that load every model but those that ``unloadable`` names."""

    class Process(ScriptedProcess):
        made: list[ScriptedProcess] = []
        unloadable: set[str] = set()

        @staticmethod
        def script(process: ScriptedProcess) -> None:
            (load,) = [command for command in process.commands if isinstance(command, Load)]
            if load.model in Process.unloadable:
                process.die(-9)
            else:
                process.say([Ready(load.model, load.context_length, 4, 4096, 1000.0, 256)])

    monkeypatch.setattr(supervisor, "EngineProcess", Process)
    models = tmp_path / "data/models"
    models.mkdir()
    (models / DEMO_FOLDER).symlink_to(demo_snapshot)
    return Process


def models_of(scripted: type[ScriptedProcess]) -> list[str]:
    return [c.model for p in scripted.made for c in p.commands if isinstance(c, Load)]


def composed(tmp_path: Path, **settings: str) -> Callable[[], Hosting]:
    return lambda: build_hosting(Settings(data_dir=tmp_path / "data", **settings))


def test_the_remembered_choice_is_loaded_at_the_next_start(
    tmp_path: Path, scripted: type[ScriptedProcess], one: Choice
) -> None:
    async def choose(world: World) -> None:
        assert world.engine.status.model == DEMO_NAME
        await world.switcher.switch(one)
        await world.settled()

    async def again(world: World) -> None:
        assert (world.switcher.choice, world.engine.status.model) == (one, "one")
        assert world.messages == []

    run(composed(tmp_path), choose)
    run(composed(tmp_path), again)
    assert models_of(scripted) == [DEMO_NAME, "one", "one"]


def test_a_model_that_the_settings_name_wins_and_leaves_what_is_remembered(
    tmp_path: Path, scripted: type[ScriptedProcess], one: Choice, two: Choice
) -> None:
    write_choice(tmp_path / "data", one)

    async def story(world: World) -> None:
        assert world.engine.status.model == "two"
        assert world.remembered == one

    run(composed(tmp_path, model=two.model), story)


@pytest.mark.parametrize("gone", ["folder", "id"])
def test_a_remembered_model_that_is_gone_makes_way_for_the_demo(
    tmp_path: Path, scripted: type[ScriptedProcess], gone: str
) -> None:
    choice = Choice(str(tmp_path / "gone") if gone == "folder" else "Qwen/Qwen-Gone")
    write_choice(tmp_path / "data", choice)

    async def story(world: World) -> None:
        assert world.engine.status.model == DEMO_NAME
        assert world.switcher.choice == DEMO
        (message,) = world.messages
        assert message.startswith(f"{choice.model if gone == 'id' else 'gone'} could not be loaded")
        assert message.endswith(f"QwenChat starts with {DEMO_NAME} instead.")
        assert world.remembered == choice, "it may be back the next time, as from another disk"
        assert world.hosting.downloads.all() == []
        await world.switcher.switch(DEMO)
        await world.settled()
        assert world.remembered == DEMO

    run(composed(tmp_path), story)


def test_a_remembered_model_that_the_kernel_kills_makes_way_at_once(
    tmp_path: Path, scripted: type[ScriptedProcess], one: Choice
) -> None:
    write_choice(tmp_path / "data", one)
    scripted.unloadable = {"one"}  # type: ignore[attr-defined]

    async def story(world: World) -> None:
        assert models_of(scripted) == ["one", DEMO_NAME]
        assert len(world.messages) == 1

    run(composed(tmp_path), story)


def test_a_damaged_choice_is_no_reason_not_to_start(
    tmp_path: Path, scripted: type[ScriptedProcess], caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "data" / FILE_NAME).write_bytes(b'{"model": "Qw')

    async def story(world: World) -> None:
        assert world.engine.status.model == DEMO_NAME
        assert world.messages == []

    run(composed(tmp_path), story)
    assert FILE_NAME in caplog.text


def test_the_choice_is_always_that_of_the_engine(
    tmp_path: Path, scripted: type[ScriptedProcess], one: Choice, two: Choice
) -> None:
    three = Choice(str(small_snapshot(tmp_path / "three")))

    async def story(world: World) -> None:
        for bad in ({"two"}, {"three"}, {"two", "three"}, {"one", "two"}):
            scripted.unloadable = bad  # type: ignore[attr-defined]
            for choice in (one, two, three, DEMO, two):
                await world.switcher.switch(choice)
                if choice != three:
                    await world.settled()
            shown = Path(world.switcher.choice.model).name
            assert world.engine.status.model == (DEMO_NAME if shown == "demo" else shown)
            assert world.engine.status.state == "ready"
            assert world.remembered == world.switcher.choice

    run(composed(tmp_path), story)


def test_the_app_ends_in_the_middle_of_a_switch(
    tmp_path: Path, scripted: type[ScriptedProcess], one: Choice
) -> None:
    async def story(world: World) -> None:
        await world.switcher.switch(one)

    run(composed(tmp_path), story)
    assert all(Shutdown() in process.commands for process in scripted.made)
    assert read_choice(tmp_path / "data") is None
