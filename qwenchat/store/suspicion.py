"""A mark beside a database that something in it did not read as it should.

Checking a large database takes long, so it is done when there is a reason.
"""

from __future__ import annotations

import contextlib
from pathlib import Path


def suspect(database: Path) -> None:
    """Have the next opening check everything. A disk that refuses the mark changes nothing."""
    with contextlib.suppress(OSError):
        _mark(database).touch()


def is_suspect(database: Path) -> bool:
    """Whether the next opening is to check everything."""
    return _mark(database).exists()


def clear_suspicion(database: Path) -> None:
    """Note that everything was checked. A disk that refuses changes nothing."""
    with contextlib.suppress(OSError):
        _mark(database).unlink(missing_ok=True)


def _mark(database: Path) -> Path:
    return database.with_name(database.name + "-suspect")
