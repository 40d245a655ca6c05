"""Keeping the text of an answer in the store while it grows."""

from __future__ import annotations

import asyncio
from logging import getLogger

from qwenchat.chat.collection import Conversations
from qwenchat.chat.conversations import Conversation, Message
from qwenchat.chat.notices import Notice, Notices
from qwenchat.errors import MessageNotFound, StoreError
from qwenchat.store.messages import append_text, finish_message
from qwenchat.store.rows import MessageChanges

JOURNAL_SECONDS = 0.15
"""Between two writes of a growing answer: what a person sees is at most about that much
newer than what survives a kill."""
RETRY_SECONDS = 2.0
"""Between two tries to save the end of an answer while the database refuses it."""

_log = getLogger(__name__)


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
        notices: Notices,
    ) -> None:
        self._conversations = conversations
        self._conversation = conversation
        self._message = message
        self._notices = notices
        self._stored = len(message.content)
        self._failing = False

    async def follow(self, reply: asyncio.Task[None]) -> None:
        """Save what the answer grows by until ``reply`` has ended."""
        while not reply.done():
            await asyncio.wait({reply}, timeout=JOURNAL_SECONDS)
            if len(self._message.content) > self._stored:
                await self._try_to_append()

    async def finish(self) -> None:
        """Save the end of the answer, however often it takes."""
        while True:
            try:
                await self.finish_now()
                return
            except MessageNotFound:
                return  # deleted meanwhile, for good
            except StoreError as error:
                self._refused(error)
                await asyncio.sleep(RETRY_SECONDS)

    async def finish_now(self) -> None:
        """Save the end of the answer.

        Raises:
            StoreError: The database refuses.
        """
        message = self._message
        changes = MessageChanges(
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
        self._accepted()

    async def _try_to_append(self) -> None:
        text = self._message.content[self._stored :]
        try:
            stored = await self._conversations.write(
                append_text, self._conversation, self._message.id, self._stored, text
            )
        except StoreError as error:
            self._refused(error)
        else:
            self._stored = self._stored + len(text) if stored is None else stored
            self._accepted()

    def _refused(self, error: StoreError) -> None:
        if not self._failing:
            _log.warning("An answer could not be saved: %s", error)
        self._failing = True
        self._notices.put(
            Notice(
                "not_saved", f"An answer is not saved yet. {error.message} Saving is tried again."
            )
        )

    def _accepted(self) -> None:
        if self._failing:
            self._failing = False
            self._notices.remove("not_saved")
