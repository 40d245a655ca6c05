"""Fields of OpenAI's requests: which are read, which may be ignored, and how complaints go."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from starlette.requests import Request

from qwenchat.api.bodies import read_any_object
from qwenchat.errors import InvalidRequest

# Fields that would change the answer, but that this server does not know. To ignore one would
# be to answer something else than what was asked.
_REFUSED = frozenset(
    (
        "add_generation_prompt",
        "allowed_token_ids",
        "audio",
        "bad_words",
        "best_of",
        "chat_template",
        "continue_final_message",
        "documents",
        "echo",
        "function_call",
        "functions",
        "guided_choice",
        "guided_grammar",
        "guided_json",
        "guided_regex",
        "ignore_eos",
        "length_penalty",
        "logit_bias",
        "min_tokens",
        "prompt_embeds",
        "prompt_logprobs",
        "prompt_token_ids",
        "stop_token_ids",
        "structured_outputs",
        "suffix",
        "tool_choice",
        "tools",
        "truncate_prompt_tokens",
        "use_beam_search",
        "web_search_options",
    )
)
_WITHOUT_EFFECT: tuple[Any, ...] = ([], {}, "", False, "none", "auto", 0)
"""Values that ask for nothing, whatever the field."""


async def read_fields(request: Request, known: Collection[str]) -> dict[str, Any]:
    """The body without fields that are null or unknown.

    Raises:
        InvalidRequest: It is no JSON object, or asks for something that would be missed.
    """
    body = await read_any_object(request)
    fields = {}
    for name, value in body.items():
        if name in known and value is not None:
            fields[name] = value
        elif name in _REFUSED and value is not None and value not in _WITHOUT_EFFECT:
            raise InvalidRequest(f"{name} is not supported here. Leave it out.", param=name)
    return fields


def count_field(fields: dict[str, Any], name: str, minimum: int, maximum: int) -> int | None:
    """A whole number within bounds, which are included, or None where the field is missing.

    Raises:
        InvalidRequest: It is something else.
    """
    value = fields.get(name)
    if value is None or (type(value) is int and minimum <= value <= maximum):
        return value
    raise InvalidRequest(f"{name} must be a whole number from {minimum} to {maximum}.", param=name)
