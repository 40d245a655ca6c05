"""Changing what was said: other words, other branches, less of it, and back."""

from __future__ import annotations

import time
from dataclasses import replace

from qwenchat.chat.access import Access
from qwenchat.chat.conversations import Conversation, Message, new_id
from qwenchat.errors import InvalidRequest, MessageNotFound
from qwenchat.store.conversations import update_conversation
from qwenchat.store.messages import delete_message, insert_messages, replace_text
from qwenchat.store.rows import ConversationChanges

_EARLIER = 0.001
"""Seconds by which the first old text of an edited answer is older than the answer itself."""


class Edits:
    """Changes to single messages. What was deleted is kept until :meth:`forget`."""

    def __init__(self, access: Access) -> None:
        self._access = access
        self._deleted: dict[tuple[str, str], tuple[float, list[Message], str | None]] = {}
        """By conversation and message: when (monotonic seconds), what went, and the leaf
        that was shown."""

    async def edit_answer(self, conversation_id: str, message_id: str, content: str) -> Message:
        """Give an answer another text; the old one stays beside it as an earlier version.

        Raises:
            ConversationNotFound: No conversation has this id.
            MessageNotFound: It has no such message.
            InvalidRequest: It is no answer, or the text is empty.
            ReplyRunning: The conversation is still being answered.
            StoreError: It cannot be saved; nothing was changed.
        """
        async with self._access.changing(conversation_id, idle=True) as conversation:
            message = conversation.message(message_id)
            if message.role != "assistant":
                raise InvalidRequest(
                    "Only an answer's text can be changed in place. Send a changed message "
                    "instead.",
                    param="message_id",
                )
            if not content.strip():
                raise InvalidRequest(
                    "The answer would be empty. Write something, or delete it.", param="content"
                )
            if content == message.content:
                return message
            await self._access.replies.settle(message)
            earlier = replace(message, id=new_id(), created_at=_just_before(conversation, message))
            edited = replace(
                message, content=content, edited=True, state="done", finish_reason="stop"
            )
            edited.error, edited.usage, edited.timings = None, None, None
            await self._access.conversations.write(
                replace_text,
                conversation,
                earlier.row(conversation.id),
                edited.row(conversation.id),
            )
            conversation.messages[message.id] = edited
            conversation.put_beside(earlier)
            self._access.changes.notify()
        return edited

    async def show(self, conversation_id: str, message_id: str) -> None:
        """Show the branch with a message, down to its newest leaf.

        Raises:
            ConversationNotFound: No conversation has this id.
            MessageNotFound: It has no such message.
            StoreError: It cannot be saved.
        """
        async with self._access.changing(conversation_id) as conversation:
            if conversation.message(message_id) in conversation.path():
                return
            leaf_id = conversation.newest_leaf(message_id)
            changes = ConversationChanges(leaf_id=leaf_id)
            await self._access.conversations.write(
                update_conversation, conversation, conversation.id, changes
            )
            self._access.applied(conversation, changes)

    async def delete(self, conversation_id: str, message_id: str) -> int:
        """Delete a message with everything below it; it can be restored for a while.

        Returns:
            How many messages went.

        Raises:
            ConversationNotFound: No conversation has this id.
            MessageNotFound: It has no such message.
            ReplyRunning: The conversation is still being answered.
            StoreError: It cannot be saved; nothing was deleted.
        """
        async with self._access.changing(conversation_id, idle=True) as conversation:
            gone = conversation.below(conversation.message(message_id).id)
            for message in gone:
                await self._access.replies.settle(message)
            was_shown = conversation.leaf_id
            leaf_id = await self._access.conversations.write(
                delete_message, conversation, message_id
            )
            if conversation.temporary:
                leaf_id = conversation.leaf_without(gone)
            conversation.remove(gone, leaf_id)
            self._deleted[conversation_id, message_id] = time.monotonic(), gone, was_shown
            self._access.changes.notify()
        return len(gone)

    async def restore(self, conversation_id: str, message_id: str) -> None:
        """Undo the deletion of a message; one that is there stays as it is.

        Raises:
            ConversationNotFound: No conversation has this id.
            MessageNotFound: It is gone for good, or what it answered is.
            ReplyRunning: The conversation is still being answered.
            StoreError: It cannot be saved.
        """
        async with self._access.changing(conversation_id, idle=True) as conversation:
            if message_id in conversation.messages:
                return
            key = conversation_id, message_id
            if key not in self._deleted:
                raise MessageNotFound(
                    "This message was never here, or was deleted too long ago to be restored. "
                    "Reload the page to see what is there."
                )
            _, gone, was_shown = self._deleted[key]
            if gone[0].parent_id is not None:
                conversation.message(gone[0].parent_id)
            # What was not shown comes back unseen: something else may be shown since then.
            is_shown = was_shown in {message.id for message in gone}
            changes = ConversationChanges(
                leaf_id=was_shown if is_shown else conversation.leaf_id or gone[-1].id
            )
            rows = [message.row(conversation.id) for message in gone]
            await self._access.conversations.write(insert_messages, conversation, rows, changes)
            self._deleted.pop(key, None)
            for message in gone:
                conversation.put_beside(message)
            self._access.applied(conversation, changes)

    def forget(self, older_than: float) -> None:
        """Let go of what was deleted longer ago than ``older_than`` seconds."""
        before = time.monotonic() - older_than
        self._deleted = {key: kept for key, kept in self._deleted.items() if kept[0] > before}


def _just_before(conversation: Conversation, message: Message) -> float:
    """A time between a message and the version before it, by which versions stay in order."""
    at = message.created_at
    older = [conversation.messages[key].created_at for key in conversation.versions(message)]
    return (at + max((time for time in older if time < at), default=at - 2 * _EARLIER)) / 2
