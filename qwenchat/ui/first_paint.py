"""Our stylesheets in the first bytes of the page.

Gradio adds ``head`` and ``css`` from its own JavaScript, half a second after the page
has been painted. What decides the first look (the chosen theme, the stylesheets) must be
in the HTML itself, so this middleware puts it right behind ``<head>``.
"""

from __future__ import annotations

from pathlib import Path

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

ASSETS = Path(__file__).resolve().parents[2] / "assets"
ICON = ASSETS / "icons" / "qwenchat.svg"
STYLESHEETS = (
    "theme",
    "gradio",
    "layout",
    "controls",
    "menu",
    "toast",
    "topbar",
    "notices",
    "sidebar",
    "transfer",
    "chat",
    "messages",
    "composer",
    "context",
    "settings",
    "models",
    "here-models",
    "get-models",
    "downloads",
    "ask",
    "doctor",
    "markdown",
)
SCRIPTS = ("first-paint", "calm-gradio")
MODULES = ("main",)


def head() -> str:
    """What goes behind ``<head>``: theme first, then stylesheets, then scripts to fetch."""
    lines = [
        *(f'<script src="/assets/js/{name}.js"></script>' for name in SCRIPTS),
        '<link rel="icon" type="image/svg+xml" href="/assets/icons/qwenchat.svg">',
        *(f'<link rel="stylesheet" href="/assets/css/{name}.css">' for name in STYLESHEETS),
        *(f'<link rel="modulepreload" href="/assets/js/{name}.js">' for name in MODULES),
    ]
    return "\n".join(lines)


class FirstPaint:
    """ASGI middleware that adds :func:`head` to the page at ``/``."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self._head = head().encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass everything on; change only the page's HTML."""
        if scope["type"] != "http" or scope["path"] not in ("", "/"):
            await self.app(scope, receive, send)
            return
        start: Message | None = None
        body = b""

        async def rewrite(message: Message) -> None:
            nonlocal start, body
            if message["type"] == "http.response.start":
                start = message
                return
            body += message.get("body", b"")
            if message.get("more_body") or start is None:
                return
            headers = MutableHeaders(raw=start["headers"])
            if headers.get("content-type", "").startswith("text/html") and body:
                body = body.replace(b"<head>", b"<head>\n" + self._head, 1)
                headers["content-length"] = str(len(body))
            await send(start)
            await send({"type": "http.response.body", "body": body})

        await self.app(scope, receive, rewrite)
