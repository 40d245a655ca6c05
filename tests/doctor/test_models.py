"""Models on this machine and their health."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from qwenchat.doctor.check_models import check_models
from qwenchat.doctor.found_models import FoundModel, find_models
from qwenchat.doctor.subject import Subject
from qwenchat.models.manifest import Manifest, record_files, write_manifest
from tests.models.samples import small_snapshot


@pytest.fixture
def nowhere(tmp_path: Path) -> dict[str, str]:
    """An environment whose caches are empty."""
    return {"MODELSCOPE_CACHE": str(tmp_path / "ms"), "HF_HOME": str(tmp_path / "hf")}


def _cut(folder: Path) -> Path:
    with (folder / "model.safetensors").open("r+b") as file:
        file.truncate(100)
    return folder


def test_no_model_is_no_problem(tmp_path: Path, nowhere: dict[str, str]) -> None:
    assert find_models(Subject(tmp_path), nowhere) == []
    (check,) = check_models([])
    assert check.status == "ok"


def test_models_are_found_in_the_data_folder_and_in_both_caches(
    tmp_path: Path, nowhere: dict[str, str]
) -> None:
    small_snapshot(tmp_path / "models" / "Qwen--Small")
    (tmp_path / "models" / ".Qwen--Half.part").mkdir()
    small_snapshot(tmp_path / "ms/hub/models/Qwen/New")
    small_snapshot(tmp_path / "ms/hub/qwen/Old")
    small_snapshot(tmp_path / "hf/hub/models--Qwen--Face/snapshots/abc")
    found = find_models(Subject(tmp_path), nowhere)
    assert [(model.place, model.name, model.health) for model in found] == [
        ("data folder", "Qwen--Small", "whole"),
        ("Hugging Face's cache", "Qwen/Face", "whole"),
        ("ModelScope's cache", "Qwen/New", "whole"),
        ("ModelScope's cache", "qwen/Old", "whole"),
    ]
    (check,) = check_models(found)
    assert check.summary == "4 ready"
    assert "Qwen/Face in Hugging Face's cache" in check.detail


def test_a_cut_model_is_a_problem_in_the_data_folder_and_a_warning_in_a_cache(
    tmp_path: Path, nowhere: dict[str, str]
) -> None:
    _cut(small_snapshot(tmp_path / "models" / "mine"))
    _cut(small_snapshot(tmp_path / "ms/models/Qwen/theirs"))
    _, mine, theirs = check_models(find_models(Subject(tmp_path), nowhere))
    assert (mine.name, mine.status) == ("model mine", "problem")
    assert (theirs.name, theirs.status) == ("model Qwen/theirs", "warning")
    assert "model.safetensors is damaged" in mine.summary
    assert mine.fix


def test_a_file_that_has_changed_in_size_since_its_download_is_found(
    tmp_path: Path, nowhere: dict[str, str]
) -> None:
    folder = small_snapshot(tmp_path / "models" / "mine")
    (folder / "extra.json").write_text("{}")
    write_manifest(folder, Manifest("Mine", "a/mine", 1, record_files(folder)))
    assert [m.health for m in find_models(Subject(tmp_path), nowhere)] == ["whole"]
    (folder / "extra.json").write_text("{ }")
    assert [m.health for m in find_models(Subject(tmp_path), nowhere)] == ["damaged"]


def test_a_chosen_folder_that_is_no_model_is_a_problem(
    tmp_path: Path, nowhere: dict[str, str]
) -> None:
    subject = Subject(tmp_path, model=str(tmp_path / "gone"))
    _, check = check_models(find_models(subject, nowhere))
    assert check.status == "problem"
    assert "There is no folder" in check.summary


def test_models_for_other_uses_in_a_cache_are_only_counted(
    tmp_path: Path, nowhere: dict[str, str]
) -> None:
    small_snapshot(tmp_path / "ms/models/a/embedder", architectures=["BertModel"])
    (check,) = check_models(find_models(Subject(tmp_path), nowhere))
    assert check.status == "ok"
    assert "1 more are not for QwenChat" in check.summary


def test_a_model_in_a_quantisation_for_graphics_cards_is_not_for_us(
    tmp_path: Path, nowhere: dict[str, str]
) -> None:
    quantised = {"quant_method": "bitsandbytes", "load_in_4bit": True}
    small_snapshot(tmp_path / "models" / "mine", quantization_config=quantised)
    (found,) = find_models(Subject(tmp_path), nowhere)
    assert found.health == "unsupported"
    assert "bitsandbytes" in found.words
    assert "nearest" in found.words


def test_a_chosen_model_of_another_kind_is_a_problem() -> None:
    words = "It holds a BertModel. Choose another."
    model = FoundModel("x", Path("/x"), "chosen", "unsupported", words)
    _, check = check_models([model])
    assert (check.status, check.fix) == ("problem", "Choose another.")


def test_a_demo_model_that_lost_a_file_is_found(
    tmp_path: Path, nowhere: dict[str, str], demo_snapshot: Path
) -> None:
    folder = tmp_path / "models" / "demo-model"
    shutil.copytree(demo_snapshot, folder)
    (folder / "model.safetensors").unlink()
    _, check = check_models(find_models(Subject(tmp_path), nowhere))
    assert check.status == "problem"
    assert "no weights" in check.summary
