"""Another model while the app runs: the real engine, the real page, ten times over."""

from __future__ import annotations

import json
import re
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from websockets.sync.client import connect

from qwenchat.models.manifest import MANIFEST_NAME
from tests.e2e.running import RunningApp, family, until

pytestmark = [pytest.mark.engine, pytest.mark.browser, pytest.mark.slow, pytest.mark.accept]
StartApp = Callable[..., RunningApp]
ANSWER = "[data-role=assistant]"
SWITCHES = 10
SLACK_SECONDS = 2.0
"""A switch may take this much longer than loading the model at the start."""
GROWTH = 0.05
"""Share by which resident memory may differ after ten switches."""


@pytest.fixture
def other(tmp_path: Path, demo_snapshot: Path) -> Path:
    """Another model on this machine: the same weights in a folder of the person's own."""
    folder = Path(shutil.copytree(demo_snapshot, tmp_path / "My model"))
    (folder / MANIFEST_NAME).unlink()  # which says that it is the demo model
    return folder


def switch(app: RunningApp, model: str, **options: Any) -> None:
    answer = app.client.put("/api/model", json={"model": model, **options})
    assert answer.status_code == 202, answer.text


def until_loaded(app: RunningApp, model: str) -> float:
    """Seconds until this model is ready, from now."""
    begun = time.monotonic()

    def ready() -> bool:
        health = app.health()
        return bool(health and health["state"] == "ready" and model in health["model"])

    until(ready, 90, f"{model} ready")
    return time.monotonic() - begun


def notices(app: RunningApp) -> list[dict[str, Any]]:
    """What a page that opens now is told."""
    with connect(f"ws://127.0.0.1:{app.port}/api/live") as channel:
        while True:
            frame = json.loads(channel.recv(timeout=10))
            if frame["type"] == "notices":
                return list(frame["notices"])


def resident_bytes(app: RunningApp) -> int:
    return sum(process.memory_info().rss for process in family(app.web))


@pytest.mark.timeout(600)
def test_ten_switches_keep_the_chat_and_leave_nothing_behind(
    start_app: StartApp, other: Path, new_page: Callable[..., Page]
) -> None:
    app = start_app()
    app.until_page()
    until(app.find_engine, 30, "the engine process")
    loading = time.monotonic()
    app.until_ready()
    load_seconds = time.monotonic() - loading
    page = new_page()
    page.goto(app.url)
    expect(page.locator("#status")).to_contain_text("Ready", timeout=30_000)
    page.fill("#message-box", "What is the capital of France?")
    page.click("#send")
    expect(page.locator(f"{ANSWER}[data-state=done]")).to_contain_text("Paris", timeout=60_000)
    said = page.locator(ANSWER).inner_text()
    conversation = page.url.rpartition("/")[2]
    app.client.patch(f"/api/conversations/{conversation}", json={"sampling": {"max_tokens": 24}})

    engines, taken, resident = [app.engine], [], []
    for turn in range(SWITCHES):
        name = "SmolLM2" if turn % 2 else "My model"
        if turn % 2:
            page.click("#model-picker")
            page.get_by_role("menuitemradio", name=re.compile(name)).click()
            expect(page.locator("#status")).not_to_contain_text("Ready")
        else:
            switch(app, str(other))
        taken.append(until_loaded(app, name))
        engines.append(app.engine)
        expect(page.locator("#model-picker")).to_contain_text(name)
        expect(page.locator("#status")).to_contain_text("Ready")
        page.fill("#message-box", f"Write one sentence about Paris ({turn}).")
        page.click("#send")
        expect(page.locator(f"{ANSWER}[data-state=done]")).to_have_count(turn + 2, timeout=60_000)
        assert page.locator(ANSWER).first.inner_text() == said
        resident.append(resident_bytes(app))

    print(
        f"load at the start {load_seconds:.1f} s; switches", *(f"{one:.1f}" for one in taken), "s"
    )
    print("resident", *(f"{one / 2**20:,.0f}" for one in resident), "MiB")
    assert max(taken) < load_seconds + SLACK_SECONDS
    assert not any(engine.is_running() for engine in engines[:-1])
    assert [p for p in app.web.children(recursive=True) if p.is_running()] == [app.engine]
    # The same model is loaded after the second and after the tenth.
    assert abs(resident[-1] - resident[1]) < GROWTH * resident[1]


@pytest.mark.timeout(300)
def test_a_model_that_fails_to_load_leads_back_to_the_one_before(
    start_app: StartApp, other: Path
) -> None:
    app = start_app()
    app.until_ready()
    before = app.engine
    # Only whoever renders a prompt with it sees what is wrong with this one.
    config = json.loads((other / "tokenizer_config.json").read_text())
    config["chat_template"] = "{% for message in messages %}"
    (other / "tokenizer_config.json").write_text(json.dumps(config))
    switch(app, str(other))
    until(lambda: app.find_engine() not in (before, None), 60, "another process")
    until_loaded(app, "SmolLM2")
    conversation, message = app.ask("What is the capital of France?")
    assert "Paris" in app.until_done(conversation, message)["content"]
    (notice,) = [n for n in notices(app) if n["kind"] == "model"]
    assert "could not be loaded" in notice["message"] and "went back to" in notice["message"]
