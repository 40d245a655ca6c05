"""Thinking over HTTP: settings, frames of the live channel, and the OpenAI-compatible API."""

from __future__ import annotations

import json
from typing import Any

import pytest

from qwenchat.engine.fake import FakeEngine, Script
from qwenchat.types import ThinkingStyle
from tests.api.conftest import Serve
from tests.api.serving import Serving, wait_until

HYBRID = ThinkingStyle("hybrid")
ONLY = ThinkingStyle("thinking_only", prompt_opens=True)
NONE = ThinkingStyle()
THOUGHT = ("<th", "ink>\nA th", "ought\n", "</th", "ink>", "\n\n", "Yes", ".")


def serving(serve: Serve, style: ThinkingStyle, *chunks: str) -> Serving:
    server = serve(FakeEngine(lambda _: Script(chunks or THOUGHT, 0.03), thinking=style))
    wait_until(lambda: server.engine.status.state == "ready")
    return server


# ---- the page


def test_deltas_tell_thoughts_and_answer_apart(serve: Serve) -> None:
    server = serving(serve, HYBRID)
    chat = server.conversation()
    with server.page(chat) as page:
        page.until("conversation")
        server.send(chat, "go")
        message = page.until_ended()
        deltas = [frame for frame in page.frames if frame["type"] == "delta"]
    thoughts = [frame["text"] for frame in deltas if frame.get("part") == "thoughts"]
    content = [frame["text"] for frame in deltas if "part" not in frame]
    assert "".join(thoughts) == message["thoughts"] == "A thought"
    assert "".join(content) == message["content"] == "Yes."
    assert message["thinking_seconds"] > 0


def test_a_page_that_comes_late_gets_the_thoughts_so_far_and_then_the_rest(serve: Serve) -> None:
    server = serving(serve, HYBRID, "<think>\n", *["hm "] * 40, "\n</think>\n\n", "Yes.")
    chat = server.conversation()
    server.send(chat, "go")
    wait_until(lambda: len(_last(server, chat)["thoughts"]) > 20)
    with server.page(chat) as page:
        first = page.until("conversation")["conversation"]["messages"][-1]
        message = page.until_ended()
        more = [f["text"] for f in page.frames if f.get("part") == "thoughts"]
    assert first["thoughts"] and first["content"] == ""
    assert first["thoughts"] + "".join(more) == message["thoughts"] == "hm " * 40


def _last(server: Serving, chat: str) -> Any:
    return server.http.get(f"/api/conversations/{chat}").json()["messages"][-1]


def test_the_engine_says_how_its_model_thinks(serve: Serve) -> None:
    for style, kind, thinks in ((HYBRID, "hybrid", True), (NONE, "none", False)):
        server = serving(serve, style)
        with server.page() as page:
            engine = page.until("engine")["engine"]
        assert (engine["thinking"], engine["thinks"]) == (kind, thinks)
        ways = engine["defaults_by_thinking"]
        if kind == "none":
            assert ways is None and engine["defaults"]["temperature"] == 0.7
        else:
            assert (ways["on"]["temperature"], ways["off"]["temperature"]) == (0.6, 0.7)
            assert engine["defaults"] == ways["on"]


def test_settings_of_thinking_are_kept_and_told(serve: Serve) -> None:
    server = serving(serve, HYBRID)
    made = server.http.post("/api/conversations", json={"thinking": "off", "thinking_budget": 99})
    assert made.status_code == 201
    conversation = made.json()
    assert (conversation["thinking"], conversation["thinking_budget"]) == ("off", 99)
    path = f"/api/conversations/{conversation['id']}"
    plain = server.http.post("/api/conversations", json={}).json()
    assert (plain["thinking"], plain["thinking_budget"]) == ("auto", None)
    kept = server.http.patch(path, json={"title": "Other"}).json()
    assert (kept["thinking"], kept["thinking_budget"]) == ("off", 99)
    changed = server.http.patch(path, json={"thinking": "auto", "thinking_budget": None}).json()
    assert (changed["thinking"], changed["thinking_budget"]) == ("auto", None)


@pytest.mark.parametrize(
    ("body", "param", "words"),
    [
        ({"thinking": "maybe"}, "thinking", "auto, on or off"),
        ({"thinking": True}, "thinking", "must be text"),
        ({"thinking_budget": 3}, "thinking_budget", "from 16 to 1,000,000"),
        ({"thinking_budget": "9"}, "thinking_budget", "whole number"),
        ({"thinking_budget": True}, "thinking_budget", "whole number"),
    ],
)
def test_bad_settings_are_refused_and_change_nothing(
    serve: Serve, body: dict[str, Any], param: str, words: str
) -> None:
    server = serving(serve, HYBRID)
    path = f"/api/conversations/{server.conversation()}"
    before = server.http.get(path).json()
    answers = [
        server.http.patch(path, json=body),
        server.http.post("/api/conversations", json=body),
    ]
    for answer in answers:
        error = answer.json()["error"]
        assert (answer.status_code, error["param"]) == (400, param)
        assert words in error["message"]
    assert server.http.get(path).json() == before


def test_measuring_takes_the_switch(serve: Serve) -> None:
    server = serving(serve, HYBRID)

    def tokens(**body: Any) -> int:
        return server.http.post("/api/measure", json={"content": "Hi"} | body).json()[
            "prompt_tokens"
        ]

    assert tokens(thinking="off") == tokens(thinking="on") + 4 == tokens() + 4


# ---- the OpenAI-compatible API


def ask(server: Serving, **fields: Any) -> Any:
    body = {"messages": [{"role": "user", "content": "Hi"}]} | fields
    return server.http.post("/v1/chat/completions", json=body)


def deltas(server: Serving, **fields: Any) -> list[dict[str, Any]]:
    frames = ask(server, stream=True, **fields).text.split("\n\n")[:-2]
    chunks = [json.loads(frame.removeprefix("data: ")) for frame in frames]
    return [chunk["choices"][0]["delta"] for chunk in chunks]


def test_a_message_has_its_thoughts_as_reasoning_content(serve: Serve) -> None:
    message = ask(serving(serve, HYBRID)).json()["choices"][0]["message"]
    assert message["content"] == "Yes."
    assert message["reasoning_content"] == "A thought"


def test_a_stream_has_them_in_its_deltas(serve: Serve) -> None:
    found = deltas(serving(serve, ONLY, "A th", "ought\n", "</thi", "nk>\n\nYes", "."))
    assert "".join(one.get("reasoning_content", "") for one in found) == "A thought"
    assert "".join(one.get("content", "") for one in found) == "Yes."
    assert not any("think" in json.dumps(one) for one in found)


def test_what_was_held_back_comes_at_the_end_of_a_stream(serve: Serve) -> None:
    server = serving(serve, HYBRID, "<", "thin")
    assert "".join(one.get("content", "") for one in deltas(server)) == "<thin"


def test_the_switch_of_a_request_decides(serve: Serve) -> None:
    server = serving(serve, HYBRID)
    message = ask(server, chat_template_kwargs={"enable_thinking": False}).json()["choices"][0]
    assert message["message"]["content"] == "".join(THOUGHT)
    assert "reasoning_content" not in message["message"]
    ask(server, chat_template_kwargs={"enable_thinking": True})
    asked = server.engine.requests
    assert [one.template_values for one in asked] == [
        {"enable_thinking": False},
        {"enable_thinking": True},
    ]
    assert [one.sampling.temperature for one in asked] == [0.7, 0.6]
    refused = ask(server, chat_template_kwargs={"enable_thinking": "no"})
    assert refused.status_code == 400 and "true or false" in refused.json()["error"]["message"]


def test_a_model_that_does_not_think_may_write_of_tags(serve: Serve) -> None:
    message = ask(serving(serve, NONE)).json()["choices"][0]["message"]
    assert message == {"role": "assistant", "content": "".join(THOUGHT), "refusal": None}


def test_with_a_schema_there_are_no_thoughts(serve: Serve) -> None:
    server = serving(serve, HYBRID, '{"a":', "1}")
    answer = ask(server, response_format={"type": "json_object"}).json()["choices"][0]
    assert answer["message"]["content"] == '{"a":1}'
    assert server.engine.requests[0].template_values == {"enable_thinking": False}
    only = serving(serve, ONLY, '{"a":', "1}")
    answer = ask(only, response_format={"type": "json_object"}).json()["choices"][0]
    assert answer["message"]["content"] == '{"a":1}'
