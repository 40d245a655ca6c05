"""Errors as HTTP answers: one body for all of them."""

from __future__ import annotations

from logging import getLogger

from fastapi import FastAPI, Request
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response

from qwenchat.errors import QwenChatError

_log = getLogger(__name__)


def error_response(error: QwenChatError) -> Response:
    """``{"error": {"code", "message", "param"}}`` with the status of the error's class."""
    return JSONResponse({"error": error.as_dict()}, error.http_status)


def install_error_handlers(app: FastAPI) -> None:
    """Make every failure of a route an answer of that shape."""

    @app.exception_handler(QwenChatError)
    async def ours(request: Request, error: QwenChatError) -> Response:
        return error_response(error)

    @app.exception_handler(HTTPException)
    async def http(request: Request, error: HTTPException) -> Response:
        code, message = "http_error", f"{error.detail}."
        if error.status_code == 404:
            code, message = "not_found", f"There is nothing at {request.url.path}."
        elif error.status_code == 405:
            code = "method_not_allowed"
            message = f"{request.url.path} does not take {request.method} requests."
        body = {"error": {"code": code, "message": message, "param": None}}
        return JSONResponse(body, error.status_code, error.headers)

    @app.exception_handler(Exception)
    async def unexpected(request: Request, error: Exception) -> Response:
        # The traceback goes to the log by the server, which sees the exception as well.
        return error_response(
            QwenChatError(
                "Something went wrong inside QwenChat; the log has the details. Try again, and "
                "restart the app if it happens again."
            )
        )
