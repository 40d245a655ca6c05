"""JSON answers."""

from __future__ import annotations

from typing import Any

import orjson
from starlette.responses import Response


def json_answer(value: Any, status: int = 200) -> Response:
    """``value`` as an answer with ``status``."""
    return Response(orjson.dumps(value), status, media_type="application/json")
