"""How each kind of setting is read, from a text or from a value of the settings file.

Every reader raises ValueError whose text says what is wanted, fit to follow "must be".
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

SHORTEST_KEY = 8


def text(value: Any) -> str:
    """A text that is not empty."""
    if not isinstance(value, str) or not value.strip():
        raise ValueError("a text that is not empty")
    return value.strip()


def maybe_text(value: Any) -> str:
    """A text."""
    if not isinstance(value, str):
        raise ValueError("a text")
    return value.strip()


def whole(minimum: int, maximum: int) -> Callable[[Any], int]:
    """A whole number within bounds, which are included."""

    def parse(value: Any) -> int:
        wanted = f"a whole number from {minimum} to {maximum}"
        if isinstance(value, bool) or not isinstance(value, int | str):
            raise ValueError(wanted)
        try:
            number = int(value)
        except ValueError:
            raise ValueError(wanted) from None
        if not minimum <= number <= maximum:
            raise ValueError(wanted)
        return number

    return parse


def switch(value: Any) -> bool:
    """True or false, in the usual words."""
    words = {"1": True, "true": True, "yes": True, "on": True}
    words |= {"0": False, "false": False, "no": False, "off": False}
    if isinstance(value, bool):
        return value
    try:
        return words[str(value).strip().lower()]
    except KeyError:
        raise ValueError("true or false") from None


def choice(*choices: str) -> Callable[[Any], str]:
    """One of a few words, in any case."""

    def parse(value: Any) -> str:
        if not isinstance(value, str) or value.strip().lower() not in choices:
            raise ValueError("one of " + ", ".join(choices))
        return value.strip().lower()

    return parse


def folder(value: Any) -> Path:
    """A folder; a leading ``~`` is the home folder."""
    return Path(text(value)).expanduser().absolute()


def login(value: Any) -> str:
    """``USER:PASSWORD``."""
    user, colon, password = text(value).partition(":")
    if not (user and colon and password):
        raise ValueError("a name and a password with a colon between them, as in anna:secret")
    return f"{user}:{password}"


def key(value: Any) -> str:
    """A key that fits into an HTTP header."""
    found = text(value)
    if len(found) < SHORTEST_KEY or not (found.isascii() and found.isprintable()) or " " in found:
        raise ValueError(f"at least {SHORTEST_KEY} letters, digits or signs without spaces")
    return found


def address(value: Any) -> str:
    """The address of a web server."""
    address = text(value)
    if not address.startswith(("http://", "https://")):
        raise ValueError("an address that begins with http:// or https://")
    return address.rstrip("/")


def names(value: Any) -> tuple[str, ...]:
    """Names with commas between them, or a list of them."""
    parts = value.split(",") if isinstance(value, str) else value
    if not isinstance(parts, list) or not all(isinstance(part, str) for part in parts):
        raise ValueError("host names with commas between them")
    return tuple(part.strip().lower() for part in parts if part.strip())
