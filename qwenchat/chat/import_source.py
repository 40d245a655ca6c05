"""The file that is imported: plain or zipped, read as a stream, with exact complaints."""

from __future__ import annotations

import re
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from qwenchat.chat.import_characters import BLOCK, Readable, WholeCharacters
from qwenchat.errors import InvalidRequest

MAX_BYTES = 4 << 30
"""Of a file, unzipped."""
MAX_CONVERSATION_BYTES = 64 << 20
"""More than any conversation has; one has to fit the memory."""

_BOM = b"\xef\xbb\xbf"
_MEMBER = re.compile(r"(^|/)[^/]*conversations[^/]*\.json$", re.IGNORECASE)

Progress = Callable[[int, int], None]
"""Called with how many bytes of how many are read."""


@dataclass(frozen=True, slots=True)
class Part:
    """One JSON file: itself, or a member of a zip. ``name`` is what to call it."""

    name: str
    size: int
    path: Path
    member: str | None = None

    @contextmanager
    def open(self) -> Iterator[Readable]:
        """The bytes, without a byte-order mark and halves of characters.

        Raises:
            InvalidRequest: The zip is damaged or encrypted.
        """
        with _zip_complaints(self.name):
            if self.member is None:
                with self.path.open("rb") as file:
                    _skip_mark(file)
                    yield WholeCharacters(file)
            else:
                with zipfile.ZipFile(self.path) as archive, archive.open(self.member) as member:
                    _skip_mark(member)
                    yield WholeCharacters(member)


def parts_of(path: Path, name: str) -> list[Part]:
    """The JSON files in an uploaded file.

    Args:
        name: What to call it.

    Raises:
        InvalidRequest: It is a zip without any, or too large, or damaged.
        OSError: It cannot be read.
    """
    if not zipfile.is_zipfile(path):
        return [_checked(Part(name, path.stat().st_size, path))]
    with _zip_complaints(name), zipfile.ZipFile(path) as archive:
        members = [item for item in archive.infolist() if _MEMBER.search(item.filename)]
        found = [Part(m.filename, m.file_size, path, m.filename) for m in members]
    if not found:
        raise InvalidRequest(
            f"{name} has no conversations.json in it. Choose the zip that ChatGPT's data "
            "export gave you, or a file that QwenChat exported.",
            param="file",
        )
    return [_checked(part) for part in found]


class Counted:
    """Reads a part, reports progress, and refuses a conversation larger than can be.

    Args:
        on_bytes: Called with the size of each block.
    """

    def __init__(self, file: Readable, on_bytes: Callable[[int], None]) -> None:
        self._file = file
        self._on_bytes = on_bytes
        self._since = 0

    def read(self, size: int = BLOCK) -> bytes:
        """The next bytes.

        Raises:
            InvalidRequest: More than a conversation can have came since the last one.
        """
        if self._since > MAX_CONVERSATION_BYTES:
            raise InvalidRequest(
                f"a conversation is larger than {MAX_CONVERSATION_BYTES >> 20} MB; what comes "
                "after it was not read",
                param="file",
            )
        block = self._file.read(size)
        self._since += len(block)
        self._on_bytes(len(block))
        return block

    def begin_conversation(self) -> None:
        """Count anew."""
        self._since = 0


@contextmanager
def _zip_complaints(name: str) -> Iterator[None]:
    try:
        yield
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, EOFError) as error:
        raise InvalidRequest(
            f"The zip {name} is damaged ({error}). Download or export it again.", param="file"
        ) from error
    except RuntimeError as error:
        if "encrypted" not in str(error) and "password" not in str(error):
            raise
        raise InvalidRequest(
            f"The zip {name} is locked with a password. Unzip it first and import the "
            "conversations.json in it.",
            param="file",
        ) from error


def _skip_mark(file: IO[bytes]) -> None:
    if file.read(len(_BOM)) != _BOM:
        file.seek(0)


def _checked(part: Part) -> Part:
    if part.size > MAX_BYTES:
        raise InvalidRequest(
            f"{part.name} is {part.size >> 20:,} MB; {MAX_BYTES >> 20:,} MB can be imported at "
            "most.",
            param="file",
        )
    return part
