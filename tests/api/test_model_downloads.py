"""Downloads over HTTP, from a hub on this machine: judged, fetched, watched, mended."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from qwenchat.models.catalog import catalogue
from qwenchat.models.manifest import read_manifest, verify_files
from qwenchat.models.offer import Machine
from qwenchat.models.snapshot import inspect_snapshot
from tests.api.conftest import Serve
from tests.api.model_worlds import (
    PUBLISHED,
    ROWS,
    WEIGHTS,
    download_until,
    error_of,
    here,
    post,
)
from tests.api.serving import Serving, wait_until
from tests.models.hub_server import LocalHub, client_of_its_own, running_hub
from tests.models.samples import CONFIG, small_snapshot

GIB = 1024**3
LISTED = catalogue().models[1].id
"""A row of the catalogue."""


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with client_of_its_own(tmp_path / "elsewhere", monkeypatch):
        yield


@pytest.fixture
def published(tmp_path: Path) -> Path:
    return small_snapshot(tmp_path / "published", rows=ROWS)


@pytest.fixture
def hub(published: Path) -> Iterator[LocalHub]:
    with running_hub() as hub:
        hub.add(PUBLISHED, published)
        yield hub


@pytest.fixture
def server(serve: Serve, hub: LocalHub) -> Serving:
    return serve(endpoint=hub.endpoint)


def all_bytes(hub: LocalHub, model_id: str = PUBLISHED) -> int:
    return sum(map(len, hub.models[model_id].values()))


def weights_asked_for(hub: LocalHub) -> bool:
    return bool(hub.asked_for(WEIGHTS))


# ---- judged


def test_a_model_of_the_hub_is_judged_by_its_list_alone(hub: LocalHub, server: Serving) -> None:
    found = post(server, "models/check", model=PUBLISHED).json()
    assert found["supported"] and not found["installed"] and found["reason"] == ""
    assert found["download_bytes"] == all_bytes(hub)
    assert found["fit"]["answer"] == "fits" and found["speed"]["expected"] > 0
    assert (found["disk_problem"], found["own_code"]) == (None, False)
    assert not weights_asked_for(hub)
    assert hub.served["config.json"] < 1000


def test_what_the_hub_has_and_does_not_run_here(
    hub: LocalHub, server: Serving, published: Path
) -> None:
    config = json.dumps(
        CONFIG | {"auto_map": {"AutoConfig": "c.C"}, "architectures": ["AForCausalLM"]}
    )
    files = hub.models[PUBLISHED]
    hub.models["Qwen/Own"] = files | {"config.json": config.encode(), "c.py": b"raise SystemExit"}
    hub.models["Qwen/Qwen3-4B-GGUF2"] = {"model.gguf": b"gguf", "README.md": b""}
    hub.models["Qwen/Long"] = files | {"config.json": b" " * (2 << 20)}
    hub.models["Qwen/Odd"] = files | {"config.json": b"{"}
    own = post(server, "models/check", model="Qwen/Own").json()
    assert not own["supported"] and own["own_code"] and "Python code" in own["reason"]
    assert "GGUF" in post(server, "models/check", model="Qwen/Qwen3-4B-GGUF2").json()["reason"]
    assert "too long" in post(server, "models/check", model="Qwen/Long").json()["reason"]
    assert hub.served["config.json"] < 2 << 20
    for model_id in ("Qwen/Own", "Qwen/Qwen3-4B-GGUF2", "Qwen/Long", "Qwen/Odd"):
        judged = post(server, "models/check", model=model_id).json()
        status, code, message = error_of(post(server, "downloads", model=model_id))
        assert not judged["supported"] and judged["nearest"] and code == "unsupported_model"
        assert judged["reason"] in message and judged["nearest"] in message and status == 422
    assert not weights_asked_for(hub)


def test_a_config_that_is_longer_than_listed_is_read_no_further(
    hub: LocalHub, server: Serving
) -> None:
    hub.replaced["config.json"] = b" " * (8 << 20)
    found = post(server, "models/check", model=PUBLISHED).json()
    assert not found["supported"] and "too long" in found["reason"]


def test_what_is_known_not_to_run_is_told_without_asking(hub: LocalHub, server: Serving) -> None:
    (unsupported, *_) = catalogue().others
    found = post(server, "models/check", model=unsupported.id).json()
    assert (found["supported"], found["nearest"]) == (False, unsupported.nearest)
    refused = error_of(post(server, "downloads", model=unsupported.id))
    assert refused[1] == "unsupported_model" and unsupported.nearest in refused[2]
    assert hub.requests == []


def test_a_model_the_hub_does_not_have(hub: LocalHub, server: Serving) -> None:
    for path in ("models/check", "downloads"):
        assert error_of(post(server, path, model="Qwen/No-Such"))[:2] == (404, "model_not_found")
    hub.down = True
    status, code, message = error_of(post(server, "models/check", model=PUBLISHED))
    assert (status, code) == (502, "download_failed") and "could not be looked up" in message
    assert "arrived" not in message and "choose a model that is on this machine" in message


@pytest.mark.parametrize("value", ["demo", "/some/folder", "..", "two words", "x" * 10_000, "🤖/x"])
def test_only_ids_are_downloaded(hub: LocalHub, server: Serving, value: str) -> None:
    status, code, message = error_of(post(server, "downloads", model=value))
    assert code in ("invalid_request", "model_not_found") and status in (400, 404)
    assert hub.requests == []


# ---- compared with the catalogue


def test_a_row_not_verified_is_compared_and_both_numbers_are_named(
    hub: LocalHub, server: Serving, published: Path
) -> None:
    hub.add(LISTED, published)
    hub.seconds_per_chunk = 0.005
    started = post(server, "downloads", model=LISTED.lower()).json()
    assert started["id"] == LISTED
    assert "0.00 GB" not in started["note"] and "4,000" in started["note"]
    model, variant = catalogue().find(LISTED) or pytest.fail()
    assert f"{model.weights_bytes(variant) / 1e9:.2f} GB" in started["note"]
    post(server, "downloads/cancel", model=LISTED)


def test_a_download_the_disk_has_no_room_for_is_refused(
    hub: LocalHub, server: Serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    small = Machine(32 * GIB, 2**20, 60e9, frozenset({"avx2"}))
    monkeypatch.setattr("qwenchat.hosting.checking.machine_now", lambda *_: small)
    judged = post(server, "models/check", model=PUBLISHED).json()
    assert judged["supported"] and "disk" in judged["disk_problem"]
    assert error_of(post(server, "downloads", model=PUBLISHED))[1] == "disk_full"
    assert not weights_asked_for(hub)


# ---- fetched and watched


def test_two_pages_see_the_bytes_that_were_served(
    tmp_path: Path, hub: LocalHub, server: Serving
) -> None:
    hub.hold(WEIGHTS, 0.5)
    with server.page() as one, server.page() as two:
        before = one.until("models")["revision"]
        began = time.monotonic()
        started = post(server, "downloads", model=PUBLISHED)
        assert started.status_code == 202 and started.json()["state"] in ("queued", "running")
        wait_until(lambda: hub.served[WEIGHTS] >= ROWS * 8, 30)
        served = sum(hub.served.values()) - hub.served["config.json"] // 2
        for page in (one, two):
            held = download_until(page, "running", done_bytes=served - 65_536)
            assert abs(held["done_bytes"] - served) <= 65_536
            assert held["total_bytes"] == all_bytes(hub)
            by_path = {file["path"]: file for file in held["files"]}
            assert by_path[WEIGHTS]["state"] == "arriving"
            assert sum(file["size"] for file in held["files"]) == all_bytes(hub)
        assert post(server, "downloads", model=PUBLISHED).json()["state"] == "running"
        hub.let_go()
        done = download_until(one, "done")
        frames = [frame for frame in one.frames if frame["type"] == "downloads"]
        assert len(frames) <= (time.monotonic() - began) / 0.2 + 2
        assert done["done_bytes"] == done["total_bytes"] == all_bytes(hub)
        assert {file["state"] for file in done["files"]} == {"done"}
        told = [frame["revision"] for frame in one.frames if frame["type"] == "models"]
        assert told[-1] > before
    inspect_snapshot(tmp_path / "models" / "Qwen--Qwen-Test")
    found = here(server, PUBLISHED)
    assert found and found["problem"] is None and found["fit"]
    assert hub.served[WEIGHTS] == len(hub.models[PUBLISHED][WEIGHTS])
    judged = post(server, "models/check", model=PUBLISHED).json()
    assert judged["installed"] and judged["download_bytes"] is None
    # what is over can be cleared away, and is with the model itself
    assert post(server, "models/delete", model=PUBLISHED).json()["freed_bytes"] >= all_bytes(hub)
    with server.page() as later:
        later.until("models")
        assert server.app.models and server.app.models.downloads == []


def test_paused_resumed_and_cancelled(tmp_path: Path, hub: LocalHub, server: Serving) -> None:
    hub.hold(WEIGHTS, 0.5)
    with server.page() as page:
        post(server, "downloads", model=PUBLISHED)
        download_until(page, "running", done_bytes=ROWS * 4)
        paused = post(server, "downloads/pause", model=PUBLISHED).json()
        assert paused["state"] == "paused" and paused["done_bytes"] >= ROWS * 4
        download_until(page, "paused")
        hub.hold(WEIGHTS, 0.75)
        looks = len(hub.requests)
        assert post(server, "downloads/resume", model=PUBLISHED).status_code == 200
        download_until(page, "running", done_bytes=ROWS * 10)
        assert len(hub.requests) > looks
        assert post(server, "downloads/cancel", model=PUBLISHED).json()["state"] == "cancelled"
        download_until(page, "cancelled")
        assert not list((tmp_path / "models").glob(".*.part"))
        # once more clears it away
        assert post(server, "downloads/cancel", model=PUBLISHED).json()["state"] == "cancelled"
        assert page.until("downloads")["downloads"] == []
    for what in ("pause", "resume", "cancel"):
        refused = error_of(post(server, f"downloads/{what}", model=PUBLISHED))
        assert refused[:2] == (404, "model_not_found")


def test_a_new_app_finds_it_paused_and_goes_on(hub: LocalHub, serve: Serve) -> None:
    hub.hold(WEIGHTS, 0.5)
    first = serve(endpoint=hub.endpoint)
    with first.page() as page:
        post(first, "downloads", model=PUBLISHED)
        download_until(page, "running", done_bytes=ROWS * 8 - 65_536)
    first.stop()
    hub.let_go()
    served = hub.served[WEIGHTS]
    second = serve(endpoint=hub.endpoint)
    with second.page() as page:
        found = download_until(page, "paused")
        assert found["done_bytes"] >= ROWS * 4 and found["files"] and found["note"]
        post(second, "downloads/resume", model=PUBLISHED)
        download_until(page, "done")
    assert hub.served[WEIGHTS] - served < len(hub.models[PUBLISHED][WEIGHTS]) - ROWS * 4


def test_a_download_that_fails_says_why(hub: LocalHub, server: Serving) -> None:
    hub.refused["tokenizer.json"] = 403
    with server.page() as page:
        post(server, "downloads", model=PUBLISHED)
        failed = download_until(page, "failed")
    assert failed["error"]["code"] == "download_failed" and "403" in failed["error"]["message"]


def test_offline_nothing_is_fetched(hub: LocalHub, serve: Serve) -> None:
    server = serve(endpoint=hub.endpoint, offline=True)
    refused = error_of(post(server, "downloads", model=PUBLISHED))
    assert refused[:2] == (502, "download_failed") and "offline" in refused[2]
    assert hub.requests == [] and server.app.models.downloads == []


# ---- mended


def test_only_the_damaged_file_is_fetched_again(
    tmp_path: Path, hub: LocalHub, server: Serving, published: Path
) -> None:
    folder = tmp_path / "models" / "Qwen--Qwen-Test"
    with server.page() as page:
        post(server, "downloads", model=PUBLISHED)
        download_until(page, "done")
        spoiled = bytearray((folder / "tokenizer.json").read_bytes())
        spoiled[0] ^= 1
        (folder / "tokenizer.json").write_bytes(spoiled)
        post(server, "models/verify", model=PUBLISHED)
        while (found := page.until("verification")["verification"])["state"] == "running":
            pass
        assert [one["path"] for one in found["damaged"]] == ["tokenizer.json"]
        hub.served.clear()
        post(server, "downloads", model=PUBLISHED, check=True)
        mended = download_until(page, "done")
    assert set(hub.served) == {"tokenizer.json"} and "tokenizer.json" in mended["note"]
    manifest = read_manifest(folder)
    assert manifest is not None
    verify_files(folder, manifest)


def test_a_model_that_is_not_whole_is_completed_without_being_judged_again(
    tmp_path: Path, hub: LocalHub, server: Serving
) -> None:
    folder = tmp_path / "models" / "Qwen--Qwen-Test"
    shutil.copytree(tmp_path / "published", folder)
    (folder / WEIGHTS).write_bytes(b"cut")
    found = here(server, PUBLISHED)
    assert found and found["problem"]
    with server.page() as page:
        post(server, "downloads", model=PUBLISHED)
        download_until(page, "done")
    mended = here(server, PUBLISHED)
    assert mended and mended["problem"] is None
    assert hub.served["tokenizer.json"] == 0
