"""Our nouns as the JSON values of the page's protocol (docs/page-protocol.md)."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from qwenchat.chat.context import start_of
from qwenchat.chat.conversations import Conversation, Message, Progress
from qwenchat.chat.imports import Import
from qwenchat.chat.notices import Notice
from qwenchat.chat.service import Chat
from qwenchat.chat.thinking import shown_thoughts
from qwenchat.chat.thinking_mode import AUTO, WISHES, mode_of
from qwenchat.engine.seam import Engine
from qwenchat.store.rows import Attachment, Summary
from qwenchat.store.search import Hit, pieces

Value = dict[str, Any]


def summary_value(chat: Chat, summary: Summary) -> Value:
    """A conversation as the list shows it."""
    return {
        "id": summary.id,
        "title": summary.title,
        "updated_at": summary.updated_at,
        "pinned": summary.pinned,
        "running": chat.is_running(summary.id),
    }


def conversation_value(
    chat: Chat, conversation: Conversation, limit: int | None = None, from_id: str | None = None
) -> Value:
    """A conversation with the messages of the path that is shown.

    Args:
        limit: How many of them, from the end; None is all, 0 leaves them out altogether.
        from_id: The first one that is wanted, where that makes them more.
    """
    value = {
        "id": conversation.id,
        "title": conversation.title,
        "updated_at": conversation.updated_at,
        "pinned": conversation.pinned,
        "running": chat.is_running(conversation.id),
        "temporary": conversation.temporary,
        "system_prompt": conversation.system_prompt,
        "sampling": conversation.sampling,
        "thinking": conversation.thinking or AUTO,
        "thinking_budget": conversation.thinking_budget,
        "persona": conversation.persona or "",
        "reply_language": conversation.reply_language,
    }
    if limit == 0:
        return value
    path = conversation.path()
    earlier = 0 if limit is None else max(0, len(path) - limit)
    if earlier and from_id:
        places = (at for at, message in enumerate(path[:earlier]) if message.id == from_id)
        earlier = next(places, earlier)
    left_out = start_of(path)
    return value | {
        "earlier": earlier,
        "left_out": left_out,
        "first_read_id": path[left_out].id if left_out else None,
        "messages": [message_value(conversation, message) for message in path[earlier:]],
    }


def message_value(conversation: Conversation, message: Message) -> Value:
    """One message as it is now."""
    timings = None
    if message.timings and message.usage:
        rate = message.timings.tokens_per_second(message.usage.completion_tokens)
        timings = asdict(message.timings) | {"tokens_per_second": rate}
    return {
        "id": message.id,
        "parent_id": message.parent_id,
        "role": message.role,
        "content": message.content,
        "thoughts": shown_thoughts(message.thoughts, ended=message.state != "streaming"),
        "thinking_seconds": message.thinking_seconds,
        "created_at": message.created_at,
        "state": message.state,
        "versions": conversation.versions(message),
        "edited": message.edited,
        "finish_reason": message.finish_reason,
        "context_full": message.context_full,
        "error": error_value(message.error),
        "usage": asdict(message.usage) if message.usage else None,
        "timings": timings,
        "model": message.model,
        "sampling": message.sampling,
        "progress": progress_value(message.progress),
        "attachments": [attachment_value(one) for one in message.attachments],
    }


def attachment_value(file: Attachment) -> Value:
    """A file without its text, and the range of it that the model reads."""
    return {
        "id": file.id,
        "name": file.name,
        "kind": file.kind,
        "size": file.size,
        "characters": len(file.text),
        "unit": file.unit,
        "count": file.count,
        "from": file.first,
        "to": file.last,
        "cut": file.cut,
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
        "weights": status.ready.weights if status.ready else None,
        **_thinking_values(engine),
        "error": error_value(status.error),
        "retry_in_seconds": status.retry_in_seconds,
    }


def _thinking_values(engine: Engine) -> Value:
    """Whether the model thinks, and its sampling; for one that has the choice, both ways."""
    ready = engine.status.ready
    if ready is None:
        return {"thinking": None, "thinks": False, "defaults": None, "defaults_by_thinking": None}
    style = ready.thinking
    usual = mode_of(style, None, engine.defaults)
    ways: Value | None = None
    if style.kind == "hybrid":
        modes = {wish: mode_of(style, wish, engine.defaults) for wish in WISHES}
        ways = {wish: mode.defaults.as_dict() for wish, mode in modes.items()}
    return {
        "thinking": style.kind,
        "thinks": usual.form != "plain",
        "defaults": usual.defaults.as_dict(),
        "defaults_by_thinking": ways,
    }


def error_value(error: tuple[str, str] | None) -> Value | None:
    """``(code, message)`` as an object."""
    return {"code": error[0], "message": error[1]} if error else None


def notice_value(notice: Notice) -> Value:
    """A notice; there is one of each kind, so the kind is its id."""
    return {"id": notice.kind, "kind": notice.kind, "message": notice.message}


def import_value(found: Import | None) -> Value | None:
    """How far an import is."""
    if found is None:
        return None
    return asdict(found) | {"error": error_value(found.error)}


def hit_value(hit: Hit) -> Value:
    """A conversation that a search found, its texts cut into hits and what is between."""
    return {
        "conversation_id": hit.conversation_id,
        "title": list(pieces(hit.title, hit.title_places)),
        "updated_at": hit.updated_at,
        "message_id": hit.message_id,
        "snippet": list(pieces(hit.snippet, hit.snippet_places)),
    }
