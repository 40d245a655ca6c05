"""What a hub says of a model, asked before anything large of it is fetched."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import PurePosixPath

from qwenchat.errors import DownloadFailed, UnsupportedModel
from qwenchat.models.download import WORKER
from qwenchat.models.hub_listing import HubFile, choose_files
from qwenchat.models.worker import Detail, WorkerEnded, run_worker

LOOK_SECONDS = 90.0
"""The client tries for a while where the line is bad; longer than this nobody waits for a
list."""


@dataclass(frozen=True, slots=True)
class HubLook:
    """A model on the hub.

    Attributes:
        files: All it lists.
        config_json: The content of ``config.json``; None where it has none, or one that is far
            too long to be one.
    """

    model_id: str
    files: tuple[HubFile, ...]
    config_json: bytes | None

    @property
    def names(self) -> list[str]:
        """Of all files."""
        return [file.path for file in self.files]

    @property
    def download_bytes(self) -> int | None:
        """Of what a download would fetch; None where there is nothing to run.

        Raises:
            DownloadFailed: A path leads out of the model's folder.
        """
        try:
            return sum(file.size or 0 for file in choose_files(self.model_id, self.files))
        except UnsupportedModel:
            return None

    @property
    def weights_bytes(self) -> int:
        """Of its .safetensors files."""
        return sum(
            file.size or 0
            for file in self.files
            if PurePosixPath(file.path).suffix == ".safetensors"
        )


async def look_at_hub(model_id: str, endpoint: str | None = None) -> HubLook:
    """The list of a model's files and its ``config.json``, by a process of its own.

    Takes a second or two. Cancelling the task ends the process.

    Raises:
        ModelNotFound: The hub has no such model.
        DownloadFailed: It does not answer.
    """
    files: list[HubFile] = []
    config_json: bytes | None = None

    def on_detail(detail: Detail) -> None:
        nonlocal config_json
        files.extend(HubFile(*entry) for entry in detail.get("listed", ()))
        if "config" in detail:
            config_json = detail["config"].encode("latin-1")

    try:
        async with asyncio.timeout(LOOK_SECONDS):
            await _ask("--look", model_id, endpoint, on_detail)
    except TimeoutError:
        raise DownloadFailed(
            f"The hub has not answered about {model_id} within {LOOK_SECONDS:.0f} seconds. Check "
            "the connection and try again."
        ) from None
    return HubLook(model_id, tuple(files), config_json)


async def list_of_hub(model_id: str, endpoint: str | None = None) -> list[HubFile]:
    """The files that a download of a model would fetch, as the hub lists them.

    Raises:
        ModelNotFound: The hub has no such model.
        DownloadFailed: It does not answer.
    """
    listed: list[HubFile] = []

    def on_detail(detail: Detail) -> None:
        listed.extend(HubFile(*entry) for entry in detail.get("listed", ()))

    await _ask("--list", model_id, endpoint, on_detail)
    return listed


async def _ask(
    flag: str, model_id: str, endpoint: str | None, on_detail: Callable[[Detail], None]
) -> None:
    """Have a process of its own ask the hub, as ``download_worker.py`` says."""
    arguments = [flag] + (["--endpoint", endpoint] if endpoint else [])
    try:
        await run_worker(WORKER, [*arguments, model_id, "."], None, on_detail)
    except WorkerEnded as end:
        raise DownloadFailed(
            f"The process that asks the hub about {model_id} ended unexpectedly ({end.message}). "
            "Try again."
        ) from end
