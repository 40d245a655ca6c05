"""What was chosen is remembered; what cannot be understood is no reason to fail."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Any

import pytest

from qwenchat.errors import InvalidRequest, ModelNotFound
from qwenchat.hosting.choice import (
    DEMO,
    FILE_NAME,
    Choice,
    choose,
    first_choice,
    read_choice,
    write_choice,
)
from qwenchat.models.reference import DemoModel, HubModel, ModelFolder
from qwenchat.settings import Settings

QWEN = Choice("Qwen/Qwen3-4B", 8192, "bfloat16")


@pytest.mark.parametrize(
    "choice", [DEMO, QWEN, Choice("Qwen/Qwen3-4B"), Choice("/models/猫 und Hund", None, "float32")]
)
def test_a_choice_is_read_as_it_was_written(tmp_path: Path, choice: Choice) -> None:
    write_choice(tmp_path, choice)
    assert read_choice(tmp_path) == choice
    assert [path.name for path in tmp_path.iterdir()] == [FILE_NAME]


def test_without_a_file_nothing_is_remembered(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    assert read_choice(tmp_path) is None
    assert read_choice(tmp_path / "nowhere") is None
    assert caplog.records == []


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b'{"model": "demo", "con',
        b"\xff\xfe\x00",
        b"[]",
        b'"demo"',
        b"null",
        b"{}",
        b'{"model": null}',
        b'{"model": ["demo"]}',
        b'{"model": "no model"}',
        b'{"model": "~nobody-at-all/model"}',
        b'{"model": "https://example.org/Qwen/Qwen3-4B"}',
        b'{"model": "demo", "context_length": "8192"}',
        b'{"model": "demo", "context_length": true}',
        b'{"model": "demo", "context_length": -1}',
        b'{"model": "demo", "context_length": 1e999}',
        b'{"model": "demo", "dtype": "int3"}',
        b'{"model": "demo", "dtype": ["auto"]}',
        b"[" * 100_000,
    ],
)
def test_what_cannot_be_understood_is_ignored_with_a_warning(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, content: bytes
) -> None:
    (tmp_path / FILE_NAME).write_bytes(content)
    with caplog.at_level(logging.WARNING):
        assert read_choice(tmp_path) is None
    (record,) = caplog.records
    assert FILE_NAME in record.getMessage()
    assert first_choice(Settings(data_dir=tmp_path)) == (DEMO, None)


def test_a_folder_in_its_place_is_ignored(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).mkdir()
    assert read_choice(tmp_path) is None


def test_what_a_later_version_adds_is_no_reason_to_forget(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_text(json.dumps({"model": "demo", "speed": "high"}))
    assert read_choice(tmp_path) == DEMO


def test_a_folder_that_cannot_be_written_is_no_reason_to_fail(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    write_choice(tmp_path / "nowhere", QWEN)
    assert "cannot be remembered" in caplog.text


def test_the_settings_win_over_what_is_remembered(tmp_path: Path) -> None:
    write_choice(tmp_path, QWEN)
    assert first_choice(Settings(data_dir=tmp_path)) == (QWEN, DEMO)
    named = first_choice(Settings(data_dir=tmp_path, model="Qwen/Qwen2.5-0.5B-Instruct"))
    assert named == (Choice("Qwen/Qwen2.5-0.5B-Instruct"), None)
    assert first_choice(Settings(data_dir=tmp_path, model="demo")) == (DEMO, None)
    with pytest.raises(ModelNotFound):
        first_choice(Settings(data_dir=tmp_path, model="no model"))


def test_without_either_it_is_the_demo(tmp_path: Path) -> None:
    assert first_choice(Settings(data_dir=tmp_path)) == (DEMO, None)
    write_choice(tmp_path, Choice("demo", 4096))
    assert first_choice(Settings(data_dir=tmp_path)) == (Choice("demo", 4096), None)


def test_what_a_person_wrote_becomes_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert choose("") == choose(" demo ") == DEMO
    assert choose("Qwen/Qwen3-4B", 8192, "bfloat16") == QWEN
    assert choose("./models/one").model == str(tmp_path / "models/one")
    assert choose("~/models/one").model == str(tmp_path / "models/one")
    with pytest.raises(ModelNotFound, match="nobody on this machine"):
        choose("~nobody-at-all/models")


def test_a_choice_says_what_kind_it_is() -> None:
    assert DEMO.reference == DemoModel()
    assert QWEN.reference == HubModel("Qwen/Qwen3-4B")
    assert Choice("/models/one").reference == ModelFolder(Path("/models/one"))


@pytest.mark.parametrize(
    ("values", "param"),
    [
        ({"context_length": 255}, "context_length"),
        ({"context_length": 10_000_001}, "context_length"),
        ({"context_length": True}, "context_length"),
        ({"context_length": 4096.5}, "context_length"),
        ({"dtype": "int8"}, "dtype"),
        ({"dtype": None}, "dtype"),
    ],
)
def test_values_out_of_range_are_refused_by_name(values: dict[str, Any], param: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        Choice("demo", **values)
    assert refused.value.param == param
