"""Predicted and measured memory and speed of real engine processes.

``python benchmarks/memory.py [NAME …]`` makes snapshots of the named shapes with random
weights (in ``build/random``), loads each in a process with the app's own environment, has it
read four long prompts and answer short ones, and prints what ``models/fit.py`` and
``models/speed.py`` expect beside what the process took. Without names: all. The shapes called
``fit-…`` are those that the constants of ``models/fit.py`` were fitted to (``--fit`` repeats
that); the others are for testing it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.random_model import Method, Shape, write_random_model
from qwenchat.engine.environment import engine_environment, find_preloads
from qwenchat.hardware import compute_threads
from qwenchat.models import catalog
from qwenchat.models.demo import ensure_demo_model
from qwenchat.models.fit import MIB, PACKED_COPIES, snapshot_footprint
from qwenchat.models.snapshot import inspect_snapshot
from qwenchat.models.speed import memory_bandwidth, speed_of

PROJECT = Path(__file__).resolve().parents[1]
RANDOM = PROJECT / "build" / "random"
QWEN_05B = Shape(24, 896, 4864, 14, 2, 151_936, True)
QWEN_15B = Shape(28, 1536, 8960, 12, 2, 151_936, True)
CASES: dict[str, tuple[Shape | None, Method, str]] = {
    "fit-tiny": (Shape(2, 256, 512, 4, 2, 2_048, True), "none", "auto"),
    "fit-a": (Shape(4, 512, 2048, 8, 2, 32_768, True), "none", "auto"),
    "fit-b": (Shape(6, 1024, 4096, 16, 4, 65_536, False), "none", "auto"),
    "fit-c": (Shape(16, 768, 3072, 12, 4, 49_152, True), "none", "auto"),
    "fit-d": (Shape(8, 1024, 3072, 16, 8, 151_936, True), "none", "auto"),
    "fit-e": (Shape(20, 1280, 5120, 20, 4, 100_352, False), "none", "auto"),
    "demo": (None, "none", "auto"),
    "0.5b": (QWEN_05B, "none", "auto"),
    "0.5b-gptq": (QWEN_05B, "gptq", "auto"),
    "0.5b-gptq-bf16": (QWEN_05B, "gptq", "bfloat16"),
    "0.5b-w8a8": (QWEN_05B, "w8a8", "auto"),
    "1.5b": (QWEN_15B, "none", "auto"),
}
METHODS: dict[Method, catalog.Method] = {
    "none": "none",
    "gptq": "gptq-int4",
    "w8a8": "int8-w8a8",
}
CACHE_BYTES = 256 * MIB
CONTEXT = 2_048

CHILD = """
import json, sys
from qwenchat.engine.__main__ import hide_broken_modules, resident_bytes
from qwenchat.engine.protocol import Finished, Generate, Load
hide_broken_modules()
from qwenchat.engine.vllm_engine import load_engine
from qwenchat.sampling import SamplingParameters
from qwenchat.types import ChatMessage

path, dtype, cache, context = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
engine, ready = load_engine(Load(path, "m", 0, context, cache, 8, dtype, 1), lambda stage: None)
result = {"loaded": resident_bytes(), "weights": ready.weights}

def run():
    ends = [e for _ in iter(lambda: engine.has_work, False) for e in engine.step()]
    return [e for e in ends if isinstance(e, Finished)]

prompt = (ChatMessage("user", "word " * (context // 3)),)
for number in range(4):
    engine.add(Generate(str(number), prompt, SamplingParameters(temperature=0.7, max_tokens=16)))
run()
result["resident"] = resident_bytes()
rates = []
for number in range(3):
    sampling = SamplingParameters(temperature=0.0, max_tokens=24)
    engine.add(Generate("r", (ChatMessage("user", "Tell a story."),), sampling))
    (end,) = run()
    rates.append(end.timings.tokens_per_second(end.usage.completion_tokens) or 0.0)
result["tokens_per_second"] = max(rates)
rates = []
for number in range(3):
    # The number comes first, so that the prefix cache answers for the template alone.
    text = f"{number} " + "word " * (context // 2)
    sampling = SamplingParameters(temperature=0.0, max_tokens=1)
    engine.add(Generate("p", (ChatMessage("user", text),), sampling))
    (end,) = run()
    read = end.usage.prompt_tokens - end.usage.cached_tokens
    rates.append(read / end.timings.time_to_first_token_seconds)
result["prefill_tokens_per_second"] = max(rates)
print(json.dumps(result))
"""


@dataclass(frozen=True, slots=True)
class Measured:
    """One case: bytes of resident memory, and tokens per second of one chat."""

    name: str
    predicted_bytes: int
    resident_bytes: int
    expected_rate: float
    rate: float
    parts: tuple[float, float, float]
    """What the constants of fit.py are fitted to: the vocabulary, the layers, and the bytes
    that weights, packed copies and cache leave."""

    @property
    def error(self) -> float:
        """How far the prediction was off, as a share of the truth."""
        return self.predicted_bytes / self.resident_bytes - 1


def snapshot_of(name: str, folder: Path) -> Path:
    """The snapshot of a case, made in ``folder`` when it is not there."""
    shape, method, _ = CASES[name]
    demo = ensure_demo_model(PROJECT / "build")
    if shape is None:
        return demo
    path = folder / f"{shape.layers}x{shape.hidden}x{shape.vocab}-{method}"
    return path if path.exists() else write_random_model(path, shape, method, demo)


def load_and_run(name: str, folder: Path = RANDOM) -> dict[str, Any]:
    """What a process of its own says of a case: ``resident`` bytes, ``tokens_per_second``,
    ``prefill_tokens_per_second`` and its ``weights`` in words."""
    dtype = CASES[name][2]
    path = snapshot_of(name, folder)
    done = subprocess.run(
        [sys.executable, "-c", CHILD, str(path), dtype, str(CACHE_BYTES), str(CONTEXT)],
        env=engine_environment(os.environ, compute_threads(), find_preloads()),
        capture_output=True,
        text=True,
        check=True,
    )
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


def measure(name: str, folder: Path = RANDOM) -> Measured:
    """Load a case and compare it with what is predicted."""
    shape, method, dtype = CASES[name]
    snapshot = inspect_snapshot(snapshot_of(name, folder))
    footprint = snapshot_footprint(snapshot, dtype)
    result = load_and_run(name, folder)
    resident = int(result["resident"])
    known = footprint.weights_bytes + PACKED_COPIES * footprint.matrix_bytes + CACHE_BYTES
    copies = 1 if shape is None or shape.tied else 2
    matrices = footprint.weights_bytes - copies * footprint.matrix_bytes
    expected = speed_of(
        matrices, footprint.matrix_bytes, snapshot.layers, METHODS[method], memory_bandwidth()
    )
    return Measured(
        name=name,
        predicted_bytes=footprint.resident_bytes(CACHE_BYTES),
        resident_bytes=resident,
        expected_rate=expected.expected,
        rate=float(result["tokens_per_second"]),
        parts=(snapshot.vocab_size, snapshot.layers, resident - known),
    )


def fit(cases: Sequence[Measured]) -> tuple[float, float, float]:
    """Least squares: bytes of the process, of a vocabulary entry, of a layer."""
    rows = np.array([[1.0, case.parts[0], case.parts[1]] for case in cases])
    found = np.linalg.lstsq(rows, np.array([case.parts[2] for case in cases]), rcond=None)[0]
    return float(found[0]), float(found[1]), float(found[2])


def main(arguments: list[str]) -> None:
    names = [name for name in arguments if name != "--fit"] or list(CASES)
    done = []
    for name in names:
        case = measure(name)
        done.append(case)
        print(
            f"{name:16} memory: predicted {case.predicted_bytes / MIB:6.0f} MiB, measured "
            f"{case.resident_bytes / MIB:6.0f} MiB ({case.error:+.1%})   speed: expected "
            f"{case.expected_rate:5.1f}, measured {case.rate:5.1f} tok/s",
            flush=True,
        )
    if "--fit" in arguments:
        process, entry, layer = fit([case for case in done if case.name.startswith("fit-")])
        print(f"process {process / MIB:.0f} MiB, entry {entry:.0f} B, layer {layer / MIB:.2f} MiB")


if __name__ == "__main__":
    main(sys.argv[1:])
