"""The web app over a fake engine, served by uvicorn on a thread, for real HTTP."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvicorn
from websockets.sync.client import ClientConnection, connect

from qwenchat.api.app import WebApp, create_app
from qwenchat.engine.fake import FakeEngine
from qwenchat.hosting.hosting import host
from qwenchat.server.listen import listen
from qwenchat.settings import Settings
from qwenchat.store.opening import open_store

Frame = dict[str, Any]


class Client:
    """Ways to talk to a server on a port of this machine."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.url = f"http://127.0.0.1:{port}"
        self.http = httpx.Client(base_url=self.url, timeout=20, trust_env=False)

    def shows_the_page(self) -> bool:
        try:
            return self.http.get("/").status_code == 200
        except httpx.TransportError:
            return False

    def conversation(self, **settings: Any) -> str:
        answer = self.http.post("/api/conversations", json=settings)
        assert answer.status_code == 201, answer.text
        return str(answer.json()["id"])

    def send(self, conversation_id: str, content: str) -> Frame:
        answer = self.http.post(
            f"/api/conversations/{conversation_id}/messages", json={"content": content}
        )
        assert answer.status_code == 202, answer.text
        return dict(answer.json())

    def read(self, conversation_id: str) -> Frame:
        return dict(self.http.get(f"/api/conversations/{conversation_id}").json())

    def ended(self, conversation_id: str, seconds: float = 10) -> Frame:
        """The conversation's last message once it no longer streams."""
        wait_until(lambda: not self.read(conversation_id)["running"], seconds)
        return dict(self.read(conversation_id)["messages"][-1])

    @contextmanager
    def page(self, conversation_id: str | None = None) -> Iterator[Page]:
        """A page that listens and, when given one, follows a conversation."""
        address = f"ws://127.0.0.1:{self.port}/api/live"
        with connect(address, max_size=None, proxy=None) as channel:
            page = Page(channel)
            if conversation_id is not None:
                page.open(conversation_id)
            yield page


class Serving(Client):
    """A server that runs in this process, on a thread."""

    def __init__(
        self, app: WebApp, engine: FakeEngine, server: uvicorn.Server, listener: socket.socket
    ) -> None:
        super().__init__(listener.getsockname()[1])
        self.app, self.engine = app, engine
        self._server, self._listener = server, listener
        self._loop: asyncio.AbstractEventLoop
        self.thread: threading.Thread

    async def run(self) -> None:
        self._loop = asyncio.get_running_loop()
        await self._server.serve([self._listener])

    def end(self) -> None:
        """Ask the server to end, as a signal does."""
        self._server.should_exit = True

    def stop(self) -> None:
        """End the server and wait for it."""
        self.end()
        self.thread.join()

    def on_loop(self, call: Callable[..., Any], *arguments: Any) -> Any:
        """``call`` on the server's event loop, as its own code would."""

        async def work() -> Any:
            result = call(*arguments)
            return await result if isinstance(result, Awaitable) else result

        return asyncio.run_coroutine_threadsafe(work(), self._loop).result(10)


class Page:
    """One live channel, with the text a real page would show."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self.frames: list[Frame] = []
        self.text: dict[str, str] = {}

    def open(self, conversation_id: str | None) -> None:
        self.ask({"type": "open", "conversation_id": conversation_id})

    def ask(self, frame: Frame) -> None:
        self.socket.send(json.dumps(frame))

    def next(self, seconds: float = 10) -> Frame:
        frame: Frame = json.loads(self.socket.recv(seconds))
        self.frames.append(frame)
        if frame["type"] == "conversation":
            self.text = {m["id"]: m["content"] for m in frame["conversation"]["messages"]}
        elif frame["type"] == "delta":
            self.text[frame["message_id"]] += frame["text"]
        return frame

    def until(self, kind: str, seconds: float = 10, **fields: Any) -> Frame:
        """The next frame of that type with those fields."""
        deadline = time.monotonic() + seconds
        while True:
            frame = self.next(max(0.01, deadline - time.monotonic()))
            if frame["type"] == kind and fields.items() <= frame.items():
                return frame

    def until_ended(self, seconds: float = 20) -> Frame:
        """The message that just ended."""
        return dict(self.until("message", seconds)["message"])


def wait_until(holds: Callable[[], bool], seconds: float = 10) -> None:
    """Look again and again until ``holds()``."""
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.02)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def caches_in(folder: Path) -> Iterator[None]:
    """Have the app look for other programs' models in ``folder``, where a test has not said
    where, and never in the home of whoever runs it."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("MODELSCOPE_CACHE", "HF_HUB_CACHE"):
            if name not in os.environ and not (name == "HF_HUB_CACHE" and "HF_HOME" in os.environ):
                patch.setenv(name, str(folder / name.lower()))
        yield


@contextmanager
def serving(
    data_dir: Path,
    engine: FakeEngine | None = None,
    *,
    with_page: bool = False,
    **settings: Any,
) -> Iterator[Serving]:
    """A server for the length of a ``with`` block.

    Args:
        settings: Such as ``endpoint``, the hub's address.
    """
    engine = engine or FakeEngine()
    # Held from here on: a port that is only looked up may be another's by the time it is taken.
    listener = listen(Settings(port=0))
    port = listener.getsockname()[1]
    given = Settings(port=port, data_dir=data_dir, **settings)
    hosting = host(given, engine)
    app = create_app(given, engine, open_store(data_dir), hosting, with_page=with_page)
    config = uvicorn.Config(
        app,
        log_config=None,
        ws_per_message_deflate=False,
        timeout_graceful_shutdown=1,
    )
    server = uvicorn.Server(config)
    running = Serving(app, engine, server, listener)
    running.thread = thread = threading.Thread(target=lambda: asyncio.run(running.run()))
    with caches_in(data_dir):
        thread.start()
        try:
            wait_until(lambda: server.started or not thread.is_alive())
            yield running
        finally:
            running.end()
            running.http.close()
            thread.join()
