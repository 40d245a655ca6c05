"""The doctor's report over HTTP."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import Future

from fastapi import APIRouter
from starlette.responses import Response

from qwenchat.api.answers import json_answer
from qwenchat.api.values import Value
from qwenchat.doctor.checkup import report
from qwenchat.settings import Settings


def doctor_routes(settings: Settings) -> APIRouter:
    """The report of ``python -m qwenchat doctor --no-token --json``."""
    router = APIRouter()
    doctor = _Doctor(settings)

    @router.get("/api/doctor")
    async def look() -> Response:
        return json_answer(await doctor.report())

    return router


class _Doctor:
    """Looks at everything, once for all who ask meanwhile."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._running: Future[Value] | None = None

    async def report(self) -> Value:
        if self._running is None or self._running.done():
            self._running = Future()
            # Not of a pool, whose threads the end of the app would wait for: this takes 10 s
            # and more.
            threading.Thread(
                target=self._look, args=(self._running,), name="doctor", daemon=True
            ).start()
        return await asyncio.shield(asyncio.wrap_future(self._running))

    def _look(self, found: Future[Value]) -> None:
        try:
            found.set_result(report(self._settings, with_token=False).as_dict())
        except BaseException as error:
            found.set_exception(error)
