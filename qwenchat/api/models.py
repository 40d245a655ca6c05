"""The page's requests about models (docs/page-protocol.md, REST)."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from qwenchat.api.answers import json_answer
from qwenchat.api.bodies import number_field, read_object, switch_field, text_field
from qwenchat.api.model_values import check_value, download_value, offers_value
from qwenchat.errors import InvalidRequest
from qwenchat.hosting.models import Models


def model_routes(models: Models) -> APIRouter:
    """Seeing, judging, choosing, checking, deleting."""
    router = APIRouter(prefix="/api")

    @router.get("/models")
    async def look() -> Response:
        offers = await models.offers()
        value = offers_value(offers, offline=models.offline, can_reveal=models.can_reveal)
        return json_answer(value)

    @router.post("/models/check")
    async def check(request: Request) -> Response:
        return json_answer(check_value(await models.check(await _model_of(request))))

    @router.put("/model")
    async def switch(request: Request) -> Response:
        body = await read_object(request, ("model", "context_length", "dtype"))
        dtype = text_field(body, "dtype") or "auto"
        await models.switch(model_field(body), number_field(body, "context_length"), dtype)
        return json_answer({}, 202)

    @router.post("/models/delete")
    async def delete(request: Request) -> Response:
        return json_answer({"freed_bytes": await models.delete(await _model_of(request))})

    @router.post("/models/verify")
    async def verify(request: Request) -> Response:
        await models.verify(await _model_of(request))
        return json_answer({}, 202)

    @router.post("/models/verify/cancel")
    async def cancel_verification(request: Request) -> Response:
        await read_object(request, ())
        await models.cancel_verification()
        return Response(status_code=204)

    @router.post("/models/reveal")
    async def reveal(request: Request) -> Response:
        await models.reveal(await _model_of(request))
        return Response(status_code=204)

    return router


def download_routes(models: Models) -> APIRouter:
    """Downloads, from their start to their end."""
    router = APIRouter(prefix="/api/downloads")

    @router.post("")
    async def start(request: Request) -> Response:
        body = await read_object(request, ("model", "check"))
        started = await models.start_download(
            model_field(body), check=switch_field(body, "check") or False
        )
        return json_answer(download_value(started), 202)

    @router.post("/pause")
    async def pause(request: Request) -> Response:
        return json_answer(download_value(await models.pause_download(await _model_of(request))))

    @router.post("/resume")
    async def resume(request: Request) -> Response:
        return json_answer(download_value(models.resume_download(await _model_of(request))))

    @router.post("/cancel")
    async def cancel(request: Request) -> Response:
        return json_answer(download_value(await models.cancel_download(await _model_of(request))))

    return router


async def _model_of(request: Request) -> str:
    return model_field(await read_object(request, ("model",)))


def model_field(body: dict[str, Any]) -> str:
    """What ``model`` names, without the blanks around it.

    Raises:
        InvalidRequest: It is missing, empty or no text.
    """
    value = (text_field(body, "model") or "").strip()
    if not value:
        raise InvalidRequest(
            "Give a model: an id such as Qwen/Qwen2.5-0.5B-Instruct, or the path of a folder.",
            param="model",
        )
    return value
