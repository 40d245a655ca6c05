"""The process that downloads one model: the only place where ModelScope's client runs.

``python -m qwenchat.models.download_worker [--check] [--list] [--look] [--endpoint URL] MODEL_ID
MODELS_FOLDER``, started by ``download.py``. It reports as ``worker.py`` says, and in detail::

    {"files": [[path, size, arrived], …]}   before anything is fetched, and once more
                                            whenever it begins anew
    {"arrived": {path: bytes, …}}           of the files that went on since
    {"waiting": "…"}                        the line is down; until something arrives again
    {"note": "…"}                           what a person should know of this download
    {"listed": [[path, size, sha256], …]}   with --list, which fetches nothing: what a download
                                            would fetch; with --look: all there is
    {"config": "…"}                         with --look: the bytes of config.json, each as the
                                            character of its number; left out where there is none,
                                            or one that is far too long

It may be killed at any time: what has arrived stays in a hidden folder, from which the
next one goes on.
"""

from __future__ import annotations

import argparse
import errno
import logging
import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from qwenchat.errors import DataFolderUnusable, DiskFull
from qwenchat.models.folders import building_path, destination_lock, disk_errors, put_in_place
from qwenchat.models.hub_errors import in_our_words, is_passing
from qwenchat.models.hub_listing import HubFile, choose_files, sound_files, verify_arrived
from qwenchat.models.manifest import FileRecord, Manifest, write_manifest
from qwenchat.models.placement import downloaded_model, model_folder
from qwenchat.models.staging import Wanted, arrived_bytes, keep_only, write_wanted
from qwenchat.models.tally import Tally
from qwenchat.models.worker import Reporter, run_as_worker

if TYPE_CHECKING:
    from modelscope_hub import HubApi

REVISION = "master"
"""ModelScope's default branch."""
LARGEST_CONFIG = 1 << 20
"""Bytes. A config.json has some thousand."""

_WORKERS = 4
_CLIENT_SETTINGS = {
    # The client gives up on a file after an hour by default, which is too short for a
    # large file on a slow line; it notices a stalled one by other means.
    "MODELSCOPE_DOWNLOAD_TOTAL_TIMEOUT": str(7 * 24 * 3600),
    # We hold a lock of our own, one that ends with this process.
    "MODELSCOPE_DOWNLOAD_FILE_LOCK": "false",
    "TQDM_DISABLE": "1",
}


def fetch(
    model_id: str, models_dir: Path, endpoint: str | None, report: Reporter, *, check: bool
) -> Path:
    """Download a model and put its folder in place; returns that folder.

    Args:
        check: Also read the files of a model that looks whole.

    Raises:
        QwenChatError: As :func:`qwenchat.models.download.run_download` has it.
    """
    destination = model_folder(models_dir, model_id)

    def on_wait() -> None:
        report("Waiting for another download of this model", 0, 0)

    with disk_errors(models_dir, f"the model {model_id}"):
        with destination_lock(destination, on_wait):
            if check or downloaded_model(models_dir, model_id) is None:
                _fetch_locked(model_id, destination, endpoint, report)
    return destination


def _fetch_locked(model_id: str, destination: Path, endpoint: str | None, report: Reporter) -> None:
    if destination.is_file():
        raise DataFolderUnusable(
            f"{destination} is a file, and the model's folder would be there. Move it away and "
            "start again."
        )
    report("Looking up the model", 0, 0)
    api = _hub(model_id, endpoint)
    files = _listed(api, model_id)
    staging = building_path(destination)
    write_wanted(staging, Wanted(model_id, endpoint, tuple(files)))
    keep_only(staging, files, parts=True)
    _take_over(destination, staging, files)
    sound, damaged = sound_files(staging, files, report)
    missing = [file for file in files if file.path not in sound]
    if destination.exists():
        _tell_what_was_wrong(missing, damaged, report)
    _require_room(model_id, staging, missing)
    arrived = {path: record.size for path, record in sound.items()}
    arrived |= {file.path: arrived_bytes(staging, file) for file in missing}
    with Tally(files, arrived, report) as tally:
        _download(api, model_id, staging, missing, tally, report)
    fetched = verify_arrived(model_id, staging, missing, report)
    records = _in_order(files, sound | {record.path: record for record in fetched})
    report("Finishing", 0, 0)
    keep_only(staging, files, parts=False)
    write_manifest(staging, Manifest(model_id, model_id, REVISION, records))
    put_in_place(staging, destination)


def _in_order(files: list[HubFile], records: dict[str, FileRecord]) -> tuple[FileRecord, ...]:
    return tuple(records[file.path] for file in files)


def _take_over(destination: Path, staging: Path, files: list[HubFile]) -> None:
    """Give the staging folder the good files of a model that is there but not whole.

    They are shared, not moved: the model stays as it is until a whole one replaces it.
    """
    for file in files:
        source, target = destination / file.path, staging / file.path
        if target.exists() or not file.is_at(source):
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            os.link(source, target)
        except OSError as error:
            if error.errno not in (errno.EPERM, errno.EOPNOTSUPP, errno.EXDEV, errno.EMLINK):
                raise
            shutil.copyfile(source, target)


def _tell_what_was_wrong(missing: list[HubFile], damaged: list[str], report: Reporter) -> None:
    if missing:
        shown = ", ".join(
            f"{file.path} ({'damaged' if file.path in damaged else 'missing or cut short'})"
            for file in missing[:5]
        )
        more = f" and {len(missing) - 5} more" if len(missing) > 5 else ""
        report.detail({"note": f"Fetched again: {shown}{more}."})


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
    return choose_files(model_id, _all_listed(api, model_id))


def _all_listed(api: HubApi, model_id: str, *, looking: bool = False) -> list[HubFile]:
    try:
        listed = api.list_repo_files(model_id, "model", revision=REVISION)
    except Exception as error:
        raise in_our_words(error, model_id, _host(api), looking=looking) from error
    # The client has 0 for "not said" as well as for an empty file.
    return [
        HubFile(item.path, item.size or None, (item.sha256 or "").lower() or None)
        for item in listed
        if not item.is_dir
    ]


def _download(
    api: HubApi,
    model_id: str,
    staging: Path,
    files: list[HubFile],
    tally: Tally,
    report: Reporter,
) -> None:
    """Have the client fetch ``files``, for as long as each attempt brings something."""
    from modelscope_hub import ProgressCallback

    class Callback(ProgressCallback):  # type: ignore[misc, unused-ignore]
        def __init__(self, filename: str, file_size: int) -> None:
            super().__init__(filename, file_size)
            tally.begin(filename)

        def update(self, size: int) -> None:
            tally.add(self.filename, size)

    client_log = logging.getLogger("modelscope_hub.download")
    client_log.addHandler(_RetryNotes(report))
    most = tally.done
    while files:
        try:
            api.download_repo(
                model_id,
                "model",
                revision=REVISION,
                local_dir=staging,
                max_workers=_WORKERS,
                progress_callbacks=[Callback],
                file_list=[
                    {"Path": file.path, "Size": file.size, "Sha256": file.sha256, "Type": "blob"}
                    for file in files
                ],
            )
            return
        except Exception as error:
            # The client counts its attempts by file, not by how far each one got: on a bad
            # line a large file would never arrive.
            if not (is_passing(error) and tally.done > most):
                raise in_our_words(error, model_id, _host(api)) from error
            most = tally.done
            files = [file for file in files if not file.is_at(staging / file.path)]


class _RetryNotes(logging.Handler):
    """Hands on that the client waits for the line: it says so in its log only."""

    def __init__(self, report: Reporter) -> None:
        super().__init__(logging.WARNING)
        self._report = report

    def emit(self, record: logging.LogRecord) -> None:
        arguments = record.args if isinstance(record.args, tuple) else ()
        if str(record.msg).startswith("Download failed for") and len(arguments) == 3:
            path, _, seconds = arguments
            self._report.detail(
                {"waiting": f"The connection failed at {path}; trying again in {seconds} seconds."}
            )


def _host(api: HubApi) -> str:
    endpoint = str(api.legacy.endpoint)
    return urlsplit(endpoint).netloc or endpoint


def _require_room(model_id: str, staging: Path, missing: list[HubFile]) -> None:
    needed = sum((file.size or 0) - arrived_bytes(staging, file) for file in missing)
    free = shutil.disk_usage(staging).free
    if needed > free:
        raise DiskFull(
            f"{model_id} needs {needed / 1e9:.1f} GB more, and the disk that holds "
            f"{staging.parent} has {free / 1e9:.1f} GB free. Free some space, choose a folder on "
            "another disk with --data-dir, or choose a smaller model."
        )


def _list(model_id: str, folder: Path, endpoint: str | None, report: Reporter) -> Path:
    report("Asking the hub for its list", 0, 0)
    files = _listed(_hub(model_id, endpoint), model_id)
    report.detail({"listed": [[file.path, file.size, file.sha256] for file in files]})
    return folder


def _look(model_id: str, folder: Path, endpoint: str | None, report: Reporter) -> Path:
    report("Asking the hub for its list", 0, 0)
    api = _hub(model_id, endpoint)
    files = _all_listed(api, model_id, looking=True)
    report.detail({"listed": [[file.path, file.size, file.sha256] for file in files]})
    config = next((file for file in files if file.path == "config.json"), None)
    if config is not None and (config.size or 0) <= LARGEST_CONFIG:
        content = _config(api, model_id)
        if len(content) <= LARGEST_CONFIG:
            report.detail({"config": content.decode("latin-1")})
    return folder


def _config(api: HubApi, model_id: str) -> bytes:
    """The content of ``config.json``, and no more of it than tells that it is too long: its
    listed size may be wrong."""
    content = b""
    try:
        response = api.legacy.download_stream(model_id, "model", "config.json", REVISION)
        with response:
            for chunk in response.iter_content(1 << 16):
                content += chunk
                if len(content) > LARGEST_CONFIG:
                    break
    except Exception as error:
        raise in_our_words(error, model_id, _host(api), looking=True) from error
    return content


def main(arguments: list[str]) -> int:
    """Run as a process; see the module's docstring."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--look", action="store_true")
    parser.add_argument("--endpoint")
    parser.add_argument("model_id")
    parser.add_argument("folder", type=Path)
    asked = parser.parse_args(arguments)
    for name, value in _CLIENT_SETTINGS.items():
        os.environ.setdefault(name, value)

    def work(report: Reporter) -> Path:
        if asked.list:
            return _list(asked.model_id, asked.folder, asked.endpoint, report)
        if asked.look:
            return _look(asked.model_id, asked.folder, asked.endpoint, report)
        return fetch(asked.model_id, asked.folder, asked.endpoint, report, check=asked.check)

    return run_as_worker(work)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
