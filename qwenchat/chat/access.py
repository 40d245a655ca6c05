"""One change at a time in each conversation, and everybody told of it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from qwenchat.chat.changes import Changes
from qwenchat.chat.collection import Conversations
from qwenchat.chat.conversations import Conversation
from qwenchat.chat.replies import Replies
from qwenchat.errors import ConversationNotFound, ReplyRunning
from qwenchat.store.rows import ConversationChanges


class Access:
    """The way to a conversation for whoever wants to change it.

    Whatever changes is in the store before it is in memory, so what the store refuses has
    not happened.
    """

    def __init__(self, conversations: Conversations, replies: Replies, changes: Changes) -> None:
        self.conversations = conversations
        self.replies = replies
        self.changes = changes

    @asynccontextmanager
    async def changing(
        self, conversation_id: str, *, idle: bool = False
    ) -> AsyncIterator[Conversation]:
        """The conversation, for one change at a time.

        Args:
            idle: Nothing may run in it; a reply that is stopping is waited for.

        Raises:
            ConversationNotFound: No conversation has this id.
            ReplyRunning: Nothing may run in it, and something does.
        """
        conversation = await self.conversations.get(conversation_id)
        async with conversation.lock:
            reply = self.replies.of(conversation_id)
            if idle and reply and reply.stopping:
                await reply.wait()
            if conversation.deleted:
                raise ConversationNotFound(
                    "This conversation was deleted meanwhile. Restore it, or start a new chat."
                )
            if idle and self.replies.of(conversation_id):
                raise ReplyRunning(
                    "This conversation is still being answered. Wait for the answer, or press "
                    "Stop first."
                )
            yield conversation

    def applied(self, conversation: Conversation, changes: ConversationChanges) -> None:
        """Make changes that the store has made, and tell of them."""
        for name, value in changes.items():
            setattr(conversation, name, value)
        conversation.revision += 1
        self.conversations.list(conversation)
        self.changes.notify()

    def appeared(self, conversation: Conversation) -> None:
        """Hold and list a conversation that the store has just got."""
        self.conversations.keep(conversation)
        self.changes.notify()
