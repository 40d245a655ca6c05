"""What the model reads of a conversation: pure functions from messages to a prompt."""

from __future__ import annotations

from collections.abc import Sequence

from qwenchat.chat.attachments import text_to_read
from qwenchat.chat.conversations import Message
from qwenchat.errors import ContextLengthExceeded
from qwenchat.store.rows import ReplyLanguage
from qwenchat.types import ChatMessage

LANGUAGE_SENTENCES: dict[ReplyLanguage, str] = {
    "zh": "请始终用中文回答。",
    "en": "Always answer in English.",
}
"""In the language they ask for, which small models follow best."""


def build_prompt(system_prompt: str, path: Sequence[Message]) -> tuple[ChatMessage, ...]:
    """The system prompt and every message of ``path`` that says something to the model.

    Left out are answers without text, what tools said in imported conversations, and a
    question that was refused for its length: it would make every later prompt too long as
    well. A conversation without a system prompt has that of its first message, if it was
    imported with one.
    """
    system_prompt = system_prompt_of(system_prompt, path)
    prompt = [ChatMessage("system", system_prompt)] if system_prompt.strip() else []
    for message, answer in zip(path, [*path[1:], None], strict=True):
        if message.role == "assistant":
            if message.content:
                prompt.append(ChatMessage("assistant", message.content))
        elif message.role == "user" and not (answer and _refused_for_length(answer)):
            said = text_to_read(message.content, message.attachments)
            prompt.append(ChatMessage("user", said))
    return tuple(prompt)


def system_prompt_of(system_prompt: str, path: Sequence[Message]) -> str:
    """``system_prompt``, or where there is none that of an imported conversation."""
    if path and path[0].role == "system" and not system_prompt.strip():
        return path[0].content
    return system_prompt


def told_language(system_prompt: str, reply_language: ReplyLanguage) -> str:
    """``system_prompt`` and the sentence that asks for answers in a language."""
    sentence = LANGUAGE_SENTENCES.get(reply_language)
    if sentence is None:
        return system_prompt
    return f"{system_prompt.rstrip()}\n\n{sentence}" if system_prompt.strip() else sentence


def turn_starts(path: Sequence[Message]) -> list[int]:
    """Where in ``path`` turns begin: at every message of the user."""
    return [index for index, message in enumerate(path) if message.role == "user"]


def _refused_for_length(answer: Message) -> bool:
    code = answer.error[0] if answer.error else None
    return code == ContextLengthExceeded.code and not answer.content
