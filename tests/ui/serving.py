"""The real web app over a scripted engine, on a thread, behind a wire that can be cut."""

from __future__ import annotations

import asyncio
import threading
import urllib.request
from collections.abc import Callable, Coroutine, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import uvicorn

from qwenchat.api.app import create_app
from qwenchat.engine.fake import FakeEngine, Script
from qwenchat.engine.protocol import Generate
from qwenchat.hosting.hosting import host
from qwenchat.server.listen import listen
from qwenchat.settings import Settings
from qwenchat.store.opening import open_store
from tests.api.serving import caches_in

WORDS = ("The", " answer", " has", " **bold**", " words", " and", " an", " end.")


class Wire:
    """A TCP forwarder; while it is cut, every connection through it is closed."""

    def __init__(self, target: int) -> None:
        self._target = target
        self._server: asyncio.Server | None = None
        self._writers: set[asyncio.StreamWriter] = set()
        self.port = 0

    @property
    def is_open(self) -> bool:
        """Whether it takes connections."""
        return self._server is not None and self._server.is_serving()

    async def open(self) -> None:
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", self.port)
        self.port = self._server.sockets[0].getsockname()[1]

    async def cut(self) -> None:
        assert self._server
        self._server.close()
        for writer in tuple(self._writers):
            writer.transport.abort()
        await asyncio.sleep(0)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, back = await asyncio.open_connection("127.0.0.1", self._target)
        await asyncio.gather(self._pump(reader, back), self._pump(there, writer))

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.add(writer)
        try:
            while data := await reader.read(65536):
                writer.write(data)
                await writer.drain()
        except OSError:
            pass
        finally:
            self._writers.discard(writer)
            writer.close()


class Served:
    """A running app. ``script`` decides the next answers; requests are in ``engine``.

    ``web`` is the app itself.

    Args:
        folder: For the app's data.
        port: Where to be reached again, after a restart; 0 is any.
        demo: As ``--demo``.
        endpoint: The address of a hub on this machine, for downloads; None leaves the network
            alone.
        options: For ``FakeEngine``.
    """

    def __init__(
        self,
        folder: Path,
        *,
        port: int = 0,
        endpoint: str | None = None,
        demo: bool = False,
        **options: Any,
    ) -> None:
        self.script: Callable[[Generate], Script] = lambda request: Script(WORDS, 0.01)
        self._folder = folder
        self._port = port
        self._endpoint = endpoint
        self._demo = demo
        self._caches = ExitStack()
        self._options = options
        self._ready = threading.Event()
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), daemon=True)
        self.engine: FakeEngine
        self.url = ""

    def __enter__(self) -> Served:
        self._caches.enter_context(caches_in(self._folder))
        self._thread.start()
        assert self._ready.wait(60), "the app did not start"
        return self

    def __exit__(self, *problem: object) -> None:
        self.server.should_exit = True
        self._thread.join(10)
        self._caches.close()

    async def _serve(self) -> None:
        self.loop = asyncio.get_running_loop()
        self.engine = FakeEngine(lambda request: self.script(request), **self._options)
        listener = listen(Settings(port=0))
        self.wire = Wire(listener.getsockname()[1])
        self.wire.port = self._port
        await self.wire.open()
        # The page is reached through the wire, so that is the port it may name.
        settings = Settings(
            port=self.wire.port,
            data_dir=self._folder,
            demo=self._demo,
            endpoint=self._endpoint,
            offline=self._endpoint is None,
        )
        hosting = host(settings, self.engine)
        self.web = create_app(settings, self.engine, open_store(self._folder), hosting)
        config = uvicorn.Config(
            self.web,
            log_level="error",
            ws_per_message_deflate=False,
            timeout_graceful_shutdown=1,
        )
        self.server = uvicorn.Server(config)
        self.server.install_signal_handlers = lambda: None  # type: ignore[attr-defined]
        self.url = f"http://127.0.0.1:{self.wire.port}/"
        serving = asyncio.create_task(self.server.serve([listener]))
        while not self.server.started:
            await asyncio.sleep(0.02)
        await asyncio.to_thread(urllib.request.urlopen, self.url)  # waits for the page
        self._ready.set()
        await serving
        await self.wire.cut()

    def run(self, work: Coroutine[Any, Any, Any]) -> Any:
        """Run a coroutine on the app's loop and wait for it."""
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(10)

    def call(self, function: Callable[..., Any], *arguments: Any) -> None:
        """Call a function on the app's loop."""

        async def work() -> None:
            function(*arguments)

        self.run(work())

    @contextmanager
    def outage(self) -> Iterator[None]:
        """Break every connection and refuse new ones for a while."""
        self.run(self.wire.cut())
        try:
            yield
        finally:
            self.run(self.wire.open())

    def says(self, *pieces: str, delay: float = 0.01, **options: Any) -> None:
        """Answer with these pieces from now on."""
        self.script = lambda request: Script(pieces, delay, **options)
