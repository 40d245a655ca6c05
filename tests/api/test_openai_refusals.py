"""What the OpenAI-compatible API refuses: bad requests, wrong keys, pages of other sites."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from qwenchat.api.guard import MAX_BODY_BYTES
from qwenchat.api.openai.keys import ApiKeys
from qwenchat.errors import ApiKeyRequired
from qwenchat.settings import Settings
from tests.api.conftest import Serve
from tests.api.serving import Serving, serving, wait_until

KEY = "sk-0123456789"
CHAT = "/v1/chat/completions"
MESSAGES = [{"role": "user", "content": "Hi"}]
OBJECT = {"type": "json_schema", "json_schema": {"schema": {"x": "y" * 70_000}}}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    with serving(tmp_path_factory.mktemp("data")) as started:
        wait_until(lambda: started.engine.status.state == "ready")
        yield started


@pytest.mark.parametrize(
    ("fields", "param"),
    [
        ({"messages": None}, "messages"),
        ({"messages": []}, "messages"),
        ({"messages": "Hi"}, "messages"),
        ({"messages": ["Hi"]}, "messages[0]"),
        ({"messages": [{"role": "wizard", "content": "x"}]}, "messages[0].role"),
        ({"messages": [{"role": ["user"], "content": "x"}]}, "messages[0].role"),
        ({"messages": [{"role": "user"}]}, "messages[0].content"),
        ({"messages": [{"role": "user", "content": 5}]}, "messages[0].content"),
        (
            {"messages": [{"role": "user", "content": [{"type": "image_url"}]}]},
            "messages[0].content[0]",
        ),
        ({"model": 5}, "model"),
        ({"temperature": "hot"}, "temperature"),
        ({"temperature": True}, "temperature"),
        ({"temperature": 2.1}, "temperature"),
        ({"top_p": 0}, "top_p"),
        ({"top_k": 1.5}, "top_k"),
        ({"min_p": -1}, "min_p"),
        ({"repetition_penalty": 0}, "repetition_penalty"),
        ({"presence_penalty": 3}, "presence_penalty"),
        ({"frequency_penalty": []}, "frequency_penalty"),
        ({"seed": "x"}, "seed"),
        ({"stop": 5}, "stop"),
        ({"stop": ["a"] * 17}, "stop"),
        ({"max_tokens": 0}, "max_tokens"),
        ({"max_tokens": 10**30}, "max_tokens"),
        ({"max_completion_tokens": "many"}, "max_completion_tokens"),
        ({"n": 0}, "n"),
        ({"n": 17}, "n"),
        ({"n": 1.0}, "n"),
        ({"stream": "yes"}, "stream"),
        ({"stream_options": {}}, "stream_options"),
        ({"stream": True, "stream_options": 5}, "stream_options"),
        ({"stream": True, "stream_options": {"include_usage": 1}}, "include_usage"),
        ({"logprobs": 5}, "logprobs"),
        ({"top_logprobs": 2}, "top_logprobs"),
        ({"logprobs": True, "top_logprobs": 21}, "top_logprobs"),
        ({"response_format": "json"}, "response_format"),
        ({"response_format": {"type": "xml"}}, "response_format.type"),
        ({"response_format": {"type": "json_schema"}}, "response_format.json_schema"),
        ({"response_format": OBJECT}, "response_format.json_schema"),
        ({"chat_template_kwargs": []}, "chat_template_kwargs"),
        ({"chat_template_kwargs": {"chat_template": "x"}}, "chat_template_kwargs.chat_template"),
        ({"logit_bias": {"5": 1}}, "logit_bias"),
        ({"tools": [{"type": "function"}]}, "tools"),
    ],
)  # fmt: skip
def test_a_bad_field_is_named(server: Serving, fields: dict[str, Any], param: str) -> None:
    answer = server.http.post(CHAT, json={"messages": MESSAGES} | fields)
    assert answer.status_code == 400, answer.text
    error = answer.json()["error"]
    assert error.keys() == {"message", "type", "param", "code"}
    assert (error["param"], error["type"]) == (param, "invalid_request_error")
    assert "Settings" not in error["message"]


@pytest.mark.parametrize(
    ("fields", "param"),
    [
        ({}, "prompt"),
        ({"prompt": ""}, "prompt"),
        ({"prompt": [1, 2]}, "prompt"),
        ({"prompt": []}, "prompt"),
        ({"prompt": ["a"] * 9, "n": 2}, "n"),
        ({"prompt": "a", "logprobs": True}, "logprobs"),
        ({"prompt": "a", "echo": True}, "echo"),
        ({"prompt": "a", "suffix": "b"}, "suffix"),
    ],
)
def test_a_bad_field_of_a_completion_is_named(
    server: Serving, fields: dict[str, Any], param: str
) -> None:
    answer = server.http.post("/v1/completions", json=fields)
    assert answer.status_code == 400, answer.text
    assert answer.json()["error"]["param"] == param


@pytest.mark.parametrize("body", [b"{", b"[]", b"5", b"\xff", b'{"a": NaN}', b"[" * 5000])
def test_what_is_no_json_object_is_refused(server: Serving, body: bytes) -> None:
    answer = server.http.post(CHAT, content=body)
    assert answer.status_code == 400
    assert answer.json()["error"]["type"] == "invalid_request_error"


def test_another_model_is_not_found(server: Serving) -> None:
    answer = server.http.post(CHAT, json={"messages": MESSAGES, "model": "gpt-4o"})
    assert answer.status_code == 404
    assert answer.json()["error"]["code"] == "model_not_found"
    assert "Fake-0.1B" in answer.json()["error"]["message"]


def test_what_is_not_there_is_told_in_the_same_shape(server: Serving) -> None:
    for method, path, status in [("GET", "/v1/none", 404), ("GET", CHAT, 405)]:
        answer = server.http.request(method, path)
        assert answer.status_code == status
        assert answer.json()["error"].keys() == {"message", "type", "param", "code"}


@pytest.mark.parametrize("chunked", [False, True])
def test_too_large_a_body_is_refused(server: Serving, chunked: bool) -> None:
    body = b" " * (MAX_BODY_BYTES + 1)
    # The server closes such a connection at some moment: not one that others use afterwards.
    content, headers = iter([body]) if chunked else body, {"connection": "close"}
    answer = server.http.post(CHAT, content=content, headers=headers)
    assert answer.status_code == 413
    assert answer.json()["error"].keys() == {"message", "type", "param", "code"}


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"host": "evil.example"},
        {"sec-fetch-site": "cross-site"},
    ],
)
@pytest.mark.parametrize("method", ["POST", "OPTIONS"])
def test_a_page_of_another_site_is_refused(
    server: Serving, headers: dict[str, str], method: str
) -> None:
    answer = server.http.request(
        method, CHAT, json={"messages": MESSAGES}, headers=headers | {"authorization": "Bearer x"}
    )
    assert answer.status_code == 403
    assert "access-control-allow-origin" not in answer.headers
    assert answer.json()["error"]["type"] == "permission_error"


def test_with_a_key_it_is_needed_on_loopback_too(serve: Serve) -> None:
    server = serve(api_key=KEY)
    wait_until(lambda: server.engine.status.state == "ready")
    for given in (None, f"Bearer {KEY}x", KEY, f"Basic {KEY}", "Bearer", "Bearer schlüssel"):
        headers = {"authorization": given.encode()} if given else {}
        answer = server.http.get("/v1/models", headers=headers)
        assert answer.status_code == 401
        assert answer.headers["www-authenticate"] == "Bearer"
        assert answer.json()["error"]["code"] == "invalid_api_key"
        assert answer.json()["error"]["type"] == "authentication_error"
    right = {"authorization": f"Bearer {KEY}"}
    assert server.http.get("/v1/models", headers=right).status_code == 200
    assert server.http.get("/api/conversations").status_code == 200


def test_a_key_stands_in_for_the_login_on_the_api_only(serve: Serve) -> None:
    server = serve(auth="anna:secret", api_key=KEY)
    wait_until(lambda: server.engine.status.state == "ready")
    right = {"authorization": f"Bearer {KEY}"}
    assert server.http.get("/v1/models", headers=right).status_code == 200
    assert server.http.get("/v1/models").status_code == 401
    assert server.http.get("/api/conversations", headers=right).status_code == 401


@pytest.mark.parametrize(
    ("settings", "is_open"),
    [
        ({}, True),
        ({"host": "::1"}, True),
        ({"host": "0.0.0.0", "auth": "a:b"}, False),
        ({"host": "192.168.1.5", "auth": "a:b"}, False),
        ({"auth": "a:b"}, False),
        ({"allowed_hosts": ("chat.example",)}, False),
    ],
)
def test_without_a_key_the_configuration_decides(
    tmp_path: Path, settings: dict[str, Any], is_open: bool
) -> None:
    keys = ApiKeys(Settings(data_dir=tmp_path, **settings))
    scope = {"type": "http", "headers": [], "client": ("127.0.0.1", 5)}
    if is_open:
        keys.check(scope)
    else:
        with pytest.raises(ApiKeyRequired, match="QWENCHAT_API_KEY"):
            keys.check(scope)
