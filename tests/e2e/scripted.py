"""The real command line over a scripted engine: ``python -m tests.e2e.scripted``.

Every answer is :data:`TEXT`, numbered words, or, when the question has the word "short",
:data:`SHORT`; an answer that goes on is given exactly what is missing. So a character that
is lost or repeated, in whatever kill, is seen at once.
"""

from __future__ import annotations

import re
import sys
import types
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from qwenchat.engine.fake import FakeEngine, LoadStage, Script
from qwenchat.engine.protocol import Generate
from qwenchat.hosting.hosting import Hosting, host
from qwenchat.settings import Settings
from tests.e2e.running import RunningApp

TEXT = " ".join(f"word{number}" for number in range(1, 301)) + "."
SHORT = "A short answer."
DELAY = 0.02
PROGRAM = ("-m", "tests.e2e.scripted")

StartScripted = Callable[..., RunningApp]


def answer(request: Generate) -> Script:
    """What is missing of the text that was asked for."""
    partial = request.messages[-1].content if request.continue_final else ""
    question = request.messages[-2 if request.continue_final else -1].content
    text = SHORT if "short" in question else TEXT
    missing = text.removeprefix(partial) if text.startswith(partial) else f"<not of it: {partial}>"
    return Script(re.findall(r"\s*\S{1,5}", missing), DELAY)


def build_hosting(settings: Settings) -> Hosting:
    return host(settings, FakeEngine(answer, stages=[LoadStage("Loading", seconds=0.2)]))


@pytest.fixture
def start_scripted(tmp_path: Path) -> Iterator[StartScripted]:
    """Start an app over the scripted engine; arguments as for ``RunningApp``."""
    started: list[RunningApp] = []

    def start(**options: object) -> RunningApp:
        folder = tmp_path / f"data{len(started)}"
        running = RunningApp(folder, program=PROGRAM, **options)  # type: ignore[arg-type]
        started.append(running)
        running.until_page()
        return running

    yield start
    for running in started:
        running.close()


if __name__ == "__main__":
    compose = types.ModuleType("qwenchat.compose")
    compose.build_hosting = build_hosting  # type: ignore[attr-defined]
    sys.modules["qwenchat.compose"] = compose
    from qwenchat.__main__ import main

    main()
