"""What the app has about models while it runs, as one value."""

from __future__ import annotations

from dataclasses import dataclass
from logging import getLogger

from qwenchat.engine.seam import Engine
from qwenchat.hosting.choice import DEMO, Choice
from qwenchat.hosting.preparing import Preparer
from qwenchat.hosting.switcher import Switcher
from qwenchat.models.downloads import Downloads
from qwenchat.models.library import Library
from qwenchat.settings import Settings

_log = getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Hosting:
    """The engine, and everything about the models it may load."""

    settings: Settings
    engine: Engine
    downloads: Downloads
    library: Library
    switcher: Switcher

    async def start(self) -> None:
        """Find the downloads that were interrupted."""
        try:
            await self.downloads.find_unfinished()
        except OSError as error:
            _log.warning("Downloads that were interrupted cannot be looked for: %s", error)

    async def close(self) -> None:
        """End what runs beside the engine, after the engine: to that a download that is
        stopped looks like one that failed."""
        await self.downloads.close()
        await self.switcher.close()


def host(
    settings: Settings,
    engine: Engine,
    *,
    preparer: Preparer | None = None,
    choice: Choice = DEMO,
    fallback: Choice | None = None,
) -> Hosting:
    """Everything about models, around an engine.

    Args:
        engine: Which loads ``choice``, and ``fallback`` when it cannot.
        preparer: Which prepares them; None for a new one.
    """
    preparer = preparer or Preparer.of(settings)
    switcher = Switcher(engine, preparer, choice, fallback)
    return Hosting(settings, engine, preparer.downloads, preparer.library, switcher)
