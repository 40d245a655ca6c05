"""Quantised models of a real shape run on the kernels for them, which the engine names."""

from __future__ import annotations

import os
import queue
from collections.abc import Sequence
from pathlib import Path

import pytest

from benchmarks.memory import CASES, snapshot_of
from qwenchat.engine.environment import engine_environment, find_preloads
from qwenchat.engine.process import EngineProcess
from qwenchat.engine.protocol import Delta, Event, Failed, Finished, Generate, Load, Ready, Shutdown
from qwenchat.hardware import compute_threads, cpu_flags
from qwenchat.models.fit import MIB
from qwenchat.models.quantization import AMX
from qwenchat.sampling import SamplingParameters
from qwenchat.types import ChatMessage

pytestmark = [pytest.mark.accept, pytest.mark.engine, pytest.mark.timeout(300)]
HAS_AMX = AMX in cpu_flags()
TOKENS = 16
KERNELS = {
    "0.5b-gptq-bf16": f"GPTQ 4-bit (CPUWNA16LinearKernel, {'W4A8' if HAS_AMX else 'W4A16'})",
    "0.5b-gptq": "GPTQ 4-bit (CPUWNA16LinearKernel, W4A16)",
    "0.5b-w8a8": f"W8A8 8-bit (CPUInt8ScaledMMLinearKernel, {'AMX' if HAS_AMX else 'oneDNN'})",
    "0.5b": "bfloat16",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("random")


@pytest.mark.parametrize("name", KERNELS)
def test_it_loads_and_answers_on_the_kernel_it_names(name: str, folder: Path) -> None:
    path = snapshot_of(name, folder)
    load = Load(str(path), name, 0, 1_024, 64 * MIB, 2, CASES[name][2], 1)
    events: queue.SimpleQueue[Event | None] = queue.SimpleQueue()

    def on_events(batch: Sequence[Event]) -> None:
        for event in batch:
            events.put(event)

    environment = engine_environment(os.environ, compute_threads(), find_preloads())
    process = EngineProcess(environment, on_events, lambda: events.put(None))
    weights, tokens = "", 0
    try:
        process.send(load)
        while not isinstance(event := events.get(timeout=250), Finished):
            assert event is not None and not isinstance(event, Failed), (event, process.last_lines)
            if isinstance(event, Ready):
                weights = event.weights
                # Random weights would end an answer anywhere, so the length is not asked for.
                sampling = SamplingParameters(temperature=0.0, max_tokens=TOKENS)
                process.send(Generate("r", (ChatMessage("user", "Tell a story."),), sampling))
            elif isinstance(event, Delta):
                tokens += event.tokens
    finally:
        process.send(Shutdown())
        if process.wait(10) is None:
            process.kill()
            process.wait(10)
    print(f"{name}: {weights}, {tokens} tokens")
    assert weights == KERNELS[name]
    assert tokens == event.usage.completion_tokens > 0
