"""The page as an application of its own: what it takes to install it, and the server away."""

from __future__ import annotations

import json
import struct
import urllib.request
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from qwenchat.ui.first_paint import ASSETS, ENTRY
from qwenchat.ui.modules import module_graph
from tests.ui.pages import ask, send, visit
from tests.ui.serving import Served

pytestmark = pytest.mark.browser
long = pytest.mark.accept


@pytest.fixture(scope="module")
def app(tmp_path_factory) -> Iterator[Served]:
    with Served(tmp_path_factory.mktemp("installed")) as served:
        yield served


def get(app: Served, path: str) -> tuple[str, bytes]:
    with urllib.request.urlopen(app.url + path.lstrip("/"), timeout=10) as answer:
        return answer.headers["content-type"], answer.read()


def with_worker(new_page, app) -> Page:
    page = visit(new_page(service_workers="allow"), app)
    page.evaluate("navigator.serviceWorker.ready.then(() => 0)")
    return page


def test_the_manifest_is_whole_and_its_icons_are_what_they_say(app):
    kind, body = get(app, "/assets/pwa/manifest.webmanifest")
    assert kind.startswith("application/manifest+json")
    manifest = json.loads(body)
    assert manifest["display"] == "standalone"
    assert manifest["scope"] == manifest["start_url"] == "/"
    sizes = set()
    for icon in manifest["icons"]:
        kind, picture = get(app, icon["src"])
        assert kind.startswith(icon["type"])
        if icon["type"] == "image/png":
            width, height = struct.unpack(">II", picture[16:24])
            assert icon["sizes"] == f"{width}x{height}"
            sizes.add((width, icon.get("purpose", "any")))
    assert sizes == {(192, "any"), (512, "any"), (512, "maskable")}


def test_chromium_finds_nothing_that_keeps_it_from_being_installed(new_page, app):
    page = visit(new_page(), app)
    session = page.context.new_cdp_session(page)
    manifest = session.send("Page.getAppManifest")
    assert manifest["url"].endswith("/assets/pwa/manifest.webmanifest")
    assert manifest["errors"] == []
    problems = session.send("Page.getInstallabilityErrors")["installabilityErrors"]
    # A browser without a profile installs nothing, whatever the page is like.
    assert [one for one in problems if one["errorId"] != "in-incognito"] == []


@pytest.mark.parametrize(("scheme", "colour"), [("light", "#fbfbfa"), ("dark", "#1a1a1c")])
def test_the_window_has_the_themes_colour_and_the_whole_screen(new_page, app, scheme, colour):
    page = visit(new_page(color_scheme=scheme), app)
    head = page.locator("head")
    expect(head.locator("meta[name=theme-color]")).to_have_attribute("content", colour)
    page_colour = "getComputedStyle(document.documentElement).getPropertyValue('--qc-page').trim()"
    assert page.evaluate(page_colour) == colour
    viewport = head.locator("meta[name=viewport]").get_attribute("content") or ""
    assert "viewport-fit=cover" in viewport
    assert "interactive-widget=resizes-content" in viewport
    touch = head.locator("link[rel=apple-touch-icon]").get_attribute("href")
    assert get(app, touch)[0] == "image/png"


@long
def test_the_server_away_is_a_calm_page_that_goes_on_by_itself(new_page, app):
    page = with_worker(new_page, app)
    with app.outage():
        page.reload()
        expect(page.get_by_role("heading", name="QwenChat is not running")).to_be_visible()
        page.wait_for_timeout(2500)
        expect(page.get_by_role("heading", name="QwenChat is not running")).to_be_visible()
    expect(page.locator("#message-box")).to_be_visible(timeout=20_000)
    send(page, "Back?")
    expect(page.locator("[data-role=user]")).to_have_text("Back?")


@long
def test_the_calm_page_speaks_chinese_and_is_dark_where_the_page_is(new_page, app):
    page = visit(new_page(service_workers="allow", locale="zh-CN", color_scheme="dark"), app)
    page.evaluate("navigator.serviceWorker.ready.then(() => 0)")
    with app.outage():
        page.reload()
        expect(page.get_by_role("heading")).to_have_text("QwenChat 没有运行")
        ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert ground == "rgb(26, 26, 28)"


@long
def test_the_worker_keeps_nothing_but_the_calm_page(new_page, app):
    page = with_worker(new_page, app)
    app.says("Fine.")
    page.reload()
    ask(page, "Hello")
    kept = page.evaluate(
        """async () => {
            const urls = [];
            for (const name of await caches.keys())
                for (const { url } of await (await caches.open(name)).keys()) urls.push(url);
            return urls.map((url) => new URL(url).pathname);
        }"""
    )
    assert kept == ["/assets/pwa/offline.html"]


def test_every_module_is_asked_for_at_once(app):
    _, html = get(app, "/")
    graph = module_graph(ASSETS, ENTRY)
    assert len(graph) > 80
    assert [
        name for name in graph if f'"modulepreload" href="/assets/{name}"' not in html.decode()
    ] == []


def test_the_modules_of_a_module_are_found(tmp_path):
    (tmp_path / "js" / "deep").mkdir(parents=True)
    (tmp_path / "js" / "a.js").write_text(
        'import { b } from "./b.js";\nimport {\n  c,\n} from "./deep/c.js";\n'
        'import "./d.js";\n// import { no } from "./no.js";\nconst later = import("./late.js");\n'
    )
    (tmp_path / "js" / "b.js").write_text('export { c } from "./deep/c.js";\n')
    (tmp_path / "js" / "d.js").write_text("")
    (tmp_path / "js" / "deep" / "c.js").write_text('import { a } from "../a.js";\n')
    assert module_graph(tmp_path, "js/a.js") == ["js/a.js", "js/b.js", "js/deep/c.js", "js/d.js"]


def test_a_module_that_is_not_there_is_an_error(tmp_path):
    (tmp_path / "a.js").write_text('import { b } from "./b.js";\n')
    with pytest.raises(FileNotFoundError):
        module_graph(tmp_path, "a.js")
