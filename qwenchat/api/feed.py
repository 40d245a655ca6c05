"""What one page has been told, and so what it must be told next.

A feed keeps no queue. It remembers what it sent last and compares that with how things
are, so a page that reads slowly gets fewer, larger frames, and never old ones.
"""

from __future__ import annotations

from collections.abc import Iterator

from qwenchat.api.values import (
    Value,
    conversation_value,
    engine_value,
    message_value,
    progress_value,
    summaries_value,
)
from qwenchat.chat.conversations import Conversation, Message, Progress
from qwenchat.chat.service import Chat
from qwenchat.engine.seam import EngineStatus
from qwenchat.errors import ConversationNotFound

PROGRESS_SECONDS = 0.1
"""Between two progress frames at least."""


class Feed:
    """The frames for one page.

    ``pending`` says, after :meth:`frames`, that a progress was held back because the last
    one is too fresh.
    """

    def __init__(self, chat: Chat) -> None:
        self._chat = chat
        self._engine: EngineStatus | None = None
        self._list_revision = -1
        self._open: str | None = None
        self._revision = -1
        self._tail: _Tail | None = None
        self.pending = False

    def open(self, conversation_id: str | None) -> None:
        """Follow this conversation and no other, from its beginning."""
        self._open = conversation_id
        self._revision = -1
        self._tail = None

    def frames(self, now: float) -> Iterator[Value]:
        """What changed since the last call, oldest first; ``now`` is in seconds.

        Each frame is made when it is asked for, so it is as true as it can be.
        """
        self.pending = False
        if self._engine is not self._chat.engine.status:
            self._engine = self._chat.engine.status
            yield {"type": "engine", "engine": engine_value(self._chat.engine)}
        if self._list_revision != self._chat.conversations.revision:
            self._list_revision = self._chat.conversations.revision
            yield {"type": "conversations", "conversations": summaries_value(self._chat)}
        if self._open is None:
            return
        try:
            conversation = self._chat.conversations.get(self._open)
        except ConversationNotFound as error:
            missing, self._open = self._open, None
            yield {"type": "missing", "conversation_id": missing, "error": error.as_dict()}
            return
        if self._revision != conversation.revision:
            yield self._whole(conversation)
        elif self._tail:
            yield from self._growth(conversation, self._tail, now)

    def _whole(self, conversation: Conversation) -> Value:
        self._revision = conversation.revision
        streaming = [m for m in conversation.path() if m.state == "streaming"]
        self._tail = _Tail(streaming[-1]) if streaming else None
        return {
            "type": "conversation",
            "conversation": conversation_value(self._chat, conversation),
        }

    def _growth(self, conversation: Conversation, tail: _Tail, now: float) -> Iterator[Value]:
        message = tail.message
        place = {"conversation_id": conversation.id, "message_id": message.id}
        if text := message.content[tail.sent :]:
            tail.sent += len(text)
            yield {"type": "delta", **place, "text": text}
        if message.state != "streaming":
            self._tail = None
            yield {
                "type": "message",
                "conversation_id": conversation.id,
                "message": message_value(message),
            }
        elif message.progress != tail.progress:
            if now - tail.progress_at < PROGRESS_SECONDS:
                self.pending = True
                return
            tail.progress, tail.progress_at = message.progress, now
            yield {"type": "progress", **place, "progress": progress_value(message.progress)}


class _Tail:
    """The message that grows: how much of it was sent, in characters, and when."""

    def __init__(self, message: Message) -> None:
        self.message = message
        self.sent = len(message.content)
        self.progress: Progress | None = message.progress
        self.progress_at = 0.0
