"""What decides the first look is in the page's HTML itself."""

from __future__ import annotations

import asyncio
import re

import httpx
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.types import Receive, Scope, Send

from qwenchat.ui.first_paint import ASSETS, FirstPaint, head, tail

PAGE = "<html><head><title>x</title></head><body>中文</body></html>"


async def app(scope: Scope, receive: Receive, send: Send) -> None:
    response: Response = HTMLResponse(PAGE)
    if scope["path"] == "/config":
        response = JSONResponse({"a": "<head>"})
    await response(scope, receive, send)


def get(path: str, method: str = "GET") -> httpx.Response:
    async def ask() -> httpx.Response:
        transport = httpx.ASGITransport(FirstPaint(app))
        async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
            return await client.request(method, path)

    return asyncio.run(ask())


def test_the_page_gets_our_head_and_a_right_length():
    answer = get("/")
    assert head() in answer.text
    assert answer.text.index(head()) < answer.text.index("<title>")
    assert "中文" in answer.text
    assert tail() in answer.text
    assert answer.text.index(tail()) > answer.text.index("中文")
    assert int(answer.headers["content-length"]) == len(answer.content)


def test_everything_else_is_left_alone():
    assert get("/config").json() == {"a": "<head>"}


def test_every_file_of_the_head_exists():
    files = re.findall(r'(?:src|href)="/assets/([^"]+)"', head())
    assert len(files) > 8
    assert [name for name in files if not (ASSETS / name).is_file()] == []


def test_no_file_of_the_page_names_another_origin():
    for kind in ("js", "css"):
        for file in (ASSETS / kind).glob(f"*.{kind}"):
            text = file.read_text(encoding="utf-8")
            assert re.findall(r"https?://(?!www\.w3\.org/)", text) == [], file.name
