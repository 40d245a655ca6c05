"""Importing a file of conversations: our own JSON, or ChatGPT's data export.

The file is read as a stream, one conversation at a time, and whatever is good is kept: a
broken conversation, or a file that breaks off, costs no other.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from qwenchat.chat.export import FORMAT, FORMAT_VERSION
from qwenchat.chat.import_chatgpt import chatgpt_conversation
from qwenchat.chat.import_json import BrokenJson, json_events, json_items, place_of_error
from qwenchat.chat.import_own import own_conversation
from qwenchat.chat.import_source import Counted, Part, Progress, parts_of
from qwenchat.errors import InvalidRequest
from qwenchat.store.rows import ConversationRow, MessageRow

FAILURES_TOLD = 100

Keep = Callable[[ConversationRow, Sequence[MessageRow]], bool]
"""Keeps a conversation whole; False when it is there already."""


@dataclass(frozen=True, slots=True)
class Failure:
    """What was not imported: ``where`` it is in the file, and the ``reason``."""

    where: str
    reason: str


@dataclass(slots=True)
class ImportReport:
    """What became of a file.

    Attributes:
        imported: Ids of the conversations that are new.
        skipped: How many were there already.
        failed: How many, or which stretches of the file, could not be imported.
        failures: The first of them.
    """

    imported: list[str] = field(default_factory=list)
    skipped: int = 0
    failed: int = 0
    failures: list[Failure] = field(default_factory=list)

    def fail(self, where: str, reason: str) -> None:
        """Note a failure."""
        self.failed += 1
        if len(self.failures) < FAILURES_TOLD:
            self.failures.append(Failure(where, reason))


def import_conversations(
    path: Path,
    keep: Keep,
    on_progress: Progress | None = None,
    now: float | None = None,
    *,
    name: str = "",
    report: ImportReport | None = None,
) -> ImportReport:
    """Import the file at ``path``. Blocks: not for an event loop.

    Args:
        keep: Called with one conversation after the other. What it raises ends the import;
            starting again skips what was kept.
        on_progress: Called with how many bytes of how many are read; may raise to cancel.
        now: Seconds since 1970, for what tells no time.
        name: What to call the file in complaints; empty is its own name.
        report: Filled as it goes on, for whoever wants to know when the import is ended.

    Raises:
        InvalidRequest: Nothing in the file could be imported; says what is wrong and where.
        OSError: The file cannot be read.
    """
    report = ImportReport() if report is None else report
    parts = parts_of(path, name or path.name)
    total = sum(part.size for part in parts)
    done = 0

    def count(size: int) -> None:
        nonlocal done
        done += size
        if on_progress is not None:
            on_progress(min(done, total), total)

    for part in parts:
        _import_part(part, keep, count, report, time.time() if now is None else now)
    if report.failures and not report.imported and not report.skipped:
        first = report.failures[0]
        raise InvalidRequest(f"Nothing was imported. {first.where}: {first.reason}.", param="file")
    return report


def _import_part(
    part: Part, keep: Keep, count: Callable[[int], None], report: ImportReport, now: float
) -> None:
    number = 0
    try:
        prefix = _prefix_of(part)
        with part.open() as file:
            counted = Counted(file, count)
            for number, loaded in enumerate(json_items(counted, prefix), start=1):
                counted.begin_conversation()
                _import_one(part, number, loaded, keep, report, now)
    except BrokenJson as error:
        report.fail(
            part.name,
            f"the JSON is broken {place_of_error(part)} ({error}), after "
            f"{number:,} whole conversations",
        )
    except InvalidRequest as error:
        report.fail(part.name, error.message.rstrip("."))


def _import_one(
    part: Part, number: int, loaded: Any, keep: Keep, report: ImportReport, now: float
) -> None:
    where = f"{part.name}, conversation {number:,}"
    try:
        if not isinstance(loaded, dict):
            raise InvalidRequest("it is no object", param="file")
        if isinstance(title := loaded.get("title"), str):
            where += f" “{title[:60]}”"
        convert = chatgpt_conversation if "mapping" in loaded else own_conversation
        row, messages = convert(loaded, now)
        kept = keep(row, messages)
    except InvalidRequest as error:
        report.fail(where, error.message)
    except RecursionError:
        report.fail(where, "it is nested too deeply")
    else:
        if kept:
            report.imported.append(row.id)
        else:
            report.skipped += 1


def _prefix_of(part: Part) -> str:
    """Where in the JSON the conversations are.

    Raises:
        InvalidRequest: It is neither of ours nor ChatGPT's.
        BrokenJson: It is no JSON.
    """
    with part.open() as file:
        known = version = False
        for prefix, event, value in json_events(file):
            match prefix, event:
                case "", "start_array":
                    return "item"
                case "format", "string":
                    known = value == FORMAT
                case "version", "number":
                    version = value
                    if known and not (isinstance(value, int) and 1 <= value <= FORMAT_VERSION):
                        raise InvalidRequest(
                            "it was exported by a newer version of QwenChat. Update this one",
                            param="file",
                        )
                case "conversations", "start_array" if known and version:
                    return "conversations.item"
                case "mapping", "start_map":
                    return ""
    raise InvalidRequest(
        "it is neither a JSON export of QwenChat nor ChatGPT's conversations.json",
        param="file",
    )
