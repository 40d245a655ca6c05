"""Searching and measuring over HTTP, and notices."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

import pytest

from qwenchat.chat.meter import Measurement
from qwenchat.chat.notices import Notice
from qwenchat.engine.fake import FakeEngine, Script
from qwenchat.store.opening import open_store
from tests.api.conftest import Serve
from tests.api.serving import Frame, Serving, serving
from tests.store.samples import keep

XSS = '<img src=x onerror="alert(1)"> & <script>alert("needle")</script>'


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    """One server for all, because its end takes longer than most tests."""
    folder = tmp_path_factory.mktemp("data")
    database = open_store(folder).database
    keep(database, "zh", "今天天气很好，我们去长城玩吧", "好的，长城很美。", title="旅行计划")
    keep(database, "xss", XSS, title=XSS)
    for number in range(12):
        keep(database, f"n{number}", f"haystack number {number}", title=f"Straw {number}")
    database.close()
    with serving(folder, FakeEngine(lambda _: Script(["ok"], prompt_tokens=None))) as server:
        yield server


def search(server: Serving, **query: Any) -> Frame:
    answer = server.http.get("/api/search", params=query)
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def joined(pieces: list[list[Any]]) -> str:
    return "".join(text for text, _ in pieces)


def marked(pieces: list[list[Any]]) -> list[str]:
    return [text for text, is_hit in pieces if is_hit]


@pytest.mark.parametrize("query", ["城", "长城", "很美", "天气"])
def test_chinese_words_of_one_and_two_characters_are_found(server: Serving, query: str) -> None:
    (hit,) = search(server, q=query)["hits"]
    assert hit["conversation_id"] == "zh"
    assert set(hit) == {"conversation_id", "title", "updated_at", "message_id", "snippet"}
    assert query in marked(hit["snippet"])
    assert joined(hit["title"]) == "旅行计划"
    assert marked(hit["title"]) == []


def test_a_hit_in_a_title_names_no_message(server: Serving) -> None:
    (hit,) = search(server, q="旅行")["hits"]
    assert (hit["message_id"], hit["snippet"]) == (None, [])
    assert marked(hit["title"]) == ["旅行"]


def test_markup_is_text_in_pieces_and_nothing_else(server: Serving) -> None:
    (hit,) = search(server, q="needle")["hits"]
    assert joined(hit["title"]) == XSS
    assert marked(hit["title"]) == ["needle"]
    raw = server.http.get("/api/search", params={"q": "<script>"})
    assert raw.headers["content-type"] == "application/json"
    assert raw.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize(
    "query", ["", " ", '"', "*", "a OR", "NEAR(", "'; DROP TABLE", "\0", "(" * 999]
)
def test_nothing_that_is_asked_is_an_error(server: Serving, query: str) -> None:
    assert isinstance(search(server, q=query)["hits"], list)


def test_a_limit_cuts_the_hits_and_says_that_there_are_more(server: Serving) -> None:
    found = search(server, q="haystack", limit=5)
    assert (len(found["hits"]), found["more"]) == (5, True)
    found = search(server, q="haystack", limit=12)
    assert (len(found["hits"]), found["more"]) == (12, False)


@pytest.mark.parametrize("limit", ["0", "-1", "x", "1001", "1.5", "", "٣", "9" * 5000])
@pytest.mark.parametrize("path", ["/api/search", "/api/conversations"])
def test_a_limit_out_of_bounds_is_refused(server: Serving, path: str, limit: str) -> None:
    refused = server.http.get(path, params={"q": "x", "limit": limit})
    assert refused.status_code == 400
    assert refused.json()["error"]["param"] == "limit"


def test_a_deleted_conversation_is_not_found_until_it_is_restored(server: Serving) -> None:
    assert server.http.delete("/api/conversations/zh").status_code == 204
    assert search(server, q="长城")["hits"] == []
    server.http.post("/api/conversations/zh/restore")
    assert len(search(server, q="长城")["hits"]) == 1


# ---- measuring


def measure(server: Serving, status: int = 200, **body: Any) -> Frame:
    answer = server.http.post("/api/measure", json=body)
    assert answer.status_code == status, answer.text
    return dict(answer.json())


def test_a_turn_can_be_measured_in_a_chat_and_before_there_is_one(server: Serving) -> None:
    chat = server.conversation(system_prompt="S" * 40)
    server.send(chat, "one")
    server.ended(chat)
    found = measure(server, conversation_id=chat, content="two")
    assert set(found) == set(Measurement.__dataclass_fields__)
    parts = found["system_tokens"] + found["history_tokens"] + found["message_tokens"]
    assert parts == found["prompt_tokens"]
    server.send(chat, "two")
    assert server.ended(chat)["usage"]["prompt_tokens"] == found["prompt_tokens"]
    above = measure(server, conversation_id=chat, parent_id=None, content="two")
    assert above["history_tokens"] == 0
    fresh = measure(server, system_prompt="S" * 40, content="two", sampling={"max_tokens": 7})
    assert (fresh["prompt_tokens"], fresh["reserve_tokens"]) == (above["prompt_tokens"], 7)
    assert len(server.engine.requests) == 2


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"conversation_id": "nope", "content": ""}, 404, "conversation_not_found"),
        ({"conversation_id": "zh", "parent_id": "nope"}, 404, "message_not_found"),
        ({"sampling": {"top_p": 0}}, 400, "invalid_request"),
        ({"sampling": []}, 400, "invalid_request"),
        ({"content": 5}, 400, "invalid_request"),
        ({"heat": 5}, 400, "invalid_request"),
    ],
)
def test_what_cannot_be_measured_is_told(
    server: Serving, body: Frame, status: int, code: str
) -> None:
    assert measure(server, status, **body)["error"]["code"] == code


def test_an_engine_that_loads_cannot_measure_yet(serve: Serve) -> None:
    server = serve(FakeEngine(hold=True))
    error = measure(server, 503, content="x")["error"]
    assert error["code"] == "engine_starting"
    assert error["message"].endswith(".")


# ---- notices


def test_a_notice_that_was_read_is_gone_for_every_page(server: Serving) -> None:
    notice = Notice("recovered", "It was damaged.")
    server.on_loop(server.app.chat.notices.put, notice)
    with server.page() as one, server.page() as other:
        told = one.until("notices")["notices"]
        assert told == [{"id": "recovered"} | asdict(notice)]
        assert other.until("notices")["notices"] == told
        for _ in range(2):
            assert server.http.delete("/api/notices/recovered").status_code == 204
        assert one.until("notices")["notices"] == []
        assert other.until("notices")["notices"] == []
