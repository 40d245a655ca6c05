"""Getting a model from the hub, in a process of its own.

ModelScope's client and what it brings stay out of the web process, a download can be
stopped at any moment by ending its process, and a crash of one is an error message.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

from qwenchat.errors import DownloadFailed
from qwenchat.models.manifest import Progress
from qwenchat.models.placement import downloaded_model
from qwenchat.models.worker import WorkerEnded, run_worker


async def fetch_model(
    model_id: str,
    models_dir: Path,
    on_progress: Progress | None = None,
    *,
    endpoint: str | None = None,
) -> Path:
    """The folder of a hub's model, downloaded first when it is not there or not whole.

    One that is there is used without network. Cancelling the task ends the download; what
    has arrived is kept, and the next call goes on from it.

    Args:
        model_id: ``owner/name``.
        models_dir: The folder of all models; made when it does not exist.
        on_progress: Called on the event loop with a stage to show, done and total bytes
            (0 of 0 where there is nothing to count).
        endpoint: The hub's address; without it the environment variable
            ``MODELSCOPE_ENDPOINT``, else modelscope.cn, then modelscope.ai.

    Raises:
        ModelNotFound: The hub has no such model.
        UnsupportedModel: It has, but not in a format vLLM's CPU engine loads.
        DownloadFailed: No connection, no permission, or the process ended.
        ChecksumMismatch: A file is not what the hub's own list says.
        DiskFull: No room for the model.
        DataFolderUnusable: ``models_dir`` cannot be written.
    """
    ready = await asyncio.to_thread(downloaded_model, models_dir, model_id)
    if ready is not None:
        return ready
    arguments = [model_id, str(models_dir)] + ([endpoint] if endpoint else [])
    try:
        return await run_worker("qwenchat.models.download_worker", arguments, on_progress)
    except WorkerEnded as end:
        raise DownloadFailed(
            f"The process that downloads {model_id} ended unexpectedly ({end.message}). Start "
            "again: what has arrived is kept."
        ) from end
