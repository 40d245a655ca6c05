"""Getting a model from the hub, in a process of its own.

ModelScope's client and what it brings stay out of the web process, a download can be
stopped at any moment by ending its process, and a crash of one is an error message.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sys
from pathlib import Path
from typing import Any

import qwenchat
from qwenchat.errors import DownloadFailed, error_from_code
from qwenchat.models.manifest import Progress
from qwenchat.models.placement import downloaded_model

_STDERR_BYTES_KEPT = 4096


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
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "qwenchat.models.download_worker",
        *arguments,
        env=_environment(),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        # Ctrl-C in the terminal is for this process, which then ends that one.
        start_new_session=True,
    )
    assert process.stdout is not None and process.stderr is not None
    try:
        last, errors = await asyncio.gather(
            _follow(process.stdout, on_progress), _tail(process.stderr)
        )
        await process.wait()
    finally:
        if process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()
    if "path" in last:
        return Path(last["path"])
    if "error" in last:
        error = last["error"]
        raise error_from_code(error["code"], error["message"], error["param"])
    raise DownloadFailed(
        f"The process that downloads {model_id} ended unexpectedly (exit status "
        f"{process.returncode}{_reason(errors)}). Start again: what has arrived is kept."
    )


def _environment() -> dict[str, str]:
    root = str(Path(qwenchat.__file__).resolve().parent.parent)
    inherited = os.environ.get("PYTHONPATH")
    return os.environ | {"PYTHONPATH": os.pathsep.join([root] + ([inherited] if inherited else []))}


async def _follow(output: asyncio.StreamReader, on_progress: Progress | None) -> dict[str, Any]:
    """Pass progress on until the output ends; returns the last line that is no progress."""
    last: dict[str, Any] = {}
    async for line in output:
        try:
            content = json.loads(line)
        except ValueError:
            continue
        if "stage" not in content:
            last = content
        elif on_progress is not None:
            on_progress(content["stage"], content["done"], content["total"])
    return last


async def _tail(output: asyncio.StreamReader) -> str:
    kept = b""
    while block := await output.read(_STDERR_BYTES_KEPT):
        kept = (kept + block)[-_STDERR_BYTES_KEPT:]
    return kept.decode("utf-8", "replace")


def _reason(errors: str) -> str:
    lines = errors.strip().splitlines()
    return f": {lines[-1]}" if lines else ""
