"""Snapshots that other programs have downloaded, found where those keep them.

ModelScope (modelscope-hub 0.5.1, ``_download.py``, ``_repo_cache_dir_path`` and
``_find_legacy_repo_dir``) under ``MODELSCOPE_CACHE``, else ``~/.cache/modelscope``::

    models/owner--name/snapshots/REVISION/        since 1.38
    [hub/]models/owner/na___me/                   before; a dot in the name became ___
    [hub/]owner/na___me/                          before 1.20

Hugging Face (huggingface_hub 2.4, ``constants.py`` and "Understand caching" in its
documentation) under ``HF_HUB_CACHE``, else ``HUGGINGFACE_HUB_CACHE``, else ``HF_HOME/hub``, else
``~/.cache/huggingface/hub``::

    models--owner--name/refs/main                 the commit that main is
    models--owner--name/snapshots/COMMIT/         links into ../../blobs

Nothing is written there, and no link is followed out of a model's own folder.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from qwenchat.models.placement import model_id_of
from qwenchat.models.reference import is_model_id

Cache = Literal["modelscope", "huggingface"]

_NOT_OWNERS = {"hub", "models", "datasets", "studios", "mcps", "skills"}


@dataclass(frozen=True, slots=True)
class CachedSnapshot:
    """A folder with a ``config.json`` in a cache.

    Attributes:
        root: The folder that holds all of this model; its files lie nowhere else.
        path: The snapshot itself.
    """

    model_id: str
    cache: Cache
    root: Path
    path: Path


def cached_snapshots(environment: Mapping[str, str] | None = None) -> list[CachedSnapshot]:
    """What the caches of this user hold, by model id; of one found twice, the first."""
    values = os.environ if environment is None else environment
    found: dict[tuple[str, str], CachedSnapshot] = {}
    for snapshot in (*_modelscope(_modelscope_cache(values)), *_huggingface(_hf_cache(values))):
        found.setdefault((snapshot.model_id, snapshot.cache), snapshot)
    return sorted(found.values(), key=lambda snapshot: snapshot.model_id.lower())


def _modelscope_cache(environment: Mapping[str, str]) -> Path:
    return Path(environment.get("MODELSCOPE_CACHE") or "~/.cache/modelscope").expanduser()


def _hf_cache(environment: Mapping[str, str]) -> Path:
    for name in ("HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"):
        if environment.get(name):
            return Path(environment[name]).expanduser()
    caches = environment.get("XDG_CACHE_HOME") or "~/.cache"
    home = environment.get("HF_HOME") or f"{caches}/huggingface"
    return Path(home).expanduser() / "hub"


def _modelscope(cache: Path) -> Iterator[CachedSnapshot]:
    for root in _folders(cache / "models"):
        model_id = model_id_of(root.name)
        if model_id is None:
            continue
        snapshots = {path.name: path for path in _folders(root / "snapshots")}
        for name in sorted(snapshots, key=lambda name: (name not in ("master", "main"), name)):
            if _holds_model(snapshots[name], root):
                yield CachedSnapshot(model_id, "modelscope", root, snapshots[name])
    for parent in (cache / "models", cache / "hub" / "models", cache / "hub", cache):
        for owner in _folders(parent):
            if owner.name in _NOT_OWNERS or "--" in owner.name:
                continue
            for folder in _folders(owner):
                model_id = f"{owner.name}/{folder.name.replace('___', '.')}"
                if is_model_id(model_id) and _holds_model(folder, folder):
                    yield CachedSnapshot(model_id, "modelscope", folder, folder)


def _huggingface(cache: Path) -> Iterator[CachedSnapshot]:
    for root in _folders(cache):
        model_id = model_id_of(root.name.removeprefix("models--"))
        if not root.name.startswith("models--") or model_id is None:
            continue
        snapshots = {path.name: path for path in _folders(root / "snapshots")}
        newest = sorted(snapshots.values(), key=lambda path: path.stat().st_mtime, reverse=True)
        main = snapshots.get(_commit_of_main(root))
        for path in ([main] if main else []) + newest:
            if _holds_model(path, root):
                yield CachedSnapshot(model_id, "huggingface", root, path)


def _commit_of_main(root: Path) -> str:
    try:
        return (root / "refs" / "main").read_text(encoding="utf-8").strip()
    except (OSError, ValueError):
        return ""


def _folders(parent: Path) -> list[Path]:
    """The real folders in a folder, by name; none when it cannot be read."""
    try:
        return sorted(path for path in parent.iterdir() if path.is_dir() and not path.is_symlink())
    except OSError:
        return []


def _holds_model(folder: Path, root: Path) -> bool:
    config = folder / "config.json"
    try:
        return config.is_file() and config.resolve().is_relative_to(root.resolve())
    except OSError:
        return False
