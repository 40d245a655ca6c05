"""Getting a model from the hub, in a process of its own.

ModelScope's client and what it brings stay out of the web process, a download can be
stopped at any moment by ending its process, and a crash of one is an error message.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from qwenchat.errors import DownloadFailed, ModelError
from qwenchat.models.caches import cached_snapshots
from qwenchat.models.manifest import Progress
from qwenchat.models.placement import downloaded_model
from qwenchat.models.snapshot import inspect_snapshot
from qwenchat.models.worker import Detail, WorkerEnded, run_worker

WORKER = "qwenchat.models.download_worker"


def model_on_this_machine(models_dir: Path, model_id: str) -> Path | None:
    """The folder of a model that is there, in ours or in another program's cache, and whole.

    Raises:
        ModelNotFound: ``model_id`` is not of the shape ``owner/name``.
    """
    ours = downloaded_model(models_dir, model_id)
    if ours is not None:
        return ours
    for snapshot in cached_snapshots():
        if snapshot.model_id == model_id and _is_loadable(snapshot.path):
            return snapshot.path
    return None


def _is_loadable(folder: Path) -> bool:
    try:
        inspect_snapshot(folder)
    except ModelError:
        return False
    return True


async def run_download(
    model_id: str,
    models_dir: Path,
    on_progress: Progress | None,
    on_detail: Callable[[Detail], None] | None = None,
    *,
    endpoint: str | None = None,
    check: bool = False,
) -> Path:
    """Download a model of the hub, in a process of its own; returns its folder.

    Cancelling the task ends the download; what has arrived is kept, and the next call goes on
    from it.

    Args:
        model_id: ``owner/name``.
        models_dir: The folder of all models; made when it does not exist.
        on_progress: Called on the event loop with a stage to show, done and total bytes
            (0 of 0 where there is nothing to count).
        on_detail: Called with what ``download_worker.py`` says besides.
        endpoint: The hub's address; without it the environment variable
            ``MODELSCOPE_ENDPOINT``, else modelscope.cn, then modelscope.ai.
        check: Also read every file that is there, and fetch those that differ from the hub's.

    Raises:
        ModelNotFound: The hub has no such model.
        UnsupportedModel: It has, but not in a format vLLM's CPU engine loads.
        DownloadFailed: No connection, no permission, or the process ended.
        ChecksumMismatch: A file is not what the hub's own list says.
        DiskFull: No room for the model.
        DataFolderUnusable: ``models_dir`` cannot be written.
    """
    arguments = ["--check"] if check else []
    arguments += ["--endpoint", endpoint] if endpoint else []
    try:
        return await run_worker(
            WORKER, [*arguments, model_id, str(models_dir)], on_progress, on_detail
        )
    except WorkerEnded as end:
        raise DownloadFailed(
            f"The process that downloads {model_id} ended unexpectedly ({end.message}). Start "
            "again: what has arrived is kept."
        ) from end
