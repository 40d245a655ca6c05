"""Decode speed by OpenMP runtime and wait policy, quiet and beside one busy process.

``python benchmarks/wait_policy.py SNAPSHOT``. Each variant loads the engine in a process of
its own, with the app's own environment otherwise, and generates the same greedy tokens.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from qwenchat.engine.environment import engine_environment, find_preloads
from qwenchat.hardware import compute_threads

CHILD = """
import json, subprocess, sys, time
from qwenchat.engine.protocol import Finished, Generate, Load
from qwenchat.engine.vllm_engine import load_engine
from qwenchat.engine.__main__ import resident_bytes
from qwenchat.sampling import SamplingParameters
from qwenchat.types import ChatMessage

begun = time.perf_counter()
load = Load(sys.argv[1], "m", 0, 2048, 256 * 1024**2, 8, "auto", 1)
engine, ready = load_engine(load, lambda stage: None)
result = {"load_seconds": time.perf_counter() - begun, "resident_bytes": resident_bytes()}
sampling = SamplingParameters(temperature=0.0, max_tokens=80)

def rate():
    engine.add(Generate("r", (ChatMessage("user", "Tell a long story."),), sampling))
    while engine.has_work:
        for event in engine.step():
            if isinstance(event, Finished):
                return event.timings.tokens_per_second(event.usage.completion_tokens)

rate()
result["quiet"] = max(rate() for _ in range(3))
busy = subprocess.Popen([sys.executable, "-c", "while True: pass"])
result["beside a busy process"] = max(rate() for _ in range(3))
busy.kill()
print(json.dumps(result))
"""


def main(snapshot: str) -> None:
    app = find_preloads()
    malloc = [path for path in app if "malloc" in path.name]
    variants = {
        "GNU OpenMP, spinning": ([], {"OMP_WAIT_POLICY": "ACTIVE"}),
        "GNU OpenMP, passive": ([], {"OMP_WAIT_POLICY": "PASSIVE"}),
        "GNU OpenMP, passive, tcmalloc": (malloc, {"OMP_WAIT_POLICY": "PASSIVE"}),
        "Intel OpenMP, default block time": (app, {"KMP_BLOCKTIME": "200"}),
        "Intel OpenMP, block time 1 ms": (app, {"KMP_BLOCKTIME": "1"}),
        "Intel OpenMP, block time 0": (app, {"KMP_BLOCKTIME": "0"}),
    }
    for name, (preloads, extra) in variants.items():
        environment = engine_environment(os.environ, compute_threads(), preloads) | extra
        done = subprocess.run(
            [sys.executable, "-c", CHILD, snapshot],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        result = json.loads(done.stdout.splitlines()[-1])
        print(
            f"{name:34} load {result['load_seconds']:5.1f} s  "
            f"resident {result['resident_bytes'] / 1024**2:6.0f} MiB  "
            f"quiet {result['quiet']:5.1f} tok/s  "
            f"beside a busy process {result['beside a busy process']:5.1f} tok/s",
            flush=True,
        )


if __name__ == "__main__":
    main(sys.argv[1])
