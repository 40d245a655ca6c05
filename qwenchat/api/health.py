"""Whether the app runs, and whether it can answer."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter
from starlette.responses import JSONResponse, Response

from qwenchat.api.values import error_value
from qwenchat.engine.seam import Engine

OPEN_PATHS = frozenset({"/healthz", "/readyz"})
"""Paths a supervisor may ask without a login."""


def health_routes(engine: Engine) -> APIRouter:
    """``/healthz`` is 200 while the app runs; ``/readyz`` only while the engine is ready."""
    router = APIRouter()

    def health() -> dict[str, Any]:
        status = engine.status
        return {
            "state": "loading" if status.state == "restarting" else status.state,
            "model": status.model,
            "stage": status.stage,
            "error": error_value(status.error),
        }

    @router.get("/healthz")
    async def healthz() -> Response:
        return JSONResponse(health())

    @router.get("/readyz")
    async def readyz() -> Response:
        return JSONResponse(health(), 200 if engine.status.state == "ready" else 503)

    return router
