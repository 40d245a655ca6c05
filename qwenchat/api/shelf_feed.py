"""What one page has been told of personas and presets, and so what it must be told next."""

from __future__ import annotations

from collections.abc import Iterator

from qwenchat.api.values import Value
from qwenchat.chat.shelf import Kept, Shelf


class ShelfFeed:
    """The frames about shelves for one page; see :class:`qwenchat.api.feed.Feed`."""

    def __init__(self, *shelves: Shelf) -> None:
        self._told = dict.fromkeys(shelves, 0)

    def frames(self) -> Iterator[Value]:
        """All of a shelf, when something of it changed since the last call."""
        for shelf, revision in self._told.items():
            if revision != shelf.revision:
                self._told[shelf] = shelf.revision
                kind = shelf.kind.shelf
                yield {"type": kind, kind: [kept_value(kept) for kept in shelf.all()]}


def kept_value(kept: Kept) -> Value:
    """A persona or a preset."""
    return {"id": kept.id, "builtin": kept.builtin, **kept.value}
