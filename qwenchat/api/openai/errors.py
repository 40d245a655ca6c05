"""Errors as OpenAI's clients know them."""

from __future__ import annotations

from typing import Any

from qwenchat.errors import QwenChatError

RETRY_SECONDS = {429: 5, 503: 5}
"""What ``Retry-After`` says with a status; a chat's answer takes about that long."""
_TYPES = {401: "authentication_error", 403: "permission_error", 429: "rate_limit_error"}


def error_body(message: str, status: int, code: str, param: str | None = None) -> dict[str, Any]:
    """``{"error": {"message", "type", "param", "code"}}``."""
    kind = "server_error" if status >= 500 else _TYPES.get(status, "invalid_request_error")
    return {"error": {"message": message, "type": kind, "param": param, "code": code}}


def body_of(error: QwenChatError) -> dict[str, Any]:
    """The body that tells ``error``."""
    return error_body(error.message, error.http_status, error.code, error.param)


def headers_of(status: int) -> dict[str, str]:
    """The headers that belong to an error of this status."""
    if status in RETRY_SECONDS:
        return {"retry-after": str(RETRY_SECONDS[status])}
    return {"www-authenticate": "Bearer"} if status == 401 else {}
