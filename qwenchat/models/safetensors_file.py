"""The safetensors file format, as far as QwenChat reads and writes it.

The format (huggingface.co/docs/safetensors, "Format"): 8 bytes little-endian header
length, a JSON header ``{name: {dtype, shape, data_offsets}}``, then the tensors' bytes
without gaps. Done here by hand because the ``safetensors`` package reads tensors only
through torch or numpy, cannot write bfloat16 from numpy, and wants every tensor in
memory at once.
"""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

MAX_HEADER_BYTES = 100_000_000
"""What the reference implementation accepts at most."""

_LENGTH = struct.Struct("<Q")


class NotSafetensors(ValueError):
    """The file is not a whole safetensors file; the message says how, as a clause."""


@dataclass(frozen=True, slots=True)
class Header:
    """What a safetensors file says about its tensors.

    Attributes:
        dtypes: Number of elements by dtype name (``BF16``, ``F32``, ``I32`` …).
        names: The tensors' names.
        data_bytes: Size of all tensors together.
    """

    dtypes: dict[str, int]
    names: frozenset[str]
    data_bytes: int


@dataclass(frozen=True, slots=True)
class TensorPlan:
    """A tensor about to be written as bfloat16."""

    name: str
    shape: tuple[int, ...]

    @property
    def data_bytes(self) -> int:
        return 2 * math.prod(self.shape)


def write_bfloat16(
    path: Path, plan: Sequence[TensorPlan], chunks: Iterable[bytes | memoryview]
) -> Iterator[int]:
    """Write a file of bfloat16 tensors, holding one chunk in memory at a time.

    Args:
        path: The file; replaced when it exists.
        plan: The tensors in the order their bytes come.
        chunks: The bytes of all tensors in that order, cut anywhere.

    Yields:
        The number of tensor bytes written so far, after each chunk.

    Raises:
        ValueError: ``chunks`` are not as long as ``plan`` says.
        OSError: The file cannot be written.
    """
    header: dict[str, Any] = {"__metadata__": {"format": "pt"}}
    offset = 0
    for tensor in plan:
        end = offset + tensor.data_bytes
        header[tensor.name] = {
            "dtype": "BF16",
            "shape": list(tensor.shape),
            "data_offsets": [offset, end],
        }
        offset = end
    encoded = json.dumps(header, separators=(",", ":")).encode()
    encoded += b" " * (-len(encoded) % 8)  # tensors start aligned, so they can be mapped
    written = 0
    with path.open("wb") as file:
        file.write(_LENGTH.pack(len(encoded)))
        file.write(encoded)
        for chunk in chunks:
            written += file.write(chunk)
            yield written
    if written != offset:
        raise ValueError(f"{written} bytes of tensors were given, {offset} were planned")


def read_header(path: Path) -> Header:
    """Read and check a file's header against the file's size; the tensors stay unread.

    Raises:
        NotSafetensors: Truncated, too long, or something else altogether.
        OSError: The file cannot be read.
    """
    size = path.stat().st_size
    with path.open("rb") as file:
        prefix = file.read(_LENGTH.size)
        if len(prefix) < _LENGTH.size:
            raise NotSafetensors(f"it is only {size:,} bytes long")
        (length,) = _LENGTH.unpack(prefix)
        if length > MAX_HEADER_BYTES:
            raise NotSafetensors("it does not begin as a safetensors file does")
        encoded = file.read(length)
    if len(encoded) < length:
        raise NotSafetensors(
            f"it is {size:,} bytes long, and its header alone should reach to byte "
            f"{_LENGTH.size + length:,}"
        )
    header = _parse(encoded)
    expected = _LENGTH.size + length + header.data_bytes
    if size != expected:
        raise NotSafetensors(f"it is {size:,} bytes long, and by its header should be {expected:,}")
    return header


def _parse(encoded: bytes) -> Header:
    try:
        entries = json.loads(encoded)
        entries.pop("__metadata__", None)
        dtypes: dict[str, int] = {}
        data_bytes = 0
        for entry in entries.values():
            begin, end = entry["data_offsets"]
            count = math.prod(int(length) for length in entry["shape"])
            dtypes[str(entry["dtype"])] = dtypes.get(str(entry["dtype"]), 0) + count
            if not 0 <= begin <= end:
                raise ValueError("offsets out of order")
            data_bytes = max(data_bytes, end)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise NotSafetensors("its header is not the JSON it should be") from error
    if not entries:
        raise NotSafetensors("it has no tensors in it")
    return Header(dtypes, frozenset(entries), data_bytes)
