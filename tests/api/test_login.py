"""The login of a server that others can reach."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from qwenchat.api.login import FREE_TRIES
from qwenchat.api.login_words import LANGUAGES
from tests.api.conftest import Serve
from tests.api.serving import Serving

PROJECT = Path(__file__).resolve().parents[2]
RIGHT = {"user": "anna", "password": "se:cret é"}
WRONG = {"user": "anna", "password": "nope"}


@pytest.fixture
def server(serve: Serve) -> Iterator[Serving]:
    yield serve(auth="anna:se:cret é")


def enter(server: Serving, fields: dict[str, str], **options: Any) -> httpx.Response:
    return server.http.post("/login", data=fields, **options)


def test_without_a_login_only_health_is_told(server: Serving) -> None:
    for path in ("/healthz", "/readyz"):
        assert server.http.get(path).status_code == 200
    refused = server.http.get("/api/conversations")
    assert refused.status_code == 401
    assert refused.json()["error"]["code"] == "login_required"
    with pytest.raises(InvalidStatus) as handshake:
        connect(f"ws://127.0.0.1:{server.port}/api/live", proxy=None)
    assert handshake.value.response.status_code == 401


def test_a_person_is_led_to_the_form_and_back(server: Serving) -> None:
    led = server.http.get("/some/page", headers={"accept": "text/html"})
    assert (led.status_code, led.headers["location"]) == (303, "/login?next=/some/page")
    form = server.http.get(led.headers["location"])
    assert 'name="next" value="/some/page"' in form.text
    entered = enter(server, RIGHT | {"next": "/some/page"})
    assert (entered.status_code, entered.headers["location"]) == (303, "/some/page")
    assert server.http.get("/api/conversations").status_code == 200
    assert server.http.post("/logout").headers["location"] == "/login"
    assert server.http.get("/api/conversations").status_code == 401


def test_the_cookie_is_of_no_use_elsewhere(server: Serving) -> None:
    cookie = enter(server, RIGHT).headers["set-cookie"]
    assert f"qwenchat_session_{server.port}=" in cookie
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie
    assert "Path=/" in cookie
    assert "secret" not in cookie


def test_a_session_taken_from_a_foreign_page_is_refused(server: Serving) -> None:
    enter(server, RIGHT)
    foreign = {"origin": "http://evil.example"}
    assert server.http.post("/api/conversations", headers=foreign).status_code == 403
    assert enter(server, RIGHT, headers=foreign).status_code == 403


@pytest.mark.parametrize(
    "fields", [WRONG, {}, {"user": "anna"}, {"user": "anna:se", "password": "x"}]
)
def test_a_wrong_login_opens_nothing(server: Serving, fields: dict[str, str]) -> None:
    refused = enter(server, fields)
    assert refused.status_code == 401
    assert "Name or password are wrong." in refused.text
    assert "set-cookie" not in refused.headers
    assert server.http.get("/api/conversations").status_code == 401


def test_guessing_becomes_slow_also_for_the_right_word(
    server: Serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 1000.0
    monkeypatch.setattr("qwenchat.api.login.time.monotonic", lambda: now)
    for _ in range(FREE_TRIES):
        assert enter(server, WRONG).status_code == 401
    waiting = enter(server, RIGHT)
    assert waiting.status_code == 429
    assert "Wait 2 seconds" in waiting.text
    now += 1.1
    assert enter(server, WRONG).status_code == 401
    now += 1.1
    assert enter(server, RIGHT).status_code == 429
    now += 1.1
    assert enter(server, RIGHT).status_code == 303


@pytest.mark.parametrize(
    "target", ["https://evil.example", "//evil.example", "/\\evil.example", "x", "", "/a\r\nb"]
)
def test_the_way_back_stays_on_this_server(server: Serving, target: str) -> None:
    assert enter(server, RIGHT | {"next": target}).headers["location"] == "/"


def test_the_form_shows_no_markup_of_others(server: Serving) -> None:
    form = server.http.get("/login", params={"next": '/"><script>alert(1)</script>'})
    assert "<script>" not in form.text


def test_without_a_login_set_there_is_no_form(serve: Serve) -> None:
    assert serve().http.get("/login").status_code == 404


@pytest.mark.parametrize(
    ("accepted", "language"),
    [
        ("zh-CN,zh;q=0.9,en;q=0.8", "zh"),
        ("zh-TW", "zh"),
        ("fr-FR,zh;q=0.5", "zh"),
        ("en-GB,zh;q=0.5", "en"),
        ("zh;q=0, fr", "en"),
        ("ZH-cn", "zh"),
        ("", "en"),
        (";;,,=,*", "en"),
    ],
)
def test_the_form_is_in_the_browsers_language(
    server: Serving, accepted: str, language: str
) -> None:
    words = LANGUAGES[language]
    form = server.http.get("/login", headers={"accept-language": accepted})
    assert f'<html lang="{language}">' in form.text
    for text in (words.title, words.ask, words.name, words.password, words.enter):
        assert text in form.text
    assert "$" not in form.text


def test_a_wrong_password_is_told_in_the_browsers_language(server: Serving) -> None:
    for _ in range(FREE_TRIES):
        told = enter(server, WRONG, headers={"accept-language": "zh-CN"})
    assert (told.status_code, LANGUAGES["zh"].wrong in told.text) == (401, True)
    told = enter(server, WRONG, headers={"accept-language": "zh-CN"})
    assert (told.status_code, "尝试次数太多" in told.text) == (429, True)


def test_the_login_page_has_the_languages_of_the_page() -> None:
    source = (PROJECT / "assets/js/language.js").read_text(encoding="utf-8")
    names = re.search(r"export const languages = \{(.+?)\}", source)
    assert names
    assert set(re.findall(r"(\w+):", names[1])) == LANGUAGES.keys()
