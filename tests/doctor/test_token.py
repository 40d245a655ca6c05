"""The token: what is said of it, and real engines that give one or fail."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from qwenchat.doctor import token as token_module
from qwenchat.doctor.check_token import check_token
from qwenchat.doctor.subject import Subject
from qwenchat.doctor.token import Token, ask, demo_load, generate_token
from qwenchat.engine.environment import engine_environment
from qwenchat.errors import ModelNotFound

ENDS = "import sys; print('Failed to infer device type', file=sys.stderr); sys.exit(1)"
HANGS = "import time; time.sleep(600)"


def _environment(folder: Path, source: str) -> Mapping[str, str]:
    """One in which the engine process runs ``source`` before anything else."""
    (folder / "sitecustomize.py").write_text(source)
    return engine_environment(os.environ | {"PYTHONPATH": str(folder)}, 1, [])


def test_a_token_is_shown_with_its_times() -> None:
    (check,) = check_token(Token("The", 12.34, 0.123))
    assert check.status == "ok"
    assert "'The': loaded in 12.3 s, first token after 0.12 s" in check.summary


def test_no_token_is_a_problem_with_the_cause_and_what_to_do() -> None:
    token = Token(stage="Reading", failed="It broke. Mend it.", last_words="OddError")
    (check,) = check_token(token)
    assert (check.status, check.summary, check.fix) == ("problem", "It broke", "Mend it.")
    assert check.detail == "Reading; OddError"


def test_a_cause_without_advice_leads_to_the_guide() -> None:
    (check,) = check_token(Token(failed="It broke."))
    assert "cpu-guide.md" in check.fix


def test_an_engine_that_ends_is_explained(tmp_path: Path, demo_snapshot: Path) -> None:
    environment = _environment(tmp_path, ENDS)
    token = ask(demo_load(demo_snapshot), environment, 30)
    assert "CPU build" in token.failed


def test_an_engine_that_hangs_is_given_up_and_ended(tmp_path: Path, demo_snapshot: Path) -> None:
    environment = _environment(tmp_path, HANGS)
    token = ask(demo_load(demo_snapshot), environment, 1)
    assert "nothing came within 1 s" in token.failed


def test_a_missing_demo_package_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def missing(_: Path) -> Path:
        raise ModelNotFound("It is not installed. Install it.")

    monkeypatch.setattr(token_module, "fetch_demo_model", missing)
    assert generate_token(Subject(tmp_path)).failed == "It is not installed. Install it."


@pytest.mark.accept
@pytest.mark.timeout(600)
@pytest.mark.engine
def test_the_real_engine_names_a_dtype_it_does_not_know(demo_snapshot: Path) -> None:
    environment = engine_environment(os.environ, 2, [])
    load = replace(demo_load(demo_snapshot), dtype="int8")
    token = ask(load, environment, 300)
    print(f"message: {token.failed}")
    assert "Start with --dtype float32" in token.failed
    assert "dtype" in token.last_words
