"""Downloads: ModelScope's real client against a hub on this machine."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from qwenchat.errors import (
    ChecksumMismatch,
    DataFolderUnusable,
    DiskFull,
    DownloadFailed,
    ModelError,
    ModelNotFound,
    QwenChatError,
    UnsupportedModel,
)
from qwenchat.models.hub_listing import HubFile, verify_arrived
from qwenchat.models.manifest import read_manifest, verify_files
from qwenchat.models.placement import downloaded_model
from qwenchat.models.reference import DemoModel, HubModel, ModelFolder, resolve_model
from qwenchat.models.snapshot import inspect_snapshot
from tests.models.fetching import fetch_model
from tests.models.hub_server import LocalHub, client_of_its_own, running_hub
from tests.models.samples import small_snapshot

PROJECT = Path(__file__).resolve().parent.parent.parent
MODEL = "Qwen/Qwen-Test"
WEIGHTS = "model.safetensors"
ROWS = 60_000
"""Weights of just under a megabyte, which makes 59 chunks."""


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with client_of_its_own(tmp_path, monkeypatch):
        yield


@pytest.fixture
def published(tmp_path: Path) -> Path:
    """The files the hub has: a whole model and what does not belong to one."""
    folder = small_snapshot(tmp_path / "published", rows=ROWS, vocab_size=ROWS)
    (folder / "README.md").write_text("A model.")
    (folder / ".gitattributes").write_text("*.safetensors filter=lfs")
    (folder / "pytorch_model.bin").write_bytes(b"pickle" * 100)
    (folder / "figures").mkdir()
    (folder / "figures" / "plot.png").write_bytes(b"png")
    return folder


@pytest.fixture
def hub(published: Path) -> Iterator[LocalHub]:
    with running_hub() as hub:
        hub.add(MODEL, published)
        yield hub


@pytest.fixture
def models(tmp_path: Path) -> Path:
    return tmp_path / "models"


@pytest.fixture
def destination(models: Path) -> Path:
    return models / "Qwen--Qwen-Test"


def fetch(hub: LocalHub, models: Path, model_id: str = MODEL) -> Path:
    return asyncio.run(fetch_model(model_id, models, endpoint=hub.endpoint))


def refused(hub: LocalHub, models: Path, kind: type[QwenChatError], model_id: str = MODEL) -> str:
    """The message with which the download fails; nothing may then look downloaded."""
    with pytest.raises(kind) as caught:
        fetch(hub, models, model_id)
    assert downloaded_model(models, model_id) is None
    assert not (models / model_id.replace("/", "--")).exists()
    message = caught.value.message
    assert "\n" not in message and message.endswith((".", ")")), message
    return message


def workers() -> list[psutil.Process]:
    return [
        process
        for process in psutil.Process().children(recursive=True)
        if process.status() != psutil.STATUS_ZOMBIE
        and "qwenchat.models.download_worker" in process.cmdline()
    ]


def wait_until(condition: Callable[[], object], seconds: float = 10) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited too long"
        time.sleep(0.02)


def half_way(
    hub: LocalHub, models: Path, then: Callable[[], None] | None = None
) -> Path | BaseException:
    """Start a slow download and in its midst do ``then``, or cancel it; returns how it ended."""
    hub.seconds_per_chunk = 0.02

    async def run() -> Path | BaseException:
        started = asyncio.Event()

        def on_progress(stage: str, done: int, total: int) -> None:
            if stage == "Downloading" and done > total / 4:
                started.set()

        task = asyncio.create_task(fetch_model(MODEL, models, on_progress, endpoint=hub.endpoint))
        await asyncio.wait_for(started.wait(), 20)
        if then is not None:
            then()
        else:
            task.cancel()
        return (await asyncio.gather(task, return_exceptions=True))[0]

    try:
        return asyncio.run(run())
    finally:
        hub.seconds_per_chunk = 0.0


class TestDownload:
    def test_a_model_arrives_whole(
        self, hub: LocalHub, models: Path, destination: Path, published: Path
    ) -> None:
        seen: list[tuple[str, int, int]] = []
        path = asyncio.run(
            fetch_model(
                MODEL, models, lambda *progress: seen.append(progress), endpoint=hub.endpoint
            )
        )
        assert path == destination
        assert inspect_snapshot(path).name == MODEL
        names = sorted(file.name for file in path.iterdir())
        assert names == [
            "README.md",
            "config.json",
            "model.safetensors",
            "qwenchat.json",
            "tokenizer.json",
            "tokenizer_config.json",
        ]
        for name in set(names) - {"qwenchat.json"}:
            assert (path / name).read_bytes() == (published / name).read_bytes()
        manifest = read_manifest(path)
        assert manifest is not None and manifest.source == MODEL
        verify_files(path, manifest)
        assert not hub.asked_for("pytorch_model.bin") and not hub.asked_for("figures/plot.png")
        total = sum(record.size for record in manifest.files)
        downloading = [done for stage, done, _ in seen if stage == "Downloading"]
        assert downloading == sorted(downloading) and downloading[-1] == total
        assert {of for stage, _, of in seen if stage in ("Downloading", "Checking files")} == {
            total
        }
        assert [path.name for path in models.iterdir() if path.is_dir()] == [destination.name]

    def test_one_that_is_there_needs_no_network(self, hub: LocalHub, models: Path) -> None:
        first = fetch(hub, models)
        asked = len(hub.requests)
        assert fetch(hub, models) == first
        assert len(hub.requests) == asked
        assert asyncio.run(fetch_model(MODEL, models, endpoint="http://127.0.0.1:9")) == first

    def test_the_hub_s_address_from_the_environment(
        self, hub: LocalHub, models: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("MODELSCOPE_ENDPOINT", hub.endpoint)
        assert asyncio.run(fetch_model(MODEL, models)).is_dir()

    def test_the_web_process_loads_none_of_it(self, hub: LocalHub, models: Path) -> None:
        code = (
            "import asyncio, pathlib, sys\n"
            "from tests.models.fetching import fetch_model\n"
            f"asyncio.run(fetch_model({MODEL!r}, pathlib.Path({str(models)!r}), "
            f"endpoint={hub.endpoint!r}))\n"
            "heavy = {'torch', 'vllm', 'transformers', 'modelscope', 'modelscope_hub', 'numpy'}\n"
            "sys.exit(repr(heavy & set(sys.modules)) if heavy & set(sys.modules) else 0)\n"
        )
        subprocess.run([sys.executable, "-c", code], check=True, cwd=PROJECT)

    def test_a_damaged_file_alone_is_fetched_again(
        self, hub: LocalHub, models: Path, destination: Path
    ) -> None:
        fetch(hub, models)
        (destination / "config.json").write_text("{")
        (destination / "left-over.json").write_text("{}")
        hub.requests.clear()
        fetch(hub, models)
        inspect_snapshot(destination)
        assert hub.asked_for("config.json") and not hub.asked_for(WEIGHTS)
        assert not (destination / "left-over.json").exists()

    def test_two_at_once_download_it_once(self, hub: LocalHub, models: Path) -> None:
        hub.seconds_per_chunk = 0.01
        stages: list[str] = []

        async def both() -> list[Path]:
            return await asyncio.gather(
                *(
                    fetch_model(
                        MODEL,
                        models,
                        lambda stage, done, total: stages.append(stage),
                        endpoint=hub.endpoint,
                    )
                    for _ in range(2)
                )
            )

        first, second = asyncio.run(both())
        assert first == second
        assert len(hub.asked_for(WEIGHTS)) == 1
        assert "Waiting for another download of this model" in stages


class TestInterrupted:
    def assert_resumes(self, hub: LocalHub, models: Path, destination: Path) -> None:
        assert not destination.exists() and downloaded_model(models, MODEL) is None
        hub.requests.clear()
        fetch(hub, models)
        (again,) = hub.asked_for(WEIGHTS)
        match = re.fullmatch(r"bytes=(\d+)-", again.range or "")
        assert match is not None and int(match[1]) > 100_000, "went on where it had stopped"
        inspect_snapshot(destination)

    def test_by_cancelling(self, hub: LocalHub, models: Path, destination: Path) -> None:
        outcome = half_way(hub, models)
        assert isinstance(outcome, asyncio.CancelledError)
        assert workers() == []
        self.assert_resumes(hub, models, destination)

    def test_by_kill_9_of_its_process(self, hub: LocalHub, models: Path, destination: Path) -> None:
        def kill() -> None:
            (worker,) = workers()
            worker.kill()

        outcome = half_way(hub, models, kill)
        assert isinstance(outcome, DownloadFailed)
        assert "exit status -9" in outcome.message and "is kept" in outcome.message
        self.assert_resumes(hub, models, destination)

    def test_by_kill_9_of_the_web_process(
        self, hub: LocalHub, models: Path, destination: Path
    ) -> None:
        hub.seconds_per_chunk = 0.02
        code = (
            "import asyncio, pathlib\n"
            "from tests.models.fetching import fetch_model\n"
            f"asyncio.run(fetch_model({MODEL!r}, pathlib.Path({str(models)!r}), "
            f"lambda *progress: print(*progress, flush=True), endpoint={hub.endpoint!r}))\n"
        )
        parent = subprocess.Popen(
            [sys.executable, "-c", code], cwd=PROJECT, stdout=subprocess.PIPE, text=True
        )
        assert parent.stdout is not None
        for line in parent.stdout:
            if line.startswith("Downloading ") and int(line.split()[1]) > 300_000:
                break
        (worker,) = workers()
        os.kill(parent.pid, signal.SIGKILL)
        parent.wait()
        parent.stdout.close()
        wait_until(lambda: not worker.is_running() or worker.status() == psutil.STATUS_ZOMBIE, 5)
        hub.seconds_per_chunk = 0.0
        self.assert_resumes(hub, models, destination)

    def test_by_the_connection_which_is_tried_again_at_once(
        self, hub: LocalHub, models: Path
    ) -> None:
        hub.cut_once[WEIGHTS] = 500_000
        inspect_snapshot(fetch(hub, models))
        assert [request.range for request in hub.asked_for(WEIGHTS)] == [None, "bytes=500000-"]

    def test_and_the_file_has_changed_meanwhile(
        self, hub: LocalHub, models: Path, tmp_path: Path
    ) -> None:
        half_way(hub, models)
        hub.add(MODEL, small_snapshot(tmp_path / "newer", rows=ROWS // 2, vocab_size=ROWS // 2))
        inspect_snapshot(fetch(hub, models))


class TestRefusals:
    def test_no_such_model(self, hub: LocalHub, models: Path) -> None:
        message = refused(hub, models, ModelNotFound, "Qwen/Qwen-Tset")
        assert "Qwen/Qwen-Tset" in message and "Check the spelling" in message

    @pytest.mark.parametrize("model_id", ["Qwen", "a/b/c", "../../etc", "Qwen/..", "a/b\n", "/b"])
    def test_no_model_id(self, hub: LocalHub, models: Path, model_id: str) -> None:
        with pytest.raises(ModelNotFound, match="owner and a name"):
            fetch(hub, models, model_id)
        assert not hub.requests

    def test_no_connection(self, hub: LocalHub, models: Path) -> None:
        hub.endpoint = "http://127.0.0.1:9"
        message = refused(hub, models, DownloadFailed)
        assert "127.0.0.1:9" in message and "--model demo" in message

    def test_a_web_page_in_place_of_the_list(self, hub: LocalHub, models: Path) -> None:
        hub.list_answer = (200, "text/html", b"<html>Please log in to the hotel's network</html>")
        assert "internet connection" in refused(hub, models, DownloadFailed)

    def test_an_empty_list(self, hub: LocalHub, models: Path) -> None:
        hub.models[MODEL] = {}
        assert ".safetensors" in refused(hub, models, UnsupportedModel)

    @pytest.mark.parametrize("status", [401, 403])
    def test_login_required(self, hub: LocalHub, models: Path, status: int) -> None:
        hub.list_answer = (status, "application/json", b'{"Message": "denied"}')
        assert "MODELSCOPE_API_TOKEN" in refused(hub, models, DownloadFailed)

    def test_the_hub_is_broken(self, hub: LocalHub, models: Path) -> None:
        hub.list_answer = (500, "application/json", b"{}")
        assert "start again" in refused(hub, models, DownloadFailed)

    def test_only_gguf(self, hub: LocalHub, models: Path) -> None:
        hub.models[MODEL] = {"model.gguf": b"GGUF" * 10_000, "config.json": b"{}"}
        assert "without -GGUF" in refused(hub, models, UnsupportedModel)
        assert not hub.asked_for("model.gguf"), "said before anything was fetched"

    def test_no_config(self, hub: LocalHub, models: Path) -> None:
        del hub.models[MODEL]["config.json"]
        assert "config.json" in refused(hub, models, UnsupportedModel)

    @pytest.mark.parametrize("path", ["../evil.json", "/tmp/evil.json", "a/../../evil.json"])
    def test_a_path_out_of_the_folder(self, hub: LocalHub, models: Path, path: str) -> None:
        hub.models[MODEL][path] = b"evil"
        assert "outside" in refused(hub, models, DownloadFailed)
        assert not hub.asked_for(path)

    def test_a_listed_file_cannot_be_had(self, hub: LocalHub, models: Path) -> None:
        hub.listed["vocab.json"] = {"Path": "vocab.json", "Type": "blob", "Size": 5}
        assert "start again" in refused(hub, models, DownloadFailed)

    @pytest.mark.slow
    def test_another_content_of_the_same_size(self, hub: LocalHub, models: Path) -> None:
        content = hub.models[MODEL][WEIGHTS]
        hub.replaced[WEIGHTS] = content[:-1] + b"\x01"
        assert WEIGHTS in refused(hub, models, ChecksumMismatch)
        hub.replaced.clear()
        inspect_snapshot(fetch(hub, models))

    def test_another_size(self, hub: LocalHub, models: Path) -> None:
        hub.replaced[WEIGHTS] = hub.models[MODEL][WEIGHTS][:-1000]
        assert WEIGHTS in refused(hub, models, ChecksumMismatch)

    def test_more_than_the_disk_holds(self, hub: LocalHub, models: Path) -> None:
        hub.listed["huge.json"] = {"Path": "huge.json", "Type": "blob", "Size": 10**15}
        message = refused(hub, models, DiskFull)
        assert "1000000.0 GB more" in message
        assert not hub.asked_for(WEIGHTS)

    def test_the_models_folder_is_a_file(self, hub: LocalHub, models: Path) -> None:
        models.write_text("in the way")
        with pytest.raises(DataFolderUnusable):
            fetch(hub, models)


class TestArrival:
    """The check after the client has said that all went well."""

    def check(self, folder: Path, *files: HubFile) -> None:
        verify_arrived(MODEL, folder, list(files), lambda stage, done, total: None)

    def test_a_file_is_missing(self, tmp_path: Path) -> None:
        with pytest.raises(DownloadFailed, match="ended without vocab.json"):
            self.check(tmp_path, HubFile("vocab.json", 3, None))

    @pytest.mark.parametrize("file", [HubFile("a", 4, None), HubFile("a", 3, "0" * 64)])
    def test_a_file_differs_and_is_removed(self, tmp_path: Path, file: HubFile) -> None:
        (tmp_path / "a").write_bytes(b"abc")
        with pytest.raises(ChecksumMismatch, match="a of Qwen/Qwen-Test"):
            self.check(tmp_path, file)
        assert not (tmp_path / "a").exists()

    def test_what_the_hub_does_not_say_is_not_compared(self, tmp_path: Path) -> None:
        (tmp_path / "a").write_bytes(b"abc")
        self.check(tmp_path, HubFile("a", None, None))


class TestReference:
    @pytest.mark.parametrize("value", ["", "demo", "  demo "])
    def test_demo(self, value: str) -> None:
        assert resolve_model(value) == DemoModel()

    @pytest.mark.parametrize(
        "value", ["/a/b", "./a", "../a/b", "~/a", ".", "..", "a/b/c", "C:\\models\\qwen", "qwen/"]
    )
    def test_path_like(self, value: str) -> None:
        assert resolve_model(value) == ModelFolder(Path(value).expanduser())

    def test_existing_folder(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        (tmp_path / "Qwen" / "local").mkdir(parents=True)
        monkeypatch.chdir(tmp_path)
        assert resolve_model("Qwen") == ModelFolder(Path("Qwen"))
        assert resolve_model("Qwen/local") == ModelFolder(Path("Qwen/local"))

    @pytest.mark.parametrize("value", ["Qwen/Qwen2.5-0.5B-Instruct", "01ai/Yi_1.5-6B"])
    def test_model_id(self, value: str) -> None:
        assert resolve_model(value) == HubModel(value)

    @pytest.mark.parametrize("value", ["qwen", "Qwen 2.5", "Qwen/Qwen 2.5", "a/-b", "模型"])
    def test_neither(self, value: str) -> None:
        with pytest.raises(ModelError) as caught:
            resolve_model(value)
        assert isinstance(caught.value, ModelNotFound)
        assert caught.value.param == "model" and "Qwen/Qwen2.5-0.5B-Instruct" in str(caught.value)

    @pytest.mark.parametrize(
        ("value", "said"),
        [
            ("https://modelscope.cn/models/Qwen/Qwen3-0.6B", "such as Qwen/Qwen3-0.6B"),
            ("https://huggingface.co/Qwen/Qwen3-0.6B/tree/main", "such as Qwen/Qwen3-0.6B"),
            ("https://modelscope.cn", "such as Qwen/Qwen2.5-0.5B-Instruct"),
        ],
    )
    def test_address(self, value: str, said: str) -> None:
        with pytest.raises(ModelNotFound, match=re.escape(said)):
            resolve_model(value)
