"""What the model reads of a conversation: pure functions from messages to a prompt."""

from __future__ import annotations

from collections.abc import Sequence

from qwenchat.chat.conversations import Message
from qwenchat.errors import ContextLengthExceeded
from qwenchat.types import ChatMessage


def build_prompt(system_prompt: str, path: Sequence[Message]) -> tuple[ChatMessage, ...]:
    """The system prompt and every message of ``path`` that says something to the model.

    Left out are answers without text, and a question that was refused for its length:
    it would make every later prompt too long as well.
    """
    prompt = [ChatMessage("system", system_prompt)] if system_prompt.strip() else []
    for message, answer in zip(path, [*path[1:], None], strict=True):
        if message.role == "assistant" and not message.content:
            continue
        if answer is not None and _refused_for_length(answer):
            continue
        prompt.append(ChatMessage(message.role, message.content))
    return tuple(prompt)


def _refused_for_length(answer: Message) -> bool:
    code = answer.error[0] if answer.error else None
    return code == ContextLengthExceeded.code and not answer.content
