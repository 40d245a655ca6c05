"""Who is refused at the gate, on every route there is: ours and Gradio's."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Iterable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.routing import BaseRoute, Mount, Route, WebSocketRoute
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect
from websockets.typing import Origin

from qwenchat.api.app import WebApp, create_app
from qwenchat.api.guard import MAX_BODY_BYTES
from qwenchat.engine.fake import FakeEngine
from qwenchat.hosting.hosting import host
from qwenchat.settings import Settings
from qwenchat.store.opening import open_store
from tests.api.conftest import Serve

OWN = "http://localhost:7860"
FOREIGN_PAGES: list[dict[str, str]] = [
    {"host": "evil.example"},
    {"host": "evil.example:7860"},
    {"host": ""},
    {"origin": "http://evil.example"},
    {"origin": "http://localhost:3000"},
    {"origin": "null"},
    {"sec-fetch-site": "cross-site", "sec-fetch-mode": "cors", "sec-fetch-dest": "empty"},
    {"sec-fetch-site": "same-site", "sec-fetch-mode": "no-cors", "sec-fetch-dest": "image"},
    {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "iframe"},
]

LINK = {
    "sec-fetch-site": "cross-site",
    "sec-fetch-mode": "navigate",
    "sec-fetch-dest": "document",
}
MALFORMED_HOSTS = [
    "evil.example@localhost",
    "localhost/x",
    "localhost:99999",
    "[::1",
    "a b",
    "127.0.0.1.x",
]


def client(app: WebApp) -> httpx.AsyncClient:
    transport = httpx.ASGITransport(app=app, raise_app_exceptions=False)  # type: ignore[arg-type]
    return httpx.AsyncClient(transport=transport, base_url=OWN)


def lean_app(tmp_path: Path, **settings: Any) -> WebApp:
    settings_ = Settings(data_dir=tmp_path, **settings)
    return create_app(settings_, FakeEngine(), open_store(tmp_path), with_page=False)


def _routes(routes: Iterable[BaseRoute], prefix: str = "") -> Iterator[tuple[str, str]]:
    """Method and an example path of every route; WEBSOCKET for those."""
    for route in routes:
        path = prefix + re.sub(r"{[^}]*}", "x", str(getattr(route, "path", "")))
        if isinstance(route, Mount):
            yield from _routes(route.routes or [Route("/x", lambda: None)], path)
        elif isinstance(route, WebSocketRoute) or not hasattr(route, "methods"):
            yield "WEBSOCKET", path
        else:
            for method in sorted(route.methods or {"GET"}):
                yield method, path


async def _websocket_status(app: WebApp, path: str, headers: dict[str, str]) -> int:
    """The HTTP status a WebSocket handshake is answered with; 101 when accepted."""
    scope = {
        "type": "websocket",
        "scheme": "ws",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
        "extensions": {"websocket.http.response": {}},
    }
    answers: list[Any] = []

    async def receive() -> dict[str, Any]:
        return {"type": "websocket.connect" if not answers else "websocket.disconnect"}

    async def send(message: Any) -> None:
        answers.append(message)

    await app(scope, receive, send)
    return 101 if answers[0]["type"] == "websocket.accept" else int(answers[0]["status"])


def test_a_foreign_page_is_refused_on_every_route(tmp_path: Path) -> None:
    async def run() -> tuple[list[str], int]:
        opened = open_store(tmp_path)
        settings, engine = Settings(data_dir=tmp_path), FakeEngine()
        app = create_app(settings, engine, opened, host(settings, engine))
        wrong, asked = [], 0
        assert app.page is not None
        app.page.start()
        assert await app.page.wait()
        assert app.page.app is not None
        routes = [*_routes(app.api.routes), *_routes(app.page.app.routes)]
        assert ("WEBSOCKET", "/api/live") in routes
        assert ("POST", "/api/downloads") in routes
        assert ("POST", "/gradio_api/queue/join") in routes
        async with client(app) as http:
            for method, path in routes:
                for page in FOREIGN_PAGES:
                    headers = {"host": "localhost:7860"} | page
                    if method == "WEBSOCKET":
                        status = await _websocket_status(app, path, headers)
                    else:
                        status = (await http.request(method, path, headers=headers)).status_code
                    asked += 1
                    if status != 403:
                        wrong.append(f"{method} {path} {page}: {status}")
        await app.page.close()
        opened.database.close()
        return wrong, asked

    wrong, asked = asyncio.run(run())
    assert not wrong, "\n".join(wrong[:20])
    assert asked > 500


OPEN_WITHOUT_LOGIN = {"/healthz", "/readyz", "/login"}


def test_without_a_login_every_route_of_ours_is_closed(tmp_path: Path) -> None:
    app = lean_app(tmp_path, auth="anna:secret")

    async def run() -> list[tuple[str, str, int]]:
        found = []
        async with client(app) as http:
            for method, path in _routes(app.api.routes):
                if method == "WEBSOCKET":
                    status = await _websocket_status(app, path, {"host": "localhost:7860"})
                else:
                    status = (await http.request(method, path)).status_code
                found.append((method, path, status))
        return found

    found = asyncio.run(run())
    contract = {
        ("DELETE", "/api/conversations/x/messages/x"),
        ("DELETE", "/api/import"),
        ("DELETE", "/api/notices/x"),
        ("GET", "/api/export"),
        ("GET", "/api/search"),
        ("POST", "/api/conversations/x/fork"),
        ("POST", "/api/conversations/x/messages"),
        ("POST", "/api/conversations/x/messages/x/continue"),
        ("POST", "/api/conversations/x/messages/x/restore"),
        ("POST", "/api/conversations/x/messages/x/show"),
        ("POST", "/api/conversations/x/restore"),
        ("POST", "/api/conversations/x/summarize"),
        ("POST", "/api/engine/restart"),
        ("POST", "/api/import"),
        ("POST", "/api/measure"),
        ("PUT", "/api/conversations/x/messages/x"),
        ("WEBSOCKET", "/api/live"),
    }
    assert contract <= {(method, path) for method, path, _ in found}
    wrong = [one for one in found if one[2] != 401 and one[1] not in OPEN_WITHOUT_LOGIN]
    assert not wrong


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"host": "localhost"},
        {"host": "LOCALHOST.:7860"},
        {"host": "127.0.0.1:7860"},
        {"host": "127.0.0.1:9"},
        {"host": "[::1]:7860"},
        {"host": "chat.example"},
        {"host": "chat.example", "origin": "https://chat.example"},
        {"origin": OWN},
        {"sec-fetch-site": "same-origin", "sec-fetch-mode": "cors"},
        {"sec-fetch-site": "none", "sec-fetch-mode": "navigate"},
        {
            "sec-fetch-site": "cross-site",
            "sec-fetch-mode": "navigate",
            "sec-fetch-dest": "document",
        },
    ],
)
def test_our_own_page_passes(tmp_path: Path, headers: dict[str, str]) -> None:
    app = lean_app(tmp_path, allowed_hosts=("chat.example",))

    async def run() -> tuple[int, int]:
        async with client(app) as http:
            answer = await http.get("/api/conversations", headers=headers)
            live = await _websocket_status(
                app, "/api/live", {"host": "localhost:7860"} | headers | _as_handshake(headers)
            )
            return answer.status_code, live

    assert asyncio.run(run()) == (200, 101)


def _as_handshake(headers: dict[str, str]) -> dict[str, str]:
    """A link opens pages, never a WebSocket."""
    return {"sec-fetch-site": "same-origin"} if "sec-fetch-dest" in headers else {}


def test_a_link_may_open_the_page_but_not_post(tmp_path: Path) -> None:
    async def run() -> int:
        async with client(lean_app(tmp_path)) as http:
            return (await http.post("/api/conversations", headers=LINK)).status_code

    assert asyncio.run(run()) == 403


@pytest.mark.parametrize(
    "host",
    ["evil.example@localhost", "localhost/x", "localhost:99999", "[::1", "a b", "127.0.0.1.x"],
)
def test_a_malformed_host_is_refused(tmp_path: Path, host: str) -> None:
    async def run() -> httpx.Response:
        async with client(lean_app(tmp_path)) as http:
            return await http.get("/healthz", headers={"host": host})

    answer = asyncio.run(run())
    assert answer.status_code == 403
    assert answer.json()["error"]["code"] == "host_refused"


def test_the_address_a_connection_came_in_on_is_no_foreign_name(tmp_path: Path) -> None:
    app = lean_app(tmp_path, host="0.0.0.0", auth="anna:secret")

    async def status(host: bytes) -> int:
        answers: list[Any] = []

        async def receive() -> dict[str, Any]:
            return {"type": "http.request"}

        async def send(message: Any) -> None:
            answers.append(message)

        scope = {
            "type": "http",
            "method": "GET",
            "scheme": "http",
            "path": "/healthz",
            "query_string": b"",
            "headers": [(b"host", host)],
            "server": ("192.168.1.5", 7860),
        }
        await app(scope, receive, send)
        return int(answers[0]["status"])

    assert asyncio.run(status(b"192.168.1.5:7860")) == 200
    assert asyncio.run(status(b"192.168.1.6:7860")) == 403


def test_every_answer_lets_the_page_ask_no_other_origin(tmp_path: Path) -> None:
    async def run() -> list[httpx.Response]:
        async with client(lean_app(tmp_path)) as http:
            return [
                await http.get("/healthz"),
                await http.get("/nothing"),
                await http.get("/healthz", headers={"host": "evil.example"}),
            ]

    for answer in asyncio.run(run()):
        policy = answer.headers["content-security-policy"]
        assert policy.startswith("default-src 'self';")
        assert "http" not in policy
        assert "*" not in policy
        assert answer.headers["x-content-type-options"] == "nosniff"


def test_a_real_handshake_from_a_foreign_page_is_refused(serve: Serve) -> None:
    server = serve()
    address = f"ws://127.0.0.1:{server.port}/api/live"
    with pytest.raises(InvalidStatus) as refused:
        connect(address, origin=Origin("http://evil.example"), proxy=None)
    assert refused.value.response.status_code == 403


# ---- how much is read


def test_a_body_that_is_too_large_is_refused_before_it_is_read(serve: Serve) -> None:
    server = serve()
    chat = server.conversation()
    where = f"/api/conversations/{chat}/messages"
    answer = server.http.post(where, json={"content": "x" * MAX_BODY_BYTES})
    assert answer.status_code == 413
    assert answer.json()["error"]["code"] == "too_large"
    assert "8 MiB" in answer.json()["error"]["message"]
    assert server.read(chat)["messages"] == []


def test_a_body_of_unknown_length_is_counted(tmp_path: Path) -> None:
    app = lean_app(tmp_path)
    chat = asyncio.run(app.chat.create()).id

    async def chunks() -> AsyncIterator[bytes]:
        yield b'{"content": "'
        for _ in range(9):
            yield b"x" * 2**20
        yield b'"}'

    async def run() -> httpx.Response:
        async with client(app) as http:
            return await http.post(f"/api/conversations/{chat}/messages", content=chunks())

    assert asyncio.run(run()).status_code == 413
    conversation = app.chat.conversations.in_memory(chat)
    assert conversation and conversation.messages == {}
