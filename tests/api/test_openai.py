"""The OpenAI-compatible API: answers, streams, and what becomes of them when a client goes."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest

from qwenchat.engine.fake import FakeEngine, Script
from qwenchat.engine.protocol import Generate
from qwenchat.errors import ContextLengthExceeded, EngineDied, QueueFull
from qwenchat.types import ChatMessage
from tests.api.conftest import Serve
from tests.api.serving import Serving, wait_until

TEXT = "Hello from the fake engine."
MESSAGES = [{"role": "user", "content": "Hi"}]
SLOW = Script([f"word{number} " for number in range(2000)], 0.01)


def chat(server: Serving, **fields: Any) -> httpx.Response:
    return server.http.post("/v1/chat/completions", json={"messages": MESSAGES} | fields)


def complete(server: Serving, **fields: Any) -> httpx.Response:
    return server.http.post("/v1/completions", json={"prompt": "Once"} | fields)


def events(answer: httpx.Response) -> list[Any]:
    """The chunks of a stream, its framing checked."""
    assert answer.headers["content-type"].startswith("text/event-stream")
    frames = answer.text.split("\n\n")
    assert frames.pop() == ""
    assert all(frame.startswith("data: ") and "\n" not in frame for frame in frames)
    assert frames.pop() == "data: [DONE]"
    return [json.loads(frame.removeprefix("data: ")) for frame in frames]


@pytest.fixture
def server(serve: Serve) -> Serving:
    started = serve(FakeEngine())
    wait_until(lambda: started.engine.status.state == "ready")
    return started


def test_models_lists_the_loaded_one(server: Serving) -> None:
    (model,) = server.http.get("/v1/models").json()["data"]
    assert (model["id"], model["object"]) == ("Fake-0.1B", "model")
    assert server.http.get("/v1/models/Fake-0.1B").json() == model
    assert server.http.get("/v1/models/Qwen/other").json()["error"]["code"] == "model_not_found"


def test_a_chat_is_answered(server: Serving) -> None:
    answer = chat(server, model="Fake-0.1B")
    assert answer.status_code == 200
    body = answer.json()
    assert body["id"].startswith("chatcmpl-")
    assert (body["object"], body["model"]) == ("chat.completion", "Fake-0.1B")
    (choice,) = body["choices"]
    assert choice["message"]["role"] == "assistant"
    assert (choice["message"]["content"], choice["finish_reason"]) == (TEXT, "stop")
    assert choice["logprobs"] is None
    assert body["usage"] == {
        "prompt_tokens": 12,
        "completion_tokens": 6,
        "total_tokens": 18,
        "prompt_tokens_details": {"cached_tokens": 0},
    }


def test_cached_tokens_are_told(serve: Serve) -> None:
    server = serve(FakeEngine(lambda request: Script(cached_tokens=8)))
    wait_until(lambda: server.engine.status.state == "ready")
    assert chat(server).json()["usage"]["prompt_tokens_details"] == {"cached_tokens": 8}


def test_a_chat_is_streamed(server: Serving) -> None:
    chunks = events(chat(server, stream=True))
    assert {chunk["object"] for chunk in chunks} == {"chat.completion.chunk"}
    assert len({chunk["id"] for chunk in chunks}) == 1
    choices = [chunk["choices"][0] for chunk in chunks]
    assert choices[0]["delta"] == {"role": "assistant", "content": ""}
    assert "".join(choice["delta"].get("content", "") for choice in choices) == TEXT
    assert [choice["finish_reason"] for choice in choices] == [None] * 7 + ["stop"]
    assert not any("usage" in chunk for chunk in chunks)


def test_a_stream_ends_with_the_usage_when_asked(server: Serving) -> None:
    options = {"include_usage": True}
    *others, last = events(chat(server, stream=True, stream_options=options))
    assert last["choices"] == []
    assert last["usage"]["total_tokens"] == 18
    assert all(chunk["usage"] is None for chunk in others)


def test_an_answer_that_is_cut_says_so(server: Serving) -> None:
    for name in ("max_tokens", "max_completion_tokens"):
        choice = chat(server, **{name: 2}).json()["choices"][0]
        assert (choice["message"]["content"], choice["finish_reason"]) == ("Hello from", "length")


def test_what_is_asked_for_reaches_the_engine(server: Serving) -> None:
    values: dict[str, Any] = {
        "temperature": 0.5,
        "top_p": 0.8,
        "top_k": 7,
        "min_p": 0.1,
        "repetition_penalty": 1.2,
        "presence_penalty": 0.3,
        "frequency_penalty": 0.4,
        "seed": 11,
        "max_tokens": 9,
    }
    kwargs = {"enable_thinking": False}
    assert chat(server, **values, stop="END", chat_template_kwargs=kwargs).status_code == 200
    (request,) = server.engine.requests
    assert request.sampling.as_dict() == values | {"stop": ["END"]}
    assert request.template_values == kwargs
    assert request.messages == (ChatMessage("user", "Hi"),)
    assert (request.prompt, request.logprobs, request.json_schema) == (None, None, None)


def test_what_is_not_said_is_as_the_model_recommends(server: Serving) -> None:
    assert chat(server, temperature=None, stop=None, tools=[], user="me").status_code == 200
    assert server.engine.requests[0].sampling == server.engine.defaults


def test_minus_one_means_all_for_top_k(server: Serving) -> None:
    assert chat(server, top_k=-1).status_code == 200
    assert server.engine.requests[0].sampling.top_k == 0


def test_roles_and_parts_become_messages(server: Serving) -> None:
    parts = [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
    messages = [
        {"role": "developer", "content": "Be brief."},
        {"role": "user", "content": parts, "name": "anna"},
    ]
    assert chat(server, messages=messages).status_code == 200
    assert server.engine.requests[0].messages == (
        ChatMessage("system", "Be brief."),
        ChatMessage("user", "ab"),
    )


def test_several_answers_have_seeds_of_their_own(server: Serving) -> None:
    body = chat(server, n=3, seed=5).json()
    assert [choice["index"] for choice in body["choices"]] == [0, 1, 2]
    assert [choice["message"]["content"] for choice in body["choices"]] == [TEXT] * 3
    assert [request.sampling.seed for request in server.engine.requests] == [5, 6, 7]
    usage = body["usage"]
    assert (usage["prompt_tokens"], usage["completion_tokens"]) == (12, 18)


def test_several_answers_are_streamed_side_by_side(server: Serving) -> None:
    texts = {0: "", 1: ""}
    for chunk in events(chat(server, n=2, stream=True)):
        (choice,) = chunk["choices"]
        texts[choice["index"]] += choice["delta"].get("content", "")
    assert texts == {0: TEXT, 1: TEXT}


def test_logprobs_of_a_chat(server: Serving) -> None:
    whole = chat(server, logprobs=True, top_logprobs=2).json()["choices"][0]["logprobs"]
    first = whole["content"][0]
    assert first["token"] == "Hello"
    assert first["bytes"] == list(b"Hello")
    assert [other["token"] for other in first["top_logprobs"]] == ["Hello", "Hello~"]
    assert "".join(one["token"] for one in whole["content"]) == TEXT
    told = [
        one
        for chunk in events(chat(server, logprobs=True, top_logprobs=2, stream=True))
        for one in (chunk["choices"][0]["logprobs"] or {"content": []})["content"]
    ]
    assert told == whole["content"]


def test_a_schema_reaches_the_engine(server: Serving) -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string"}}}
    wanted = {"type": "json_schema", "json_schema": {"name": "x", "schema": schema}}
    for given in (wanted, {"type": "json_object"}, {"type": "text"}):
        assert chat(server, response_format=given).status_code == 200
    first, second, third = [request.json_schema for request in server.engine.requests]
    assert json.loads(str(first)) == schema
    assert json.loads(str(second)) == {"type": "object"}
    assert third is None


def test_raw_text_is_completed(server: Serving) -> None:
    body = complete(server).json()
    assert body["id"].startswith("cmpl-")
    assert body["object"] == "text_completion"
    assert body["choices"][0]["text"] == TEXT
    (request,) = server.engine.requests
    assert (request.prompt, request.messages, request.sampling.max_tokens) == ("Once", (), 16)


def test_several_texts_are_completed(server: Serving) -> None:
    body = complete(server, prompt=["a", "b"], n=2).json()
    assert [choice["index"] for choice in body["choices"]] == [0, 1, 2, 3]
    assert [request.prompt for request in server.engine.requests] == ["a", "a", "b", "b"]
    assert body["usage"]["prompt_tokens"] == 24


def test_a_completion_is_streamed_with_logprobs(server: Serving) -> None:
    whole = complete(server, logprobs=1).json()["choices"][0]["logprobs"]
    assert whole["text_offset"] == [0, 5, 10, 14, 19, 26]
    assert whole["top_logprobs"][0] == {"Hello": -0.1}
    choices = [c["choices"][0] for c in events(complete(server, logprobs=1, stream=True))]
    assert "".join(choice["text"] for choice in choices) == TEXT
    offsets = [o for c in choices for o in (c["logprobs"] or {"text_offset": []})["text_offset"]]
    assert offsets == whole["text_offset"]
    assert choices[-1]["finish_reason"] == "stop"


@pytest.mark.parametrize("stream", [False, True])
def test_a_client_that_goes_frees_the_engine(serve: Serve, stream: bool) -> None:
    server = serve(FakeEngine(lambda request: SLOW))
    wait_until(lambda: server.engine.status.state == "ready")
    if stream:
        body = {"messages": MESSAGES, "stream": True, "n": 2, "max_tokens": 2000}
        with server.http.stream("POST", "/v1/chat/completions", json=body) as answer:
            lines = answer.iter_lines()  # ends the connection when nobody holds it any more
            assert next(lines).startswith("data: ")
            assert len(server.engine._running) == 2
    else:
        with pytest.raises(httpx.ReadTimeout):
            body = {"prompt": "x", "max_tokens": 2000}
            server.http.post("/v1/completions", json=body, timeout=0.3)
    wait_until(lambda: not server.engine._running, 2)
    assert chat(server, max_tokens=1).status_code == 200


def test_a_refusal_of_the_engine_is_told_before_the_stream(serve: Serve) -> None:
    error = ContextLengthExceeded("Too long. Shorten it.")
    script = Script((), prefill_steps=0, error=error)
    server = serve(FakeEngine(lambda request: script))
    wait_until(lambda: server.engine.status.state == "ready")
    for stream in (False, True):
        answer = chat(server, stream=stream)
        assert answer.status_code == 400
        assert answer.json()["error"] == {
            "message": "Too long. Shorten it.",
            "type": "invalid_request_error",
            "param": None,
            "code": "context_length_exceeded",
        }


def test_a_full_queue_is_told_with_when_to_come_again(serve: Serve) -> None:
    script = Script((), prefill_steps=0, error=QueueFull("64 wait. Try again in a minute."))
    server = serve(FakeEngine(lambda request: script))
    wait_until(lambda: server.engine.status.state == "ready")
    answer = chat(server, n=2)
    assert (answer.status_code, answer.headers["retry-after"]) == (429, "5")
    assert answer.json()["error"]["type"] == "rate_limit_error"
    assert not server.engine._running


def test_an_end_in_the_middle_is_an_event_of_the_stream(serve: Serve) -> None:
    def answer(request: Generate) -> Script:
        return Script(("a", "b"), error=EngineDied("The engine stopped. Try again."))

    server = serve(FakeEngine(answer))
    wait_until(lambda: server.engine.status.state == "ready")
    *_, last = events(chat(server, stream=True))
    assert last["error"]["code"] == "engine_died"
    whole = chat(server)
    assert (whole.status_code, whole.headers["retry-after"]) == (503, "5")


def test_while_the_model_loads_there_is_nothing_to_ask(serve: Serve) -> None:
    server = serve(FakeEngine(hold=True))
    for answer in (chat(server), complete(server), server.http.get("/v1/models")):
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "5")
        assert answer.json()["error"]["type"] == "server_error"
        assert answer.json()["error"]["code"] == "engine_starting"
