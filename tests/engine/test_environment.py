"""The environment of the engine process."""

from __future__ import annotations

from pathlib import Path

from qwenchat.engine.environment import engine_environment, find_preloads


def test_a_cuda_machine_is_used_as_a_cpu_machine() -> None:
    environment = engine_environment({"CUDA_VISIBLE_DEVICES": "0,1"}, 2, [])
    assert environment["CUDA_VISIBLE_DEVICES"] == ""
    assert environment["VLLM_TARGET_DEVICE"] == "cpu"


def test_threads_are_set_for_openmp() -> None:
    assert engine_environment({"OMP_NUM_THREADS": "64"}, 3, [])["OMP_NUM_THREADS"] == "3"


def test_settings_left_over_in_the_shell_do_not_leak_in() -> None:
    base = {"VLLM_CPU_KVCACHE_SPACE": "40", "VLLM_CPU_OMP_THREADS_BIND": "0-31", "HOME": "/h"}
    environment = engine_environment(base, 2, [])
    assert "VLLM_CPU_KVCACHE_SPACE" not in environment
    assert "VLLM_CPU_OMP_THREADS_BIND" not in environment
    assert environment["HOME"] == "/h"


def test_threads_sleep_when_there_is_nothing_to_do() -> None:
    assert engine_environment({}, 2, [])["OMP_WAIT_POLICY"] == "PASSIVE"
    intel = engine_environment({}, 2, [Path("/x/libiomp5.so")])
    assert intel["KMP_BLOCKTIME"] == "1"
    assert "OMP_WAIT_POLICY" not in intel


def test_preloads_are_added_to_what_the_user_preloads() -> None:
    environment = engine_environment({"LD_PRELOAD": "/u.so"}, 2, [Path("/x/libiomp5.so")])
    assert environment["LD_PRELOAD"] == "/u.so:/x/libiomp5.so"


def test_preloads_are_found_only_where_they_are(tmp_path: Path) -> None:
    (tmp_path / "lib").mkdir()
    assert find_preloads(tmp_path, (str(tmp_path / "system"),)) == []
    openmp = tmp_path / "lib" / "libiomp5.so"
    openmp.touch()
    (tmp_path / "system").mkdir()
    malloc = tmp_path / "system" / "libtcmalloc_minimal.so.4"
    malloc.touch()
    assert find_preloads(tmp_path, (str(tmp_path / "system"),)) == [openmp, malloc]


def test_usage_reports_are_off() -> None:
    environment = engine_environment({}, 2, [])
    assert environment["VLLM_NO_USAGE_STATS"] == "1"
    assert environment["DO_NOT_TRACK"] == "1"
    assert environment["HF_HUB_OFFLINE"] == "1"
    assert environment["VLLM_HOST_IP"] == "127.0.0.1"
