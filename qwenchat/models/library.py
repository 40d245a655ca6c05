"""The models on this machine: those of the data folder, and those other programs have fetched."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Collection, Mapping
from pathlib import Path

from qwenchat.errors import DownloadFailed, InvalidRequest, ModelNotFound
from qwenchat.models.caches import cached_snapshots
from qwenchat.models.folders import destination_lock, disk_errors, lock_path, replaced_path
from qwenchat.models.hub_look import list_of_hub
from qwenchat.models.installed_model import (
    InstalledModel,
    in_cache,
    in_data_folder,
    model_folders,
)
from qwenchat.models.last_used import last_used, mark_used
from qwenchat.models.manifest import read_manifest
from qwenchat.models.reference import is_model_id
from qwenchat.models.verification import (
    CheckProgress,
    Damage,
    ExpectedFile,
    by_blob_names,
    by_hub,
    by_manifest,
    find_damage,
)


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
        ours = [in_data_folder(folder, used) for folder in model_folders(self._models_dir)]
        cached = [in_cache(snapshot, used) for snapshot in cached_snapshots(self._environment)]
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
