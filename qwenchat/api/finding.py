"""Requests that look without changing anything, and two that belong to no conversation."""

from __future__ import annotations

from dataclasses import asdict

from fastapi import APIRouter, Request
from starlette.responses import Response

from qwenchat.api.answers import json_answer
from qwenchat.api.bodies import TURN_FIELDS, next_turn, read_object
from qwenchat.api.conversations import limit_of
from qwenchat.api.values import hit_value
from qwenchat.chat.meter import measure_turn
from qwenchat.chat.service import Chat
from qwenchat.store.search import search


def finding_routes(chat: Chat) -> APIRouter:
    """Search and measuring; notices and the engine's restart."""
    router = APIRouter(prefix="/api")

    @router.get("/search")
    async def find(request: Request) -> Response:
        text = request.query_params.get("q", "")
        found = await chat.read(search, text, limit=limit_of(request, 50))
        return json_answer({"hits": [hit_value(hit) for hit in found.hits], "more": found.more})

    @router.post("/measure")
    async def measure(request: Request) -> Response:
        turn = await next_turn(chat, await read_object(request, TURN_FIELDS))
        measurement = await measure_turn(chat, turn)
        return json_answer(asdict(measurement))

    @router.delete("/notices/{notice_id}")
    async def read_notice(notice_id: str) -> Response:
        chat.notices.remove(notice_id)
        return Response(status_code=204)

    @router.post("/engine/restart")
    async def restart() -> Response:
        await chat.engine.restart()
        return json_answer({}, 202)

    return router
