"""Whether a snapshot's files are what they should be, by whatever list of them there is."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from qwenchat.models.hub_listing import HubFile
from qwenchat.models.manifest import Manifest

_BLOCK = 1 << 20
_SHA256 = re.compile(r"[0-9a-f]{64}")
_SHA1 = re.compile(r"[0-9a-f]{40}")

CheckProgress = Callable[[int, int], None]
"""Called with how many bytes of how many have been read; what it raises ends the check."""


@dataclass(frozen=True, slots=True)
class ExpectedFile:
    """What a file should be; None where that is not known.

    Attributes:
        path: Relative to the snapshot, with ``/``.
        size: In bytes.
        kind: ``sha256`` of the content, or ``git``: the SHA-1 git gives a file.
        digest: In hex.
    """

    path: str
    size: int | None
    kind: Literal["sha256", "git"]
    digest: str | None


@dataclass(frozen=True, slots=True)
class Damage:
    """One file that is not what it should be, with the reason in words."""

    path: str
    reason: str


def by_manifest(manifest: Manifest) -> list[ExpectedFile]:
    """What QwenChat wrote down when the model arrived."""
    return [ExpectedFile(f.path, f.size, "sha256", f.sha256) for f in manifest.files]


def by_hub(files: Iterable[HubFile]) -> list[ExpectedFile]:
    """What the hub lists."""
    return [ExpectedFile(f.path, f.size, "sha256", f.sha256) for f in files]


def by_blob_names(snapshot: Path) -> list[ExpectedFile]:
    """What Hugging Face's cache calls the files' contents: SHA-256 of large, git's of small ones.

    Source: "Understand caching" in huggingface_hub's documentation; the names are the ETags,
    which the hub sets so.
    """
    expected = []
    for link in sorted(path for path in snapshot.rglob("*") if path.is_symlink()):
        name = link.readlink().name
        path = link.relative_to(snapshot).as_posix()
        if _SHA256.fullmatch(name):
            expected.append(ExpectedFile(path, None, "sha256", name))
        elif _SHA1.fullmatch(name):
            expected.append(ExpectedFile(path, None, "git", name))
    return expected


def find_damage(
    folder: Path, root: Path, expected: list[ExpectedFile], on_progress: CheckProgress | None
) -> list[Damage]:
    """Read every expected file and compare: about a second for each gigabyte.

    Args:
        root: The folder that holds all of the model; what a link leads to outside of it is not
            read.
    """
    inside = {file.path: _inside(folder / file.path, root) for file in expected}
    total = sum(path.stat().st_size for path in inside.values() if path is not None)
    done = 0

    def count(size: int) -> None:
        nonlocal done
        done += size
        if on_progress is not None:
            on_progress(done, total)

    damage = []
    for file in expected:
        reason = _what_is_wrong(file, inside[file.path], count)
        if reason:
            damage.append(Damage(file.path, reason))
    return damage


def _inside(path: Path, root: Path) -> Path | None:
    """The file that ``path`` is or leads to; None when there is none within ``root``."""
    resolved = path.resolve()
    return resolved if resolved.is_relative_to(root.resolve()) and resolved.is_file() else None


def _what_is_wrong(
    file: ExpectedFile, path: Path | None, on_bytes: Callable[[int], None]
) -> str | None:
    if path is None:
        return "is missing"
    size = path.stat().st_size
    if file.size not in (None, size):
        return f"is {size:,} bytes long and should be {file.size:,}"
    if file.digest is not None and _digest(path, file.kind, size, on_bytes) != file.digest:
        return "has another content than it should (its checksum differs)"
    return None


def _digest(path: Path, kind: str, size: int, on_bytes: Callable[[int], None]) -> str:
    if kind == "git":
        digest = hashlib.sha1(f"blob {size}\0".encode(), usedforsecurity=False)
    else:
        digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
            on_bytes(len(block))
    return digest.hexdigest()
