"""``POST /v1/chat/completions``."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from qwenchat.api.bodies import object_field, switch_field
from qwenchat.api.openai.answering import Choice
from qwenchat.api.openai.exchange import Value, exchange
from qwenchat.api.openai.fields import count_field, read_fields
from qwenchat.api.openai.messages import read_messages
from qwenchat.api.openai.requests import COMMON_FIELDS, MAX_LOGPROBS, read_schema, read_wanted
from qwenchat.api.openai.thoughts import Parts, mode_for
from qwenchat.chat.thinking import Format
from qwenchat.engine.protocol import Delta, Generate, TokenChance, TokenLogprob
from qwenchat.engine.seam import Engine
from qwenchat.errors import InvalidRequest

FIELDS = (
    *COMMON_FIELDS,
    "chat_template_kwargs",
    "logprobs",
    "messages",
    "response_format",
    "top_logprobs",
)
# What decides how a prompt is made, and so is not for the request to say.
_OURS = frozenset(
    (
        "add_generation_prompt",
        "chat_template",
        "continue_final_message",
        "conversation",
        "documents",
        "messages",
        "return_dict",
        "return_tensors",
        "tokenize",
        "tools",
    )
)


async def answer_chat(engine: Engine, request: Request) -> Response:
    """Answer a conversation.

    Raises:
        QwenChatError: As ``exchange``, or the request is malformed.
    """
    fields = await read_fields(request, FIELDS)
    messages = read_messages(fields.get("messages"))
    logprobs = _read_logprobs(fields)
    schema = read_schema(fields)
    template_values = _read_template_values(fields)
    mode = mode_for(engine, template_values, schema is not None)
    wanted = read_wanted(fields, engine, base=mode.defaults)
    prompt = Generate(
        "",
        messages,
        wanted.sampling,
        logprobs=logprobs,
        json_schema=schema,
        template_values={**mode.template_values, **template_values},
    )
    form: Format = "plain" if schema is not None else mode.form
    return await exchange(engine, request, wanted, [prompt], _ChatShape(logprobs is not None, form))


def _read_logprobs(fields: dict[str, Any]) -> int | None:
    wanted = switch_field(fields, "logprobs")
    count = count_field(fields, "top_logprobs", 0, MAX_LOGPROBS)
    if count and not wanted:
        raise InvalidRequest(
            "top_logprobs can only be given with logprobs: true.", param="top_logprobs"
        )
    return (count or 0) if wanted else None


def _read_template_values(fields: dict[str, Any]) -> dict[str, Any]:
    values = object_field(fields, "chat_template_kwargs") or {}
    for name in _OURS & values.keys():
        raise InvalidRequest(
            f"chat_template_kwargs cannot set {name}. Leave it out.",
            param=f"chat_template_kwargs.{name}",
        )
    return values


class _ChatShape:
    """See ``exchange.Shape``."""

    id_prefix, whole, piece = "chatcmpl", "chat.completion", "chat.completion.chunk"

    def __init__(self, with_logprobs: bool, form: Format) -> None:
        self._with_logprobs = with_logprobs
        self._parts: defaultdict[int, Parts] = defaultdict(lambda: Parts(form))

    def choice(self, index: int, choice: Choice) -> Value:
        return {
            "index": index,
            "message": {
                "role": "assistant",
                **self._parts[index].whole(choice.text),
                "refusal": None,
            },
            "logprobs": self._logprobs(choice.logprobs),
            "finish_reason": choice.finish_reason,
        }

    def opening(self, index: int) -> Value | None:
        return self._chunk(index, {"role": "assistant", "content": ""})

    def delta(self, index: int, delta: Delta) -> Value:
        return self._chunk(index, self._parts[index].add(delta.text), delta.logprobs)

    def closing(self, index: int, reason: str) -> Value:
        return self._chunk(index, self._parts[index].end()) | {"finish_reason": reason}

    def _chunk(
        self, index: int, delta: Mapping[str, Any], logprobs: Sequence[TokenLogprob] = ()
    ) -> Value:
        told = self._logprobs(logprobs) if logprobs else None
        return {"index": index, "delta": delta, "logprobs": told, "finish_reason": None}

    def _logprobs(self, logprobs: Sequence[TokenLogprob]) -> Value | None:
        if not self._with_logprobs:
            return None
        content = [
            _token(one.chosen) | {"top_logprobs": [_token(other) for other in one.likeliest]}
            for one in logprobs
        ]
        return {"content": content, "refusal": None}


def _token(chance: TokenChance) -> Value:
    raw = list(chance.text.encode())
    return {"token": chance.text, "logprob": chance.logprob, "bytes": raw}
