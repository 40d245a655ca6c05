"""A conversation of ChatGPT's data export as rows.

``mapping`` is a tree of nodes by id, each with its ``parent`` and perhaps a ``message``.
Nodes that show nothing are left out, and what is below them hangs on what is above.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from qwenchat.chat.import_values import (
    id_of,
    mapping_of,
    maybe_text,
    seconds_of,
    text_of,
    title_of,
    wrong,
)
from qwenchat.store.intake import derived_id
from qwenchat.store.rows import STORED_ROLES, ConversationRow, MessageRow
from qwenchat.store.tree import shown_leaf

_HIDDEN_KINDS = ("model_editable_context", "user_editable_context")
_KIND_NAMES = {
    "image_asset_pointer": "image",
    "audio_asset_pointer": "audio",
    "video_container_asset_pointer": "video",
    "real_time_user_audio_video_asset_pointer": "audio",
    "thoughts": "thoughts",
}


def chatgpt_conversation(
    loaded: Mapping[str, Any], now: float
) -> tuple[ConversationRow, list[MessageRow]]:
    """The rows of a conversation; what is no text becomes a note in brackets.

    Args:
        now: Seconds since 1970, for what tells no time.

    Raises:
        InvalidRequest: It has not the shape of one, nodes are above themselves, or no
            message is left.
    """
    nodes = {key: mapping_of(node, f"node {key}") for key, node in _mapping(loaded).items()}
    parents = _parents(nodes)
    created_at = seconds_of(loaded.get("create_time"), now)
    conversation_id = id_of(
        loaded.get("conversation_id") or loaded.get("id"), *sorted(nodes), str(created_at)
    )
    # Node ids repeat from one export to another ("client-created-root"), ours may not.
    ids = {key: derived_id(conversation_id, key) for key in nodes}

    messages: dict[str, MessageRow] = {}
    above: dict[str | None, str | None] = {None: None}
    for key in _from_the_root(parents):
        parent = parents[key]
        message = _message(nodes[key].get("message"), key)
        if message is None:
            above[key] = above[parent]
            continue
        role, content, written_at, model = message
        previous = above[parent]
        earlier = messages[previous].created_at if previous else created_at
        messages[ids[key]] = MessageRow(
            id=ids[key],
            conversation_id=conversation_id,
            role=role,
            content=content,
            created_at=seconds_of(written_at, earlier),
            parent_id=previous,
            model=model,
        )
        above[key] = ids[key]
    if not messages:
        raise wrong("it has no messages")
    rows = list(messages.values())
    newest = max(row.created_at for row in rows)
    current = loaded.get("current_node")
    shown = above.get(current) if isinstance(current, str) else None
    row = ConversationRow(
        id=conversation_id,
        title=title_of(loaded.get("title")),
        created_at=created_at,
        updated_at=seconds_of(loaded.get("update_time"), newest),
        leaf_id=shown_leaf(rows, shown),
        title_is_own=True,
    )
    return row, rows


def _mapping(loaded: Mapping[str, Any]) -> dict[str, Any]:
    return mapping_of(loaded.get("mapping"), "mapping")


def _parents(nodes: Mapping[str, Mapping[str, Any]]) -> dict[str, str | None]:
    """Each node's parent, where one of the two ends tells it."""
    told = {
        child: key
        for key, node in nodes.items()
        if isinstance(node.get("children"), list)
        for child in node["children"]
        if isinstance(child, str)
    }
    parents: dict[str, str | None] = {}
    for key, node in nodes.items():
        parent = node.get("parent")
        if not isinstance(parent, str) or parent not in nodes:
            parent = told.get(key)
        parents[key] = parent
    return parents


def _from_the_root(parents: Mapping[str, str | None]) -> list[str]:
    """Every node after its parent.

    Raises:
        InvalidRequest: Some are above themselves.
    """
    children: dict[str | None, list[str]] = {}
    for key, parent in parents.items():
        children.setdefault(parent, []).append(key)
    found: list[str] = []
    waiting = children.get(None, [])[::-1]
    while waiting:
        key = waiting.pop()
        found.append(key)
        waiting += children.get(key, [])[::-1]
    if len(found) < len(parents):
        raise wrong(
            f"{len(parents) - len(found)} of its nodes are below themselves, so their order "
            "cannot be told"
        )
    return found


def _message(value: Any, key: str) -> tuple[Any, str, Any, str | None] | None:
    """Role, text, time and model; None for what shows nothing."""
    if value is None:
        return None
    message = mapping_of(value, f"the message of node {key}")
    author = mapping_of(message.get("author"), f"the author in node {key}")
    role = author.get("role")
    if role not in STORED_ROLES:
        raise wrong(f"the role in node {key} is none of {', '.join(STORED_ROLES)}")
    metadata = message.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    if metadata.get("is_visually_hidden_from_conversation") is True:
        return None
    content = _content(mapping_of(message.get("content"), f"the content in node {key}"))
    if not content.strip():
        return None
    return role, content, message.get("create_time"), maybe_text(metadata.get("model_slug"))


def _content(content: Mapping[str, Any]) -> str:
    kind = content.get("content_type")
    if kind in _HIDDEN_KINDS:
        return ""
    if isinstance(content.get("parts"), list):
        return "\n".join(filter(None, map(_part, content["parts"])))
    for name in ("text", "result", "content"):
        if isinstance(content.get(name), str):
            return text_of(content[name], name)
    return _placeholder(kind)


def _part(part: Any) -> str:
    if isinstance(part, str):
        return text_of(part, "a part")
    if isinstance(part, dict):
        # What was said aloud comes with its words.
        return maybe_text(part.get("text")) or _placeholder(part.get("content_type"))
    return "" if part is None else json.dumps(part)


def _placeholder(kind: Any) -> str:
    name = _KIND_NAMES.get(kind) if isinstance(kind, str) else None
    return f"[{name or 'content'} that was not imported]"
