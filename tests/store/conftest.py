"""A store of its own for each test."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from qwenchat.store.database import Database
from qwenchat.store.opening import open_store
from tests.store.damage import NAME, Texts, fill


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    opened = open_store(tmp_path, busy_seconds=0.2).database
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Texts]:
    folder = tmp_path_factory.mktemp("filled")
    return folder, fill(folder)


@pytest.fixture
def damaged(filled: tuple[Path, Texts], tmp_path: Path) -> Path:
    """A copy of a database with content, to be damaged."""
    shutil.copyfile(filled[0] / NAME, tmp_path / NAME)
    return tmp_path / NAME
