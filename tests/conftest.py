"""What tests of several parts share."""

from __future__ import annotations

from pathlib import Path

import pytest

from qwenchat.models.demo import ensure_demo_model

PROJECT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def demo_snapshot() -> Path:
    """The demo model's snapshot, kept in ``build/demo-model`` so that only the first run converts.

    Read it only; copy it to ``tmp_path`` to change it.
    """
    return ensure_demo_model(PROJECT / "build")
