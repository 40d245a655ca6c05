"""The page's requests about conversations as wholes (docs/page-protocol.md, REST)."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from qwenchat.api.answers import json_answer
from qwenchat.api.bodies import (
    language_field,
    number_field,
    object_field,
    persona_field,
    read_object,
    switch_field,
    text_field,
    thinking_field,
)
from qwenchat.api.values import conversation_value, summary_value
from qwenchat.chat.service import Chat
from qwenchat.errors import InvalidRequest
from qwenchat.store.listing import list_summaries

SETTINGS_FIELDS = (
    "system_prompt",
    "sampling",
    "persona",
    "reply_language",
    "thinking",
    "thinking_budget",
)
LARGEST_PAGE = 1000


def conversation_routes(chat: Chat) -> APIRouter:
    """Routes that read and change the conversations of ``chat``."""
    router = APIRouter(prefix="/api/conversations")

    @router.get("")
    async def list_conversations(request: Request) -> Response:
        limit = limit_of(request, 100)
        cursor = request.query_params.get("cursor")
        page = await chat.read(list_summaries, limit=limit, cursor=cursor)
        return json_answer(
            {
                "conversations": [summary_value(chat, summary) for summary in page.items],
                "cursor": page.cursor,
                "total": page.total,
            }
        )

    @router.post("")
    async def create(request: Request) -> Response:
        body = await read_object(request, (*SETTINGS_FIELDS, "temporary"))
        conversation = await chat.create(
            text_field(body, "system_prompt") or "",
            object_field(body, "sampling"),
            temporary=switch_field(body, "temporary") or False,
            thinking=None if (wish := thinking_field(body)) == "same" else wish,
            thinking_budget=number_field(body, "thinking_budget"),
            persona=persona_field(body),
            reply_language=language_field(body) or "auto",
        )
        return json_answer(conversation_value(chat, conversation), 201)

    @router.get("/{conversation_id}")
    async def read(conversation_id: str) -> Response:
        conversation = await chat.conversations.get(conversation_id)
        return json_answer(conversation_value(chat, conversation))

    @router.patch("/{conversation_id}")
    async def update(conversation_id: str, request: Request) -> Response:
        body = await read_object(request, ("title", "pinned", *SETTINGS_FIELDS))
        conversation = await chat.update(
            conversation_id,
            title=text_field(body, "title"),
            pinned=switch_field(body, "pinned"),
            thinking=thinking_field(body),
            thinking_budget=(
                number_field(body, "thinking_budget") if "thinking_budget" in body else "same"
            ),
            system_prompt=text_field(body, "system_prompt"),
            sampling=object_field(body, "sampling"),
            persona=persona_field(body),
            reply_language=language_field(body),
        )
        return json_answer(conversation_value(chat, conversation, limit=0))

    @router.delete("/{conversation_id}")
    async def delete(conversation_id: str) -> Response:
        await chat.delete(conversation_id)
        return Response(status_code=204)

    @router.post("/{conversation_id}/restore")
    async def restore(conversation_id: str) -> Response:
        conversation = await chat.restore(conversation_id)
        return json_answer(conversation_value(chat, conversation, limit=0))

    @router.post("/{conversation_id}/fork")
    async def fork(conversation_id: str, request: Request) -> Response:
        body = await read_object(request, ("message_id",))
        message_id = text_field(body, "message_id")
        if message_id is None:
            raise InvalidRequest("The field message_id is missing.", param="message_id")
        return json_answer(
            conversation_value(chat, await chat.fork(conversation_id, message_id)), 201
        )

    @router.post("/{conversation_id}/summarize")
    async def summarize(conversation_id: str) -> Response:
        fresh = await chat.turns.summarize(conversation_id)
        return json_answer(conversation_value(chat, fresh), 201)

    return router


def limit_of(request: Request, usual: int) -> int:
    """``limit`` in a query: how many are wanted at most.

    Raises:
        InvalidRequest: It is no number from 1 to :data:`LARGEST_PAGE`.
    """
    value = request.query_params.get("limit", str(usual))
    # Short ones only: Python refuses numbers of thousands of digits its own way.
    if value.isascii() and value.isdigit() and len(value) < 10 and 1 <= int(value) <= LARGEST_PAGE:
        return int(value)
    raise InvalidRequest(f"limit must be a number from 1 to {LARGEST_PAGE}.", param="limit")
