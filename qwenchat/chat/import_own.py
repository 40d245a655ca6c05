"""A conversation of QwenChat's own JSON export as rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, get_args

from qwenchat.chat.import_values import (
    MAX_TITLE,
    UNTITLED,
    id_of,
    mapping_of,
    maybe_text,
    seconds_of,
    text_of,
    wrong,
)
from qwenchat.chat.thinking_mode import WISHES
from qwenchat.errors import InvalidRequest
from qwenchat.files.kinds import KINDS, clean_name
from qwenchat.files.sections import UNITS, checked_range, count_of, unit_of
from qwenchat.sampling import SamplingParameters, parse_sampling
from qwenchat.store.columns import attachment_of
from qwenchat.store.rows import (
    REPLY_LANGUAGES,
    STORED_ROLES,
    Attachment,
    ConversationRow,
    MessageRow,
)
from qwenchat.store.tree import parents_first, shown_leaf
from qwenchat.types import FinishReason, MessageState, Timings, Usage

MOST = 2**53
"""What counts more than this counts nothing."""


def own_conversation(
    loaded: Mapping[str, Any], now: float
) -> tuple[ConversationRow, list[MessageRow]]:
    """The rows of a conversation, equal to those that were exported.

    A setting that this version does not know, or whose value is out of range, is left out.

    Args:
        now: Seconds since 1970, for what tells no time.

    Raises:
        InvalidRequest: It has not the shape of one, or messages are below themselves.
    """
    values = loaded.get("messages")
    if not isinstance(values, list):
        raise wrong("messages is no list")
    created_at = seconds_of(loaded.get("created_at"), now)
    conversation_id = id_of(loaded.get("id"), str(created_at), str(loaded.get("title")))
    ids: dict[str, str] = {}
    for index, value in enumerate(values):
        key = text_of(mapping_of(value, f"message {index + 1}").get("id"), _of("id", index))
        if key in ids:
            raise wrong(f"message {index + 1} has the id of an earlier one")
        ids[key] = id_of(key, conversation_id)
    rows = [
        _message(value, index, row_id, conversation_id, ids, created_at)
        for index, (value, row_id) in enumerate(zip(values, ids.values(), strict=True))
    ]
    circling = len(rows) - len(parents_first(rows))
    if circling:
        raise wrong(
            f"{circling} of its messages are below themselves, so their order cannot be told"
        )
    language: Any = loaded.get("reply_language")
    row = ConversationRow(
        id=conversation_id,
        title=(maybe_text(loaded.get("title")) or UNTITLED)[:MAX_TITLE],
        created_at=created_at,
        updated_at=seconds_of(loaded.get("updated_at"), created_at),
        system_prompt=maybe_text(loaded.get("system_prompt")) or "",
        sampling=_known_sampling(loaded.get("sampling")),
        model=maybe_text(loaded.get("model")),
        thinking=thinking if (thinking := loaded.get("thinking")) in WISHES else None,
        thinking_budget=budget if _is_count(budget := loaded.get("thinking_budget")) else None,
        pinned=loaded.get("pinned") is True,
        leaf_id=shown_leaf(rows, ids.get(maybe_text(loaded.get("leaf_id")) or "")),
        title_is_own=loaded.get("title_is_own") is True,
        persona=maybe_text(loaded.get("persona")),
        reply_language=language if language in REPLY_LANGUAGES else "auto",
    )
    return row, rows


def _message(
    value: Mapping[str, Any],
    index: int,
    row_id: str,
    conversation_id: str,
    ids: Mapping[str, str],
    created_at: float,
) -> MessageRow:
    role = value.get("role")
    if role not in STORED_ROLES:
        raise wrong(f"{_of('role', index)} is none of {', '.join(STORED_ROLES)}")
    reason = value.get("finish_reason")
    return MessageRow(
        id=row_id,
        conversation_id=conversation_id,
        role=role,
        content=text_of(value.get("content"), _of("content", index)),
        created_at=seconds_of(value.get("created_at"), created_at),
        parent_id=ids.get(maybe_text(value.get("parent_id")) or ""),
        state=_state(value.get("state")),
        finish_reason=reason if reason in get_args(FinishReason) else None,
        error=_error(value.get("error")),
        usage=_usage(value.get("usage")),
        timings=_timings(value.get("timings")),
        model=maybe_text(value.get("model")),
        sampling=value["sampling"] if isinstance(value.get("sampling"), dict) else None,
        extra=value["extra"] if isinstance(value.get("extra"), dict) else {},
        thoughts=maybe_text(value.get("thoughts")) or "",
        attachments=_attachments(value.get("attachments"), row_id),
    )


def _attachments(value: Any, row_id: str) -> tuple[Attachment, ...]:
    """Files of a message; what is said of each is checked against its text."""
    found = [attachment_of(one) for one in value] if isinstance(value, list) else []
    return tuple(_attachment(one, row_id) for one in found if one is not None)


def _attachment(file: Attachment, row_id: str) -> Attachment:
    text = text_of(file.text, "a file")
    unit = next((unit for unit in UNITS if unit == file.unit), None) or unit_of(text)
    count = count_of(text, unit)
    try:
        first, last = checked_range(file.first, file.last, count)
    except InvalidRequest:
        first = last = None
    name = clean_name(file.name)
    return replace(
        file,
        id=id_of(file.id, row_id, name),
        name=name,
        kind=file.kind if file.kind in KINDS else "text",
        size=file.size if _is_count(file.size) else len(text.encode()),
        unit=unit,
        count=count,
        text=text,
        first=first,
        last=last,
    )


def _state(value: Any) -> MessageState:
    # Nothing goes on writing it here.
    known: Any = "interrupted" if value == "streaming" else value
    return known if known in get_args(MessageState) else "done"


def _of(field: str, index: int) -> str:
    return f"the {field} of message {index + 1}"


def _known_sampling(value: Any) -> dict[str, Any]:
    kept: dict[str, Any] = {}
    for name, setting in value.items() if isinstance(value, dict) else ():
        try:
            parse_sampling({name: setting}, SamplingParameters())
        except InvalidRequest:
            continue
        kept[name] = setting
    return kept


def _error(value: Any) -> tuple[str, str] | None:
    if not isinstance(value, dict):
        return None
    code, message = maybe_text(value.get("code")), maybe_text(value.get("message"))
    return None if code is None or message is None else (code, message)


def _usage(value: Any) -> Usage | None:
    names = ("prompt_tokens", "cached_tokens", "completion_tokens")
    if not isinstance(value, dict) or not all(_is_count(value.get(name)) for name in names):
        return None
    return Usage(*(value[name] for name in names))


def _is_count(value: Any) -> bool:
    return type(value) is int and 0 <= value < MOST


def _timings(value: Any) -> Timings | None:
    names = ("queue_seconds", "time_to_first_token_seconds", "decode_seconds")
    if not isinstance(value, dict) or not all(
        type(value.get(name)) in (int, float) and 0 <= value[name] < MOST for name in names
    ):
        return None
    return Timings(*(value[name] for name in names))
