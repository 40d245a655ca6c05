"""How rows become columns and back.

Reading forgives: a column that holds nonsense, as after damage, becomes that column's
default, because a conversation with a lost setting is worth more than none.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from logging import getLogger
from typing import Any, TypeVar, get_args

from qwenchat.store.rows import (
    REPLY_LANGUAGES,
    STORED_ROLES,
    Attachment,
    ConversationRow,
    MessageRow,
)
from qwenchat.types import FinishReason, MessageState, Timings, Usage

T = TypeVar("T")

_log = getLogger(__name__)

CONVERSATION_COLUMNS = (
    "id",
    "title",
    "title_is_own",
    "created_at",
    "updated_at",
    "pinned",
    "leaf_id",
    "model",
    "thinking",
    "thinking_budget",
    "sampling",
    "persona",
    "reply_language",
    "system_prompt",
)
MESSAGE_COLUMNS = (
    "id",
    "conversation_id",
    "parent_id",
    "role",
    "state",
    "created_at",
    "finish_reason",
    "error_code",
    "error_message",
    "usage",
    "timings",
    "model",
    "sampling",
    "extra",
    "thoughts",
    "content",
    "attachments",
)

_FIELDS: dict[str, type] = {
    "id": str,
    "name": str,
    "kind": str,
    "size": int,
    "unit": str,
    "count": int,
    "text": str,
    "first": int,
    "last": int,
    "cut": bool,
}
_UNKNOWN = Attachment(id="", name="file", kind="text", size=0, unit="line", count=1, text="")

# SQLite's length() ends at a NUL and UTF-8 has no surrogates. Each becomes one character,
# so lengths that a caller counted stay right.
_UNSTORABLE = {0: "\ufffd"} | dict.fromkeys(range(0xD800, 0xE000), "\ufffd")


def storable(text: str) -> str:
    """``text`` as it can be kept: of the same length, NUL and surrogates replaced."""
    return text.translate(_UNSTORABLE) if not _is_plain(text) else text


def _is_plain(text: str) -> bool:
    if "\0" in text:
        return False
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def values_of(changes: Mapping[str, Any]) -> dict[str, Any]:
    """Columns with the values of row attributes of those names."""
    columns: dict[str, Any] = {}
    for name, value in changes.items():
        if name == "attachments":
            columns[name] = attachments_column(value)
        elif name == "error":
            columns["error_code"], columns["error_message"] = _texts(value)
        elif isinstance(value, Usage | Timings):
            columns[name] = _json(asdict(value))
        elif isinstance(value, Mapping):
            columns[name] = _json(dict(value))
        elif isinstance(value, str):
            columns[name] = storable(value)
        else:
            columns[name] = value
    return columns


def conversation_values(row: ConversationRow) -> list[Any]:
    """The columns of ``CONVERSATION_COLUMNS``."""
    values = values_of({name: getattr(row, name) for name in CONVERSATION_COLUMNS})
    return [values[name] for name in CONVERSATION_COLUMNS]


def message_values(row: MessageRow) -> list[Any]:
    """The columns of ``MESSAGE_COLUMNS``."""
    names = [name for name in MESSAGE_COLUMNS if not name.startswith("error_")]
    values = values_of({name: getattr(row, name) for name in [*names, "error"]})
    return [values[name] for name in MESSAGE_COLUMNS]


def conversation_from(values: Sequence[Any]) -> ConversationRow:
    """The row of the columns of ``CONVERSATION_COLUMNS``.

    Raises:
        ValueError: Not even an id can be made out.
    """
    column = dict(zip(CONVERSATION_COLUMNS, values, strict=True))
    created_at = _seconds(column["created_at"])
    language = column["reply_language"]
    return ConversationRow(
        id=_id(column["id"]),
        title=_text(column["title"]) or "",
        created_at=created_at,
        updated_at=_seconds(column["updated_at"], created_at),
        system_prompt=_text(column["system_prompt"]) or "",
        sampling=_mapping(column["sampling"]) or {},
        model=_text(column["model"]),
        thinking=_text(column["thinking"]),
        thinking_budget=_count(column["thinking_budget"]),
        pinned=column["pinned"] == 1,
        leaf_id=_text(column["leaf_id"]),
        title_is_own=column["title_is_own"] == 1,
        persona=_text(column["persona"]),
        reply_language=language if language in REPLY_LANGUAGES else "auto",
    )


def messages_from(found: Iterable[Sequence[Any]]) -> list[MessageRow]:
    """The rows of the columns of ``MESSAGE_COLUMNS``, without those that damage garbled.

    SQLite notices nothing when the bytes of a text are hit; the others must still be shown.
    """
    rows: list[MessageRow] = []
    for values in found:
        try:
            rows.append(message_from(values))
        except ValueError as error:
            _log.warning("A damaged message cannot be shown: %s.", error)
    return rows


def message_from(values: Sequence[Any]) -> MessageRow:
    """The row of the columns of ``MESSAGE_COLUMNS``.

    Raises:
        ValueError: Not even ids and role can be made out.
    """
    column = dict(zip(MESSAGE_COLUMNS, values, strict=True))
    if column["role"] not in STORED_ROLES:
        raise ValueError("no message has such a role")
    code, message = _text(column["error_code"]), _text(column["error_message"])
    known_state = column["state"] in get_args(MessageState)
    known_reason = column["finish_reason"] in get_args(FinishReason)
    return MessageRow(
        id=_id(column["id"]),
        conversation_id=_id(column["conversation_id"]),
        role=column["role"],
        content=_text(column["content"]) or "",
        created_at=_seconds(column["created_at"]),
        parent_id=_text(column["parent_id"]),
        state=column["state"] if known_state else "done",
        finish_reason=column["finish_reason"] if known_reason else None,
        error=(code, message) if code is not None and message is not None else None,
        usage=_value(lambda found: Usage(**found), column["usage"]),
        timings=_value(lambda found: Timings(**found), column["timings"]),
        model=_text(column["model"]),
        sampling=_mapping(column["sampling"]),
        extra=_mapping(column["extra"]) or {},
        thoughts=_text(column["thoughts"]) or "",
        attachments=attachments_from(column["attachments"]),
    )


def attachments_column(attachments: Sequence[Attachment]) -> str | None:
    """Attachments as JSON; NULL where there are none."""
    if not attachments:
        return None
    # Not as ASCII, which would make Chinese twice as long.
    text = json.dumps([asdict(one) for one in attachments], ensure_ascii=False)
    return storable(text)


def attachments_from(value: Any) -> tuple[Attachment, ...]:
    """Those of the attachments in a column that can be made out."""
    try:
        loaded = json.loads(value) if isinstance(value, str) else []
    except ValueError:
        return ()
    found = [attachment_of(one) for one in loaded] if isinstance(loaded, list) else []
    return tuple(one for one in found if one is not None)


def attachment_of(value: Any) -> Attachment | None:
    """An attachment of its JSON values; None when even its text cannot be made out."""
    if not isinstance(value, dict) or not isinstance(value.get("text"), str):
        return None
    known = {name: value[name] for name, kind in _FIELDS.items() if type(value.get(name)) is kind}
    return replace(_UNKNOWN, **known)


def _texts(error: tuple[str, str] | None) -> tuple[str | None, str | None]:
    return (storable(error[0]), storable(error[1])) if error else (None, None)


def _json(value: dict[str, Any]) -> str:
    # As ASCII, so that no text inside can be unstorable.
    return json.dumps(value, allow_nan=False)


def _id(value: Any) -> str:
    if not isinstance(value, str) or not value:
        raise ValueError("no id")
    return value


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and value > 0 else None


def _seconds(value: Any, otherwise: float = 0.0) -> float:
    good = isinstance(value, int | float) and math.isfinite(value)
    return float(value) if good else otherwise


def _mapping(value: Any) -> dict[str, Any] | None:
    if not isinstance(value, str):
        return None
    try:
        loaded = json.loads(value)
    except ValueError:
        return None
    return loaded if isinstance(loaded, dict) else None


def _value(make: Callable[[dict[str, Any]], T], value: Any) -> T | None:
    found = _mapping(value)
    try:
        return make(found) if found is not None else None
    except TypeError:
        return None
