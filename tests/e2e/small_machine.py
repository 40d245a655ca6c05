"""A poorer machine than this one, for one app: less memory, an older processor, a fixed disk."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

MIB = 1024**2

ONLY_AVX2 = {
    "ATEN_CPU_CAPABILITY": "avx2",
    "ONEDNN_MAX_CPU_ISA": "AVX2",
    "PYTHONPATH": str(Path(__file__).with_name("only_avx2")),
}
"""The environment of an app on a processor with AVX2 and nothing beyond."""


class SimulatedCgroup:
    """Files of a memory cgroup that an app sees in place of its own.

    Nobody enforces the limit; but whatever the app reads of one (``hardware.py``) it reads
    here. Only the app sees it: the files lie over ``/sys/fs/cgroup`` in a mount namespace of
    its own. Both versions of cgroups are there, and the app takes the one of this system.

    Args:
        folder: Where to keep the files.
        limit_bytes: The limit.
        used_bytes: What of it is taken already.
    """

    def __init__(self, folder: Path, limit_bytes: int, used_bytes: int = 0) -> None:
        self._folder = folder
        (folder / "memory").mkdir(parents=True)
        for name, value in {
            "memory.max": limit_bytes,
            "memory.current": used_bytes,
            "memory/memory.limit_in_bytes": limit_bytes,
            "memory/memory.usage_in_bytes": used_bytes,
        }.items():
            (folder / name).write_text(f"{value}\n")
        self.count_kills(0)

    def count_kills(self, kills: int) -> None:
        """Say that the kernel has ended so many of its processes for want of memory."""
        (self._folder / "memory.events").write_text(f"oom 0\noom_kill {kills}\n")
        (self._folder / "memory/memory.oom_control").write_text(f"oom_kill {kills}\n")

    @property
    def before(self) -> tuple[str, ...]:
        """What to put before a command so that it sees the files."""
        return _with_mounts('mount --bind "$1" /sys/fs/cgroup', self._folder)


def read_only(folder: Path) -> tuple[str, ...]:
    """What to put before a command so that nobody in it, root included, can write a folder."""
    return _with_mounts('mount --bind "$1" "$1" && mount -o remount,ro,bind "$1"', folder)


def _with_mounts(script: str, folder: Path) -> tuple[str, ...]:
    """Run ``script``, with ``folder`` as its $1, in a mount namespace of the command's own."""
    unshare = shutil.which("unshare")
    assert unshare, "unshare (util-linux) is needed for this test"
    root = () if os.geteuid() == 0 else ("--map-root-user",)
    whole = f'{script} && shift && exec "$@"'
    return (unshare, "--mount", *root, "sh", "-c", whole, "sh", str(folder))


def peak_bytes(pid: int) -> int:
    """The most memory a process has had resident so far (Linux)."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    raise AssertionError("no VmHWM")
