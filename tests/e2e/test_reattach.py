"""Pages that lose the app, or are lost themselves, and find the same text again.

Over the scripted engine, whose text is known, so that every character can be compared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

import psutil
import pytest
from playwright.sync_api import Page, expect

from tests.e2e.running import RunningApp, until
from tests.e2e.scripted import SHORT, TEXT, StartScripted, start_scripted

__all__ = ["start_scripted"]
pytestmark = [pytest.mark.browser, pytest.mark.accept, pytest.mark.timeout(180)]

NewPage = Callable[..., Page]
Asleep = Callable[[Page], AbstractContextManager[None]]
ANSWER = "[data-role=assistant]"


def visit(app: RunningApp, page: Page, conversation: str = "") -> Page:
    page.goto(f"{app.url}/#/c/{conversation}" if conversation else app.url)
    expect(page.locator("#message-box")).to_be_visible(timeout=30_000)
    expect(page.locator("#status[data-state=lost]")).to_have_count(0)
    return page


def ask(page: Page, text: str) -> str:
    """Send a message by hand; the conversation it is in."""
    page.fill("#message-box", text)
    page.click("#send")
    expect(page.locator(ANSWER)).not_to_have_count(0)
    return page.url.split("#/c/")[1]


def shown(page: Page) -> str:
    """The last answer as the page shows it."""
    return " ".join(page.locator(f"{ANSWER} .qc-body").last.inner_text().split())


def until_shown(page: Page, characters: int) -> str:
    return str(until(lambda: len(text := shown(page)) > characters and text, 30, "more text"))


def expect_state(page: Page, state: str, seconds: float = 30) -> None:
    expect(page.locator(ANSWER).last).to_have_attribute("data-state", state, timeout=seconds * 1000)


def stored(app: RunningApp, conversation: str) -> list[tuple[str, str]]:
    messages = app.client.get(f"/api/conversations/{conversation}").json()["messages"]
    return [(message["state"], message["content"]) for message in messages]


def test_a_reload_mid_answer_shows_it_whole(
    start_scripted: StartScripted, new_page: NewPage
) -> None:
    app = start_scripted()
    page = visit(app, new_page())
    conversation = ask(page, "A long one.")
    for characters in (50, 400, 900):
        before = until_shown(page, characters)
        page.reload()
        expect(page.locator(ANSWER)).to_be_visible(timeout=30_000)
        assert shown(page).startswith(before)
    expect_state(page, "done")
    assert shown(page) == TEXT
    assert stored(app, conversation)[-1] == ("done", TEXT)


def test_a_second_browser_sees_the_same_answer_grow(
    start_scripted: StartScripted, new_page: NewPage
) -> None:
    app = start_scripted()
    first = visit(app, new_page())
    conversation = ask(first, "A long one.")
    before = until_shown(first, 100)
    second = visit(app, new_page(), conversation)
    expect_state(second, "streaming")
    assert until_shown(second, len(before)).startswith(before)
    # Whoever closes the page that asked takes nothing from the other.
    first.context.close()
    expect_state(second, "done")
    assert shown(second) == TEXT


def test_a_tab_left_open_through_a_kill_continues_without_a_lost_or_doubled_character(
    start_scripted: StartScripted, new_page: NewPage
) -> None:
    app = start_scripted()
    page = visit(app, new_page())
    page.evaluate("window.neverLoadedAnew = true")
    conversation = ask(page, "A long one.")
    for characters in (300, 900):
        until_shown(page, characters)
        page.fill("#message-box", "a draft")
        app.kill()
        expect(page.locator("#status[data-state=lost]")).to_be_visible(timeout=10_000)
        app.start_again()
        expect_state(page, "interrupted", 60)
        assert TEXT.startswith(shown(page))
        assert page.input_value("#message-box") == "a draft"
        page.get_by_role("button", name="Continue", exact=True).click()
        expect_state(page, "streaming")
    expect_state(page, "done")
    assert shown(page) == TEXT
    assert stored(app, conversation)[-1] == ("done", TEXT)
    assert page.evaluate("window.neverLoadedAnew")


@contextmanager
def offline(page: Page) -> Iterator[None]:
    page.context.set_offline(True)
    yield
    assert shown(page) != TEXT, "it did not sleep"
    page.context.set_offline(False)


@contextmanager
def suspended(page: Page) -> Iterator[None]:
    """As a laptop with its lid closed: nothing of the page runs."""
    assert page.context.browser
    devtools = page.context.browser.new_browser_cdp_session()
    found = devtools.send("SystemInfo.getProcessInfo")["processInfo"]
    renderers = [psutil.Process(one["id"]) for one in found if one["type"] == "renderer"]
    assert renderers
    for renderer in renderers:
        renderer.suspend()
    try:
        yield
        assert all(renderer.status() == psutil.STATUS_STOPPED for renderer in renderers)
    finally:
        for renderer in renderers:
            renderer.resume()


@pytest.mark.parametrize("asleep", [offline, suspended])
def test_a_tab_that_slept_through_a_restart_wipes_nothing(
    start_scripted: StartScripted, new_page: NewPage, asleep: Asleep
) -> None:
    app = start_scripted()
    page = visit(app, new_page())
    conversation = ask(page, "A long one.")
    until_shown(page, 200)
    page.fill("#message-box", "a draft")
    page.wait_for_timeout(400)
    with asleep(page):
        # The answer ends, another page asks on, and the app is killed twice.
        until(lambda: stored(app, conversation)[-1][0] == "done", 60, "the answer's end")
        app.until_done(*app.ask("A short one.", conversation))
        for _ in range(2):
            app.kill()
            app.start_again()
            app.until_page()
        kept = stored(app, conversation)
    assert [text for _, text in kept] == ["A long one.", TEXT, "A short one.", SHORT]
    expect(page.locator(ANSWER)).to_have_count(2, timeout=30_000)
    until(lambda: shown(page) == SHORT, 30, "the answer that was missed")
    assert " ".join(page.locator(f"{ANSWER} .qc-body").first.inner_text().split()) == TEXT
    assert page.input_value("#message-box") == "a draft"
    assert stored(app, conversation) == kept
