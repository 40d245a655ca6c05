"""The process that downloads one model: the only place where ModelScope's client runs.

``python -m qwenchat.models.download_worker MODEL_ID MODELS_FOLDER [ENDPOINT]``, started by
``download.py``. It reports
as ``worker.py`` says.

It may be killed at any time: what has arrived stays in a hidden folder, from which the
next one goes on.
"""

from __future__ import annotations

import errno
import os
import shutil
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from qwenchat.errors import (
    ChecksumMismatch,
    DiskFull,
    DownloadFailed,
    ModelNotFound,
)
from qwenchat.models.folders import building_path, destination_lock, disk_errors, put_in_place
from qwenchat.models.hub_listing import HubFile, choose_files, remove_others, verify_arrived
from qwenchat.models.manifest import Manifest, Progress, write_manifest
from qwenchat.models.placement import downloaded_model, model_folder
from qwenchat.models.worker import run_as_worker

if TYPE_CHECKING:
    from modelscope_hub import HubApi

REVISION = "master"
"""ModelScope's default branch."""

_WORKERS = 4
_OF_THE_DISK = {errno.ENOSPC, errno.EDQUOT, errno.EACCES, errno.EROFS}
_CLIENT_SETTINGS = {
    # The client gives up on a file after an hour by default, which is too short for a
    # large file on a slow line; it notices a stalled one by other means.
    "MODELSCOPE_DOWNLOAD_TOTAL_TIMEOUT": str(7 * 24 * 3600),
    # We hold a lock of our own, one that ends with this process.
    "MODELSCOPE_DOWNLOAD_FILE_LOCK": "false",
    "TQDM_DISABLE": "1",
}


class _Arrived:
    """Adds up the bytes of all files, which the client reports from several threads."""

    def __init__(self, part: Path, files: list[HubFile], on_progress: Progress) -> None:
        self._sizes = {file.path: file.size or 0 for file in files}
        # The client does not report on files it finds complete.
        self._done = {
            name: size
            for name, size in self._sizes.items()
            if (part / name).is_file() and (part / name).stat().st_size == size
        }
        self._on_progress = on_progress
        self._lock = threading.Lock()

    def restart(self, name: str) -> None:
        with self._lock:
            self._done[name] = 0

    def add(self, name: str, size: int) -> None:
        with self._lock:
            self._done[name] = self._done.get(name, 0) + size
            total = sum(self._sizes.values())
            self._on_progress("Downloading", min(sum(self._done.values()), total), total)


def fetch(model_id: str, models_dir: Path, endpoint: str | None, on_progress: Progress) -> Path:
    """Download a model and put its folder in place; returns that folder.

    Raises:
        QwenChatError: As :func:`qwenchat.models.download.fetch_model` has it.
    """
    destination = model_folder(models_dir, model_id)

    def on_wait() -> None:
        on_progress("Waiting for another download of this model", 0, 0)

    with disk_errors(models_dir, f"the model {model_id}"):
        with destination_lock(destination, on_wait):
            if downloaded_model(models_dir, model_id) is None:
                _fetch_locked(model_id, destination, endpoint, on_progress)
    return destination


def _fetch_locked(
    model_id: str, destination: Path, endpoint: str | None, on_progress: Progress
) -> None:
    on_progress("Looking up the model", 0, 0)
    api = _hub(model_id, endpoint)
    files = _listed(api, model_id)
    part = building_path(destination)
    if destination.exists() and not part.exists():
        # It is there but not whole: the client keeps the files that are.
        os.replace(destination, part)
    part.mkdir(exist_ok=True)
    _require_room(model_id, part, files)
    _download(api, model_id, part, files, on_progress)
    remove_others(part, files)
    records = verify_arrived(model_id, part, files, on_progress)
    write_manifest(part, Manifest(model_id, model_id, REVISION, records))
    on_progress("Finishing", 0, 0)
    put_in_place(part, destination)


def _hub(model_id: str, endpoint: str | None) -> HubApi:
    from modelscope_hub import HubApi
    from modelscope_hub.errors import HubError

    if endpoint:
        return HubApi(endpoint=endpoint)
    try:
        return HubApi(endpoint=HubApi().resolve_endpoint_for_read(model_id))
    except (HubError, OSError, ValueError):
        # The listing that follows fails in the same way, and is where errors get their words.
        return HubApi()


def _listed(api: HubApi, model_id: str) -> list[HubFile]:
    try:
        listed = api.list_repo_files(model_id, "model", revision=REVISION)
    except Exception as error:
        raise _in_our_words(error, model_id, _host(api)) from error
    # The client has 0 for "not said" as well as for an empty file.
    files = (
        HubFile(item.path, item.size or None, (item.sha256 or "").lower() or None)
        for item in listed
        if not item.is_dir
    )
    return choose_files(model_id, files)


def _download(
    api: HubApi, model_id: str, part: Path, files: list[HubFile], on_progress: Progress
) -> None:
    from modelscope_hub import ProgressCallback

    arrived = _Arrived(part, files, on_progress)

    class Callback(ProgressCallback):  # type: ignore[misc, unused-ignore]
        def __init__(self, filename: str, file_size: int) -> None:
            super().__init__(filename, file_size)
            arrived.restart(filename)

        def update(self, size: int) -> None:
            arrived.add(self.filename, size)

    try:
        api.download_repo(
            model_id,
            "model",
            revision=REVISION,
            local_dir=part,
            max_workers=_WORKERS,
            progress_callbacks=[Callback],
            file_list=[
                {"Path": file.path, "Size": file.size, "Sha256": file.sha256, "Type": "blob"}
                for file in files
            ],
        )
    except Exception as error:
        raise _in_our_words(error, model_id, _host(api)) from error


def _host(api: HubApi) -> str:
    endpoint = str(api.legacy.endpoint)
    return urlsplit(endpoint).netloc or endpoint


def _require_room(model_id: str, part: Path, files: list[HubFile]) -> None:
    there = sum(path.stat().st_size for path in part.rglob("*") if path.is_file())
    needed = sum(file.size or 0 for file in files) - there
    free = shutil.disk_usage(part).free
    if needed > free:
        raise DiskFull(
            f"{model_id} needs {needed / 1e9:.1f} GB more, and the disk that holds "
            f"{part.parent} has {free / 1e9:.1f} GB free. Free some space, choose a folder on "
            "another disk with --data-dir, or choose a smaller model."
        )


def _in_our_words(error: Exception, model_id: str, host: str) -> Exception:
    """The client's error as one of ours; the disk's own stay, for ``disk_errors``."""
    from modelscope_hub.errors import (
        AuthenticationError,
        FileDownloadError,
        FileIntegrityError,
        NotExistError,
        PermissionDeniedError,
    )

    causes = list(error.failed_files.values()) if isinstance(error, FileDownloadError) else [error]
    for cause in causes:
        if isinstance(cause, OSError) and cause.errno in _OF_THE_DISK:
            return cause
    cause = next(iter(causes), error)
    # Of one file it means that the hub cannot serve what it lists.
    if isinstance(error, NotExistError):
        return ModelNotFound(
            f"{host} has no model {model_id}, or it is not public. Check the spelling "
            "(capital letters count), or look for it on the hub's page.",
            param="model",
        )
    if isinstance(cause, AuthenticationError | PermissionDeniedError):
        return DownloadFailed(
            f"{host} does not let you have {model_id} without logging in. Accept the model's "
            "terms on the hub's page where it has some, put your access token into the "
            "environment variable MODELSCOPE_API_TOKEN, and start again."
        )
    if isinstance(cause, FileIntegrityError):
        return ChecksumMismatch(
            f"A file of {model_id} kept arriving other than {host} lists it "
            f"({_first_line(cause)}). What is good is kept: start again later, and if it "
            "stays so, tell the model's owner."
        )
    return DownloadFailed(
        f"{model_id} could not be downloaded from {host} ({_first_line(cause)}). Check the "
        "internet connection (behind a proxy, set HTTPS_PROXY) and start again: what has "
        "arrived is kept. Without internet, use --model demo or a model's folder."
    )


def _first_line(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    text = lines[0] if lines else type(error).__name__
    return text if len(text) <= 200 else text[:199] + "…"


def main(arguments: list[str]) -> int:
    """Run as a process; see the module's docstring."""
    model_id, models_dir, *rest = arguments
    for name, value in _CLIENT_SETTINGS.items():
        os.environ.setdefault(name, value)
    endpoint = rest[0] if rest else None
    return run_as_worker(lambda progress: fetch(model_id, Path(models_dir), endpoint, progress))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
