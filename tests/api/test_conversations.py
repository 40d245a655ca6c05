"""The page's REST requests, over real HTTP."""

from __future__ import annotations

from typing import Any

import pytest

from qwenchat.engine.fake import FakeEngine, Script
from qwenchat.errors import ContextLengthExceeded, EngineStartFailed
from tests.api.conftest import Serve
from tests.api.serving import Serving

MISSING = "/api/conversations/nope"


def test_a_turn_from_question_to_answer(serve: Serve) -> None:
    server = serve(FakeEngine(lambda _: Script(["Par", "is", "."])))
    chat = server.conversation(system_prompt="Be brief.", sampling={"temperature": 0.2})
    sent = server.send(chat, "What is the capital of France?\nOne word.")
    assert sent["user"]["state"] == "done"
    assert sent["assistant"]["state"] == "streaming"
    assert sent["assistant"]["progress"]["phase"] == "waiting"

    answer = server.ended(chat)
    assert answer["content"] == "Paris."
    assert (answer["state"], answer["finish_reason"]) == ("done", "stop")
    assert answer["usage"] == {"prompt_tokens": 12, "cached_tokens": 0, "completion_tokens": 3}
    assert set(answer["timings"]) == {
        "queue_seconds",
        "time_to_first_token_seconds",
        "decode_seconds",
        "tokens_per_second",
    }
    assert answer["progress"] is None
    assert server.read(chat)["title"] == "What is the capital of France?"

    request = server.engine.requests[0]
    assert [(m.role, m.content) for m in request.messages] == [
        ("system", "Be brief."),
        ("user", "What is the capital of France?\nOne word."),
    ]
    assert request.sampling.temperature == 0.2
    assert request.sampling.top_p == server.engine.defaults.top_p


def test_the_whole_history_goes_with_each_turn(serve: Serve) -> None:
    server = serve(FakeEngine(lambda r: Script([f"answer {len(r.messages)}"])))
    chat = server.conversation()
    for question in ("one", "two", "three"):
        server.send(chat, question)
        server.ended(chat)
    assert [m.content for m in server.engine.requests[-1].messages] == [
        "one",
        "answer 1",
        "two",
        "answer 3",
        "three",
    ]


def test_the_list_is_newest_first_and_says_what_runs(serve: Serve) -> None:
    server = serve(FakeEngine(lambda _: Script(["x"] * 1000, 0.01)))
    first, second = server.conversation(), server.conversation()
    server.send(first, "hello")
    listed = server.http.get("/api/conversations").json()["conversations"]
    assert [(c["id"], c["running"]) for c in listed] == [(first, True), (second, False)]


def test_settings_change_and_bad_ones_change_nothing(serve: Serve) -> None:
    server = serve()
    chat = server.conversation(sampling={"temperature": 0.2, "top_k": 5})
    where = f"/api/conversations/{chat}"
    changed = server.http.patch(where, json={"title": "Mine", "sampling": {"top_p": 0.5}}).json()
    assert (changed["title"], changed["sampling"]) == ("Mine", {"top_p": 0.5})
    bad = {"title": "Other", "sampling": {"temperature": 9}}
    refused = server.http.patch(where, json=bad)
    assert refused.status_code == 400
    assert refused.json()["error"]["param"] == "temperature"
    assert server.read(chat)["title"] == "Mine"


def test_stop_keeps_the_text_and_is_fine_when_nothing_runs(serve: Serve) -> None:
    server = serve(FakeEngine(lambda _: Script(["word "] * 1000, 0.01)))
    chat = server.conversation()
    stop = f"/api/conversations/{chat}/stop"
    assert server.http.post(stop).status_code == 202
    server.send(chat, "go")
    with server.page(chat) as page:
        page.until("delta")
        assert server.http.post(stop).status_code == 202
    answer = server.read(chat)["messages"][-1]
    assert (answer["state"], answer["finish_reason"]) == ("stopped", "abort")
    assert answer["content"].startswith("word ")
    server.send(chat, "again")


def test_one_answer_at_a_time(serve: Serve) -> None:
    server = serve(FakeEngine(lambda _: Script(["x"] * 1000, 0.01)))
    chat = server.conversation()
    server.send(chat, "one")
    for path, body in (("messages", {"content": "two"}), ("regenerate", None)):
        refused = server.http.post(f"/api/conversations/{chat}/{path}", json=body)
        assert refused.status_code == 409
        assert refused.json()["error"]["code"] == "reply_running"
    assert len(server.read(chat)["messages"]) == 2


def test_regenerate_replaces_the_answer_on_the_path_and_keeps_the_old_one(serve: Serve) -> None:
    answers = iter(["first", "second"])
    server = serve(FakeEngine(lambda _: Script([next(answers)])))
    chat = server.conversation()
    server.send(chat, "question")
    old = server.ended(chat)
    answer = server.http.post(f"/api/conversations/{chat}/regenerate").json()["assistant"]
    assert answer["id"] != old["id"]
    assert server.ended(chat)["content"] == "second"
    assert len(server.read(chat)["messages"]) == 2
    assert server.app.chat.conversations.in_memory(chat).messages[old["id"]].content == "first"
    assert [m.content for m in server.engine.requests[-1].messages] == ["question"]


def test_deleting_ends_what_runs(serve: Serve) -> None:
    server = serve(FakeEngine(lambda _: Script(["x"] * 1000, 0.01)))
    chat = server.conversation()
    server.send(chat, "one")
    assert server.http.delete(f"/api/conversations/{chat}").status_code == 204
    assert server.http.get(f"/api/conversations/{chat}").status_code == 404
    assert not server.app.chat.is_running(chat)


def test_a_message_waits_for_the_engine_and_gets_the_models_defaults(serve: Serve) -> None:
    engine = FakeEngine(hold=True)
    server = serve(engine)
    chat = server.conversation()
    server.send(chat, "early")
    waiting = server.read(chat)["messages"][-1]
    assert waiting["progress"]["phase"] == "waiting"
    assert engine.requests == []
    server.on_loop(engine.become_ready)
    assert server.ended(chat)["state"] == "done"
    assert engine.requests[0].sampling == engine.defaults


def test_a_failed_engine_keeps_the_question_and_can_be_restarted(serve: Serve) -> None:
    engine = FakeEngine(hold=True)
    server = serve(engine)
    chat = server.conversation()
    server.on_loop(engine.fail, EngineStartFailed("The engine could not start: out of memory."))
    server.send(chat, "precious words")
    answer = server.ended(chat)
    assert answer["error"] == {
        "code": "engine_start_failed",
        "message": "The engine could not start: out of memory.",
    }
    assert server.read(chat)["messages"][0]["content"] == "precious words"
    assert server.http.post("/api/engine/restart").status_code == 202
    server.on_loop(engine.become_ready)
    server.http.post(f"/api/conversations/{chat}/regenerate")
    assert server.ended(chat)["state"] == "done"


def test_a_prompt_that_does_not_fit_fails_its_own_turn_only(serve: Serve) -> None:
    error = ContextLengthExceeded("Too long. Send less.")
    server = serve(
        FakeEngine(
            lambda r: Script((), error=error) if "long" in r.messages[-1].content else Script()
        )
    )
    chat = server.conversation()
    server.send(chat, "long " * 1000)
    assert server.ended(chat)["error"]["code"] == "context_length_exceeded"
    server.send(chat, "short")
    assert server.ended(chat)["state"] == "done"
    assert [m.content for m in server.engine.requests[-1].messages] == ["short"]


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "code", "param"),
    [
        ("GET", MISSING, None, 404, "conversation_not_found", None),
        ("PATCH", MISSING, {"title": "x"}, 404, "conversation_not_found", None),
        ("DELETE", MISSING, None, 404, "conversation_not_found", None),
        ("POST", MISSING + "/messages", {"content": "x"}, 404, "conversation_not_found", None),
        ("POST", MISSING + "/stop", None, 404, "conversation_not_found", None),
        ("POST", MISSING + "/regenerate", None, 404, "conversation_not_found", None),
        ("POST", "{chat}/regenerate", None, 404, "message_not_found", None),
        ("POST", "{chat}/messages", {"content": " \n\t"}, 400, "invalid_request", "content"),
        ("POST", "{chat}/messages", {}, 400, "invalid_request", "content"),
        ("POST", "{chat}/messages", {"content": 5}, 400, "invalid_request", "content"),
        ("POST", "{chat}/messages", {"content": None}, 400, "invalid_request", "content"),
        ("POST", "{chat}/messages", {"text": "x"}, 400, "invalid_request", "text"),
        ("POST", "{chat}/messages", [], 400, "invalid_request", None),
        ("POST", "{chat}/messages", b"{no json", 400, "invalid_request", None),
        ("POST", "{chat}/messages", b'{"content": "\\ud800"}', 400, "invalid_request", None),
        ("PATCH", "{chat}", {"title": "  "}, 400, "invalid_request", "title"),
        ("PATCH", "{chat}", {"sampling": {"heat": 1}}, 400, "invalid_request", "heat"),
        ("PATCH", "{chat}", {"sampling": [1]}, 400, "invalid_request", "sampling"),
        ("POST", "/api/conversations", {"sampling": {"top_p": 0}}, 400, "invalid_request", "top_p"),
        ("GET", "/api/nothing", None, 404, "not_found", None),
        ("PUT", "/api/conversations", None, 405, "method_not_allowed", None),
    ],
)
def test_what_cannot_be_done_is_told_in_one_shape(
    serve: Serve, method: str, path: str, body: Any, status: int, code: str, param: str | None
) -> None:
    server = serve()
    path = path.replace("{chat}", f"/api/conversations/{server.conversation()}")
    answer = _request(server, method, path, body)
    error = answer.json()["error"]
    assert (answer.status_code, error["code"], error["param"]) == (status, code, param)
    assert error["message"].endswith(".")


def _request(server: Serving, method: str, path: str, body: Any) -> Any:
    if isinstance(body, bytes):
        return server.http.request(method, path, content=body)
    return server.http.request(method, path, json=body)


def test_an_error_of_our_own_is_told_in_plain_words(serve: Serve) -> None:
    server = serve()

    def broken() -> None:
        raise RuntimeError("secret detail")

    server.app.chat.engine.restart = broken  # type: ignore[method-assign,assignment]
    answer = server.http.post("/api/engine/restart")
    assert answer.status_code == 500
    assert "secret" not in answer.text
    assert answer.json()["error"]["code"] == "internal_error"
