"""Conversations as files: JSON that loses nothing, Markdown to read.

Both are written piece by piece, so memory stays flat whatever there is to write.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, Field, asdict, fields
from datetime import UTC, datetime
from typing import Any

from qwenchat.chat.attachments import heading_of
from qwenchat.store.rows import Attachment, ConversationRow, MessageRow
from qwenchat.types import Timings, Usage

FORMAT = "qwenchat-conversations"
FORMAT_VERSION = 1

Exported = tuple[ConversationRow, Iterable[MessageRow]]
"""A conversation and all its messages."""

_MARKUP = re.compile(r"[\\`*_{}\[\]<>#|~&$!]")


def export_json(conversations: Iterable[Exported], exported_at: float) -> Iterator[str]:
    """The pieces of a JSON file; imported again it gives the same rows.

    What has its default is left out. A reply that is growing comes as it is at the moment.

    Args:
        exported_at: Seconds since 1970.
    """
    head = {"format": FORMAT, "version": FORMAT_VERSION, "exported_at": exported_at}
    yield _json(head)[:-1] + ', "conversations": ['
    separator = "\n"
    for conversation, messages in conversations:
        yield separator + _json(_values(conversation))[:-1] + ', "messages": ['
        separator = "\n"
        for message in messages:
            values = _values(message)
            del values["conversation_id"]
            yield separator + _json(values)
            separator = ",\n"
        yield "\n]}"
        separator = ",\n"
    yield "\n]}\n"


def export_markdown(conversations: Iterable[Exported]) -> Iterator[str]:
    """The pieces of a Markdown file with the path of each conversation that is shown.

    Every text stands in a fence longer than any in it, byte for byte as it is stored.
    """
    separator = ""
    for conversation, messages in conversations:
        yield f"{separator}# {_plain(conversation.title)}\n\n{_moment(conversation.created_at)}\n"
        separator = "\n---\n\n"
        if conversation.system_prompt:
            yield f"\n## System prompt\n\n{_fenced(conversation.system_prompt, 'text')}"
        for message in shown_path(list(messages), conversation.leaf_id):
            yield _section(message)


def shown_path(messages: Sequence[MessageRow], leaf_id: str | None) -> list[MessageRow]:
    """The messages from the root to ``leaf_id``."""
    by_id = {message.id: message for message in messages}
    found: list[MessageRow] = []
    step = by_id.pop(leaf_id, None) if leaf_id else None
    while step is not None:
        found.append(step)
        step = by_id.pop(step.parent_id, None) if step.parent_id else None
    return found[::-1]


def _section(message: MessageRow) -> str:
    language = "markdown" if message.role == "assistant" else "text"
    section = f"\n## {_speaker(message)}\n\n{_fenced(message.content, language)}"
    if message.attachments:
        files = "".join(f"- {_plain(heading_of(one))}\n" for one in message.attachments)
        section += f"\nFiles:\n\n{files}"
    note = _note(message)
    return f"{section}\n*{note}*\n" if note else section


def _speaker(message: MessageRow) -> str:
    if message.role == "assistant":
        return _plain(message.model) if message.model else "Assistant"
    return {"user": "You", "system": "System", "tool": "Tool"}[message.role]


def _note(message: MessageRow) -> str:
    match message.state:
        case "stopped":
            return "Stopped before its end."
        case "interrupted":
            return "Interrupted: QwenChat ended while this was being written."
        case "streaming":
            return "Still being written."
        case "failed":
            reason = _plain(message.error[1]) if message.error else ""
            return f"Failed. {reason}".rstrip()
        case "done":
            return "Cut off at the limit of tokens." if message.finish_reason == "length" else ""


def _fenced(text: str, language: str) -> str:
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text}\n{fence}\n"


def _plain(text: str) -> str:
    """``text`` as one line that Markdown shows as it is."""
    return _MARKUP.sub(r"\\\g<0>", " ".join(text.split()))


def _moment(seconds: float) -> str:
    try:
        return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M} UTC"
    except (ValueError, OverflowError, OSError):
        return ""


def _values(row: ConversationRow | MessageRow | Attachment) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for field in fields(row):
        value = getattr(row, field.name)
        if value == _default(field):
            continue
        if field.name == "error":
            value = {"code": value[0], "message": value[1]}
        if field.name == "attachments":
            value = [_values(attachment) for attachment in value]
        values[field.name] = asdict(value) if isinstance(value, Usage | Timings) else value
    return values


def _default(field: Field[Any]) -> Any:
    return field.default_factory() if field.default_factory is not MISSING else field.default


def _json(value: Mapping[str, Any]) -> str:
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    try:
        text.encode()
    except UnicodeEncodeError:
        # Half an emoji can only be written as an escape.
        return json.dumps(value, allow_nan=False)
    return text
