"""The chat of this app: conversations, the replies that run in them, and what changes them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from dataclasses import replace
from logging import getLogger
from typing import Any, Literal, ParamSpec, TypeVar

from qwenchat.chat.access import Access
from qwenchat.chat.changes import Changes
from qwenchat.chat.collection import Conversations
from qwenchat.chat.conversations import Conversation, Message, new_id
from qwenchat.chat.edits import Edits
from qwenchat.chat.notices import Notice, Notices
from qwenchat.chat.personas import open_personas
from qwenchat.chat.presets import open_presets
from qwenchat.chat.replies import Replies
from qwenchat.chat.thinking_mode import Wish, checked_budget
from qwenchat.chat.turns import Turns
from qwenchat.chat.uploads import Uploads
from qwenchat.engine.seam import Engine
from qwenchat.errors import InvalidRequest, StoreError
from qwenchat.sampling import checked_sampling
from qwenchat.store.conversations import (
    delete_conversation,
    insert_conversation,
    purge_deleted,
    update_conversation,
)
from qwenchat.store.database import Job
from qwenchat.store.intake import keep_whole
from qwenchat.store.opening import Opened
from qwenchat.store.rows import ConversationChanges, ReplyLanguage

RESTORABLE_SECONDS = 90.0
"""How long what was deleted can be restored; then nothing of it is left."""
LONGEST_TITLE = 200

P = ParamSpec("P")
T = TypeVar("T")

_log = getLogger(__name__)


class Chat:
    """The conversations of this app and the replies that run in them.

    Attributes:
        changes: Rings whenever a conversation, a reply, a notice or the engine's status
            changes.
        turns: What makes the model write.
        edits: What changes single messages.
        personas: Whose settings a conversation can be given.
        presets: Sampling parameters by name.
        uploads: Files for messages.
    """

    def __init__(self, engine: Engine, opened: Opened) -> None:
        """Reads the list of conversations: not on a busy event loop."""
        self.engine = engine
        self.database = opened.database
        self.changes = Changes()
        self.conversations = Conversations(opened.database)
        self.notices = Notices(self.changes.notify)
        self._replies = Replies(engine, self.conversations, self.changes, self.notices)
        self._access = Access(self.conversations, self._replies, self.changes)
        self.turns = Turns(self._access, engine)
        self.edits = Edits(self._access)
        self.personas = open_personas(opened.database, self.changes.notify)
        self.presets = open_presets(opened.database, self.changes.notify)
        self.uploads = Uploads(opened.database, self.conversations)
        self._unwatch = engine.watch(lambda _: self.changes.notify())
        self._purging: asyncio.Task[None] | None = None
        if opened.recovery:
            self.notices.put(Notice("recovered", opened.recovery.message))

    def start(self) -> None:
        """Begin to remove for good what was deleted long enough ago."""
        self._purging = asyncio.create_task(self._purge(), name="purge")

    async def close(self) -> None:
        """Interrupt every reply because the app ends, and save everything."""
        self._unwatch()
        if self._purging:
            self._purging.cancel()
        await self._replies.close()

    async def read(self, job: Job[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """What a job reads from the store.

        Raises:
            StoreError: The database cannot be read. And whatever the job raises.
        """
        return await asyncio.wrap_future(self.database.read(job, *args, **kwargs))

    # ---- conversations

    def is_running(self, conversation_id: str) -> bool:
        """Whether the conversation is being answered now."""
        return self._replies.of(conversation_id) is not None

    async def create(
        self,
        system_prompt: str = "",
        sampling: Mapping[str, Any] | None = None,
        temporary: bool = False,
        thinking: Wish = None,
        thinking_budget: int | None = None,
        persona: str | None = None,
        reply_language: ReplyLanguage = "auto",
    ) -> Conversation:
        """Begin an empty conversation.

        Args:
            temporary: Nothing of it is written.
            thinking: Whether its answers are thought about, where the model has the choice.
            thinking_budget: Tokens of thinking at most, of each answer.
            persona: The id of that whose settings these are.
            reply_language: Of its answers.

        Raises:
            InvalidRequest: A sampling parameter is unknown or out of range.
            StoreError: It cannot be saved.
        """
        conversation = Conversation(
            system_prompt,
            checked_sampling(sampling or {}),
            temporary=temporary,
            thinking=thinking,
            thinking_budget=checked_budget(thinking_budget),
            persona=persona,
            reply_language=reply_language,
        )
        await self.conversations.write(insert_conversation, conversation, conversation.row())
        self._access.appeared(conversation)
        return conversation

    async def update(
        self,
        conversation_id: str,
        *,
        title: str | None = None,
        pinned: bool | None = None,
        system_prompt: str | None = None,
        sampling: Mapping[str, Any] | None = None,
        persona: str | None = None,
        reply_language: ReplyLanguage | None = None,
        thinking: Wish | Literal["same"] = "same",
        thinking_budget: int | None | Literal["same"] = "same",
    ) -> Conversation:
        """Change what is given and leave the rest.

        Raises:
            ConversationNotFound: No conversation has this id.
            InvalidRequest: The title is empty or too long, or a sampling parameter is
                unknown or out of range; nothing was changed then.
            StoreError: It cannot be saved; nothing was changed.
        """
        changes = ConversationChanges()
        if title is not None:
            changes["title"], changes["title_is_own"] = _checked_title(title), True
        if pinned is not None:
            changes["pinned"] = pinned
        if system_prompt is not None:
            changes["system_prompt"] = system_prompt
        if sampling is not None:
            changes["sampling"] = checked_sampling(sampling)
        if persona is not None:
            changes["persona"] = persona or None
        if reply_language is not None:
            changes["reply_language"] = reply_language
        if thinking != "same":
            changes["thinking"] = thinking
        if thinking_budget != "same":
            changes["thinking_budget"] = checked_budget(thinking_budget)
        async with self._access.changing(conversation_id) as conversation:
            await self.conversations.write(
                update_conversation, conversation, conversation.id, changes
            )
            self._access.applied(conversation, changes)
        return conversation

    async def delete(self, conversation_id: str) -> None:
        """Stop what runs in a conversation and delete it; it can be restored for a while.

        Raises:
            ConversationNotFound: No conversation has this id.
            StoreError: It cannot be saved; the conversation is still there.
        """
        async with self._access.changing(conversation_id) as conversation:
            await self.turns.stop(conversation_id)
            # Whoever restores it reads it anew.
            for message in conversation.messages.values():
                await self._replies.settle(message)
            await self.conversations.write(
                delete_conversation, conversation, conversation.id, time.time()
            )
            self.conversations.drop(conversation)
            self.changes.notify()

    async def restore(self, conversation_id: str) -> Conversation:
        """Undo the deletion of a conversation; one that is there stays as it is.

        Raises:
            ConversationNotFound: It is gone for good.
            StoreError: It cannot be saved.
        """
        if not self.conversations.is_there(conversation_id):
            await self.conversations.restore(conversation_id)
            self.changes.notify()
        return await self.conversations.get(conversation_id)

    async def fork(self, conversation_id: str, message_id: str) -> Conversation:
        """Begin a conversation with a copy of the path that leads to a message.

        Raises:
            ConversationNotFound: No conversation has this id.
            MessageNotFound: It has no such message.
            StoreError: It cannot be saved.
        """
        source = await self.conversations.get(conversation_id)
        path = source.path(source.message(message_id).id)
        copy = source.begun_anew()
        ids = {message.id: new_id() for message in path}
        for message in path:
            copy.add(_copied(message, ids))
        rows = [message.row(copy.id) for message in copy.messages.values()]
        await self.conversations.write(keep_whole, copy, copy.row(), rows)
        self._access.appeared(copy)
        return copy

    async def _purge(self) -> None:
        while True:
            try:
                await asyncio.wrap_future(
                    self.database.write(purge_deleted, time.time() - RESTORABLE_SECONDS)
                )
                await self.uploads.forget()
            except StoreError as error:
                _log.warning("Deleted conversations could not be removed: %s", error)
            except Exception:
                _log.exception("Deleted conversations could not be removed.")
            await self.personas.purge(RESTORABLE_SECONDS)
            await self.presets.purge(RESTORABLE_SECONDS)
            self.edits.forget(RESTORABLE_SECONDS)
            await asyncio.sleep(RESTORABLE_SECONDS / 2)


def _copied(message: Message, ids: Mapping[str, str]) -> Message:
    copy = replace(
        message,
        id=ids[message.id],
        parent_id=ids.get(message.parent_id or ""),
        first_read_id=ids.get(message.first_read_id or ""),
        progress=None,
    )
    if copy.state == "streaming":
        copy.state = "interrupted"
    return copy


def _checked_title(title: str) -> str:
    line = " ".join(title.split())
    if not line:
        raise InvalidRequest("A title needs at least one character.", param="title")
    if len(line) > LONGEST_TITLE:
        raise InvalidRequest(
            f"A title has at most {LONGEST_TITLE} characters; this one has {len(line):,}.",
            param="title",
        )
    return line
