"""A fresh clone without an environment: ``make run`` answers in Chromium, ``make test`` passes.

Takes minutes and downloads the pinned requirements; ``make accept`` runs it.
"""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import browser, new_page
from tests.e2e.running import PROJECT, free_port, until

__all__ = ["browser", "new_page"]
pytestmark = [
    pytest.mark.accept,
    pytest.mark.engine,
    pytest.mark.browser,
    pytest.mark.timeout(1700),
]


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("fresh") / "clone"
    subprocess.run(["git", "clone", "--quiet", str(PROJECT), str(folder)], check=True)
    return folder


def environment(data_dir: Path) -> dict[str, str]:
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("VIRTUAL_ENV", "MAKE"))}
    return kept | {"QWENCHAT_DATA_DIR": str(data_dir)}


def test_make_run_reaches_ready_and_answers(
    clone: Path, tmp_path: Path, new_page: Callable[..., Page]
) -> None:
    port = free_port()
    begun = time.monotonic()
    with (tmp_path / "output.txt").open("w") as output:
        process = subprocess.Popen(
            ["make", "run", f"ARGS=--no-browser --port {port}"],
            cwd=clone,
            env=environment(tmp_path / "data"),
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )

    def ready() -> bool:
        assert process.poll() is None, (tmp_path / "output.txt").read_text()[-3000:]
        try:
            health = httpx.get(f"http://127.0.0.1:{port}/healthz", trust_env=False).json()
        except httpx.TransportError:
            return False
        assert health["state"] != "failed", health
        return bool(health["state"] == "ready")

    try:
        until(ready, 900, "state ready")
        print(f"make run, fresh clone to ready: {time.monotonic() - begun:.0f} s")
        page = new_page()
        page.goto(f"http://127.0.0.1:{port}")
        page.fill("#message-box", "What is the capital of France?")
        page.keyboard.press("Enter")
        answer = page.locator("[data-role=assistant][data-state=done]")
        expect(answer).to_contain_text("Paris", timeout=60_000)
    finally:
        os.killpg(process.pid, signal.SIGINT)
        process.wait(20)


def test_make_test_passes(clone: Path, tmp_path: Path) -> None:
    begun = time.monotonic()
    done = subprocess.run(
        ["make", "test"],
        cwd=clone,
        env=environment(tmp_path / "data"),
        capture_output=True,
        text=True,
        timeout=1500,
    )
    print(f"make test, fresh clone: {time.monotonic() - begun:.0f} s", done.stdout[-300:])
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-2000:]


def test_the_page_is_reachable_within_eight_seconds(clone: Path, tmp_path: Path) -> None:
    port = free_port()
    begun = time.monotonic()
    process = subprocess.Popen(
        [".venv/bin/python", "app.py", "--no-browser", f"--port={port}"],
        cwd=clone,
        env=environment(tmp_path / "data"),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )

    def served() -> bool:
        try:
            url = f"http://127.0.0.1:{port}/"
            return httpx.get(url, trust_env=False, timeout=20).status_code == 200
        except httpx.TransportError:
            return False

    try:
        until(served, 30, "the page")
        seconds = time.monotonic() - begun
        print(f"page reachable after {seconds:.1f} s")
        assert seconds < 8
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(20)
