"""Servers: one of its own for a test that asks for it, and one with the page for all."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Protocol

import pytest

from qwenchat.engine.fake import FakeEngine
from tests.api.serving import Client, Serving, free_port, serving, wait_until


class Serve(Protocol):
    def __call__(self, engine: FakeEngine | None = None, **options: Any) -> Serving: ...


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Serve]:
    """Starts servers; they end with the test."""
    with ExitStack() as stack:

        def start(engine: FakeEngine | None = None, **options: Any) -> Serving:
            return stack.enter_context(serving(tmp_path, engine, **options))

        yield start


@pytest.fixture(scope="session")
def whole_app() -> Iterator[Client]:
    """The app with its page, in a process that this one's work does not slow down.

    Its engine never becomes ready.
    """
    port = free_port()
    command = [sys.executable, "-m", "tests.fake_app", "--port", str(port), "--hold"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    client = Client(port)
    try:
        wait_until(client.shows_the_page, 60)
        yield client
    finally:
        client.http.close()
        process.terminate()
        process.wait(10)
