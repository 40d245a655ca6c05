"""Tries lines of tutorials on the installed vLLM: ``python guide_child.py SNAPSHOT``.

Prints ``{line: what came of it}`` as JSON; no weights are loaded.
"""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Callable
from typing import Any

import vllm
from vllm import LLM, EngineArgs, SamplingParams, platforms

SNAPSHOT = sys.argv[1]
YARN = {
    "rope_parameters": {
        "rope_type": "yarn",
        "rope_theta": 100000,
        "factor": 4.0,
        "original_max_position_embeddings": 8192,
    }
}


def config(**arguments: Any) -> Any:
    return EngineArgs(SNAPSHOT, **arguments).create_engine_config()


def register_platform() -> None:
    from vllm.platforms import register_platform as gone

    gone()


LINES: dict[str, Callable[[], Any]] = {
    'LLM(model, device="cpu")': lambda: LLM(SNAPSHOT, device="cpu"),
    'EngineArgs(device="cpu")': lambda: EngineArgs(SNAPSHOT, device="cpu"),  # type: ignore[call-arg]
    "LLM.from_engine_args": lambda: callable(LLM.from_engine_args),
    "swap_space": lambda: EngineArgs(SNAPSHOT, swap_space=4),  # type: ignore[call-arg]
    "cpu_offload_gb": lambda: EngineArgs(SNAPSHOT, cpu_offload_gb=4).cpu_offload_gb,
    "block_size": lambda: config().cache_config.block_size,
    "max_model_len": lambda: config(max_model_len=100_000),
    'dtype="float16"': lambda: config(dtype="float16").model_config.dtype,
    'dtype="bfloat16"': lambda: config(dtype="bfloat16").model_config.dtype,
    'dtype="float32"': lambda: config(dtype="float32").model_config.dtype,
    'dtype="int8"': lambda: config(dtype="int8"),
    "gpu_memory_utilization": lambda: config().cache_config.gpu_memory_utilization,
    "CpuPlatform": lambda: type(platforms.current_platform).__name__,
    "register_platform": register_platform,
    "batch_size": lambda: SamplingParams(batch_size=1),  # type: ignore[call-arg]
    "tensor_parallel_size=2": lambda: config(tensor_parallel_size=2),
    'quantization="bitsandbytes"': lambda: config(quantization="bitsandbytes"),
    'quantization="awq"': lambda: config(quantization="awq"),
    'quantization="gguf"': lambda: config(quantization="gguf"),
    "YaRN alone": lambda: config(max_model_len=32_768, hf_overrides=YARN),
    "YaRN and positions": lambda: (
        config(
            max_model_len=32_768, hf_overrides=YARN | {"max_position_embeddings": 32_768}
        ).model_config.max_model_len
    ),
    "rope_scaling=": lambda: EngineArgs(SNAPSHOT, rope_scaling={}),  # type: ignore[call-arg]
    "version": lambda: vllm.__version__,
}


def result(line: Callable[[], Any]) -> str:
    try:
        return str(line())
    except Exception as error:
        return f"{type(error).__name__}: {error}"


if __name__ == "__main__":
    with contextlib.redirect_stdout(sys.stderr):
        results = {name: result(line) for name, line in LINES.items()}
    print(json.dumps(results))
