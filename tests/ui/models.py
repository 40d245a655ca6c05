"""Models for tests of the page: where they are found, and how the page shows them."""

from __future__ import annotations

import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.models.hub_server import LocalHub, client_of_its_own, running_hub
from tests.ui.pages import visit
from tests.ui.seeding import fetch
from tests.ui.serving import Served

EVIL = "<img src=x onerror='window.hit=1'>"


@contextmanager
def hub_of_this_machine(folder: Path) -> Iterator[LocalHub]:
    """A hub for an app to download from; nothing leaves the machine."""
    with (
        pytest.MonkeyPatch.context() as patch,
        client_of_its_own(folder, patch),
        running_hub() as hub,
    ):
        try:
            yield hub
        finally:
            # It remembers the proxy of this environment.
            urllib.request.install_opener(None)  # type: ignore[arg-type]


def panel(page: Page) -> Locator:
    """What lies over the page."""
    return page.locator("#models-panel")


def visit_panel(page: Page, served: Served, path: str = "#/models") -> Page:
    """Open the page at a link to the panel."""
    visit(page, served, path)
    expect(panel(page)).to_be_visible()
    return page


def here(page: Page, name: str) -> Locator:
    """The row of a model on this machine."""
    rows = page.locator("#models-here .qc-model-row")
    return rows.filter(has=page.get_by_role("heading", name=name, exact=True))


def choose_more(page: Page, name: str, entry: str) -> None:
    """Choose from the menu of a model on this machine."""
    here(page, name).get_by_role("button", name=f"More for {name}").click()
    page.get_by_role("menuitem", name=entry, exact=True).click()


def variant(page: Page, model_id: str) -> Locator:
    """The line of a variant that can be had."""
    return page.locator(f"[data-variant='{model_id}']")


def download(page: Page, model_id: str) -> Locator:
    """The row of a download."""
    return page.locator(f"[data-download='{model_id}']")


def check(page: Page, value: str) -> Locator:
    """Have any model judged; its card."""
    page.locator("#model-id").fill(value)
    page.locator("#model-id").press("Enter")
    return page.locator("#model-checked")


def changed_library(page: Page, served: Served, change: Callable[[dict[str, Any]], None]) -> None:
    """Have this page read the models otherwise than the server has them."""
    found = fetch(served, "GET", "api/models")
    change(found)
    page.route("**/api/models", lambda route: route.fulfill(json=found))


def push(page: Page, **values: Any) -> None:
    """Have the page know these values, as if the server had told them."""
    page.evaluate(
        """async (values) => {
            const { state, emit } = await import("/assets/js/store.js");
            for (const [topic, value] of Object.entries(values)) {
                state[topic] = value;
                emit(topic);
            }
        }""",
        values,
    )


def back_to_demo(served: Served) -> None:
    """Have the demo model loaded, as at the start."""
    fetch(served, "PUT", "api/model", {"model": "demo"})
    until = time.monotonic() + 60
    while served.engine.status.state != "ready":
        assert time.monotonic() < until, served.engine.status
        time.sleep(0.05)


def no_sideways_scroll(page: Page, *selectors: str) -> None:
    """Nothing is wider than the window."""
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    for selector in selectors:
        wide = page.locator(selector).first.evaluate("node => node.scrollWidth - node.clientWidth")
        assert wide <= 0, selector
