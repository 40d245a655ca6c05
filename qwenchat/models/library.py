"""The models on this machine: those of the data folder, and those other programs have fetched."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import stat
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from qwenchat.errors import DownloadFailed, InvalidRequest, ModelError, ModelNotFound
from qwenchat.models.caches import CachedSnapshot, cached_snapshots
from qwenchat.models.demo import DEMO_FOLDER, DEMO_NAME
from qwenchat.models.download import list_of_hub
from qwenchat.models.folders import destination_lock, disk_errors, lock_path, replaced_path
from qwenchat.models.last_used import last_used, mark_used, when_used
from qwenchat.models.manifest import read_manifest, sizes_match
from qwenchat.models.placement import model_id_of
from qwenchat.models.reference import DEMO_VALUE, is_model_id
from qwenchat.models.snapshot import inspect_snapshot
from qwenchat.models.verification import (
    CheckProgress,
    Damage,
    ExpectedFile,
    by_blob_names,
    by_hub,
    by_manifest,
    find_damage,
)

Place = Literal["data folder", "modelscope", "huggingface", "own folder", "package"]

_PLACES: dict[Place, str] = {
    "data folder": "the data folder",
    "modelscope": "ModelScope's cache",
    "huggingface": "Hugging Face's cache",
    "own folder": "a folder of your own",
    "package": "the package it comes with",
}


@dataclass(frozen=True, slots=True)
class InstalledModel:
    """One model on this machine.

    Attributes:
        model_id: ``owner/name``, ``demo``, or the folder's name where it came from nowhere.
        name: To show.
        path: The snapshot, fit for ``--model``.
        root: The folder that holds all of it.
        size_bytes: Of all its files, and so what deleting it frees.
        last_used: Seconds since 1970; None when it has not been loaded yet.
        problem: Why it cannot be loaded, in words; None when it looks fit.
    """

    model_id: str
    name: str
    place: Place
    path: Path
    root: Path
    size_bytes: int
    last_used: float | None
    problem: str | None

    @property
    def id(self) -> str:
        """What the engine loads it by: its id, or its path where it came from nowhere."""
        has_id = self.model_id == DEMO_VALUE or is_model_id(self.model_id)
        return self.model_id if has_id else str(self.path)

    @property
    def deletable(self) -> bool:
        """Whether it is ours to delete."""
        return self.place == "data folder" and not self.root.is_symlink()

    @property
    def where(self) -> str:
        """Its place in words."""
        return _PLACES[self.place]


class Library:
    """The models of one data folder and of this user's caches.

    Args:
        models_dir: The folder of all models; need not exist.
        endpoint: The hub's address, for lists to verify against; None for the usual one.
        offline: Leave the network alone.
        environment: Where the caches' variables are read; None is the process's own.
    """

    def __init__(
        self,
        models_dir: Path,
        *,
        endpoint: str | None = None,
        offline: bool = False,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self._models_dir = models_dir
        self._endpoint = endpoint
        self._offline = offline
        self._environment = environment

    def models(self) -> list[InstalledModel]:
        """All of them, ours first, each with its size: reads every folder, so not on the loop.

        In the caches, what is no chat model that vLLM loads is left out: they hold much else.
        """
        used = last_used(self._models_dir)
        ours = [_in_data_folder(folder, used) for folder in _model_folders(self._models_dir)]
        cached = [_in_cache(snapshot, used) for snapshot in cached_snapshots(self._environment)]
        return ours + [model for model in cached if model.problem is None]

    def find(self, name: str) -> InstalledModel:
        """The model of this id; of one in several places ours, else the first.

        Raises:
            ModelNotFound: There is none.
        """
        models = self.models()
        for model in models:
            if name in (model.model_id, model.root.name):
                return model
        shown = name if len(name) <= 100 else name[:99] + "…"
        there = ", ".join(model.model_id for model in models) or "none yet"
        raise ModelNotFound(
            f"There is no model {shown!r} on this machine. Those that are: {there}.",
            param="model",
        )

    def mark_used(self, snapshot: Path) -> None:
        """Note that a model is loaded now."""
        mark_used(self._models_dir, snapshot)

    async def verify(self, name: str, on_progress: CheckProgress | None = None) -> list[Damage]:
        """Read all of a model and compare it with what it should be; the files that differ.

        Cancelling the task ends it.

        Args:
            on_progress: Called from another thread.

        Raises:
            ModelNotFound: There is no such model.
            InvalidRequest: There is nothing to compare it with.
            DownloadFailed: The hub's list is needed and cannot be had.
        """
        model = await asyncio.to_thread(self.find, name)
        return await self.verify_model(model, on_progress)

    async def verify_model(
        self, model: InstalledModel, on_progress: CheckProgress | None = None
    ) -> list[Damage]:
        """Like :meth:`verify`, of a model that was found before."""
        expected = await self._expected(model)
        ended = False

        def progress(done: int, total: int) -> None:
            if ended:
                raise asyncio.CancelledError
            if on_progress is not None:
                on_progress(done, total)

        try:
            return await asyncio.to_thread(find_damage, model.path, model.root, expected, progress)
        finally:
            ended = True

    async def _expected(self, model: InstalledModel) -> list[ExpectedFile]:
        manifest = read_manifest(model.path)
        if manifest is not None:
            return by_manifest(manifest)
        if model.place == "huggingface" and (blobs := by_blob_names(model.path)):
            return blobs
        if not is_model_id(model.model_id):
            raise InvalidRequest(
                f"{model.path} was not put there by QwenChat and is of no hub, so there is no "
                "list to compare its files with."
            )
        if self._offline:
            raise DownloadFailed(
                f"{model.model_id} in {model.where} can only be compared with the hub's list, and "
                "QwenChat is offline, as set. Unset QWENCHAT_OFFLINE and try again."
            )
        return by_hub(await list_of_hub(model.model_id, self._endpoint))

    def delete(self, name: str, *, in_use: Collection[Path] = ()) -> int:
        """Delete a model of the data folder; returns the bytes that are free again.

        Args:
            in_use: The snapshots that the engine has loaded, is loading, or may go back to.

        Raises:
            ModelNotFound: There is no such model.
            InvalidRequest: It is in use, being downloaded, or not ours.
            DataFolderUnusable: It cannot be deleted.
        """
        return self.delete_model(self.find(name), in_use=in_use)

    def delete_model(self, model: InstalledModel, *, in_use: Collection[Path] = ()) -> int:
        """Like :meth:`delete`, of a model that was found before."""
        if model.path.resolve() in {path.resolve() for path in in_use}:
            raise InvalidRequest(
                f"{model.model_id} is in use. Switch to another model first, then delete it."
            )
        if model.place != "data folder":
            raise InvalidRequest(
                f"{model.model_id} lies in {model.where}, and QwenChat deletes only what it has "
                f"put into its data folder. Its folder is {model.root}."
            )
        if not model.deletable:
            raise InvalidRequest(
                f"{model.root} is a link to {model.root.resolve()}, outside the data folder. "
                "Remove the link yourself."
            )

        def refuse() -> None:
            raise InvalidRequest(
                f"{model.model_id} is being downloaded. Pause or cancel that first."
            )

        with disk_errors(self._models_dir, f"deleting {model.model_id}"):
            with destination_lock(model.root, refuse):
                # Renamed first: a deletion that is interrupted leaves no half of a model.
                doomed = replaced_path(model.root)
                if doomed.exists():
                    shutil.rmtree(doomed)
                model.root.rename(doomed)
                shutil.rmtree(doomed)
                lock_path(model.root).unlink()
        return model.size_bytes


def own_folder(folder: Path) -> InstalledModel:
    """A folder of the person's own, outside the data folder and all caches."""
    return InstalledModel(
        model_id=str(folder),
        name=folder.name,
        place="own folder",
        path=folder,
        root=folder,
        size_bytes=_size(folder.resolve()),
        last_used=None,
        problem=_problem(folder),
    )


def demo_in_package(models_dir: Path) -> InstalledModel:
    """The demo model before it is made ready, which its first use does."""
    folder = models_dir / DEMO_FOLDER
    return InstalledModel(
        model_id=DEMO_VALUE,
        name=DEMO_NAME,
        place="package",
        path=folder,
        root=folder,
        size_bytes=0,
        last_used=None,
        problem=None,
    )


def _model_folders(models_dir: Path) -> list[Path]:
    try:
        return sorted(
            path for path in models_dir.iterdir() if path.is_dir() and not path.name.startswith(".")
        )
    except OSError:
        return []


def _in_data_folder(folder: Path, used: dict[str, float]) -> InstalledModel:
    manifest = read_manifest(folder)
    if folder.name == DEMO_FOLDER:
        model_id, name = DEMO_VALUE, DEMO_NAME
    elif manifest is not None and is_model_id(manifest.source):
        model_id, name = manifest.source, manifest.name
    else:
        model_id = model_id_of(folder.name) or folder.name
        name = model_id
    problem = _problem(folder)
    if problem is None and manifest is not None and not sizes_match(folder, manifest):
        problem = (
            f"Files of {model_id} are missing or cut short. Download it again: only those are "
            "fetched."
        )
    return InstalledModel(
        model_id,
        name,
        "data folder",
        folder,
        folder,
        _size(folder),
        when_used(used, folder),
        problem,
    )


def _in_cache(snapshot: CachedSnapshot, used: dict[str, float]) -> InstalledModel:
    return InstalledModel(
        snapshot.model_id,
        snapshot.model_id,
        snapshot.cache,
        snapshot.path,
        snapshot.root,
        _size(snapshot.root),
        when_used(used, snapshot.path),
        _problem(snapshot.path),
    )


def _problem(folder: Path) -> str | None:
    try:
        inspect_snapshot(folder)
    except ModelError as error:
        return error.message
    return None


def _size(root: Path) -> int:
    """Bytes of the files in a folder; links count nothing, and are not followed."""
    total = 0
    if root.is_symlink():
        return 0
    for folder, _, names in os.walk(root):
        for name in names:
            # A file may go while the folder is read, as when a download is put in its place.
            with contextlib.suppress(FileNotFoundError):
                status = os.lstat(os.path.join(folder, name))
                total += status.st_size if stat.S_ISREG(status.st_mode) else 0
    return total
