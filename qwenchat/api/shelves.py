"""The page's requests about personas and presets (docs/page-protocol.md, REST)."""

from __future__ import annotations

from datetime import datetime

import orjson
from fastapi import APIRouter, Request
from starlette.responses import Response

from qwenchat.api.answers import json_answer
from qwenchat.api.bodies import read_any_object, read_object
from qwenchat.api.shelf_feed import kept_value
from qwenchat.chat.shelf import Shelf


def shelf_routes(prefix: str, shelf: Shelf) -> APIRouter:
    """Routes below ``prefix`` that read and change what ``shelf`` holds."""
    router = APIRouter(prefix=prefix)
    fields = shelf.kind.fields

    @router.get("")
    async def list_all() -> Response:
        return json_answer({shelf.kind.shelf: [kept_value(kept) for kept in shelf.all()]})

    @router.post("")
    async def add(request: Request) -> Response:
        return json_answer(kept_value(await shelf.add(await read_object(request, fields))), 201)

    @router.get("/export")
    async def export(request: Request) -> Response:
        keys = list(dict.fromkeys(request.query_params.getlist("id")))
        text = orjson.dumps(shelf.export(keys), option=orjson.OPT_INDENT_2)
        name = f"qwenchat-{shelf.kind.shelf}-{datetime.now():%Y-%m-%d}.json"
        headers = {"content-disposition": f'attachment; filename="{name}"'}
        return Response(text, media_type="application/json", headers=headers)

    @router.post("/import")
    async def import_(request: Request) -> Response:
        kept = await shelf.import_(await read_any_object(request))
        return json_answer({shelf.kind.shelf: [kept_value(one) for one in kept]}, 201)

    @router.put("/{key}")
    async def replace(key: str, request: Request) -> Response:
        return json_answer(kept_value(await shelf.replace(key, await read_object(request, fields))))

    @router.delete("/{key}")
    async def delete(key: str) -> Response:
        await shelf.delete(key)
        return Response(status_code=204)

    @router.post("/{key}/restore")
    async def restore(key: str) -> Response:
        return json_answer(kept_value(await shelf.restore(key)))

    return router
