"""The web app: our routes, the page behind them, and the guard around both."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from fastapi import FastAPI
from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import Receive, Scope, Send

from qwenchat.api.conversations import conversation_routes
from qwenchat.api.doctor import doctor_routes
from qwenchat.api.errors import install_error_handlers
from qwenchat.api.files import FILES_PATH, file_routes
from qwenchat.api.finding import finding_routes
from qwenchat.api.guard import Guard
from qwenchat.api.health import OPEN_PATHS, health_routes
from qwenchat.api.live import live_routes
from qwenchat.api.login import LOGIN_PATH, Login, login_routes
from qwenchat.api.messages import message_routes
from qwenchat.api.models import download_routes, model_routes
from qwenchat.api.openai.keys import API_PREFIX
from qwenchat.api.openai.routes import openai_routes
from qwenchat.api.page import LatePage, build_gradio_app
from qwenchat.api.shelves import shelf_routes
from qwenchat.api.transfer import IMPORT_PATH, transfer_routes
from qwenchat.chat.imports import Imports
from qwenchat.chat.notices import Notice
from qwenchat.chat.service import Chat
from qwenchat.engine.seam import Engine
from qwenchat.hosting.hosting import Hosting
from qwenchat.hosting.models import Models
from qwenchat.settings import Settings
from qwenchat.store.opening import Opened

ASSETS = Path(__file__).resolve().parents[2] / "assets"


class WebApp:
    """The whole ASGI app.

    Attributes:
        chat: What it serves.
        imports: Of conversations.
        hosting: The models; None where there is nothing to choose.
        models: They as the page has them; None likewise.
        api: Our own routes.
        page: The Gradio page; None when left out.
    """

    def __init__(
        self,
        settings: Settings,
        engine: Engine,
        opened: Opened,
        hosting: Hosting | None,
        with_page: bool,
    ) -> None:
        self.chat = Chat(engine, opened)
        self.hosting = hosting
        if hosting:
            notices = self.chat.notices
            hosting.switcher.watch(lambda: notices.remove("model"))
            hosting.switcher.watch_fallbacks(lambda words: notices.put(Notice("model", words)))
        self.models = Models(hosting, self.chat.changes.notify) if hosting else None
        self.imports = Imports(opened.database, self.chat.conversations, self.chat.changes.notify)
        self.page = LatePage(lambda: build_gradio_app(settings)) if with_page else None
        login = None
        if settings.auth:
            login = Login(settings.auth, f"qwenchat_session_{settings.port}")
        self.api = self._build_api(login, settings)
        assets = (f"/assets/{folder}/" for folder in _asset_folders())
        self._own_prefixes = ("/api/", API_PREFIX, *assets)
        self._own_paths = OPEN_PATHS | {LOGIN_PATH, "/logout"}
        self._guard = Guard(self._dispatch, settings, login, unlimited={IMPORT_PATH, FILES_PATH})

    def allow_host(self, name: str) -> None:
        """Let browsers reach this server by one more name, as when it is shared."""
        self._guard.allow_host(name)

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

    def _build_api(self, login: Login | None, settings: Settings) -> FastAPI:
        # No generated documentation: its page would load scripts from another site.
        api = FastAPI(title="QwenChat", openapi_url=None, lifespan=self._lifespan)
        install_error_handlers(api)
        api.include_router(health_routes(self.chat.engine))
        api.include_router(conversation_routes(self.chat))
        api.include_router(message_routes(self.chat))
        api.include_router(file_routes(self.chat))
        api.include_router(finding_routes(self.chat))
        api.include_router(shelf_routes("/api/personas", self.chat.personas))
        api.include_router(shelf_routes("/api/presets", self.chat.presets))
        api.include_router(transfer_routes(self.chat.database, self.imports, settings.data_dir))
        if self.models:
            api.include_router(model_routes(self.models))
            api.include_router(download_routes(self.models))
        api.include_router(doctor_routes(settings))
        api.include_router(openai_routes(self.chat.engine))
        api.include_router(live_routes(self.chat, self.imports, self.models))
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
        self.chat.start()
        if self.hosting:
            await self.hosting.start()
        yield
        await self.imports.close()
        if self.models:
            await self.models.close()
        await self.chat.close()
        await asyncio.to_thread(self.chat.database.close)
        if self.page:
            await self.page.close()
        await self.chat.engine.close()
        if self.hosting:
            await self.hosting.close()


def create_app(
    settings: Settings,
    engine: Engine,
    opened: Opened,
    hosting: Hosting | None = None,
    *,
    with_page: bool = True,
) -> WebApp:
    """The ASGI app for an engine and a store; its lifespan starts the one and closes both.

    Args:
        opened: The open store, read here: not for a busy event loop.
        hosting: The models this engine may load; None leaves out all that is about them.
        with_page: False leaves out the Gradio page, and with it the import of Gradio.
    """
    return WebApp(settings, engine, opened, hosting, with_page)


def _asset_folders() -> list[str]:
    return sorted(entry.name for entry in ASSETS.iterdir() if entry.is_dir())


class _Assets(StaticFiles):
    """Files a browser asks about at every load, so that an update is seen at once."""

    def file_response(self, *args: object, **options: object) -> Response:
        response = super().file_response(*args, **options)  # type: ignore[arg-type]
        response.headers["cache-control"] = "no-cache"
        # A worker may answer for its own folder only, unless it is told otherwise.
        if str(getattr(response, "path", "")).endswith("/service-worker.js"):
            response.headers["service-worker-allowed"] = "/"
        return response
