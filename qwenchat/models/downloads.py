"""Every model's download: started, paused, resumed, cancelled and watched, on the event loop.

The work itself is a process for each (``download.py``); to pause is to end that process, to
resume is to start another, which goes on from what has arrived. So an app that was killed has
nothing to repair: what is unfinished lies in the data folder and is found by
:meth:`Downloads.find_unfinished`.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from logging import getLogger
from pathlib import Path

from qwenchat.errors import DownloadFailed, ModelNotFound, QwenChatError
from qwenchat.models.download import model_on_this_machine, run_download
from qwenchat.models.download_job import Job
from qwenchat.models.download_state import Download
from qwenchat.models.folders import building_path, disk_errors
from qwenchat.models.manifest import Progress
from qwenchat.models.offline import not_here
from qwenchat.models.placement import downloaded_model, model_folder
from qwenchat.models.staging import (
    Unfinished,
    Wanted,
    discard,
    holds_nothing,
    read_wanted,
    remove_replaced,
    unfinished_downloads,
    write_wanted,
)

_TICK_SECONDS = 1.0

_log = getLogger(__name__)

Watcher = Callable[[str], None]
"""Called with the model id of what changed."""


class Downloads:
    """The downloads of one data folder.

    Args:
        models_dir: The folder of all models; made when it does not exist.
        endpoint: The hub's address; None for the usual one.
        offline: Use what is there, and nothing else.
        at_once: Models that are fetched side by side; more wait. Each fetches four files at
            once.
    """

    def __init__(
        self,
        models_dir: Path,
        *,
        endpoint: str | None = None,
        offline: bool = False,
        at_once: int = 2,
    ) -> None:
        self._models_dir = models_dir
        self._endpoint = endpoint
        self._offline = offline
        self._slots = asyncio.Semaphore(at_once)
        self._line = asyncio.Lock()
        self._jobs: dict[str, Job] = {}
        self._watchers: set[Watcher] = set()

    # ---- watching

    def all(self) -> list[Download]:
        """Every download since the start, and those found unfinished."""
        return [job.view() for job in self._jobs.values()]

    def get(self, model_id: str) -> Download | None:
        """One of them; None when there is none of this model."""
        job = self._jobs.get(model_id)
        return job.view() if job else None

    def on_change(self, watcher: Watcher) -> Callable[[], None]:
        """Call ``watcher`` at every change, five times a second at most; returns what ends that."""
        self._watchers.add(watcher)
        return lambda: self._watchers.discard(watcher)

    async def find_unfinished(self) -> list[Download]:
        """Look in the data folder for downloads that were interrupted; they are then paused."""
        found = await asyncio.to_thread(self._look_for_unfinished)
        for unfinished in found:
            wanted = unfinished.wanted
            if wanted.model_id not in self._jobs:
                job = self._jobs[wanted.model_id] = Job(wanted.model_id, "paused")
                job.expect(
                    [
                        (file.path, file.size or 0, unfinished.arrived[file.path])
                        for file in wanted.files
                    ]
                )
                job.note = "This download was interrupted. What has arrived is kept."
                self._changed(job)
        return [self._jobs[unfinished.wanted.model_id].view() for unfinished in found]

    async def wait(self, model_id: str) -> Path:
        """The model's folder, once it is there.

        Raises:
            ModelNotFound: There is no download of this model.
            DownloadFailed: It was paused or cancelled.
            QwenChatError: What it failed with.
        """
        job = self._job(model_id)
        if job.task is not None:
            await asyncio.wait([job.task])
        if job.path is not None:
            return job.path
        if job.error is not None:
            raise job.error
        ended = "cancelled" if job.state == "cancelled" else "paused"
        raise DownloadFailed(
            f"The download of {model_id} was {ended}. Start it again, or choose another model."
        )

    async def fetch(self, model_id: str, on_progress: Progress | None = None) -> Path:
        """The folder of a hub's model, downloaded first when it is not there or not whole.

        One that is there, or in another program's cache, is used without network. Cancelling
        the task leaves the download running.

        Args:
            on_progress: Called with a stage to show, done and total bytes (0 of 0 where there is
                nothing to count).

        Raises:
            QwenChatError: As :func:`qwenchat.models.download.run_download` has it.
        """

        def report(changed: str) -> None:
            job = self._jobs.get(model_id)
            if changed == model_id and job is not None and on_progress is not None and job.stage:
                on_progress(job.stage, *job.stage_bytes)

        stop = self.on_change(report)
        try:
            self.start(model_id)
            return await self.wait(model_id)
        finally:
            stop()

    # ---- changing

    def start(self, model_id: str, *, check: bool = False, note: str = "") -> Download:
        """Download a model, or go on with it; one that is on its way is left as it is.

        Whatever goes wrong from here on is the download's ``error``.

        Args:
            check: Also read every file of a model that looks whole, and fetch those that differ
                from the hub's list.
            note: What a person should know of it from the start.

        Raises:
            ModelNotFound: ``model_id`` is not of the shape ``owner/name``.
        """
        model_folder(self._models_dir, model_id)
        before = self._jobs.get(model_id)
        if before is not None and before.view().active:
            return before.view()
        job = self._jobs[model_id] = Job(model_id, "queued")
        job.note = note
        if before is not None:
            job.expect(before.rows())
        job.task = asyncio.create_task(self._run(job, check), name=f"download {model_id}")
        self._changed(job)
        return job.view()

    async def pause(self, model_id: str) -> Download:
        """Stop a download; what has arrived is kept. One that is not running is left as it is.

        Raises:
            ModelNotFound: There is no download of this model.
        """
        job = self._job(model_id)
        await self._stop(job)
        return job.view()

    def resume(self, model_id: str) -> Download:
        """Go on with a download that is paused or failed; like :meth:`start`."""
        return self.start(self._job(model_id).model_id)

    async def cancel(self, model_id: str) -> Download:
        """Stop a download and delete what has arrived; a model that was there before stays.

        Raises:
            ModelNotFound: There is no download of this model.
            InvalidRequest: Another process is downloading it.
            DataFolderUnusable: What has arrived cannot be deleted.
        """
        job = self._job(model_id)
        await self._stop(job)
        if job.state != "done":
            with disk_errors(self._models_dir, f"deleting what has arrived of {model_id}"):
                await asyncio.to_thread(discard, self._models_dir, model_id)
            job.forget_arrived()
            job.end("cancelled")
            self._changed(job)
        return job.view()

    def forget(self, model_id: str) -> None:
        """Speak no more of a download that has ended and left nothing to go on from."""
        job = self._jobs.get(model_id)
        if job is not None and job.state in ("done", "cancelled"):
            del self._jobs[model_id]
            self._changed(job)

    async def close(self) -> None:
        """Stop all of them, as the app ends; the next one finds them again."""
        await asyncio.gather(*(self._stop(job) for job in self._jobs.values()))

    # ---- the life of one

    def _job(self, model_id: str) -> Job:
        try:
            return self._jobs[model_id]
        except KeyError:
            raise ModelNotFound(
                f"There is no download of {model_id!r}. Start one first.", param="model"
            ) from None

    async def _run(self, job: Job, check: bool) -> None:
        try:
            # One after the other, so that places are taken in the order of the starts.
            async with self._line:
                path = await self._ready(job, check)
            if path is None:
                async with self._slots:
                    path = await self._fetch(job)
            job.end("done", path=path)
        except asyncio.CancelledError:
            # It may have been at its very end.
            whole = downloaded_model(self._models_dir, job.model_id)
            if whole is not None and not building_path(whole).exists():
                job.end("done", path=whole)
            else:
                job.end("paused")
        except QwenChatError as error:
            await asyncio.to_thread(self._drop_if_empty, job.model_id)
            job.end("failed", error=error)
        except Exception as error:
            _log.error("the download of %s failed", job.model_id, exc_info=error)
            job.end(
                "failed",
                error=DownloadFailed(
                    f"The download of {job.model_id} could not be run: {error}. What has arrived "
                    "is kept: start again."
                ),
            )
        self._changed(job)

    async def _ready(self, job: Job, check: bool) -> Path | None:
        """The model's folder where nothing is to be fetched; else it is noted as wanted."""
        staging = building_path(model_folder(self._models_dir, job.model_id))
        ready = None
        if self._offline or not (check or staging.exists()):
            ready = await asyncio.to_thread(model_on_this_machine, self._models_dir, job.model_id)
        if self._offline:
            if ready is None:
                raise not_here(job.model_id)
            job.note = "Offline, as set: the model that is there is used, unchecked."
        elif ready is None and read_wanted(staging) is None:
            # The data folder remembers it from now on, also while it waits for its turn.
            with disk_errors(self._models_dir, f"the model {job.model_id}"):
                write_wanted(staging, Wanted(job.model_id, self._endpoint))
        return ready

    async def _fetch(self, job: Job) -> Path:
        def on_progress(stage: str, done: int, total: int) -> None:
            job.progress(stage, done, total)
            self._changed(job)

        def on_detail(detail: dict[str, object]) -> None:
            job.detail(detail)
            self._changed(job)

        ticker = asyncio.create_task(self._tick(job))
        try:
            return await run_download(
                job.model_id,
                self._models_dir,
                on_progress,
                on_detail,
                endpoint=self._endpoint,
                # Whoever wants nothing checked has been answered before.
                check=True,
            )
        finally:
            ticker.cancel()

    async def _tick(self, job: Job) -> None:
        """Have the rate fall, and be seen falling, while nothing arrives."""
        while True:
            await asyncio.sleep(_TICK_SECONDS)
            self._changed(job)

    async def _stop(self, job: Job) -> None:
        if job.task is not None and not job.task.done():
            job.task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await job.task
            if job.view().active:
                # It was cancelled before its first step.
                job.end("paused")
                self._changed(job)

    def _look_for_unfinished(self) -> list[Unfinished]:
        remove_replaced(self._models_dir)
        return list(unfinished_downloads(self._models_dir))

    def _drop_if_empty(self, model_id: str) -> None:
        """A model that the hub does not have, say, leaves no folder to go on from."""
        staging = building_path(model_folder(self._models_dir, model_id))
        if staging.is_dir() and holds_nothing(staging):
            with contextlib.suppress(QwenChatError, OSError):
                discard(self._models_dir, model_id)

    def _changed(self, job: Job) -> None:
        for watcher in tuple(self._watchers):
            watcher(job.model_id)
