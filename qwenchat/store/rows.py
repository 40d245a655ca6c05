"""What the store keeps, as values: one conversation, one message.

They are the words between the store and whoever uses it; SQL stays below them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypedDict

from qwenchat.types import FinishReason, MessageState, Timings, Usage

StoredRole = Literal["system", "user", "assistant", "tool"]
"""Imported conversations have system and tool messages too."""
STORED_ROLES: tuple[StoredRole, ...] = ("system", "user", "assistant", "tool")
ReplyLanguage = Literal["auto", "zh", "en"]
"""The language of all answers; ``auto`` leaves it to the model."""
REPLY_LANGUAGES: tuple[ReplyLanguage, ...] = ("auto", "zh", "en")


@dataclass(frozen=True, slots=True)
class ConversationRow:
    """A conversation without its messages. Times are seconds since 1970.

    Attributes:
        sampling: Only what the person changed, by the names of ``qwenchat.sampling``.
        model: The model it is to be answered by; None is the app's.
        thinking: ``on`` or ``off``, for models that have the choice; None is the model's
            default.
        thinking_budget: Tokens of thinking at most, of each answer; None is no limit.
        leaf_id: The last message of the path that is shown; None while empty.
        title_is_own: The person named it, so nothing else may rename it.
        persona: Whose settings it was given; it may not exist any more.
    """

    id: str
    title: str
    created_at: float
    updated_at: float
    system_prompt: str = ""
    sampling: Mapping[str, Any] = field(default_factory=dict)
    model: str | None = None
    thinking: str | None = None
    thinking_budget: int | None = None
    pinned: bool = False
    leaf_id: str | None = None
    title_is_own: bool = False
    persona: str | None = None
    reply_language: ReplyLanguage = "auto"


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file as text, beside the words of a message or waiting to be sent.

    Attributes:
        id: Of the upload; copies of a message keep it.
        kind: As ``qwenchat.files.kinds`` tells it.
        size: Of the file, in bytes.
        unit: What a range of the text is counted in: ``page``, ``line`` or ``character``.
        count: How many of them the text has.
        text: All of it, whatever the range.
        first: Where the range begins that the model reads, from 1 on; None is all the text.
        last: The last one of the range; None likewise.
        cut: The file had more text than is kept.
    """

    id: str
    name: str
    kind: str
    size: int
    unit: str
    count: int
    text: str
    first: int | None = None
    last: int | None = None
    cut: bool = False


@dataclass(frozen=True, slots=True)
class MessageRow:
    """One message of a conversation's tree.

    Attributes:
        parent_id: A message of the same conversation; None for a first message.
        created_at: Seconds since 1970.
        error: ``(code, message)`` of a failed answer.
        model: What wrote it, for an answer.
        sampling: The parameters it was answered with, for an answer.
        extra: What no column has a place for yet, as JSON values.
        thoughts: What the model wrote before the answer, byte for byte, tags included.
        attachments: Files that a person sent along.
    """

    id: str
    conversation_id: str
    role: StoredRole
    content: str
    created_at: float
    parent_id: str | None = None
    state: MessageState = "done"
    finish_reason: FinishReason | None = None
    error: tuple[str, str] | None = None
    usage: Usage | None = None
    timings: Timings | None = None
    model: str | None = None
    sampling: Mapping[str, Any] | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)
    thoughts: str = ""
    attachments: tuple[Attachment, ...] = ()


class ConversationChanges(TypedDict, total=False):
    """What of a conversation is to change; what is not named stays."""

    title: str
    title_is_own: bool
    updated_at: float
    system_prompt: str
    sampling: Mapping[str, Any]
    model: str | None
    thinking: str | None
    thinking_budget: int | None
    pinned: bool
    leaf_id: str | None
    persona: str | None
    reply_language: ReplyLanguage


class MessageChanges(TypedDict, total=False):
    """What of a message, besides its text, is to change; what is not named stays."""

    thoughts: str
    state: MessageState
    finish_reason: FinishReason | None
    error: tuple[str, str] | None
    usage: Usage | None
    timings: Timings | None
    model: str | None
    sampling: Mapping[str, Any] | None
    extra: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Summary:
    """A conversation as the list shows it."""

    id: str
    title: str
    updated_at: float
    pinned: bool


@dataclass(frozen=True, slots=True)
class SummaryPage:
    """A stretch of the list.

    Attributes:
        cursor: Hand it back for the next stretch; None after the last.
        total: Conversations in the whole list.
    """

    items: tuple[Summary, ...]
    cursor: str | None
    total: int


@dataclass(frozen=True, slots=True)
class Counts:
    """How much there is, deleted conversations that can still be restored left out."""

    conversations: int
    messages: int
