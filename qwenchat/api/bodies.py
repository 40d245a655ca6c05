"""Reading JSON bodies: every field checked, every complaint in plain words."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any, Literal

import orjson
from starlette.requests import Request

from qwenchat.chat.context import OVERFLOWS, Overflow
from qwenchat.chat.meter import NextTurn
from qwenchat.chat.service import Chat
from qwenchat.chat.thinking_mode import Wish, checked_wish
from qwenchat.chat.uploads import Choice
from qwenchat.errors import InvalidRequest
from qwenchat.store.columns import storable
from qwenchat.store.rows import REPLY_LANGUAGES, ReplyLanguage

_PERSONA = re.compile(r"[A-Za-z0-9_-]{0,64}")


TURN_FIELDS = (
    "conversation_id",
    "parent_id",
    "system_prompt",
    "sampling",
    "reply_language",
    "thinking",
    "content",
    "files",
)
"""Of a turn that is not sent yet."""


async def next_turn(chat: Chat, body: dict[str, Any]) -> NextTurn:
    """The turn that a body with ``TURN_FIELDS`` tells of.

    Raises:
        InvalidRequest: A field has not the shape it should.
        AttachedFileNotFound: One of its files is not there, or no longer.
    """
    conversation_id = text_field(body, "conversation_id")
    return NextTurn(
        text_field(body, "content") or "",
        conversation_id,
        parent_field(body),
        text_field(body, "system_prompt"),
        object_field(body, "sampling"),
        await chat.uploads.choose(files_field(body), conversation_id),
        language_field(body),
        thinking_field(body),
    )


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


def thinking_field(body: dict[str, Any]) -> Wish | Literal["same"]:
    """``thinking``: what is wanted of it, ``same`` where the field is missing.

    Raises:
        InvalidRequest: It is none of auto, on and off.
    """
    value = text_field(body, "thinking")
    return "same" if value is None else checked_wish(value)


def parent_field(body: dict[str, Any]) -> str | None | Literal["leaf"]:
    """``parent_id``: a message's id, None for a new beginning, ``leaf`` where it is missing.

    Raises:
        InvalidRequest: It is none of these.
    """
    value = body.get("parent_id", "leaf")
    if value is None or isinstance(value, str):
        return value
    raise InvalidRequest("parent_id must be the id of a message, or null.", param="parent_id")


def persona_field(body: dict[str, Any]) -> str | None:
    """``persona``: an id, "" for none, or None where the field is missing.

    Raises:
        InvalidRequest: It is no id.
    """
    value = text_field(body, "persona")
    if value is None or _PERSONA.fullmatch(value):
        return value
    raise InvalidRequest(
        "persona must be the id of a persona, as GET /api/personas lists them, or empty.",
        param="persona",
    )


def language_field(body: dict[str, Any]) -> ReplyLanguage | None:
    """``reply_language``: the language of the answers, or None where the field is missing.

    Raises:
        InvalidRequest: It is none of the choices.
    """
    value = body.get("reply_language")
    if value is None:
        return None
    for choice in REPLY_LANGUAGES:
        if value == choice:
            return choice
    raise InvalidRequest(
        f"reply_language must be one of {', '.join(REPLY_LANGUAGES)}.",
        param="reply_language",
    )


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


def files_field(body: dict[str, Any]) -> tuple[Choice, ...]:
    """``files``: which go along with a message, and ranges of them.

    Raises:
        InvalidRequest: It is no list of such.
    """
    value = body.get("files", [])
    if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
        raise InvalidRequest("files must be a list of objects.", param="files")
    return tuple(_file_choice(one) for one in value)


def _file_choice(value: dict[str, Any]) -> Choice:
    file_id = value.get("id")
    if not isinstance(file_id, str) or value.keys() - {"id", "from", "to"}:
        raise InvalidRequest(
            "Each of files has an id, and where only a part is meant from and to.", param="files"
        )
    return Choice(file_id, number_field(value, "from"), number_field(value, "to"))
