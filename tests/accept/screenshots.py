"""The pictures in ``docs/screenshots``: ``python -m tests.accept.screenshots [FOLDER] [VIEW...]``.

Light and dark, wide and narrow, in Chromium. Empty, chatting, settings, models and error are
the app as ``python app.py`` starts it, with the demo model's own words; that model neither
thinks nor writes Chinese, so for thinking and Chinese the engine is scripted.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx
from playwright.sync_api import Browser, Page, expect, sync_playwright

from qwenchat.engine.fake import Script
from qwenchat.engine.protocol import Generate
from qwenchat.models.demo import ensure_demo_model
from qwenchat.types import ThinkingStyle
from tests.accept.transcripts import TRANSCRIPTS
from tests.browser.conftest import CHROMIUM_FLAGS
from tests.e2e.running import PROJECT, RunningApp, until
from tests.ui.seeding import seed
from tests.ui.serving import Served

FOLDER = PROJECT / "docs" / "screenshots"
SIZES = {1280: (800, 1), 390: (844, 2)}
"""Height and device pixels for each width."""
SCHEMES = ("light", "dark")
QUESTIONS = (
    "What is the capital of France?",
    "Give three tips for better sleep.",
    "Explain photosynthesis in two sentences.",
)
SCRIPTED_MODEL = "Qwen3 (scripted)"

Take = Callable[[str, Callable[[Page], None]], None]


def main(folder: Path, views: set[str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        playwright = stack.enter_context(sync_playwright())
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=CHROMIUM_FLAGS
        )
        if views & {"empty", "chatting", "settings", "models", "error"}:
            _real(stack.enter_context(_started()), browser, folder, views)
        if views & {"thinking", "chinese"}:
            _scripted(browser, folder, views)
        browser.close()


@contextmanager
def _started() -> Iterator[RunningApp]:
    models = ensure_demo_model(PROJECT / "build").parent
    with tempfile.TemporaryDirectory() as data:
        app = RunningApp(Path(data) / "data", models)
        try:
            app.until_page()
            app.until_ready()
            yield app
        finally:
            app.close()


def _real(app: RunningApp, browser: Browser, folder: Path, views: set[str]) -> None:
    take = _camera(browser, app.url, folder, views)
    take("empty", lambda page: None)
    conversation = None
    for question in QUESTIONS:
        conversation, answer = app.ask(question, conversation, seed=1, temperature=0.2)
        app.until_done(conversation, answer)
    chat = f"{app.url}/#/c/{conversation}"

    def chatting(page: Page) -> None:
        page.goto(chat)
        expect(page.locator("[data-role=assistant]")).to_have_count(len(QUESTIONS))

    def settings(page: Page) -> None:
        chatting(page)
        if not page.locator("#setting-system_prompt").is_visible():
            page.locator("#toggle-settings").click()

    def models(page: Page) -> None:
        page.goto(f"{app.url}/#/models/get")
        expect(page.locator("#models-get .qc-groups h3").first).to_be_visible(timeout=20_000)

    take("chatting", chatting)
    take("settings", settings)
    take("models", models)

    broken, answer = app.ask("Tell a long story about a lighthouse.", seed=1, max_tokens=600)
    until(lambda: len(app.message(broken, answer)["content"]) > 200, 60, "some of the answer")
    app.engine.kill()
    app.until_done(broken, answer)

    def error(page: Page) -> None:
        page.goto(f"{app.url}/#/c/{broken}")
        expect(page.locator("[data-role=assistant] .qc-card")).to_be_visible()

    take("error", error)


def _scripted(browser: Browser, folder: Path, views: set[str]) -> None:
    def script(request: Generate) -> Script:
        text = TRANSCRIPTS[request.messages[-1].content]
        return Script([text[at : at + 8] for at in range(0, len(text), 8)], 0.01)

    style = ThinkingStyle("hybrid")
    with (
        tempfile.TemporaryDirectory() as data,
        Served(Path(data), model=SCRIPTED_MODEL, note="", thinking=style) as app,
    ):
        app.script = script
        english, chinese = TRANSCRIPTS
        for title in ("三天游广州", "快速排序", "给朋友的感谢信"):
            seed(app, title, [("user", title), ("assistant", "好的。")])
        httpx.delete(f"{app.url}api/import", trust_env=False).raise_for_status()

        def asked(question: str) -> Callable[[Page], None]:
            def show(page: Page) -> None:
                page.fill("#message-box", question)
                page.click("#send")
                done = page.locator("[data-role=assistant][data-state=done]")
                expect(done).to_have_count(1, timeout=30_000)
                thoughts = page.locator("[data-role=assistant] .qc-thoughts-head")
                if question == english:
                    thoughts.first.click()
                page.locator("#chat").evaluate("node => node.scrollTo(0, 0)")

            return show

        def forget() -> None:
            newest = app.web.chat.conversations.summaries.in_order()[0].id
            httpx.delete(f"{app.url}api/conversations/{newest}", trust_env=False)

        _camera(browser, app.url, folder, views, after=forget)("thinking", asked(english))
        _camera(browser, app.url, folder, views, "zh-CN", forget)("chinese", asked(chinese))


def _camera(
    browser: Browser,
    url: str,
    folder: Path,
    views: set[str],
    locale: str = "en-GB",
    after: Callable[[], None] = lambda: None,
) -> Take:
    def take(name: str, show: Callable[[Page], None]) -> None:
        if name not in views:
            return
        for width, (height, scale) in SIZES.items():
            for scheme in SCHEMES:
                context = browser.new_context(
                    viewport={"width": width, "height": height},
                    color_scheme="dark" if scheme == "dark" else "light",
                    device_scale_factor=scale,
                    locale=locale,
                )
                page = context.new_page()
                page.goto(url)
                expect(page.locator("#message-box")).to_be_visible(timeout=60_000)
                page.wait_for_timeout(500)
                show(page)
                page.mouse.move(0, 0)
                page.wait_for_timeout(700)  # fonts, formulas, what fades in
                page.screenshot(path=folder / f"{name}-{width}-{scheme}.png")
                context.close()
                after()

    return take


VIEWS = {"empty", "chatting", "thinking", "settings", "models", "error", "chinese"}

if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER, set(sys.argv[2:]) or VIEWS)
