"""docs/cpu-guide.md says of the pinned vLLM what is so."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from qwenchat.doctor.runtime import WITHOUT_EFFECT
from qwenchat.engine.environment import engine_environment

PROJECT = Path(__file__).resolve().parents[2]
GUIDE = (PROJECT / "docs/cpu-guide.md").read_text(encoding="utf-8")
NO_ARGUMENT = "TypeError: EngineArgs.__init__() got an unexpected keyword argument '{}'"
EXPECTED = {
    'LLM(model, device="cpu")': NO_ARGUMENT.format("device"),
    'EngineArgs(device="cpu")': NO_ARGUMENT.format("device"),
    "LLM.from_engine_args": "True",
    "swap_space": NO_ARGUMENT.format("swap_space"),
    "cpu_offload_gb": "4",
    "block_size": "128",
    "max_model_len": "ValidationError",
    'dtype="float16"': "torch.float16",
    'dtype="bfloat16"': "torch.bfloat16",
    'dtype="float32"': "torch.float32",
    'dtype="int8"': "ValidationError",
    "gpu_memory_utilization": "0.92",
    "CpuPlatform": "CpuPlatform",
    "register_platform": "ImportError: cannot import name 'register_platform'",
    "batch_size": "TypeError: Unexpected keyword argument 'batch_size'",
    "tensor_parallel_size=2": "ValidationError",
    'quantization="bitsandbytes"': "ValidationError",
    'quantization="awq"': "ValidationError",
    'quantization="gguf"': "ValidationError",
    "YaRN alone": "ValidationError",
    "YaRN and positions": "32768",
    "rope_scaling=": NO_ARGUMENT.format("rope_scaling"),
    "version": "0.32.0",
}
SAID = {
    "max_model_len": "User-specified max_model_len (100000) is greater than the derived",
    'quantization="bitsandbytes"': "Unknown quantization method: bitsandbytes",
    'quantization="gguf"': "Unknown quantization method: gguf",
    'quantization="awq"': "Cannot find the config file for awq",
    "YaRN alone": "User-specified max_model_len (32768) is greater than the derived",
}
PROMISED = (
    *('device="cpu"', "from_engine_args", "swap_space", "cpu_offload_gb", "enforce_eager"),
    *("block_size", "max_model_len", 'dtype="float16"', "current_platform", "register_platform"),
    *("VLLM_CPU_ONLY", "VLLM_NO_CUDA", "VLLM_CPU_MAX_MODEL_LEN", "VLLM_CPU_KVCACHE_SPACE"),
    *("VLLM_CPU_OMP_THREADS_BIND", "torch.set_num_threads", "SamplingParams(batch_size=1)"),
    *("load_in_4bit", 'quantization="bitsandbytes"', "AWQ", "GPTQ", "ONNX", "CMAKE_ARGS"),
    *("git clone", "snapshot_download('qwen/Qwen2.5-7B-Instruct')", "YaRN", "mirror"),
)


@pytest.mark.accept
@pytest.mark.engine
@pytest.mark.timeout(600)
def test_each_line_of_a_tutorial_does_what_the_guide_says(demo_snapshot: Path) -> None:
    variables = os.environ | dict.fromkeys(WITHOUT_EFFECT, "1")
    ran = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("guide_child.py")), str(demo_snapshot)],
        env=engine_environment(variables, 1, []) | {"VLLM_LOGGING_LEVEL": "WARNING"},
        capture_output=True,
        text=True,
        timeout=580,
        check=True,
    )
    results = json.loads(ran.stdout.splitlines()[-1])
    assert results.keys() == EXPECTED.keys()
    for line, expected in EXPECTED.items():
        assert results[line].startswith(expected), line
    for line, part in SAID.items():
        assert part in results[line], line
    for name in WITHOUT_EFFECT:
        assert re.search(rf"Unknown vLLM environment variable detected: {name}\b", ran.stderr), name


@pytest.mark.parametrize("line", PROMISED)
def test_the_guide_has_each_line_that_tutorials_have(line: str) -> None:
    assert line in GUIDE


def test_the_guide_quotes_vllm_word_for_word() -> None:
    quoted = [words for words in SAID.values() if words.startswith(("Unknown", "Cannot"))]
    assert len(quoted) == 3
    for words in quoted:
        assert words in GUIDE


def test_the_guides_contents_lead_to_its_headings() -> None:
    headings = {
        re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
        for title in re.findall(r"^## (.+)$", GUIDE, re.MULTILINE)
    }
    links = set(re.findall(r"\]\(#([^)]+)\)", GUIDE))
    assert links <= headings
    assert len(links) >= 7
