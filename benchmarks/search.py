"""How long starting, listing and searching take in a large store: python -m benchmarks.search

Builds a database in a temporary folder (about a minute for the default size) and prints
milliseconds, in the store and over HTTP; the target is 100 for a search in 100,000 messages.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import httpx
import uvicorn
from websockets.sync.client import connect

from qwenchat.api.app import create_app
from qwenchat.engine.fake import FakeEngine
from qwenchat.settings import Settings
from qwenchat.store.conversations import insert_conversation, load_conversation
from qwenchat.store.database import Database
from qwenchat.store.listing import list_summaries
from qwenchat.store.messages import insert_messages
from qwenchat.store.opening import open_store
from qwenchat.store.rows import ConversationRow, MessageRow
from qwenchat.store.search import search
from tests.e2e.running import PROJECT, free_port, until

START = 1_700_000_000.0
ROUNDS = 9
TARGET_MS = 100


class Writing:
    """Sentences of English and Chinese whose words are as unevenly common as real ones."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        letters = "etaoinshrdlucmfwypvbgk"
        common = ["the", "of", "and", "to", "a", "in", "is", "you", "that", "for", "we", "model"]
        made = {
            "".join(self.random.choices(letters, k=self.random.randint(3, 10)))
            for _ in range(20_000)
        }
        self.words = common + sorted(made, key=lambda word: (len(word), word))
        self.characters = "的一是在不了有和人这中大为上个国我以要他时来用们" + "".join(
            map(chr, range(0x4E00, 0x4E00 + 3000))
        )

    def sentence(self, words: int) -> str:
        if self.random.random() < 0.5:
            return " ".join(self._pick(self.words) for _ in range(words)) + ". "
        return "".join(self._pick(self.characters) for _ in range(words * 2)) + "。"

    def text(self, sentences: int) -> str:
        return "".join(self.sentence(self.random.randint(5, 20)) for _ in range(sentences))

    def _pick(self, choices: str | list[str]) -> str:
        return choices[int(len(choices) ** self.random.random()) - 1]


def build(database: Database, conversations: int, messages: int) -> None:
    """Fill the store; every conversation has as many messages."""
    writing = Writing(1)
    pending = []
    for number in range(conversations):
        at = START + number * 7200
        key = f"{number:024x}"
        # Few titles match, so that most hits have to be found in messages.
        row = ConversationRow(key, f"Chat {number}", at, at + messages * 60)
        rows: list[MessageRow] = []
        for index in range(messages):
            rows.append(
                MessageRow(
                    id=f"{key}-{index}",
                    conversation_id=key,
                    role="assistant" if index % 2 else "user",
                    content=writing.text(8 if index % 2 else 2),
                    created_at=at + index * 60,
                    parent_id=rows[-1].id if rows else None,
                )
            )
        pending.append(database.write(insert_conversation, row))
        pending.append(database.write(insert_messages, rows, {"leaf_id": rows[-1].id}))
        if len(pending) > 200:
            for future in pending:
                future.result()
            pending.clear()
    for future in pending:
        future.result()


def measure(name: str, run: Callable[[], str]) -> float:
    """Print and return the slowest of several runs in milliseconds."""
    times = []
    found = ""
    for _ in range(ROUNDS):
        before = time.perf_counter()
        found = run()
        times.append((time.perf_counter() - before) * 1000)
    print(f"{name:28} median {statistics.median(times):7.1f} ms  max {max(times):7.1f} ms  {found}")
    return max(times)


QUERIES = (
    *("the", "t", "th", "mod", "model", "中", "中国", "的一是", "国 model the"),
    *("zzzz", "etaoin", "\U0001f389", '"model" AND (x', "的 一 是 在 不 the of and"),
)


def measure_store(database: Database) -> None:
    def look(query: str) -> str:
        hits = database.read(search, query).result()
        return f"{len(hits.hits)} hits{' and more' if hits.more else ''}"

    def show_list(limit: int) -> str:
        page = database.read(list_summaries, limit).result()
        return f"{len(page.items)} of {page.total}"

    measure("list, first 100", lambda: show_list(100))
    measure("list, all", lambda: show_list(10_000))
    key = f"{0:024x}"
    measure(
        "load one conversation",
        lambda: f"{len(database.read(load_conversation, key).result()[1])} messages",
    )
    slowest = max(measure(f"search {query}", lambda q=query: look(q)) for query in QUERIES)  # type: ignore[misc]
    print(f"slowest search {slowest:.1f} ms (target {TARGET_MS})")


def serve(folder: Path, port: int) -> None:
    """The web app without its page, whose import says nothing of the store."""
    begun = time.perf_counter()
    opened = open_store(folder)
    print(f"open_store after an end, {(time.perf_counter() - begun) * 1000:.0f} ms", flush=True)
    begun = time.perf_counter()
    app = create_app(Settings(port=port, data_dir=folder), FakeEngine(), opened, with_page=False)
    print(f"create_app, {(time.perf_counter() - begun) * 1000:.0f} ms", flush=True)
    asyncio.run(uvicorn.Server(uvicorn.Config(app, port=port, log_level="error")).serve())


def measure_http(folder: Path) -> None:
    port = free_port()
    command = [sys.executable, "-m", "benchmarks.search", "--serve", str(port)]
    begun = time.perf_counter()
    process = subprocess.Popen([*command, "--folder", str(folder)], cwd=PROJECT)
    client = httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60, trust_env=False)

    def first_list() -> float:
        assert process.poll() is None
        try:
            answer = client.get("/api/conversations")
        except httpx.TransportError:
            return 0.0
        assert len(answer.json()["conversations"]) == 100
        return time.perf_counter() - begun

    def look(query: str) -> str:
        found = client.get("/api/search", params={"q": query}).raise_for_status().json()
        return f"{len(found['hits'])} hits{' and more' if found['more'] else ''}"

    def top_of_list() -> str:
        with connect(f"ws://127.0.0.1:{port}/api/live", proxy=None, max_size=None) as live:
            while (frame := json.loads(live.recv(10)))["type"] != "conversations":
                pass
        return f"{len(frame['conversations'])} of {frame['total']}"

    try:
        print(f"process start to the list over HTTP, {until(first_list, 60, 'the list'):.1f} s")
        measure("HTTP list, first 100", lambda: client.get("/api/conversations").reason_phrase)
        measure("page's channel, top of list", top_of_list)
        slowest = max(measure(f"HTTP search {query}", lambda q=query: look(q)) for query in QUERIES)  # type: ignore[misc]
        print(f"slowest search over HTTP {slowest:.1f} ms (target {TARGET_MS})")
    finally:
        process.terminate()
        process.wait()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--conversations", type=int, default=5000)
    parser.add_argument("--messages", type=int, default=20, help="in each conversation")
    parser.add_argument("--folder", type=Path, help="keep the database here and use it again")
    parser.add_argument("--serve", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve(options.folder, options.serve)
        return
    with tempfile.TemporaryDirectory() as temporary:
        folder: Path = options.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        before = time.perf_counter()
        database = open_store(folder).database
        print(f"opened in {(time.perf_counter() - before) * 1000:.0f} ms")
        if not database.read(list_summaries).result().total:
            before = time.perf_counter()
            build(database, options.conversations, options.messages)
            print(f"built in {time.perf_counter() - before:.0f} s")
        size = database.path.stat().st_size
        log = database.path.with_name(database.path.name + "-wal").stat().st_size
        print(f"database {size / 1e6:.0f} MB, log {log / 1e6:.0f} MB")
        measure_store(database)
        database.close()
        measure_http(folder)


if __name__ == "__main__":
    main()
