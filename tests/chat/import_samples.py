"""Files to import, and what a store has afterwards."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from qwenchat.chat.export import export_json
from qwenchat.chat.importing import ImportReport, import_conversations
from qwenchat.store.database import Database
from qwenchat.store.intake import take_in
from qwenchat.store.rows import ConversationRow, MessageRow
from qwenchat.store.stream import stream_conversations
from tests.store.samples import NOON

Everything = dict[str, tuple[ConversationRow, list[MessageRow]]]


def everything(database: Database) -> Everything:
    return {row.id: (row, list(rows)) for row, rows in stream_conversations(database)}


def bring_in(database: Database, path: Path, **options) -> ImportReport:
    return import_conversations(
        path, lambda row, rows: database.write(take_in, row, rows).result(), now=NOON, **options
    )


def bring_in_value(database: Database, path: Path, value: Any) -> ImportReport:
    path.write_text(json.dumps(value), encoding="utf-8")
    return bring_in(database, path)


def export_to(path: Path, conversations) -> None:
    path.write_text("".join(export_json(conversations, NOON)), encoding="utf-8", newline="")


def node(
    key: str, parent: str | None, text: Any = None, role: str = "user", **message: Any
) -> dict[str, Any]:
    """A node of ChatGPT's tree."""
    if text is None:
        return {"id": key, "message": None, "parent": parent, "children": []}
    content = text if isinstance(text, dict) else {"content_type": "text", "parts": [text]}
    inner = {"id": key, "author": {"role": role}, "content": content} | message
    return {"id": key, "message": inner, "parent": parent, "children": []}


def chatgpt(key: str, *nodes: dict[str, Any], **values: Any) -> dict[str, Any]:
    return {
        "id": key,
        "conversation_id": key,
        "title": f"Title of {key}",
        "create_time": NOON,
        "update_time": NOON + 50,
        "mapping": {item["id"]: item for item in nodes},
        "current_node": nodes[-1]["id"] if nodes else None,
    } | values


def plain(key: str, *texts: str) -> dict[str, Any]:
    nodes = [node(f"{key}-root", None)]
    for index, text in enumerate(texts):
        nodes.append(
            node(f"{key}-{index}", nodes[-1]["id"], text, "assistant" if index % 2 else "user")
        )
    return chatgpt(key, *nodes)
