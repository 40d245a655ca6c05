"""A conversation as a tree of messages, as the app holds it while somebody uses it.

Every message knows its parent, and a conversation the leaf that is shown; the path from
root to leaf is what the page shows and the model reads. Answering or asking again adds a
sibling, so nothing is ever lost.
"""

from __future__ import annotations

import asyncio
import re
import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from qwenchat.chat.thinking_mode import Wish
from qwenchat.errors import MessageNotFound
from qwenchat.store.rows import (
    Attachment,
    ConversationRow,
    MessageRow,
    ReplyLanguage,
    StoredRole,
)
from qwenchat.store.tree import mend_tree
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
    """One message. Times are seconds since 1970; ``error`` is ``(code, message)``.

    Attributes:
        model: What wrote it, for an answer.
        sampling: The parameters it was answered with, for an answer.
        first_read_id: The first message of the path that the model read for this answer;
            None when it read all.
        context_full: It ended because the context was full.
        edited: The person changed the answer's text.
        summary_of: The conversation that the answer to this message sums up.
        thoughts: What the model wrote before the answer, as ``chat.thinking`` parts it.
        thinking: Whether it was to think, ``on`` or ``off``, where the model has the choice.
        thinking_seconds: For how long it thought.
        attachments: Files sent along with a person's words.
    """

    role: StoredRole
    content: str
    parent_id: str | None
    state: MessageState = "done"
    progress: Progress | None = None
    finish_reason: FinishReason | None = None
    error: tuple[str, str] | None = None
    usage: Usage | None = None
    timings: Timings | None = None
    model: str | None = None
    sampling: Mapping[str, Any] | None = None
    first_read_id: str | None = None
    context_full: bool = False
    edited: bool = False
    summary_of: str | None = None
    thoughts: str = ""
    thinking: str | None = None
    thinking_seconds: float | None = None
    attachments: tuple[Attachment, ...] = ()
    id: str = field(default_factory=new_id)
    created_at: float = field(default_factory=time.time)
    other_extra: Mapping[str, Any] = field(default_factory=dict)

    @property
    def extra(self) -> dict[str, Any]:
        """What the store keeps in no column of its own."""
        return dict(self.other_extra) | {
            name: value for name in _EXTRA if (value := getattr(self, name))
        }

    def row(self, conversation_id: str) -> MessageRow:
        """The message as the store keeps it."""
        return MessageRow(
            id=self.id,
            conversation_id=conversation_id,
            role=self.role,
            content=self.content,
            created_at=self.created_at,
            parent_id=self.parent_id,
            state=self.state,
            finish_reason=self.finish_reason,
            error=self.error,
            usage=self.usage,
            timings=self.timings,
            model=self.model,
            sampling=self.sampling,
            extra=self.extra,
            thoughts=self.thoughts,
            attachments=self.attachments,
        )

    @classmethod
    def of_row(cls, row: MessageRow) -> Message:
        """The message that the store kept."""
        message = cls(
            row.role,
            row.content,
            row.parent_id,
            row.state,
            finish_reason=row.finish_reason,
            error=row.error,
            usage=row.usage,
            timings=row.timings,
            model=row.model,
            sampling=row.sampling,
            thoughts=row.thoughts,
            attachments=row.attachments,
            id=row.id,
            created_at=row.created_at,
            other_extra={k: v for k, v in row.extra.items() if k not in _EXTRA},
        )
        for name, kind in _EXTRA.items():
            if isinstance(value := row.extra.get(name), kind):
                setattr(message, name, value)
        return message


_EXTRA: dict[str, type] = {
    "first_read_id": str,
    "context_full": bool,
    "edited": bool,
    "summary_of": str,
    "thinking": str,
    "thinking_seconds": float,
}


@dataclass(slots=True, eq=False, weakref_slot=True)
class Conversation:
    """A tree of messages with its settings.

    Attributes:
        sampling: Only what the person changed, by the names of ``qwenchat.sampling``.
        leaf_id: The last message of the path that is shown; None while empty.
        messages: By id, parents before their children.
        temporary: Nothing of it is written.
        thinking: ``on`` or ``off``, where the model has the choice; None is its default.
        thinking_budget: Tokens of thinking at most, of each answer; None is no limit.
        persona: Whose settings it was given; it may not exist any more.
        reply_language: Of its answers; ``auto`` leaves it to the model.
        revision: Grows whenever messages come or go or settings change, that is, when a
            page must replace what it shows.
        deleted: It is gone for whoever looks, though it may be restored.
        lock: Held while it changes, from the check that it may to the last write.
    """

    system_prompt: str = ""
    sampling: dict[str, Any] = field(default_factory=dict)
    title: str = UNTITLED
    title_is_own: bool = False
    leaf_id: str | None = None
    pinned: bool = False
    temporary: bool = False
    thinking: Wish = None
    thinking_budget: int | None = None
    persona: str | None = None
    reply_language: ReplyLanguage = "auto"
    messages: dict[str, Message] = field(default_factory=dict)
    revision: int = 0
    deleted: bool = False
    id: str = field(default_factory=new_id)
    created_at: float = field(default_factory=time.time)
    updated_at: float = field(default_factory=time.time)
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    _children: dict[str | None, list[str]] = field(default_factory=dict)

    def row(self) -> ConversationRow:
        """The conversation as the store keeps it, without its messages."""
        return ConversationRow(
            id=self.id,
            title=self.title,
            created_at=self.created_at,
            updated_at=self.updated_at,
            system_prompt=self.system_prompt,
            sampling=self.sampling,
            thinking=self.thinking,
            thinking_budget=self.thinking_budget,
            pinned=self.pinned,
            leaf_id=self.leaf_id,
            title_is_own=self.title_is_own,
            persona=self.persona,
            reply_language=self.reply_language,
        )

    @classmethod
    def of_rows(cls, row: ConversationRow, rows: list[MessageRow]) -> Conversation:
        """The conversation that the store kept; nothing goes on growing in it."""
        conversation = cls(
            row.system_prompt,
            dict(row.sampling),
            row.title,
            row.title_is_own,
            thinking=row.thinking if row.thinking in ("on", "off") else None,  # type: ignore[arg-type]  # just looked
            thinking_budget=row.thinking_budget,
            pinned=row.pinned,
            persona=row.persona,
            reply_language=row.reply_language,
            id=row.id,
            created_at=row.created_at,
            updated_at=row.updated_at,
        )
        for message in map(Message.of_row, mend_tree(rows)[0]):
            if message.state == "streaming":
                # The start could not mark it: a database that can only be read.
                message.state = "interrupted"
            conversation._put(message)
        for parent_id in conversation._children:
            # The store's own order is only as fine as milliseconds.
            conversation._put_in_order(parent_id)
        leaf = row.leaf_id if row.leaf_id in conversation.messages else None
        conversation.leaf_id = leaf or next(reversed(conversation.messages), None)
        return conversation

    def begun_anew(self) -> Conversation:
        """An empty conversation with the title and the settings of this one."""
        return Conversation(
            self.system_prompt,
            dict(self.sampling),
            self.title,
            self.title_is_own,
            temporary=self.temporary,
            thinking=self.thinking,
            thinking_budget=self.thinking_budget,
            persona=self.persona,
            reply_language=self.reply_language,
        )

    def add(self, *messages: Message) -> None:
        """Put ``messages`` below their parents and show the last."""
        for message in messages:
            self._put(message)
        self.leaf_id = messages[-1].id
        self.revision += 1

    def put_beside(self, message: Message) -> None:
        """Keep another version of a message without showing it."""
        self._put(message)
        self._put_in_order(message.parent_id)
        self.revision += 1

    def message(self, message_id: str) -> Message:
        """The message of that id.

        Raises:
            MessageNotFound: The conversation has none.
        """
        try:
            return self.messages[message_id]
        except KeyError:
            raise MessageNotFound(
                "This message does not exist, or was deleted. Reload the page to see what is there."
            ) from None

    def path(self, leaf_id: str | None = None) -> list[Message]:
        """Messages from the root to ``leaf_id``, or to the leaf that is shown."""
        found: list[Message] = []
        step = leaf_id or self.leaf_id
        while step is not None:
            message = self.messages[step]
            found.append(message)
            step = message.parent_id
        return found[::-1]

    def versions(self, message: Message) -> list[str]:
        """Ids of ``message`` and its siblings, oldest first."""
        return self._children[message.parent_id]

    def newest_leaf(self, message_id: str) -> str:
        """The end of the newest branch below a message."""
        while children := self._children.get(message_id):
            message_id = children[-1]
        return message_id

    def below(self, message_id: str) -> list[Message]:
        """A message and everything below it, parents before children."""
        found = [message_id]
        for key in found:
            found += self._children.get(key, ())
        return [self.messages[key] for key in found]

    def leaf_without(self, messages: list[Message]) -> str | None:
        """What is shown once ``messages``, the first of them above the others, are gone."""
        gone = {message.id for message in messages}
        if self.leaf_id not in gone:
            return self.leaf_id
        parent_id = messages[0].parent_id
        left = [key for key in self._children[parent_id] if key not in gone]
        return self.newest_leaf(left[-1]) if left else parent_id

    def remove(self, messages: list[Message], leaf_id: str | None) -> None:
        """Take ``messages`` out and show ``leaf_id``."""
        for message in messages:
            del self.messages[message.id]
            self._children[message.parent_id].remove(message.id)
        self.leaf_id = leaf_id
        self.revision += 1

    def _put(self, message: Message) -> None:
        self.messages[message.id] = message
        self._children.setdefault(message.parent_id, []).append(message.id)

    def _put_in_order(self, parent_id: str | None) -> None:
        """Have what is below a message stand oldest first."""
        self._children[parent_id].sort(key=lambda key: self.messages[key].created_at)


def title_of(content: str) -> str:
    """The first line of a conversation's first message, short enough for a list."""
    # A search, because splitting a message of megabytes into lines holds up the loop.
    first = _FIRST_LINE.search(content)
    line = first[0].rstrip() if first else UNTITLED
    if len(line) <= TITLE_CHARACTERS:
        return line
    return line[: TITLE_CHARACTERS - 1].rstrip() + "…"
