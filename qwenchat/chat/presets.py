"""Presets: sampling parameters by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from qwenchat.chat.personas import read_builtin
from qwenchat.chat.shelf import Kind, Shelf
from qwenchat.chat.shelf_values import checked_name
from qwenchat.errors import InvalidRequest
from qwenchat.sampling import checked_sampling
from qwenchat.store.database import Database

BUILTIN = Path(__file__).resolve().parents[2] / "assets" / "presets.json"
FIELDS = ("name", "sampling")


def open_presets(database: Database, on_change: Callable[[], None]) -> Shelf:
    """The presets of ``database`` and those of the app; reads: not on a busy event loop."""
    return Shelf(
        database,
        Kind("presets", "preset", FIELDS, checked_preset, read_builtin(BUILTIN)),
        on_change,
    )


def checked_preset(value: Mapping[str, Any]) -> dict[str, Any]:
    """A preset as it is kept.

    Raises:
        InvalidRequest: A field is wrong; ``param`` names it.
    """
    sampling = value.get("sampling")
    if not isinstance(sampling, Mapping) or not sampling:
        raise InvalidRequest(
            "A preset needs at least one sampling parameter that differs from the model's "
            "defaults. Change one first.",
            param="sampling",
        )
    return {"name": checked_name(value.get("name", "")), "sampling": checked_sampling(sampling)}
