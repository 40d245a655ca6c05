"""The page's requests about files for messages (docs/page-protocol.md, REST)."""

from __future__ import annotations

import contextlib
import os
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

from fastapi import APIRouter, Request
from starlette.requests import ClientDisconnect
from starlette.responses import Response

from qwenchat.api.answers import json_answer
from qwenchat.api.bodies import TURN_FIELDS, next_turn, read_object
from qwenchat.api.values import Value, attachment_value
from qwenchat.chat.attachments import chosen_text
from qwenchat.chat.meter import fit_file, tokens_of_file
from qwenchat.chat.service import Chat
from qwenchat.errors import InvalidRequest, TooLarge
from qwenchat.files.sections import checked_range
from qwenchat.store.rows import Attachment

FILES_PATH = "/api/files"
MOST_BYTES = 50 * 2**20
PREVIEW_CHARACTERS = 400


def file_routes(chat: Chat) -> APIRouter:
    """Routes that take in files of ``chat`` and tell of them."""
    router = APIRouter(prefix=FILES_PATH)

    @router.post("")
    async def add(request: Request) -> Response:
        name = request.query_params.get("name", "")[:1000]
        temporary = request.query_params.get("temporary") == "1"
        async with _received(request) as path:
            file = await chat.uploads.add(path, name, temporary=temporary)
        return json_answer({"file": await _file_value(chat, file)}, 201)

    @router.get("/{file_id}")
    async def read(file_id: str, request: Request) -> Response:
        file = await chat.uploads.get(file_id, _conversation(request))
        return json_answer({"file": await _file_value(chat, file)})

    @router.get("/{file_id}/text")
    async def text(file_id: str, request: Request) -> Response:
        file = await _section(chat, file_id, request)
        # All of it as it is kept, with the breaks between pages.
        is_all = file.first is None and file.last is None
        return json_answer({"text": file.text if is_all else chosen_text(file)})

    @router.get("/{file_id}/tokens")
    async def tokens(file_id: str, request: Request) -> Response:
        file = await _section(chat, file_id, request)
        return json_answer({"tokens": await tokens_of_file(chat, file)})

    @router.post("/{file_id}/fit")
    async def fit(file_id: str, request: Request) -> Response:
        turn = await next_turn(chat, await read_object(request, TURN_FIELDS))
        if all(one.id != file_id for one in turn.attachments):
            raise InvalidRequest("The file is none of the turn's files.", param="files")
        return json_answer({"to": await fit_file(chat, turn, file_id)})

    @router.delete("/{file_id}")
    async def delete(file_id: str) -> Response:
        await chat.uploads.delete(file_id)
        return Response(status_code=204)

    return router


async def _file_value(chat: Chat, file: Attachment) -> Value:
    value = attachment_value(file)
    tokens = await tokens_of_file(chat, file)
    return value | {"tokens": tokens, "preview": file.text[:PREVIEW_CHARACTERS]}


async def _section(chat: Chat, file_id: str, request: Request) -> Attachment:
    """The file with the range that the address names."""
    file = await chat.uploads.get(file_id, _conversation(request))
    first, last = _place(request, "from"), _place(request, "to")
    first, last = checked_range(first, last, file.count)
    return replace(file, first=first, last=last)


def _conversation(request: Request) -> str | None:
    return request.query_params.get("conversation_id")


def _place(request: Request, name: str) -> int | None:
    value = request.query_params.get(name)
    if value is None:
        return None
    if not (value.isascii() and value.isdigit() and len(value) <= 9):
        raise InvalidRequest(f"{name} must be a whole number.", param=name)
    return int(value)


@contextlib.asynccontextmanager
async def _received(request: Request) -> AsyncIterator[Path]:
    """The body as a file in memory, for as long as the block lasts.

    In memory, because nothing of a temporary chat may be written, and what was read of a
    file is all that is kept of any.

    Raises:
        TooLarge: It has more bytes than are read.
        InvalidRequest: It is empty, or broke off.
    """
    if int(request.headers.get("content-length", 0)) > MOST_BYTES:
        raise _too_large()
    descriptor = os.memfd_create("upload")
    try:
        size = 0
        with open(descriptor, "wb", buffering=0, closefd=False) as file:
            async for chunk in request.stream():
                size += len(chunk)
                if size > MOST_BYTES:
                    raise _too_large()
                file.write(chunk)
        if not size:
            raise InvalidRequest("The file is empty. Choose another one.", param="file")
        yield Path(f"/proc/{os.getpid()}/fd/{descriptor}")
    except ClientDisconnect:
        raise InvalidRequest("The file broke off. Send it again.", param="file") from None
    finally:
        os.close(descriptor)


def _too_large() -> TooLarge:
    return TooLarge(
        f"The file is larger than {MOST_BYTES // 2**20} MiB, the most that is read. Save the part "
        "you need as a file of its own, then add that.",
        param="file",
    )
