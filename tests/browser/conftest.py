"""Chromium for the tests of the page: one browser a module, pages that must not fail silently."""

import shutil
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Error, Page, sync_playwright

CHROMIUM_FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

NewPage = Callable[..., Page]


# Not of the session: while Playwright's synchronous API is open, its event loop runs in this
# thread, and tests of other modules could not run theirs.
@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    executable = shutil.which("chromium")
    if executable is None:
        pytest.fail("Chromium is not installed (Debian: apt-get install chromium).")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=CHROMIUM_FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def new_page(browser: Browser) -> Iterator[NewPage]:
    """Open pages with `new_page(width, height, color_scheme)`; an uncaught error in one fails."""
    contexts = []
    errors: list[Error] = []

    def keep(error: Error) -> None:
        errors.append(error)

    def open_page(
        width: int = 1280, height: int = 800, color_scheme: str = "light", **options: object
    ) -> Page:
        # With one, requests would not all be seen; its own tests allow it.
        options.setdefault("service_workers", "block")
        context = browser.new_context(
            viewport={"width": width, "height": height}, color_scheme=color_scheme, **options
        )
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", keep)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert not errors, f"Uncaught errors in the page: {[str(error) for error in errors]}"
