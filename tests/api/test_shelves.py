"""Personas and presets over real HTTP, and every page told of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from qwenchat.engine.fake import FakeEngine, Script
from tests.api.conftest import Serve
from tests.api.serving import serving

PERSONA = {
    "name": "Captain",
    "icon": "⚓",
    "system_prompt": "Speak like a captain.",
    "sampling": {"temperature": 0.5},
    "questions": ["Where to?"],
}
PRESET = {"name": "Cold", "sampling": {"temperature": 0.1, "stop": ["END"]}}
OWN = {"personas": PERSONA, "presets": PRESET}
SHELVES = pytest.mark.parametrize("shelf", list(OWN))


def own(values: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [
        {key: value for key, value in one.items() if key not in ("id", "builtin")}
        for one in values
        if not one["builtin"]
    ]


@SHELVES
def test_the_life_of_one_is_told_to_every_page(serve: Serve, shelf: str) -> None:
    server = serve()
    where = f"/api/{shelf}"
    with server.page() as one, server.page() as other:
        builtin = one.until(shelf)[shelf]
        assert other.until(shelf)[shelf] == builtin == server.http.get(where).json()[shelf]
        assert all(kept["builtin"] for kept in builtin)
        made = server.http.post(where, json=OWN[shelf])
        assert made.status_code == 201
        key = made.json()["id"]
        for page in (one, other):
            assert own(page.until(shelf)[shelf]) == [OWN[shelf]]
        changed = OWN[shelf] | {"name": "Other"}
        assert server.http.put(f"{where}/{key}", json=changed).json()["name"] == "Other"
        assert own(other.until(shelf)[shelf]) == [changed]
        assert server.http.delete(f"{where}/{key}").status_code == 204
        assert own(other.until(shelf)[shelf]) == []
        assert server.http.post(f"{where}/{key}/restore").json()["name"] == "Other"
        assert own(other.until(shelf)[shelf]) == [changed]


@SHELVES
def test_they_are_there_after_a_restart(tmp_path: Path, shelf: str) -> None:
    with serving(tmp_path) as server:
        server.http.post(f"/api/{shelf}", json=OWN[shelf])
    with serving(tmp_path) as server:
        assert own(server.http.get(f"/api/{shelf}").json()[shelf]) == [OWN[shelf]]


@SHELVES
def test_a_file_goes_out_and_comes_in_again(serve: Serve, shelf: str) -> None:
    server = serve()
    where = f"/api/{shelf}"
    key = server.http.post(where, json=OWN[shelf]).json()["id"]
    file = server.http.get(f"{where}/export", params={"id": key})
    assert f'filename="qwenchat-{shelf}-' in file.headers["content-disposition"]
    assert json.loads(file.content)[shelf] == [OWN[shelf]]
    assert server.http.get(f"{where}/export").content == file.content
    back = server.http.post(f"{where}/import", content=file.content)
    assert back.status_code == 201
    assert [one["name"] for one in back.json()[shelf]] == [f"{OWN[shelf]['name']} 2"]


@SHELVES
@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff\xfe", b'{"format": "x"}'])
def test_a_file_that_is_none_is_refused_in_words(serve: Serve, shelf: str, content: bytes) -> None:
    refused = serve().http.post(f"/api/{shelf}/import", content=content)
    assert refused.status_code == 400
    assert refused.json()["error"]["code"] == "invalid_request"


@SHELVES
def test_what_is_wrong_names_its_field(serve: Serve, shelf: str) -> None:
    server = serve()
    where = f"/api/{shelf}"
    bad: list[tuple[dict[str, Any], str]] = [
        ({"name": ""}, "name"),
        ({"sampling": {"temperature": 3}}, "temperature"),
        ({"colour": "red"}, "colour"),
    ]
    for change, param in bad:
        refused = server.http.post(where, json=OWN[shelf] | change)
        assert (refused.status_code, refused.json()["error"]["param"]) == (400, param)
    for method, path in (("PUT", "nope"), ("DELETE", "nope"), ("POST", "nope/restore")):
        missing = server.http.request(method, f"{where}/{path}", json=OWN[shelf])
        assert (missing.status_code, missing.json()["error"]["code"]) == (404, "not_on_shelf")
    assert server.http.get(f"{where}/export").status_code == 404
    assert own(server.http.get(where).json()[shelf]) == []


def test_a_conversation_tells_its_persona_and_language_and_its_answers_what_was_used(
    serve: Serve,
) -> None:
    server = serve(FakeEngine(lambda _: Script(["Fine."])))
    chat = server.conversation(persona="guide", reply_language="zh", sampling={"top_k": 7})
    read = server.read(chat)
    assert (read["persona"], read["reply_language"]) == ("guide", "zh")
    server.send(chat, "Hello")
    answer = server.ended(chat)
    assert answer["model"] == server.engine.status.model
    assert answer["sampling"]["top_k"] == 7
    assert set(answer["sampling"]) == set(server.engine.defaults.as_dict())
    where = f"/api/conversations/{chat}"
    changed = server.http.patch(where, json={"persona": "", "reply_language": "auto"}).json()
    assert (changed["persona"], changed["reply_language"]) == ("", "auto")


@pytest.mark.parametrize(
    ("body", "param"),
    [
        ({"persona": 7}, "persona"),
        ({"persona": "../etc"}, "persona"),
        ({"persona": "x" * 65}, "persona"),
        ({"reply_language": "fr"}, "reply_language"),
        ({"reply_language": ["zh"]}, "reply_language"),
    ],
)
def test_a_bad_persona_or_language_is_refused_everywhere(
    serve: Serve, body: dict[str, Any], param: str
) -> None:
    server = serve()
    chat = server.conversation(persona="guide", reply_language="en")
    answers = [
        server.http.post("/api/conversations", json=body),
        server.http.patch(f"/api/conversations/{chat}", json=body),
    ]
    if param == "reply_language":
        answers.append(server.http.post("/api/measure", json={"content": "x"} | body))
    for refused in answers:
        assert refused.status_code == 400
        assert refused.json()["error"]["param"] == param
    read = server.read(chat)
    assert (read["persona"], read["reply_language"]) == ("guide", "en")


def test_measuring_counts_the_language_that_is_only_tried(serve: Serve) -> None:
    server = serve()
    chat = server.conversation()

    def tokens(**body: str) -> int:
        answer = server.http.post(
            "/api/measure", json={"content": "Hi", "conversation_id": chat} | body
        )
        return int(answer.json()["prompt_tokens"])

    assert tokens(reply_language="zh") > tokens() == tokens(reply_language="auto")


def test_persona_and_language_go_out_and_come_in_with_a_conversation(tmp_path: Path) -> None:
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
    with serving(tmp_path / "one") as server:
        chat = server.conversation(persona="guide", reply_language="zh")
        server.send(chat, "Hello")
        server.ended(chat)
        file = server.http.get("/api/export", params={"format": "json"}).content
    with serving(tmp_path / "two") as server:
        server.http.post("/api/import", params={"name": "x.json"}, content=file)
        with server.page() as page:
            while page.until("import")["import"]["state"] == "running":
                pass
        read = server.read(chat)
        assert (read["persona"], read["reply_language"]) == ("guide", "zh")
