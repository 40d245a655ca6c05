"""What one page has been told, and so what it must be told next.

A feed keeps no queue. It remembers what it sent last and compares that with how things
are, so a page that reads slowly gets fewer, larger frames, and never old ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from qwenchat.api.model_feed import ModelFeed
from qwenchat.api.shelf_feed import ShelfFeed
from qwenchat.api.values import (
    Value,
    conversation_value,
    engine_value,
    import_value,
    message_value,
    notice_value,
    progress_value,
    summary_value,
)
from qwenchat.chat.conversations import Conversation, Message, Progress
from qwenchat.chat.imports import Import, Imports
from qwenchat.chat.service import Chat
from qwenchat.chat.thinking import shown_thoughts
from qwenchat.engine.seam import EngineStatus
from qwenchat.errors import ConversationNotFound, QwenChatError
from qwenchat.hosting.models import Models

PROGRESS_SECONDS = 0.1
"""Between two progress frames at least."""
TOP_OF_LIST = 200
"""Conversations of the first frame; the others follow."""
SUMMARIES_AT_ONCE = 1000
LAST_MESSAGES = 40


@dataclass(frozen=True, slots=True)
class Wish:
    """What a page wants to follow.

    Attributes:
        conversation_id: None is a new chat.
        limit: How many of the last messages.
        from_id: The first message that is wanted, where that makes them more.
    """

    conversation_id: str | None = None
    limit: int = LAST_MESSAGES
    from_id: str | None = None


class Feed:
    """The frames for one page.

    ``pending`` says, after :meth:`frames`, that something was held back: a progress because
    the last one is too fresh, or the rest of a long list.
    """

    def __init__(self, chat: Chat, imports: Imports, models: Models | None) -> None:
        self._chat = chat
        self._imports = imports
        self._models = ModelFeed(models) if models else None
        self._shelves = ShelfFeed(chat.personas, chat.presets)
        self._engine: EngineStatus | None = None
        self._list_revision = -1
        self._rest_of_list: list[str] = []
        self._notices_revision = 0
        self._import: Import | None = None
        self._import_at = 0.0
        self._wish = Wish()
        self._open: Conversation | None = None
        self._problem: QwenChatError | None = None
        self._revision = -1
        self._tail: _Tail | None = None
        self.pending = False

    async def open(self, wish: Wish) -> None:
        """Follow this conversation and no other, from its beginning."""
        self._wish = wish
        self._open = self._problem = self._tail = None
        self._revision = -1
        if wish.conversation_id is None:
            return
        try:
            self._open = await self._chat.conversations.get(wish.conversation_id)
        except QwenChatError as error:
            self._problem = error

    def frames(self, now: float) -> Iterator[Value]:
        """What changed since the last call, oldest first; ``now`` is in seconds.

        Each frame is made when it is asked for, so it is as true as it can be.
        """
        self.pending = False
        if self._engine is not self._chat.engine.status:
            self._engine = self._chat.engine.status
            yield {"type": "engine", "engine": engine_value(self._chat.engine)}
        yield from self._shelves.frames()
        # The open conversation before a long list: it is what the person looks at.
        yield from self._conversation(now)
        yield from self._list()
        if self._notices_revision != self._chat.notices.revision:
            self._notices_revision = self._chat.notices.revision
            notices = [notice_value(notice) for notice in self._chat.notices.all()]
            yield {"type": "notices", "notices": notices}
        yield from self._import_frames(now)
        if self._models:
            yield from self._models.frames(now)
            self.pending = self.pending or self._models.pending

    def _conversation(self, now: float) -> Iterator[Value]:
        if self._open and self._open.deleted:
            self._open = None
            self._problem = ConversationNotFound("This conversation was deleted.")
        if self._problem:
            problem, self._problem = self._problem, None
            yield {
                "type": "missing",
                "conversation_id": self._wish.conversation_id,
                "error": problem.as_dict(),
            }
        if self._open is None:
            return
        if self._revision != self._open.revision:
            yield self._whole(self._open)
        elif self._tail:
            yield from self._growth(self._open, self._tail, now)

    def _whole(self, conversation: Conversation) -> Value:
        self._revision = conversation.revision
        streaming = [m for m in conversation.path() if m.state == "streaming"]
        self._tail = _Tail(streaming[-1]) if streaming else None
        value = conversation_value(self._chat, conversation, self._wish.limit, self._wish.from_id)
        return {"type": "conversation", "conversation": value}

    def _growth(self, conversation: Conversation, tail: _Tail, now: float) -> Iterator[Value]:
        message = tail.message
        place = {"conversation_id": conversation.id, "message_id": message.id}
        thoughts = shown_thoughts(message.thoughts, ended=message.state != "streaming")
        if text := thoughts[tail.sent_thoughts :]:
            tail.sent_thoughts = len(thoughts)
            yield {"type": "delta", **place, "part": "thoughts", "text": text}
        if text := message.content[tail.sent :]:
            tail.sent += len(text)
            yield {"type": "delta", **place, "text": text}
        if message.state != "streaming":
            self._tail = None
            yield {
                "type": "message",
                "conversation_id": conversation.id,
                "message": message_value(conversation, message),
            }
        elif message.progress != tail.progress:
            if now - tail.progress_at < PROGRESS_SECONDS:
                self.pending = True
                return
            tail.progress, tail.progress_at = message.progress, now
            yield {"type": "progress", **place, "progress": progress_value(message.progress)}

    def _list(self) -> Iterator[Value]:
        summaries = self._chat.conversations.summaries
        if self._list_revision < 0:
            ordered = summaries.in_order()
            self._list_revision = summaries.revision
            self._rest_of_list = [summary.id for summary in ordered[TOP_OF_LIST:]]
            top = [summary_value(self._chat, summary) for summary in ordered[:TOP_OF_LIST]]
            yield {"type": "conversations", "conversations": top, "total": len(ordered)}
        elif self._list_revision != summaries.revision:
            changed = list(summaries.changed_since(self._list_revision))
            self._list_revision = summaries.revision
            yield from self._summaries(changed)
        if self._rest_of_list:
            some, self._rest_of_list = (
                self._rest_of_list[:SUMMARIES_AT_ONCE],
                self._rest_of_list[SUMMARIES_AT_ONCE:],
            )
            yield from self._summaries(some)
            self.pending = self.pending or bool(self._rest_of_list)

    def _summaries(self, ids: list[str]) -> Iterator[Value]:
        summaries = self._chat.conversations.summaries
        for start in range(0, len(ids), SUMMARIES_AT_ONCE):
            found = {key: summaries.get(key) for key in ids[start : start + SUMMARIES_AT_ONCE]}
            yield {
                "type": "summaries",
                "changed": [summary_value(self._chat, one) for one in found.values() if one],
                "removed": [key for key, one in found.items() if one is None],
            }

    def _import_frames(self, now: float) -> Iterator[Value]:
        current = self._imports.current
        if current is self._import:
            return
        running = current is not None and current.state == "running"
        if running and now - self._import_at < PROGRESS_SECONDS:
            self.pending = True
            return
        self._import, self._import_at = current, now
        yield {"type": "import", "import": import_value(current)}


class _Tail:
    """The message that grows: how much of its texts was sent, in characters, and when."""

    def __init__(self, message: Message) -> None:
        self.message = message
        self.sent = len(message.content)
        self.sent_thoughts = len(shown_thoughts(message.thoughts, ended=False))
        self.progress: Progress | None = message.progress
        self.progress_at = 0.0
