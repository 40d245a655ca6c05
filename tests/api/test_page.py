"""The Gradio page behind our routes: while it is built, when that fails, and its files."""

from __future__ import annotations

import asyncio
import re
import threading

import httpx
import pytest
from fastapi import FastAPI

from qwenchat.api.app import ASSETS
from qwenchat.api.page import LatePage
from tests.api.serving import Client


def ask(page: LatePage, path: str = "/") -> httpx.Response:
    """What somebody gets who asks while the page is still being built."""

    async def run() -> httpx.Response:
        page.start()
        transport = httpx.ASGITransport(app=page)  # type: ignore[arg-type]
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as http:
            answer = await http.get(path)
        await page.close()
        return answer

    return asyncio.run(run())


def test_who_asks_early_waits_and_gets_the_page() -> None:
    def build() -> FastAPI:
        threading.Event().wait(0.2)
        app = FastAPI()
        app.get("/")(lambda: "the page")
        return app

    assert ask(LatePage(build)).json() == "the page"


def test_a_page_that_cannot_be_built_is_told_in_words(caplog: pytest.LogCaptureFixture) -> None:
    def build() -> FastAPI:
        raise RuntimeError("secret detail")

    answer = ask(LatePage(build))
    assert answer.status_code == 500
    assert "could not be built" in answer.json()["error"]["message"]
    assert "secret" not in answer.text
    assert "secret detail" in caplog.text


def test_closing_does_not_wait_for_a_page_that_is_being_built() -> None:
    release = threading.Event()

    def build() -> FastAPI:
        release.wait(10)
        return FastAPI()

    async def run() -> None:
        page = LatePage(build)
        page.start()
        await asyncio.sleep(0.05)
        async with asyncio.timeout(1):
            await page.close()

    asyncio.run(run())
    release.set()


def test_our_files_and_gradios_live_side_by_side(whole_app: Client) -> None:
    own = next(file for file in sorted(ASSETS.rglob("*.js")))
    path = f"/assets/{own.relative_to(ASSETS).as_posix()}"
    answer = whole_app.http.get(path)
    assert answer.text == own.read_text(encoding="utf-8")
    assert answer.headers["cache-control"] == "no-cache"
    again = whole_app.http.get(path, headers={"if-none-match": answer.headers["etag"]})
    assert again.status_code == 304
    gradios = re.search(r"assets/index-[^\"]+\.js", whole_app.http.get("/").text)
    assert gradios is not None
    assert whole_app.http.get("/" + gradios[0]).status_code == 200


@pytest.mark.parametrize(
    "path",
    [
        "/gradio_api/file=/etc/hostname",
        "/gradio_api/file=app.py",
        "/assets/js/../../app.py",
        "/assets/js/%2e%2e/%2e%2e/app.py",
        "/gradio_api/proxy=http://localhost/",
        "/monitoring",
        "/monitoring/summary",
        "/gradio_api/runs",
    ],
)
def test_nothing_else_can_be_read(whole_app: Client, path: str) -> None:
    assert whole_app.http.get(path).status_code in (400, 403, 404)
