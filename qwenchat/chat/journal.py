"""Keeping the text of an answer in the store while it grows."""

from __future__ import annotations

import asyncio
from logging import getLogger
from typing import Literal

from qwenchat.chat.collection import Conversations
from qwenchat.chat.conversations import Conversation, Message
from qwenchat.chat.notices import Notice, Notices
from qwenchat.errors import ConversationNotFound, MessageNotFound, StoreError
from qwenchat.store.messages import append_text, finish_message
from qwenchat.store.rows import MessageChanges

JOURNAL_SECONDS = 0.15
"""Between two writes of a growing answer: what a person sees is at most about that much
newer than what survives a kill."""
RETRY_SECONDS = 1.0
"""Between two tries to save the end of an answer while the database refuses it."""

Part = Literal["thoughts", "content"]
PARTS: tuple[Part, ...] = ("thoughts", "content")
"""The texts of a message that grow, in the order in which they do."""

_GONE = (ConversationNotFound, MessageNotFound)
"""What is deleted for good need not be saved."""

_log = getLogger(__name__)


class Unsaved:
    """The answers that the database refuses now, with one notice for all of them."""

    def __init__(self, notices: Notices) -> None:
        self._notices = notices
        self._messages: set[str] = set()

    def add(self, message_id: str, error: StoreError) -> None:
        """Say once for each answer that it is not saved: a notice that was read stays away."""
        if message_id in self._messages:
            return
        self._messages.add(message_id)
        _log.warning("An answer could not be saved: %s", error)
        self._notices.put(
            Notice(
                "not_saved", f"An answer is not saved yet. {error.message} Saving is tried again."
            )
        )

    def discard(self, message_id: str) -> None:
        """It is saved, or gone; with the last one goes the notice."""
        if message_id in self._messages:
            self._messages.discard(message_id)
            if not self._messages:
                self._notices.remove("not_saved")


class Journal:
    """Saves one message from its first character to its end.

    Where the database refuses, the answer goes on, a notice says so, and saving is tried
    again until it works or the app ends.
    """

    def __init__(
        self,
        conversations: Conversations,
        conversation: Conversation,
        message: Message,
        unsaved: Unsaved,
    ) -> None:
        self._conversations = conversations
        self._conversation = conversation
        self._message = message
        self._unsaved = unsaved
        self._stored: dict[Part, int] = {part: len(getattr(message, part)) for part in PARTS}

    async def follow(self, reply: asyncio.Task[None]) -> None:
        """Save what the answer grows by until ``reply`` has ended."""
        while not reply.done():
            await asyncio.wait({reply}, timeout=JOURNAL_SECONDS)
            for part in PARTS:
                if len(getattr(self._message, part)) > self._stored[part]:
                    await self._try_to_append(part)

    async def finish(self) -> None:
        """Save the end of the answer, however often it takes."""
        while True:
            try:
                await self.finish_now()
                return
            except _GONE:
                self._unsaved.discard(self._message.id)
                return
            except StoreError as error:
                self._unsaved.add(self._message.id, error)
                await asyncio.sleep(RETRY_SECONDS)

    async def finish_now(self) -> None:
        """Save the end of the answer.

        Raises:
            StoreError: The database refuses.
        """
        message = self._message
        changes = MessageChanges(
            thoughts=message.thoughts,
            finish_reason=message.finish_reason,
            error=message.error,
            usage=message.usage,
            timings=message.timings,
            model=message.model,
            sampling=message.sampling,
            extra=message.extra,
        )
        await self._conversations.write(
            finish_message,
            self._conversation,
            message.id,
            message.content,
            message.state,
            changes,
        )
        self._unsaved.discard(self._message.id)

    async def _try_to_append(self, part: Part) -> None:
        known = self._stored[part]
        text: str = getattr(self._message, part)[known:]
        try:
            stored = await self._conversations.write(
                append_text, self._conversation, self._message.id, known, text, part
            )
        except _GONE:
            return
        except StoreError as error:
            self._unsaved.add(self._message.id, error)
        else:
            self._stored[part] = known + len(text) if stored is None else stored
            self._unsaved.discard(self._message.id)
