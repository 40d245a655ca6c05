"""The whole app on the real model, driven in Chromium as a person would."""

from __future__ import annotations

import time
from collections.abc import Callable

import psutil
import pytest
from playwright.sync_api import Page, expect

from tests.e2e.running import RunningApp, until

pytestmark = [pytest.mark.engine, pytest.mark.browser, pytest.mark.slow]

LONG = "Write a very long story about a lighthouse keeper, with many chapters."
ANSWER = "[data-role=assistant]"
STREAMING = f"{ANSWER}[data-state=streaming]"
IDLE_SHARE = 15.0
"""Per cent of one core."""


def open_page(app: RunningApp, new_page: Callable[..., Page]) -> Page:
    page = new_page()
    page.goto(app.url)
    expect(page.locator("#message-box")).to_be_visible(timeout=30_000)
    expect(page.locator("#status")).to_contain_text("Ready", timeout=30_000)
    return page


def send(page: Page, text: str) -> None:
    page.fill("#message-box", text)
    page.click("#send")


def text_of(page: Page, selector: str = ANSWER) -> str:
    return page.locator(selector).last.inner_text()


@pytest.mark.timeout(300)
def test_the_capital_of_france(app: RunningApp, new_page: Callable[..., Page]) -> None:
    page = open_page(app, new_page)
    send(page, "What is the capital of France?")
    expect(page.locator(f"{ANSWER}[data-state=done]")).to_contain_text("Paris", timeout=60_000)


def test_an_answer_grows_in_visible_steps(app: RunningApp, new_page: Callable[..., Page]) -> None:
    page = open_page(app, new_page)
    page.evaluate(
        """() => {
            window.lengths = new Set();
            const look = () => {
                const answer = document.querySelector('[data-role=assistant]');
                if (answer) window.lengths.add(answer.innerText.length);
                requestAnimationFrame(look);
            };
            look();
        }"""
    )
    send(page, LONG)
    expect(page.locator(STREAMING)).to_be_visible(timeout=30_000)
    until(lambda: page.evaluate("window.lengths.size") >= 12, 60, "ten steps")
    page.click("#stop")


def until_longer(page: Page, characters: int) -> None:
    until(lambda: len(text_of(page)) > characters, 60, f"more than {characters} characters")


def cpu_share(process: psutil.Process, seconds: float) -> float:
    """Per cent of one core used over the next ``seconds``."""
    before = sum(process.cpu_times()[:2])
    time.sleep(seconds)
    return 100 * (sum(process.cpu_times()[:2]) - before) / seconds


def seconds_until_idle(process: psutil.Process, limit: float = 3.0) -> float:
    begun = time.monotonic()
    while time.monotonic() - begun < limit:
        if cpu_share(process, 0.1) < IDLE_SHARE:
            return time.monotonic() - begun
    return limit


@pytest.mark.accept
@pytest.mark.timeout(400)
def test_stop_frees_the_engine_within_a_second_twenty_times(
    app: RunningApp, new_page: Callable[..., Page]
) -> None:
    page = open_page(app, new_page)
    engine = app.engine
    waits = []
    for turn in range(20):
        page.click("#new-chat")
        in_prefill = turn % 2 == 1
        send(page, f"{turn}: " + "word " * 3000 if in_prefill else f"{turn}. {LONG}")
        if in_prefill:
            until(
                lambda: cpu_share(engine, 0.1) > 50 and page.locator("#stop").is_visible(),
                30,
                "the prompt being read",
            )
        else:
            until_longer(page, 30)
        kept = text_of(page)
        page.click("#stop")
        waits.append(seconds_until_idle(engine))
        stopped = page.locator(f"{ANSWER}[data-state=stopped]")
        expect(stopped).to_be_visible(timeout=5_000)
        if not in_prefill:
            assert stopped.inner_text().startswith(kept[:30])
    print("seconds from Stop to idle:", [round(wait, 2) for wait in sorted(waits)])
    assert max(waits) < 1.0


def test_two_tabs_stream_at_once(app: RunningApp, new_page: Callable[..., Page]) -> None:
    pages = [open_page(app, new_page), open_page(app, new_page)]
    for page in pages:
        send(page, LONG)
    lengths = []
    for page in pages:
        until_longer(page, 20)
        lengths.append(len(text_of(page)))
    for page, length in zip(pages, lengths, strict=True):
        until_longer(page, length + 20)
        expect(page.locator(STREAMING)).to_be_visible()
    for page in pages:
        page.click("#stop")


def test_a_refresh_mid_answer_shows_it_going_on(
    app: RunningApp, new_page: Callable[..., Page]
) -> None:
    page = open_page(app, new_page)
    send(page, LONG)
    until_longer(page, 40)
    before = text_of(page, f"{ANSWER} .qc-markdown")
    page.reload()
    expect(page.locator(STREAMING)).to_be_visible(timeout=30_000)
    after = text_of(page, f"{ANSWER} .qc-markdown")
    assert after.startswith(before[:40])
    until_longer(page, len(after) + 40)
    page.click("#stop")
    expect(page.locator(f"{ANSWER}[data-state=stopped]")).to_be_visible()
    conversation = page.url.rsplit("/", 1)[-1]
    stored = app.client.get(f"/api/conversations/{conversation}").json()["messages"][-1]
    until(
        lambda: (
            " ".join(text_of(page, f"{ANSWER} .qc-markdown").split())[:200]
            == " ".join(stored["content"].split())[:200]
        ),
        10,
        "the page shows what the app holds",
    )
