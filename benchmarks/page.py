"""What the page costs: how soon something is seen, what is asked for, and what streaming takes.

    .venv/bin/python -m benchmarks.page [--loads 5]

The real web app with a scripted engine and Chromium, on this machine; a quiet one gives quiet
figures. The main thread is counted in its own ticks, so other programs do not count.
"""

from __future__ import annotations

import argparse
import re
import shutil
import statistics
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, Page, Route, expect, sync_playwright

from tests.ui.pages import answer, send, visit
from tests.ui.seeding import seed, turns
from tests.ui.serving import Served

MESSAGES = 100
UPDATES_PER_SECOND = 20
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]


@dataclass(frozen=True, slots=True)
class Load:
    """One load of the page: seconds until something is seen, until it can be used; requests."""

    first_paint: float
    usable: float
    requests: int


def load(page: Page, url: str) -> Load:
    """Open the page and look at its clocks."""
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto("about:blank")
    began = time.perf_counter()
    page.goto(url)
    expect(page.locator("#message-box")).to_be_visible(timeout=30_000)
    usable = time.perf_counter() - began
    page.wait_for_function("performance.getEntriesByName('first-contentful-paint').length")
    paint = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")
    return Load(paint / 1000, usable, len(asked))


def without_preload(route: Route) -> None:
    """The page's HTML as it was when modules were found one after the other."""
    answered = route.fetch()
    html = re.sub(r'<link rel="modulepreload"[^>]*>', "", answered.text())
    route.fulfill(response=answered, body=html)


def loads(browser: Browser, url: str, count: int, *, warm: bool, preload: bool) -> list[Load]:
    """Several loads, each in a browser that has seen the page before (``warm``) or not."""
    found = []
    for _ in range(count):
        context = browser.new_context(service_workers="block")
        page = context.new_page()
        if not preload:
            page.route(url, without_preload)
        if warm:
            load(page, url)
        found.append(load(page, url))
        context.close()
    return found


def streaming_share(page: Page, app: Served, seconds: float = 6.0) -> float:
    """The share of its time that the main thread works while an answer streams.

    In a chat of 100 messages, with 20 updates a second.
    """
    identity = seed(app, f"Long {time.time_ns()}", turns(MESSAGES, str(time.time_ns())))
    visit(page, app, f"#/c/{identity}?m={first_message(app, identity)}")
    expect(page.locator(".qc-message")).to_have_count(MESSAGES)
    pieces = [f"word{n} and **more** " for n in range(int(UPDATES_PER_SECOND * (seconds + 20)))]
    app.says(*pieces, delay=1 / UPDATES_PER_SECOND)
    send(page, "Count")
    expect(answer(page)).to_contain_text("word9 ")
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})

    def busy() -> float:
        metrics = session.send("Performance.getMetrics")["metrics"]
        return float({one["name"]: one["value"] for one in metrics}["TaskDuration"])

    before, began = busy(), time.perf_counter()
    page.wait_for_timeout(1000 * seconds)
    share = (busy() - before) / (time.perf_counter() - began)
    page.locator("#stop").click()
    expect(answer(page)).to_have_attribute("data-state", "stopped")
    return share


def first_message(app: Served, identity: str) -> str:
    """The id of a conversation's first message."""
    path = app.run(app.web.chat.conversations.get(identity)).path()
    return str(path[0].id)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--loads", type=int, default=5, help="of each kind")
    count = parser.parse_args().loads
    with (
        tempfile.TemporaryDirectory() as folder,
        Served(Path(folder), context_length=32768) as app,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        loads(browser, app.url, 1, warm=False, preload=True)
        for warm in (False, True):
            for preload in (False, True):
                some = loads(browser, app.url, count, warm=warm, preload=preload)
                print(
                    f"{'seen before' if warm else 'first visit':11} "
                    f"{'preload' if preload else 'no preload':10} "
                    f"first paint {statistics.median(one.first_paint for one in some):.2f} s, "
                    f"usable {statistics.median(one.usable for one in some):.2f} s, "
                    f"{some[0].requests} requests"
                )
        page = browser.new_context(service_workers="block").new_page()
        print(f"streaming: main thread {100 * streaming_share(page, app):.1f} % of its time")
        browser.close()


if __name__ == "__main__":
    main()
