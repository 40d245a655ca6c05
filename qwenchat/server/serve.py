"""Serving the app until somebody ends it: uvicorn, the terminal's messages, the browser."""

from __future__ import annotations

import asyncio
import getpass
import os
import socket
import sys
import webbrowser
from collections.abc import Mapping
from types import FrameType
from urllib.parse import urlsplit

import uvicorn

from qwenchat.api.app import WebApp, create_app
from qwenchat.engine.seam import Engine, EngineStatus
from qwenchat.hosting.hosting import Hosting
from qwenchat.server.sharing import close_tunnels, open_tunnel
from qwenchat.settings import Settings
from qwenchat.store.opening import Opened

GRACE_SECONDS = 1
"""What open connections get to finish in when the app ends."""
MAX_FRAME_BYTES = 64 * 1024
"""Of a WebSocket frame from a page; pages send only small ones."""


def serve(settings: Settings, hosting: Hosting, opened: Opened, listener: socket.socket) -> bool:
    """Serve until SIGINT or SIGTERM; a second SIGINT does not wait for a clean end.

    Args:
        hosting: The engine, not started yet, and the models for it.
        opened: The open store; closed at the end.
        listener: From ``listen``.

    Returns:
        Whether the end was clean.
    """
    # Not asyncio.run: it would wait for threads that cannot be interrupted, as when a
    # model is being downloaded.
    loop = asyncio.new_event_loop()
    try:
        return loop.run_until_complete(_serve(settings, hosting, opened, listener))
    finally:
        loop.run_until_complete(loop.shutdown_asyncgens())


async def _serve(
    settings: Settings, hosting: Hosting, opened: Opened, listener: socket.socket
) -> bool:
    app = create_app(settings, hosting.engine, opened, hosting)
    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        server_header=False,
        lifespan="on",
        timeout_graceful_shutdown=GRACE_SECONDS,
        ws_max_size=MAX_FRAME_BYTES,
        # Compressing on the event loop would cost more than loopback gains.
        ws_per_message_deflate=False,
    )
    server = _Server(config)
    announcement = asyncio.create_task(_announce(settings, app))
    try:
        await server.serve([listener])
    finally:
        announcement.cancel()
        close_tunnels()
    return not server.force_exit


class _Server(uvicorn.Server):
    """Ends by return, not by raising the signal again: an asked-for end is a clean one."""

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        if self.should_exit:
            self.force_exit = True
        else:
            _say("Stopping.")
        self.should_exit = True


async def _announce(settings: Settings, app: WebApp) -> None:
    """Say where the page is once it is there, open it, and say when the model is ready."""
    _say("QwenChat is starting.")
    if not (app.page and await app.page.wait()):
        return
    _say(f"QwenChat is at {settings.url} (Ctrl-C stops it).")
    _narrate(app.chat.engine)
    if not settings.no_browser:
        await _open_browser(settings)
    if settings.share:
        await _share(settings, app)


async def _open_browser(settings: Settings) -> None:
    if is_headless(os.environ):
        _say(remote_hint(settings))
    elif not await asyncio.to_thread(webbrowser.open, settings.url):
        _say(f"No browser could be opened. Open {settings.url} yourself.")


async def _share(settings: Settings, app: WebApp) -> None:
    address = await asyncio.to_thread(open_tunnel, settings)
    if address is None:
        _say(
            "The page has no public address: Gradio's servers were not reached, or refused. It "
            "is at its own address as before; the log says why. To try again, start again."
        )
        return
    app.allow_host(urlsplit(address).hostname or "")
    _say(
        f"QwenChat is also at {address}, for everybody who has the login. What is written goes "
        "through Gradio's servers. The address ends with QwenChat."
    )


def _narrate(engine: Engine) -> None:
    """Say what becomes of the engine, now and whenever it changes."""
    said = ""

    def tell(status: EngineStatus) -> None:
        nonlocal said
        words = _words(status)
        if words != said:
            said = words
            _say(words)

    engine.watch(tell)
    tell(engine.status)


def _words(status: EngineStatus) -> str:
    reason = status.error[1] if status.error else ""
    match status.state:
        case "starting" | "loading":
            return f"{status.model} is loading; the page shows how far it is."
        case "ready":
            return f"{status.model} is ready."
        case "restarting":
            return f"{reason} It starts again by itself."
        case "failed":
            return reason


def is_headless(environment: Mapping[str, str], platform: str = sys.platform) -> bool:
    """Whether a browser opened here would be seen by nobody."""
    if "SSH_CONNECTION" in environment or "SSH_TTY" in environment:
        return True
    has_display = "DISPLAY" in environment or "WAYLAND_DISPLAY" in environment
    return platform == "linux" and not has_display


def remote_hint(settings: Settings) -> str:
    """How to reach the page of a machine that shows no browser."""
    port = settings.port
    name = socket.gethostname()
    if settings.auth and settings.host in ("0.0.0.0", "::"):
        return f"This machine has no screen. From another one open http://{name}:{port}."
    return (
        "This machine has no screen. From another one run\n"
        f"  ssh -L {port}:127.0.0.1:{port} {_user()}@{name}\n"
        f"and open http://127.0.0.1:{port} there."
    )


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "user"


def _say(text: str) -> None:
    print(text, flush=True)
