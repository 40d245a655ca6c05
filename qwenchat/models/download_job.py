"""One download as the manager keeps it: what its process said last, and how it ended."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from qwenchat.errors import QwenChatError
from qwenchat.models.download_state import ACTIVE, Download, FileProgress, FileState, State
from qwenchat.models.rate import Rate
from qwenchat.models.tally import DOWNLOADING

_CHECKING = "Checking"


class Job:
    """Gathers a download's reports; :meth:`view` is what they come to."""

    def __init__(self, model_id: str, state: State) -> None:
        self.model_id = model_id
        self.state: State = state
        self.stage = ""
        self.stage_bytes = (0, 0)
        self.note = ""
        self.path: Path | None = None
        self.error: QwenChatError | None = None
        self.task: asyncio.Task[None] | None = None
        self._waiting = ""
        self._sizes: dict[str, int] = {}
        self._done: dict[str, int] = {}
        self._rate = Rate()

    def expect(self, rows: Iterable[tuple[str, int, int]]) -> None:
        """The model's files: path, size, and how much of each is there, in bytes."""
        rows = list(rows)
        self._sizes = {path: size for path, size, _ in rows}
        self._done = {path: done for path, _, done in rows}
        self._rate.restart(self._done_bytes)

    def rows(self) -> list[tuple[str, int, int]]:
        """What :meth:`expect` takes, as it is now."""
        return [(path, size, self._done.get(path, 0)) for path, size in self._sizes.items()]

    def progress(self, stage: str, done: int, total: int) -> None:
        """The process says how far it is."""
        self.stage, self.stage_bytes = stage, (done, total)
        self.state = "verifying" if stage.startswith(_CHECKING) else "running"
        if stage == DOWNLOADING:
            self._rate.add(done)

    def detail(self, detail: dict[str, Any]) -> None:
        """The process says more; see ``download_worker.py``."""
        if "files" in detail:
            self.expect((path, size, done) for path, size, done in detail["files"])
        if "arrived" in detail:
            self._done |= detail["arrived"]
            self._waiting = ""
        self._waiting = detail.get("waiting", self._waiting)
        self.note = detail.get("note", self.note)

    def forget_arrived(self) -> None:
        """Nothing is there any more."""
        self._done = {}

    def end(
        self, state: State, *, path: Path | None = None, error: QwenChatError | None = None
    ) -> None:
        """Nothing more is being done."""
        self.state, self.path, self.error = state, path, error
        self.stage, self.stage_bytes, self._waiting = "", (0, 0), ""
        if state == "done":
            self._done = dict(self._sizes)

    @property
    def _done_bytes(self) -> int:
        return min(sum(self._done.values()), sum(self._sizes.values()))

    def view(self) -> Download:
        """The download at this moment."""
        total = sum(self._sizes.values())
        checking = self.state == "verifying"
        moving = self.state == "running" and self.stage == DOWNLOADING
        # The stage's own number is of this very moment, the files' may be a little older.
        done = self.stage_bytes[0] if moving else self._done_bytes
        rate = self._rate.bytes_per_second() if moving else 0.0
        return Download(
            model_id=self.model_id,
            state=self.state,
            stage=self.stage,
            done_bytes=done,
            total_bytes=total,
            checked_bytes=self.stage_bytes[0] if checking else 0,
            to_check_bytes=self.stage_bytes[1] if checking else 0,
            bytes_per_second=rate,
            seconds_left=(total - done) / rate if rate > 0 else None,
            files=tuple(self._file(path) for path in self._sizes),
            path=self.path,
            error=self.error,
            note=self._waiting or self.note,
        )

    def _file(self, path: str) -> FileProgress:
        size = self._sizes[path]
        done = min(self._done.get(path, 0), size)
        state: FileState = "waiting"
        if done == size and (done > 0 or self.state == "done"):
            state = "checking" if self.state == "verifying" else "done"
        elif done > 0 and self.state in ACTIVE:
            state = "arriving"
        return FileProgress(path, size, done, state)
