"""The models that are on this machine, as the page lists and names them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from qwenchat.errors import ModelError, ModelNotFound
from qwenchat.hosting.choice import Choice
from qwenchat.hosting.machine import fit_here, models_folder
from qwenchat.models.catalog import catalogue
from qwenchat.models.demo import has_source
from qwenchat.models.fit import DEMO_FOOTPRINT, Fit, snapshot_footprint
from qwenchat.models.installed_model import InstalledModel, demo_in_package, own_folder
from qwenchat.models.library import Library
from qwenchat.models.offer import Machine
from qwenchat.models.reference import DEMO_VALUE, ModelFolder
from qwenchat.models.snapshot import inspect_snapshot
from qwenchat.models.snapshot_config import read_config
from qwenchat.models.speed import Speed, config_speed, expected_speed
from qwenchat.settings import Settings

_NAMES_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Numbers:
    """What a model that is here would be like; None where that cannot be told.

    Attributes:
        context: The most tokens it allows.
    """

    context: int | None
    fit: Fit | None
    speed: Speed | None


UNKNOWN = Numbers(None, None, None)


def models_here(library: Library, settings: Settings, choice: Choice) -> list[InstalledModel]:
    """All models there are; reads every folder, so not on the event loop.

    Besides the library's: the demo model, which its first use makes ready, and the folder of
    the person's own that is loaded or loading.
    """
    models = library.models()
    if all(model.id != DEMO_VALUE for model in models) and has_source():
        models.append(demo_in_package(models_folder(settings)))
    reference = choice.reference
    if isinstance(reference, ModelFolder) and not any(
        is_same_folder(model.path, reference.path) for model in models
    ):
        models.append(own_folder(reference.path))
    return models


def find_by_id(models: Iterable[InstalledModel], model_id: str) -> InstalledModel | None:
    """The model of this id; of one in several places the first, which is ours."""
    return next((model for model in models if model.id == model_id), None)


def require(models: list[InstalledModel], model_id: str) -> InstalledModel:
    """Like :func:`find_by_id`.

    Raises:
        ModelNotFound: There is none.
    """
    found = find_by_id(models, model_id)
    if found is not None:
        return found
    shown = model_id if len(model_id) <= 100 else model_id[:99] + "…"
    names = [model.id for model in models]
    there = ", ".join(names[:_NAMES_SHOWN]) or "none yet"
    more = f" and {len(names) - _NAMES_SHOWN} more" if len(names) > _NAMES_SHOWN else ""
    raise ModelNotFound(
        f"There is no model {shown!r} on this machine. Those that are: {there}{more}.",
        param="model",
    )


def is_same_folder(one: Path, other: Path | None) -> bool:
    """Whether two paths lead to the same folder."""
    return other is not None and one.resolve() == other.resolve()


def numbers_of(model: InstalledModel, machine: Machine, settings: Settings) -> Numbers:
    """What a model would be like here; reads its files' headers."""
    if model.problem is not None:
        return UNKNOWN
    if model.place == "package":
        fit = fit_here(DEMO_FOOTPRINT, machine, settings)
        return Numbers(DEMO_FOOTPRINT.context_length, fit, None)
    try:
        return folder_numbers(model.path, model.id, machine, settings)
    except ModelError:
        # It has changed since it was listed.
        return UNKNOWN


def folder_numbers(folder: Path, model_id: str, machine: Machine, settings: Settings) -> Numbers:
    """What the model in a folder would be like here.

    Raises:
        ModelError: It is not there, damaged, or does not run.
    """
    snapshot = inspect_snapshot(folder)
    footprint = snapshot_footprint(snapshot, settings.dtype)
    fit = fit_here(footprint, machine, settings)
    known = catalogue().find(model_id)
    if known:
        speed: Speed | None = expected_speed(*known, machine.bandwidth)
    else:
        speed = config_speed(read_config(folder / "config.json"), footprint, machine.bandwidth)
    return Numbers(snapshot.context_length, fit, speed)
