"""The hidden folder in which a model arrives, and from which a download goes on.

It lies beside the model's own folder (``folders.building_path``). A small file in it says
which model it is and what the hub lists, so that a download that was interrupted, by
whatever, is found again and shown with its numbers before anything is asked of the hub.
"""

from __future__ import annotations

import contextlib
import glob
import json
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from qwenchat.errors import InvalidRequest
from qwenchat.models.folders import building_path, destination_lock, lock_path, replaced_path
from qwenchat.models.hub_listing import HubFile
from qwenchat.models.placement import model_folder, model_id_of

STATE_NAME = ".qwenchat-download.json"
FORMAT_VERSION = 1

_STAGING_NAME = re.compile(r"\.(.+--.+)\.part")

INCOMPLETE = ".incomplete"
"""What ModelScope's client adds to the name of a file that is arriving (modelscope-hub 0.5.1,
``_download.py``, ``_incomplete_path``)."""

_PART = re.compile(r"_\d+_\d+$")
"""What it adds where MODELSCOPE_DOWNLOAD_PARALLEL_WORKERS has it fetch pieces of a file side by
side (same file, ``_download_part_with_retry``)."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A download as its staging folder remembers it.

    Attributes:
        endpoint: The hub's address that was asked for; None for the usual one.
        files: What the hub lists; empty when it has not been asked yet.
    """

    model_id: str
    endpoint: str | None
    files: tuple[HubFile, ...] = ()


@dataclass(frozen=True, slots=True)
class Unfinished:
    """A download found on the disk: what is wanted, and the bytes of each file that are there."""

    wanted: Wanted
    arrived: dict[str, int]


def write_wanted(staging: Path, wanted: Wanted) -> None:
    """Make the staging folder where there is none, and note what is to arrive in it."""
    staging.mkdir(parents=True, exist_ok=True)
    content = {
        "format": FORMAT_VERSION,
        "model_id": wanted.model_id,
        "endpoint": wanted.endpoint,
        "files": [[file.path, file.size, file.sha256] for file in wanted.files],
    }
    new = staging / f"{STATE_NAME}.new"
    new.write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")
    new.replace(staging / STATE_NAME)


def read_wanted(staging: Path) -> Wanted | None:
    """What is to arrive in a staging folder; None when it does not say."""
    try:
        loaded = json.loads((staging / STATE_NAME).read_text(encoding="utf-8"))
        if loaded["format"] != FORMAT_VERSION:
            return None
        files = tuple(
            HubFile(str(path), None if size is None else int(size), str(sha256) if sha256 else None)
            for path, size, sha256 in loaded["files"]
        )
        endpoint = loaded["endpoint"]
        return Wanted(str(loaded["model_id"]), str(endpoint) if endpoint else None, files)
    except (OSError, ValueError, KeyError, TypeError):
        return None


def arrived_bytes(staging: Path, file: HubFile) -> int:
    """How much of a file is there, whole or in part."""
    path = staging / file.path
    parts = [path.with_name(path.name + INCOMPLETE)]
    parts += (
        part
        for part in path.parent.glob(f"{glob.escape(path.name)}_*")
        if _PART.sub("", part.name) == path.name
    )
    for candidates in ([path], parts):
        size = sum(c.stat().st_size for c in candidates if c.is_file() and not c.is_symlink())
        if size:
            return size if file.size is None else min(size, file.size)
    return 0


def unfinished_downloads(models_dir: Path) -> Iterator[Unfinished]:
    """The downloads that can go on, oldest first."""
    if not models_dir.is_dir():
        return
    folders = [
        path
        for path in models_dir.iterdir()
        if _STAGING_NAME.fullmatch(path.name) and path.is_dir() and not path.is_symlink()
    ]
    for staging in sorted(folders, key=lambda path: path.stat().st_mtime):
        wanted = read_wanted(staging)
        if wanted is None or building_path(model_folder(models_dir, wanted.model_id)) != staging:
            model_id = model_id_of(staging.name.removeprefix(".").removesuffix(".part"))
            if model_id is None:
                continue
            wanted = Wanted(model_id, None)
        yield Unfinished(wanted, {file.path: arrived_bytes(staging, file) for file in wanted.files})


def keep_only(staging: Path, files: list[HubFile], *, parts: bool) -> None:
    """Delete what is not of the list, such as files of older revisions, and every link.

    Args:
        parts: Keep what has arrived of listed files in part, and the note of what is wanted.
    """
    keep = {staging / file.path for file in files}
    if parts:
        keep.add(staging / STATE_NAME)
    for path in sorted(staging.rglob("*"), reverse=True):
        if path.is_dir() and not path.is_symlink():
            if not any(path.iterdir()):
                path.rmdir()
        elif path.is_symlink() or not (path in keep or (parts and _whole(path) in keep)):
            path.unlink()


def _whole(path: Path) -> Path:
    """The file of which ``path`` is a part."""
    name = path.name.removesuffix(INCOMPLETE)
    return path.with_name(_PART.sub("", name))


def discard(models_dir: Path, model_id: str) -> None:
    """Delete all that has arrived of a model whose download did not finish.

    Raises:
        InvalidRequest: Another process is downloading it right now.
        ModelNotFound: ``model_id`` is not of the shape ``owner/name``.
    """
    destination = model_folder(models_dir, model_id)

    def refuse() -> None:
        raise InvalidRequest(f"{model_id} is being downloaded by another QwenChat. Stop it there.")

    if not models_dir.is_dir():
        return
    with destination_lock(destination, refuse):
        for path in (building_path(destination), replaced_path(destination)):
            if path.is_symlink():
                path.unlink()
            elif path.exists():
                shutil.rmtree(path)
        lock_path(destination).unlink()


def remove_replaced(models_dir: Path) -> None:
    """Finish deleting what was being deleted or replaced when a process was killed."""
    for path in models_dir.glob(".*.replaced"):
        destination = models_dir / path.name.removeprefix(".").removesuffix(".replaced")
        with contextlib.suppress(OSError), destination_lock(destination, _not_now):
            shutil.rmtree(path)


def _not_now() -> None:
    raise BlockingIOError


def holds_nothing(staging: Path) -> bool:
    """Whether nothing of a model has arrived, so that there is nothing to go on from."""
    return not any(
        path.is_file() and not path.name.startswith(STATE_NAME) for path in staging.rglob("*")
    )
