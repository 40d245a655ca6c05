"""A chat over a scripted engine and a store of its own, and what the store really has."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from qwenchat.chat.conversations import Conversation, Message
from qwenchat.chat.service import Chat
from qwenchat.engine.fake import FakeEngine, Script
from qwenchat.store.connections import DATABASE_NAME, connect_reader
from qwenchat.store.conversations import load_conversation
from qwenchat.store.opening import open_store
from qwenchat.store.rows import ConversationRow, MessageRow

ENDLESS = Script(["word "] * 100_000, 0.001)

Everything = tuple[ConversationRow, dict[str, MessageRow]]


@dataclass
class Running:
    """A chat that runs in ``folder``."""

    chat: Chat
    engine: FakeEngine
    folder: Path

    async def begin(self, *questions: str, **settings: Any) -> Conversation:
        """A conversation with answered questions."""
        conversation = await self.chat.create(**settings)
        for question in questions:
            await self.chat.turns.send(conversation.id, question)
            await self.ended(conversation.id)
        return conversation

    async def ended(self, conversation_id: str) -> Message:
        """The last message shown, once nothing runs and all of it is saved."""
        await self.settled(conversation_id)
        return (await self.chat.conversations.get(conversation_id)).path()[-1]

    async def settled(self, conversation_id: str) -> None:
        """Return once nothing runs in the conversation and everything is saved."""
        while self.chat.is_running(conversation_id) or self.chat._replies._journals:
            await asyncio.sleep(0.002)

    def stored(self, conversation_id: str) -> Everything:
        """What somebody else finds in the database file now."""
        with contextlib.closing(connect_reader(self.folder / DATABASE_NAME)) as connection:
            row, rows = load_conversation(connection, conversation_id)
        return row, {message.id: message for message in rows}


Story = Callable[[Running], Awaitable[None]]


@contextlib.asynccontextmanager
async def running(folder: Path, engine: FakeEngine | None = None) -> AsyncIterator[Running]:
    """A chat for the length of a block; what its tasks let fall is an error."""
    engine = engine or FakeEngine()
    lost: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: lost.append(context))
    await engine.start()
    chat = Chat(engine, open_store(folder))
    try:
        yield Running(chat, engine, folder)
    finally:
        await chat.close()
        chat.database.close()
        await engine.close()
    assert not lost, lost


def run(folder: Path, story: Story, engine: FakeEngine | None = None) -> None:
    """Let ``story`` happen in a chat that keeps its data in ``folder``."""

    async def whole() -> None:
        async with asyncio.timeout(20), running(folder, engine) as here:
            await story(here)

    asyncio.run(whole())


def held(conversation: Conversation) -> Everything:
    """A conversation as memory has it, in the words of the store."""
    rows = {key: message.row(conversation.id) for key, message in conversation.messages.items()}
    return conversation.row(), rows


def shown(conversation: Conversation) -> list[str]:
    """The texts that a page shows."""
    return [message.content for message in conversation.path()]


def as_if_killed(folder: Path, copy: Path) -> Path:
    """What the disk has while the app goes on, in a folder of its own."""
    copy.mkdir()
    for file in folder.glob(DATABASE_NAME + "*"):
        if not file.name.endswith("-shm"):
            shutil.copyfile(file, copy / file.name)
    return copy


async def until(holds: Callable[[], bool]) -> None:
    """Return once ``holds()``; the story's time limit is the limit."""
    while not holds():
        await asyncio.sleep(0.005)


def echo(count: int = 1) -> FakeEngine:
    """An engine that answers with the last question, numbered."""
    numbers = iter(range(1, 10_000))
    return FakeEngine(
        lambda request: Script([f"{request.messages[-1].content}! ", f"{next(numbers)}"] * count)
    )
