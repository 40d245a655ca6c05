"""What one streamed update costs in a long chat and in a short one: python -m benchmarks.streaming

The real web app over a scripted engine. Printed are the web process's CPU milliseconds for
each delta frame, and those of the page's main thread in Chromium; the two chats take turns,
so that whatever else the machine does falls on both. Ends with status 1 where the long chat
costs more than the target allows, as it opens: a page shows the last 40 messages until
earlier ones are asked for, and what all of them cost is printed beside it.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import uvicorn
from playwright.sync_api import Page, sync_playwright
from websockets.sync.client import connect

from qwenchat.api.app import create_app
from qwenchat.engine.fake import FakeEngine, Script
from qwenchat.settings import Settings
from qwenchat.store.intake import keep_whole
from qwenchat.store.opening import Opened, open_store
from qwenchat.store.rows import ConversationRow, MessageRow
from tests.browser.conftest import CHROMIUM_FLAGS
from tests.e2e.running import PROJECT, free_port, until

SHORT, LONG = 2, 400
"""Messages in the two chats."""
TARGET = 1.3
PIECES = 120
DELAY = 0.06
"""More than a tick of the live channel, so that each piece is an update of its own."""
WORDS = ("The", " **answer**", " grows", " by", " a", " word", " at", " a", " time", ".\n\n")
PARAGRAPH = "Some `text` of a message with **bold** words, as long as answers are. " * 8


def chat_id(messages: int) -> str:
    return f"chat-of-{messages}"


# ---- the server, in a process of its own


def fill(opened: Opened, messages: int) -> None:
    rows: list[MessageRow] = []
    key = chat_id(messages)
    for index in range(messages):
        rows.append(
            MessageRow(
                f"{key}-{index}",
                key,
                "assistant" if index % 2 else "user",
                PARAGRAPH,
                1_700_000_000.0 + index,
                rows[-1].id if rows else None,
            )
        )
    row = ConversationRow(key, key, 1_700_000_000.0, 1_700_000_000.0, leaf_id=rows[-1].id)
    opened.database.write(keep_whole, row, rows).result()


def serve(folder: Path, port: int) -> None:
    opened = open_store(folder)
    for messages in (SHORT, LONG):
        fill(opened, messages)
    script = Script([WORDS[index % len(WORDS)] for index in range(PIECES)], DELAY)
    engine = FakeEngine(lambda request: script, context_length=10**6)
    app = create_app(Settings(port=port, data_dir=folder), engine, opened)
    config = uvicorn.Config(app, port=port, log_level="error", ws_per_message_deflate=False)
    asyncio.run(uvicorn.Server(config).serve())


class Server:
    """The app in its process, and what it uses of the processor."""

    def __init__(self, folder: Path) -> None:
        port = free_port()
        self.url = f"http://127.0.0.1:{port}"
        self.live = f"ws://127.0.0.1:{port}/api/live"
        command = [sys.executable, "-m", "benchmarks.streaming", "--serve", str(port), str(folder)]
        self.process = subprocess.Popen(command, cwd=PROJECT)
        self.client = httpx.Client(base_url=self.url, timeout=60, trust_env=False)
        until(self._is_served, 60, "the page")

    def _is_served(self) -> bool:
        assert self.process.poll() is None
        try:
            return self.client.get("/").status_code == 200
        except httpx.TransportError:
            return False

    @property
    def cpu_seconds(self) -> float:
        """Of all its threads, to the nanosecond (Linux)."""
        threads = Path(f"/proc/{self.process.pid}/task").glob("*/schedstat")
        return sum(int(thread.read_text().split()[0]) for thread in threads) / 1e9

    @contextmanager
    def question(self, messages: int) -> Iterator[None]:
        """Ask in a chat; afterwards it is as long as before."""
        path = f"/api/conversations/{chat_id(messages)}"
        sent = self.client.post(f"{path}/messages", json={"content": "Go on."}).json()
        yield
        self.client.post(f"{path}/stop", json={})
        self.client.delete(f"{path}/messages/{sent['user']['id']}").raise_for_status()


# ---- measuring


def in_the_web_process(server: Server, messages: int) -> float:
    """CPU milliseconds of the web process for one delta frame."""
    with connect(server.live, proxy=None, max_size=None) as live:
        live.send(json.dumps({"type": "open", "conversation_id": chat_id(messages)}))
        _next(live, "conversation")
        with server.question(messages):
            _next(live, "delta")
            before, frames = server.cpu_seconds, 0
            while (kind := _next(live, "delta", "message")) == "delta":
                frames += 1
            assert kind == "message" and frames > PIECES / 2, frames
            return (server.cpu_seconds - before) / frames * 1000


def _next(live: Any, *kinds: str) -> str:
    """Skip to a frame of one of these kinds."""
    while (kind := json.loads(live.recv(timeout=30))["type"]) not in kinds:
        pass
    return str(kind)


def in_the_page(server: Server, page: Page, messages: int, all_shown: bool) -> float:
    """Main-thread milliseconds of the page for one delta frame."""
    frames = 0

    def count(frame: str | bytes) -> None:
        nonlocal frames
        frames += '"type":"delta"' in str(frame)

    page.on("websocket", lambda live: live.on("framereceived", count))
    page.goto("about:blank")
    page.goto(f"{server.url}/#/c/{chat_id(messages)}")
    page.locator("[data-role=assistant]").last.wait_for(timeout=30_000)
    while all_shown and page.locator(".qc-earlier").is_visible():
        page.locator(".qc-earlier").click()
        page.wait_for_timeout(500)
    devtools = page.context.new_cdp_session(page)
    devtools.send("Performance.enable")

    def busy() -> float:
        metrics = devtools.send("Performance.getMetrics")["metrics"]
        return float(next(m["value"] for m in metrics if m["name"] == "TaskDuration"))

    answer = page.locator("[data-role=assistant]").last
    with server.question(messages):
        page.locator("[data-role=assistant][data-state=streaming]").wait_for(timeout=30_000)
        page.wait_for_timeout(500)
        before, first = busy(), frames
        while answer.get_attribute("data-state") == "streaming":
            page.wait_for_timeout(1000)
        assert frames - first > PIECES / 2, frames
        return (busy() - before) / (frames - first) * 1000


def compare(title: str, rounds: int, variants: dict[str, Callable[[], float]]) -> list[float]:
    """Measure the variants in turns; how many times the first one's cost each takes.

    The median of what the turns tell: within one, the machine is much the same for all.
    """
    taken: dict[str, list[float]] = {name: [] for name in variants}
    for turn in range(rounds + 1):
        for name, measure in variants.items():
            value = measure()
            if turn:  # the first one warms up
                taken[name].append(value)
    first = next(iter(taken.values()))
    times = []
    print(title)
    for name, values in taken.items():
        times.append(statistics.median(b / a for a, b in zip(first, values, strict=True)))
        spread = f"{min(values):.2f}–{max(values):.2f}"
        print(f"  {name:28} {statistics.median(values):6.2f} ms ({spread}), {times[-1]:.2f} times")
    return times


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--serve", nargs=2, metavar=("PORT", "FOLDER"), help=argparse.SUPPRESS)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    if options.serve:
        serve(Path(options.serve[1]), int(options.serve[0]))
        return
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        server = Server(Path(folder))
        try:
            web = compare(
                "web process, CPU for one update",
                options.rounds,
                {
                    f"{messages} messages": lambda m=messages: in_the_web_process(server, m)  # type: ignore[misc]
                    for messages in (SHORT, LONG)
                },
            )
            with sync_playwright() as playwright:
                chromium = shutil.which("chromium")
                browser = playwright.chromium.launch(executable_path=chromium, args=CHROMIUM_FLAGS)

                def page(messages: int, all_shown: bool = False) -> float:
                    with browser.new_page() as opened:
                        return in_the_page(server, opened, messages, all_shown)

                shown = compare(
                    "page, main thread for one update",
                    options.rounds,
                    {
                        f"{SHORT} messages": lambda: page(SHORT),
                        f"{LONG} messages": lambda: page(LONG),
                        f"{LONG} messages, all shown": lambda: page(LONG, True),
                    },
                )
                browser.close()
        finally:
            server.process.terminate()
            server.process.wait()
    print(f"measured in {time.monotonic() - begun:.0f} s; target {TARGET} times")
    sys.exit(web[1] > TARGET or shown[1] > TARGET)


if __name__ == "__main__":
    main()
