"""How a model thinks, and what of thinking its chat template must be told.

The style is found out by having the template make prompts, not by reading it: templates say
the same in many ways, and one may mention the tags for old answers alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from qwenchat.types import (
    CLOSING_TAG,
    OPENING_TAG,
    THINKING_SWITCH,
    ChatMessage,
    ThinkingStyle,
)

Render = Callable[[Mapping[str, Any]], str]
"""The text of a short prompt, made with more values for the template to know."""


def style_of(render: Render) -> ThinkingStyle:
    """The style of the model whose prompts ``render`` makes."""
    on, off = render({THINKING_SWITCH: True}), render({THINKING_SWITCH: False})
    if on != off:
        return ThinkingStyle("hybrid", _is_open(on), on_by_default=render({}) == on)
    return ThinkingStyle("thinking_only", True) if _is_open(on) else ThinkingStyle()


def template_message(message: ChatMessage) -> dict[str, str]:
    """A message as the chat template reads it.

    Qwen3's takes whatever stands before a closing tag for thoughts and leaves it out, also of
    an answer that explains these tags. Told that there were no thoughts, it leaves the answer
    as it is. One that begins with the tag is some other program's, thoughts and all.
    """
    value = {"role": message.role, "content": message.content}
    mentions = CLOSING_TAG in message.content
    if message.role == "assistant" and mentions and not message.content.startswith(OPENING_TAG):
        value["reasoning"] = ""
    return value


def _is_open(prompt: str) -> bool:
    return prompt.rstrip().endswith(OPENING_TAG)
