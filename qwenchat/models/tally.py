"""How much of each file has arrived, from what ModelScope's client reports by thread."""

from __future__ import annotations

import threading
from types import TracebackType

from qwenchat.models.hub_listing import HubFile
from qwenchat.models.worker import Reporter

DOWNLOADING = "Downloading"
"""The stage as it is shown."""

_REPORT_SECONDS = 0.25


class Tally:
    """Adds up the bytes of all files and, within its block, reports what is new.

    Reports come from a thread of their own, so that the last bytes before a standstill are
    told too.

    Args:
        arrived: Bytes of each file that are there already.
    """

    def __init__(self, files: list[HubFile], arrived: dict[str, int], report: Reporter) -> None:
        self._total = sum(file.size or 0 for file in files)
        self._done = dict(arrived)
        self._report = report
        self._lock = threading.Lock()
        self._beginning: set[str] = set()
        self._changed: set[str] = set()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._report_often, name="tally", daemon=True)
        report.detail(
            {"files": [[file.path, file.size or 0, arrived.get(file.path, 0)] for file in files]}
        )
        report(DOWNLOADING, self.done, self._total)

    def __enter__(self) -> Tally:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._over.set()
        self._thread.join()
        self._tell()

    @property
    def done(self) -> int:
        """Bytes of all files, at most the total of the list."""
        return min(sum(self._done.values()), self._total)

    def begin(self, name: str) -> None:
        """The client begins with a file, from its start or from what is there."""
        with self._lock:
            self._beginning.add(name)

    def add(self, name: str, size: int) -> None:
        """The client reports ``size`` more bytes of a file; fewer when it starts it anew.

        Its first report of a file is of the part that was there, or else of the first block:
        either way that is all there is of it.
        """
        with self._lock:
            before = 0 if name in self._beginning else self._done.get(name, 0)
            self._beginning.discard(name)
            self._done[name] = before + size
            self._changed.add(name)

    def _report_often(self) -> None:
        while not self._over.wait(_REPORT_SECONDS):
            self._tell()

    def _tell(self) -> None:
        with self._lock:
            arrived = {name: self._done[name] for name in self._changed}
            self._changed.clear()
            done = self.done
        if arrived:
            self._report.detail({"arrived": arrived})
            self._report.progress(DOWNLOADING, done, self._total)
