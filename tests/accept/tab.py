"""One tab of the app as a person uses it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from playwright.sync_api import BrowserContext, Locator, Page, expect

ANSWER = "[data-role=assistant]"
STREAMING = f"{ANSWER}[data-state=streaming]"
ENDED_EARLY = ":is([data-state=interrupted], [data-state=stopped], [data-state=failed])"
ANSWER_SECONDS = 150
"""For the next words, a model's load included."""
BACK_SECONDS = 60


class Tab:
    """A tab that was opened at ``url``; a mark in it tells whether it was loaded anew."""

    def __init__(self, context: BrowserContext, url: str) -> None:
        self.page: Page = context.new_page()
        self.page.goto(url)
        self.until_usable()

    def until_usable(self) -> None:
        expect(self.page.locator("#message-box")).to_be_visible(timeout=BACK_SECONDS * 1000)
        self.until_connected()
        self.page.evaluate("window.neverLoadedAnew = true")

    def until_connected(self) -> None:
        lost = self.page.locator("#status[data-state=lost]")
        expect(lost).to_have_count(0, timeout=BACK_SECONDS * 1000)

    @property
    def was_loaded_anew(self) -> bool:
        return not self.page.evaluate("window.neverLoadedAnew === true")

    @property
    def conversation(self) -> str | None:
        """The one in the address bar."""
        _, _, rest = self.page.url.partition("#/c/")
        return rest.split("?")[0] or None

    @property
    def last_answer(self) -> Locator:
        return self.page.locator(ANSWER).last

    @property
    def letters(self) -> str:
        """Of the last answer."""
        if not self.last_answer.count():
            return ""
        return "".join(filter(str.isalpha, self.last_answer.locator(".qc-body").inner_text()))

    @property
    def is_streaming(self) -> bool:
        return bool(self.page.locator(STREAMING).count())

    @property
    def draft(self) -> str:
        return self.page.locator("#message-box").input_value()

    def type(self, text: str) -> None:
        """Type and leave it there until it has been kept."""
        self.page.fill("#message-box", text)
        self.page.wait_for_timeout(400)

    def send(self, text: str) -> None:
        before = self.page.locator("[data-role=user]").count()
        self.page.fill("#message-box", text)
        self.page.click("#send")
        questions = self.page.locator("[data-role=user]:not([data-message-id=pending])")
        expect(questions).to_have_count(before + 1, timeout=10_000)

    def wait(self, condition: Callable[[], Any], seconds: float, what: str) -> None:
        """Wait while the page goes on reporting."""
        for _ in range(int(seconds * 10)):
            if condition():
                return
            self.page.wait_for_timeout(100)
        raise AssertionError(f"{what}: not within {seconds} s; {self.page.inner_text('#chat')}")

    def until_longer(self, letters: int) -> None:
        """Until the last answer has grown by so many letters, or has ended."""
        before = len(self.letters)
        self.wait(
            lambda: len(self.letters) > before + letters or not self.is_streaming,
            ANSWER_SECONDS,
            "a growing answer",
        )
