"""What tests of the running app's models share."""

from __future__ import annotations

from pathlib import Path

import pytest

from qwenchat import hardware
from qwenchat.hosting.choice import Choice
from qwenchat.models.fit import GIB
from tests.models.samples import small_snapshot


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine with some memory, and nothing of other programs; ``tmp_path / "data"`` is the
    data folder."""
    monkeypatch.setenv("MODELSCOPE_CACHE", str(tmp_path / "modelscope"))
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "huggingface"))
    monkeypatch.setattr(hardware, "available_memory_bytes", lambda: 4 * GIB)
    (tmp_path / "data").mkdir()


@pytest.fixture
def one(tmp_path: Path) -> Choice:
    return Choice(str(small_snapshot(tmp_path / "one")))


@pytest.fixture
def two(tmp_path: Path) -> Choice:
    return Choice(str(small_snapshot(tmp_path / "two")))
