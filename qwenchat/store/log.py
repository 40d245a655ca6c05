"""SQLite's write-ahead log, read without SQLite: the pages that were committed to it.

The layout is that of https://www.sqlite.org/fileformat2.html#the_write_ahead_log.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path

_BYTE_ORDERS = {0x377F0682: "<", 0x377F0683: ">"}
_HEADER_BYTES = 32
_FRAME_HEADER_BYTES = 24

_Checksum = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Log:
    """The newest committed version of every page in a log, by the page's number."""

    page_size: int
    pages: dict[int, bytes]


def is_damaged_log(path: Path) -> bool:
    """Whether there is a log whose beginning SQLite will not recognise, so ignores it."""
    try:
        with path.open("rb") as file:
            header = file.read(_HEADER_BYTES)
    except OSError:
        return False
    return header != b"" and _read_header(header) is None


def read_log(path: Path) -> Log | None:
    """The log at ``path``; None when there is none or its beginning is damaged."""
    try:
        data = path.read_bytes()
    except OSError:
        return None
    header = _read_header(data[:_HEADER_BYTES])
    if header is None:
        return None
    order, size, checksum = header
    log = Log(size, {})
    waiting: dict[int, bytes] = {}
    frame_bytes = _FRAME_HEADER_BYTES + size
    for at in range(_HEADER_BYTES, len(data) - frame_bytes + 1, frame_bytes):
        number, commit, *salts, first, second = struct.unpack(">6I", data[at : at + 24])
        if tuple(salts) != struct.unpack(">II", data[16:24]):
            # Left from before the log was last begun anew.
            break
        page = data[at + _FRAME_HEADER_BYTES : at + frame_bytes]
        checksum = _add(order, page, _add(order, data[at : at + 8], checksum))
        if checksum != (first, second):
            break
        waiting[number] = page
        if commit:
            log.pages.update(waiting)
            waiting.clear()
    return log


def _read_header(data: bytes) -> tuple[str, int, _Checksum] | None:
    """Byte order, page size and checksum; None when they are not what SQLite writes."""
    if len(data) < _HEADER_BYTES:
        return None
    magic, _, size, *_, first, second = struct.unpack(">8I", data)
    order = _BYTE_ORDERS.get(magic)
    if order is None or not possible_page_size(size):
        return None
    checksum = _add(order, data[: _HEADER_BYTES - 8], (0, 0))
    return (order, size, checksum) if checksum == (first, second) else None


def possible_page_size(size: int) -> bool:
    """Whether a page can have so many bytes."""
    return 512 <= size <= 65536 and size & (size - 1) == 0


def _add(order: str, data: bytes, checksum: _Checksum) -> _Checksum:
    first, second = checksum
    for left, right in struct.iter_unpack(f"{order}II", data):
        first = (first + left + second) & 0xFFFFFFFF
        second = (second + right + first) & 0xFFFFFFFF
    return first, second
