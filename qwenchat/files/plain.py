"""Text files: in whichever encoding they are written, as text with plain line ends."""

from __future__ import annotations

import codecs
import re
from pathlib import Path

from qwenchat.errors import UnsupportedFile
from qwenchat.files.kinds import ACCEPTED, looks_binary

SAMPLE_BYTES = 1 << 18
"""As much as is looked at to tell an encoding."""
BYTES_PER_CHARACTER = 4
"""At most, in any encoding."""

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_TELLING = 12
"""Characters after which a coincidence is out of the question."""
# Encodings in which old files are met, the most frequent first; others only resemble them.
_OLD = ("cp1252", "cp932", "big5", "cp949", "cp1251", "cp1250", "gb18030", "euc_jp", "cp1253")
# The 3,755 most frequent Chinese characters as GB 2312 has them, and Chinese punctuation.
_COMMON = re.compile(rb"[\xb0-\xd7][\xa1-\xfe]|[\xa1\xa3][\xa1-\xfe]")


def read_plain(path: Path, name: str, most: int) -> str:
    """The text of a file, at most ``most`` characters of it.

    Raises:
        UnsupportedFile: It is no text in any encoding that is known here.
    """
    with path.open("rb") as file:
        data = file.read(most * BYTES_PER_CHARACTER)
    encoding = encoding_of(data[:SAMPLE_BYTES])
    if encoding is None:
        raise UnsupportedFile(
            f"{name} is not text: its bytes make no sense as characters. Files that can be read "
            f"are {ACCEPTED}.",
            param="file",
        )
    text = data.decode(encoding, errors="replace")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def encoding_of(sample: bytes) -> str | None:
    """The encoding of a text that begins with ``sample``; None when it is no text."""
    for mark, encoding in _BOMS:
        if sample.startswith(mark):
            return encoding
    if (utf16 := _utf16_without_mark(sample)) is not None:
        return utf16
    if looks_binary(sample):
        return None
    if _decodes(sample, "utf-8"):
        return "utf-8"
    if _decodes(sample, "gb18030") and _is_chinese(sample):
        return "gb18030"
    return _guessed(sample)


def _utf16_without_mark(sample: bytes) -> str | None:
    """UTF-16 by its zeros: in text of any language, spaces and line ends have them."""
    even, odd = sample[0::2].count(0), sample[1::2].count(0)
    most, least = max(even, odd), min(even, odd)
    if most * 50 < len(sample) or least * 20 > most:
        return None
    encoding = "utf-16-le" if odd > even else "utf-16-be"
    text = sample[: len(sample) // 2 * 2].decode(encoding, errors="replace")
    shown = sum(char.isprintable() or char.isspace() for char in text)
    return encoding if shown * 100 >= len(text) * 97 else None


def _decodes(sample: bytes, encoding: str) -> bool:
    decoder = codecs.getincrementaldecoder(encoding)()
    try:
        # A character cut off by the sample's end is no fault, one cut off by the file's is.
        decoder.decode(sample, final=len(sample) < SAMPLE_BYTES)
    except UnicodeDecodeError:
        return False
    return True


def _is_chinese(sample: bytes) -> bool:
    pairs = _COMMON.findall(sample)
    if len(pairs) >= _TELLING and all(pair < b"\xc9" for pair in pairs if pair >= b"\xb0"):
        # All in the rows that hold the syllables of Korean in its own encoding.
        return False
    beyond_ascii = sum(byte > 127 for byte in sample)
    return 2 * len(pairs) * 10 >= beyond_ascii * 7


def _guessed(sample: bytes) -> str | None:
    from charset_normalizer import from_bytes

    matches = from_bytes(sample, cp_isolation=list(_OLD))
    best = matches.best()
    if best is None:
        return None
    # Where several are as likely, as for a few accents, the most frequent one.
    alike = {match.encoding for match in matches if match.chaos <= best.chaos}
    return next((encoding for encoding in _OLD if encoding in alike), best.encoding)
