"""The doctor over HTTP: what the command says, and one look for all who ask at once."""

from __future__ import annotations

import contextlib
import time
from pathlib import Path
from threading import Event, Thread
from typing import Any

import httpx
import pytest

from qwenchat.doctor import checkup
from qwenchat.doctor.outcome import Report, ok
from qwenchat.settings import Settings
from tests.api.conftest import Serve
from tests.api.model_worlds import error_of
from tests.api.serving import Serving


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> list[Settings]:
    """The settings of every look, each of which takes half a second."""
    seen: list[Settings] = []

    def report(settings: Settings, *, with_token: bool = True) -> Report:
        assert not with_token
        seen.append(settings)
        time.sleep(0.5)
        return Report((ok("machine", f"look {len(seen)}", "more"),))

    monkeypatch.setattr("qwenchat.api.doctor.report", report)
    return seen


def test_two_who_ask_at_once_share_one_look(serve: Serve, looks: list[Settings]) -> None:
    server = serve()
    answers: list[Any] = []

    def ask() -> None:
        answers.append(server.http.get("/api/doctor").json())

    asking = [Thread(target=ask) for _ in range(3)]
    for thread in asking:
        thread.start()
    while not looks:
        time.sleep(0.01)
    began = time.monotonic()
    assert server.http.get("/healthz").status_code == 200
    assert time.monotonic() - began < 0.1
    for thread in asking:
        thread.join()
    check = {"name": "machine", "status": "ok", "summary": "look 1", "detail": "more", "fix": ""}
    assert answers == [{"checks": [check], "status": "ok"}] * 3
    assert len(looks) == 1 and looks[0].port == server.port
    ask()
    assert answers[-1]["checks"][0]["summary"] == "look 2"


def test_somebody_who_leaves_takes_nothing_from_the_others(
    serve: Serve, looks: list[Settings]
) -> None:
    server = serve()
    with pytest.raises(httpx.ReadTimeout):
        server.http.get("/api/doctor", timeout=0.2)
    assert server.http.get("/api/doctor").json()["checks"][0]["summary"] == "look 1"


def test_the_app_does_not_wait_for_it_to_end(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    begun, may_end = Event(), Event()

    def report(settings: Settings, *, with_token: bool) -> Report:
        begun.set()
        may_end.wait(20)
        return Report(())

    monkeypatch.setattr("qwenchat.api.doctor.report", report)
    server = serve()

    def ask() -> None:
        with contextlib.suppress(httpx.TransportError):
            server.http.get("/api/doctor")

    asking = Thread(target=ask)
    asking.start()
    assert begun.wait(5)
    began = time.monotonic()
    server.stop()
    assert time.monotonic() - began < 5
    may_end.set()
    asking.join()


def test_a_doctor_that_fails_is_an_error_and_can_be_asked_again(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = serve()

    def broken(settings: Settings, *, with_token: bool) -> Report:
        raise OSError("no")

    monkeypatch.setattr("qwenchat.api.doctor.report", broken)
    for _ in range(2):
        # The server closes the connection after an error that nobody has foreseen.
        answer = httpx.get(f"{server.url}/api/doctor", trust_env=False)
        assert error_of(answer)[:2] == (500, "internal_error")


def test_it_is_what_the_command_says(
    tmp_path: Path, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Importing vLLM takes 10 s, and is tested with the command.
    monkeypatch.setattr(checkup, "try_imports", dict)
    server: Serving = serve()
    found = server.http.get("/api/doctor").json()
    expected = checkup.report(server.app.hosting.settings, with_token=False).as_dict()
    assert found["status"] == expected["status"]
    assert [check["name"] for check in found["checks"]] == [
        check["name"] for check in expected["checks"]
    ]
    assert all(
        set(check) == {"name", "status", "summary", "detail", "fix"} for check in found["checks"]
    )
