"""Whether a model thinks before an answer, and what that changes of the request."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from qwenchat.chat.thinking import Format
from qwenchat.errors import InvalidRequest
from qwenchat.sampling import SamplingParameters
from qwenchat.types import THINKING_SWITCH, ThinkingStyle

Wish = Literal["on", "off"] | None
"""What a person wants of models that have the choice; None is the model's default."""
WISHES: tuple[Literal["on"], Literal["off"]] = ("on", "off")
AUTO = "auto"
"""The same None in requests and on the page."""

LARGEST_BUDGET = 1_000_000
SMALLEST_BUDGET = 16
"""Tokens. Fewer hold no thought; that is what the switch is for."""

THINKING_MAX_TOKENS = 8192
"""Thoughts count as well, and take a few thousand where an answer takes a few hundred."""

# "Best Practices" of the model cards of Qwen3, hybrid and 2507 alike.
_THINKING: dict[str, Any] = {"temperature": 0.6, "top_p": 0.95, "top_k": 20, "min_p": 0.0}
_PLAIN: dict[str, Any] = {"temperature": 0.7, "top_p": 0.8, "top_k": 20, "min_p": 0.0}


@dataclass(frozen=True, slots=True)
class Mode:
    """How one answer is made.

    Attributes:
        form: What the model's output looks like.
        template_values: What the chat template must know.
        defaults: Sampling where the person changed nothing.
        wish: ``on`` or ``off`` for a model that has the choice, else None.
    """

    form: Format
    template_values: Mapping[str, Any]
    defaults: SamplingParameters
    wish: Wish


def mode_of(style: ThinkingStyle, wish: Wish, defaults: SamplingParameters) -> Mode:
    """How a model of ``style`` answers.

    Args:
        defaults: The model's own recommendation. For a hybrid model it can only be right for
            one of its two ways, so Qwen's for each takes its place.
    """
    thinks: Format = "opened" if style.prompt_opens else "opens"
    if style.kind == "none":
        return Mode("plain", {}, defaults, None)
    if style.kind == "thinking_only":
        return Mode(thinks, {}, _with_room(defaults), None)
    is_on = style.on_by_default if wish is None else wish == "on"
    if is_on:
        return Mode(
            thinks, {THINKING_SWITCH: True}, _with_room(replace(defaults, **_THINKING)), "on"
        )
    return Mode("plain", {THINKING_SWITCH: False}, replace(defaults, **_PLAIN), "off")


def _with_room(defaults: SamplingParameters) -> SamplingParameters:
    return replace(defaults, max_tokens=max(defaults.max_tokens, THINKING_MAX_TOKENS))


def checked_wish(value: str) -> Wish:
    """The wish in a request.

    Raises:
        InvalidRequest: It is none.
    """
    match value:
        case "auto":
            return None
        case "on" | "off":
            return value
    raise InvalidRequest("thinking must be auto, on or off.", param="thinking")


def checked_budget(value: int | None) -> int | None:
    """The tokens of thinking in a request; None is no limit.

    Raises:
        InvalidRequest: They are too few or too many.
    """
    if value is None or SMALLEST_BUDGET <= value <= LARGEST_BUDGET:
        return value
    raise InvalidRequest(
        f"The thinking budget must be from {SMALLEST_BUDGET} to {LARGEST_BUDGET:,} tokens, or "
        "empty for no limit. Change it in Settings.",
        param="thinking_budget",
    )
