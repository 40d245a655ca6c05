"""What the value of ``--model`` means: the demo, a folder, or a model of the hub."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from qwenchat.errors import ModelNotFound

DEMO_VALUE = "demo"
EXAMPLE_ID = "Qwen/Qwen2.5-0.5B-Instruct"

_LONGEST_ID = 180
"""In characters: a folder's name holds 255 bytes, and ours add a few."""

_LONGEST_VALUE = 1_024
"""In characters; an operating system may refuse to look at longer ones."""

_PART = r"[A-Za-z0-9][A-Za-z0-9_.-]*"
_MODEL_ID = re.compile(f"{_PART}/{_PART}")


@dataclass(frozen=True, slots=True)
class DemoModel:
    """The embedded demo model."""


@dataclass(frozen=True, slots=True)
class ModelFolder:
    """A snapshot on this machine; whether it is there and whole is not checked here."""

    path: Path


@dataclass(frozen=True, slots=True)
class HubModel:
    """A model of the hub, by its id ``owner/name``."""

    model_id: str


ModelReference = DemoModel | ModelFolder | HubModel


def is_model_id(value: str) -> bool:
    """Whether ``value`` has the shape ``owner/name`` and can safely be part of a path."""
    return len(value) <= _LONGEST_ID and _MODEL_ID.fullmatch(value) is not None


def resolve_model(value: str) -> ModelReference:
    """Decide what ``value`` names, without network; a folder that exists wins over an id.

    Raises:
        ModelNotFound: Neither empty, ``demo``, path-like, nor of the shape ``owner/name``.
    """
    value = value.strip()
    if value in ("", DEMO_VALUE):
        return DemoModel()
    if len(value) > _LONGEST_VALUE:
        raise ModelNotFound(
            f"{value[:60]!r}… has {len(value):,} characters, which no model id and no folder has. "
            f"A model id has an owner and a name, such as {EXAMPLE_ID}.",
            param="model",
        )
    if "://" in value:
        raise _is_url(value)
    try:
        path = Path(value).expanduser()
    except RuntimeError:
        raise ModelNotFound(
            f"{value!r} begins with the name of nobody on this machine. Give the whole path of "
            "the folder.",
            param="model",
        ) from None
    if path.exists() or _looks_like_path(value):
        return ModelFolder(path)
    if is_model_id(value):
        return HubModel(value)
    raise ModelNotFound(
        f"{value!r} is neither a folder nor a model id. A model id has an owner and a name, "
        f"such as {EXAMPLE_ID}; a folder that does not exist yet cannot be used; demo is the "
        "model that comes with QwenChat.",
        param="model",
    )


def _looks_like_path(value: str) -> bool:
    return (
        value.startswith(("/", "~", "."))
        or "\\" in value
        or value.endswith("/")
        or value.count("/") > 1
    )


def _is_url(value: str) -> ModelNotFound:
    parts = [part for part in urlsplit(value).path.split("/") if part not in ("", "models")]
    model_id = "/".join(parts[:2])
    example = model_id if is_model_id(model_id) else EXAMPLE_ID
    return ModelNotFound(
        f"{value!r} is an address. Give the model's id alone, such as {example}.",
        param="model",
    )
