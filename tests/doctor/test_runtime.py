"""Preloads and variables of the environment."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from qwenchat.doctor.check_runtime import check_runtime
from qwenchat.doctor.outcome import Status
from qwenchat.doctor.runtime import read_runtime
from tests.doctor.worlds import by_name, runtime


def test_an_engine_with_intels_runtime_has_nothing_to_complain_of() -> None:
    assert {check.status for check in check_runtime(runtime())} == {Status.OK}


@pytest.mark.parametrize(
    ("changes", "name", "part"),
    [
        ({"openmp": None}, "openmp", "intel-openmp==2024.2.1"),
        ({"refused": "ERROR: ld.so: object"}, "openmp", "LD_PRELOAD"),
        ({"useless": ("VLLM_CPU_ONLY",)}, "environment", "cpu-guide.md"),
    ],
)
def test_what_slows_or_misleads_is_a_warning(changes: dict[str, Any], name: str, part: str) -> None:
    check = by_name(check_runtime(runtime(**changes)))[name]
    assert check.status == "warning"
    assert part in check.fix


def test_an_architecture_without_intels_runtime_is_not_told_to_get_it() -> None:
    world = runtime(openmp=None, architecture_has_iomp=False)
    assert by_name(check_runtime(world))["openmp"].status == "ok"


def test_the_allocator_is_named() -> None:
    world = runtime(allocator=Path("/usr/lib/libtcmalloc_minimal.so.4"))
    assert "libtcmalloc_minimal" in by_name(check_runtime(world))["allocator"].summary


def test_a_library_that_cannot_be_preloaded_is_found() -> None:
    read = read_runtime({"LD_PRELOAD": "/nowhere/libgone.so"})
    assert "/nowhere/libgone.so" in read.refused


def test_variables_of_tutorials_are_sorted_into_useless_and_overruled() -> None:
    read = read_runtime(
        {"VLLM_CPU_ONLY": "1", "VLLM_CPU_KVCACHE_SPACE": "4", "VLLM_LOGGING_LEVEL": "INFO"}
    )
    assert read.useless == ("VLLM_CPU_ONLY",)
    assert read.overruled == ("VLLM_CPU_KVCACHE_SPACE",)
    assert read.refused == ""
