"""What a request to the OpenAI-compatible API asks for, checked."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import orjson

from qwenchat.api.bodies import object_field, switch_field
from qwenchat.api.openai.fields import count_field
from qwenchat.engine.protocol import Generate
from qwenchat.engine.seam import Engine
from qwenchat.errors import EngineStarting, InvalidRequest, ModelNotFound, error_from_code
from qwenchat.sampling import PARAMETERS, SamplingParameters, parse_sampling

MAX_CHOICES = 16
"""Answers of one request, over all of its prompts."""
MAX_LOGPROBS = 20
"""What OpenAI allows, and vLLM as it is set up here."""
MAX_SCHEMA_BYTES = 64 * 1024
"""A schema is compiled between two steps of everybody's answers."""
_LARGEST_SEED = 2**53 - 1

SAMPLING_FIELDS = (*(parameter.name for parameter in PARAMETERS), "stop", "max_completion_tokens")
COMMON_FIELDS = (*SAMPLING_FIELDS, "model", "n", "stream", "stream_options")


@dataclass(frozen=True, slots=True)
class Wanted:
    """A request beyond its prompts.

    Attributes:
        model: As the answer names it.
        choices: Answers to each prompt.
        include_usage: Whether a stream ends with the usage.
    """

    model: str
    sampling: SamplingParameters
    choices: int
    stream: bool
    include_usage: bool

    def requests(self, answer_id: str, prompts: Sequence[Generate]) -> list[Generate]:
        """One request for each choice of each prompt, in the order of their indexes."""
        made: list[Generate] = []
        for prompt in prompts:
            for choice in range(self.choices):
                seed = self.sampling.seed
                if seed is not None:
                    seed = (seed + choice) % _LARGEST_SEED
                sampling = replace(self.sampling, seed=seed)
                request_id = f"{answer_id}-{len(made)}"
                made.append(replace(prompt, request_id=request_id, sampling=sampling))
        return made


def new_id(kind: str) -> str:
    """An id for an answer, such as ``chatcmpl-...``."""
    return f"{kind}-{secrets.token_hex(12)}"


def check_ready(engine: Engine) -> None:
    """Refuse while no model can answer.

    Raises:
        EngineError: The engine loads, restarts or has failed.
    """
    status = engine.status
    if status.state == "ready":
        return
    if status.error:
        raise error_from_code(*status.error)
    raise EngineStarting(f"{status.model} is still loading. Try again in a few seconds.")


def check_model(model: Any, engine: Engine) -> str:
    """The name of the loaded model, which is what was asked for; None is that one, too.

    Raises:
        InvalidRequest: It is no text.
        ModelNotFound: Another model is loaded.
    """
    loaded = engine.status.model
    if model is None or model == loaded:
        return loaded
    if not isinstance(model, str):
        raise InvalidRequest("model must be text.", param="model")
    raise ModelNotFound(
        f"The model {model[:200]!r} is not loaded. Ask for {loaded!r}, or choose another "
        "model on the page.",
        param="model",
    )


def read_wanted(
    fields: dict[str, Any],
    engine: Engine,
    prompts: int = 1,
    max_tokens: int | None = None,
    base: SamplingParameters | None = None,
) -> Wanted:
    """What is wanted beyond the prompts; what is not said is as the model recommends.

    Args:
        prompts: How many there are.
        max_tokens: Where the request does not say; None is the page's default.
        base: Likewise, of all parameters; None is what the model recommends.

    Raises:
        InvalidRequest: A field has a wrong type or is out of range; ``param`` names it.
        ModelNotFound: Another model is loaded.
        EngineError: No model can answer now.
    """
    stream = bool(switch_field(fields, "stream"))
    options = object_field(fields, "stream_options")
    if options is not None and not stream:
        raise InvalidRequest(
            "stream_options can only be given with stream: true.", param="stream_options"
        )
    options = {name: value for name, value in (options or {}).items() if value is not None}
    include_usage = bool(switch_field(options, "include_usage"))
    choices = count_field(fields, "n", 1, MAX_CHOICES) or 1
    if choices * prompts > MAX_CHOICES:
        raise InvalidRequest(
            f"At most {MAX_CHOICES} answers at once are possible, over all prompts. Send "
            "several requests instead.",
            param="n",
        )
    base = base or engine.defaults
    if max_tokens is not None:
        base = replace(base, max_tokens=max_tokens)
    sampling = _read_sampling(fields, base)
    check_ready(engine)
    model = check_model(fields.get("model"), engine)
    return Wanted(model, sampling, choices, stream, include_usage)


def _read_sampling(fields: dict[str, Any], base: SamplingParameters) -> SamplingParameters:
    sampling = base
    for field in SAMPLING_FIELDS:
        if field not in fields:
            continue
        name = "max_tokens" if field == "max_completion_tokens" else field
        value = fields[field]
        if field == "top_k" and value == -1:
            value = 0  # how vLLM's own server spells "all"
        try:
            sampling = parse_sampling({name: value}, sampling, "Correct it, or leave it out.")
        except InvalidRequest as error:
            raise InvalidRequest(error.message, param=field) from None
    return sampling


def read_schema(fields: dict[str, Any]) -> str | None:
    """The JSON schema that ``response_format`` asks for, as JSON text; None for free text.

    Raises:
        InvalidRequest: It is malformed or too large.
    """
    given = object_field(fields, "response_format")
    if given is None or given.get("type") == "text":
        return None
    if given.get("type") == "json_object":
        return '{"type": "object"}'
    if given.get("type") != "json_schema":
        raise InvalidRequest(
            "response_format.type must be text, json_object or json_schema.",
            param="response_format.type",
        )
    wrapper = given.get("json_schema")
    schema = wrapper.get("schema") if isinstance(wrapper, dict) else None
    if not isinstance(schema, dict):
        raise InvalidRequest(
            "response_format.json_schema.schema must be a JSON schema, which is an object.",
            param="response_format.json_schema",
        )
    text = orjson.dumps(schema)
    if len(text) > MAX_SCHEMA_BYTES:
        raise InvalidRequest(
            f"The JSON schema is larger than {MAX_SCHEMA_BYTES // 1024} KiB. Simplify it.",
            param="response_format.json_schema",
        )
    return text.decode()
