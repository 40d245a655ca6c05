"""What the engine knows of one request beyond vLLM's own state: its clock and its counts."""

from __future__ import annotations

from dataclasses import dataclass

from qwenchat.engine.protocol import Event
from qwenchat.types import Timings, Usage


@dataclass(slots=True)
class TrackedRequest:
    """A request from its arrival to its end. Clock values are in seconds.

    Attributes:
        logprobs: How many of the likeliest tokens it wants to know at each place.
    """

    core_id: str
    prompt_tokens: int
    arrived: float
    logprobs: int = 0
    started: float | None = None
    first_token: float | None = None
    last_token: float | None = None
    completion_tokens: int = 0
    cached_tokens: int = 0
    reported: Event | None = None

    def timings(self, now: float) -> Timings:
        """Durations so far; ``now`` stands for what has not come yet."""
        first = self.first_token
        return Timings(
            queue_seconds=(self.started or now) - self.arrived,
            time_to_first_token_seconds=first - self.arrived if first else 0.0,
            decode_seconds=(self.last_token or first) - first if first else 0.0,
        )

    def usage(self) -> Usage:
        """Tokens so far."""
        return Usage(self.prompt_tokens, self.cached_tokens, self.completion_tokens)

    def unless_said(self, event: Event) -> list[Event]:
        """``event``, unless it is what was said last."""
        if self.reported == event:
            return []
        self.reported = event
        return [event]
