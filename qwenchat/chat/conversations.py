"""Conversations as trees of messages, and where they are kept: in memory, for now.

Every message knows its parent, and a conversation the leaf that is shown; the path from
root to leaf is what the page shows and the model reads. Answering again adds a sibling, so
no answer is ever lost.
"""

from __future__ import annotations

import re
import secrets
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

from qwenchat.errors import ConversationNotFound
from qwenchat.types import FinishReason, MessageState, Timings, Usage

UNTITLED = "New chat"
TITLE_CHARACTERS = 60
_FIRST_LINE = re.compile(rf"\S.{{0,{2 * TITLE_CHARACTERS}}}")

Phase = Literal["waiting", "queued", "prefill", "decode"]


def new_id() -> str:
    """A random id, hard to guess, fit for URLs and element ids."""
    return secrets.token_hex(12)


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a reply is.

    Attributes:
        position: While queued; 1 is next.
        done: While the prompt is read: tokens of ``total``, ``cached`` of them reused.
        tokens: While decoding: tokens of the answer so far.
        tokens_per_second: While decoding; None until two tokens came.
    """

    phase: Phase
    position: int = 0
    done: int = 0
    total: int = 0
    cached: int = 0
    tokens: int = 0
    tokens_per_second: float | None = None


@dataclass(slots=True, eq=False)
class Message:
    """One message. Times are seconds since 1970; ``error`` is ``(code, message)``."""

    role: Literal["user", "assistant"]
    content: str
    parent_id: str | None
    state: MessageState = "done"
    progress: Progress | None = None
    finish_reason: FinishReason | None = None
    error: tuple[str, str] | None = None
    usage: Usage | None = None
    timings: Timings | None = None
    id: str = field(default_factory=new_id)
    created_at: float = field(default_factory=time.time)


@dataclass(slots=True, eq=False)
class Conversation:
    """A tree of messages with its settings.

    Attributes:
        sampling: Only what the person changed, by the names of ``qwenchat.sampling``.
        leaf_id: The last message of the path that is shown; None while empty.
        revision: Grows whenever messages come or go or settings change, that is, when a
            page must replace what it shows.
    """

    system_prompt: str = ""
    sampling: dict[str, Any] = field(default_factory=dict)
    title: str = UNTITLED
    leaf_id: str | None = None
    messages: dict[str, Message] = field(default_factory=dict)
    revision: int = 0
    id: str = field(default_factory=new_id)
    updated_at: float = field(default_factory=time.time)

    def add(self, message: Message) -> None:
        """Put ``message`` below its parent and show it."""
        self.messages[message.id] = message
        self.leaf_id = message.id
        self.revision += 1

    def path(self, leaf_id: str | None = None) -> list[Message]:
        """Messages from the root to ``leaf_id``, or to the leaf that is shown."""
        found: list[Message] = []
        step = leaf_id or self.leaf_id
        while step is not None:
            message = self.messages[step]
            found.append(message)
            step = message.parent_id
        return found[::-1]


def title_of(content: str) -> str:
    """The first line of a conversation's first message, short enough for a list."""
    # A search, because splitting a message of megabytes into lines holds up the loop.
    first = _FIRST_LINE.search(content)
    line = first[0].rstrip() if first else UNTITLED
    if len(line) <= TITLE_CHARACTERS:
        return line
    return line[: TITLE_CHARACTERS - 1].rstrip() + "…"


class Conversations:
    """All conversations. ``revision`` grows whenever the list would look different."""

    def __init__(self) -> None:
        self._by_id: dict[str, Conversation] = {}
        self.revision = 0

    def __iter__(self) -> Iterator[Conversation]:
        """Newest first."""
        return iter(sorted(self._by_id.values(), key=lambda c: c.updated_at, reverse=True))

    def get(self, conversation_id: str) -> Conversation:
        """The conversation of that id.

        Raises:
            ConversationNotFound: There is none, or no longer.
        """
        try:
            return self._by_id[conversation_id]
        except KeyError:
            raise ConversationNotFound(
                "This conversation does not exist, or was deleted. Choose another one from "
                "the list, or start a new chat."
            ) from None

    def add(self, conversation: Conversation) -> None:
        """Keep a new conversation."""
        self._by_id[conversation.id] = conversation
        self.revision += 1

    def touch(self, conversation: Conversation) -> None:
        """Note that a conversation was used now."""
        conversation.updated_at = time.time()
        self.revision += 1

    def remove(self, conversation_id: str) -> None:
        """Forget a conversation.

        Raises:
            ConversationNotFound: There is none of that id.
        """
        self.get(conversation_id)
        del self._by_id[conversation_id]
        self.revision += 1
