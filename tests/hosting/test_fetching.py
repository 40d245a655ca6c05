"""What a download is refused for, and what it goes on with: the decisions, without a hub."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from qwenchat.errors import DiskFull, DownloadFailed, UnsupportedModel
from qwenchat.hosting import fetching
from qwenchat.hosting.checking import Checked
from qwenchat.hosting.fetching import start_download
from qwenchat.models.catalog import Catalogue, catalogue
from qwenchat.models.download_state import Download, FileProgress
from qwenchat.models.fit import Fit
from qwenchat.models.installed_model import InstalledModel
from qwenchat.models.offer import Machine
from qwenchat.settings import Settings

GIB = 1024**3
DESKTOP = Machine(16 * GIB, 500 * GIB, 40e9, frozenset({"avx2"}))
WITH_FP8 = next(model for model in catalogue().models if model.variants[-1].method == "fp8")
FULL, FP8 = WITH_FP8.variants[0], WITH_FP8.variants[-1]
OTHER = "Somebody/Something"


class Started:
    """Downloads that only note what is started."""

    def __init__(self, there: Download | None = None) -> None:
        self.there = there
        self.notes: dict[str, str] = {}

    def get(self, model_id: str) -> Download | None:
        return self.there

    def start(self, model_id: str, *, check: bool = False, note: str = "") -> Download:
        self.notes[model_id] = note
        return Download(model_id, "queued", note=note)


class Judge:
    """A checker with an answer."""

    def __init__(self, machine: Machine = DESKTOP, **answer: Any) -> None:
        self._machine = machine
        self._answer = answer
        self.here_now: list[InstalledModel] = []
        self.asked: list[str] = []

    async def machine(self) -> Machine:
        return self._machine

    async def here(self) -> list[InstalledModel]:
        return self.here_now

    async def check_id(self, model_id: str, machine: Machine) -> Checked:
        self.asked.append(model_id)
        return replace(Checked(model_id, True, ""), **self._answer)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(data_dir=tmp_path)


@pytest.fixture
def verified(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = tuple(replace(model, verified=True) for model in catalogue().models)
    monkeypatch.setattr(fetching, "catalogue", lambda: Catalogue(rows, catalogue().others))


def run(work: Coroutine[object, object, Download]) -> Download:
    return asyncio.run(work)


def installed(model_id: str, problem: str | None = None, place: Any = "data folder") -> Any:
    return InstalledModel(model_id, model_id, place, Path("/x"), Path("/x"), 1, None, problem)


def test_a_verified_row_is_not_asked_about(settings: Settings, verified: None) -> None:
    downloads, judge = Started(), Judge()
    assert run(start_download(downloads, judge, settings, FULL.id, check=False)).state == "queued"
    assert downloads.notes == {FULL.id: ""} and judge.asked == []


def test_a_verified_row_this_processor_does_not_run(settings: Settings, verified: None) -> None:
    with pytest.raises(UnsupportedModel) as refused:
        run(start_download(Started(), Judge(), settings, FP8.id, check=False))
    assert "AMX" in str(refused.value) and FULL.id in str(refused.value)


def test_a_verified_row_the_disk_has_no_room_for(settings: Settings, verified: None) -> None:
    full = replace(DESKTOP, disk_bytes=GIB // 2)
    with pytest.raises(DiskFull):
        run(start_download(Started(), Judge(full), settings, FULL.id, check=False))


@pytest.mark.parametrize(
    ("share", "is_noted"), [(1.0, False), (1.04, False), (0.9, True), (1.2, True)]
)
def test_a_row_is_compared_with_the_hub(settings: Settings, share: float, is_noted: bool) -> None:
    expected = WITH_FP8.weights_bytes(FULL)
    downloads = Started()
    judge = Judge(weights_bytes=int(share * expected))
    run(start_download(downloads, judge, settings, FULL.id.upper(), check=False))
    assert judge.asked == [FULL.id]
    note = downloads.notes[FULL.id]
    assert bool(note) is is_noted
    if is_noted:
        assert f"{expected / 1e9:.2f} GB" in note and f"{share * expected / 1e9:.2f} GB" in note


def test_a_row_that_is_larger_than_said_and_does_not_fit_is_refused(settings: Settings) -> None:
    size = 2 * WITH_FP8.weights_bytes(FULL)
    too_large = Fit("does_not_fit", 0, size, 1, "It needs more.")
    downloads = Started()
    with pytest.raises(UnsupportedModel) as refused:
        judge = Judge(weights_bytes=size, fit=too_large)
        run(start_download(downloads, judge, settings, FULL.id, check=False))
    assert f"{size / 1e9:.2f} GB" in str(refused.value) and "It needs more." in str(refused.value)
    assert downloads.notes == {}


def test_what_was_judged_before_goes_on_unasked(settings: Settings) -> None:
    files = (FileProgress("model.safetensors", 10, 5, "waiting"),)
    judge = Judge(supported=False, reason="no")
    for there in (Download(OTHER, "paused", files=files), Download(OTHER, "failed", files=files)):
        downloads = Started(there)
        run(start_download(downloads, judge, settings, OTHER, check=False))
        assert list(downloads.notes) == [OTHER]
    running = Download(OTHER, "running")
    downloads = Started(running)
    assert run(start_download(downloads, judge, settings, OTHER, check=False)) is running
    assert downloads.notes == {} and judge.asked == []
    for there in (Download(OTHER, "cancelled", files=files), Download(OTHER, "paused")):
        with pytest.raises(UnsupportedModel):
            run(start_download(Started(there), judge, settings, OTHER, check=False))


@pytest.mark.parametrize(
    ("here", "check", "is_asked"),
    [
        (installed(OTHER), False, False),
        (installed(OTHER), True, False),
        (installed(OTHER, "cut short"), True, False),
        (installed(OTHER, "cut short"), False, True),
        (installed(OTHER, place="huggingface"), False, False),
        # that one is fetched anew, into the data folder
        (installed(OTHER, place="huggingface"), True, True),
    ],
)
def test_what_is_here_is_judged_only_when_it_would_be_fetched(
    settings: Settings, here: InstalledModel, check: bool, is_asked: bool
) -> None:
    judge = Judge()
    judge.here_now = [here]
    run(start_download(Started(), judge, settings, OTHER, check=check))
    assert bool(judge.asked) is is_asked


def test_offline_only_what_is_here(tmp_path: Path) -> None:
    offline = Settings(data_dir=tmp_path, offline=True)
    judge = Judge()
    with pytest.raises(DownloadFailed, match="offline"):
        run(start_download(Started(), judge, offline, OTHER, check=False))
    judge.here_now = [installed(OTHER)]
    assert run(start_download(Started(), judge, offline, OTHER, check=False)).state == "queued"
