"""``models``: the library in a terminal."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from qwenchat.models.last_used import mark_used
from qwenchat.models.manifest import Manifest, record_files, write_manifest
from qwenchat.store.lock import DataFolderLock
from tests.commands.terminal import Terminal, ended
from tests.models.hub_server import client_of_its_own
from tests.models.samples import small_snapshot

MODEL = "Qwen/Qwen-Test"


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("QWENCHAT_DATA_DIR", str(tmp_path / "data"))
    with client_of_its_own(tmp_path, monkeypatch):
        yield


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = small_snapshot(tmp_path / "data" / "models" / "Qwen--Qwen-Test")
    write_manifest(folder, Manifest(MODEL, MODEL, "master", record_files(folder)))
    return folder


def test_an_empty_library_says_how_to_fill_it(tmp_path: Path) -> None:
    status, output, _ = ended("models")
    assert status == 0 and "python -m qwenchat download ID" in output
    assert not (tmp_path / "data").exists(), "looking makes nothing"


def test_the_list_has_size_last_use_folder_and_what_is_wrong(folder: Path) -> None:
    (folder.parent / "empty").mkdir()
    mark_used(folder.parent, folder)
    status, output, _ = ended("models")
    assert status == 0
    head, first, second, problem, total = output.splitlines()
    assert head.split() == ["MODEL", "SIZE", "LAST", "USED", "FOLDER"]
    assert first.startswith(MODEL) and "just now" in first and first.endswith(str(folder))
    assert second.startswith("empty") and "never" in second
    assert problem.startswith("  ! ") and "config.json" in problem
    assert total.startswith("Together 1.") and total.endswith(" KB.")


def test_as_json_it_is_complete(folder: Path) -> None:
    status, output, _ = ended("models", "--json")
    (model,) = json.loads(output)
    assert status == 0 and model["model_id"] == MODEL and model["path"] == str(folder)
    assert model["deletable"] is True and model["problem"] is None
    files = (path for path in folder.iterdir() if path.is_file())
    assert model["size_bytes"] == sum(path.stat().st_size for path in files)


def test_verify_says_that_all_is_well_or_names_the_file_and_the_remedy(folder: Path) -> None:
    status, output, _ = ended("models", "verify", MODEL)
    assert status == 0 and "every file is as it should be" in output
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-1] + b"\1")
    data = str(folder.parent.parent)
    status, output, errors = ended("models", "--data-dir", data, "verify", MODEL)
    assert status == 1 and "model.safetensors has another content" in output
    assert f"python -m qwenchat download {MODEL} --check --data-dir {data}" in errors


def test_delete_asks_and_shows_what_it_frees(folder: Path) -> None:
    with Terminal("models", "delete", MODEL) as terminal:
        terminal.read_until(lambda: "[y/N]" in terminal.shown)
        assert f"Delete {MODEL} (1." in terminal.shown and " KB, " in terminal.shown
        terminal.type("\n")
        assert terminal.end() == 1 and "Nothing was deleted." in terminal.shown
    assert folder.is_dir()
    with Terminal("models", "delete", MODEL) as terminal:
        terminal.read_until(lambda: "[y/N]" in terminal.shown)
        terminal.type("y\n")
        assert terminal.end() == 0 and "are free again" in terminal.shown
    assert not folder.exists()


def test_delete_without_a_terminal_wants_yes(folder: Path) -> None:
    status, _, errors = ended("models", "delete", MODEL)
    assert status == 2 and "add --yes" in errors and folder.is_dir()
    status, output, _ = ended("models", "delete", MODEL, "--yes")
    assert status == 0 and "is deleted" in output and not folder.exists()


def test_delete_is_refused_while_the_app_runs(folder: Path) -> None:
    lock = DataFolderLock(folder.parent.parent, "http://127.0.0.1:7860")
    try:
        status, _, errors = ended("models", "delete", MODEL, "--yes")
    finally:
        lock.release()
    assert status == 2 and "Open http://127.0.0.1:7860" in errors and folder.is_dir()


@pytest.mark.parametrize("action", ["verify", "delete"])
@pytest.mark.parametrize("name", ["../../etc", "/etc", "a b", "🙂"])
def test_a_name_that_is_none_is_refused(folder: Path, action: str, name: str) -> None:
    status, _, errors = ended("models", action, name)
    assert status == 2 and f"There is no model {name!r} on this machine" in errors
