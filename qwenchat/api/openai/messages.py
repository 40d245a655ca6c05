"""OpenAI's chat messages as ours."""

from __future__ import annotations

from typing import Any

from qwenchat.errors import InvalidRequest
from qwenchat.types import ChatMessage, Role

_ROLES: dict[str, Role] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "assistant": "assistant",
}


def read_messages(value: Any) -> tuple[ChatMessage, ...]:
    """The messages of a request.

    Raises:
        InvalidRequest: It is no list of messages of text; ``param`` names the place.
    """
    if not isinstance(value, list) or not value:
        raise InvalidRequest(
            "messages must be a list with at least one message, as in "
            '[{"role": "user", "content": "Hello"}].',
            param="messages",
        )
    return tuple(_read_message(item, f"messages[{place}]") for place, item in enumerate(value))


def _read_message(value: Any, place: str) -> ChatMessage:
    if not isinstance(value, dict):
        raise InvalidRequest(f"{place} must be a JSON object.", param=place)
    role = value.get("role")
    if not isinstance(role, str) or role not in _ROLES:
        raise InvalidRequest(
            f"{place}.role must be one of {', '.join(_ROLES)}.", param=f"{place}.role"
        )
    return ChatMessage(_ROLES[role], _read_content(value.get("content"), f"{place}.content"))


def _read_content(value: Any, place: str) -> str:
    if isinstance(value, str):
        return value
    if not isinstance(value, list):
        raise InvalidRequest(f"{place} must be text, or a list of text parts.", param=place)
    return "".join(_read_part(part, f"{place}[{index}]") for index, part in enumerate(value))


def _read_part(value: Any, place: str) -> str:
    text = value.get("text") if isinstance(value, dict) and value.get("type") == "text" else None
    if not isinstance(text, str):
        raise InvalidRequest(
            f'{place} must be {{"type": "text", "text": "..."}}: the model reads text only.',
            param=place,
        )
    return text
