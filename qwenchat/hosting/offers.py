"""All that can be chosen: the catalogue and what is here, each with how it would be here."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from qwenchat.hosting.installed import Numbers, is_same_folder, numbers_of
from qwenchat.hosting.machine import fit_here
from qwenchat.models import catalog
from qwenchat.models.fit import Fit, catalogue_footprint
from qwenchat.models.installed_model import InstalledModel
from qwenchat.models.offer import Machine, best_for, refusal
from qwenchat.models.speed import Speed, expected_speed
from qwenchat.settings import Settings


@dataclass(frozen=True, slots=True)
class Variant:
    """One set of weights of the catalogue.

    Attributes:
        reason: Why this processor does not run it; empty when it does.
        installed: Whether it is here and whole.
    """

    variant: catalog.Variant
    download_bytes: int
    reason: str
    fit: Fit
    speed: Speed
    installed: bool


@dataclass(frozen=True, slots=True)
class Row:
    """A model of the catalogue with all its variants."""

    model: catalog.Model
    variants: tuple[Variant, ...]


@dataclass(frozen=True, slots=True)
class Here:
    """A model on this machine.

    Attributes:
        in_use: Whether it is loaded or loading.
    """

    model: InstalledModel
    in_use: bool
    numbers: Numbers


@dataclass(frozen=True, slots=True)
class Offers:
    """What there is to choose from.

    Attributes:
        best: Id of the variant to recommend; None where none fits.
    """

    machine: Machine
    best: str | None
    rows: tuple[Row, ...]
    installed: tuple[Here, ...]


def offers(
    machine: Machine,
    installed: list[InstalledModel],
    in_use: Path | None,
    settings: Settings,
    known: catalog.Catalogue | None = None,
) -> Offers:
    """Everything, for a machine; reads the headers of what is installed.

    Args:
        in_use: The snapshot that is loaded or loading.
        known: The catalogue; None for the one that comes with QwenChat.
    """
    known = known or catalog.catalogue()
    whole = {model.id for model in installed if model.problem is None}
    best = best_for(machine, known)
    return Offers(
        machine=machine,
        best=best.variant.id if best else None,
        rows=tuple(
            Row(
                model,
                tuple(_variant(model, one, machine, settings, whole) for one in model.variants),
            )
            for model in known.models
        ),
        installed=tuple(
            Here(
                model,
                is_same_folder(model.path, in_use),
                numbers_of(model, machine, settings),
            )
            for model in installed
        ),
    )


def _variant(
    model: catalog.Model,
    variant: catalog.Variant,
    machine: Machine,
    settings: Settings,
    whole: set[str],
) -> Variant:
    return Variant(
        variant=variant,
        download_bytes=model.weights_bytes(variant),
        reason=refusal(variant, machine.cpu_flags),
        fit=fit_here(catalogue_footprint(model, variant), machine, settings),
        speed=expected_speed(model, variant, machine.bandwidth),
        installed=variant.id in whole,
    )
