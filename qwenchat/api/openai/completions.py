"""``POST /v1/completions``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from qwenchat.api.openai.answering import Choice
from qwenchat.api.openai.exchange import Value, exchange
from qwenchat.api.openai.fields import count_field, read_fields
from qwenchat.api.openai.requests import COMMON_FIELDS, MAX_LOGPROBS, read_schema, read_wanted
from qwenchat.engine.protocol import Delta, Generate, TokenLogprob
from qwenchat.engine.seam import Engine
from qwenchat.errors import InvalidRequest

FIELDS = (*COMMON_FIELDS, "logprobs", "prompt", "response_format")
DEFAULT_MAX_TOKENS = 16
"""OpenAI's own."""


async def answer_completion(engine: Engine, request: Request) -> Response:
    """Go on from raw text.

    Raises:
        QwenChatError: As ``exchange``, or the request is malformed.
    """
    fields = await read_fields(request, FIELDS)
    texts = _read_prompts(fields.get("prompt"))
    logprobs = count_field(fields, "logprobs", 0, MAX_LOGPROBS)
    schema = read_schema(fields)
    wanted = read_wanted(fields, engine, len(texts), DEFAULT_MAX_TOKENS)
    prompts = [
        Generate("", (), wanted.sampling, prompt=text, logprobs=logprobs, json_schema=schema)
        for text in texts
    ]
    shape = _CompletionShape(logprobs is not None, len(texts) * wanted.choices)
    return await exchange(engine, request, wanted, prompts, shape)


def _read_prompts(value: Any) -> list[str]:
    texts = [value] if isinstance(value, str) else value
    if not isinstance(texts, list) or not texts or not all(isinstance(t, str) for t in texts):
        raise InvalidRequest("prompt must be text, or a list of texts.", param="prompt")
    if not all(texts):
        raise InvalidRequest(
            "prompt must not be empty. Give the model a beginning.", param="prompt"
        )
    return texts


class _CompletionShape:
    """See ``exchange.Shape``."""

    id_prefix, whole, piece = "cmpl", "text_completion", "text_completion"

    def __init__(self, with_logprobs: bool, count: int) -> None:
        self._with_logprobs = with_logprobs
        self._written = [0] * count

    def choice(self, index: int, choice: Choice) -> Value:
        logprobs = self._logprobs(index, choice.logprobs)
        return _choice(index, choice.text, logprobs, choice.finish_reason)

    def opening(self, index: int) -> Value | None:
        return None

    def delta(self, index: int, delta: Delta) -> Value:
        return _choice(index, delta.text, self._logprobs(index, delta.logprobs), None)

    def closing(self, index: int, reason: str) -> Value:
        return _choice(index, "", None, reason)

    def _logprobs(self, index: int, logprobs: Sequence[TokenLogprob]) -> Value | None:
        if not self._with_logprobs:
            return None
        offsets = []
        for one in logprobs:
            offsets.append(self._written[index])
            self._written[index] += len(one.chosen.text)
        return {
            "tokens": [one.chosen.text for one in logprobs],
            "token_logprobs": [one.chosen.logprob for one in logprobs],
            "top_logprobs": [
                {other.text: other.logprob for other in reversed((one.chosen, *one.likeliest))}
                for one in logprobs
            ],
            "text_offset": offsets,
        }


def _choice(index: int, text: str, logprobs: Value | None, reason: str | None) -> Value:
    return {"index": index, "text": text, "logprobs": logprobs, "finish_reason": reason}
