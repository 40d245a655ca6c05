"""The list of conversations, and what of it changed since somebody last looked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from qwenchat.store.rows import Summary


class Summaries:
    """Every conversation as the list shows it, in memory: about 300 bytes each.

    ``revision`` grows with every change, and each id knows the revision of its last one,
    so whoever remembers a revision is told only what is new.
    """

    def __init__(self, kept: Iterable[Summary] = ()) -> None:
        self._by_id = {summary.id: summary for summary in kept}
        self._changed: dict[str, int] = {}
        """Ids, those of removed ones too, by when they changed, the latest last."""
        self.revision = 0

    def __len__(self) -> int:
        return len(self._by_id)

    def get(self, conversation_id: str) -> Summary | None:
        """The summary of that conversation, if it is in the list."""
        return self._by_id.get(conversation_id)

    def in_order(self) -> list[Summary]:
        """The list: pinned ones first, then those used last."""
        return sorted(
            self._by_id.values(), key=lambda s: (s.pinned, s.updated_at, s.id), reverse=True
        )

    def put(self, summary: Summary) -> None:
        """List a conversation, or list it differently."""
        self._by_id[summary.id] = summary
        self.note(summary.id)

    def remove(self, conversation_id: str) -> None:
        """List it no longer."""
        if self._by_id.pop(conversation_id, None):
            self.note(conversation_id)

    def note(self, conversation_id: str) -> None:
        """Something that is not in the summary itself changed, as that an answer runs."""
        self.revision += 1
        self._changed.pop(conversation_id, None)
        self._changed[conversation_id] = self.revision

    def changed_since(self, revision: int) -> Iterator[str]:
        """Ids of what changed after ``revision``, removed ones too, the latest first."""
        for conversation_id, changed in reversed(self._changed.items()):
            if changed <= revision:
                return
            yield conversation_id
