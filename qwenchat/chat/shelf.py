"""Named things that the person keeps for all conversations, beside those that come with the app.

Personas and presets are both such a shelf: they are few, all in memory, and each is read,
written, shared and deleted as a whole.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from logging import getLogger
from typing import Any

from qwenchat.chat.conversations import new_id
from qwenchat.chat.shelf_values import free_name
from qwenchat.errors import InvalidRequest, NotOnShelf, QwenChatError, StoreError
from qwenchat.store import shelves as jobs
from qwenchat.store.database import Database

MOST = 200
FORMAT_VERSION = 1

_log = getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Kept:
    """One thing of a shelf.

    Attributes:
        builtin: It came with the app and cannot be changed.
        value: What it is, by the names of the page's protocol, ``name`` among them.
    """

    id: str
    builtin: bool
    value: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Kind:
    """What a shelf holds.

    Attributes:
        shelf: The table, and the name of the list in an exported file.
        noun: In messages.
        fields: Of a value, ``name`` first.
        check: The value that is kept, of one that somebody gives; raises InvalidRequest.
        builtin: What comes with the app.
    """

    shelf: jobs.Shelf
    noun: str
    fields: tuple[str, ...]
    check: Callable[[Mapping[str, Any]], dict[str, Any]]
    builtin: tuple[Kept, ...]


class Shelf:
    """The things of one kind; ``on_change`` is called when they change.

    Attributes:
        revision: Grows with every change.
    """

    def __init__(self, database: Database, kind: Kind, on_change: Callable[[], None]) -> None:
        """Reads them: not on a busy event loop."""
        self.kind = kind
        self.revision = 1
        self._database = database
        self._on_change = on_change
        self._own: dict[str, Kept] = {}
        self._take(database.read(jobs.list_kept, kind.shelf).result())

    def all(self) -> tuple[Kept, ...]:
        """What comes with the app, then the person's own, oldest first."""
        return (*self.kind.builtin, *self._own.values())

    async def add(self, value: Mapping[str, Any]) -> Kept:
        """Keep a new one.

        Raises:
            InvalidRequest: A field is missing or wrong, or there are too many.
            StoreError: It cannot be saved.
        """
        self._check_room(1)
        (kept,) = await self._keep([(new_id(), self.kind.check(value))])
        return kept

    async def replace(self, key: str, value: Mapping[str, Any]) -> Kept:
        """Give one of the person's own another value.

        Raises:
            NotOnShelf: There is none of this id.
            InvalidRequest: It came with the app, or a field is missing or wrong.
            StoreError: It cannot be saved; it is as before.
        """
        self._own_one(key)
        (kept,) = await self._keep([(key, self.kind.check(value))])
        return kept

    async def delete(self, key: str) -> None:
        """Delete one of the person's own; it can be restored for a while.

        Raises:
            NotOnShelf: There is none of this id.
            InvalidRequest: It came with the app.
            StoreError: It cannot be saved; it is still there.
        """
        self._own_one(key)
        await self._write(jobs.mark_deleted, self.kind.shelf, key, time.time())
        self._own.pop(key, None)
        self._changed()

    async def restore(self, key: str) -> Kept:
        """Undo a deletion; one that is there stays as it is.

        Raises:
            NotOnShelf: It is gone for good.
            StoreError: It cannot be saved.
        """
        if key in self._own:
            return self._own[key]
        await self._write(jobs.mark_deleted, self.kind.shelf, key, None)
        self._take(await asyncio.wrap_future(self._database.read(jobs.list_kept, self.kind.shelf)))
        self._changed()
        return self._own_one(key)

    async def purge(self, older_than: float) -> None:
        """Remove for good what was deleted longer ago than ``older_than`` seconds."""
        try:
            await self._write(jobs.purge_kept, self.kind.shelf, time.time() - older_than)
        except StoreError as error:
            _log.warning("Deleted %ss could not be removed: %s", self.kind.noun, error)

    def export(self, keys: Sequence[str] = ()) -> dict[str, Any]:
        """The person's own, or those of ``keys``, as the JSON object of a file.

        Raises:
            NotOnShelf: There is none, or none of a key.
            InvalidRequest: A key is that of one that came with the app.
        """
        found = [self._own_one(key) for key in keys] or list(self._own.values())
        if not found:
            raise NotOnShelf(
                f"There is no {self.kind.noun} of your own to export yet. Make one first."
            )
        return {
            "format": self._format,
            "version": FORMAT_VERSION,
            self.kind.shelf: [kept.value for kept in found],
        }

    async def import_(self, loaded: Mapping[str, Any]) -> list[Kept]:
        """Keep what :meth:`export` wrote, all of it or nothing; a name that is taken gets a
        number behind it.

        Raises:
            InvalidRequest: It is no such file, or something in it is wrong.
            StoreError: It cannot be saved.
        """
        if loaded.get("format") != self._format:
            raise InvalidRequest(
                f"This file holds no {self.kind.noun}s. Choose one that QwenChat exported "
                f"as {self.kind.noun}s.",
                param="file",
            )
        version = loaded.get("version")
        if version != FORMAT_VERSION:
            raise InvalidRequest(
                f"This file was made by another version of QwenChat (format {version!r:.20}; "
                f"this one reads {FORMAT_VERSION}). Export it there again, or update QwenChat.",
                param="file",
            )
        values = loaded.get(self.kind.shelf)
        if not isinstance(values, list) or not values:
            raise InvalidRequest(
                f"There is no {self.kind.noun} in this file. Choose another one.", param="file"
            )
        self._check_room(len(values))
        names = {kept.value["name"] for kept in self._own.values()}
        for kept in self.kind.builtin:
            names |= set(kept.value["name"].values())
        items = []
        for number, value in enumerate(values, start=1):
            checked = self._checked_of_file(value, number)
            checked["name"] = free_name(checked["name"], names)
            names.add(checked["name"])
            items.append((new_id(), checked))
        return await self._keep(items)

    def _take(self, rows: Sequence[tuple[str, Mapping[str, Any]]]) -> None:
        self._own = {}
        for key, value in rows:
            try:
                self._own[key] = Kept(key, False, self.kind.check(value))
            except InvalidRequest as problem:
                # Left in the database, for a version that understands it.
                _log.warning("A %s cannot be used: %s", self.kind.noun, problem)

    @property
    def _format(self) -> str:
        return f"qwenchat-{self.kind.shelf}"

    def _checked_of_file(self, value: Any, number: int) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise InvalidRequest(
                f"Nothing was imported: {self.kind.noun} {number} of the file is no object. "
                "Correct the file, or export it again.",
                param="file",
            )
        try:
            return self.kind.check({key: value[key] for key in self.kind.fields if key in value})
        except InvalidRequest as problem:
            raise InvalidRequest(
                f"Nothing was imported: {self.kind.noun} {number} of the file is wrong. "
                f"{problem.message}",
                param="file",
            ) from None

    def _check_room(self, more: int) -> None:
        if len(self._own) + more > MOST:
            raise InvalidRequest(
                f"At most {MOST} {self.kind.noun}s of your own can be kept, and there are "
                f"{len(self._own)}. Delete one you no longer use."
            )

    def _own_one(self, key: str) -> Kept:
        if key in self._own:
            return self._own[key]
        if any(kept.id == key for kept in self.kind.builtin):
            raise InvalidRequest(
                f"This {self.kind.noun} comes with QwenChat and stays as it is. Duplicate it, "
                "and change the copy."
            )
        raise self._missing()

    def _missing(self) -> QwenChatError:
        return NotOnShelf(
            f"This {self.kind.noun} does not exist, or was deleted too long ago to be restored. "
            "Choose another one."
        )

    async def _keep(self, items: Sequence[tuple[str, dict[str, Any]]]) -> list[Kept]:
        await self._write(jobs.keep, self.kind.shelf, items)
        kept = [Kept(key, False, value) for key, value in items]
        self._own |= {one.id: one for one in kept}
        self._changed()
        return kept

    async def _write(self, job: Any, *args: Any) -> Any:
        return await asyncio.wrap_future(self._database.write(job, *args))

    def _changed(self) -> None:
        self.revision += 1
        self._on_change()
