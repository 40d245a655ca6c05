"""Databases of every schema version that was ever released, as SQL.

``python -m tests.store.old`` writes the one of the current version; commit it together
with the migration and never change it again.
"""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).resolve().parent


def dump_of(version: int) -> Path:
    """The file of that version."""
    return FOLDER / f"version_{version}.sql"
