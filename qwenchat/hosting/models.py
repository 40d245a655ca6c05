"""The models of this app as the page has them: seen, judged, fetched, chosen, checked, deleted."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from qwenchat.engine.seam import EngineStatus
from qwenchat.hosting.checking import Checked, Checker
from qwenchat.hosting.choice import Choice, choose
from qwenchat.hosting.fetching import start_download
from qwenchat.hosting.hosting import Hosting
from qwenchat.hosting.installed import find_by_id, require
from qwenchat.hosting.machine import is_offline
from qwenchat.hosting.offers import Offers, offers
from qwenchat.hosting.revealing import find_opener, reveal
from qwenchat.hosting.verifying import Verification, Verifier
from qwenchat.models.download_state import Download
from qwenchat.models.installed_model import InstalledModel


class Models:
    """See the module. Everything slow is done on threads.

    Attributes:
        revision: Higher whenever :meth:`offers` would say something new, the memory and disk
            that are free just then aside.
        downloads_revision: Higher whenever :attr:`downloads` are other ones.

    Args:
        on_change: Called on the event loop whenever any of what pages are told changes.
    """

    def __init__(self, hosting: Hosting, on_change: Callable[[], None]) -> None:
        self._hosting = hosting
        self._on_change = on_change
        self._checker = Checker(hosting)
        self._verifier = Verifier(hosting.library, on_change)
        self._active: set[str] = set()
        self._engine_state = hosting.engine.status.state
        self.revision = 1
        self.downloads_revision = 0
        hosting.downloads.on_change(self._download_changed)
        hosting.switcher.watch(self._bump)
        hosting.engine.watch(self._engine_changed)

    # ---- what there is

    @property
    def choice(self) -> Choice:
        """What is loaded or loading."""
        return self._hosting.switcher.choice

    @property
    def downloads(self) -> list[Download]:
        """All that are known, however they are."""
        return self._hosting.downloads.all()

    @property
    def verification(self) -> Verification | None:
        """The check of a model's files that runs or ran last."""
        return self._verifier.current

    @property
    def offline(self) -> bool:
        """Whether the network is left alone."""
        return is_offline(self._hosting.settings)

    @property
    def can_reveal(self) -> bool:
        """Whether this machine's file manager can show a folder to who looks at the page."""
        return find_opener(self._hosting.settings) is not None

    async def offers(self) -> Offers:
        """All models, those of the catalogue and those on this machine; asks nobody outside."""
        hosting = self._hosting
        machine, here = await asyncio.gather(self._checker.machine(), self._checker.here())
        in_use = hosting.switcher.snapshot
        if in_use is None and (chosen := find_by_id(here, self.choice.model)):
            in_use = chosen.path
        return await asyncio.to_thread(offers, machine, here, in_use, hosting.settings)

    async def check(self, value: str) -> Checked:
        """Judge a model; see :meth:`Checker.check`."""
        return await self._checker.check(value)

    # ---- which one is loaded

    async def switch(self, value: str, context_length: int | None, dtype: str) -> None:
        """Have the engine load the model a person named; see :meth:`Switcher.switch`.

        Raises:
            ModelNotFound: ``value`` means nothing.
            InvalidRequest: Another value is out of range.
            ModelError: It cannot be loaded, as is known beforehand. Nothing has changed.
        """
        choice = await asyncio.to_thread(choose, value, context_length, dtype)
        await self._hosting.switcher.switch(choice)

    # ---- downloads

    async def start_download(self, value: str, *, check: bool) -> Download:
        """Begin or go on; see :func:`start_download`."""
        hosting = self._hosting
        return await start_download(
            hosting.downloads, self._checker, hosting.settings, value, check=check
        )

    async def pause_download(self, model_id: str) -> Download:
        """Stop one and keep what has arrived; see :meth:`Downloads.pause`."""
        return await self._hosting.downloads.pause(model_id)

    def resume_download(self, model_id: str) -> Download:
        """Go on with one; see :meth:`Downloads.resume`."""
        return self._hosting.downloads.resume(model_id)

    async def cancel_download(self, model_id: str) -> Download:
        """Stop one and delete what has arrived, or clear away one that is over.

        Raises:
            ModelNotFound: There is no download of this model.
            InvalidRequest: Another process is downloading it.
            DataFolderUnusable: What has arrived cannot be deleted.
        """
        downloads = self._hosting.downloads
        before = downloads.get(model_id)
        if before is not None and before.state in ("done", "cancelled"):
            downloads.forget(model_id)
            return before
        return await downloads.cancel(model_id)

    # ---- models on this machine

    async def delete(self, model_id: str) -> int:
        """Delete a model of the data folder; returns the bytes that are free again.

        Raises:
            ModelNotFound: It is not here.
            InvalidRequest: It is in use, being downloaded, or not ours.
            DataFolderUnusable: It cannot be deleted.
        """
        model = await self._find(model_id)
        hosting = self._hosting

        def delete() -> int:
            # What is in use is asked at the last moment: a model may have been chosen since.
            return hosting.library.delete_model(model, in_use=hosting.switcher.in_use)

        freed = await asyncio.to_thread(delete)
        hosting.downloads.forget(model_id)
        self._bump()
        return freed

    async def verify(self, model_id: str) -> None:
        """Begin to read all of a model; how it goes is :attr:`verification`.

        Raises:
            ModelNotFound: It is not here.
            VerificationRunning: Another one is being read.
        """
        self._verifier.check_free()
        self._verifier.start(await self._find(model_id))

    async def cancel_verification(self) -> None:
        """End a running one, or clear away one that ended."""
        await self._verifier.cancel()

    async def reveal(self, model_id: str) -> None:
        """Have the file manager show a model's folder.

        Raises:
            ModelNotFound: It is not here.
            InvalidRequest: There is no file manager that could; the message gives the path.
        """
        model = await self._find(model_id)
        await asyncio.to_thread(reveal, model.path, self._hosting.settings)

    async def close(self) -> None:
        """End what runs, because the app ends. Downloads are the hosting's to end."""
        await self._verifier.close()

    # ---- what changes

    async def _find(self, model_id: str) -> InstalledModel:
        return require(await self._checker.here(), model_id)

    def _bump(self) -> None:
        self.revision += 1
        self._on_change()

    def _download_changed(self, model_id: str) -> None:
        self.downloads_revision += 1
        download = self._hosting.downloads.get(model_id)
        if download is not None and download.active:
            self._active.add(model_id)
        elif model_id in self._active:
            # It may be there now, and the disk has less room.
            self._active.discard(model_id)
            self.revision += 1
        self._on_change()

    def _engine_changed(self, status: EngineStatus) -> None:
        before, self._engine_state = self._engine_state, status.state
        if status.state != before and status.state in ("ready", "failed"):
            # The folder in use is known now, when it was used last, and what memory is left.
            self._bump()
