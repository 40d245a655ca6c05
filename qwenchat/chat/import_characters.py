"""Bytes of JSON in which every escaped character is a whole one.

Characters beyond the first 65,536 are escaped as two halves. A half alone is no character,
but exports have them where a text was cut; the parser would give up at one.
"""

from __future__ import annotations

import re
from typing import Protocol

BLOCK = 1 << 16
"""Bytes that are read at once."""

_LONGEST = 12
_HALF = re.compile(rb"u[dD][89a-fA-F]")
# Two halves that belong together, a half alone, any other escape.
_ESCAPE = re.compile(
    rb"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    rb"|(?P<half>\\u[dD][89a-fA-F][0-9a-fA-F]{2})"
    rb"|\\.",
    re.DOTALL,
)


class Readable(Protocol):
    """What bytes can be read from."""

    def read(self, size: int = BLOCK, /) -> bytes:
        """At most ``size`` bytes; nothing at the end."""


class WholeCharacters:
    """Reads a file, a replacement character for each half, every byte at its place."""

    def __init__(self, file: Readable) -> None:
        self._file = file
        self._held = b""

    def read(self, size: int = BLOCK, /) -> bytes:
        """About ``size`` bytes; nothing at the end."""
        while True:
            block = self._file.read(size)
            data = self._held + block
            end = len(data) if not block else _safe_end(data)
            self._held = data[end:]
            if end or not block:
                return _mended(data[:end])


def _safe_end(data: bytes) -> int:
    """Where ``data``, which begins outside an escape, can be cut outside one."""
    late = len(data) - _LONGEST
    if b"\\" not in data[max(late, 0) :]:
        return len(data)
    for escape in _ESCAPE.finditer(data):
        if escape.start() > late:
            return escape.start()
    return len(data) - 1 if _ends_with_open_backslash(data) else len(data)


def _ends_with_open_backslash(data: bytes) -> bool:
    return (len(data) - len(data.rstrip(b"\\"))) % 2 == 1


def _mended(data: bytes) -> bytes:
    if not _HALF.search(data):
        return data
    return _ESCAPE.sub(lambda found: b"\\ufffd" if found["half"] else found[0], data)
