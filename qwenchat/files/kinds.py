"""What a file is, told from its first bytes and its name, and what is said of those refused."""

from __future__ import annotations

import re
from typing import Literal, get_args

Kind = Literal["text", "markdown", "code", "csv", "pdf", "docx"]
KINDS: tuple[Kind, ...] = get_args(Kind)

ACCEPTED = "text, Markdown, code, CSV, PDF and Word (.docx)"
LONGEST_NAME = 120
UNNAMED = "file"

# fmt: off
_CODE = frozenset((
    "asm", "bash", "bat", "c", "cc", "cfg", "cmake", "conf", "cpp", "cs", "css", "cu", "cxx",
    "dart", "dockerfile", "el", "erl", "ex", "exs", "go", "gradle", "graphql", "groovy", "h",
    "hpp", "hs", "htm", "html", "ini", "ipynb", "java", "jl", "js", "json", "json5", "jsonl",
    "jsx", "kt", "kts", "less", "lisp", "lua", "m", "makefile", "mjs", "ml", "nim", "php", "pl",
    "proto", "ps1", "py", "pyi", "r", "rb", "rs", "sass", "scala", "scm", "scss", "sh", "sql",
    "svelte", "svg", "swift", "tcl", "tex", "tf", "toml", "ts", "tsx", "v", "vb", "vim", "vue",
    "xml", "yaml", "yml", "zig", "zsh",
))
# fmt: on
_MARKDOWN = frozenset(("md", "markdown", "mdx", "rst"))
_CSV = frozenset(("csv", "tsv"))

_PICTURES = (
    (b"\x89PNG", "a PNG picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"GIF8", "a GIF picture"),
    (b"BM", "a BMP picture"),
    (b"II*\x00", "a TIFF picture"),
    (b"MM\x00*", "a TIFF picture"),
)
_OTHERS = (
    (b"{\\rtf", "an RTF document"),
    (b"\x7fELF", "a program"),
    (b"MZ", "a program"),
    (b"\xca\xfe\xba\xbe", "a program"),
    (b"\x1f\x8b", "a compressed archive"),
    (b"7z\xbc\xaf", "a compressed archive"),
    (b"Rar!", "a compressed archive"),
    (b"SQLite format 3\x00", "a database"),
    (b"ID3", "a sound file"),
    (b"OggS", "a sound file"),
)
# Letters below a space that no text has. Escape, backspace and form feed occur in some.
_CONTROL = re.compile(rb"[\x00-\x07\x0e-\x1a\x1c-\x1f\x7f]")


def clean_name(name: str) -> str:
    """``name`` as a file's bare name on one line: no folders, no control characters."""
    bare = re.split(r"[/\\]", name)[-1]
    shown = "".join(char if char.isprintable() else " " for char in bare)
    line = " ".join(shown.split()).strip(". ") or UNNAMED
    if len(line) <= LONGEST_NAME:
        return line
    stem, dot, ending = line.rpartition(".")
    if not dot or len(ending) > 10:
        return line[: LONGEST_NAME - 1] + "…"
    return f"{stem[: LONGEST_NAME - 2 - len(ending)]}….{ending}"


def ending_of(name: str) -> str:
    """What follows the last dot of a name, in small letters; the name itself without one."""
    return name.rpartition(".")[2].lower()


def text_kind(name: str) -> Kind:
    """The kind of a file that is text, by its name."""
    ending = ending_of(name)
    if ending in _MARKDOWN:
        return "markdown"
    if ending in _CSV:
        return "csv"
    return "code" if ending in _CODE else "text"


def is_pdf(head: bytes) -> bool:
    """Whether a file with these first bytes is a PDF; the mark may come a little later."""
    return b"%PDF-" in head[:1024]


def is_zip(head: bytes) -> bool:
    """Whether a file with these first bytes is a zip archive, as .docx files are."""
    return head.startswith(b"PK\x03\x04")


def is_ole(head: bytes) -> bool:
    """Whether it is one of Office's old containers, used for passwords to this day."""
    return head.startswith(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")


def picture_of(head: bytes) -> str | None:
    """Which kind of picture these first bytes begin, in words."""
    if head.startswith(b"RIFF") and head[8:12] == b"WEBP":
        return "a WebP picture"
    if head[4:12] in (b"ftypheic", b"ftypheix", b"ftypmif1", b"ftypavif"):
        return "a HEIC or AVIF picture"
    if head.startswith(b"BM") and b"\x00" not in head[:30]:
        return None
    return next((words for mark, words in _PICTURES if head.startswith(mark)), None)


def other_of(head: bytes) -> str | None:
    """What else that is no text these first bytes begin, in words."""
    if head[4:8] == b"ftyp":
        return "a video or sound file"
    if head.startswith(b"MZ") and b"\x00" not in head:
        return None
    return next((words for mark, words in _OTHERS if head.startswith(mark)), None)


def looks_binary(sample: bytes) -> bool:
    """Whether one byte in a hundred, or more, is a control character that no text has."""
    return len(_CONTROL.findall(sample)) * 100 > len(sample)
