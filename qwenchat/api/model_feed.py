"""What one page has been told of models, and so what it must be told next."""

from __future__ import annotations

from collections.abc import Iterator

from qwenchat.api.model_values import choice_value, download_value, verification_value
from qwenchat.api.values import Value
from qwenchat.hosting.choice import Choice
from qwenchat.hosting.models import Models
from qwenchat.hosting.verifying import Verification

PROGRESS_SECONDS = 0.2
"""Between two frames about downloads at least, and between two about a verification."""


class ModelFeed:
    """The frames about models for one page; see :class:`qwenchat.api.feed.Feed`.

    ``pending`` says, after :meth:`frames`, that one was held back because the last one is too
    fresh.
    """

    def __init__(self, models: Models) -> None:
        self._models = models
        self._revision = 0
        self._choice: Choice | None = None
        self._downloads_revision = 0
        self._downloads_at = -PROGRESS_SECONDS
        self._verification: Verification | None = None
        self._verification_at = -PROGRESS_SECONDS
        self.pending = False

    def frames(self, now: float) -> Iterator[Value]:
        """What changed since the last call; ``now`` is in seconds."""
        self.pending = False
        revision, choice = self._models.revision, self._models.choice
        if (revision, choice) != (self._revision, self._choice):
            self._revision, self._choice = revision, choice
            yield {"type": "models", "revision": revision, "choice": choice_value(choice)}
        if self._downloads_revision != self._models.downloads_revision:
            if now - self._downloads_at < PROGRESS_SECONDS:
                self.pending = True
            else:
                self._downloads_revision = self._models.downloads_revision
                self._downloads_at = now
                found = [download_value(download) for download in self._models.downloads]
                yield {"type": "downloads", "downloads": found}
        verification = self._models.verification
        if verification is not self._verification:
            if now - self._verification_at < PROGRESS_SECONDS:
                self.pending = True
            else:
                self._verification, self._verification_at = verification, now
                yield {"type": "verification", "verification": verification_value(verification)}
