"""One real token: the demo model, loaded by the real engine process, answers."""

from __future__ import annotations

import asyncio
import os
import queue
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from qwenchat import hardware
from qwenchat.doctor.subject import Subject
from qwenchat.engine.causes import Evidence, explain
from qwenchat.engine.environment import engine_environment, find_preloads
from qwenchat.engine.process import EngineProcess
from qwenchat.engine.protocol import (
    Delta,
    Event,
    Failed,
    Finished,
    Generate,
    Load,
    Loading,
    Ready,
    Shutdown,
)
from qwenchat.errors import QwenChatError
from qwenchat.models.demo import DEMO_FOLDER, DEMO_NAME, fetch_demo_model
from qwenchat.models.fit import loaded_weights_bytes, plan_memory
from qwenchat.models.snapshot import inspect_snapshot
from qwenchat.sampling import SamplingParameters
from qwenchat.types import ChatMessage

TOKEN_SECONDS = 300.0
"""Loading takes 20 s on a quiet machine; the rest is for slow ones."""
CONTEXT_TOKENS = 1024
END_SECONDS = 5.0
QUESTION = ChatMessage("user", "What is the capital of France?")


@dataclass(frozen=True, slots=True)
class Token:
    """How it went.

    Attributes:
        text: The token's text.
        load_seconds: From the start of the process until it was ready.
        first_token_seconds: From the question to the token.
        stage: What the engine did last when it failed.
        failed: Why there is no token, in words to show; empty when there is one.
        last_words: The engine's own words when it failed.
    """

    text: str = ""
    load_seconds: float = 0.0
    first_token_seconds: float = 0.0
    stage: str = ""
    failed: str = ""
    last_words: str = ""


def generate_token(subject: Subject, seconds: float = TOKEN_SECONDS) -> Token:
    """Have the demo model answer, in at most ``seconds``.

    It is prepared in a temporary folder (280 MB) unless the data folder has it: looking at a
    machine leaves nothing behind.
    """
    with tempfile.TemporaryDirectory(prefix="qwenchat-doctor-") as temporary:
        there = (subject.models_dir / DEMO_FOLDER).is_dir()
        models_dir = subject.models_dir if there else Path(temporary)
        try:
            folder = asyncio.run(fetch_demo_model(models_dir))
            load = demo_load(folder)
        except (QwenChatError, OSError) as error:
            return Token(stage="Preparing the demo model", failed=str(error))
        environment = engine_environment(os.environ, hardware.compute_threads(), find_preloads())
        return ask(load, environment, seconds)


def demo_load(folder: Path, dtype: str = "auto") -> Load:
    """How the model in ``folder`` is loaded for one short question.

    Raises:
        ModelError: It is damaged or does not fit into memory.
    """
    snapshot = inspect_snapshot(folder)
    plan = plan_memory(
        snapshot,
        available_bytes=hardware.available_memory_bytes(),
        max_concurrent=1,
        context_length=CONTEXT_TOKENS,
        dtype=dtype,
    )
    return Load(
        path=str(folder.resolve()),
        model=DEMO_NAME,
        weights_bytes=loaded_weights_bytes(snapshot, dtype),
        context_length=plan.context_length,
        kv_cache_bytes=plan.kv_cache_bytes,
        max_concurrent=1,
        dtype=dtype,
        seed=0,
    )


def ask(load: Load, environment: Mapping[str, str], seconds: float) -> Token:
    """Start an engine process, load, ask for one token, and end it."""
    events: queue.SimpleQueue[Event | None] = queue.SimpleQueue()

    def on_events(batch: Sequence[Event]) -> None:
        for event in batch:
            events.put(event)

    begun = time.monotonic()
    kills = hardware.out_of_memory_kills()
    process = EngineProcess(environment, on_events, lambda: events.put(None))
    try:
        process.send(load)
        return _listen(process, events, begun, seconds, kills)
    finally:
        process.send(Shutdown())
        if process.wait(END_SECONDS) is None:
            process.kill()
            process.wait(END_SECONDS)


def _listen(
    process: EngineProcess,
    events: queue.SimpleQueue[Event | None],
    begun: float,
    seconds: float,
    kills: int,
) -> Token:
    ready_at = begun
    stage, text, last_words = "Starting", "", ""
    while True:
        try:
            event = events.get(timeout=max(0.0, begun + seconds - time.monotonic()))
        except queue.Empty:
            failed = f"nothing came within {seconds:.0f} s, while {stage[0].lower()}{stage[1:]}"
            return Token(stage=stage, failed=failed, last_words="\n".join(process.last_lines[-3:]))
        match event:
            case Loading(stage=said):
                stage = said
            case Ready():
                ready_at = time.monotonic()
                stage = "Generating"
                sampling = SamplingParameters(temperature=0.0, max_tokens=1)
                process.send(Generate("doctor", (QUESTION,), sampling))
            case Delta(text=piece):
                text += piece
            case Finished():
                now = time.monotonic()
                return Token(text, ready_at - begun, now - ready_at, stage)
            case Failed(request_id=None, message=message):
                last_words = message
            case Failed(message=message):
                return Token(stage=stage, failed=message)
            case None:
                code = process.wait(END_SECONDS)
                killed = hardware.out_of_memory_kills() > kills
                evidence = Evidence(code, killed, last_words, process.last_lines)
                return Token(stage=stage, failed=explain(evidence), last_words=last_words)
