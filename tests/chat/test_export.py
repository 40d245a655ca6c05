"""Exported files say exactly what is stored."""

from __future__ import annotations

import json
import re
import tracemalloc
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from qwenchat.chat.export import export_json, export_markdown, shown_path
from qwenchat.store.conversations import insert_conversation
from qwenchat.store.messages import insert_messages
from qwenchat.store.opening import open_store
from qwenchat.store.rows import ConversationRow, MessageRow
from qwenchat.store.stream import stream_conversations
from tests.store.samples import FULL_CONVERSATION, FULL_MESSAGES, NOON, chain, conversation

NASTY = [
    "plain",
    "",
    "\n",
    "\ttab\n        indented\n\n\n| a | b |\n|---|---|\n| 1 | 中 |\n",
    "```python\nprint('hi')\n```",
    "````\n```\nnested\n```\n````\n",
    "unclosed ```` fence\n```",
    "~~~\ntilde\n~~~",
    "`" * 40,
    "## You\n\nI never said that",
    "<!-- comment\n<script>alert(1)</script>\n<details>",
    "carriage\rreturn\r\n```\rend",
    "\U0001f468\u200d\U0001f469\u200d\U0001f467 e\u0301 ｆ \u2028 \u2029 \x0b \x0c \x01 \ufeff",
    "trailing spaces  \nand a backslash\\",
    "- [ ] item\n    - ```\n      code\n      ```",
    "---\n***\n# heading",
]


def fences(markdown: str) -> list[str]:
    """The texts of all fences, read as CommonMark reads them."""
    found: list[str] = []
    lines = re.split(r"(?<=\n)|(?<=\r)(?!\n)", markdown)
    at = 0
    while at < len(lines):
        opening = re.fullmatch(r"(`{3,})[a-z]+\n", lines[at])
        at += 1
        if not opening:
            continue
        content = ""
        while not re.fullmatch(rf" {{0,3}}{opening[1]}`*[ \t]*[\r\n]+", lines[at]):
            content += lines[at]
            at += 1
        found.append(content.removesuffix("\n"))
        at += 1
    return found


def test_markdown_quotes_every_text_byte_for_byte() -> None:
    rows = chain("c", *NASTY)
    row = replace(conversation("c"), system_prompt=NASTY[5], leaf_id=rows[-1].id)
    markdown = "".join(export_markdown([(row, rows)]))
    assert fences(markdown) == [NASTY[5], *NASTY]
    assert all(text in markdown for text in NASTY)


def test_markdown_shows_the_path_that_is_shown_and_how_answers_ended() -> None:
    rows = chain("c", "q1", "a1", "q2", "a2", "q3", "a3")
    rows[1] = replace(rows[1], state="stopped", model="Qwen/Qwen3_8B")
    rows[3] = replace(rows[3], state="interrupted", finish_reason="abort")
    rows[5] = replace(rows[5], state="failed", error=("x", "It *failed*.\n# badly"))
    version = replace(rows[5], id="version", content="other version")
    row = replace(conversation("c", "*Title*\n# with `code` <b>"), leaf_id="c-5")
    markdown = "".join(export_markdown([(row, [*rows, version])]))
    assert markdown.startswith(
        "# \\*Title\\* \\# with \\`code\\` \\<b\\>\n\n2025-10-09 08:53 UTC\n"
    )
    assert "other version" not in markdown
    assert re.findall("^(?:#|\\*).*", markdown, re.MULTILINE)[1:] == [
        "## You",
        "## Qwen/Qwen3\\_8B",
        "*Stopped before its end.*",
        "## You",
        "## Assistant",
        "*Interrupted: QwenChat ended while this was being written.*",
        "## You",
        "## Assistant",
        "*Failed. It \\*failed\\*. \\# badly*",
    ]


@pytest.mark.parametrize(
    ("state", "reason", "note"),
    [
        ("done", "length", "*Cut off at the limit of tokens.*"),
        ("streaming", None, "*Still being written.*"),
        ("failed", None, "*Failed.*"),
        ("done", "stop", None),
    ],
)
def test_markdown_notes(state, reason, note) -> None:
    rows = chain("c", "q", "a")
    rows[1] = replace(rows[1], state=state, finish_reason=reason)
    markdown = "".join(export_markdown([(replace(conversation("c"), leaf_id="c-1"), rows)]))
    assert markdown.endswith(f"```\n\n{note}\n" if note else "```\n")


def test_markdown_of_several_conversations_is_one_file() -> None:
    many = [(replace(conversation(key, key), leaf_id=f"{key}-0"), chain(key, key)) for key in "ab"]
    markdown = "".join(export_markdown(many))
    assert fences(markdown) == ["a", "b"] and "\n---\n\n# b\n" in markdown


def test_an_empty_conversation_and_impossible_times_can_be_exported() -> None:
    row = ConversationRow("c", "", 1e300, -1e300)
    assert "".join(export_markdown([(row, [])])) == "# \n\n\n"
    assert json.loads("".join(export_json([(row, [])], NOON)))["conversations"][0]["id"] == "c"
    assert json.loads("".join(export_json([], NOON)))["conversations"] == []


def test_a_path_ends_where_messages_go_in_a_circle() -> None:
    rows = [replace(row, parent_id="c-1") for row in chain("c", "a", "b")]
    assert [row.id for row in shown_path(rows, "c-1")] == ["c-1"]
    assert shown_path(rows, "lost") == [] and shown_path(rows, None) == []


def test_json_has_every_message_of_every_branch_in_plain_characters() -> None:
    text = "".join(export_json([(FULL_CONVERSATION, FULL_MESSAGES)], NOON))
    loaded = json.loads(text)
    assert (loaded["format"], loaded["version"]) == ("qwenchat-conversations", 1)
    (exported,) = loaded["conversations"]
    contents = [message["content"] for message in exported["messages"]]
    assert contents == [message.content for message in FULL_MESSAGES]
    assert exported["sampling"] == FULL_CONVERSATION.sampling
    assert "标题" in text
    text.encode()


def test_memory_stays_flat_however_many_messages_are_written() -> None:
    def many() -> Iterator[MessageRow]:
        for number in range(20_000):
            yield MessageRow(f"m{number}", "c", "user", "some text " * 20, NOON + number)

    tracemalloc.start()
    size = sum(map(len, export_json([(conversation("c"), many())], NOON)))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert size > 5_000_000
    assert peak < 500_000


def test_the_store_is_read_a_little_at_a_time_and_completely(tmp_path: Path) -> None:
    database = open_store(tmp_path).database
    expected = {}
    for key, count in (("a", 450), ("empty", 0), ("b", 3)):
        rows = chain(key, *(f"text {number}" for number in range(count)))
        database.write(insert_conversation, conversation(key)).result()
        database.write(insert_messages, rows).result()
        expected[key] = rows
    found = {row.id: list(messages) for row, messages in stream_conversations(database)}
    assert found == expected
    some = [row.id for row, _ in stream_conversations(database, ["b", "gone", "a"])]
    assert some == ["b", "a"]
    database.close()
