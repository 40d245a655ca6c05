"""The machine: each check's three answers from fed facts, and the reading of facts."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from qwenchat.doctor.check_machine import check_machine
from qwenchat.doctor.machine import read_machine
from qwenchat.doctor.outcome import Status
from tests.doctor.worlds import GIB, by_name, machine


def test_a_good_machine_has_nothing_to_complain_of() -> None:
    checks = check_machine(machine())
    assert {check.status for check in checks} == {Status.OK}
    assert all(check.fix == "" for check in checks)


@pytest.mark.parametrize(
    ("changes", "name", "status", "part"),
    [
        ({"system": "Darwin", "architecture": "arm64"}, "system", "problem", "WSL2"),
        ({"architecture": "riscv64"}, "system", "problem", "x86-64"),
        ({"glibc": "2.17"}, "system", "problem", "glibc 2.28"),
        ({"glibc": ""}, "system", "problem", "glibc 2.28"),
        ({"threads": 1}, "cores", "warning", "two or more"),
        ({"flags": frozenset({"sse4_2"})}, "instructions", "problem", "AVX2"),
        ({"numa_nodes": ("0-3", "4-7")}, "numa", "warning", "numactl"),
        ({"memory_available": 1 * GIB}, "memory", "problem", "2 GB"),
        ({"memory_available": 3 * GIB}, "memory", "warning", "Qwen2.5-0.5B"),
        ({"swap_total": 8 * GIB, "swap_used": 6 * GIB}, "swap", "warning", "swapped out"),
        ({"disk_free": 10**8}, "disk", "problem", "--data-dir"),
        ({"disk_free": 10**9}, "disk", "warning", "3.1 GB"),
        ({"disk_total": None}, "disk", "warning", "--data-dir"),
        ({"python": (3, 10, 2)}, "python", "problem", "PYTHON=python3.11"),
        ({"python": (3, 15, 0)}, "python", "problem", "PYTHON=python3.11"),
    ],
)
def test_what_is_wrong_is_told_with_what_to_do(
    changes: dict[str, Any], name: str, status: str, part: str
) -> None:
    checks = by_name(check_machine(machine(**changes)))
    assert checks[name].status == status
    assert part in checks[name].fix
    assert [other.name for other in checks.values() if other.status != "ok"] == [name]


def test_a_processor_with_avx2_alone_is_told_what_it_lacks() -> None:
    check = by_name(check_machine(machine(flags=frozenset({"avx2"}))))["instructions"]
    assert (check.status, check.summary) == ("ok", "AVX2; without AVX-512, bf16, AMX, so slower")


def test_an_arm_processor_is_not_asked_for_avx2() -> None:
    world = machine(architecture="aarch64", flags=frozenset({"asimd", "bf16"}))
    assert by_name(check_machine(world))["instructions"].summary == "NEON, bf16"


def test_limits_name_what_a_container_takes_away() -> None:
    world = machine(allowed=4, physical=4, threads=2, memory_available=4 * GIB)
    summary = by_name(check_machine(world))["limits"].summary
    assert "4 of 8 processors" in summary
    assert "2 of 4 cores" in summary
    assert "4.0 GiB of the 24.0 GiB" in summary


def test_facts_are_read_from_proc_and_sys(tmp_path: Path) -> None:
    cpus = sorted(os.sched_getaffinity(0))
    files = {
        "proc/cpuinfo": "model name\t: Some CPU @ 2GHz\nflags\t\t: fpu avx2\n\nflags : other\n",
        "proc/meminfo": "MemTotal: 4096 kB\nMemAvailable: 2048 kB\nSwapTotal: 100 kB\n"
        "SwapFree: 40 kB\n",
        "sys/devices/system/node/node0/cpulist": f"{cpus[0]}-{cpus[-1]}\n",
        "sys/devices/system/node/node1/cpulist": "5000-5001\n",
    }
    for name, content in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content)
    read = read_machine(tmp_path / "not" / "made", root=tmp_path)
    assert read.processor == "Some CPU @ 2GHz"
    assert read.flags == {"fpu", "avx2"}
    assert (read.memory_total, read.memory_available) == (4096 * 1024, 2048 * 1024)
    assert (read.swap_total, read.swap_used) == (100 * 1024, 60 * 1024)
    assert read.numa_nodes == (f"{cpus[0]}-{cpus[-1]}",)
    assert read.disk_folder == tmp_path


def test_a_machine_that_tells_nothing_is_read_without_an_error(tmp_path: Path) -> None:
    read = read_machine(tmp_path, root=tmp_path / "empty")
    assert read.flags == frozenset()
    assert len(check_machine(read)) == 10
