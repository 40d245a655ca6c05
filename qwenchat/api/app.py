"""The web app: our routes, the page behind them, and the guard around both."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from fastapi import FastAPI
from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import Receive, Scope, Send

from qwenchat.api.conversations import conversation_routes
from qwenchat.api.errors import install_error_handlers
from qwenchat.api.guard import Guard
from qwenchat.api.health import OPEN_PATHS, health_routes
from qwenchat.api.live import live_routes
from qwenchat.api.login import LOGIN_PATH, Login, login_routes
from qwenchat.api.page import LatePage, build_gradio_app
from qwenchat.chat.service import Chat
from qwenchat.engine.seam import Engine
from qwenchat.settings import Settings

ASSETS = Path(__file__).resolve().parents[2] / "assets"


class WebApp:
    """The whole ASGI app.

    Attributes:
        chat: What it serves.
        api: Our own routes.
        page: The Gradio page; None when left out.
    """

    def __init__(self, settings: Settings, engine: Engine, with_page: bool) -> None:
        self.chat = Chat(engine)
        self.page = LatePage(lambda: build_gradio_app(settings)) if with_page else None
        login = None
        if settings.auth:
            login = Login(settings.auth, f"qwenchat_session_{settings.port}")
        self.api = self._build_api(login)
        self._own_prefixes = ("/api/", *(f"/assets/{folder}/" for folder in _asset_folders()))
        self._own_paths = OPEN_PATHS | {LOGIN_PATH, "/logout"}
        self._guard = Guard(self._dispatch, settings, login)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._guard(scope, receive, send)

    async def _dispatch(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_own = (
            self.page is None
            or scope["type"] == "lifespan"
            or scope["path"] in self._own_paths
            or scope["path"].startswith(self._own_prefixes)
        )
        app = self.api if is_own or self.page is None else self.page
        await app(scope, receive, send)

    def _build_api(self, login: Login | None) -> FastAPI:
        # No generated documentation: its page would load scripts from another site.
        api = FastAPI(title="QwenChat", openapi_url=None, lifespan=self._lifespan)
        install_error_handlers(api)
        api.include_router(health_routes(self.chat.engine))
        api.include_router(conversation_routes(self.chat))
        api.include_router(live_routes(self.chat))
        if login:
            api.include_router(login_routes(login))
        # Gradio serves files of its own at /assets, all without a folder.
        for folder in _asset_folders():
            api.mount(f"/assets/{folder}", _Assets(directory=ASSETS / folder))
        return api

    @asynccontextmanager
    async def _lifespan(self, api: FastAPI) -> AsyncIterator[None]:
        # The engine first: it loads in its own process while this one imports Gradio.
        await self.chat.engine.start()
        if self.page:
            self.page.start()
        yield
        await self.chat.close()
        if self.page:
            await self.page.close()
        await self.chat.engine.close()


def create_app(settings: Settings, engine: Engine, *, with_page: bool = True) -> WebApp:
    """The ASGI app for an engine; its lifespan starts and closes the engine.

    Args:
        with_page: False leaves out the Gradio page, and with it the import of Gradio.
    """
    return WebApp(settings, engine, with_page)


def _asset_folders() -> list[str]:
    return sorted(entry.name for entry in ASSETS.iterdir() if entry.is_dir())


class _Assets(StaticFiles):
    """Files a browser asks about at every load, so that an update is seen at once."""

    def file_response(self, *args: object, **options: object) -> Response:
        response = super().file_response(*args, **options)  # type: ignore[arg-type]
        response.headers["cache-control"] = "no-cache"
        return response
