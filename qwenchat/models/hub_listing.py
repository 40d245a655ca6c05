"""A hub's list of a model's files: which of them to fetch, and whether they are there."""

from __future__ import annotations

from collections.abc import Callable, Iterable
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

    def is_at(self, path: Path) -> bool:
        """Whether ``path`` is a file, and no link to one, of this size."""
        if path.is_symlink() or not path.is_file():
            return False
        return self.size is None or path.stat().st_size == self.size

    def is_content(self, record: FileRecord) -> bool:
        """Whether a file's size and SHA-256 are the listed ones."""
        return self.size in (None, record.size) and self.sha256 in (None, record.sha256)


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
    odd = "\\" in path or "\0" in path or path == ""
    return not pure.is_absolute() and ".." not in pure.parts and not odd


def _is_needed(path: str) -> bool:
    pure = PurePosixPath(path)
    hidden = any(part.startswith(".") for part in pure.parts)
    return not hidden and pure.suffix.lower() not in _NOT_NEEDED and path != MANIFEST_NAME


def sound_files(
    folder: Path, files: list[HubFile], on_progress: Progress
) -> tuple[dict[str, FileRecord], list[str]]:
    """Read the files that have their listed size; one whose content differs is removed.

    Returns:
        The sound ones by path, and the paths of those removed.
    """
    there = [file for file in files if file.is_at(folder / file.path)]
    total = sum((folder / file.path).stat().st_size for file in there)
    done = 0

    def count(size: int) -> None:
        nonlocal done
        done += size
        on_progress("Checking what is there", done, total)

    sound: dict[str, FileRecord] = {}
    removed: list[str] = []
    for file in there:
        record = _record(folder, file, count)
        if file.is_content(record):
            sound[file.path] = record
        else:
            (folder / file.path).unlink()
            removed.append(file.path)
    return sound, removed


def verify_arrived(
    model_id: str, folder: Path, files: list[HubFile], on_progress: Progress
) -> tuple[FileRecord, ...]:
    """Compare every file with the list; those that differ are removed, to be fetched again.

    Returns:
        The files with their real size and SHA-256.

    Raises:
        DownloadFailed: A file is missing.
        ChecksumMismatch: A file's size or SHA-256 is not the listed one.
    """
    missing = [file.path for file in files if not (folder / file.path).is_file()]
    if missing:
        raise DownloadFailed(
            f"The download of {model_id} ended without {_names(missing)}. What has "
            "arrived is kept: start again to fetch the rest."
        )
    total = sum((folder / file.path).stat().st_size for file in files)
    done = 0

    def count(size: int) -> None:
        nonlocal done
        done += size
        on_progress("Checking files", done, total)

    records = [_record(folder, file, count) for file in files]
    wrong = [
        record for file, record in zip(files, records, strict=True) if not file.is_content(record)
    ]
    for record in wrong:
        (folder / record.path).unlink()
    if wrong:
        raise ChecksumMismatch(
            f"{_names([record.path for record in wrong])} of {model_id} arrived other than the "
            f"hub lists ({wrong[0].size:,} bytes with SHA-256 {wrong[0].sha256[:12]}…). The "
            "rest is kept: start again to fetch that once more."
        )
    return tuple(records)


def _record(folder: Path, file: HubFile, on_bytes: Callable[[int], None]) -> FileRecord:
    path = folder / file.path
    return FileRecord(file.path, path.stat().st_size, sha256_of(path, on_bytes))


def _names(paths: list[str]) -> str:
    shown = ", ".join(paths[:5])
    return shown if len(paths) <= 5 else f"{shown} and {len(paths) - 5} more"
