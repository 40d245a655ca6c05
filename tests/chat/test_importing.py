"""Our own JSON comes back as it was, and a bad conversation costs no other."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from qwenchat.errors import InvalidRequest
from qwenchat.store.conversations import delete_conversation, insert_conversation
from qwenchat.store.database import Database
from qwenchat.store.messages import insert_messages
from qwenchat.store.rows import ConversationRow, MessageRow
from qwenchat.types import Timings, Usage
from tests.chat.import_samples import (
    bring_in,
    bring_in_value,
    everything,
    export_to,
)
from tests.store.samples import FULL_CONVERSATION, FULL_MESSAGES, NOON, chain, conversation


def random_conversation(seed: int) -> tuple[ConversationRow, list[MessageRow]]:
    choose = random.Random(seed)
    characters = 'ab \n\r\t`|中文\U0001f389e\u0301\u2028\x01\x7f\ufeff"\\/<>&{}[]\u200d'

    def text(most: int = 40) -> str:
        return "".join(choose.choices(characters, k=choose.randint(0, most)))

    key = f"c{seed}"
    rows: list[MessageRow] = []
    for number in range(choose.randint(0, 12)):
        rows.append(
            MessageRow(
                id=f"{key}-{number}",
                conversation_id=key,
                role=choose.choice(["user", "assistant", "system", "tool"]),
                content=text(200),
                created_at=NOON + number + choose.random(),
                parent_id=choose.choice([None, *(row.id for row in rows)]),
                state=choose.choice(["done", "stopped", "interrupted", "failed"]),
                finish_reason=choose.choice([None, "stop", "length", "abort"]),
                error=choose.choice([None, (text() or "x", text())]),
                usage=choose.choice([None, Usage(1, 0, choose.randint(0, 10**6))]),
                timings=choose.choice([None, Timings(choose.random(), 0.0, 1e-7)]),
                model=choose.choice([None, text()]),
                sampling=choose.choice([None, {}, {"top_p": choose.random(), "top_k": 3}]),
                extra=choose.choice([{}, {"a": [1, 1.0, None, {"b": text()}], "é": True}]),
            )
        )
    row = ConversationRow(
        id=key,
        title=text() or "x",
        created_at=NOON + choose.random(),
        updated_at=NOON + choose.random() * 1e6,
        system_prompt=text(),
        sampling=choose.choice([{}, {"temperature": 1.0}, {"seed": 1, "stop": [text() or "."]}]),
        model=choose.choice([None, text()]),
        thinking=choose.choice([None, "on"]),
        pinned=choose.random() < 0.5,
        leaf_id=choose.choice(rows).id if rows else None,
        title_is_own=choose.random() < 0.5,
    )
    return row, rows


def test_export_and_import_give_the_same_rows(database: Database, tmp_path: Path) -> None:
    full = [replace(row, extra={"half": "x"}) if row.extra else row for row in FULL_MESSAGES]
    originals = [(FULL_CONVERSATION, full), *map(random_conversation, range(60))]
    export_to(tmp_path / "all.json", originals)
    report = bring_in(database, tmp_path / "all.json")
    assert (len(report.imported), report.skipped, report.failures) == (61, 0, [])
    found = everything(database)
    for row, rows in originals:
        assert found[row.id] == (row, rows)
    export_to(tmp_path / "again.json", [originals[0]])
    export_to(tmp_path / "from store.json", [found["full"]])
    again, stored = (tmp_path / "again.json"), (tmp_path / "from store.json")
    assert again.read_bytes() == stored.read_bytes()


def test_what_is_there_already_is_skipped_and_stays_as_it_is(
    database: Database, tmp_path: Path
) -> None:
    path = tmp_path / "file.json"
    rows = chain("a", "question", "answer")
    export_to(path, [(conversation("a"), rows), (conversation("b"), chain("b", "other"))])
    bring_in(database, path)
    before = everything(database)
    report = bring_in(database, path)
    assert (report.imported, report.skipped, report.failed) == ([], 2, 0)
    # The same talk under another id, too.
    same = [replace(row, conversation_id="z", id=f"z{row.id}", parent_id=None) for row in rows]
    same[1] = replace(same[1], parent_id=same[0].id)
    export_to(path, [(conversation("z"), same)])
    assert bring_in(database, path).skipped == 1
    assert everything(database) == before


def test_a_deleted_conversation_can_be_imported_again(database: Database, tmp_path: Path) -> None:
    rows = chain("a", "question")
    database.write(insert_conversation, conversation("a")).result()
    database.write(insert_messages, rows, {"leaf_id": "a-0"}).result()
    before = everything(database)
    export_to(tmp_path / "file.json", before.values())
    database.write(delete_conversation, "a", NOON).result()
    assert bring_in(database, tmp_path / "file.json").imported == ["a"]
    assert everything(database) == before


def test_message_ids_that_others_have_become_new_ones(database: Database, tmp_path: Path) -> None:
    export_to(tmp_path / "file.json", [(conversation("a"), chain("a", "one", "two"))])
    bring_in(database, tmp_path / "file.json")
    rows = [replace(row, conversation_id="b") for row in chain("a", "one", "changed")]
    row = replace(conversation("b"), leaf_id="a-1")
    export_to(tmp_path / "file.json", [(row, rows)])
    assert bring_in(database, tmp_path / "file.json").imported == ["b"]
    found, messages = everything(database)["b"]
    assert [message.content for message in messages] == ["one", "changed"]
    assert messages[1].parent_id == messages[0].id != "a-0"
    assert found.leaf_id == messages[1].id
    assert [m.id for m in everything(database)["a"][1]] == ["a-0", "a-1"]


def test_a_reply_that_was_growing_is_interrupted(database: Database, tmp_path: Path) -> None:
    rows = chain("a", "question", "so far")
    rows[1] = replace(rows[1], state="streaming")
    export_to(tmp_path / "file.json", [(conversation("a"), rows)])
    bring_in(database, tmp_path / "file.json")
    assert everything(database)["a"][1][1].state == "interrupted"


def own(**values: Any) -> dict[str, Any]:
    message = {"id": "m", "role": "user", "content": "hi"}
    return {"id": "bad", "title": "Bad one", "created_at": NOON, "messages": [message]} | values


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (own(messages=None), "messages is no list"),
        (own(messages=["x"]), "message 1 is a text where an object is expected"),
        (own(messages=[{"role": "user", "content": "x"}]), "the id of message 1 is missing"),
        (own(messages=[{"id": "m", "role": "robot", "content": ""}]), "the role of message 1"),
        (own(messages=[{"id": "m", "role": "user", "content": 7}]), "content of message 1 is a n"),
        (own(messages=own()["messages"] * 2), "message 2 has the id of an earlier one"),
        (
            own(
                messages=[
                    {"id": "a", "role": "user", "content": "", "parent_id": "b"},
                    {"id": "b", "role": "user", "content": "", "parent_id": "a"},
                ]
            ),
            "2 of its messages are below themselves",
        ),
        (7, "it is no object"),
        ([], "it is no object"),
    ],
)
def test_a_bad_conversation_is_named_and_the_good_ones_arrive(
    database: Database, tmp_path: Path, bad: Any, reason: str
) -> None:
    file = {"format": "qwenchat-conversations", "version": 1}
    good = [own(id=key, messages=[{"id": key, "role": "user", "content": key}]) for key in "xy"]
    report = bring_in_value(
        database, tmp_path / "f.json", file | {"conversations": [good[0], bad, good[1]]}
    )
    assert (report.imported, report.failed) == (["x", "y"], 1)
    assert report.failures[0].where.startswith("f.json, conversation 2")
    assert reason in report.failures[0].reason
    assert ("“Bad one”" in report.failures[0].where) == isinstance(bad, dict)


def test_settings_and_values_that_cannot_be_are_left_out(
    database: Database, tmp_path: Path
) -> None:
    strange = own(
        id="../../<script>",
        created_at="yesterday",
        updated_at=1e999,
        pinned="yes",
        leaf_id=["x"],
        model=5,
        sampling={"top_p": 0.5, "temperature": 99, "novelty": 1},
        messages=[
            {
                "id": 'x" onclick="',
                "role": "assistant",
                "content": "a\0b",
                "created_at": -5,
                "parent_id": "nobody",
                "state": "exploded",
                "finish_reason": 3,
                "error": "x",
                "usage": {"prompt_tokens": 1},
                "timings": [1],
                "extra": [],
            }
        ],
    )
    text = json.dumps(
        {"format": "qwenchat-conversations", "version": 1, "conversations": [strange]}
    )
    (tmp_path / "f.json").write_text(text.replace("Infinity", "1e300"))
    report = bring_in(database, tmp_path / "f.json")
    ((row, (message,)),) = everything(database).values()
    assert report.imported == [row.id]
    assert row.id.isalnum() and message.id.isalnum()
    assert row == ConversationRow(
        row.id, "Bad one", NOON, NOON, sampling={"top_p": 0.5}, leaf_id=message.id
    )
    assert message == MessageRow(message.id, row.id, "assistant", "ab", NOON)


def test_a_file_of_a_newer_version_is_refused(database: Database, tmp_path: Path) -> None:
    newer = {"format": "qwenchat-conversations", "version": 2, "conversations": [own()]}
    with pytest.raises(InvalidRequest, match="newer version"):
        bring_in_value(database, tmp_path / "f.json", newer)
    assert everything(database) == {}
