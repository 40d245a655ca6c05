"""Which weights a snapshot has, and whether their files are whole."""

from __future__ import annotations

import json
import re
import struct
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from qwenchat.errors import ModelDamaged, UnsupportedModel
from qwenchat.models.safetensors_file import Header, NotSafetensors, read_header
from qwenchat.models.snapshot_config import read_json_object

INDEX_NAME = "model.safetensors.index.json"
_AGAIN = "Get this file, or the whole model, again."
_SHARD = re.compile(r"(?P<start>.*)-\d{5}-of-(?P<count>\d{5})\.safetensors")
_POINTER_START = b"version https://git-lfs.github.com/spec/"
_NAMES_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Weights:
    """What the headers of all files say together.

    Attributes:
        data_bytes: Size of all tensors.
        dtype: The dtype most numbers have, as safetensors names it.
        shapes: The tensors' shapes by name.
    """

    data_bytes: int
    dtype: str
    shapes: Mapping[str, tuple[int, ...]]


def inspect_weights(folder: Path) -> Weights:
    """Find the weights as vLLM does and check every file's header against its size.

    The tensors themselves stay unread, so this takes milliseconds.

    Raises:
        ModelDamaged: A file is missing, cut short, or not what its name says.
        UnsupportedModel: There are weights, but of a format vLLM's CPU engine does not load.
    """
    expected = _tensors_by_shard(folder)
    paths = sorted(folder.glob("*.safetensors"))
    if expected:
        _refuse_missing(folder, [name for name in expected if not (folder / name).is_file()])
        paths = [folder / name for name in sorted(expected)]
    elif not paths:
        raise _no_weights(folder)
    else:
        _refuse_missing(folder, _missing_by_number(paths))
    numbers: Counter[str] = Counter()
    data_bytes = 0
    shapes: dict[str, tuple[int, ...]] = {}
    for path in paths:
        header = _header(path)
        absent = expected.get(path.name, set()) - header.names
        if absent:
            raise ModelDamaged(
                f"{path} lacks {len(absent)} of the tensors that {INDEX_NAME} says it has, so "
                f"the two are of different versions. {_AGAIN}"
            )
        numbers.update(header.dtypes)
        data_bytes += header.data_bytes
        shapes |= _shapes(path)
    return Weights(data_bytes, numbers.most_common(1)[0][0], shapes)


def lfs_pointer_size(path: Path) -> int | None:
    """The size of the real file when this one is only a git-lfs pointer to it, else None."""
    with path.open("rb") as file:
        start = file.read(512)
    if not start.startswith(_POINTER_START):
        return None
    size = re.search(rb"^size (\d+)$", start, re.MULTILINE)
    return int(size.group(1)) if size else 0


def refuse_pointer(path: Path) -> None:
    """Raise ModelDamaged when ``path`` is a git-lfs pointer instead of the file itself."""
    size = lfs_pointer_size(path)
    if size is not None:
        raise ModelDamaged(
            f"{path} is a git-lfs pointer of {path.stat().st_size} bytes in place of the real "
            f"file of {size:,} bytes. Run `git lfs pull` in its folder, or get the model "
            "again with --model and its id."
        )


def _header(path: Path) -> Header:
    try:
        return read_header(path)
    except NotSafetensors as error:
        refuse_pointer(path)
        what = "is a web page" if _is_web_page(path) else "is damaged"
        raise ModelDamaged(f"{path} {what}: {error}. {_AGAIN}") from error
    except OSError as error:
        raise ModelDamaged(
            f"{path} cannot be read ({error.strerror}). Give this user the right to read it."
        ) from error


def _shapes(path: Path) -> dict[str, tuple[int, ...]]:
    """The tensors' shapes in a file whose header :func:`read_header` has found right."""
    with path.open("rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        entries = json.loads(file.read(length))
    return {
        name: tuple(int(size) for size in entry["shape"])
        for name, entry in entries.items()
        if name != "__metadata__"
    }


def _is_web_page(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(512).lstrip().lower().startswith((b"<!doctype", b"<html", b"<?xml"))


def _tensors_by_shard(folder: Path) -> dict[str, set[str]]:
    """Tensor names by file name as the index has them; empty without an index."""
    path = folder / INDEX_NAME
    if not path.is_file():
        return {}
    weight_map = read_json_object(path).get("weight_map")
    shards: dict[str, set[str]] = {}
    for tensor, name in weight_map.items() if isinstance(weight_map, dict) else ():
        shards.setdefault(str(name), set()).add(tensor)
    if not shards:
        raise ModelDamaged(f"{path} does not say which file holds which tensor. {_AGAIN}")
    return shards


def _missing_by_number(paths: list[Path]) -> list[str]:
    names = {path.name for path in paths}
    expected = set()
    for name in names:
        if shard := _SHARD.fullmatch(name):
            count = shard["count"]
            expected |= {
                f"{shard['start']}-{number:05}-of-{count}.safetensors"
                for number in range(1, int(count) + 1)
            }
    return sorted(expected - names)


def _refuse_missing(folder: Path, missing: list[str]) -> None:
    if not missing:
        return
    shown = ", ".join(sorted(missing)[:_NAMES_SHOWN])
    more = f" and {len(missing) - _NAMES_SHOWN} more" if len(missing) > _NAMES_SHOWN else ""
    raise ModelDamaged(
        f"{folder} is incomplete: {shown}{more} missing. Put "
        f"{'it' if len(missing) == 1 else 'them'} there, or get the whole model again."
    )


def _no_weights(folder: Path) -> ModelDamaged | UnsupportedModel:
    suffixes = {path.suffix for path in folder.iterdir()}
    if ".gguf" in suffixes:
        return UnsupportedModel(
            f"{folder} has only GGUF weights, llama.cpp's format, which vLLM's CPU engine "
            "does not load. Choose the model they were made from: its name without -GGUF."
        )
    if suffixes & {".bin", ".pt", ".pth", ".ckpt"}:
        return UnsupportedModel(
            f"{folder} has its weights only as PyTorch files, which can run any code when "
            "they are opened, so QwenChat does not load them. Choose a version of the model "
            "with .safetensors files."
        )
    return ModelDamaged(
        f"{folder} has no weights (no .safetensors file). Finish its download, or get the "
        "model again with --model and its id."
    )
