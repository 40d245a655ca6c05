"""The models on this machine: found, measured, verified, deleted, and nothing else touched."""

from __future__ import annotations

import asyncio
import hashlib
import os
import shutil
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from qwenchat.errors import DownloadFailed, InvalidRequest, ModelNotFound
from qwenchat.models.caches import cached_snapshots
from qwenchat.models.folders import building_path, destination_lock, replaced_path
from qwenchat.models.last_used import FILE_NAME
from qwenchat.models.library import Library
from qwenchat.models.manifest import Manifest, record_files, write_manifest
from qwenchat.models.staging import remove_replaced
from tests.models.fetching import fetch_model
from tests.models.hub_server import client_of_its_own, running_hub
from tests.models.samples import small_snapshot

MODEL = "Qwen/Qwen2.5-Test"


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with client_of_its_own(tmp_path, monkeypatch):
        yield


@pytest.fixture
def models(tmp_path: Path) -> Path:
    return tmp_path / "data" / "models"


@pytest.fixture
def library(models: Path) -> Library:
    return Library(models)


def installed(models: Path, model_id: str = MODEL) -> Path:
    """A model as a download leaves it."""
    folder = small_snapshot(models / model_id.replace("/", "--"))
    write_manifest(folder, Manifest(model_id, model_id, "master", record_files(folder)))
    return folder


def in_huggingface_cache(hub: Path, model_id: str = MODEL, commit: str = "a" * 40) -> Path:
    """A snapshot as huggingface_hub lays it out: links to blobs named by their checksums."""
    root = hub / f"models--{model_id.replace('/', '--')}"
    snapshot = root / "snapshots" / commit
    content = small_snapshot(hub.parent / f"content-{commit}")
    (root / "blobs").mkdir(parents=True, exist_ok=True)
    (root / "refs").mkdir(exist_ok=True)
    (root / "refs" / "main").write_text(commit)
    snapshot.mkdir(parents=True)
    for file in content.iterdir():
        data = file.read_bytes()
        if file.suffix == ".safetensors":
            name = hashlib.sha256(data).hexdigest()
        else:
            name = hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()
        shutil.move(file, root / "blobs" / name)
        (snapshot / file.name).symlink_to(f"../../blobs/{name}")
    return snapshot


def size_of(folder: Path) -> int:
    return sum(p.stat().st_size for p in folder.rglob("*") if p.is_file() and not p.is_symlink())


class TestFinding:
    def test_a_model_of_the_data_folder_with_its_size(self, library: Library, models: Path) -> None:
        folder = installed(models)
        (model,) = library.models()
        assert (model.model_id, model.path, model.place) == (MODEL, folder, "data folder")
        assert model.size_bytes == size_of(folder) > 0
        assert (model.last_used, model.problem, model.deletable) == (None, None, True)

    def test_no_data_folder_yet_is_an_empty_library(self, library: Library) -> None:
        assert library.models() == []

    def test_what_is_hidden_or_a_file_is_no_model(self, library: Library, models: Path) -> None:
        installed(models)
        building_path(models / "Qwen--Other").mkdir()
        (models / "Qwen--File").write_text("a folder that is a file")
        assert [model.model_id for model in library.models()] == [MODEL]
        with pytest.raises(ModelNotFound):
            library.find("Qwen/File")

    def test_a_file_that_was_cut_short_is_told(self, library: Library, models: Path) -> None:
        folder = installed(models)
        (folder / "tokenizer_config.json").write_text('{"chat_template": "{{ messages }}"}')
        problem = library.find(MODEL).problem
        assert problem is not None and "only those are fetched" in problem

    def test_a_folder_put_there_by_hand_is_found_by_its_name(
        self, library: Library, models: Path
    ) -> None:
        small_snapshot(models / "mine")
        assert library.find("mine").path == models / "mine"

    @pytest.mark.parametrize(
        "layout",
        [
            "cache/models/Qwen--Qwen2.5-Test/snapshots/master",
            "cache/models/Qwen/Qwen2___5-Test",
            "cache/hub/models/Qwen/Qwen2___5-Test",
            "cache/hub/Qwen/Qwen2___5-Test",
        ],
    )
    def test_modelscope_s_cache_in_each_of_its_layouts(
        self, library: Library, tmp_path: Path, layout: str
    ) -> None:
        folder = small_snapshot(tmp_path / layout)
        (model,) = library.models()
        assert (model.model_id, model.place, model.path) == (MODEL, "modelscope", folder)

    def test_modelscope_s_old_link_beside_the_folder_is_not_a_second_model(
        self, library: Library, tmp_path: Path
    ) -> None:
        owner = tmp_path / "cache" / "hub" / "Qwen"
        small_snapshot(owner / "Qwen2___5-Test")
        (owner / "Qwen2.5-Test").symlink_to(owner / "Qwen2___5-Test")
        assert len(library.models()) == 1

    def test_hugging_face_s_cache_is_measured_by_its_blobs_once(
        self, library: Library, tmp_path: Path
    ) -> None:
        snapshot = in_huggingface_cache(tmp_path / "huggingface" / "hub")
        (model,) = library.models()
        assert (model.model_id, model.place, model.path) == (MODEL, "huggingface", snapshot)
        assert model.size_bytes == size_of(model.root) > 0

    def test_of_several_commits_the_one_that_main_is(self, tmp_path: Path) -> None:
        hub = tmp_path / "huggingface" / "hub"
        main = in_huggingface_cache(hub, commit="b" * 40)
        in_huggingface_cache(hub, commit="c" * 40)
        (hub / "models--Qwen--Qwen2.5-Test" / "refs" / "main").write_text("b" * 40)
        (found,) = cached_snapshots()
        assert found.path == main

    @pytest.mark.parametrize(
        ("environment", "hub"),
        [
            ({"HF_HUB_CACHE": "one"}, "one"),
            ({"HUGGINGFACE_HUB_CACHE": "two", "HF_HOME": "x"}, "two"),
            ({"HF_HUB_CACHE": "one", "HUGGINGFACE_HUB_CACHE": "two"}, "one"),
            ({"HF_HOME": "three"}, "three/hub"),
            ({"XDG_CACHE_HOME": "four"}, "four/huggingface/hub"),
            ({"HOME": "five"}, "five/.cache/huggingface/hub"),
        ],
    )
    def test_hugging_face_s_variables_in_their_order(
        self,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
        environment: dict[str, str],
        hub: str,
    ) -> None:
        in_huggingface_cache(tmp_path / hub)
        values = {name: str(tmp_path / value) for name, value in environment.items()}
        monkeypatch.setenv("HOME", values.get("HOME", str(tmp_path / "nowhere")))
        assert [found.model_id for found in cached_snapshots(values)] == [MODEL]

    def test_what_cannot_chat_in_a_cache_is_left_out(
        self, library: Library, tmp_path: Path
    ) -> None:
        snapshot = in_huggingface_cache(tmp_path / "huggingface" / "hub")
        (snapshot / "tokenizer.json").unlink()
        assert library.models() == []

    def test_a_snapshot_that_leads_out_of_its_folder_is_not_followed(
        self, library: Library, tmp_path: Path
    ) -> None:
        elsewhere = small_snapshot(tmp_path / "elsewhere")
        snapshots = tmp_path / "huggingface" / "hub" / "models--a--b" / "snapshots"
        snapshots.mkdir(parents=True)
        (snapshots / ("d" * 40)).symlink_to(elsewhere)
        linked = snapshots / ("e" * 40)
        linked.mkdir()
        (linked / "config.json").symlink_to(elsewhere / "config.json")
        assert cached_snapshots() == []

    def test_a_cached_model_is_used_without_copying_it_or_asking_anybody(
        self, tmp_path: Path, models: Path
    ) -> None:
        snapshot = in_huggingface_cache(tmp_path / "huggingface" / "hub")
        got = asyncio.run(fetch_model(MODEL, models, endpoint="http://127.0.0.1:9"))
        assert got == snapshot and not models.exists()

    def test_offline_a_model_that_is_nowhere_is_refused_in_words(self, models: Path) -> None:
        with pytest.raises(DownloadFailed, match="offline, as set"):
            asyncio.run(fetch_model(MODEL, models, offline=True))

    @pytest.mark.parametrize("name", ["../../etc", "/etc", "a b", "🙂", "", "x" * 5000, "\ud800"])
    def test_a_name_that_is_none_is_refused(
        self, library: Library, models: Path, name: str
    ) -> None:
        installed(models)
        for act in (library.find, library.delete):
            with pytest.raises(ModelNotFound, match="Those that are: Qwen/Qwen2.5-Test") as caught:
                act(name)
            assert len(caught.value.message) < 400
            caught.value.message.encode()


class TestLastUsed:
    def test_it_is_the_time_of_the_last_load(self, library: Library, models: Path) -> None:
        folder = installed(models)
        before = time.time()
        library.mark_used(folder)
        used = library.find(MODEL).last_used
        assert used is not None and before <= used <= time.time()

    def test_also_of_a_model_in_a_cache_which_is_not_written_to(
        self, library: Library, models: Path, tmp_path: Path
    ) -> None:
        models.mkdir(parents=True)
        snapshot = in_huggingface_cache(tmp_path / "huggingface" / "hub")
        before = sorted(tmp_path.joinpath("huggingface").rglob("*"))
        library.mark_used(snapshot)
        assert library.find(MODEL).last_used is not None
        assert sorted(tmp_path.joinpath("huggingface").rglob("*")) == before

    def test_a_damaged_note_or_no_folder_is_no_reason_to_fail(
        self, library: Library, models: Path
    ) -> None:
        library.mark_used(models / "Qwen--gone")
        folder = installed(models)
        for content in ("{", "[]", '{"a": "b"}', "\0"):
            (models / FILE_NAME).write_text(content)
            assert library.find(MODEL).last_used is None
        library.mark_used(folder)
        assert library.find(MODEL).last_used is not None


class TestVerify:
    def damage(self, library: Library, name: str = MODEL) -> dict[str, str]:
        found = asyncio.run(library.verify(name))
        return {damage.path: damage.reason for damage in found}

    def test_a_sound_model_has_none_and_all_of_it_is_read(
        self, library: Library, models: Path
    ) -> None:
        folder = installed(models)
        seen: list[tuple[int, int]] = []
        found = asyncio.run(library.verify(MODEL, lambda *progress: seen.append(progress)))
        assert found == []
        total = size_of(folder) - (folder / "qwenchat.json").stat().st_size
        assert seen[-1] == (total, total)

    def test_every_damaged_file_is_named_with_the_reason(
        self, library: Library, models: Path
    ) -> None:
        folder = installed(models)
        weights = folder / "model.safetensors"
        weights.write_bytes(weights.read_bytes()[:-1] + b"\1")
        (folder / "config.json").unlink()
        (folder / "tokenizer.json").write_text("{}")
        assert self.damage(library, folder.name) == {
            "config.json": "is missing",
            "model.safetensors": "has another content than it should (its checksum differs)",
            "tokenizer.json": "is 2 bytes long and should be 31",
        }

    def test_a_file_that_is_a_link_out_of_the_folder_counts_as_missing(
        self, library: Library, models: Path, tmp_path: Path
    ) -> None:
        folder = installed(models)
        shutil.move(folder / "config.json", tmp_path / "config.json")
        (folder / "config.json").symlink_to(tmp_path / "config.json")
        assert self.damage(library) == {"config.json": "is missing"}

    def test_hugging_face_s_cache_is_verified_by_its_own_names(
        self, library: Library, tmp_path: Path
    ) -> None:
        snapshot = in_huggingface_cache(tmp_path / "huggingface" / "hub")
        assert self.damage(library) == {}
        weights = (snapshot / "model.safetensors").resolve()
        weights.write_bytes(weights.read_bytes()[:-1] + b"\1")
        config = (snapshot / "config.json").resolve()
        config.write_bytes(config.read_bytes() + b" ")
        assert set(self.damage(library)) == {"model.safetensors", "config.json"}

    def test_modelscope_s_cache_is_verified_by_the_hub_s_list(
        self, models: Path, tmp_path: Path
    ) -> None:
        folder = small_snapshot(tmp_path / "cache" / "models" / "Qwen" / "Qwen2___5-Test")
        with running_hub() as hub:
            hub.add(MODEL, folder)
            library = Library(models, endpoint=hub.endpoint)
            assert self.damage(library) == {}
            (folder / "tokenizer.json").write_text('{"version": "9.9", "model": {}}')
            assert set(self.damage(library)) == {"tokenizer.json"}
            assert not hub.served, "the list is enough"
            offline = Library(models, endpoint=hub.endpoint, offline=True)
            with pytest.raises(DownloadFailed, match="offline, as set"):
                self.damage(offline)

    def test_a_folder_of_no_hub_has_nothing_to_be_compared_with(
        self, library: Library, models: Path
    ) -> None:
        small_snapshot(models / "mine")
        with pytest.raises(InvalidRequest, match="no list to compare"):
            self.damage(library, "mine")

    def test_cancelling_ends_the_reading(self, library: Library, models: Path) -> None:
        folder = small_snapshot(models / "Qwen--Big", rows=4_000_000, vocab_size=4_000_000)
        write_manifest(folder, Manifest("Qwen/Big", "Qwen/Big", "master", record_files(folder)))
        reads: list[int] = []

        async def work() -> None:
            loop = asyncio.get_running_loop()
            began = asyncio.Event()

            def slowly(done: int, total: int) -> None:
                reads.append(done)
                loop.call_soon_threadsafe(began.set)
                time.sleep(0.02)

            task = asyncio.create_task(library.verify("Qwen/Big", slowly))
            await began.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

        asyncio.run(work())
        assert 0 < len(reads) < 30, "of 64 reads"


class TestDelete:
    def test_it_says_what_it_frees_and_leaves_nothing(self, library: Library, models: Path) -> None:
        size = size_of(installed(models))
        other = installed(models, "Qwen/Other")
        assert library.delete(MODEL) == size
        assert list(models.iterdir()) == [other]

    def test_the_one_in_use_is_refused(self, library: Library, models: Path) -> None:
        folder = installed(models)
        in_use = models / ".." / "models" / folder.name
        with pytest.raises(InvalidRequest, match="Switch to another model first"):
            library.delete(MODEL, in_use=[in_use])
        assert folder.is_dir()

    def test_one_in_a_cache_is_refused_with_its_folder(
        self, library: Library, tmp_path: Path
    ) -> None:
        snapshot = in_huggingface_cache(tmp_path / "huggingface" / "hub")
        with pytest.raises(InvalidRequest, match="Hugging Face's cache, and QwenChat deletes only"):
            library.delete(MODEL)
        assert (snapshot / "config.json").exists()

    def test_a_link_out_of_the_data_folder_is_refused(
        self, library: Library, models: Path, tmp_path: Path
    ) -> None:
        elsewhere = small_snapshot(tmp_path / "elsewhere")
        models.mkdir(parents=True)
        (models / "Qwen--Linked").symlink_to(elsewhere)
        assert library.find("Qwen/Linked").size_bytes == 0, "deleting it would free nothing"
        with pytest.raises(InvalidRequest, match="outside the data folder"):
            library.delete("Qwen/Linked")
        assert (elsewhere / "config.json").exists()

    def test_links_within_a_model_are_deleted_and_not_what_they_lead_to(
        self, library: Library, models: Path, tmp_path: Path
    ) -> None:
        precious = tmp_path / "precious"
        precious.mkdir()
        (precious / "file").write_bytes(bytes(1000))
        folder = installed(models)
        size = size_of(folder)
        (folder / "folder").symlink_to(precious)
        (folder / "file").symlink_to(precious / "file")
        assert library.delete(MODEL) == size
        assert (precious / "file").exists() and not folder.exists()

    def test_one_that_is_being_downloaded_is_refused(self, library: Library, models: Path) -> None:
        folder = installed(models)
        with destination_lock(folder):
            with pytest.raises(InvalidRequest, match="being downloaded"):
                library.delete(MODEL)
        assert folder.is_dir()

    def test_a_deletion_that_was_interrupted_is_finished_later(
        self, library: Library, models: Path
    ) -> None:
        folder = installed(models)
        doomed = replaced_path(folder)
        os.rename(folder, doomed)
        (doomed / "config.json").unlink()
        assert library.models() == [], "no half of a model is shown"
        remove_replaced(models)
        assert not doomed.exists()
        installed(models)
        library.delete(MODEL)


def test_a_lock_that_was_removed_keeps_those_who_waited_apart_from_newcomers(models: Path) -> None:
    folder = installed(models)
    order: list[str] = []
    leave = threading.Event()

    def waiter() -> None:
        with destination_lock(folder, lambda: order.append("waits")):
            order.append("waiter in")

    def newcomer() -> None:
        with destination_lock(folder):
            order.append("newcomer in")
            leave.wait(10)
            order.append("newcomer out")

    async def until(what: str) -> None:
        while what not in order:
            await asyncio.sleep(0.01)

    async def work() -> None:
        with destination_lock(folder):
            first = asyncio.create_task(asyncio.to_thread(waiter))
            await until("waits")
            (models / f".{folder.name}.lock").unlink()
            second = asyncio.create_task(asyncio.to_thread(newcomer))
            await until("newcomer in")
        await asyncio.sleep(0.3)
        leave.set()
        await asyncio.gather(first, second)

    asyncio.run(asyncio.wait_for(work(), 20))
    assert order == ["waits", "newcomer in", "newcomer out", "waiter in"]
