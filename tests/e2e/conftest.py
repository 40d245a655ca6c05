"""One running app for the tests that leave it sound; others start their own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.browser.conftest import browser, new_page
from tests.e2e.running import RunningApp

__all__ = ["browser", "new_page"]


@pytest.fixture(scope="session")
def app(tmp_path_factory: pytest.TempPathFactory, demo_snapshot: Path) -> Iterator[RunningApp]:
    running = RunningApp(tmp_path_factory.mktemp("data") / "data", demo_snapshot.parent)
    running.until_ready()
    yield running
    running.close()


@pytest.fixture
def start_app(tmp_path: Path, demo_snapshot: Path) -> Iterator[Callable[..., RunningApp]]:
    """Start an app of the test's own; arguments as for ``RunningApp``."""
    started: list[RunningApp] = []

    def start(**options: object) -> RunningApp:
        running = RunningApp(tmp_path / f"data{len(started)}", demo_snapshot.parent, **options)  # type: ignore[arg-type]
        started.append(running)
        return running

    yield start
    for running in started:
        running.close()
