"""Our nouns as the JSON values of the page's protocol (docs/page-protocol.md)."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from qwenchat.chat.conversations import Conversation, Message, Progress
from qwenchat.chat.service import Chat
from qwenchat.engine.seam import Engine

Value = dict[str, Any]


def summary_value(chat: Chat, conversation: Conversation) -> Value:
    """A conversation as the list shows it."""
    return {
        "id": conversation.id,
        "title": conversation.title,
        "updated_at": conversation.updated_at,
        "running": chat.is_running(conversation.id),
    }


def summaries_value(chat: Chat) -> list[Value]:
    """The whole list, newest first."""
    return [summary_value(chat, conversation) for conversation in chat.conversations]


def conversation_value(chat: Chat, conversation: Conversation) -> Value:
    """A conversation with the messages of the path that is shown."""
    return summary_value(chat, conversation) | {
        "system_prompt": conversation.system_prompt,
        "sampling": conversation.sampling,
        "messages": [message_value(message) for message in conversation.path()],
    }


def message_value(message: Message) -> Value:
    """One message as it is now."""
    timings = None
    if message.timings and message.usage:
        rate = message.timings.tokens_per_second(message.usage.completion_tokens)
        timings = asdict(message.timings) | {"tokens_per_second": rate}
    return {
        "id": message.id,
        "role": message.role,
        "content": message.content,
        "created_at": message.created_at,
        "state": message.state,
        "finish_reason": message.finish_reason,
        "error": error_value(message.error),
        "usage": asdict(message.usage) if message.usage else None,
        "timings": timings,
        "progress": progress_value(message.progress),
    }


def progress_value(progress: Progress | None) -> Value | None:
    """How far a reply is; None for one that has ended."""
    return asdict(progress) if progress else None


def engine_value(engine: Engine) -> Value:
    """What can be said of the engine now."""
    status = engine.status
    return {
        "state": status.state,
        "model": status.model,
        "model_note": status.model_note,
        "stage": status.stage,
        "done": status.done,
        "total": status.total,
        "context_length": status.ready.context_length if status.ready else None,
        "defaults": engine.defaults.as_dict() if status.ready else None,
        "error": error_value(status.error),
        "retry_in_seconds": status.retry_in_seconds,
    }


def error_value(error: tuple[str, str] | None) -> Value | None:
    """``(code, message)`` as an object."""
    return {"code": error[0], "message": error[1]} if error else None
