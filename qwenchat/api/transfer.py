"""Conversations as files: export as a download, import as an upload."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import time
from collections.abc import Iterator
from datetime import datetime
from itertools import chain
from pathlib import Path

from fastapi import APIRouter, Request
from starlette.requests import ClientDisconnect
from starlette.responses import Response, StreamingResponse

from qwenchat.api.answers import json_answer
from qwenchat.api.values import import_value
from qwenchat.chat.export import export_json, export_markdown
from qwenchat.chat.imports import Imports
from qwenchat.errors import ConversationNotFound, DiskFull, InvalidRequest
from qwenchat.store.database import Database
from qwenchat.store.stream import stream_conversations

IMPORT_PATH = "/api/import"
UPLOADS = "uploads"
"""Folder in the data folder where files lie while they are imported."""
BLOCK_CHARACTERS = 1 << 16
FORMATS = {"json": ("application/json", "json"), "markdown": ("text/markdown", "md")}


def transfer_routes(database: Database, imports: Imports, data_dir: Path) -> APIRouter:
    """Export from ``database``, and import into it through ``imports``."""
    router = APIRouter()
    folder = data_dir / UPLOADS
    _clear(folder)

    @router.get("/api/export")
    async def export(request: Request) -> Response:
        kind = request.query_params.get("format", "json")
        if kind not in FORMATS:
            raise InvalidRequest(f"format must be one of {', '.join(FORMATS)}.", param="format")
        ids = list(dict.fromkeys(request.query_params.getlist("id"))) or None
        found = stream_conversations(database, ids)
        # The first one before the answer begins, so that a problem is an error.
        first = await asyncio.to_thread(next, found, None)
        if first is None:
            raise ConversationNotFound(
                "There is no conversation to export. Choose one from the list."
            )
        found = chain([first], found)
        text = export_json(found, time.time()) if kind == "json" else export_markdown(found)
        media_type, ending = FORMATS[kind]
        name = f"qwenchat-{datetime.now():%Y-%m-%d}.{ending}"
        headers = {"content-disposition": f'attachment; filename="{name}"'}
        return StreamingResponse(_blocks(text), media_type=media_type, headers=headers)

    @router.post(IMPORT_PATH)
    async def import_(request: Request) -> Response:
        imports.check_free()
        path = await _received(request, folder)
        try:
            begun = imports.start(path, request.query_params.get("name", "")[:200])
        except BaseException:
            path.unlink()
            raise
        return json_answer({"import": import_value(begun)}, 202)

    @router.delete(IMPORT_PATH)
    async def cancel() -> Response:
        await imports.cancel()
        return Response(status_code=204)

    return router


def _blocks(pieces: Iterator[str]) -> Iterator[bytes]:
    """Small pieces together, because each block costs a change of threads."""
    block: list[str] = []
    size = 0
    for piece in pieces:
        block.append(piece)
        size += len(piece)
        if size >= BLOCK_CHARACTERS:
            yield "".join(block).encode()
            block, size = [], 0
    yield "".join(block).encode()


def _clear(folder: Path) -> None:
    """Remove what an import that was killed left behind."""
    with contextlib.suppress(OSError):
        for path in folder.iterdir():
            path.unlink()


async def _received(request: Request, folder: Path) -> Path:
    """The body as a file, written as it comes.

    Raises:
        DiskFull: It does not fit on the disk.
        InvalidRequest: It is empty, or broke off.
    """
    path = folder / secrets.token_hex(8)
    try:
        folder.mkdir(exist_ok=True)
        with path.open("wb") as file:
            async for chunk in request.stream():
                await asyncio.to_thread(file.write, chunk)
        if not path.stat().st_size:
            raise InvalidRequest("The file is empty. Choose another one.", param="file")
    except BaseException as error:
        with contextlib.suppress(OSError):
            path.unlink()
        if isinstance(error, OSError):
            raise DiskFull(
                f"The file cannot be stored to be imported: {error.strerror}. Make room in "
                f"{folder}, then try again."
            ) from error
        if isinstance(error, ClientDisconnect):
            raise InvalidRequest("The file broke off. Send it again.", param="file") from error
        raise
    return path
