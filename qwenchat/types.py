"""The nouns of QwenChat as pure values.

Identity, storage and transport are other modules' concern.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Role = Literal["system", "user", "assistant"]
ROLES: tuple[Role, ...] = ("system", "user", "assistant")

FinishReason = Literal["stop", "length", "abort"]
"""``stop``: the model ended its answer or met a stop string; ``length``: max_tokens or
the end of the context; ``abort``: somebody pressed Stop."""

MessageState = Literal["streaming", "done", "stopped", "interrupted", "failed"]

OPENING_TAG, CLOSING_TAG = "<think>", "</think>"
"""Around a model's thoughts, in Qwen's format."""
THINKING_SWITCH = "enable_thinking"
"""The value by which a hybrid model's chat template is told whether to think."""

ThinkingKind = Literal["none", "hybrid", "thinking_only"]


@dataclass(frozen=True, slots=True)
class ThinkingStyle:
    """How a model thinks before it answers, as its chat template shows.

    Attributes:
        kind: ``hybrid``: the template has a switch, ``enable_thinking``.
        prompt_opens: Where it thinks, the prompt itself ends with the opening tag, so that
            the model writes the closing one alone.
        on_by_default: What a hybrid one does while the switch is not touched.
    """

    kind: ThinkingKind = "none"
    prompt_opens: bool = False
    on_by_default: bool = True


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """One message of a prompt, as the chat template sees it."""

    role: Role
    content: str


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one request. ``cached_tokens`` of the prompt came from the prefix cache."""

    prompt_tokens: int
    cached_tokens: int
    completion_tokens: int


@dataclass(frozen=True, slots=True)
class Timings:
    """Durations of one request in seconds, measured in the engine process.

    Attributes:
        queue_seconds: From arrival in the engine to its first step.
        time_to_first_token_seconds: From arrival to the first token; 0 when there was none.
        decode_seconds: From the first token to the last.
    """

    queue_seconds: float
    time_to_first_token_seconds: float
    decode_seconds: float

    def tokens_per_second(self, completion_tokens: int) -> float | None:
        """Decode rate; None for fewer than two tokens, which span no time."""
        if completion_tokens < 2 or self.decode_seconds <= 0:
            return None
        return (completion_tokens - 1) / self.decode_seconds
