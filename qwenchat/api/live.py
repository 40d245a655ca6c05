"""The WebSocket each page listens on (docs/page-protocol.md, ``/api/live``)."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from logging import getLogger
from secrets import token_hex
from typing import Any

import orjson
from fastapi import APIRouter
from starlette.websockets import WebSocket, WebSocketDisconnect

from qwenchat.api.feed import LAST_MESSAGES, Feed, Wish
from qwenchat.api.values import Value
from qwenchat.chat.imports import Imports
from qwenchat.chat.service import Chat
from qwenchat.errors import InvalidRequest
from qwenchat.hosting.models import Models

TICK_SECONDS = 0.05
"""Between two looks at what changed at least."""
LARGE_CHARACTERS = 100_000
"""A frame longer than this costs milliseconds; others get a turn before the next one."""

_log = getLogger(__name__)


def live_routes(chat: Chat, imports: Imports, models: Models | None) -> APIRouter:
    """The live channel of ``chat``, ``imports`` and, where there are any, ``models``."""
    router = APIRouter()
    write = _Writer().write
    run: Value = {"type": "run", "id": token_hex(8)}

    @router.websocket("/api/live")
    async def live(websocket: WebSocket) -> None:
        await websocket.accept()
        feed = Feed(chat, imports, models)
        await _Connection(websocket, chat, feed, write, run).run()

    return router


class _Writer:
    """Turns frames into JSON one after the other for all pages.

    Eight pages that must all be told of a message of megabytes would otherwise hold up the
    loop for as long as their eight frames take together.
    """

    def __init__(self) -> None:
        self._turn = asyncio.Lock()

    async def write(self, frame: Value) -> str:
        async with self._turn:
            text = orjson.dumps(frame).decode()
            if len(text) > LARGE_CHARACTERS:
                await asyncio.sleep(0)
            return text


class _Connection:
    """One page that listens. Only the sender sends, so frames never interleave."""

    def __init__(
        self,
        websocket: WebSocket,
        chat: Chat,
        feed: Feed,
        write: Callable[[Value], Awaitable[str]],
        run: Value,
    ) -> None:
        self._websocket = websocket
        self._write = write
        self._chat = chat
        self._feed = feed
        self._run = run
        self._wake = asyncio.Event()
        self._complaint: InvalidRequest | None = None

    async def run(self) -> None:
        unwatch = self._chat.changes.watch(self._wake.set)
        ends = {asyncio.create_task(self._receive()), asyncio.create_task(self._send())}
        try:
            # Whichever ends first: a page that is told nothing more must connect again.
            await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        finally:
            unwatch()
            for end in ends:
                end.cancel()
            results = await asyncio.gather(*ends, return_exceptions=True)
        for result in results:
            if isinstance(result, Exception):
                _log.error("A live channel broke.", exc_info=result)
                with contextlib.suppress(RuntimeError, WebSocketDisconnect):
                    await self._websocket.close(1011)

    async def _receive(self) -> None:
        while True:
            frame = await self._websocket.receive()
            if frame["type"] == "websocket.disconnect":
                return
            try:
                await self._feed.open(_parse_open(frame.get("text")))
            except InvalidRequest as complaint:
                self._complaint = complaint
            self._wake.set()

    async def _send(self) -> None:
        loop = asyncio.get_running_loop()
        try:
            await self._websocket.send_text(await self._write(self._run))
            while True:
                self._wake.clear()
                for frame in self._feed.frames(loop.time()):
                    await self._websocket.send_text(await self._write(frame))
                if complaint := self._complaint:
                    self._complaint = None
                    frame = {"type": "error", "error": complaint.as_dict()}
                    await self._websocket.send_text(await self._write(frame))
                if not self._feed.pending:
                    await self._wake.wait()
                await asyncio.sleep(TICK_SECONDS)
        except WebSocketDisconnect:
            return


def _parse_open(text: str | None) -> Wish:
    """What a page wants to follow.

    Raises:
        InvalidRequest: The frame is no ``open``.
    """
    try:
        value: Any = orjson.loads(text or "")
    except orjson.JSONDecodeError:
        value = None
    if isinstance(value, dict) and value.get("type") == "open":
        conversation_id, from_id = value.get("conversation_id"), value.get("from")
        limit = value.get("limit", LAST_MESSAGES)
        ids_are_good = all(
            one is None or isinstance(one, str) for one in (conversation_id, from_id)
        )
        if ids_are_good and isinstance(limit, int) and limit > 0:
            return Wish(conversation_id, limit, from_id)
    raise InvalidRequest(
        'The live channel takes only {"type": "open", "conversation_id": id or null}, with a '
        '"limit" above 0 and a message id "from" where they are wanted.'
    )
