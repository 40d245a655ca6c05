"""The environment the engine process starts with.

Set on the child alone and before its first import: OpenMP reads its settings when the
library is loaded, and vLLM picks its platform when it is imported.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

PACKAGE_PARENT = Path(__file__).resolve().parents[2]

_FIXED = {
    # A CUDA machine is used as a CPU machine: vLLM takes this as final and probes nothing.
    "VLLM_TARGET_DEVICE": "cpu",
    "CUDA_VISIBLE_DEVICES": "",
    # The engine core runs in this very process and dies with it. vLLM's default would be
    # two more processes, which outlive their parent when it is killed.
    "VLLM_ENABLE_V1_MULTIPROCESSING": "0",
    # Nothing leaves the machine. Without VLLM_HOST_IP vLLM opens a socket towards a
    # public address to learn its own.
    "VLLM_HOST_IP": "127.0.0.1",
    "GLOO_SOCKET_IFNAME": "lo",
    "VLLM_NO_USAGE_STATS": "1",
    "VLLM_DO_NOT_TRACK": "1",
    "DO_NOT_TRACK": "1",
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "VLLM_USE_MODELSCOPE": "0",
    "VLLM_PLUGINS": "",
    "VLLM_LOGGING_LEVEL": "INFO",
    "VLLM_LOGGING_COLOR": "0",
    "TOKENIZERS_PARALLELISM": "false",
    # The first request for log probabilities would have one small function compiled: 16
    # seconds in which nobody is answered, and the end of the engine where no C++ compiler is.
    "TORCHDYNAMO_DISABLE": "1",
    "PYTHONUNBUFFERED": "1",
    "PYTHONFAULTHANDLER": "1",
}

# Left over from tutorials in many a shell; each would override what the app has planned.
_DROPPED = (
    "VLLM_CPU_KVCACHE_SPACE",
    "VLLM_CPU_OMP_THREADS_BIND",
    "VLLM_CPU_NUM_OF_RESERVED_CPU",
    "VLLM_WORKER_MULTIPROC_METHOD",
    "VLLM_PORT",
    "OMP_PROC_BIND",
    "OMP_PLACES",
    "GOMP_CPU_AFFINITY",
    "KMP_AFFINITY",
    "OMP_WAIT_POLICY",
)

_TCMALLOC_NAMES = ("libtcmalloc_minimal.so.4", "libtcmalloc.so.4")
_LIBRARY_FOLDERS = (
    "/usr/lib/x86_64-linux-gnu",
    "/usr/lib/aarch64-linux-gnu",
    "/usr/lib64",
    "/usr/lib",
)


def find_preloads(
    prefix: Path = Path(sys.prefix), folders: tuple[str, ...] = _LIBRARY_FOLDERS
) -> list[Path]:
    """Libraries worth preloading that are on this machine: Intel's OpenMP runtime (from the
    ``intel-openmp`` package) and tcmalloc (from the system)."""
    found = [path for path in [prefix / "lib/libiomp5.so"] if path.is_file()]
    for name in _TCMALLOC_NAMES:
        candidates = [Path(folder) / name for folder in folders]
        tcmalloc = next((path for path in candidates if path.is_file()), None)
        if tcmalloc:
            return [*found, tcmalloc]
    return found


def engine_environment(
    base: Mapping[str, str], threads: int, preloads: list[Path]
) -> dict[str, str]:
    """``base`` made fit for the engine process.

    Args:
        base: The environment of the web process.
        threads: OpenMP threads.
        preloads: Libraries for ``LD_PRELOAD``, from :func:`find_preloads`.

    The wait policy was measured beside a busy process (docs/performance.md): threads that
    spin between parallel regions lose most of their speed to any neighbour, and the
    browser that draws our text is one.
    """
    environment = {name: value for name, value in base.items() if name not in _DROPPED}
    environment |= _FIXED
    environment["OMP_NUM_THREADS"] = str(threads)
    environment["MKL_NUM_THREADS"] = str(threads)
    kept = [environment["LD_PRELOAD"]] if environment.get("LD_PRELOAD") else []
    if preloads or kept:
        environment["LD_PRELOAD"] = ":".join([*kept, *map(str, preloads)])
    if any("libiomp5" in path.name for path in preloads):
        environment["KMP_BLOCKTIME"] = "1"
    else:
        environment["OMP_WAIT_POLICY"] = "PASSIVE"
    python_path = [str(PACKAGE_PARENT), *filter(None, [base.get("PYTHONPATH")])]
    environment["PYTHONPATH"] = ":".join(python_path)
    return environment
