"""How tests use the page: what a person does and sees, in their words."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, Page, expect

from tests.ui.serving import Served

ANSWER = "[data-role=assistant]"
QUESTION = "[data-role=user]"


def visit(page: Page, served: Served, path: str = "") -> Page:
    """Open the page and wait until it can be used."""
    page.goto(served.url + path)
    expect(page.locator("#message-box")).to_be_visible(timeout=20_000)
    expect(page.locator("#status")).not_to_contain_text("Connecting")
    return page


def send(page: Page, text: str) -> None:
    """Type a message and press Enter."""
    page.locator("#message-box").fill(text)
    page.locator("#message-box").press("Enter")


def answer(page: Page) -> Locator:
    """The last answer."""
    return page.locator(ANSWER).last


def expect_state(page: Page, state: str) -> None:
    """Wait for the last answer to be in a state."""
    expect(answer(page)).to_have_attribute("data-state", state, timeout=10_000)


def ask(page: Page, text: str) -> None:
    """Send a message and wait for the whole answer."""
    before = page.locator(ANSWER).count()
    send(page, text)
    expect(page.locator(ANSWER)).to_have_count(before + 1)
    expect_state(page, "done")


def conversation_id(page: Page) -> str:
    """The conversation in the address bar."""
    page.wait_for_url(re.compile(r"#/c/"))
    return page.url.split("#/c/")[1]


def setting(page: Page, name: str) -> Locator:
    """The box of a setting that can be typed in."""
    return page.locator(f"#setting-{name} :is(input[type=number], textarea)")


def open_settings(page: Page) -> None:
    """Show the settings panel if it is not."""
    if page.locator("#toggle-settings").is_visible():
        page.locator("#toggle-settings").click()
    expect(page.locator("#system-prompt")).to_be_visible()
    if page.locator("#expert-switch[aria-expanded=false]").count():
        page.locator("#expert-switch").click()
