"""The pictures of the README and for a look: ``python -m tests.accept.screenshots FOLDER``.

Drives the real app with the demo model in Chromium, light and dark, wide and narrow.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, Page, expect, sync_playwright

from qwenchat.models.demo import ensure_demo_model
from tests.browser.conftest import CHROMIUM_FLAGS
from tests.e2e.running import PROJECT, RunningApp

SIZES = {"1280": (1280, 800), "390": (390, 844)}
QUESTIONS = (
    "What is the capital of France?",
    "Give three tips for better sleep.",
    "Explain photosynthesis in two sentences.",
)


def open_page(browser: Browser, app: RunningApp, width: int, height: int, scheme: str) -> Page:
    context = browser.new_context(
        viewport={"width": width, "height": height},
        color_scheme="dark" if scheme == "dark" else "light",
        device_scale_factor=2 if width > 800 else 3,
    )
    page = context.new_page()
    page.goto(app.url)
    expect(page.locator("#message-box")).to_be_visible(timeout=60_000)
    return page


def ask(page: Page, question: str) -> None:
    before = page.locator("[data-role=assistant][data-state=done]").count()
    page.fill("#message-box", question)
    page.click("#send")
    done = page.locator("[data-role=assistant][data-state=done]")
    expect(done).to_have_count(before + 1, timeout=120_000)


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    models = ensure_demo_model(PROJECT / "build").parent
    with tempfile.TemporaryDirectory() as data, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=CHROMIUM_FLAGS
        )
        app = RunningApp(Path(data) / "data", models)
        try:
            app.until_page()
            page = open_page(browser, app, *SIZES["1280"], "light")
            page.screenshot(path=folder / "loading-1280-light.png")
            app.until_ready()
            page.wait_for_timeout(500)
            for question in QUESTIONS:
                ask(page, question)
            address = page.url
            for scheme in ("light", "dark"):
                for name, size in SIZES.items():
                    shot = open_page(browser, app, *size, scheme)
                    shot.screenshot(path=folder / f"empty-{name}-{scheme}.png")
                    shot.goto(address)
                    expect(shot.locator("[data-role=assistant]")).to_have_count(len(QUESTIONS))
                    shot.wait_for_timeout(500)
                    shot.screenshot(path=folder / f"chat-{name}-{scheme}.png")
        finally:
            app.close()
            browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
