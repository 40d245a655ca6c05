"""Conversations for the tests of the store."""

from __future__ import annotations

from dataclasses import replace

from qwenchat.store.conversations import insert_conversation
from qwenchat.store.database import Database
from qwenchat.store.messages import insert_messages
from qwenchat.store.rows import Attachment, ConversationRow, MessageRow
from qwenchat.types import Timings, Usage

NOON = 1_760_000_000.0


def conversation(key: str, title: str = "A title", at: float = NOON) -> ConversationRow:
    return ConversationRow(key, title, at, at)


def chain(key: str, *contents: str, at: float = NOON) -> list[MessageRow]:
    """Question, answer, question ... each below the one before, a second apart."""
    rows: list[MessageRow] = []
    for index, content in enumerate(contents):
        rows.append(
            MessageRow(
                id=f"{key}-{index}",
                conversation_id=key,
                role="assistant" if index % 2 else "user",
                content=content,
                created_at=at + index,
                parent_id=rows[-1].id if rows else None,
            )
        )
    return rows


def keep(database: Database, key: str, *contents: str, title: str = "A title") -> list[MessageRow]:
    """A conversation in the store; returns its messages."""
    rows = chain(key, *contents)
    database.write(insert_conversation, conversation(key, title)).result()
    database.write(insert_messages, rows, {"leaf_id": rows[-1].id if rows else None}).result()
    return rows


def growing(row: MessageRow, key: str = "reply") -> MessageRow:
    """An answer below ``row`` that has begun."""
    return MessageRow(
        id=key,
        conversation_id=row.conversation_id,
        role="assistant",
        content="",
        created_at=row.created_at + 0.5,
        parent_id=row.id,
        state="streaming",
    )


FULL_CONVERSATION = ConversationRow(
    id="full",
    title="标题 \u2028 \U0001f389 <b>",
    created_at=NOON + 0.123456,
    updated_at=NOON + 1 / 3,
    system_prompt="Be\tbrief.\r\n",
    sampling={"temperature": 0.7, "stop": ["\n\n", "完"], "seed": None},
    model="Qwen/Qwen3-8B",
    thinking="on",
    thinking_budget=512,
    pinned=True,
    leaf_id="full-2",
    title_is_own=True,
)
ATTACHED = (
    Attachment(
        "file-1",
        "说明 `x`.txt",
        "text",
        31,
        "line",
        3,
        "第一行\n\ttwo '`` \U0001f389\u2028\n",
        2,
        3,
    ),
    Attachment("file-2", "a.pdf", "pdf", 2048, "page", 3, "one\ftwo\fthree", 2, 3, cut=True),
)
FULL_MESSAGES = [
    MessageRow("full-0", "full", "system", "  rules\t", NOON),
    replace(
        chain("full", "\u0001 question\r\n\ttab", "")[0],
        id="full-1",
        parent_id="full-0",
        attachments=ATTACHED,
    ),
    MessageRow(
        id="full-2",
        conversation_id="full",
        role="assistant",
        content="回答 \U0001f468\u200d\U0001f469\u200d\U0001f467 e\u0301 ```\n",
        created_at=NOON + 2.5,
        parent_id="full-1",
        state="stopped",
        finish_reason="abort",
        error=("engine_died", "说明\n"),
        usage=Usage(10, 4, 7),
        timings=Timings(0.1, 1 / 3, 2.0),
        model="Qwen/Qwen3-8B",
        sampling={"temperature": 1.0, "top_k": 20},
        extra={"thinking": {"seconds": 1.5, "text": "\ud83d"}, "list": [1, None, True]},
        thoughts="<think>\n想 secretthought\n</think>\n\n",
    ),
    MessageRow("full-3", "full", "tool", "{}", NOON + 3, "full-1", state="failed"),
]
