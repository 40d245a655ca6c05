"""The login of a server that others can reach: one name and password, sessions in memory."""

from __future__ import annotations

import hmac
import secrets
import time
from collections import OrderedDict
from dataclasses import asdict
from html import escape
from pathlib import Path
from string import Template
from typing import TypeVar
from urllib.parse import parse_qs

from fastapi import APIRouter, Request
from starlette.requests import HTTPConnection
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.types import Scope

from qwenchat.api.login_words import LoginWords, words_for
from qwenchat.errors import LoginRequired

LOGIN_PATH = "/login"
SESSION_SECONDS = 30 * 24 * 3600
MAX_SESSIONS = 1000
FREE_TRIES = 3
"""Wrong passwords from one address before it has to wait between tries."""
LONGEST_WAIT_SECONDS = 60.0
MAX_FORM_BYTES = 16 * 1024

_Value = TypeVar("_Value")
_page = Template(Path(__file__).with_name("login.html").read_text(encoding="utf-8"))


class Login:
    """Who is logged in, and who guesses.

    Args:
        auth: ``USER:PASSWORD``.
        cookie: Name of the cookie; cookies ignore ports, so it should name the port.
    """

    def __init__(self, auth: str, cookie: str) -> None:
        self.cookie = cookie
        self._auth = auth.encode()
        self._sessions: OrderedDict[str, float] = OrderedDict()
        self._failures: OrderedDict[str, tuple[int, float]] = OrderedDict()

    def check(self, scope: Scope) -> None:
        """Let pass who is logged in.

        Raises:
            LoginRequired: The request carries no session that is still good.
        """
        token = HTTPConnection(scope).cookies.get(self.cookie, "")
        if self._sessions.get(token, 0.0) < time.monotonic():
            raise LoginRequired("Log in first: open the page in a browser.")

    def wait_seconds(self, client: str) -> float:
        """How long this client must wait before its next try; 0 when it need not."""
        return max(0.0, self._failures.get(client, (0, 0.0))[1] - time.monotonic())

    def open_session(self, client: str, user: str, password: str) -> str | None:
        """A new session's token, or None when name or password are wrong."""
        if hmac.compare_digest(f"{user}:{password}".encode(), self._auth):
            self._failures.pop(client, None)
            token = secrets.token_urlsafe(32)
            _remember(self._sessions, token, time.monotonic() + SESSION_SECONDS)
            return token
        count = self._failures.get(client, (0, 0.0))[0] + 1
        wait = min(2.0 ** (count - FREE_TRIES), LONGEST_WAIT_SECONDS) if count >= FREE_TRIES else 0
        _remember(self._failures, client, (count, time.monotonic() + wait))
        return None

    def close_session(self, token: str) -> None:
        """Forget a session."""
        self._sessions.pop(token, None)


def _remember(known: OrderedDict[str, _Value], key: str, value: _Value) -> None:
    known[key] = value
    known.move_to_end(key)
    while len(known) > MAX_SESSIONS:
        known.popitem(last=False)


def login_routes(login: Login) -> APIRouter:
    """``/login`` and ``/logout``."""
    router = APIRouter()

    @router.get(LOGIN_PATH)
    async def form(request: Request) -> Response:
        return _form(_words(request), request.query_params.get("next", "/"))

    @router.post(LOGIN_PATH)
    async def enter(request: Request) -> Response:
        fields = await _fields(request)
        target = fields.get("next", "/")
        client = request.client.host if request.client else ""
        if wait := login.wait_seconds(client):
            words = _words(request)
            return _form(words, target, words.wait.format(seconds=int(wait) + 1), 429)
        token = login.open_session(client, fields.get("user", ""), fields.get("password", ""))
        if token is None:
            words = _words(request)
            return _form(words, target, words.wrong, 401)
        response = RedirectResponse(_local(target), 303)
        response.set_cookie(
            login.cookie,
            token,
            max_age=SESSION_SECONDS,
            httponly=True,
            samesite="lax",
            secure=request.url.scheme == "https",
        )
        return response

    @router.post("/logout")
    async def leave(request: Request) -> Response:
        login.close_session(request.cookies.get(login.cookie, ""))
        response = RedirectResponse(LOGIN_PATH, 303)
        response.delete_cookie(login.cookie)
        return response

    return router


async def _fields(request: Request) -> dict[str, str]:
    if int(request.headers.get("content-length", 0)) > MAX_FORM_BYTES:
        return {}
    body = (await request.body()).decode("utf-8", "replace")
    return {name: values[-1] for name, values in parse_qs(body).items()}


def _words(request: Request) -> LoginWords:
    return words_for(request.headers.get("accept-language", ""))


def _form(words: LoginWords, target: str, problem: str = "", status: int = 200) -> Response:
    page = _page.substitute(
        asdict(words), next=escape(_local(target), quote=True), problem=escape(problem)
    )
    return HTMLResponse(page, status, {"cache-control": "no-store", "vary": "accept-language"})


def _local(target: str) -> str:
    """``target`` if it is a path on this server, else the start page."""
    is_path = target.startswith("/") and target[1:2] not in ("/", "\\")
    return target if is_path and target.isprintable() else "/"
