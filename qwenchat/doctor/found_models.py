"""Models on this machine: in the data folder and in the caches of ModelScope and Hugging Face."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from qwenchat.doctor.subject import Subject
from qwenchat.errors import QwenChatError, UnsupportedModel
from qwenchat.models.caches import cached_snapshots
from qwenchat.models.judge import judge_folder
from qwenchat.models.manifest import read_manifest, sizes_match
from qwenchat.models.reference import ModelFolder, resolve_model
from qwenchat.models.snapshot import inspect_snapshot

Place = Literal["chosen", "data folder", "ModelScope's cache", "Hugging Face's cache"]
Health = Literal["whole", "damaged", "unsupported"]


@dataclass(frozen=True, slots=True)
class FoundModel:
    """A folder with a model in it.

    Attributes:
        place: Where it was found; ``chosen`` is the model of the settings.
        health: ``unsupported`` is whole as far as one looked, and nothing for QwenChat.
        words: What is wrong with it, to show; empty for a whole one.
        weights_bytes: Size of a whole one's weights.
    """

    name: str
    folder: Path
    place: Place
    health: Health
    words: str = ""
    weights_bytes: int = 0


def find_models(subject: Subject, environment: Mapping[str, str] | None = None) -> list[FoundModel]:
    """Look at every model's folder; their files are not read whole."""
    return [_look(*found) for found in _folders(subject, environment)]


def _folders(
    subject: Subject, environment: Mapping[str, str] | None
) -> Iterator[tuple[Place, str, Path]]:
    try:
        chosen = resolve_model(subject.model)
    except QwenChatError:
        chosen = None
    if isinstance(chosen, ModelFolder):
        yield "chosen", chosen.path.name, chosen.path
    for folder in sorted(subject.models_dir.glob("*")):
        if os.path.isdir(folder) and not folder.name.startswith("."):
            yield "data folder", folder.name, folder
    for cached in cached_snapshots(environment):
        place: Place = (
            "ModelScope's cache" if cached.cache == "modelscope" else "Hugging Face's cache"
        )
        yield place, cached.model_id, cached.path


def _look(place: Place, name: str, folder: Path) -> FoundModel:
    try:
        snapshot = inspect_snapshot(folder)
    except UnsupportedModel as error:
        return FoundModel(name, folder, place, "unsupported", error.message)
    except QwenChatError as error:
        return FoundModel(name, folder, place, "damaged", error.message)
    manifest = read_manifest(folder)
    if manifest is not None and not sizes_match(folder, manifest):
        words = f"A file in {folder} is missing or has changed in size. Get the model again."
        return FoundModel(name, folder, place, "damaged", words)
    verdict = judge_folder(folder)
    if not verdict.supported:
        words = f"{verdict.reason} The nearest that runs is {verdict.nearest}."
        return FoundModel(name, folder, place, "unsupported", words)
    return FoundModel(name, folder, place, "whole", "", snapshot.weights_bytes)
