"""``python -m qwenchat.files.worker PATH NAME``: one file as text, in a process of its own.

Whatever a hostile file makes of the libraries ends here: the process has little memory and
time, writes no file, opens no connection and starts no other process. It prints one line of
JSON about the file, and after it the text.
"""

from __future__ import annotations

import json
import os
import resource
import sys
from pathlib import Path
from typing import Any

from qwenchat.errors import QwenChatError, UnreadableFile, UnsupportedFile
from qwenchat.files.kinds import (
    ACCEPTED,
    Kind,
    ending_of,
    is_ole,
    is_pdf,
    is_zip,
    other_of,
    picture_of,
    text_kind,
)
from qwenchat.files.sections import Unit, unit_of

MOST_CHARACTERS = 2_000_000
"""Of one file's text: ten times what the longest context here holds."""
MEMORY_BYTES = 1 << 30
CPU_SECONDS = 60
HEAD_BYTES = 4096

_FORBIDDEN = (
    "socket.connect",
    "socket.getaddrinfo",
    "subprocess.Popen",
    "os.system",
    "os.exec",
    "os.posix_spawn",
    "os.fork",
    "os.startfile",
)


def main(path: Path, name: str) -> dict[str, Any]:
    """The file's text with what is to be known of it, or the error it ends in."""
    try:
        kind, text, cut = read(path, name)
    except QwenChatError as error:
        return {"error": error.as_dict()}
    except MemoryError:
        problem = UnreadableFile(
            f"{name} needs more memory to be read than one file may have. Save the part you need "
            "as a file of its own, then add that.",
            param="file",
        )
        return {"error": problem.as_dict()}
    text = text.replace("\0", "\ufffd")
    unit: Unit = "page" if kind == "pdf" else unit_of(text)
    return {"kind": kind, "unit": unit, "cut": cut, "text": text}


def read(path: Path, name: str) -> tuple[Kind, str, bool]:
    """Kind and text of a file, and whether there is more than could be kept.

    Raises:
        UnsupportedFile: It is of a kind that is not read.
        UnreadableFile: It is damaged, locked, or has no text.
    """
    with path.open("rb") as file:
        head = file.read(HEAD_BYTES)
    if is_pdf(head):
        from qwenchat.files.pdf import read_pdf

        return ("pdf", *read_pdf(path, name, MOST_CHARACTERS))
    if is_zip(head):
        from qwenchat.files.word import read_word

        return ("docx", *read_word(path, name, MOST_CHARACTERS))
    _refuse_what_is_no_text(head, name)
    from qwenchat.files.plain import read_plain

    text = read_plain(path, name, MOST_CHARACTERS + 1)
    if not text.strip():
        raise UnreadableFile(f"{name} has no text, only blank space. Add a file with text.")
    return text_kind(name), text[:MOST_CHARACTERS], len(text) > MOST_CHARACTERS


def _refuse_what_is_no_text(head: bytes, name: str) -> None:
    if picture := picture_of(head):
        raise UnsupportedFile(
            f"{name} is {picture}, and this model reads text only: it cannot see pictures. Add "
            f"a file with text instead: {ACCEPTED}.",
            param="file",
        )
    if is_ole(head):
        raise UnsupportedFile(
            f"{name} is an old Office file or locked with a password. Save it as .docx without a "
            "password, then add that.",
            param="file",
        )
    if other := other_of(head):
        raise UnsupportedFile(
            f"{name} is {other}, which cannot be read. Files that can be are {ACCEPTED}.",
            param="file",
        )
    if ending_of(name) in ("pdf", "docx"):
        raise UnreadableFile(
            f"{name} is not what its name says: it is damaged, or was not downloaded whole. Open "
            "it, save it anew, then add that.",
            param="file",
        )


def _confine() -> None:
    """Leave this process only what reading a file takes."""
    os.nice(10)
    for limit, most in (
        (resource.RLIMIT_AS, MEMORY_BYTES),
        (resource.RLIMIT_CPU, CPU_SECONDS),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_NOFILE, 64),
    ):
        resource.setrlimit(limit, (most, most))

    def refuse(event: str, arguments: tuple[Any, ...]) -> None:
        if event in _FORBIDDEN:
            raise PermissionError(f"a file may not cause {event}")

    sys.addaudithook(refuse)


if __name__ == "__main__":
    _confine()
    found = main(Path(sys.argv[1]), sys.argv[2])
    body = found.pop("text", "")
    sys.stdout.buffer.write(json.dumps(found).encode() + b"\n")
    sys.stdout.buffer.write(body.encode("utf-8", errors="replace"))
    sys.stdout.buffer.flush()
