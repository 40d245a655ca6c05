"""Importing a file while the app goes on: one at a time, with progress, to be cancelled."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from logging import getLogger
from pathlib import Path
from typing import Literal

from qwenchat.chat.collection import Conversations
from qwenchat.chat.importing import Failure, ImportReport, import_conversations
from qwenchat.errors import ImportRunning, QwenChatError
from qwenchat.store.database import Database
from qwenchat.store.intake import take_in
from qwenchat.store.rows import ConversationRow, MessageRow

ImportState = Literal["running", "done", "failed", "cancelled"]

_log = getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Import:
    """How far an import is, or how it ended.

    Attributes:
        name: Of the file, to show.
        done: Bytes read, of ``total``.
        imported: Conversations that are new.
        skipped: Conversations that were there already.
        failed: Conversations, or stretches of the file, that could not be imported.
        failures: The first of them.
        error: ``(code, message)`` of why it ended early.
    """

    name: str
    state: ImportState = "running"
    done: int = 0
    total: int = 0
    imported: int = 0
    skipped: int = 0
    failed: int = 0
    failures: Sequence[Failure] = field(default_factory=tuple)
    error: tuple[str, str] | None = None


class _Cancelled(Exception):
    """Raised out of the reading thread because somebody cancelled the import."""


class Imports:
    """The import that runs or ran last; ``on_change`` is called on the loop as it goes on."""

    def __init__(
        self, database: Database, conversations: Conversations, on_change: Callable[[], None]
    ) -> None:
        self._database = database
        self._conversations = conversations
        self._on_change = on_change
        self._task: asyncio.Task[None] | None = None
        self._cancelled = False
        self.current: Import | None = None

    def check_free(self) -> None:
        """Raise when an import runs.

        Raises:
            ImportRunning: It does.
        """
        if self._task and not self._task.done():
            raise ImportRunning("Another import is running. Wait until it has ended, or cancel it.")

    def start(self, path: Path, name: str) -> Import:
        """Import the file at ``path``, which is removed afterwards.

        Raises:
            ImportRunning: Another one runs.
        """
        self.check_free()
        self._cancelled = False
        self.current = Import(name)
        self._task = asyncio.create_task(self._run(path, name), name="import")
        self._on_change()
        return self.current

    async def cancel(self) -> None:
        """End a running import, keeping what is imported, or clear away one that ended."""
        if self._task and not self._task.done():
            self._cancelled = True
            await asyncio.wait({self._task})
        else:
            self.current = None
            self._on_change()

    async def close(self) -> None:
        """End a running import because the app ends."""
        if self._task and not self._task.done():
            await self.cancel()

    async def _run(self, path: Path, name: str) -> None:
        loop = asyncio.get_running_loop()
        try:
            await asyncio.to_thread(self._import, path, name, loop)
        except _Cancelled:
            self._change(state="cancelled")
        except QwenChatError as error:
            self._change(state="failed", error=(error.code, error.message))
        except Exception as error:
            _log.exception("An import failed.")
            self._change(
                state="failed",
                error=(
                    QwenChatError.code,
                    f"The import ended because of an error: {type(error).__name__}. What was "
                    "imported before is kept; the log in the data folder says more.",
                ),
            )
        finally:
            with contextlib.suppress(OSError):
                path.unlink(missing_ok=True)

    def _import(self, path: Path, name: str, loop: asyncio.AbstractEventLoop) -> None:
        """On a thread of its own."""
        report = ImportReport()

        def change(**changes: object) -> None:
            changes |= {
                "imported": len(report.imported),
                "skipped": report.skipped,
                "failed": report.failed,
                "failures": tuple(report.failures),
            }
            loop.call_soon_threadsafe(lambda: self._change(**changes))

        def keep(row: ConversationRow, messages: Sequence[MessageRow]) -> bool:
            if self._cancelled:
                raise _Cancelled
            kept = self._database.write(take_in, row, messages).result()
            if kept:
                loop.call_soon_threadsafe(self._conversations.list_row, row)
            return kept

        def on_progress(done: int, total: int) -> None:
            if self._cancelled:
                raise _Cancelled
            change(done=done, total=total)

        try:
            import_conversations(path, keep, on_progress, name=name, report=report)
        except BaseException:
            change()
            raise
        change(state="done")

    def _change(self, **changes: object) -> None:
        if self.current:
            self.current = replace(self.current, **changes)  # type: ignore[arg-type]
            self._on_change()
