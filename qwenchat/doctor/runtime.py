"""What surrounds the engine process: preloaded libraries and variables of the environment."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from qwenchat.doctor.packages import REQUIREMENTS, read_pins
from qwenchat.engine.environment import engine_environment, find_preloads

PRELOAD_SECONDS = 20.0
WITHOUT_EFFECT = (
    "VLLM_CPU_ONLY",
    "VLLM_NO_CUDA",
    "VLLM_CPU_MAX_MODEL_LEN",
    "VLLM_DEVICE",
)
"""Of tutorials; vLLM 0.32 calls each an unknown variable and goes on."""


@dataclass(frozen=True, slots=True)
class Runtime:
    """What the engine process would start with.

    Attributes:
        architecture_has_iomp: Intel's OpenMP runtime exists for this processor.
        openmp: Intel's OpenMP library that is preloaded; None when it is not there.
        openmp_pin: Version of its package that is pinned.
        allocator: The tcmalloc that is preloaded; None when it is not there.
        own_preloads: What LD_PRELOAD named before.
        refused: The loader's complaint about any of them.
        useless: Variables that are set and do nothing in this version of vLLM.
        overruled: Variables that are set and that QwenChat leaves out for the engine, because
            it plans what they would decide.
    """

    architecture_has_iomp: bool
    openmp: Path | None
    openmp_pin: str
    allocator: Path | None
    own_preloads: str
    refused: str
    useless: tuple[str, ...]
    overruled: tuple[str, ...]


def read_runtime(environment: Mapping[str, str] | None = None) -> Runtime:
    """Look at the preloads and variables an engine process would get from ``environment``."""
    given = os.environ if environment is None else environment
    preloads = find_preloads()
    engine = engine_environment(given, threads=1, preloads=preloads)
    try:
        pins = read_pins(REQUIREMENTS.read_text(encoding="utf-8"))
    except OSError:
        pins = {}
    return Runtime(
        architecture_has_iomp="intel-openmp" in pins,
        openmp=next((path for path in preloads if "iomp" in path.name), None),
        openmp_pin=pins.get("intel-openmp", ""),
        allocator=next((path for path in preloads if "tcmalloc" in path.name), None),
        own_preloads=given.get("LD_PRELOAD", ""),
        refused=_loader_says(engine),
        useless=tuple(name for name in WITHOUT_EFFECT if name in given),
        overruled=tuple(
            name
            for name in given
            if name.startswith(("VLLM_", "OMP_", "KMP_", "GOMP_"))
            and name not in WITHOUT_EFFECT
            and engine.get(name) != given[name]
        ),
    )


def _loader_says(environment: Mapping[str, str]) -> str:
    try:
        ran = subprocess.run(
            [sys.executable, "-c", "pass"],
            env=dict(environment),
            capture_output=True,
            timeout=PRELOAD_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"a Python with them did not end within {PRELOAD_SECONDS:.0f} s"
    said = ran.stderr.decode("utf-8", "replace").strip()
    if ran.returncode and not said:
        return f"a Python with them ended with status {ran.returncode}"
    return next((line for line in said.splitlines() if "ERROR: ld.so" in line), "") or (
        said if ran.returncode else ""
    )
