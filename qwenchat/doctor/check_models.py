"""What the models found on this machine are good for."""

from __future__ import annotations

from collections.abc import Sequence

from qwenchat.doctor.found_models import FoundModel
from qwenchat.doctor.outcome import Check, ok, problem, warning


def check_models(models: Sequence[FoundModel]) -> list[Check]:
    """One line that counts them, and one for each that is damaged or was chosen in vain."""
    return [summary(models), *(trouble(model) for model in models if _is_trouble(model))]


def summary(models: Sequence[FoundModel]) -> Check:
    """How many are ready."""
    whole = [model for model in models if model.health == "whole"]
    others = sum(model.health == "unsupported" for model in models)
    aside = f"; {others} more are not for QwenChat" if others else ""
    if not whole:
        return ok("models", f"none yet but the demo model that comes with QwenChat{aside}")
    lines = "; ".join(
        f"{model.name} in {model.place}, {model.weights_bytes / 2**30:.1f} GiB" for model in whole
    )
    return ok("models", f"{len(whole)} ready{aside}", lines)


def trouble(model: FoundModel) -> Check:
    """A model that cannot be loaded."""
    what, _, rest = model.words.partition(". ")
    # In others' caches a half model is common and harms nobody.
    make = warning if model.place.endswith("cache") else problem
    return make(f"model {model.name}", what, rest or "Get the model again, or delete its folder.")


def _is_trouble(model: FoundModel) -> bool:
    unfit_choice = model.place == "chosen" and model.health == "unsupported"
    return model.health == "damaged" or unfit_choice
