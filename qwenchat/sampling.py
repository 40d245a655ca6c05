"""Sampling parameters: their values, bounds, plain words, and how input becomes them.

One table serves the page, the API and the engine, so a parameter cannot mean
different things in different places. Bounds follow vLLM's ``SamplingParams``.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

from qwenchat.errors import InvalidRequest

MAX_STOP_STRINGS = 16
MAX_STOP_LENGTH = 200


@dataclass(frozen=True, slots=True)
class SamplingParameters:
    """How the next token is chosen and when an answer ends.

    The defaults are what vLLM uses when a model has no ``generation_config.json``,
    except ``max_tokens``, which is long enough for an answer and ends a runaway one.
    """

    temperature: float = 1.0
    top_p: float = 1.0
    top_k: int = 0
    min_p: float = 0.0
    repetition_penalty: float = 1.0
    presence_penalty: float = 0.0
    frequency_penalty: float = 0.0
    max_tokens: int = 2048
    seed: int | None = None
    stop: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """The values by name, ready for JSON (``stop`` as a list)."""
        return asdict(self) | {"stop": list(self.stop)}


@dataclass(frozen=True, slots=True)
class Parameter:
    """One number among the sampling parameters: its bounds and how to explain it.

    ``minimum`` itself is refused when ``exclusive`` is set. ``soft_maximum`` is where a
    slider ends when the hard bound is far beyond what is useful.
    """

    name: str
    label: str
    explanation: str
    minimum: float
    maximum: float
    step: float
    integer: bool = False
    exclusive: bool = False
    optional: bool = False
    soft_maximum: float | None = None


PARAMETERS: tuple[Parameter, ...] = (
    Parameter(
        "temperature",
        "Temperature",
        "How freely words are chosen: 0 always takes the likeliest, higher is more varied.",
        0.0,
        2.0,
        0.05,
    ),
    Parameter(
        "top_p",
        "Top P",
        "Choose only among the likeliest words that together reach this probability.",
        0.0,
        1.0,
        0.01,
        exclusive=True,
    ),
    Parameter(
        "top_k",
        "Top K",
        "Choose only among this many likeliest words; 0 means all.",
        0,
        1_000_000,
        1,
        integer=True,
        soft_maximum=200,
    ),
    Parameter(
        "min_p",
        "Min P",
        "Leave out words less likely than this share of the likeliest one.",
        0.0,
        1.0,
        0.01,
    ),
    Parameter(
        "repetition_penalty",
        "Repetition penalty",
        "Above 1 makes words already in the conversation less likely.",
        0.0,
        2.0,
        0.01,
        exclusive=True,
    ),
    Parameter(
        "presence_penalty",
        "Presence penalty",
        "Above 0 steers the answer to words it has not used yet.",
        -2.0,
        2.0,
        0.05,
    ),
    Parameter(
        "frequency_penalty",
        "Frequency penalty",
        "Above 0 makes a word less likely each time the answer uses it.",
        -2.0,
        2.0,
        0.05,
    ),
    Parameter(
        "max_tokens",
        "Max tokens",
        "The answer ends after this many tokens (about three quarters of a word each).",
        1,
        1_000_000,
        1,
        integer=True,
        soft_maximum=8192,
    ),
    Parameter(
        "seed",
        "Seed",
        "The same seed and settings give the same answer again; empty is random.",
        0,
        2**53 - 1,
        1,
        integer=True,
        optional=True,
    ),
)
STOP_LABEL = "Stop strings"
STOP_EXPLANATION = "The answer ends just before any of these; one a line."


ADVICE = "Change it in Settings, or press Reset for the model's defaults."


def _checked_number(parameter: Parameter, value: Any, advice: str) -> int | float | None:
    if value is None and parameter.optional:
        return None
    kind = "a whole number" if parameter.integer else "a number"
    problem = InvalidRequest(
        f"{parameter.label} must be {kind} {_range_text(parameter)}; it was "
        f"{_shown(value)}. {advice}",
        param=parameter.name,
    )
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise problem
    if not math.isfinite(value) or (parameter.integer and value != int(value)):
        raise problem
    too_low = value < parameter.minimum or (parameter.exclusive and value == parameter.minimum)
    if too_low or value > parameter.maximum:
        raise problem
    return int(value) if parameter.integer else float(value)


def _range_text(parameter: Parameter) -> str:
    low, high = f"{parameter.minimum:g}", f"{parameter.maximum:,.15g}"
    return f"above {low} and up to {high}" if parameter.exclusive else f"from {low} to {high}"


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _checked_stop(value: Any) -> tuple[str, ...]:
    items = [value] if isinstance(value, str) else value
    if not isinstance(items, list | tuple) or not all(isinstance(item, str) for item in items):
        raise InvalidRequest("Stop strings must be text, or a list of texts.", param="stop")
    kept = tuple(item for item in items if item)
    if len(kept) > MAX_STOP_STRINGS or any(len(item) > MAX_STOP_LENGTH for item in kept):
        raise InvalidRequest(
            f"At most {MAX_STOP_STRINGS} stop strings of {MAX_STOP_LENGTH} characters each "
            "are possible. Remove some of them.",
            param="stop",
        )
    return kept


def parse_sampling(
    values: Mapping[str, Any], base: SamplingParameters, advice: str = ADVICE
) -> SamplingParameters:
    """``base`` with ``values`` laid over it.

    Args:
        advice: What to do about a bad number, in words of whoever gave it.

    Raises:
        InvalidRequest: A name is unknown, or a value has the wrong type or is out of range;
            ``param`` names it.
    """
    known = {parameter.name: parameter for parameter in PARAMETERS}
    checked: dict[str, Any] = {}
    for name, value in values.items():
        if name == "stop":
            checked[name] = _checked_stop(value)
        elif name in known:
            checked[name] = _checked_number(known[name], value, advice)
        else:
            raise InvalidRequest(
                f"There is no sampling parameter {_shown(name)}. Known are "
                f"{', '.join([*known, 'stop'])}.",
                param=str(name),
            )
    return replace(base, **checked)


def checked_sampling(values: Mapping[str, Any]) -> dict[str, Any]:
    """``values`` as they are kept: of the right types, and no others added.

    Raises:
        InvalidRequest: As :func:`parse_sampling`.
    """
    checked = parse_sampling(values, SamplingParameters()).as_dict()
    return {name: checked[name] for name in values}


def model_defaults(snapshot: Path) -> SamplingParameters:
    """The model's recommended sampling from ``generation_config.json``, where it has one.

    A value outside our bounds, or of another kind, is left at vLLM's default, as is a
    file that cannot be read: recommendations are never a reason not to chat.
    """
    try:
        loaded = json.loads((snapshot / "generation_config.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return SamplingParameters()
    if not isinstance(loaded, dict):
        return SamplingParameters()
    if loaded.get("do_sample") is False:
        loaded = {"temperature": 0.0} | {
            key: value for key, value in loaded.items() if key == "repetition_penalty"
        }
    if "max_new_tokens" in loaded:
        loaded["max_tokens"] = loaded["max_new_tokens"]
    result = SamplingParameters()
    names = {field.name for field in fields(SamplingParameters)} - {"seed", "stop"}
    for name in names & loaded.keys():
        try:
            result = parse_sampling({name: loaded[name]}, result)
        except InvalidRequest:
            continue
    return result
