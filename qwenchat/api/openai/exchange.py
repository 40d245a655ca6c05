"""One exchange of the API: requests to the engine, and their answer, whole or as a stream."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from starlette.requests import Request
from starlette.responses import Response

from qwenchat.api.answers import json_answer
from qwenchat.api.openai.answering import (
    Choice,
    ClientGone,
    Event,
    Events,
    accepted,
    collect,
    finish_reason,
    side_by_side,
    usage_value,
    while_there,
)
from qwenchat.api.openai.requests import Wanted, new_id
from qwenchat.api.openai.stream import Chunks, EventStream
from qwenchat.engine.protocol import Delta, Finished, Generate
from qwenchat.engine.seam import Engine
from qwenchat.types import Usage

Value = dict[str, Any]

CLIENT_GONE_STATUS = 499
"""What proxies log when the client closed the connection; nobody receives it."""


class Shape(Protocol):
    """How one kind of answer is written."""

    id_prefix: str
    whole: str
    """``object`` of a whole answer."""
    piece: str
    """``object`` of a chunk."""

    def choice(self, index: int, choice: Choice) -> Value:
        """A choice of a whole answer."""

    def opening(self, index: int) -> Value | None:
        """A choice's first chunk, before there is text."""

    def delta(self, index: int, delta: Delta) -> Value:
        """New text of a choice."""

    def closing(self, index: int, reason: str) -> Value:
        """A choice's last chunk."""


async def exchange(
    engine: Engine, request: Request, wanted: Wanted, prompts: Sequence[Generate], shape: Shape
) -> Response:
    """Have the engine answer ``prompts``.

    Raises:
        QwenChatError: A request was refused, or failed before its answer began.
    """
    answer_id = new_id(shape.id_prefix)
    head: Value = {"id": answer_id, "created": int(time.time()), "model": wanted.model}
    requests = wanted.requests(answer_id, prompts)
    events = side_by_side(engine, requests)
    try:
        if not wanted.stream:
            choices = await while_there(request.receive, collect(events, len(requests)))
            usage = usage_value([choice.usage for choice in choices], wanted.choices)
            written = [shape.choice(index, choice) for index, choice in enumerate(choices)]
            head |= {"object": shape.whole, "system_fingerprint": None}
            return json_answer(head | {"choices": written, "usage": usage})
        first = await while_there(request.receive, accepted(events, len(requests)))
    except ClientGone:
        return Response(status_code=CLIENT_GONE_STATUS)
    head |= {"object": shape.piece, "system_fingerprint": None}
    return EventStream(_chunks(head, wanted, _all(first, events), shape, len(requests)), events)


async def _chunks(
    head: Mapping[str, Any], wanted: Wanted, events: Events, shape: Shape, count: int
) -> Chunks:
    usages = [Usage(0, 0, 0)] * count

    def chunk(choice: Value) -> Value:
        usage = {"usage": None} if wanted.include_usage else {}
        return {**head, "choices": [choice], **usage}

    for index in range(count):
        if opening := shape.opening(index):
            yield chunk(opening)
    async for index, event in events:
        if isinstance(event, Delta) and (event.text or event.logprobs):
            yield chunk(shape.delta(index, event))
        elif isinstance(event, Finished):
            usages[index] = event.usage
            yield chunk(shape.closing(index, finish_reason(event)))
    if wanted.include_usage:
        yield {**head, "choices": [], "usage": usage_value(usages, wanted.choices)}


async def _all(first: Sequence[Event], events: Events) -> Events:
    for event in first:
        yield event
    async for event in events:
        yield event
