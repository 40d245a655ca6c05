"""A download as others see it: values that do not change."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from qwenchat.errors import QwenChatError

State = Literal["queued", "running", "paused", "verifying", "done", "failed", "cancelled"]
FileState = Literal["waiting", "arriving", "checking", "done"]

ACTIVE: frozenset[State] = frozenset({"queued", "running", "verifying"})


@dataclass(frozen=True, slots=True)
class FileProgress:
    """One file of a download; sizes in bytes."""

    path: str
    size: int
    done: int
    state: FileState


@dataclass(frozen=True, slots=True)
class Download:
    """One model's download at one moment.

    Attributes:
        stage: What is being done, in words fit to show; empty when nothing is.
        done_bytes: Bytes of the model that are there, earlier ones included.
        total_bytes: Of all its files; 0 until the hub has said.
        checked_bytes: While verifying, how many of ``to_check_bytes`` have been read.
        bytes_per_second: What arrives now, over the last seconds.
        seconds_left: At this rate; None when nothing arrives.
        files: In the hub's order; empty until it has said.
        path: The model's folder, when done.
        error: Why it failed.
        note: What else a person should know: which files were damaged, that the line is down.
    """

    model_id: str
    state: State
    stage: str = ""
    done_bytes: int = 0
    total_bytes: int = 0
    checked_bytes: int = 0
    to_check_bytes: int = 0
    bytes_per_second: float = 0.0
    seconds_left: float | None = None
    files: tuple[FileProgress, ...] = ()
    path: Path | None = None
    error: QwenChatError | None = None
    note: str = ""

    @property
    def active(self) -> bool:
        """Whether it goes on by itself."""
        return self.state in ACTIVE
