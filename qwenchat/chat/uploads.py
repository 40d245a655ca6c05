"""Files that were uploaded: read as text at once, kept until they are sent or a day old."""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from qwenchat.chat.collection import Conversations
from qwenchat.chat.conversations import new_id
from qwenchat.errors import InvalidRequest
from qwenchat.files.convert import convert
from qwenchat.files.kinds import clean_name
from qwenchat.files.sections import checked_range, count_of
from qwenchat.store.database import Database
from qwenchat.store.rows import Attachment
from qwenchat.store.uploads import delete_file, keep_file, load_file, purge_files

KEPT_SECONDS = 24 * 3600.0
MOST_FILES = 20
"""In one message."""
CONVERTED_AT_ONCE = 2
REMEMBERED = 8
"""Files that stay in memory after they were used, because each keystroke measures them."""
KEPT_TEMPORARY = 40
"""Files of temporary chats that wait to be sent; the oldest of more are gone."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A file that goes along with a message, and the range of it that the model is to read.

    Attributes:
        first: From 1 on; None is the first there is.
        last: Likewise the last.
    """

    id: str
    first: int | None = None
    last: int | None = None


class Uploads:
    """Uploaded files by id, and those of messages."""

    def __init__(self, database: Database, conversations: Conversations) -> None:
        self._database = database
        self._conversations = conversations
        self._converting = asyncio.Semaphore(CONVERTED_AT_ONCE)
        self._recent: OrderedDict[str, Attachment] = OrderedDict()
        self._temporary: OrderedDict[str, tuple[float, Attachment]] = OrderedDict()
        """With the time (monotonic seconds) when each came."""

    async def add(self, path: Path, name: str, *, temporary: bool = False) -> Attachment:
        """Read the file at ``path`` and keep its text; the file itself is not kept.

        Args:
            name: As the person knows it.
            temporary: It is for a temporary chat, so nothing of it is written.

        Raises:
            UnsupportedFile: It is of a kind that is not read.
            UnreadableFile: It is damaged, locked, or has no text.
            StoreError: It cannot be saved.
        """
        name = clean_name(name)
        async with self._converting:
            found = await convert(path, name)
        count = count_of(found.text, found.unit)
        size = path.stat().st_size
        file = Attachment(
            new_id(), name, found.kind, size, found.unit, count, found.text, cut=found.cut
        )
        if temporary:
            self._temporary[file.id] = time.monotonic(), file
            while len(self._temporary) > KEPT_TEMPORARY:
                self._temporary.popitem(last=False)
        else:
            await asyncio.wrap_future(self._database.write(keep_file, file, time.time()))
            self._remember(file)
        return file

    async def get(self, file_id: str, conversation_id: str | None = None) -> Attachment:
        """The file of that id: an uploaded one, or one of the conversation's messages.

        Raises:
            AttachedFileNotFound: There is none, or no longer.
            ConversationNotFound: No conversation has that id.
            StoreError: The database cannot be read.
        """
        if file_id in self._temporary:
            return self._temporary[file_id][1]
        if file_id in self._recent:
            self._recent.move_to_end(file_id)
            return self._recent[file_id]
        if conversation_id is not None:
            conversation = await self._conversations.get(conversation_id)
            for message in conversation.messages.values():
                for attachment in message.attachments:
                    if attachment.id == file_id:
                        return attachment
        file = await asyncio.wrap_future(self._database.read(load_file, file_id))
        self._remember(file)
        return file

    async def choose(
        self, choices: Sequence[Choice], conversation_id: str | None = None
    ) -> tuple[Attachment, ...]:
        """The files of a message that is to be sent, or measured.

        Args:
            conversation_id: Whose messages' files may be chosen again.

        Raises:
            AttachedFileNotFound: One is not there, or no longer.
            InvalidRequest: They are too many, or a range is none of its file's.
            ConversationNotFound: No conversation has that id.
            StoreError: The database cannot be read.
        """
        if len(choices) > MOST_FILES:
            raise InvalidRequest(
                f"A message takes {MOST_FILES} files at most; these are {len(choices)}. Remove "
                "some, or send them in parts.",
                param="files",
            )
        found: list[Attachment] = []
        for choice in choices:
            file = await self.get(choice.id, conversation_id)
            first, last = checked_range(choice.first, choice.last, file.count)
            found.append(replace(file, first=first, last=last))
        return tuple(found)

    async def delete(self, file_id: str) -> None:
        """Forget an uploaded file; messages that it was sent with keep it.

        Raises:
            StoreError: It cannot be saved.
        """
        self._recent.pop(file_id, None)
        if self._temporary.pop(file_id, None) is None:
            await asyncio.wrap_future(self._database.write(delete_file, file_id))

    async def forget(self, older_than: float = KEPT_SECONDS) -> None:
        """Let go of files uploaded longer ago than ``older_than`` seconds.

        Raises:
            StoreError: It cannot be saved.
        """
        before = time.monotonic() - older_than
        for file_id in [key for key, (at, _) in self._temporary.items() if at < before]:
            del self._temporary[file_id]
        gone = await asyncio.wrap_future(
            self._database.write(purge_files, time.time() - older_than)
        )
        if gone:
            self._recent.clear()

    def _remember(self, file: Attachment) -> None:
        self._recent[file.id] = file
        while len(self._recent) > REMEMBERED:
            self._recent.popitem(last=False)
