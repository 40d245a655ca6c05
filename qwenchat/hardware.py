"""What this process may use of the machine: cores and memory, limits of its cgroup included.

Everything is read from ``/proc`` and ``/sys``; ``root`` lets tests hand in a tree of
their own. Where a file is missing (another system, a locked-down container) the answer
falls back to what the operating system says of the whole machine.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path("/")


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii", errors="replace").strip()
    except OSError:
        return ""


def _cgroup_folders(root: Path, controller: str) -> Iterator[Path]:
    """The process's cgroup and its parents, innermost first, for cgroup v2 or v1."""
    for line in _read(root / "proc/self/cgroup").splitlines():
        _, controllers, path = (line.split(":", 2) + ["", ""])[:3]
        if controllers == "":
            base = root / "sys/fs/cgroup"
        elif controller in controllers.split(","):
            base = root / "sys/fs/cgroup" / controller
        else:
            continue
        folder = base / path.lstrip("/")
        while True:
            yield folder
            if folder == base or base not in folder.parents:
                break
            folder = folder.parent


def _cpu_quota(root: Path) -> float:
    """Cores' worth of time the tightest cgroup allows; infinite without a limit."""
    quota = math.inf
    for folder in _cgroup_folders(root, "cpu"):
        limit, _, period = _read(folder / "cpu.max").partition(" ")
        if not limit:
            limit = _read(folder / "cpu.cfs_quota_us")
            period = _read(folder / "cpu.cfs_period_us")
        if limit.isdigit() and period.isdigit() and int(period):
            quota = min(quota, int(limit) / int(period))
    return quota


def compute_threads(root: Path = ROOT, allowed: frozenset[int] | None = None) -> int:
    """Threads for computing: one per physical core this process may use, within its quota.

    Two hardware threads of one core share its vector units, so a second one adds nothing
    to matrix products (vLLM's CPU guide says the same). At least 1.
    """
    cpus = frozenset(os.sched_getaffinity(0)) if allowed is None else allowed
    cores = {
        _read(root / f"sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list") or str(cpu)
        for cpu in cpus
    }
    return max(1, math.floor(min(len(cores), max(1.0, _cpu_quota(root)))))


def cpu_flags(root: Path = ROOT) -> frozenset[str]:
    """The processor's flags as ``/proc/cpuinfo`` names them; empty where it names none."""
    text = _read(root / "proc/cpuinfo")
    found = re.search(r"^(?:flags|Features)\s*:(.*)$", text, re.MULTILINE)
    return frozenset(found[1].split()) if found else frozenset()


def _meminfo(root: Path) -> dict[str, int]:
    """``/proc/meminfo`` in bytes."""
    values: dict[str, int] = {}
    for line in _read(root / "proc/meminfo").splitlines():
        name, _, rest = line.partition(":")
        number = rest.split()
        if number and number[0].isdigit():
            values[name] = int(number[0]) * 1024
    return values


def _cgroup_memory_left(root: Path) -> float:
    """Bytes the tightest cgroup still grants; infinite without a limit.

    Page cache that can be dropped (``inactive_file``) counts as free.
    """
    left = math.inf
    for folder in _cgroup_folders(root, "memory"):
        limit = _read(folder / "memory.max") or _read(folder / "memory.limit_in_bytes")
        used = _read(folder / "memory.current") or _read(folder / "memory.usage_in_bytes")
        if not (limit.isdigit() and used.isdigit()):
            continue
        droppable = 0
        for line in _read(folder / "memory.stat").splitlines():
            name, _, number = line.partition(" ")
            if name in ("inactive_file", "total_inactive_file") and number.isdigit():
                droppable = int(number)
        left = min(left, int(limit) - int(used) + droppable)
    return left


def available_memory_bytes(root: Path = ROOT) -> int:
    """Bytes this process can still take before something is swapped or killed."""
    free = _meminfo(root).get("MemAvailable", 0)
    return max(0, int(min(free, _cgroup_memory_left(root))))


def private_memory_bytes(pid: int, root: Path = ROOT) -> int:
    """Resident memory of a process that no file holds as well, and so what its end would give
    back; 0 where that cannot be read."""
    fields = _read(root / f"proc/{pid}/statm").split()
    if len(fields) < 3 or not all(field.isdigit() for field in fields[:3]):
        return 0
    resident, shared = int(fields[1]), int(fields[2])
    return max(0, resident - shared) * os.sysconf("SC_PAGE_SIZE")


def out_of_memory_kills(root: Path = ROOT) -> int:
    """How many processes the kernel has killed for want of memory, in this cgroup or,
    where that is not told, on the machine. Only a rise between two calls means something."""
    for folder in _cgroup_folders(root, "memory"):
        for name in ("memory.events", "memory.oom_control"):
            for line in _read(folder / name).splitlines():
                key, _, number = line.partition(" ")
                if key == "oom_kill" and number.isdigit():
                    return int(number)
    for line in _read(root / "proc/vmstat").splitlines():
        key, _, number = line.partition(" ")
        if key == "oom_kill" and number.isdigit():
            return int(number)
    return 0
