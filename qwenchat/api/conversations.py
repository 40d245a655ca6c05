"""The page's requests about conversations (docs/page-protocol.md, REST)."""

from __future__ import annotations

from typing import Any

import orjson
from fastapi import APIRouter, Request
from starlette.responses import Response

from qwenchat.api.bodies import object_field, read_object, text_field
from qwenchat.api.values import conversation_value, message_value, summaries_value
from qwenchat.chat.service import Chat
from qwenchat.errors import InvalidRequest

SETTINGS_FIELDS = ("system_prompt", "sampling")


def _json(value: Any, status: int = 200) -> Response:
    return Response(orjson.dumps(value), status, media_type="application/json")


def conversation_routes(chat: Chat) -> APIRouter:
    """Routes that read and change the conversations of ``chat``."""
    router = APIRouter(prefix="/api")

    @router.get("/conversations")
    async def list_conversations() -> Response:
        return _json({"conversations": summaries_value(chat)})

    @router.post("/conversations")
    async def create(request: Request) -> Response:
        body = await read_object(request, SETTINGS_FIELDS)
        conversation_id = chat.create(
            text_field(body, "system_prompt") or "", object_field(body, "sampling")
        )
        return _conversation(conversation_id, 201)

    @router.get("/conversations/{conversation_id}")
    async def read(conversation_id: str) -> Response:
        return _conversation(conversation_id)

    @router.patch("/conversations/{conversation_id}")
    async def update(conversation_id: str, request: Request) -> Response:
        body = await read_object(request, ("title", *SETTINGS_FIELDS))
        chat.update(
            conversation_id,
            title=text_field(body, "title"),
            system_prompt=text_field(body, "system_prompt"),
            sampling=object_field(body, "sampling"),
        )
        return _conversation(conversation_id)

    @router.delete("/conversations/{conversation_id}")
    async def delete(conversation_id: str) -> Response:
        await chat.delete(conversation_id)
        return Response(status_code=204)

    @router.post("/conversations/{conversation_id}/messages")
    async def send(conversation_id: str, request: Request) -> Response:
        body = await read_object(request, ("content",))
        content = text_field(body, "content")
        if content is None:
            raise InvalidRequest("The field content is missing.", param="content")
        user, assistant = await chat.send(conversation_id, content)
        return _json({"user": message_value(user), "assistant": message_value(assistant)}, 202)

    @router.post("/conversations/{conversation_id}/stop")
    async def stop(conversation_id: str) -> Response:
        chat.conversations.get(conversation_id)
        await chat.stop(conversation_id)
        return _json({}, 202)

    @router.post("/conversations/{conversation_id}/regenerate")
    async def regenerate(conversation_id: str) -> Response:
        assistant = await chat.regenerate(conversation_id)
        return _json({"assistant": message_value(assistant)}, 202)

    @router.post("/engine/restart")
    async def restart() -> Response:
        await chat.engine.restart()
        return _json({}, 202)

    def _conversation(conversation_id: str, status: int = 200) -> Response:
        conversation = chat.conversations.get(conversation_id)
        return _json(conversation_value(chat, conversation), status)

    return router
