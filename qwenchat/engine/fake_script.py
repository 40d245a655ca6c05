"""What the scripted engine is to do: how it loads, and how it answers a request."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from qwenchat.errors import QwenChatError


@dataclass(frozen=True, slots=True)
class Script:
    """How one request is answered. Delays are in seconds.

    Attributes:
        chunks: The pieces of the answer, one token each.
        delay: Before each piece.
        queued: Places to wait for first, ``queue_delay`` each.
        prefill_steps: Steps in which ``prompt_tokens`` are read, ``prefill_delay`` each.
        prompt_tokens: None means what :meth:`FakeEngine.measure` counts.
        cached_tokens: Of the prompt, reused.
        error: Raised after the last piece instead of finishing.
    """

    chunks: Sequence[str] = ("Hello", " from", " the", " fake", " engine", ".")
    delay: float = 0.0
    queued: int = 0
    queue_delay: float = 0.0
    prefill_steps: int = 1
    prefill_delay: float = 0.0
    prompt_tokens: int | None = 12
    cached_tokens: int = 0
    error: QwenChatError | None = None


@dataclass(frozen=True, slots=True)
class LoadStage:
    """One stage of loading: ``steps`` of ``total`` in all, ``seconds`` long."""

    stage: str
    total: int = 0
    steps: int = 1
    seconds: float = 0.0
