"""Values of an imported file, checked: what cannot be used is replaced or refused."""

from __future__ import annotations

import re
from typing import Any

from qwenchat.errors import InvalidRequest
from qwenchat.store.intake import derived_id

MAX_TITLE = 1000
UNTITLED = "Imported chat"
LATEST = 253_402_300_799.0
"""The last second of the year 9999."""

_USABLE_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
_UNUSABLE = {0: None} | dict.fromkeys(range(0xD800, 0xE000), "\ufffd")


def wrong(what: str) -> InvalidRequest:
    """A complaint about the shape of a conversation."""
    return InvalidRequest(what, param="file")


def text_of(value: Any, name: str) -> str:
    """A text without what cannot be kept: NUL goes, halves of characters are replaced.

    Raises:
        InvalidRequest: It is none.
    """
    if not isinstance(value, str):
        raise wrong(f"{name} is {_kind(value)} where a text is expected")
    return value.translate(_UNUSABLE)


def maybe_text(value: Any) -> str | None:
    """A text, or None for anything else."""
    return text_of(value, "") if isinstance(value, str) else None


def title_of(value: Any) -> str:
    """A title that is one line and no book."""
    return " ".join((maybe_text(value) or "").split())[:MAX_TITLE] or UNTITLED


def mapping_of(value: Any, name: str) -> dict[str, Any]:
    """An object.

    Raises:
        InvalidRequest: It is none.
    """
    if not isinstance(value, dict):
        raise wrong(f"{name} is {_kind(value)} where an object is expected")
    return value


def seconds_of(value: Any, otherwise: float) -> float:
    """Seconds since 1970, where it is a time that can be."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return otherwise
    return float(value) if 0 <= value <= LATEST else otherwise


def id_of(value: Any, *otherwise: str) -> str:
    """An id that is safe anywhere; one made of ``otherwise`` where it is not."""
    if isinstance(value, str) and _USABLE_ID.fullmatch(value):
        return value
    return derived_id(*otherwise, value if isinstance(value, str) else "")


def _kind(value: Any) -> str:
    names = {dict: "an object", list: "a list", str: "a text", bool: "true or false"}
    return names.get(type(value), "a number" if isinstance(value, int | float) else "missing")
