"""Answers as server-sent events, in OpenAI's framing."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing, suppress
from typing import Any

import orjson
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from qwenchat.api.openai.answering import ClientGone, Events, while_there
from qwenchat.api.openai.errors import body_of
from qwenchat.errors import QwenChatError

Chunks = AsyncGenerator[Mapping[str, Any], None]

_DONE = b"data: [DONE]\n\n"


class EventStream(Response):
    """Each chunk as one event, then ``[DONE]``.

    An error in the middle is told as an event of its own, for the status has been sent.

    Args:
        source: What the chunks are made from; closed at the end, and when the client goes.
    """

    media_type = "text/event-stream"

    def __init__(self, chunks: Chunks, source: Events) -> None:
        super().__init__(headers={"cache-control": "no-cache", "x-accel-buffering": "no"})
        del self.headers["content-length"]
        self._chunks, self._source = chunks, source

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        # The source by itself: a generator that was never begun does not run its end either.
        async with aclosing(self._source), aclosing(self._chunks):
            with suppress(ClientGone):
                await while_there(receive, self._send_all(send))

    async def _send_all(self, send: Send) -> None:
        start = {"type": "http.response.start", "status": 200, "headers": self.raw_headers}
        await send(start)
        try:
            async for chunk in self._chunks:
                await _send_body(send, _event(chunk))
        except QwenChatError as error:
            await _send_body(send, _event(body_of(error)))
        await _send_body(send, _DONE, more=False)


def _event(value: Mapping[str, Any]) -> bytes:
    return b"data: " + orjson.dumps(value) + b"\n\n"


async def _send_body(send: Send, body: bytes, more: bool = True) -> None:
    await send({"type": "http.response.body", "body": body, "more_body": more})
