"""The page's requests about turns and single messages (docs/page-protocol.md, REST)."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from qwenchat.api.answers import json_answer
from qwenchat.api.bodies import files_field, overflow_field, parent_field, read_object, text_field
from qwenchat.api.values import message_value
from qwenchat.chat.conversations import Message
from qwenchat.chat.service import Chat
from qwenchat.errors import InvalidRequest


def message_routes(chat: Chat) -> APIRouter:
    """Routes that send, answer and change messages of ``chat``."""
    router = APIRouter(prefix="/api/conversations/{conversation_id}")
    one = "/messages/{message_id}"

    async def value(conversation_id: str, message: Message) -> dict[str, Any]:
        return message_value(await chat.conversations.get(conversation_id), message)

    @router.post("/messages")
    async def send(conversation_id: str, request: Request) -> Response:
        body = await read_object(request, ("content", "parent_id", "overflow", "files"))
        user, assistant = await chat.turns.send(
            conversation_id,
            _content(body),
            parent_id=parent_field(body),
            overflow=overflow_field(body),
            attachments=await chat.uploads.choose(files_field(body), conversation_id),
        )
        answer = {
            "user": await value(conversation_id, user),
            "assistant": await value(conversation_id, assistant),
        }
        return json_answer(answer, 202)

    @router.post("/regenerate")
    async def regenerate(conversation_id: str, request: Request) -> Response:
        body = await read_object(request, ("message_id", "overflow"))
        assistant = await chat.turns.regenerate(
            conversation_id, text_field(body, "message_id"), overflow_field(body)
        )
        return json_answer({"assistant": await value(conversation_id, assistant)}, 202)

    @router.post("/stop")
    async def stop(conversation_id: str) -> Response:
        await chat.conversations.get(conversation_id)
        await chat.turns.stop(conversation_id)
        return json_answer({}, 202)

    @router.post(one + "/continue")
    async def continue_(conversation_id: str, message_id: str) -> Response:
        assistant = await chat.turns.continue_(conversation_id, message_id)
        return json_answer({"assistant": await value(conversation_id, assistant)}, 202)

    @router.put(one)
    async def edit(conversation_id: str, message_id: str, request: Request) -> Response:
        body = await read_object(request, ("content",))
        message = await chat.edits.edit_answer(conversation_id, message_id, _content(body))
        return json_answer({"message": await value(conversation_id, message)})

    @router.post(one + "/show")
    async def show(conversation_id: str, message_id: str) -> Response:
        await chat.edits.show(conversation_id, message_id)
        return json_answer({})

    @router.delete(one)
    async def delete(conversation_id: str, message_id: str) -> Response:
        return json_answer({"deleted": await chat.edits.delete(conversation_id, message_id)})

    @router.post(one + "/restore")
    async def restore(conversation_id: str, message_id: str) -> Response:
        await chat.edits.restore(conversation_id, message_id)
        return json_answer({})

    return router


def _content(body: dict[str, Any]) -> str:
    content = text_field(body, "content")
    if content is None:
        raise InvalidRequest("The field content is missing.", param="content")
    return content
