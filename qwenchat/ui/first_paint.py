"""Our stylesheets in the first bytes of the page.

Gradio adds ``head`` and ``css`` from its own JavaScript, half a second after the page
has been painted. What decides the first look (the chosen theme, the stylesheets) must be
in the HTML itself, so this middleware puts it right behind ``<head>``.
"""

from __future__ import annotations

from pathlib import Path

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from qwenchat.ui.modules import module_graph

ASSETS = Path(__file__).resolve().parents[2] / "assets"
ICON = ASSETS / "icons" / "qwenchat.svg"
STYLESHEETS = (
    "theme",
    "gradio",
    "layout",
    "demo",
    "controls",
    "menu",
    "toast",
    "topbar",
    "notices",
    "banner",
    "sidebar",
    "language",
    "transfer",
    "chat",
    "messages",
    "thoughts",
    "composer",
    "context",
    "files",
    "settings",
    "personas",
    "models",
    "here-models",
    "get-models",
    "downloads",
    "ask",
    "shortcuts",
    "doctor",
    "markdown",
    "safe-areas",
)
SCRIPTS = ("first-paint", "calm-gradio")
ENTRY = "js/main.js"

VIEWPORT = b"shrink-to-fit=no"
"""What Gradio's page says of phones, and what ours says in its place: the whole screen is
ours, and a keyboard takes its room from the page instead of lying over it."""
OUR_VIEWPORT = b"viewport-fit=cover, interactive-widget=resizes-content"


def head(demo: bool = False) -> str:
    """What goes behind ``<head>``: theme first, then stylesheets, then scripts to fetch.

    Args:
        demo: The page is for a projector; it is marked as such before its first script.
    """
    lines = [
        *(["<script>document.documentElement.dataset.demo = '';</script>"] if demo else []),
        '<meta name="theme-color" content="#fbfbfa">',
        *(f'<script src="/assets/js/{name}.js"></script>' for name in SCRIPTS),
        # Before Gradio's own module, which asks the browser for a language as it starts.
        '<script type="module" src="/assets/js/language.js"></script>',
        '<link rel="icon" type="image/svg+xml" href="/assets/icons/qwenchat.svg">',
        *(f'<link rel="stylesheet" href="/assets/css/{name}.css">' for name in STYLESHEETS),
        # Behind a login the manifest is asked for as the person who is logged in.
        '<link rel="manifest" href="/assets/pwa/manifest.webmanifest" '
        'crossorigin="use-credentials">',
        '<link rel="apple-touch-icon" href="/assets/icons/apple-touch-icon.png">',
        '<meta name="apple-mobile-web-app-title" content="QwenChat">',
    ]
    return "\n".join(lines)


def tail() -> str:
    """What goes before ``</body>``: the modules, behind all that the first paint waits for."""
    return "\n".join(
        f'<link rel="modulepreload" href="/assets/{name}" fetchpriority="low">'
        for name in module_graph(ASSETS, ENTRY)
    )


class FirstPaint:
    """ASGI middleware that adds :func:`head` and :func:`tail` to the page at ``/``."""

    def __init__(self, app: ASGIApp, demo: bool = False) -> None:
        self.app = app
        self._head = head(demo).encode()
        self._tail = tail().encode()

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
                body = body.replace(b"</body>", self._tail + b"\n</body>", 1)
                body = body.replace(VIEWPORT, OUR_VIEWPORT, 1)
                headers["content-length"] = str(len(body))
            await send(start)
            await send({"type": "http.response.body", "body": body})

        await self.app(scope, receive, rewrite)
