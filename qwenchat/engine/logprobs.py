"""vLLM's log probabilities as the protocol's values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from qwenchat.engine.protocol import TokenChance, TokenLogprob

LEAST_LOGPROB = -9999.0
"""Stands for a token that cannot come: JSON has no minus infinity."""


def token_logprobs(
    token_ids: Sequence[int], places: Sequence[dict[int, Any]] | None, wanted: int
) -> tuple[TokenLogprob, ...]:
    """What is known of each token that was chosen.

    Args:
        token_ids: The chosen tokens.
        places: For each, vLLM's ``Logprob`` by token id, of the chosen one and of the
            likeliest; None when the request did not ask.
        wanted: How many of the likeliest to tell.
    """
    found = []
    for token_id, place in zip(token_ids, places or (), strict=False):
        ranked = sorted(place.values(), key=lambda one: one.rank)[:wanted]
        found.append(TokenLogprob(_chance(place[token_id]), tuple(map(_chance, ranked))))
    return tuple(found)


def _chance(one: Any) -> TokenChance:
    return TokenChance(one.decoded_token or "", max(one.logprob, LEAST_LOGPROB))
