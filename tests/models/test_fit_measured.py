"""The predicted memory is that of real loads, on shapes the formula was not fitted to."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.memory import CASES, measure

TESTED = [name for name in CASES if not name.startswith("fit-")]


@pytest.mark.accept
@pytest.mark.engine
@pytest.mark.timeout(900)
@pytest.mark.parametrize("name", TESTED)
def test_resident_memory_of_a_real_load_is_within_10_percent(name: str, tmp_path: Path) -> None:
    case = measure(name, tmp_path)
    assert abs(case.error) < 0.10, case


@pytest.mark.accept
@pytest.mark.engine
def test_resident_memory_of_the_demo_model_is_within_10_percent(tmp_path: Path) -> None:
    case = measure("demo", tmp_path)
    assert abs(case.error) < 0.10, case


def test_no_tested_shape_is_one_that_was_fitted() -> None:
    fitted = {CASES[name][0] for name in CASES if name.startswith("fit-")}
    assert len(fitted) >= 6
    assert not fitted & {CASES[name][0] for name in TESTED}
