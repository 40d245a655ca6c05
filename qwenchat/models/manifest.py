"""The list of a snapshot's files that QwenChat writes beside them as ``qwenchat.json``.

It is the last file written, so a folder that has one was once complete, and it tells
whether each file still is what it was.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from qwenchat.errors import ChecksumMismatch, ModelDamaged

MANIFEST_NAME = "qwenchat.json"
FORMAT_VERSION = 1

Progress = Callable[[str, int, int], None]
"""Called with a stage to show, and how many bytes of how many are done."""

_BLOCK = 1 << 20


@dataclass(frozen=True, slots=True)
class FileRecord:
    """One file: its path in the snapshot with ``/``, its size in bytes, its SHA-256 in hex."""

    path: str
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a snapshot is and consists of.

    Attributes:
        name: The model's name to show.
        source: What it was made from: a model id, or a file's SHA-256.
        revision: Which state of the source; for a conversion, which version of it.
        files: All files but the manifest itself.
    """

    name: str
    source: str
    revision: str
    files: tuple[FileRecord, ...]


def sha256_of(path: Path, on_bytes: Callable[[int], None] | None = None) -> str:
    """A file's SHA-256 in hex; ``on_bytes`` gets the size of each block as it is read."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
            if on_bytes is not None:
                on_bytes(len(block))
    return digest.hexdigest()


def record_files(folder: Path) -> tuple[FileRecord, ...]:
    """Size and SHA-256 of every file below ``folder`` except the manifest."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    return tuple(
        FileRecord(path.relative_to(folder).as_posix(), path.stat().st_size, sha256_of(path))
        for path in paths
        if path != folder / MANIFEST_NAME
    )


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Write ``manifest`` into ``folder``."""
    content = {"format": FORMAT_VERSION} | asdict(manifest)
    text = json.dumps(content, indent=2, ensure_ascii=False) + "\n"
    (folder / MANIFEST_NAME).write_text(text, encoding="utf-8")


def read_manifest(folder: Path) -> Manifest | None:
    """The folder's manifest; None when it has none that this version can read."""
    try:
        loaded = json.loads((folder / MANIFEST_NAME).read_text(encoding="utf-8"))
        if loaded["format"] != FORMAT_VERSION:
            return None
        files = tuple(
            FileRecord(str(item["path"]), int(item["size"]), str(item["sha256"]))
            for item in loaded["files"]
        )
        return Manifest(str(loaded["name"]), str(loaded["source"]), str(loaded["revision"]), files)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def sizes_match(folder: Path, manifest: Manifest) -> bool:
    """Whether every file is there with its size: a check of milliseconds."""
    try:
        return all(
            (folder / record.path).stat().st_size == record.size for record in manifest.files
        )
    except OSError:
        return False


def verify_files(folder: Path, manifest: Manifest, on_progress: Progress | None = None) -> None:
    """Check every file's size and SHA-256: seconds per gigabyte.

    Raises:
        ModelDamaged: A file is missing or has another size.
        ChecksumMismatch: A file's content is not what it was.
    """
    total = sum(record.size for record in manifest.files)
    done = 0

    def count(size: int) -> None:
        nonlocal done
        done += size
        if on_progress is not None:
            on_progress("Checking files", done, total)

    for record in manifest.files:
        path = folder / record.path
        if not path.is_file():
            raise ModelDamaged(
                f"{record.path} is missing from {folder}. Delete that folder and get the "
                "model again."
            )
        if (size := path.stat().st_size) != record.size:
            raise ModelDamaged(
                f"{record.path} in {folder} is {size:,} bytes long and should be "
                f"{record.size:,}. Delete that folder and get the model again."
            )
        if sha256_of(path, count) != record.sha256:
            raise ChecksumMismatch(
                f"The content of {record.path} in {folder} is not what it should be (its "
                "SHA-256 differs). Delete that folder and get the model again."
            )
