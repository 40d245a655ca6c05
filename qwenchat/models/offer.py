"""Which model to offer on a machine: the best that fits, runs and answers fast enough."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from qwenchat.models import quantization
from qwenchat.models.catalog import Catalogue, Method, Model, Variant, catalogue
from qwenchat.models.fit import DISK_RESERVE_BYTES, Fit, catalogue_footprint, check_fit
from qwenchat.models.speed import Speed, expected_speed

READING_SPEED = 5.0
"""Tokens per second that most people read at (about 250 words a minute): slower answers keep
them waiting."""
FREE_LICENCE = "Apache-2.0"
SAME_SIZE = 100_000_000
"""Parameters; models that differ by less are of one size, and the newer one is better."""
_FINEST_FIRST: tuple[Method, ...] = ("none", "int8-w8a8", "fp8", "awq-int4", "gptq-int4")


@dataclass(frozen=True, slots=True)
class Machine:
    """What of a machine decides which models it can run.

    Attributes:
        memory_bytes: What this process may still take.
        disk_bytes: Free where models are kept.
        bandwidth: Bytes of memory read per second (``speed.memory_bandwidth``).
        cpu_flags: The processor's flags.
    """

    memory_bytes: int
    disk_bytes: int
    bandwidth: float
    cpu_flags: frozenset[str]


@dataclass(frozen=True, slots=True)
class Offer:
    """A model for a machine.

    Attributes:
        needs_hub_check: Whether its row has never been compared with the hub: do that, by the
            hub's listing of the id, before a download is offered.
    """

    model: Model
    variant: Variant
    download_bytes: int
    fit: Fit
    speed: Speed
    needs_hub_check: bool


def best_for(machine: Machine, known: Catalogue | None = None) -> Offer | None:
    """The model with the most parameters that fits with the default context and answers at
    reading speed, the newest of equals, with its finest weights for which that holds.

    Left out are models that always think, since on a CPU the answer would be long in coming,
    and those whose licence does not let everybody use them for everything. Where none is fast
    enough, the fastest that fits; None where none fits.
    """
    known = known or catalogue()
    candidates = [offer for pair in known.pairs() if (offer := _offer(*pair, machine))]
    fast = [offer for offer in candidates if offer.speed.expected >= READING_SPEED]
    if fast:
        return max(fast, key=_quality)
    return max(candidates, key=lambda offer: offer.speed.expected, default=None)


def offers(machine: Machine, known: Catalogue | None = None) -> Iterator[Offer]:
    """Every model of the catalogue that this processor runs, whether it fits or not."""
    for model, variant in (known or catalogue()).pairs():
        if not refusal(variant, machine.cpu_flags):
            yield _as_offer(model, variant, machine)


def _offer(model: Model, variant: Variant, machine: Machine) -> Offer | None:
    if model.thinking_style == "thinking_only" or model.licence != FREE_LICENCE:
        return None
    if refusal(variant, machine.cpu_flags):
        return None
    offer = _as_offer(model, variant, machine)
    has_disk = offer.download_bytes + DISK_RESERVE_BYTES <= machine.disk_bytes
    return offer if offer.fit.answer == "fits" and has_disk else None


def _as_offer(model: Model, variant: Variant, machine: Machine) -> Offer:
    return Offer(
        model=model,
        variant=variant,
        download_bytes=model.weights_bytes(variant),
        fit=check_fit(catalogue_footprint(model, variant), available_bytes=machine.memory_bytes),
        speed=expected_speed(model, variant, machine.bandwidth),
        needs_hub_check=not model.verified,
    )


def refusal(variant: Variant, cpu_flags: Collection[str]) -> str:
    """Why a processor does not run a variant of the catalogue, as a sentence; "" when it does."""
    return quantization.missing_instructions(variant.method, cpu_flags)


def _quality(offer: Offer) -> tuple[int, str, int]:
    return (
        offer.model.non_embedding_parameters // SAME_SIZE,
        offer.model.released,
        -_FINEST_FIRST.index(offer.variant.method),
    )
