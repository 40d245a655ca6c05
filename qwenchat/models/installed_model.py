"""One model on this machine, wherever it lies, and what its folder says of it."""

from __future__ import annotations

import contextlib
import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from qwenchat.errors import ModelError
from qwenchat.models.caches import CachedSnapshot
from qwenchat.models.demo import DEMO_FOLDER, DEMO_NAME
from qwenchat.models.last_used import when_used
from qwenchat.models.manifest import read_manifest, sizes_match
from qwenchat.models.placement import model_id_of
from qwenchat.models.reference import DEMO_VALUE, is_model_id
from qwenchat.models.snapshot import inspect_snapshot

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


def model_folders(models_dir: Path) -> list[Path]:
    """The folders of a data folder's models, those that are whole and others; hidden ones hold
    what is still arriving."""
    try:
        return sorted(
            path for path in models_dir.iterdir() if path.is_dir() and not path.name.startswith(".")
        )
    except OSError:
        return []


def in_data_folder(folder: Path, used: dict[str, float]) -> InstalledModel:
    """A model of the data folder.

    Args:
        used: When each was last used, as ``last_used.py`` has it.
    """
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


def in_cache(snapshot: CachedSnapshot, used: dict[str, float]) -> InstalledModel:
    """A model that another program has fetched; ``used`` as for :func:`in_data_folder`."""
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
