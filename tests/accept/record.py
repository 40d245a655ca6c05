"""What the engine emitted for each answer, read from the record of ``witness``."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path
from typing import Any

WITNESS = Path(__file__).parent / "witness"
_REQUEST = re.compile(r"reply-(.+)-[^-]+")


def witness_environment(record: Path) -> dict[str, str]:
    """With this in its environment, an app's engine keeps the record."""
    return {"PYTHONPATH": str(WITNESS), "ENGINE_RECORD": str(record)}


@dataclass
class Run:
    """One request of an answer.

    Attributes:
        asked_at: When the engine took it, on the monotonic clock of this machine.
        before: The answer's text that it went on from.
        prompt: Everything the model read before that.
        pieces: When which text was emitted.
        end: How it ended; None when it was cut.
    """

    message_id: str
    asked_at: float
    before: str
    prompt: list[tuple[str, str]]
    pieces: list[tuple[float, str]] = field(default_factory=list)
    end: str | None = None

    @property
    def text(self) -> str:
        return "".join(text for _, text in self.pieces)

    def piece_of(self, position: int) -> int:
        """Which piece has the character at this position of the text."""
        lengths = accumulate(len(text) for _, text in self.pieces)
        return next(at for at, length in enumerate(lengths) if position < length)


def read_record(path: Path) -> dict[str, list[Run]]:
    """The runs of each answer by its message's id, in order."""
    runs: dict[str, Run] = {}
    for line in map(json.loads, path.read_text().splitlines()):
        request_id = line["request_id"]
        if line["kind"] == "asked":
            runs[request_id] = _asked(line)
        elif line["kind"] == "text":
            runs[request_id].pieces.append((line["at"], line["text"]))
        elif request_id in runs:
            runs[request_id].end = line["reason"]
    by_message: dict[str, list[Run]] = {}
    for run in runs.values():
        by_message.setdefault(run.message_id, []).append(run)
    return by_message


def _asked(line: dict[str, Any]) -> Run:
    match = _REQUEST.fullmatch(line["request_id"])
    assert match, line
    messages = [(role, content) for role, content in line["messages"]]
    before = messages.pop()[1] if line["continue_final"] else ""
    return Run(match[1], line["at"], before, messages)
