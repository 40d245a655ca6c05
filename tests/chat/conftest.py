"""A store of its own for each test that needs one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from qwenchat.store.database import Database
from qwenchat.store.opening import open_store


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    folder = tmp_path / "data"
    folder.mkdir()
    opened = open_store(folder).database
    yield opened
    opened.close()
