"""Rows read straight from the pages of a database file, whatever else of it is damaged.

Every page that holds rows of a table says so itself, and every row carries its columns, so
neither the file's header, nor its schema, nor the way from one page to the next is needed.
What was deleted is not there: the store overwrites it. The layout is that of
https://www.sqlite.org/fileformat2.html.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from qwenchat.store.log import Log, possible_page_size, read_log

_MAGIC = b"SQLite format 3\0"
_DEFAULT_PAGE_SIZE = 4096
_LEAF = 0x0D
MAX_PAYLOAD = 1 << 28
"""Bytes; a row that claims to be larger is nonsense."""


@dataclass(frozen=True, slots=True)
class Record:
    """One row: its columns, and whether all of it could be read or only the beginning."""

    rowid: int
    values: list[Any]
    whole: bool


def read_records(path: Path) -> Iterator[Record]:
    """Every row of every table in the database at ``path`` and its write-ahead log.

    Raises:
        OSError: The file cannot be read.
    """
    with path.open("rb") as file:
        pages = _Pages(file, read_log(path.with_name(path.name + "-wal")))
        for number in range(1, pages.count + 1):
            page = pages.read(number)
            start = 100 if number == 1 else 0
            if len(page) == pages.size and page[start] == _LEAF:
                yield from _rows_of(page, start, pages)


class _Pages:
    """The pages of a file, those in its log instead of the older ones."""

    def __init__(self, file: BinaryIO, log: Log | None) -> None:
        self._file = file
        self._log = log.pages if log else {}
        header = file.read(100)
        size = int.from_bytes(header[16:18], "big")
        size = 65536 if size == 1 else size
        if header.startswith(_MAGIC) and possible_page_size(size):
            self.size = size
        else:
            self.size = log.page_size if log else _DEFAULT_PAGE_SIZE
        self.count = max(file.seek(0, 2) // self.size, *self._log, 0)

    def read(self, number: int) -> bytes:
        """The page, or nothing when there is none of that number."""
        if number in self._log:
            return self._log[number]
        if not 1 <= number <= self.count:
            return b""
        self._file.seek((number - 1) * self.size)
        return self._file.read(self.size)


def _rows_of(page: bytes, start: int, pages: _Pages) -> Iterator[Record]:
    count = int.from_bytes(page[start + 3 : start + 5], "big")
    for index in range(min(count, len(page) // 6)):
        pointer = start + 8 + 2 * index
        cell = int.from_bytes(page[pointer : pointer + 2], "big")
        try:
            record = _row(page, cell, pages)
        except (IndexError, ValueError, struct.error):
            continue
        yield record


def _row(page: bytes, at: int, pages: _Pages) -> Record:
    length, at = _varint(page, at)
    rowid, at = _varint(page, at)
    if not 0 < length < MAX_PAYLOAD:
        raise ValueError("no row is of such a length")
    payload = _payload(page, at, length, pages)
    return Record(_signed(rowid), *_columns(payload, length))


def _payload(page: bytes, at: int, length: int, pages: _Pages) -> bytes:
    """The bytes of a row, fewer when the pages it goes on in cannot be followed."""
    usable = pages.size
    if length <= usable - 35:
        return page[at : at + length]
    least = (usable - 12) * 32 // 255 - 23
    most = least + (length - least) % (usable - 4)
    here = most if most <= usable - 35 else least
    parts = [page[at : at + here]]
    missing = length - here
    following = int.from_bytes(page[at + here : at + here + 4], "big")
    seen: set[int] = set()
    while missing > 0 and following not in seen:
        seen.add(following)
        overflow = pages.read(following)
        if len(overflow) < usable:
            break
        parts.append(overflow[4 : 4 + missing])
        missing -= len(parts[-1])
        following = int.from_bytes(overflow[:4], "big")
    return b"".join(parts)


def _columns(payload: bytes, length: int) -> tuple[list[Any], bool]:
    header_end, at = _varint(payload, 0)
    kinds: list[int] = []
    while at < header_end:
        kind, at = _varint(payload, at)
        kinds.append(kind)
    values: list[Any] = []
    at = header_end
    for kind in kinds:
        size = _size_of(kind)
        values.append(_value(kind, payload[at : at + size]))
        at += size
    if at != length:
        raise ValueError("the columns do not fill the row")
    return values, len(payload) == length


def _size_of(kind: int) -> int:
    if kind >= 12:
        return (kind - 12) // 2
    return (0, 1, 2, 3, 4, 6, 8, 8, 0, 0)[kind]


def _value(kind: int, data: bytes) -> Any:
    if kind >= 12:
        return data.decode("utf-8", "replace") if kind % 2 else data
    if kind == 7:
        return struct.unpack(">d", data)[0]
    if kind in (8, 9):
        return kind - 8
    return None if kind == 0 else int.from_bytes(data, "big", signed=True)


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """A number of one to nine bytes, and where it ends."""
    value = 0
    for index in range(8):
        byte = data[at + index]
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, at + index + 1
    return value << 8 | data[at + 8], at + 9


def _signed(value: int) -> int:
    return value - (1 << 64) if value >= 1 << 63 else value
