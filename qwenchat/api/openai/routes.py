"""The OpenAI-compatible API as routes (docs/api.md)."""

from __future__ import annotations

import time
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from qwenchat.api.answers import json_answer
from qwenchat.api.openai.chat import answer_chat
from qwenchat.api.openai.completions import answer_completion
from qwenchat.api.openai.requests import check_model, check_ready
from qwenchat.engine.seam import Engine


def openai_routes(engine: Engine) -> APIRouter:
    """``/v1/models``, ``/v1/chat/completions`` and ``/v1/completions``."""
    router = APIRouter(prefix="/v1")
    created = int(time.time())

    def loaded_model() -> dict[str, Any]:
        ready = engine.status.ready
        return {
            "id": engine.status.model,
            "object": "model",
            "created": created,
            "owned_by": "qwenchat",
            "max_model_len": ready.context_length if ready else None,
        }

    @router.get("/models")
    async def models() -> Response:
        check_ready(engine)
        return json_answer({"object": "list", "data": [loaded_model()]})

    @router.get("/models/{name:path}")
    async def model(name: str) -> Response:
        check_ready(engine)
        check_model(name, engine)
        return json_answer(loaded_model())

    @router.post("/chat/completions")
    async def chat(request: Request) -> Response:
        return await answer_chat(engine, request)

    @router.post("/completions")
    async def completions(request: Request) -> Response:
        return await answer_completion(engine, request)

    return router
