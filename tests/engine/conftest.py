"""What tests of the engine's client share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from qwenchat.engine import supervisor as supervisor_module
from qwenchat.engine.protocol import Loading
from tests.engine.scripted_process import READY, ScriptedProcess


@pytest.fixture
def processes(monkeypatch: pytest.MonkeyPatch) -> Iterator[type[ScriptedProcess]]:
    class Process(ScriptedProcess):
        made: list[ScriptedProcess] = []

        @staticmethod
        def script(process: ScriptedProcess) -> None:
            process.say([Loading("Reading the weights", 50, 100)])
            process.say([READY])

    monkeypatch.setattr(supervisor_module, "EngineProcess", Process)
    monkeypatch.setattr(supervisor_module, "BACK_OFF_SECONDS", (0.01, 0.02, 0.03))
    yield Process
