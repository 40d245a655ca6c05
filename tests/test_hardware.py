"""What this process may use, read from trees of files made for the test."""

from __future__ import annotations

import os
from pathlib import Path

from qwenchat import hardware


def tree(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def test_two_hardware_threads_of_a_core_count_once(tmp_path: Path) -> None:
    siblings = {0: "0,2", 1: "1,3", 2: "0,2", 3: "1,3"}
    name = "sys/devices/system/cpu/cpu{}/topology/thread_siblings_list"
    root = tree(tmp_path, {name.format(cpu): text for cpu, text in siblings.items()})
    assert hardware.compute_threads(root, frozenset({0, 1, 2, 3})) == 2
    assert hardware.compute_threads(root, frozenset({0, 2})) == 1


def test_a_cgroup_quota_limits_threads(tmp_path: Path) -> None:
    root = tree(
        tmp_path,
        {
            "proc/self/cgroup": "0::/box/inner\n",
            "sys/fs/cgroup/box/inner/cpu.max": "max 100000",
            "sys/fs/cgroup/box/cpu.max": "350000 100000",
        },
    )
    assert hardware.compute_threads(root, frozenset(range(16))) == 3


def test_a_quota_below_one_core_still_gives_a_thread(tmp_path: Path) -> None:
    files = {"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/cpu.max": "50000 100000"}
    assert hardware.compute_threads(tree(tmp_path, files), frozenset({0, 1})) == 1


def test_quota_of_cgroup_v1(tmp_path: Path) -> None:
    files = {
        "proc/self/cgroup": "4:cpu,cpuacct:/docker/abc\n9:memory:/docker/abc\n",
        "sys/fs/cgroup/cpu/docker/abc/cpu.cfs_quota_us": "200000",
        "sys/fs/cgroup/cpu/docker/abc/cpu.cfs_period_us": "100000",
    }
    assert hardware.compute_threads(tree(tmp_path, files), frozenset(range(8))) == 2


MEMINFO = "MemTotal: 25165824 kB\nMemAvailable: 20971520 kB\n"


def test_memory_of_the_machine_without_a_limit(tmp_path: Path) -> None:
    root = tree(tmp_path, {"proc/meminfo": MEMINFO, "proc/self/cgroup": "0::/\n"})
    assert hardware.available_memory_bytes(root) == 20 * 1024**3


def test_memory_within_a_cgroup_counts_droppable_cache_as_free(tmp_path: Path) -> None:
    gib = 1024**3
    root = tree(
        tmp_path,
        {
            "proc/meminfo": MEMINFO,
            "proc/self/cgroup": "0::/box\n",
            "sys/fs/cgroup/box/memory.max": str(8 * gib),
            "sys/fs/cgroup/box/memory.current": str(5 * gib),
            "sys/fs/cgroup/box/memory.stat": f"anon 1\ninactive_file {2 * gib}\n",
        },
    )
    assert hardware.available_memory_bytes(root) == 5 * gib


def test_out_of_memory_kills_of_the_cgroup(tmp_path: Path) -> None:
    files = {
        "proc/self/cgroup": "0::/box\n",
        "sys/fs/cgroup/box/memory.events": "oom 4\noom_kill 3\n",
    }
    assert hardware.out_of_memory_kills(tree(tmp_path, files)) == 3


def test_out_of_memory_kills_of_the_machine(tmp_path: Path) -> None:
    assert hardware.out_of_memory_kills(tree(tmp_path, {"proc/vmstat": "oom_kill 2\n"})) == 2
    assert hardware.out_of_memory_kills(tmp_path / "nothing") == 0


def test_this_machine_has_something() -> None:
    assert hardware.compute_threads() >= 1
    assert hardware.available_memory_bytes() > 0


def test_the_processor_s_flags_are_read(tmp_path: Path) -> None:
    root = tree(tmp_path, {"proc/cpuinfo": "processor\t: 0\nflags\t\t: fpu avx2 amx_tile\n"})
    assert hardware.cpu_flags(root) == {"fpu", "avx2", "amx_tile"}
    assert hardware.cpu_flags(tmp_path / "nowhere") == frozenset()


def test_what_a_process_would_give_back_is_its_memory_without_files(tmp_path: Path) -> None:
    root = tree(tmp_path, {"proc/7/statm": "9000 500 120 1 0 400 0\n", "proc/8/statm": "garbage"})
    assert hardware.private_memory_bytes(7, root) == 380 * os.sysconf("SC_PAGE_SIZE")
    assert hardware.private_memory_bytes(8, root) == 0
    assert hardware.private_memory_bytes(9, root) == 0
    assert hardware.private_memory_bytes(os.getpid()) > 1_000_000
