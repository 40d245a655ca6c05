"""JSON as a stream, and where it goes wrong."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import ijson  # type: ignore[import-untyped]

from qwenchat.chat.import_characters import BLOCK, Readable
from qwenchat.chat.import_source import Part


class BrokenJson(Exception):
    """The bytes are no JSON, or end too early; the text says what the parser says."""


def json_items(file: Readable, prefix: str) -> Iterator[Any]:
    """The values at ``prefix``, one after the other.

    Raises:
        BrokenJson: What came before is good.
    """
    return _complaining(ijson.items(file, prefix, use_float=True, buf_size=BLOCK))


def json_events(file: Readable) -> Iterator[tuple[str, str, Any]]:
    """Prefix, kind and value of everything, in order.

    Raises:
        BrokenJson: What came before is good.
    """
    return _complaining(ijson.parse(file, use_float=True, buf_size=BLOCK))


def _complaining(values: Iterator[Any]) -> Iterator[Any]:
    try:
        yield from values
    except ijson.JSONError as error:
        # Without the parser's drawing of the place.
        text = str(error).removeprefix("b'").removeprefix('b"').replace("\\n", "\n")
        raise BrokenJson(text.splitlines()[0].strip()) from error
    except UnicodeDecodeError as error:
        raise BrokenJson("a text is not UTF-8") from error


def place_of_error(part: Part) -> str:
    """Where the JSON of a part goes wrong, in words: reads it again, keeping nothing."""
    events = ijson.sendable_list()
    parser = ijson.basic_parse_coro(events, use_float=True)
    position, line = 0, 1
    with part.open() as file:
        while block := file.read(BLOCK):
            try:
                parser.send(block)
            except (ijson.JSONError, UnicodeDecodeError):
                break
            position += len(block)
            line += block.count(b"\n")
            events.clear()
        else:
            return f"at its end, byte {position:,}: something is missing there"
        # The parser is of no use any more: another one comes to the same block, and then
        # takes it byte by byte.
        good = _bytes_before_error(part, position, block)
    return f"at byte {position + good + 1:,}, line {line + block[:good].count(10):,}"


def _bytes_before_error(part: Part, position: int, block: bytes) -> int:
    events = ijson.sendable_list()
    parser = ijson.basic_parse_coro(events, use_float=True)
    with part.open() as file:
        while position > 0:
            good = file.read(BLOCK)
            parser.send(good)
            position -= len(good)
            events.clear()
    for index in range(len(block)):
        try:
            parser.send(block[index : index + 1])
        except (ijson.JSONError, UnicodeDecodeError):
            return index
        events.clear()
    return len(block)
