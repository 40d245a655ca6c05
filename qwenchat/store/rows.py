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


@dataclass(frozen=True, slots=True)
class ConversationRow:
    """A conversation without its messages. Times are seconds since 1970.

    Attributes:
        sampling: Only what the person changed, by the names of ``qwenchat.sampling``.
        model: The model it is to be answered by; None is the app's.
        thinking: Which thinking mode it uses; None is the model's default.
        leaf_id: The last message of the path that is shown; None while empty.
        title_is_own: The person named it, so nothing else may rename it.
    """

    id: str
    title: str
    created_at: float
    updated_at: float
    system_prompt: str = ""
    sampling: Mapping[str, Any] = field(default_factory=dict)
    model: str | None = None
    thinking: str | None = None
    pinned: bool = False
    leaf_id: str | None = None
    title_is_own: bool = False


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


class ConversationChanges(TypedDict, total=False):
    """What of a conversation is to change; what is not named stays."""

    title: str
    title_is_own: bool
    updated_at: float
    system_prompt: str
    sampling: Mapping[str, Any]
    model: str | None
    thinking: str | None
    pinned: bool
    leaf_id: str | None


class MessageChanges(TypedDict, total=False):
    """What of a message, besides its text, is to change; what is not named stays."""

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
