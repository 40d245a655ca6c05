"""The Gradio page, built beside the running server, because importing Gradio takes seconds.

The server answers from its first moment; who asks for the page meanwhile waits for it.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from logging import getLogger
from typing import cast

from fastapi import FastAPI
from starlette.types import Receive, Scope, Send

from qwenchat.api.errors import error_response
from qwenchat.api.gradio_import import import_gradio
from qwenchat.errors import QwenChatError
from qwenchat.settings import Settings

_log = getLogger(__name__)


def build_gradio_app(settings: Settings) -> FastAPI:
    """Import Gradio and mount the page; takes seconds and is meant for a thread."""
    import_gradio()
    import gradio

    from qwenchat.ui.page import build_page, page_options

    async def mount() -> FastAPI:
        app = FastAPI(openapi_url=None)
        options = {
            "server_name": settings.host,
            "server_port": settings.port,
            "enable_monitoring": False,
        }
        mounted = gradio.mount_gradio_app(
            app, build_page(settings), path="/", **(options | page_options(settings))
        )
        return cast(FastAPI, mounted)

    # Without a running event loop Gradio makes four of its own and never closes them.
    return asyncio.run(mount())


class LatePage:
    """An ASGI app that is made after it is first asked for.

    Args:
        build: Makes the app; called once, on a thread.
    """

    def __init__(self, build: Callable[[], FastAPI]) -> None:
        self._build = build
        self._closing = asyncio.Event()
        self._settled = asyncio.Event()
        self._app: FastAPI | None = None
        self._life: asyncio.Task[None] | None = None

    @property
    def app(self) -> FastAPI | None:
        """The page's app; None before it is built, or if that failed."""
        return self._app

    def start(self) -> None:
        """Begin building; called on the event loop."""
        self._life = asyncio.create_task(self._live(), name="page")

    async def wait(self) -> bool:
        """Wait until the page is there; False when it could not be built."""
        await self._settled.wait()
        return self._app is not None

    async def close(self) -> None:
        """End the page's own background work."""
        self._closing.set()
        if self._life:
            if not self._settled.is_set():
                self._life.cancel()
            await asyncio.wait({self._life})

    async def _live(self) -> None:
        try:
            app = await _on_daemon_thread(self._build)
            async with app.router.lifespan_context(app):
                self._app = app
                self._settled.set()
                await self._closing.wait()
        except Exception:
            _log.exception("The page could not be built; the log in the data folder says why.")
            self._settled.set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._settled.wait()
        if self._app:
            await self._app(scope, receive, send)
            return
        failure = QwenChatError(
            "The page could not be built; the log has the details. Install the requirements "
            "again, then restart QwenChat."
        )
        await error_response(failure, scope["path"])(scope, receive, send)


async def _on_daemon_thread(build: Callable[[], FastAPI]) -> FastAPI:
    """``build()`` on a thread that does not keep the process alive when the app ends."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[FastAPI] = loop.create_future()

    def settle(result: FastAPI | Exception) -> None:
        if future.done():
            return
        if isinstance(result, Exception):
            future.set_exception(result)
        else:
            future.set_result(result)

    def work() -> None:
        result: FastAPI | Exception
        try:
            result = build()
        except Exception as error:
            result = error
        try:
            loop.call_soon_threadsafe(settle, result)
        except RuntimeError:
            _log.info("the app ended before its page was built")

    threading.Thread(target=work, name="page builder", daemon=True).start()
    return await future
