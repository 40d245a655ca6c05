"""The answers that are being written, each with its journal."""

from __future__ import annotations

import asyncio
from logging import getLogger

from qwenchat.chat.changes import Changes
from qwenchat.chat.collection import Conversations
from qwenchat.chat.conversations import Conversation, Message
from qwenchat.chat.journal import Journal, Unsaved
from qwenchat.chat.notices import Notices
from qwenchat.chat.reply import BuildTask, Reply
from qwenchat.engine.seam import Engine

LAST_TRY_SECONDS = 2.0
"""What saving the ends of answers may take when the app ends."""

_log = getLogger(__name__)


class Replies:
    """At most one running answer for each conversation."""

    def __init__(
        self, engine: Engine, conversations: Conversations, changes: Changes, notices: Notices
    ) -> None:
        self._engine = engine
        self._conversations = conversations
        self._changes = changes
        self._unsaved = Unsaved(notices)
        self._running: dict[str, Reply] = {}
        self._journals: dict[str, tuple[Journal, asyncio.Task[None]]] = {}
        """By message: what is not saved to its end yet."""

    def of(self, conversation_id: str) -> Reply | None:
        """The answer that runs in a conversation."""
        return self._running.get(conversation_id)

    def start(self, conversation: Conversation, message: Message, build_task: BuildTask) -> None:
        """Let ``message``, which streams and is in the store, be written."""
        reply = Reply(self._engine, message, build_task, self._changes.notify)
        self._running[conversation.id] = reply
        journal = Journal(self._conversations, conversation, message, self._unsaved)

        async def keep() -> None:
            try:
                await journal.follow(reply.task)
                await journal.finish()
            except Exception:
                _log.exception("An answer is not kept because of an error inside QwenChat.")
            self._journals.pop(message.id, None)

        self._journals[message.id] = journal, asyncio.create_task(keep(), name=f"keep {message.id}")
        reply.task.add_done_callback(lambda _: self._ended(conversation))
        self._changed(conversation)

    async def settle(self, message: Message) -> None:
        """See that the store has the end of a message that no longer grows.

        Raises:
            StoreError: The database refuses it.
        """
        if unsaved := self._journals.get(message.id):
            journal, task = unsaved
            await journal.finish_now()
            task.cancel()
            self._journals.pop(message.id, None)

    async def stop(self, conversation_id: str) -> None:
        """End the running answer, if there is one, and return when it has ended."""
        if reply := self._running.get(conversation_id):
            await reply.stop()

    async def close(self) -> None:
        """Interrupt every answer because the app ends, and save them."""
        await asyncio.gather(*(reply.interrupt() for reply in tuple(self._running.values())))
        tasks = [task for _, task in self._journals.values()]
        if not tasks:
            return
        await asyncio.wait(tasks, timeout=LAST_TRY_SECONDS)
        for message_id in self._journals:
            _log.error("The end of answer %s could not be saved.", message_id)
        for task in tasks:
            task.cancel()

    def _ended(self, conversation: Conversation) -> None:
        del self._running[conversation.id]
        self._changed(conversation)

    def _changed(self, conversation: Conversation) -> None:
        if conversation.temporary:
            # In no list, so only the conversation itself can tell whether it is answered.
            conversation.revision += 1
        else:
            self._conversations.summaries.note(conversation.id)
        self._changes.notify()
