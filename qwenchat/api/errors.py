"""Errors as HTTP answers: one body for the page, OpenAI's for the API below ``/v1/``."""

from __future__ import annotations

from logging import getLogger
from typing import Any

from fastapi import FastAPI, Request
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response

from qwenchat.api.openai.errors import body_of, error_body, headers_of
from qwenchat.api.openai.keys import API_PREFIX
from qwenchat.errors import QwenChatError

_log = getLogger(__name__)


def error_response(error: QwenChatError, path: str) -> Response:
    """``{"error": {"code", "message", "param"}}`` with the status of the error's class.

    Args:
        path: What was asked for; below ``/v1/`` the body is OpenAI's.
    """
    if path.startswith(API_PREFIX):
        return JSONResponse(body_of(error), error.http_status, headers_of(error.http_status))
    return JSONResponse({"error": error.as_dict()}, error.http_status)


def install_error_handlers(app: FastAPI) -> None:
    """Make every failure of a route an answer of that shape."""

    @app.exception_handler(QwenChatError)
    async def ours(request: Request, error: QwenChatError) -> Response:
        return error_response(error, request.url.path)

    @app.exception_handler(HTTPException)
    async def http(request: Request, error: HTTPException) -> Response:
        path = request.url.path
        code, message = "http_error", f"{error.detail}."
        if error.status_code == 404:
            code, message = "not_found", f"There is nothing at {path}."
        elif error.status_code == 405:
            code = "method_not_allowed"
            message = f"{path} does not take {request.method} requests."
        body: dict[str, Any] = {"error": {"code": code, "message": message, "param": None}}
        if path.startswith(API_PREFIX):
            body = error_body(message, error.status_code, code)
        return JSONResponse(body, error.status_code, error.headers)

    @app.exception_handler(Exception)
    async def unexpected(request: Request, error: Exception) -> Response:
        # The traceback goes to the log by the server, which sees the exception as well.
        return error_response(
            QwenChatError(
                "Something went wrong inside QwenChat; the log has the details. Try again, and "
                "restart the app if it happens again."
            ),
            request.url.path,
        )
