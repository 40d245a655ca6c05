"""The manager of downloads: the real client, in its process, against a hub on this machine."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import TypeVar

import psutil
import pytest

from qwenchat.errors import (
    ChecksumMismatch,
    DataFolderUnusable,
    DiskFull,
    DownloadFailed,
    InvalidRequest,
    ModelNotFound,
)
from qwenchat.models.download_state import Download
from qwenchat.models.downloads import Downloads
from qwenchat.models.folders import building_path, destination_lock
from qwenchat.models.hub_errors import in_our_words
from qwenchat.models.manifest import read_manifest, verify_files
from qwenchat.models.rate import Rate
from qwenchat.models.snapshot import inspect_snapshot
from qwenchat.models.staging import STATE_NAME
from tests.models.hub_server import LocalHub, client_of_its_own, running_hub
from tests.models.samples import small_snapshot
from tests.models.test_demo import small_disk

pytestmark = pytest.mark.accept

PROJECT = Path(__file__).resolve().parents[2]
MODEL = "Qwen/Qwen-Test"
OTHER = "Qwen/Qwen-Other"
WEIGHTS = "model.safetensors"
ROWS = 250_000
"""Weights of four megabytes, which makes 245 chunks."""
SLOW = 0.008
"""Seconds for each chunk, which makes the weights take two seconds."""

T = TypeVar("T")


def workers() -> list[psutil.Process]:
    """The processes that download; another file's may have left one of its own beside them."""
    children = psutil.Process().children()
    return [child for child in children if "qwenchat.models.download_worker" in child.cmdline()]


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with client_of_its_own(tmp_path, monkeypatch):
        yield


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[LocalHub]:
    with running_hub() as hub:
        published = small_snapshot(tmp_path / "published", rows=ROWS, vocab_size=ROWS)
        (published / "README.md").write_text("A model.")
        hub.add(MODEL, published)
        hub.add(OTHER, published)
        yield hub


@pytest.fixture
def models(tmp_path: Path) -> Path:
    return tmp_path / "models"


@pytest.fixture
def destination(models: Path) -> Path:
    return models / "Qwen--Qwen-Test"


def run(work: Coroutine[object, object, T]) -> T:
    async def limited() -> T:
        return await asyncio.wait_for(work, 90)

    return asyncio.run(limited())


def manager(hub: LocalHub, models: Path, **options: object) -> Downloads:
    return Downloads(models, endpoint=hub.endpoint, **options)


async def until(
    downloads: Downloads, holds: Callable[[Download], object], model_id: str = MODEL
) -> Download:
    """Wait until a download is as wanted, woken by its changes alone."""
    changed = asyncio.Event()
    stop = downloads.on_change(lambda _: changed.set())
    try:
        while True:
            download = downloads.get(model_id)
            if download is not None and holds(download):
                return download
            if download is not None and download.error is not None:
                raise download.error
            changed.clear()
            await changed.wait()
    finally:
        stop()


def part_there(share: float) -> Callable[[Download], bool]:
    return lambda d: d.state == "running" and 0 < share * d.total_bytes <= d.done_bytes


def all_bytes(hub: LocalHub) -> int:
    return sum(len(content) for content in hub.models[MODEL].values())


def in_the_folder(models: Path) -> list[str]:
    return sorted(path.name for path in models.iterdir())


def failure(hub: LocalHub, models: Path, kind: type[Exception]) -> str:
    """How the page would say that the download failed."""

    async def work() -> Download:
        downloads = manager(hub, models)
        downloads.start(MODEL)
        with pytest.raises(kind):
            await downloads.wait(MODEL)
        download = downloads.get(MODEL)
        assert download is not None and download.state == "failed"
        return download

    error = run(work()).error
    assert error is not None and not any(ord(letter) > 0x2FFF for letter in error.message)
    return error.message


class TestComplete:
    def test_a_model_arrives_and_every_number_agrees_with_the_bytes_served(
        self, hub: LocalHub, models: Path, destination: Path
    ) -> None:
        total = all_bytes(hub)
        hub.seconds_per_chunk = SLOW
        hub.stalled_at[WEIGHTS] = 2_000_000
        seen: list[Download] = []

        async def work() -> Path:
            downloads = manager(hub, models)

            def look(model_id: str) -> None:
                download = downloads.get(model_id)
                assert download is not None
                seen.append(download)

            downloads.on_change(look)
            downloads.start(MODEL)
            await until(downloads, lambda d: d.done_bytes > 2_000_000)
            # Nothing moves now, so the numbers can be compared to the byte.
            await asyncio.sleep(0.5)
            halted = downloads.get(MODEL)
            assert halted is not None and halted.done_bytes == sum(hub.served.values()) < total
            (weights,) = (file for file in halted.files if file.path == WEIGHTS)
            assert (weights.done, weights.state) == (hub.served[WEIGHTS], "arriving")
            hub.let_go()
            return await downloads.wait(MODEL)

        path = run(work())
        assert path == destination and inspect_snapshot(path).name == MODEL
        manifest = read_manifest(path)
        assert manifest is not None
        verify_files(path, manifest)
        last = seen[-1]
        assert (last.state, last.done_bytes, last.total_bytes) == ("done", total, total)
        assert sum(hub.served.values()) == total
        running = [d for d in seen if d.stage == "Downloading"]
        assert [d.done_bytes for d in running] == sorted(d.done_bytes for d in running)
        moving = [d for d in running if d.bytes_per_second > 0 and d.done_bytes < 1_900_000]
        assert moving and max(d.bytes_per_second for d in moving) < 3 * 16_384 / SLOW
        assert all(
            d.seconds_left == pytest.approx((total - d.done_bytes) / d.bytes_per_second)
            for d in moving
        )
        assert all(file.state == "done" for file in last.files) and len(last.files) == 5
        assert {"queued", "running", "verifying", "done"} <= {d.state for d in seen}
        assert not (destination / STATE_NAME).exists()

    def test_files_arrive_side_by_side(self, hub: LocalHub, models: Path) -> None:
        for number in range(3):
            name = f"vocabulary-{number}.txt"
            hub.models[MODEL][name] = bytes(300_000)
            hub.hold(name, 0.5)
        hub.hold(WEIGHTS, 0.5)

        async def work() -> None:
            downloads = manager(hub, models)
            downloads.start(MODEL)
            await until(downloads, lambda d: sum(file.state == "arriving" for file in d.files) == 4)
            hub.let_go()
            inspect_snapshot(await downloads.wait(MODEL))

        run(work())

    def test_one_that_is_there_is_done_at_once_and_asks_nobody(
        self, hub: LocalHub, models: Path
    ) -> None:
        async def work() -> None:
            first = manager(hub, models)
            first.start(MODEL)
            path = await first.wait(MODEL)
            asked = len(hub.requests)
            again = manager(hub, models)
            again.start(MODEL)
            assert await again.wait(MODEL) == path and len(hub.requests) == asked

        run(work())

    def test_the_same_model_twice_is_one_download(self, hub: LocalHub, models: Path) -> None:
        hub.hold(WEIGHTS, 0.45)

        async def work() -> None:
            downloads = manager(hub, models)
            downloads.start(MODEL)
            await until(downloads, part_there(0.2))
            assert downloads.start(MODEL).done_bytes > 0
            hub.let_go()
            paths = await asyncio.gather(downloads.wait(MODEL), downloads.fetch(MODEL))
            assert paths[0] == paths[1] and len(downloads.all()) == 1

        run(work())
        assert sum(hub.served.values()) == all_bytes(hub)

    def test_two_run_side_by_side_and_a_third_waits(self, hub: LocalHub, models: Path) -> None:
        hub.add("Qwen/Qwen-Third", models.parent / "published")
        hub.hold(WEIGHTS, 0.45)

        async def work() -> None:
            downloads = manager(hub, models, at_once=2)
            for model_id in (MODEL, OTHER, "Qwen/Qwen-Third"):
                downloads.start(model_id)
            await until(downloads, part_there(0.1))
            await until(downloads, part_there(0.1), OTHER)
            states = [download.state for download in downloads.all()]
            assert states == ["running", "running", "queued"]
            third = building_path(models / "Qwen--Qwen-Third")
            assert (third / STATE_NAME).exists(), "also what waits survives a restart"
            hub.let_go()
            for download in downloads.all():
                inspect_snapshot(await downloads.wait(download.model_id))

        run(work())

    def test_fetch_reports_as_the_engine_s_start_wants_it(
        self, hub: LocalHub, models: Path
    ) -> None:
        stages: dict[str, tuple[int, int]] = {}

        async def work() -> None:
            await manager(hub, models).fetch(
                MODEL, lambda stage, done, total: stages.update({stage: (done, total)})
            )

        run(work())
        total = all_bytes(hub)
        assert stages["Downloading"] == stages["Checking files"] == (total, total)


class TestGoingOn:
    def test_after_a_pause_at_40_percent_under_5_percent_comes_twice(
        self, hub: LocalHub, models: Path, destination: Path
    ) -> None:
        hub.hold(WEIGHTS, 0.45)

        async def work() -> None:
            downloads = manager(hub, models)
            downloads.start(MODEL)
            await until(downloads, part_there(0.4))
            paused = await downloads.pause(MODEL)
            assert paused.state == "paused" and paused.bytes_per_second == 0
            assert not destination.exists()
            hub.hold(WEIGHTS, 0.7)
            assert downloads.resume(MODEL).done_bytes >= paused.done_bytes
            await until(downloads, part_there(0.69))
            # What was there is counted once, and is no part of the rate.
            halted = await until(downloads, lambda d: d.bytes_per_second > 0)
            assert abs(sum(hub.served.values()) - halted.done_bytes) < 0.05 * halted.total_bytes
            hub.let_go()
            inspect_snapshot(await downloads.wait(MODEL))

        run(work())
        assert sum(hub.served.values()) < 1.05 * all_bytes(hub)

    def test_also_where_the_client_is_set_to_fetch_pieces_of_a_file_side_by_side(
        self, hub: LocalHub, models: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("MODELSCOPE_DOWNLOAD_PARALLEL_WORKERS", "2")
        monkeypatch.setenv("MODELSCOPE_DOWNLOAD_PARALLEL_THRESHOLD_MB", "1")
        monkeypatch.setenv("MODELSCOPE_DOWNLOAD_PART_SIZE_MB", "1")
        hub.hold(WEIGHTS, 0.45)

        async def work() -> None:
            downloads = manager(hub, models)
            downloads.start(MODEL)
            await until(downloads, part_there(0.4))
            paused = await downloads.pause(MODEL)
            (found,) = await manager(hub, models).find_unfinished()
            assert abs(found.done_bytes - paused.done_bytes) < 0.2 * found.total_bytes
            hub.let_go()
            downloads.resume(MODEL)
            inspect_snapshot(await downloads.wait(MODEL))

        run(work())
        assert sum(hub.served.values()) < 1.1 * all_bytes(hub)
        assert len(hub.asked_for(WEIGHTS)) > 4

    def test_after_the_connection_is_cut_at_40_percent_nothing_comes_twice(
        self, hub: LocalHub, models: Path
    ) -> None:
        size = len(hub.models[MODEL][WEIGHTS])
        hub.cut_once[WEIGHTS] = int(0.4 * size)

        async def work() -> None:
            downloads = manager(hub, models)
            downloads.start(MODEL)
            inspect_snapshot(await downloads.wait(MODEL))

        run(work())
        assert sum(hub.served.values()) == all_bytes(hub)
        assert [r.range for r in hub.asked_for(WEIGHTS)] == [None, f"bytes={int(0.4 * size)}-"]

    def test_the_network_is_lost_and_comes_back(
        self, hub: LocalHub, models: Path, destination: Path
    ) -> None:
        hub.hold(WEIGHTS, 0.45)

        async def work() -> None:
            downloads = manager(hub, models)
            downloads.start(MODEL)
            await until(downloads, part_there(0.4))
            hub.down = True
            with pytest.raises(DownloadFailed) as caught:
                await downloads.wait(MODEL)
            assert "the connection to 127.0.0.1" in caught.value.message
            assert "What has arrived is kept" in caught.value.message
            failed = downloads.get(MODEL)
            assert failed is not None and failed.state == "failed"
            assert failed.done_bytes >= 0.4 * all_bytes(hub) and not destination.exists()
            hub.down = False
            hub.let_go()
            downloads.resume(MODEL)
            inspect_snapshot(await downloads.wait(MODEL))

        run(work())
        assert sum(hub.served.values()) < 1.05 * all_bytes(hub)

    def test_a_line_that_breaks_again_and_again_gets_there_as_long_as_something_arrives(
        self, hub: LocalHub, models: Path
    ) -> None:
        # The client itself gives up at the second break, as set for these tests.
        class BreaksAlways(dict[str, int]):
            at = 0

            def pop(self, key: str, default: int) -> int:  # type: ignore[override]
                self.at += 900_000
                return self.at if key == WEIGHTS else default

        hub.cut_once = BreaksAlways()

        async def work() -> None:
            downloads = manager(hub, models)
            downloads.start(MODEL)
            inspect_snapshot(await downloads.wait(MODEL))

        run(work())
        assert len(hub.asked_for(WEIGHTS)) == 5
        assert sum(hub.served.values()) == all_bytes(hub)

    def test_the_worker_is_killed(self, hub: LocalHub, models: Path) -> None:
        hub.hold(WEIGHTS, 0.45)

        async def work() -> None:
            downloads = manager(hub, models)
            downloads.start(MODEL)
            await until(downloads, part_there(0.4))
            for worker in workers():
                worker.kill()
            with pytest.raises(DownloadFailed, match="exit status -9"):
                await downloads.wait(MODEL)
            hub.let_go()
            downloads.resume(MODEL)
            inspect_snapshot(await downloads.wait(MODEL))

        run(work())
        assert sum(hub.served.values()) < 1.05 * all_bytes(hub)

    def test_the_app_is_killed_and_the_next_one_offers_to_go_on(
        self, hub: LocalHub, models: Path
    ) -> None:
        hub.hold(WEIGHTS, 0.45)
        code = (
            "import asyncio, pathlib, sys\n"
            "from qwenchat.models.downloads import Downloads\n"
            "async def run():\n"
            f"    downloads = Downloads(pathlib.Path({str(models)!r}), endpoint={hub.endpoint!r})\n"
            f"    downloads.start({MODEL!r})\n"
            "    downloads.on_change(lambda id: print(downloads.get(id).done_bytes, flush=True))\n"
            f"    await downloads.wait({MODEL!r})\n"
            "asyncio.run(run())\n"
        )
        app = subprocess.Popen(
            [sys.executable, "-c", code], cwd=PROJECT, stdout=subprocess.PIPE, text=True
        )
        assert app.stdout is not None
        for line in app.stdout:
            if int(line) > 0.4 * all_bytes(hub):
                break
        workers = psutil.Process(app.pid).children()
        os.kill(app.pid, signal.SIGKILL)
        app.wait()
        app.stdout.close()
        psutil.wait_procs(workers, timeout=10)
        assert not any(worker.is_running() for worker in workers), "no process is left behind"
        hub.let_go()

        async def work() -> None:
            downloads = manager(hub, models)
            (found,) = await downloads.find_unfinished()
            assert found.model_id == MODEL and found.state == "paused"
            assert found.total_bytes == all_bytes(hub)
            assert 0.4 * found.total_bytes <= found.done_bytes < found.total_bytes
            assert "interrupted" in found.note
            downloads.resume(MODEL)
            inspect_snapshot(await downloads.wait(MODEL))
            assert await manager(hub, models).find_unfinished() == []

        run(work())
        assert sum(hub.served.values()) < 1.05 * all_bytes(hub)

    def test_closing_the_app_keeps_what_has_arrived(self, hub: LocalHub, models: Path) -> None:
        hub.hold(WEIGHTS, 0.45)

        async def work() -> None:
            downloads = manager(hub, models)
            downloads.start(MODEL)
            await until(downloads, part_there(0.2))
            await downloads.close()
            assert not workers()
            (found,) = await manager(hub, models).find_unfinished()
            assert found.done_bytes >= 0.2 * found.total_bytes

        run(work())

    def test_a_staging_folder_without_a_readable_note_is_offered_all_the_same(
        self, hub: LocalHub, models: Path, destination: Path
    ) -> None:
        staging = building_path(destination)
        staging.mkdir(parents=True)
        (staging / STATE_NAME).write_text("{")
        (models / ".demo-model.part").mkdir()
        (models / ".x--y.part").write_text("a file")

        async def work() -> None:
            downloads = manager(hub, models)
            (found,) = await downloads.find_unfinished()
            assert (found.model_id, found.total_bytes) == (MODEL, 0)
            downloads.resume(MODEL)
            inspect_snapshot(await downloads.wait(MODEL))

        run(work())


class TestDamage:
    def test_only_the_corrupted_file_is_named_and_fetched_again(
        self, hub: LocalHub, models: Path, destination: Path
    ) -> None:
        async def work() -> str:
            downloads = manager(hub, models)
            downloads.start(MODEL)
            await downloads.wait(MODEL)
            tokenizer = destination / "tokenizer.json"
            content = tokenizer.read_bytes()
            tokenizer.write_bytes(content[:-1] + b" ")
            hub.served.clear()
            downloads.start(MODEL, check=True)
            await downloads.wait(MODEL)
            assert tokenizer.read_bytes() == content
            download = downloads.get(MODEL)
            return download.note if download else ""

        assert run(work()) == "Fetched again: tokenizer.json (damaged)."
        assert set(hub.served) == {"tokenizer.json"}

    def test_a_file_damaged_while_it_was_arriving_is_found_before_the_model_counts_as_there(
        self, hub: LocalHub, models: Path, destination: Path
    ) -> None:
        hub.hold(WEIGHTS, 0.45)

        async def work() -> None:
            downloads = manager(hub, models)
            downloads.start(MODEL)
            await until(downloads, part_there(0.3))
            await downloads.pause(MODEL)
            hub.let_go()
            (incomplete,) = building_path(destination).glob("*.incomplete")
            with incomplete.open("r+b") as file:
                file.seek(100_000)
                file.write(b"damaged")
            downloads.resume(MODEL)
            verify_files(await downloads.wait(MODEL), read_manifest(destination))

        run(work())

    def test_a_repair_that_is_cancelled_leaves_the_model_as_it_was(
        self, hub: LocalHub, models: Path, destination: Path
    ) -> None:
        async def work() -> None:
            downloads = manager(hub, models)
            downloads.start(MODEL)
            await downloads.wait(MODEL)
            with (destination / WEIGHTS).open("r+b") as file:
                file.seek(-1, os.SEEK_END)
                file.write(b"\1")
            before = {path.name: path.read_bytes() for path in destination.iterdir()}
            hub.hold(WEIGHTS, 0.45)
            downloads.start(MODEL, check=True)
            await until(downloads, part_there(0.3))
            await downloads.cancel(MODEL)
            assert {path.name: path.read_bytes() for path in destination.iterdir()} == before

        run(work())
        assert in_the_folder(models) == [destination.name]

    def test_a_repair_that_is_paused_goes_on_though_the_sizes_look_right(
        self, hub: LocalHub, models: Path, destination: Path
    ) -> None:
        async def work() -> None:
            downloads = manager(hub, models)
            downloads.start(MODEL)
            await downloads.wait(MODEL)
            with (destination / WEIGHTS).open("r+b") as file:
                file.seek(-1, os.SEEK_END)
                file.write(b"\1")
            hub.hold(WEIGHTS, 0.45)
            downloads.start(MODEL, check=True)
            await until(downloads, part_there(0.3))
            assert (await downloads.pause(MODEL)).state == "paused"
            hub.let_go()
            downloads.resume(MODEL)
            verify_files(await downloads.wait(MODEL), read_manifest(destination))

        run(work())

    def test_a_link_in_the_staging_folder_is_not_written_through(
        self, hub: LocalHub, models: Path, destination: Path, tmp_path: Path
    ) -> None:
        precious = tmp_path / "precious"
        precious.write_text("precious")
        staging = building_path(destination)
        staging.mkdir(parents=True)
        (staging / f"{WEIGHTS}.incomplete").symlink_to(precious)
        (staging / "config.json").symlink_to(precious)

        async def work() -> None:
            downloads = manager(hub, models)
            downloads.start(MODEL)
            inspect_snapshot(await downloads.wait(MODEL))

        run(work())
        assert precious.read_text() == "precious"


class TestCancel:
    def test_nothing_half_made_is_left(self, hub: LocalHub, models: Path) -> None:
        hub.hold(WEIGHTS, 0.45)

        async def work() -> None:
            downloads = manager(hub, models)
            downloads.start(MODEL)
            await until(downloads, part_there(0.4))
            cancelled = await downloads.cancel(MODEL)
            assert (cancelled.state, cancelled.done_bytes) == ("cancelled", 0)
            with pytest.raises(DownloadFailed, match="cancelled"):
                await downloads.wait(MODEL)
            assert not workers()
            assert in_the_folder(models) == []
            assert await manager(hub, models).find_unfinished() == []
            hub.let_go()
            downloads.start(MODEL)
            inspect_snapshot(await downloads.wait(MODEL))

        run(work())

    def test_a_paused_a_queued_and_a_found_one_can_be_cancelled(
        self, hub: LocalHub, models: Path
    ) -> None:
        hub.hold(WEIGHTS, 0.45)

        async def work() -> None:
            downloads = manager(hub, models, at_once=1)
            downloads.start(MODEL)
            await until(downloads, part_there(0.1))
            # Only now, or it could be the first to be ready and take the one place.
            downloads.start(OTHER)
            await downloads.cancel(OTHER)
            await downloads.pause(MODEL)
            again = manager(hub, models)
            await again.find_unfinished()
            await again.cancel(MODEL)

        run(work())
        assert in_the_folder(models) == []

    def test_one_that_is_there_is_not_deleted(
        self, hub: LocalHub, models: Path, destination: Path
    ) -> None:
        async def work() -> None:
            downloads = manager(hub, models)
            downloads.start(MODEL)
            await downloads.wait(MODEL)
            assert (await downloads.cancel(MODEL)).state == "done"
            inspect_snapshot(destination)

        run(work())

    def test_what_another_process_is_fetching_is_not_deleted(
        self, hub: LocalHub, models: Path, destination: Path
    ) -> None:
        (building_path(destination)).mkdir(parents=True)
        (building_path(destination) / WEIGHTS).write_bytes(b"arrived")

        async def work() -> None:
            downloads = manager(hub, models)
            await downloads.find_unfinished()
            with destination_lock(destination):
                with pytest.raises(InvalidRequest, match="another QwenChat"):
                    await downloads.cancel(MODEL)

        run(work())
        assert (building_path(destination) / WEIGHTS).read_bytes() == b"arrived"

    def test_no_such_download(self, hub: LocalHub, models: Path) -> None:
        async def work() -> None:
            downloads = manager(hub, models)
            for change in (downloads.pause, downloads.cancel, downloads.wait):
                with pytest.raises(ModelNotFound, match="no download"):
                    await change(MODEL)

        run(work())


class TestNamedFailures:
    @pytest.mark.parametrize(
        ("status", "said"),
        [
            (403, "does not let you have model.safetensors without logging in (403)"),
            (404, "lists model.safetensors of Qwen/Qwen-Test but does not have it (404)"),
            (500, "has a problem of its own (500), which usually passes"),
        ],
    )
    def test_a_file_is_refused(
        self, hub: LocalHub, models: Path, destination: Path, status: int, said: str
    ) -> None:
        hub.refused[WEIGHTS] = status
        assert said in failure(hub, models, DownloadFailed)
        assert not destination.exists()

    @pytest.mark.parametrize(
        ("answer", "kind", "said"),
        [
            ((403, "application/json", b"{}"), DownloadFailed, "MODELSCOPE_API_TOKEN"),
            ((404, "application/json", b"{}"), ModelNotFound, "Check the spelling"),
            ((500, "application/json", b"{}"), DownloadFailed, "has a problem of its own (500)"),
            ((200, "text/html", b"<html>Log in"), DownloadFailed, "a hotel's login page"),
            ((200, "application/json", b"\xff\x00"), DownloadFailed, "no list of files"),
        ],
    )
    def test_the_list_is_refused_and_nothing_is_left(
        self,
        hub: LocalHub,
        models: Path,
        answer: tuple[int, str, bytes],
        kind: type[Exception],
        said: str,
    ) -> None:
        hub.list_answer = answer
        assert said in failure(hub, models, kind)
        assert in_the_folder(models) == [], "there is nothing to go on from"

    def test_the_hub_stops_answering(
        self, hub: LocalHub, models: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("MODELSCOPE_DOWNLOAD_TIMEOUT", "1")
        hub.stalled_at[WEIGHTS] = 1_000_000
        message = failure(hub, models, DownloadFailed)
        assert "the connection to" in message or "did not answer in time" in message

    def test_the_hub_is_too_slow(
        self, hub: LocalHub, models: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("MODELSCOPE_DOWNLOAD_LOW_SPEED_WINDOW_SECONDS", "1")
        monkeypatch.setenv("MODELSCOPE_DOWNLOAD_MIN_BYTES_PER_SECOND", "500000")
        hub.seconds_per_chunk = 0.2
        assert "less than a kilobyte a second" in failure(hub, models, DownloadFailed)

    def test_other_content_than_listed(self, hub: LocalHub, models: Path) -> None:
        hub.replaced[WEIGHTS] = hub.models[MODEL][WEIGHTS][:-1000]
        assert f"{WEIGHTS} of {MODEL} kept arriving" in failure(hub, models, ChecksumMismatch)

    def test_the_disk_is_too_small_and_is_asked_first(
        self, hub: LocalHub, models: Path, destination: Path
    ) -> None:
        hub.listed["huge.json"] = {"Path": "huge.json", "Type": "blob", "Size": 10**15}
        assert "needs 1000000.0 GB more" in failure(hub, models, DiskFull)
        assert not hub.served
        assert not destination.exists()

    def test_the_disk_fills_up_meanwhile_and_has_room_again(
        self, hub: LocalHub, tmp_path: Path
    ) -> None:
        disk = tmp_path / "disk"
        # No faster than it is read: what lies in the sockets when the disk is full is lost.
        hub.seconds_per_chunk = SLOW
        with small_disk(disk):  # of 8 MB
            hub.hold(WEIGHTS, 0.45)

            async def work() -> None:
                downloads = manager(hub, disk)
                downloads.start(MODEL)
                await until(downloads, part_there(0.3))
                with contextlib.suppress(OSError):
                    (disk / "other").write_bytes(bytes(8_000_000))
                hub.let_go()
                with pytest.raises(DiskFull, match="Free some space"):
                    await downloads.wait(MODEL)
                assert not (disk / "Qwen--Qwen-Test").exists()
                (disk / "other").unlink()
                downloads.resume(MODEL)
                inspect_snapshot(await downloads.wait(MODEL))

            run(work())
        assert sum(hub.served.values()) < 1.05 * all_bytes(hub)

    def test_the_disk_takes_no_large_files(
        self, hub: LocalHub, models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        # As a FAT disk at 4 GB: the limit is real, and the worker's process alone has it.
        (tmp_path / "site").mkdir()
        (tmp_path / "site" / "sitecustomize.py").write_text(
            "import resource, sys\n"
            "if 'qwenchat.models.download_worker' in sys.orig_argv:\n"
            "    resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, 1_000_000))\n"
        )
        monkeypatch.setenv("PYTHONPATH", str(tmp_path / "site"))
        assert "takes no file as large" in failure(hub, models, DataFolderUnusable)

    def test_the_models_folder_is_read_only(self, hub: LocalHub, tmp_path: Path) -> None:
        disk = tmp_path / "disk"
        with small_disk(disk):
            subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
            assert "cannot be written" in failure(hub, disk, DataFolderUnusable)

    def test_it_becomes_read_only_while_a_download_is_paused(
        self, hub: LocalHub, tmp_path: Path
    ) -> None:
        disk = tmp_path / "disk"
        with small_disk(disk):
            building_path(disk / "Qwen--Qwen-Test").mkdir()
            subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
            assert "Read-only file system" in failure(hub, disk, DataFolderUnusable)

    def test_a_file_is_where_the_folder_would_be(
        self, hub: LocalHub, models: Path, destination: Path
    ) -> None:
        models.mkdir()
        destination.write_text("mine")
        assert "is a file" in failure(hub, models, DataFolderUnusable)
        assert destination.read_text() == "mine"

    @pytest.mark.parametrize(
        "model_id",
        ["../../etc", "/etc/passwd", "Qwen/..", "a b/c", "Qwen/🙂", "Qwen", "", "a/" + "b" * 300],
    )
    def test_a_name_that_is_none_is_refused_before_anything_is_made(
        self, hub: LocalHub, models: Path, model_id: str
    ) -> None:
        async def work() -> None:
            with pytest.raises(ModelNotFound, match="owner and a name"):
                manager(hub, models).start(model_id)

        run(work())
        assert not models.exists() and not hub.requests

    def test_an_error_of_the_client_that_nobody_foresaw_is_one_paragraph(self) -> None:
        error = in_our_words(RuntimeError("first\nsecond"), MODEL, "hub")
        assert isinstance(error, DownloadFailed) and "(first)" in error.message
        assert "\n" not in error.message


class TestNetwork:
    def test_the_proxy_of_the_environment_is_used(
        self, hub: LocalHub, models: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for name in ("HTTP_PROXY", "http_proxy"):
            monkeypatch.setenv(name, hub.endpoint)

        async def work() -> None:
            downloads = Downloads(models, endpoint="http://hub.invalid")
            downloads.start(MODEL)
            inspect_snapshot(await downloads.wait(MODEL))

        run(work())
        assert {request.host for request in hub.asked_for(WEIGHTS)} == {"hub.invalid"}

    def test_a_proxy_that_is_not_there_is_named(
        self, hub: LocalHub, models: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for name in ("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy"):
            monkeypatch.setenv(name, "http://anna:secret@127.0.0.1:9")
        hub.endpoint = "http://hub.invalid"
        message = failure(hub, models, DownloadFailed)
        assert "the proxy 127.0.0.1:9 does not connect to hub.invalid" in message
        assert "secret" not in message

    def test_offline_uses_what_is_there_and_says_so(self, hub: LocalHub, models: Path) -> None:
        async def work() -> None:
            online = manager(hub, models)
            online.start(MODEL)
            path = await online.wait(MODEL)
            asked = len(hub.requests)
            offline = manager(hub, models, offline=True)
            offline.start(MODEL, check=True)
            assert await offline.wait(MODEL) == path
            download = offline.get(MODEL)
            assert download is not None and download.note.startswith("Offline, as set")
            offline.start(OTHER)
            with pytest.raises(DownloadFailed, match="is offline, as set, and Qwen/Qwen-Other"):
                await offline.wait(OTHER)
            assert len(hub.requests) == asked

        run(work())

    def test_the_web_process_loads_no_client(self) -> None:
        code = (
            "import sys, qwenchat.models.downloads, qwenchat.models.library\n"
            "heavy = {'torch', 'vllm', 'modelscope', 'modelscope_hub', 'requests'}\n"
            "sys.exit(repr(heavy & set(sys.modules)) if heavy & set(sys.modules) else 0)\n"
        )
        subprocess.run([sys.executable, "-c", code], check=True, cwd=PROJECT)


class TestRate:
    def test_it_is_of_the_last_seconds_and_falls_to_nothing_at_a_standstill(self) -> None:
        now = 0.0
        rate = Rate(lambda: now)
        assert rate.bytes_per_second() == 0
        rate.restart(1_000_000)
        for second in range(1, 11):
            now = float(second)
            rate.add(1_000_000 + 100 * second)
        assert rate.bytes_per_second() == pytest.approx(100)
        now = 12.0
        assert 0 < rate.bytes_per_second() < 100
        now = 30.0
        assert rate.bytes_per_second() == pytest.approx(0, abs=6)
        rate.add(1_000)
        assert rate.bytes_per_second() == 0, "a file that begins anew is no negative rate"

    def test_what_was_there_before_does_not_count(self) -> None:
        started = time.monotonic()
        rate = Rate()
        rate.restart(10**9)
        rate.add(10**9 + 1000)
        time.sleep(0.01)
        assert 0 < rate.bytes_per_second() <= 1000 / 0.01
        assert time.monotonic() - started < 5


def test_the_note_of_a_download_names_what_is_wanted(
    hub: LocalHub, models: Path, destination: Path
) -> None:
    hub.hold(WEIGHTS, 0.45)

    async def work() -> None:
        downloads = manager(hub, models)
        downloads.start(MODEL)
        await until(downloads, part_there(0.1))
        await downloads.pause(MODEL)

    run(work())
    note = json.loads((building_path(destination) / STATE_NAME).read_text())
    assert note["model_id"] == MODEL and note["endpoint"] == hub.endpoint
    assert sorted(path for path, _, _ in note["files"]) == sorted(hub.models[MODEL])
