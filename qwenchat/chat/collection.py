"""All conversations: those in use in memory, the others in the store."""

from __future__ import annotations

import asyncio
import weakref
from collections import OrderedDict
from typing import ParamSpec, TypeVar

from qwenchat.chat.conversations import Conversation
from qwenchat.chat.summaries import Summaries
from qwenchat.errors import ConversationNotFound
from qwenchat.store.conversations import load_conversation, load_settings, restore_conversation
from qwenchat.store.database import Database, Job
from qwenchat.store.listing import list_summaries
from qwenchat.store.rows import ConversationRow, Summary

P = ParamSpec("P")
T = TypeVar("T")

KEPT_LOADED = 32
"""Conversations that stay in memory after they were used. One that is being answered or
looked at stays anyway."""
KEPT_TEMPORARY = 100
"""Likewise; the oldest of the others are gone for good."""


class Conversations:
    """Conversations by id, each loaded once for all who use it.

    Attributes:
        summaries: The list of those that are kept.
    """

    def __init__(self, database: Database) -> None:
        """Reads the list: not for an event loop."""
        self._database = database
        listed = database.read(list_summaries, limit=1_000_000).result()
        self.summaries = Summaries(listed.items)
        # Weak, so that two who use a conversation always use the same one.
        self._loaded: weakref.WeakValueDictionary[str, Conversation] = weakref.WeakValueDictionary()
        self._recent: OrderedDict[str, Conversation] = OrderedDict()
        self._temporary: OrderedDict[str, Conversation] = OrderedDict()
        self._loading: dict[str, asyncio.Task[Conversation]] = {}

    async def get(self, conversation_id: str) -> Conversation:
        """The conversation of that id.

        Raises:
            ConversationNotFound: There is none, or no longer.
            StoreError: The database cannot be read.
        """
        found = self.in_memory(conversation_id)
        if found is None:
            if not self.is_there(conversation_id):
                raise _not_found()
            # One load for all who ask at the same time, whoever of them is cancelled.
            loading = self._loading.get(conversation_id)
            if loading is None:
                loading = asyncio.create_task(self._load(conversation_id))
                self._loading[conversation_id] = loading
            found = await asyncio.shield(loading)
        self._use(found)
        return found

    def in_memory(self, conversation_id: str) -> Conversation | None:
        """The conversation if it is loaded and not deleted."""
        found = self._loaded.get(conversation_id)
        return found if found and not found.deleted else None

    def is_there(self, conversation_id: str) -> bool:
        """Whether there is a conversation of that id that is not deleted."""
        return bool(self.summaries.get(conversation_id) or self.in_memory(conversation_id))

    async def write(
        self, job: Job[P, T], conversation: Conversation, *args: P.args, **kwargs: P.kwargs
    ) -> T | None:
        """Have the store run a job about a conversation; nothing for a temporary one.

        Raises:
            StoreError: It was not done.
        """
        if conversation.temporary:
            return None
        return await asyncio.wrap_future(self._database.write(job, *args, **kwargs))

    def keep(self, conversation: Conversation) -> None:
        """Hold a conversation that was just made, and list it."""
        self._loaded[conversation.id] = conversation
        self._use(conversation)
        self.list(conversation)

    def list(self, conversation: Conversation) -> None:
        """Have the list show a conversation as it is now."""
        if not conversation.temporary and not conversation.deleted:
            self.list_row(conversation.row())

    def drop(self, conversation: Conversation) -> None:
        """Forget a conversation; whoever still has it sees that it is deleted."""
        conversation.deleted = True
        for holder in (self._recent, self._temporary, self._loaded):
            holder.pop(conversation.id, None)
        self.summaries.remove(conversation.id)

    async def restore(self, conversation_id: str) -> None:
        """List a conversation again that the store still has.

        Raises:
            ConversationNotFound: It has it no longer.
            StoreError: It cannot be saved.
        """
        await asyncio.wrap_future(self._database.write(restore_conversation, conversation_id))
        self.list_row(
            await asyncio.wrap_future(self._database.read(load_settings, conversation_id))
        )

    def list_row(self, row: ConversationRow) -> None:
        """List a conversation that the store has."""
        self.summaries.put(Summary(row.id, row.title, row.updated_at, row.pinned))

    def _use(self, conversation: Conversation) -> None:
        held, most = self._recent, KEPT_LOADED
        if conversation.temporary:
            held, most = self._temporary, KEPT_TEMPORARY
        held[conversation.id] = conversation
        held.move_to_end(conversation.id)
        while len(held) > most:
            held.popitem(last=False)

    async def _load(self, conversation_id: str) -> Conversation:
        try:
            row, rows = await asyncio.wrap_future(
                self._database.read(load_conversation, conversation_id)
            )
            conversation = await asyncio.to_thread(Conversation.of_rows, row, rows)
            self._loaded[conversation_id] = conversation
            return conversation
        finally:
            del self._loading[conversation_id]


def _not_found() -> ConversationNotFound:
    return ConversationNotFound(
        "This conversation does not exist, or was deleted. Choose another one from the list, "
        "or start a new chat."
    )
