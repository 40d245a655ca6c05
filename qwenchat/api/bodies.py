"""Reading JSON bodies: every field checked, every complaint in plain words."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Literal

import orjson
from starlette.requests import Request

from qwenchat.chat.context import OVERFLOWS, Overflow
from qwenchat.errors import InvalidRequest
from qwenchat.store.columns import storable


async def read_object(request: Request, fields: Collection[str]) -> dict[str, Any]:
    """The body as a JSON object with no other fields than ``fields``; no body is ``{}``.

    Raises:
        InvalidRequest: It is no JSON object, or has an unknown field.
    """
    value = await read_any_object(request)
    for name in value:
        if name not in fields:
            known = ", ".join(fields) or "none"
            raise InvalidRequest(f"Unknown field {name!r}. Known: {known}.", param=name)
    return value


async def read_any_object(request: Request) -> dict[str, Any]:
    """The body as a JSON object, whatever its fields; no body is ``{}``.

    Raises:
        InvalidRequest: It is no JSON object.
    """
    body = await request.body()
    try:
        # Parsing holds the loop for about a millisecond a megabyte.
        value = orjson.loads(body) if body else {}
    except orjson.JSONDecodeError as error:
        raise InvalidRequest(f"The request body is not valid JSON: {error}.") from None
    if not isinstance(value, dict):
        raise InvalidRequest("The request body must be a JSON object.")
    return value


def text_field(body: dict[str, Any], name: str) -> str | None:
    """The text in a field as it can be kept, or None where the field is missing.

    Raises:
        InvalidRequest: It is no text.
    """
    value = body.get(name)
    if name in body and not isinstance(value, str):
        raise InvalidRequest(f"{name} must be text.", param=name)
    return None if value is None else storable(value)


def number_field(body: dict[str, Any], name: str) -> int | None:
    """The whole number in a field, or None where the field is missing or null.

    Raises:
        InvalidRequest: It is no whole number.
    """
    value = body.get(name)
    if value is None or type(value) is int:
        return value
    raise InvalidRequest(f"{name} must be a whole number.", param=name)


def object_field(body: dict[str, Any], name: str) -> dict[str, Any] | None:
    """The JSON object in a field, or None where the field is missing.

    Raises:
        InvalidRequest: It is no object.
    """
    value = body.get(name)
    if name in body and not isinstance(value, dict):
        raise InvalidRequest(f"{name} must be a JSON object.", param=name)
    return value


def switch_field(body: dict[str, Any], name: str) -> bool | None:
    """True or false in a field, or None where the field is missing.

    Raises:
        InvalidRequest: It is neither.
    """
    value = body.get(name)
    if name in body and not isinstance(value, bool):
        raise InvalidRequest(f"{name} must be true or false.", param=name)
    return value


def parent_field(body: dict[str, Any]) -> str | None | Literal["leaf"]:
    """``parent_id``: a message's id, None for a new beginning, ``leaf`` where it is missing.

    Raises:
        InvalidRequest: It is none of these.
    """
    value = body.get("parent_id", "leaf")
    if value is None or isinstance(value, str):
        return value
    raise InvalidRequest("parent_id must be the id of a message, or null.", param="parent_id")


def overflow_field(body: dict[str, Any]) -> Overflow:
    """``overflow``: what to do when a turn does not fit the context.

    Raises:
        InvalidRequest: It is none of the choices.
    """
    value = body.get("overflow", OVERFLOWS[0])
    for choice in OVERFLOWS:
        if value == choice:
            return choice
    raise InvalidRequest(f"overflow must be one of {', '.join(OVERFLOWS)}.", param="overflow")
