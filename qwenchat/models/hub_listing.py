"""A hub's list of a model's files: which of them to fetch, and whether they arrived."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from qwenchat.errors import ChecksumMismatch, DownloadFailed, UnsupportedModel
from qwenchat.models.manifest import MANIFEST_NAME, FileRecord, Progress, sha256_of

# The same weights in formats vLLM's CPU engine does not load, and pictures for the hub's page.
_OTHER_WEIGHTS = {".bin", ".pt", ".pth", ".ckpt", ".h5", ".msgpack", ".onnx", ".ot", ".gguf"}
_PICTURES = {".png", ".jpg", ".jpeg", ".gif", ".webp", ".svg", ".mp4", ".pdf"}
_NOT_NEEDED = _OTHER_WEIGHTS | _PICTURES


@dataclass(frozen=True, slots=True)
class HubFile:
    """One file as the hub lists it; None where it does not say.

    Attributes:
        path: Relative, with ``/``.
        size: In bytes.
        sha256: In hex, lower case.
    """

    path: str
    size: int | None
    sha256: str | None


def choose_files(model_id: str, listed: Iterable[HubFile]) -> list[HubFile]:
    """The files that make up the model for vLLM.

    Raises:
        DownloadFailed: A path leads out of the model's folder.
        UnsupportedModel: No model vLLM's CPU engine can load; said before gigabytes are fetched.
    """
    files = list(listed)
    for file in files:
        if not _is_inside(file.path):
            raise DownloadFailed(
                f"The hub lists a file of {model_id} outside the model's folder "
                f"({file.path!r}). Nothing was downloaded; do not use this model."
            )
    names = {file.path for file in files}
    suffixes = {PurePosixPath(name).suffix for name in names}
    if ".safetensors" not in suffixes:
        found = "only GGUF weights" if ".gguf" in suffixes else "no .safetensors weights"
        raise UnsupportedModel(
            f"{model_id} has {found}, and vLLM's CPU engine loads .safetensors. Choose "
            "another version of the model: often it is the same name without -GGUF."
        )
    if "config.json" not in names:
        raise UnsupportedModel(
            f"{model_id} has no config.json, so it is no language model by itself. Choose "
            "another model."
        )
    return [file for file in files if _is_needed(file.path)]


def _is_inside(path: str) -> bool:
    pure = PurePosixPath(path)
    return not pure.is_absolute() and ".." not in pure.parts and "\\" not in path and path != ""


def _is_needed(path: str) -> bool:
    pure = PurePosixPath(path)
    hidden = any(part.startswith(".") for part in pure.parts)
    return not hidden and pure.suffix.lower() not in _NOT_NEEDED and path != MANIFEST_NAME


def verify_arrived(
    model_id: str, folder: Path, files: list[HubFile], on_progress: Progress
) -> tuple[FileRecord, ...]:
    """Compare every file with the list; one that differs is removed, to be fetched again.

    Returns:
        The files with their real size and SHA-256.

    Raises:
        DownloadFailed: A file is missing.
        ChecksumMismatch: A file's size or SHA-256 is not the listed one.
    """
    missing = [file.path for file in files if not (folder / file.path).is_file()]
    if missing:
        raise DownloadFailed(
            f"The download of {model_id} ended without {', '.join(missing[:5])}. What has "
            "arrived is kept: start again to fetch the rest."
        )
    total = sum((folder / file.path).stat().st_size for file in files)
    done = 0

    def count(size: int) -> None:
        nonlocal done
        done += size
        on_progress("Checking files", done, total)

    records = []
    for file in files:
        path = folder / file.path
        record = FileRecord(file.path, path.stat().st_size, sha256_of(path, count))
        if file.size not in (None, record.size) or file.sha256 not in (None, record.sha256):
            path.unlink()
            raise ChecksumMismatch(
                f"{file.path} of {model_id} is not what the hub lists: {record.size:,} bytes "
                f"with SHA-256 {record.sha256[:12]}… arrived. The rest is kept: start again "
                "to fetch this file once more."
            )
        records.append(record)
    return tuple(records)


def remove_others(folder: Path, files: list[HubFile]) -> None:
    """Delete what is in ``folder`` but not of the list: parts and files of older revisions."""
    keep = {folder / file.path for file in files}
    for path in sorted(folder.rglob("*"), reverse=True):
        if path.is_dir() and not path.is_symlink():
            if not any(path.iterdir()):
                path.rmdir()
        elif path not in keep:
            path.unlink()
