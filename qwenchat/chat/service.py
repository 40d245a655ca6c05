"""What can be done with conversations: the one place where they, replies and engine meet."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from qwenchat.chat.changes import Changes
from qwenchat.chat.conversations import (
    UNTITLED,
    Conversation,
    Conversations,
    Message,
    Progress,
    title_of,
)
from qwenchat.chat.history import build_prompt
from qwenchat.chat.reply import Reply
from qwenchat.engine.protocol import Generate
from qwenchat.engine.seam import Engine
from qwenchat.errors import InvalidRequest, MessageNotFound, ReplyRunning
from qwenchat.sampling import SamplingParameters, parse_sampling


class Chat:
    """The conversations of this app and the replies that run in them.

    ``changes`` rings whenever a conversation, a reply or the engine's status changes.
    """

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.conversations = Conversations()
        self.changes = Changes()
        self._replies: dict[str, Reply] = {}
        self._unwatch = engine.watch(lambda _: self.changes.notify())

    def is_running(self, conversation_id: str) -> bool:
        """Whether the conversation is being answered now."""
        return conversation_id in self._replies

    def create(self, system_prompt: str = "", sampling: Mapping[str, Any] | None = None) -> str:
        """Begin an empty conversation and return its id.

        Raises:
            InvalidRequest: A sampling parameter is unknown or out of range.
        """
        conversation = Conversation(system_prompt, _checked_sampling(sampling or {}))
        self.conversations.add(conversation)
        self.changes.notify()
        return conversation.id

    def update(
        self,
        conversation_id: str,
        *,
        title: str | None = None,
        system_prompt: str | None = None,
        sampling: Mapping[str, Any] | None = None,
    ) -> None:
        """Change what is given and leave the rest.

        Raises:
            ConversationNotFound: No conversation has this id.
            InvalidRequest: The title is empty, or a sampling parameter is unknown or out of
                range; nothing was changed then.
        """
        conversation = self.conversations.get(conversation_id)
        if title is not None and not title.strip():
            raise InvalidRequest("A title needs at least one character.", param="title")
        if sampling is not None:
            conversation.sampling = _checked_sampling(sampling)
        if title is not None:
            conversation.title = title_of(title)
        if system_prompt is not None:
            conversation.system_prompt = system_prompt
        conversation.revision += 1
        self.conversations.revision += 1
        self.changes.notify()

    async def delete(self, conversation_id: str) -> None:
        """Stop what runs in a conversation and forget it.

        Raises:
            ConversationNotFound: No conversation has this id.
        """
        self.conversations.remove(conversation_id)
        self.changes.notify()
        await self.stop(conversation_id)

    async def send(self, conversation_id: str, content: str) -> tuple[Message, Message]:
        """Add a user's message and start answering it.

        Returns:
            The user's message and the assistant's, which fills from now on.

        Raises:
            ConversationNotFound: No conversation has this id.
            InvalidRequest: There is nothing but white space in ``content``.
            ReplyRunning: The conversation is still being answered.
        """
        if not content.strip():
            raise InvalidRequest("The message is empty. Write something first.", param="content")
        conversation = await self._idle(conversation_id)
        if conversation.leaf_id is None and conversation.title == UNTITLED:
            conversation.title = title_of(content)
        user = Message("user", content, conversation.leaf_id)
        conversation.add(user)
        return user, self._answer(conversation, user)

    async def regenerate(self, conversation_id: str) -> Message:
        """Answer the last user's message again; the earlier answer is kept beside it.

        Raises:
            ConversationNotFound: No conversation has this id.
            MessageNotFound: The conversation is empty.
            ReplyRunning: The conversation is still being answered.
        """
        conversation = await self._idle(conversation_id)
        user = next((m for m in reversed(conversation.path()) if m.role == "user"), None)
        if user is None:
            raise MessageNotFound("There is nothing to answer yet. Send a message first.")
        return self._answer(conversation, user)

    async def stop(self, conversation_id: str) -> None:
        """End the running reply, if there is one, and return when it has ended."""
        if reply := self._replies.get(conversation_id):
            await reply.stop()

    async def close(self) -> None:
        """Interrupt every reply because the app ends."""
        self._unwatch()
        await asyncio.gather(*(reply.interrupt() for reply in tuple(self._replies.values())))

    async def _idle(self, conversation_id: str) -> Conversation:
        """The conversation once nothing runs in it; a reply that is stopping is waited for."""
        reply = self._replies.get(conversation_id)
        if reply and reply.stopping:
            await reply.wait()
        conversation = self.conversations.get(conversation_id)
        if self.is_running(conversation_id):
            raise ReplyRunning(
                "This conversation is still being answered. Wait for the answer, or press "
                "Stop first."
            )
        return conversation

    def _answer(self, conversation: Conversation, user: Message) -> Message:
        message = Message("assistant", "", user.id, "streaming", Progress("waiting"))
        conversation.add(message)

        def build_request() -> Generate:
            return Generate(
                f"reply-{message.id}",
                build_prompt(conversation.system_prompt, conversation.path(user.id)),
                parse_sampling(conversation.sampling, self.engine.defaults),
            )

        def on_end() -> None:
            del self._replies[conversation.id]
            self.conversations.touch(conversation)
            self.changes.notify()

        self._replies[conversation.id] = Reply(
            self.engine, message, build_request, self.changes.notify, on_end
        )
        self.conversations.touch(conversation)
        self.changes.notify()
        return message


def _checked_sampling(values: Mapping[str, Any]) -> dict[str, Any]:
    checked = parse_sampling(values, SamplingParameters()).as_dict()
    return {name: checked[name] for name in values}
