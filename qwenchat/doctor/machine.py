"""The machine: processor, memory, disk, and what of them this process may use."""

from __future__ import annotations

import os
import platform
import re
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

from qwenchat import hardware


@dataclass(frozen=True, slots=True)
class Machine:
    """What was read of the machine. Sizes in bytes.

    Attributes:
        system: As ``platform.system()`` says.
        architecture: As ``platform.machine()`` says.
        glibc: Version of the C library, empty where it is another one.
        python: Version of this interpreter.
        processor: The processor's own name.
        flags: Instruction sets the processor names.
        logical: Hardware threads of the machine.
        allowed: Those this process may run on.
        physical: Physical cores among the allowed.
        threads: Threads QwenChat computes with: ``physical``, less with a cgroup's quota.
        numa_nodes: Memory nodes whose processors this process may use, with those.
        memory_total: Of the machine.
        memory_free: What the machine could give.
        memory_available: What this process could get, its cgroup's limit included.
        swap_total: All swap space.
        swap_used: That which is in use.
        disk_folder: The data folder, or its nearest parent that exists.
        disk_total: Size of the disk with that folder; None when it cannot be told.
        disk_free: Free for this user there.
    """

    system: str
    architecture: str
    glibc: str
    python: tuple[int, int, int]
    processor: str
    flags: frozenset[str]
    logical: int
    allowed: int
    physical: int
    threads: int
    numa_nodes: tuple[str, ...]
    memory_total: int
    memory_free: int
    memory_available: int
    swap_total: int
    swap_used: int
    disk_folder: Path
    disk_total: int | None
    disk_free: int


def read_machine(data_dir: Path, root: Path = Path("/")) -> Machine:
    """Look at this machine; ``root`` holds ``proc`` and ``sys``."""
    cpuinfo = _read(root / "proc/cpuinfo")
    memory = _meminfo(root)
    allowed = os.sched_getaffinity(0)
    libc, version = platform.libc_ver()
    folder = nearest_folder(data_dir)
    try:
        disk = shutil.disk_usage(folder)
        total, free = disk.total, disk.free
    except OSError:
        total, free = None, 0
    return Machine(
        system=platform.system(),
        architecture=platform.machine(),
        glibc=version if libc == "glibc" else "",
        python=sys.version_info[:3],
        processor=_field(cpuinfo, "model name") or platform.processor() or "unknown",
        flags=hardware.cpu_flags(root),
        logical=os.cpu_count() or 1,
        allowed=len(allowed),
        physical=_physical_cores(root, allowed),
        threads=hardware.compute_threads(root),
        numa_nodes=_numa_nodes(root, allowed),
        memory_total=memory.get("MemTotal", 0),
        memory_free=memory.get("MemAvailable", 0),
        memory_available=hardware.available_memory_bytes(root),
        swap_total=memory.get("SwapTotal", 0),
        swap_used=memory.get("SwapTotal", 0) - memory.get("SwapFree", 0),
        disk_folder=folder,
        disk_total=total,
        disk_free=free,
    )


def nearest_folder(path: Path) -> Path:
    """``path``, or its nearest parent that is there."""
    # os.path says no where Path would raise: below a folder that may not be entered.
    return next((folder for folder in [path, *path.parents] if os.path.isdir(folder)), Path("/"))


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _field(cpuinfo: str, name: str) -> str:
    found = re.search(rf"^{name}\s*:(.*)$", cpuinfo, re.MULTILINE)
    return found[1].strip() if found else ""


def _meminfo(root: Path) -> dict[str, int]:
    found = re.findall(r"^(\w+):\s+(\d+) kB", _read(root / "proc/meminfo"), re.MULTILINE)
    return {name: int(number) * 1024 for name, number in found}


def _physical_cores(root: Path, cpus: set[int]) -> int:
    folder = root / "sys/devices/system/cpu"
    siblings = (_read(folder / f"cpu{cpu}/topology/thread_siblings_list") for cpu in cpus)
    return len({text or str(cpu) for cpu, text in zip(cpus, siblings, strict=True)})


def _numa_nodes(root: Path, cpus: set[int]) -> tuple[str, ...]:
    folders = sorted((root / "sys/devices/system/node").glob("node[0-9]*"))
    lists = [_read(folder / "cpulist").strip() for folder in folders]
    return tuple(text for text in lists if _numbers(text) & cpus)


def _numbers(text: str) -> set[int]:
    """The numbers in a list of the kernel's, such as ``0-3,8``."""
    found: set[int] = set()
    for first, last in re.findall(r"(\d+)(?:-(\d+))?", text):
        found |= set(range(int(first), int(last or first) + 1))
    return found
