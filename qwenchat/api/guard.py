"""The one gate in front of everything the server offers, ours and Gradio's.

A plain ASGI middleware: it sees HTTP and WebSocket requests alike and holds nothing back,
so streams stay streams.
"""

from __future__ import annotations

from collections.abc import Collection
from urllib.parse import quote

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from qwenchat.api.errors import error_response
from qwenchat.api.health import OPEN_PATHS
from qwenchat.api.login import LOGIN_PATH, Login
from qwenchat.api.openai.keys import API_PREFIX, ApiKeys
from qwenchat.api.refusals import check_host, check_origin, known_hosts
from qwenchat.errors import LoginRequired, QwenChatError, TooLarge
from qwenchat.settings import Settings

MAX_BODY_BYTES = 8 * 2**20

# Gradio builds functions from text and styles from script, hence the two unsafe words;
# what counts here is that the page can ask no other origin.
_POLICY = "; ".join(
    (
        "default-src 'self'",
        "script-src 'self' 'unsafe-inline' 'unsafe-eval' blob:",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "media-src 'self' data: blob:",
        "font-src 'self' data:",
        "connect-src 'self' data: blob:",
        "worker-src 'self' blob:",
        "object-src 'none'",
        "base-uri 'self'",
        "form-action 'self'",
        "frame-ancestors 'self'",
    )
)
SECURITY_HEADERS = {
    "content-security-policy": _POLICY,
    "x-content-type-options": "nosniff",
    # Not "no-referrer": that makes browsers send "Origin: null" with our own login form.
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}


class Guard:
    """Lets through to ``app`` what may pass and answers the rest itself.

    Args:
        unlimited: Paths whose bodies may be as large as they like, because ``app`` writes
            them to the disk as they come.
    """

    def __init__(
        self,
        app: ASGIApp,
        settings: Settings,
        login: Login | None,
        unlimited: Collection[str] = (),
    ) -> None:
        self._app = app
        self._unlimited = unlimited
        self._known_hosts = known_hosts(settings)
        self._login = login
        self._keys = ApiKeys(settings)

    def allow_host(self, name: str) -> None:
        """Let browsers reach this server by one more name."""
        self._known_hosts |= {name.lower()}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        send = _with_security_headers(send)
        refusal = self._refusal(scope)
        if refusal:
            await _answer(refusal, scope, receive, send)
        elif scope["type"] == "http" and scope["path"] not in self._unlimited:
            body = _LimitedBody(scope, receive, send)
            await self._app(scope, body.receive, body.send)
        else:
            await self._app(scope, receive, send)

    def _refusal(self, scope: Scope) -> Response | None:
        try:
            check_host(scope, self._known_hosts)
            check_origin(scope)
            length = int(Headers(scope=scope).get("content-length", 0))
            if length > MAX_BODY_BYTES and scope["path"] not in self._unlimited:
                raise _too_large()
            if scope["path"].startswith(API_PREFIX):
                self._keys.check(scope)
            elif self._login and scope["path"] not in OPEN_PATHS | {LOGIN_PATH}:
                self._login.check(scope)
        except LoginRequired as error:
            if _is_page(scope):
                return RedirectResponse(f"{LOGIN_PATH}?next={quote(scope['path'])}", 303)
            return error_response(error, scope["path"])
        except QwenChatError as error:
            return error_response(error, scope["path"])
        return None


def _is_page(scope: Scope) -> bool:
    """Whether a person waits for this answer in a tab, not a script."""
    accepts = Headers(scope=scope).get("accept", "")
    return scope.get("method") == "GET" and "text/html" in accepts


async def _answer(response: Response, scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "websocket" and "websocket.http.response" not in scope.get(
        "extensions", {}
    ):
        await send({"type": "websocket.close", "code": 1008})
    else:
        await response(scope, receive, send)


def _with_security_headers(send: Send) -> Send:
    async def send_with_headers(message: Message) -> None:
        if message["type"] in ("http.response.start", "websocket.http.response.start"):
            headers = MutableHeaders(raw=message.setdefault("headers", []))
            for name, value in SECURITY_HEADERS.items():
                headers.setdefault(name, value)
        await send(message)

    return send_with_headers


def _too_large() -> TooLarge:
    return TooLarge(
        f"The request is larger than {MAX_BODY_BYTES // 2**20} MiB, the most this server "
        "reads. Send less at once."
    )


class _LimitedBody:
    """Counts the bytes of a body that did not say its length.

    When it grows too large, the answer is given here; the app is told that the client has
    gone, and what it still says is dropped.
    """

    def __init__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self._scope, self._receive, self._send = scope, receive, send
        self._bytes = 0
        self._started = False
        self._refused = False

    async def receive(self) -> Message:
        if self._refused:
            return {"type": "http.disconnect"}
        message = await self._receive()
        self._bytes += len(message.get("body", b""))
        if self._bytes > MAX_BODY_BYTES:
            self._refused = True
            if not self._started:
                refusal = error_response(_too_large(), self._scope["path"])
                await refusal(self._scope, self._receive, self._send)
            return {"type": "http.disconnect"}
        return message

    async def send(self, message: Message) -> None:
        self._started = True
        if not self._refused:
            await self._send(message)
