"""A healthy world as the doctor reads it, for tests to break."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from qwenchat.doctor.data import Data
from qwenchat.doctor.machine import Machine
from qwenchat.doctor.outcome import Check
from qwenchat.doctor.packages import Package, Packages
from qwenchat.doctor.runtime import Runtime

GIB = 1024**3
FLAGS = frozenset(["avx2", "avx512f", "avx512_bf16", "amx_bf16", "amx_tile"])


def machine(**changes: Any) -> Machine:
    whole: dict[str, Any] = {
        "system": "Linux",
        "architecture": "x86_64",
        "glibc": "2.36",
        "python": (3, 11, 7),
        "processor": "A Processor",
        "flags": FLAGS,
        "logical": 8,
        "allowed": 8,
        "physical": 4,
        "threads": 4,
        "numa_nodes": ("0-7",),
        "memory_total": 32 * GIB,
        "memory_free": 24 * GIB,
        "memory_available": 24 * GIB,
        "swap_total": 0,
        "swap_used": 0,
        "disk_folder": Path("/data"),
        "disk_total": 500 * GIB,
        "disk_free": 100 * GIB,
    }
    return Machine(**(whole | changes))


def package(name: str = "torch", **changes: Any) -> Package:
    whole: dict[str, Any] = {
        "name": name,
        "distribution": name,
        "version": "1.2",
        "pinned": "1.2",
        "folder": Path("/site-packages") / name,
    }
    return Package(**(whole | changes))


def packages(**changes: Any) -> Packages:
    names = ("torch", "vllm", "transformers", "gradio")
    whole: dict[str, Any] = {
        "named": tuple(package(name) for name in names),
        "media": (),
        "missing": (),
        "differing": (),
        "pins": 170,
    }
    return Packages(**(whole | changes))


def runtime(**changes: Any) -> Runtime:
    whole: dict[str, Any] = {
        "architecture_has_iomp": True,
        "openmp": Path("/prefix/lib/libiomp5.so"),
        "openmp_pin": "2024.2.1",
        "allocator": None,
        "own_preloads": "",
        "refused": "",
        "useless": (),
        "overruled": (),
    }
    return Runtime(**(whole | changes))


def data(**changes: Any) -> Data:
    whole: dict[str, Any] = {"folder": Path("/data"), "exists": True, "database_bytes": 1 << 20}
    return Data(**(whole | changes))


def by_name(checks: list[Check]) -> dict[str, Check]:
    return {check.name: check for check in checks}
