"""What quantised weights bring on a CPU: python benchmarks/quantised.py [ROUNDS]

The real 0.5B shape with random weights, in bfloat16, GPTQ-Int4 (computed in bfloat16 and in
float16, which GPTQ snapshots ask for) and INT8 (W8A8). The variants take turns, each load in
a process of its own with the app's own environment, so that whatever else the machine does
falls on all of them. Printed are, of three rounds, the medians (and the lowest and highest)
of tokens per second when one chat decodes and when a prompt of 1,024 words is read, resident
memory with 256 MiB of KV cache, and which kernel the engine says it has in use.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.memory import load_and_run
from qwenchat.models.fit import MIB

VARIANTS = {
    "0.5b": "bfloat16",
    "0.5b-gptq-bf16": "GPTQ-Int4 in bfloat16",
    "0.5b-gptq": "GPTQ-Int4 in float16",
    "0.5b-w8a8": "W8A8 in bfloat16",
}
"""Cases of ``benchmarks/memory.py``."""
ROUNDS = 3


def spread(values: Sequence[float]) -> str:
    return f"{statistics.median(values):.1f} ({min(values):.1f}–{max(values):.1f})"


def main(rounds: int) -> None:
    begun = time.monotonic()
    found: dict[str, list[dict[str, Any]]] = {name: [] for name in VARIANTS}
    for _ in range(rounds):
        for name, results in found.items():
            results.append(load_and_run(name))
    print("| 0.5B shape | decode, tok/s | prefill, tok/s | memory | weights and kernel |")
    print("|---|---|---|---|---|")
    for name, results in found.items():
        decode = spread([result["tokens_per_second"] for result in results])
        prefill = spread([result["prefill_tokens_per_second"] for result in results])
        memory = statistics.median(result["resident"] for result in results) / MIB
        (kernel,) = {result["weights"] for result in results}
        print(f"| {VARIANTS[name]} | {decode} | {prefill} | {memory:,.0f} MiB | {kernel} |")
    print(f"{rounds} rounds in {time.monotonic() - begun:.0f} s")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS)
