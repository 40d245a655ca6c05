"""What of a text is indexed, and how a query finds it in the true text again.

Words are folded: lower case, without accents, full-width letters as plain ones. Scripts
without spaces between words (Chinese, Japanese, Korean, Thai ...) are indexed by every two
neighbouring characters, so a word of one or two characters is found wherever it stands.
Folding never changes a text's length, so a place in the folded text is the same place in
the true one.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from qwenchat.store.columns import storable

WORDS_VERSION = f"1 {unicodedata.unidata_version}"
"""Changes whenever the same text may be indexed otherwise than before."""
MAX_WORD = 40
"""Characters of a word that are indexed; what is longer is found by its beginning."""
MAX_QUERY = 200
"""Characters of a query that count."""

_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao; Burmese; Khmer
    "\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3031-\u3035\u3038-\u303c"
    "\u3040-\u312f\u3131-\u318f\u31a0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\uff66-\uff9f"
    "\U0001aff0-\U0001b16f\U00020000-\U0003ffff"
)
_MARKS = "\u0300-\u036f"
_QUOTES = "\"'`“”„‘’«»「」『』《》"
# A run of a script without spaces, a word, or a sign beyond ASCII such as an emoji.
_PIECE = re.compile(
    rf"(?P<run>[{_UNSPACED}]+)"
    rf"|(?P<word>(?:(?![{_UNSPACED}_])[\w\u0900-\u0dff])+)"
    r"|(?P<sign>[^\x00-\x7f\w\s\u2000-\u206f\u3000-\u303f\ufe00-\ufe0f\uff00-\uff65])"
)


class _Folding(dict[int, int | None]):
    """Code point to code point, worked out when first met."""

    def __missing__(self, code: int) -> int:
        folded = unicodedata.normalize("NFKD", chr(code))
        base = "".join(char for char in folded if not unicodedata.combining(char)).casefold()
        # What would become longer or vanish stays as it is.
        self[code] = result = ord(base) if len(base) == 1 and not _is_hangul(code) else code
        return result


def _is_hangul(code: int) -> bool:
    # NFKD takes syllables apart.
    return 0xAC00 <= code <= 0xD7FF


_FOLDING = _Folding()


def fold(text: str) -> str:
    """``text`` without what a search ignores; every character stays at its place."""
    return text.lower() if text.isascii() else text.translate(_FOLDING)


def indexed_words(text: str) -> str:
    """What the search index gets for ``text``: each word once, separated by spaces."""
    return " ".join(dict.fromkeys(_words(fold(text))))


def _words(folded: str) -> Iterator[str]:
    for piece in _pieces(folded):
        if piece.lastgroup == "run":
            run = piece.group()
            yield from (run[at : at + 2] for at in range(len(run)))
        else:
            yield piece.group()[:MAX_WORD]


def _pieces(folded: str) -> Iterator[re.Match[str]]:
    return _PIECE.finditer(re.sub(f"[{_MARKS}]", "", folded))


@dataclass(frozen=True, slots=True)
class Query:
    """A search as the person wrote it, made ready.

    Attributes:
        match: For the search index, which may find more; empty when nothing is findable.
    """

    match: str
    _patterns: tuple[re.Pattern[str], ...]

    def places(self, text: str) -> list[tuple[int, int]] | None:
        """Where the parts of the query stand in ``text``: (start, end), in order.

        None when one of them does not stand in it.
        """
        folded = fold(text)
        found: list[tuple[int, int]] = []
        for pattern in self._patterns:
            spans = [match.span() for match in pattern.finditer(folded)]
            if not spans:
                return None
            found += spans
        return _merged(found)


def parse_query(text: str) -> Query:
    """A query of all the parts that spaces separate in ``text``, quotes around them left out.

    Nothing else is special.
    """
    terms: list[str] = []
    patterns: list[re.Pattern[str]] = []
    for part in fold(storable(text[:MAX_QUERY])).split():
        part = part.strip(_QUOTES)
        pieces = list(_pieces(part))
        if pieces:
            terms += (term for piece in pieces for term in _terms(piece))
            patterns.append(_pattern(part, pieces[0]))
    return Query(" AND ".join(dict.fromkeys(terms)), tuple(patterns))


def _terms(piece: re.Match[str]) -> Iterable[str]:
    text = piece.group()
    if piece.lastgroup == "word":
        return [f'"{text[:MAX_WORD]}"*']
    if piece.lastgroup == "sign":
        return [f'"{text}"']
    if len(text) == 1:
        return [f'"{text}"*']
    return [f'"{text[at : at + 2]}"' for at in range(len(text) - 1)]


def _pattern(part: str, first: re.Match[str]) -> re.Pattern[str]:
    """Finds ``part`` in a folded text, where accents may be characters of their own."""
    plain = re.sub(f"[{_MARKS}]", "", part)
    body = f"[{_MARKS}]*".join(map(re.escape, plain)) + f"[{_MARKS}]*"
    begins_word = first.start() == 0 and first.lastgroup == "word"
    before = rf"(?<![^\W_{_UNSPACED}])" if begins_word else ""
    return re.compile(before + body)


def _merged(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged
