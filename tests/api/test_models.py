"""Models over HTTP: what there is, which is loaded, whether its files are whole."""

from __future__ import annotations

import stat
import time
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from qwenchat.engine.fake import FakeEngine
from qwenchat.hosting import machine, verifying
from qwenchat.hosting.models import Models
from qwenchat.models import library
from qwenchat.models.catalog import catalogue
from qwenchat.models.offer import Machine
from tests.api.conftest import Serve
from tests.api.model_worlds import HERE, WEIGHTS, error_of, here, installed, look, post
from tests.api.serving import Serving, wait_until
from tests.models.samples import CONFIG, small_snapshot, write_json

GIB = 1024**3


@pytest.fixture
def server(serve: Serve) -> Serving:
    return serve(offline=True)


# ---- what there is


def test_all_of_the_catalogue_and_of_this_machine(tmp_path: Path, server: Serving) -> None:
    installed(tmp_path)
    broken = installed(tmp_path, "Qwen/Qwen-Broken")
    (broken / WEIGHTS).write_bytes(b"cut")
    found = look(server)
    assert [row["id"] for row in found["rows"]] == [model.id for model in catalogue().models]
    for row in found["rows"]:
        assert row["thinking"] in ("none", "hybrid", "thinking_only") and row["sources"]
        for variant in row["variants"]:
            assert variant["fit"]["answer"] in ("fits", "tight", "does_not_fit")
            assert variant["speed"]["least"] < variant["speed"]["expected"]
            assert variant["download_bytes"] > 10**8 and variant["installed"] is False
    assert found["best"] in {v["id"] for row in found["rows"] for v in row["variants"]}
    assert found["machine"]["offline"] is True
    assert found["machine"]["memory_bytes"] > 0 and found["machine"]["disk_bytes"] > 0
    by_id = {model["id"]: model for model in found["installed"]}
    whole = by_id[HERE]
    assert whole["fit"]["answer"] == "fits" and whole["speed"]["expected"] > 0
    assert (whole["context"], whole["deletable"], whole["in_use"]) == (1024, True, False)
    assert whole["size_bytes"] > 0 and whole["problem"] is None
    assert whole["where"] == "the data folder" and Path(whole["path"]).is_dir()
    cut = by_id["Qwen/Qwen-Broken"]
    assert cut["problem"] and (cut["fit"], cut["speed"], cut["context"]) == (None, None, None)
    demo = by_id["demo"]
    assert (
        demo["in_use"]
        and not demo["deletable"]
        and demo["fit"]
        and demo["where"] == "the package it comes with"
    )


def test_what_the_loaded_model_takes_counts_as_free(serve: Serve) -> None:
    class Large(FakeEngine):
        @property
        def resident_bytes(self) -> int:
            return 10**15

    assert look(serve(Large()))["machine"]["memory_bytes"] > 10**15


def test_a_variant_this_processor_does_not_run_is_there_with_the_reason(
    server: Serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = Machine(32 * GIB, 500 * GIB, 60e9, frozenset({"avx2"}))
    monkeypatch.setattr("qwenchat.hosting.checking.machine_now", lambda *_: plain)
    variants = [variant for row in look(server)["rows"] for variant in row["variants"]]
    fp8 = [variant for variant in variants if variant["method"] == "fp8"]
    assert fp8 and all("AMX" in variant["reason"] for variant in fp8)
    four = [variant for variant in variants if variant["method"] in ("gptq-int4", "awq-int4")]
    assert four and all("AVX-512" in variant["reason"] for variant in four)
    others = [variant for variant in variants if variant not in [*fp8, *four]]
    assert others and not any(variant["reason"] for variant in others)


def test_a_model_of_the_catalogue_that_is_here_is_marked(tmp_path: Path, server: Serving) -> None:
    wanted = catalogue().models[0].id
    installed(tmp_path, wanted)
    variants = [v for row in look(server)["rows"] for v in row["variants"] if v["installed"]]
    assert [variant["id"] for variant in variants] == [wanted]


def test_a_folder_from_nowhere_is_named_by_its_path(tmp_path: Path, server: Serving) -> None:
    folder = small_snapshot(tmp_path / "models" / "mine")
    found = here(server, str(folder))
    assert found and found["name"] == "mine"
    assert post(server, "models/delete", model=str(folder)).json()["freed_bytes"] > 0
    assert not folder.exists()


def test_the_app_answers_while_models_are_read(
    server: Serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    def slow(*_: object) -> Machine:
        until = time.monotonic() + 0.6
        while time.monotonic() < until:
            time.sleep(0.01)
        return Machine(32 * GIB, 500 * GIB, 60e9, frozenset())

    monkeypatch.setattr("qwenchat.hosting.checking.machine_now", slow)
    asking = Thread(target=look, args=(server,))
    asking.start()
    slowest = 0.0
    while asking.is_alive():
        began = time.monotonic()
        assert server.http.get("/healthz").status_code == 200
        slowest = max(slowest, time.monotonic() - began)
    assert slowest < 1.0


def test_nothing_is_there_without_models(tmp_path: Path) -> None:
    assert machine.free_disk_bytes(tmp_path / "not" / "yet") > 0
    assert machine.free_disk_bytes(Path("/proc/self/exe/below")) == 0


# ---- which one is loaded


def test_a_model_is_chosen_and_every_page_is_told(tmp_path: Path, serve: Serve) -> None:
    folder = installed(tmp_path)
    server = serve(offline=True)
    with server.page() as one, server.page() as two:
        first = one.until("models")
        assert first["choice"] == {"model": "demo", "context_length": None, "dtype": "auto"}
        two.until("models")
        answer = server.http.put("/api/model", json={"model": HERE, "context_length": 512})
        assert (answer.status_code, answer.json()) == (202, {})
        for page in (one, two):
            told = page.until("models")
            assert told["choice"] == {"model": HERE, "context_length": 512, "dtype": "auto"}
            assert told["revision"] > first["revision"]
    wait_until(lambda: server.engine.status.state == "ready")
    found = here(server, HERE)
    assert found and found["in_use"]
    refused = post(server, "models/delete", model=HERE)
    assert error_of(refused)[:2] == (400, "invalid_request") and "in use" in refused.text
    assert folder.is_dir()


def test_the_person_s_own_folder_that_is_loaded_is_listed(tmp_path: Path, serve: Serve) -> None:
    mine = small_snapshot(tmp_path / "elsewhere" / "mine")
    server = serve(offline=True)
    assert server.http.put("/api/model", json={"model": str(mine)}).status_code == 202
    found = here(server, str(mine))
    assert found and found["in_use"] and not found["deletable"]
    assert (found["name"], found["where"]) == ("mine", "a folder of your own")
    assert "in use" in post(server, "models/delete", model=str(mine)).text


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({}, 400, "invalid_request"),
        ({"model": ""}, 400, "invalid_request"),
        ({"model": 7}, 400, "invalid_request"),
        ({"model": "demo", "size": 1}, 400, "invalid_request"),
        ({"model": "demo", "context_length": "long"}, 400, "invalid_request"),
        ({"model": "demo", "context_length": True}, 400, "invalid_request"),
        ({"model": "demo", "context_length": 3}, 400, "invalid_request"),
        ({"model": "demo", "dtype": "int1"}, 400, "invalid_request"),
        ({"model": "Qwen/Not-Here"}, 404, "model_not_found"),
        ({"model": "/not/there"}, 404, "model_not_found"),
        ({"model": "../.."}, 422, "model_damaged"),
        ({"model": "x" * 10_000}, 404, "model_not_found"),
    ],
)
def test_what_cannot_be_loaded_is_refused_and_nothing_has_changed(
    server: Serving, body: dict[str, Any], status: int, code: str
) -> None:
    answer = server.http.put("/api/model", json=body)
    found = error_of(answer)
    assert found[:2] == (status, code)
    assert len(found[2]) < 600
    with server.page() as page:
        assert page.until("models")["choice"]["model"] == "demo"


# ---- judged


def test_a_folder_is_judged_by_its_files(tmp_path: Path, server: Serving) -> None:
    folder = small_snapshot(tmp_path / "mine")
    found = post(server, "models/check", model=f"  {folder} ").json()
    assert found["supported"] and found["installed"] and not found["own_code"]
    assert found["fit"]["answer"] == "fits" and found["speed"]["expected"] > 0
    assert (found["id"], found["download_bytes"]) == (str(folder), None)


def test_code_in_a_folder_is_never_run(tmp_path: Path, server: Serving) -> None:
    trap = tmp_path / "ran"
    code = f"open({str(trap)!r}, 'w')\n"
    own = {"auto_map": {"AutoConfig": "code.Config", "AutoModelForCausalLM": "code.Model"}}
    known = small_snapshot(tmp_path / "known", **own)
    unknown = small_snapshot(tmp_path / "unknown", **own, architectures=["OwnForCausalLM"])
    for folder in (known, unknown):
        (folder / "code.py").write_text(code)
    runs = post(server, "models/check", model=str(known)).json()
    assert runs["supported"] and runs["own_code"] and "never runs that" in runs["reason"]
    refused = post(server, "models/check", model=str(unknown)).json()
    assert not refused["supported"] and refused["own_code"]
    assert "Python code of its own" in refused["reason"] and refused["nearest"]
    assert not trap.exists()


def test_a_folder_without_a_chat_template_is_judged_not_to_run(
    tmp_path: Path, server: Serving
) -> None:
    folder = small_snapshot(tmp_path / "base")
    write_json(folder / "tokenizer_config.json", {})
    found = post(server, "models/check", model=str(folder)).json()
    assert not found["supported"] and "chat template" in found["reason"]


def test_the_demo_and_what_is_here_are_judged_offline(tmp_path: Path, server: Serving) -> None:
    installed(tmp_path)
    demo = post(server, "models/check", model="demo").json()
    assert demo["supported"] and demo["installed"] and demo["fit"]["answer"] == "fits"
    found = post(server, "models/check", model=HERE).json()
    assert found["supported"] and found["installed"] and found["id"] == HERE
    status, code, message = error_of(post(server, "models/check", model="Qwen/Elsewhere"))
    assert code == "download_failed" and "offline" in message


@pytest.mark.parametrize(
    "value",
    ["..", "/not/there", "two words", "Qwen/🤖", "x" * 10_000, "~nobody-here/x", "a/b/c", "\x00"],
)
def test_what_names_no_model_is_a_typed_error(server: Serving, value: str) -> None:
    status, code, message = error_of(post(server, "models/check", model=value))
    assert status in (400, 404, 422) and code in (
        "model_not_found",
        "model_damaged",
        "invalid_request",
    )
    assert len(message) < 600


def test_files_that_are_no_models_are_typed_errors(tmp_path: Path, server: Serving) -> None:
    file = tmp_path / "file"
    file.write_text("no folder")
    assert error_of(post(server, "models/check", model=str(file)))[1] == "model_not_found"
    huge = small_snapshot(tmp_path / "huge")
    with (huge / "config.json").open("wb") as config:
        config.truncate(3 * 10**9)
    assert error_of(post(server, "models/check", model=str(huge)))[1] == "model_damaged"
    odd = small_snapshot(tmp_path / "odd")
    write_json(odd / "config.json", CONFIG | {"num_hidden_layers": "many"})
    assert error_of(post(server, "models/check", model=str(odd)))[1] == "model_damaged"


# ---- deleted


def test_a_deleted_model_is_gone_from_every_page(tmp_path: Path, server: Serving) -> None:
    folder = installed(tmp_path)
    size = sum(path.stat().st_size for path in folder.rglob("*"))
    with server.page() as page:
        before = page.until("models")["revision"]
        assert post(server, "models/delete", model=HERE).json() == {"freed_bytes": size}
        assert page.until("models")["revision"] > before
    assert not folder.exists() and here(server, HERE) is None
    assert error_of(post(server, "models/delete", model=HERE))[:2] == (404, "model_not_found")


def test_what_is_not_ours_is_not_deleted(tmp_path: Path, server: Serving) -> None:
    cache = tmp_path / "modelscope_cache" / "models" / "Qwen--Cached" / "snapshots" / "master"
    small_snapshot(cache)
    found = here(server, "Qwen/Cached")
    assert found and not found["deletable"]
    refused = error_of(post(server, "models/delete", model="Qwen/Cached"))
    assert refused[1] == "invalid_request" and str(cache.parent.parent) in refused[2]
    assert error_of(post(server, "models/delete", model="demo"))[1] == "invalid_request"
    assert cache.is_dir()


# ---- verified


def test_a_damaged_file_is_found(tmp_path: Path, server: Serving) -> None:
    folder = installed(tmp_path)
    with server.page() as page:
        assert post(server, "models/verify", model=HERE).status_code == 202
        whole = _verified(page)
        assert (whole["state"], whole["damaged"], whole["model"]) == ("done", [], HERE)
        spoiled = bytearray((folder / WEIGHTS).read_bytes())
        spoiled[-1] ^= 1
        (folder / WEIGHTS).write_bytes(spoiled)
        assert post(server, "models/verify", model=HERE).status_code == 202
        found = _verified(page)
        assert [one["path"] for one in found["damaged"]] == [WEIGHTS]
        assert found["damaged"][0]["reason"] and found["error"] is None
    with server.page() as later:
        # it is still there for a page that is loaded anew, until somebody clears it away
        assert later.until("verification")["verification"] == found
        assert post(server, "models/verify/cancel").status_code == 204
        assert later.until("verification")["verification"] is None


def test_one_at_a_time_and_it_can_be_cancelled(
    tmp_path: Path, server: Serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed(tmp_path)

    def slow(path: Path, root: Path, expected: object, on_progress: Any) -> list[Any]:
        for done in range(1000):
            time.sleep(0.01)
            on_progress(done, 1000)
        return []

    monkeypatch.setattr(library, "find_damage", slow)
    with server.page() as page:
        began = time.monotonic()
        assert post(server, "models/verify", model=HERE).status_code == 202
        refused = error_of(post(server, "models/verify", model=HERE))
        assert refused[:2] == (409, "verification_running") and HERE in refused[2]
        told = [page.until("verification")["verification"] for _ in range(4)]
        seconds = time.monotonic() - began
        assert [one["done"] for one in told] == sorted({one["done"] for one in told})
        assert told[-1]["total"] == 1000
        assert len(told) <= seconds / verifying.PROGRESS_SECONDS + 2
        assert post(server, "models/verify/cancel").status_code == 204
        ended = _verified(page)
        assert ended["state"] == "cancelled"
    assert post(server, "models/verify", model=HERE).status_code == 202


def test_why_files_cannot_be_compared_is_told(tmp_path: Path, server: Serving) -> None:
    folder = small_snapshot(tmp_path / "models" / "mine")
    assert error_of(post(server, "models/verify", model="Qwen/No"))[:2] == (404, "model_not_found")
    with server.page() as page:
        assert post(server, "models/verify", model=str(folder)).status_code == 202
        ended = _verified(page)
    assert ended["state"] == "failed" and ended["error"]["code"] == "invalid_request"
    assert "no list" in ended["error"]["message"]


def test_the_app_ends_while_files_are_read(
    tmp_path: Path, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed(tmp_path)

    def slow(path: Path, root: Path, expected: object, on_progress: Any) -> list[Any]:
        while True:
            time.sleep(0.01)
            on_progress(1, 2)

    monkeypatch.setattr(library, "find_damage", slow)
    server = serve(offline=True)
    post(server, "models/verify", model=HERE)
    began = time.monotonic()
    server.stop()
    assert time.monotonic() - began < 3
    assert server.app.models and server.app.models.verification
    assert server.app.models.verification.state == "cancelled"


def _verified(page: Any) -> dict[str, Any]:
    while True:
        found = page.until("verification")["verification"]
        if found["state"] != "running":
            return dict(found)


# ---- shown in the file manager


@pytest.fixture
def desktop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file manager that notes what it is to show."""
    opener = tmp_path / "bin" / "xdg-open"
    opener.parent.mkdir()
    opener.write_text('#!/bin/sh\nprintf "%s|" "$@" > "$0.asked"\n[ ! -e "$0.broken" ]\n')
    opener.chmod(opener.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{opener.parent}:/usr/bin:/bin")
    monkeypatch.setenv("DISPLAY", ":7")
    return opener


def test_a_folder_is_shown_where_there_is_a_desktop(
    tmp_path: Path, server: Serving, desktop: Path
) -> None:
    folder = installed(tmp_path, "Qwen/Odd-name")
    assert look(server)["machine"]["can_reveal"] is True
    assert post(server, "models/reveal", model="Qwen/Odd-name").status_code == 204
    assert desktop.with_name("xdg-open.asked").read_text() == f"{folder}|"
    desktop.with_name("xdg-open.broken").touch()
    refused = error_of(post(server, "models/reveal", model="Qwen/Odd-name"))
    assert refused[1] == "invalid_request" and str(folder) in refused[2]
    assert error_of(post(server, "models/reveal", model="/etc"))[1] == "model_not_found"
    assert "choose the model first" in post(server, "models/reveal", model="demo").text


def test_without_a_desktop_the_path_is_told(
    tmp_path: Path, server: Serving, desktop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = installed(tmp_path)
    monkeypatch.delenv("DISPLAY")
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    assert look(server)["machine"]["can_reveal"] is False
    refused = error_of(post(server, "models/reveal", model=HERE))
    assert refused[1] == "invalid_request" and str(folder) in refused[2]


# ---- as everywhere


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "models"),
        ("POST", "models/check"),
        ("PUT", "model"),
        ("POST", "models/delete"),
        ("POST", "models/verify"),
        ("POST", "models/verify/cancel"),
        ("POST", "models/reveal"),
        ("POST", "downloads"),
        ("POST", "downloads/pause"),
        ("POST", "downloads/resume"),
        ("POST", "downloads/cancel"),
        ("GET", "doctor"),
    ],
)
def test_a_page_of_another_site_is_refused(server: Serving, method: str, path: str) -> None:
    headers = {"origin": "https://evil.example"}
    answer = server.http.request(method, f"/api/{path}", headers=headers)
    assert error_of(answer)[:2] == (403, "origin_refused")


@pytest.mark.parametrize("path", ["models/check", "models/delete", "downloads", "downloads/pause"])
def test_odd_bodies_are_refused(server: Serving, path: str) -> None:
    for content in (b"", b"[]", b"nonsense", b'{"model": null}', b'{"model": "demo", "x": 1}'):
        answer = server.http.post(f"/api/{path}", content=content)
        assert error_of(answer)[:2] == (400, "invalid_request")


def test_models_speak_of_every_change(tmp_path: Path, server: Serving) -> None:
    models = server.app.models
    assert isinstance(models, Models)
    before = models.revision
    server.on_loop(server.engine.die)
    wait_until(lambda: server.engine.status.state == "ready")
    assert models.revision > before
