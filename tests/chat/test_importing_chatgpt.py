"""ChatGPT's data export: its tree, its roles, and what it has besides text."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from qwenchat.chat.export import export_json
from qwenchat.store.database import Database
from qwenchat.store.search import search
from tests.chat.import_samples import (
    bring_in,
    bring_in_value,
    chatgpt,
    everything,
    node,
    plain,
)
from tests.store.samples import NOON, chain, conversation


def test_a_chatgpt_conversation_keeps_its_tree_roles_times_and_models(
    database: Database, tmp_path: Path
) -> None:
    talk = chatgpt(
        "67a1-b2",
        node("client-created-root", None),
        node("s", "client-created-root", "", "system"),
        node("c", "s", "be brief", "system"),
        node("q", "c", "问题\n\tcode", create_time=NOON + 1.5),
        node("a1", "q", "first", "assistant", create_time=NOON + 2, metadata={"model_slug": "o3"}),
        node("a2", "q", "second", "assistant", create_time=NOON + 3),
        node("t", "a2", "tool says", "tool", create_time=None),
        node("hidden", "t", "x", metadata={"is_visually_hidden_from_conversation": True}),
        node("q2", "hidden", "next", create_time=NOON + 9),
        current_node="a1",
    )
    report = bring_in_value(database, tmp_path / "conversations.json", [talk])
    assert report.imported == ["67a1-b2"]
    row, rows = everything(database)["67a1-b2"]
    assert (row.title, row.created_at, row.updated_at) == ("Title of 67a1-b2", NOON, NOON + 50)
    by_id = {message.id: message for message in rows}
    told = {
        message.content: (
            message.role,
            by_id[message.parent_id].content if message.parent_id else None,
            message.created_at - NOON,
            message.model,
        )
        for message in rows
    }
    assert told == {
        "be brief": ("system", None, 0, None),
        "问题\n\tcode": ("user", "be brief", 1.5, None),
        "first": ("assistant", "问题\n\tcode", 2, "o3"),
        "second": ("assistant", "问题\n\tcode", 3, None),
        "tool says": ("tool", "second", 3, None),
        "next": ("user", "tool says", 9, None),
    }
    assert row.leaf_id is not None and by_id[row.leaf_id].content == "first"
    assert database.read(search, "题").result().hits


def test_what_is_no_text_becomes_a_note(database: Database, tmp_path: Path) -> None:
    parts = [
        "look",
        {"content_type": "image_asset_pointer", "asset_pointer": "file://x"},
        {"content_type": "audio_transcription", "text": "said"},
        {"content_type": "novelty"},
        None,
        "",
        7,
    ]
    contents = [
        {"content_type": "multimodal_text", "parts": parts},
        {"content_type": "code", "language": "python", "text": "print(1)"},
        {"content_type": "execution_output", "text": "1"},
        {"content_type": "tether_browsing_display", "result": "found"},
        {"content_type": "thoughts", "thoughts": [{"summary": "x"}]},
        {"content_type": "user_editable_context", "user_profile": "me"},
        {"content_type": ["strange"]},
    ]
    nodes = [node("0", None)]
    for index, content in enumerate(contents, start=1):
        nodes.append(node(str(index), str(index - 1), content, "assistant"))
    bring_in_value(database, tmp_path / "f.json", [chatgpt("c", *nodes)])
    _, rows = everything(database)["c"]
    assert [row.content for row in rows] == [
        "look\n[image that was not imported]\nsaid\n[content that was not imported]\n7",
        "print(1)",
        "1",
        "found",
        "[thoughts that was not imported]",
        "[content that was not imported]",
    ]


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (
            chatgpt("x", node("a", "b", "1"), node("b", "c", "2"), node("c", "a", "3")),
            "3 of its nodes are below themselves",
        ),
        (chatgpt("x", node("r", None), node("a", "a", "1")), "1 of its nodes are below"),
        (chatgpt("x"), "it has no messages"),
        (chatgpt("x", node("r", None)), "it has no messages"),
        (chatgpt("x", mapping=[]), "mapping is a list where an object is expected"),
        (chatgpt("x", mapping={"a": 1}), "node a is a number where an object"),
        (chatgpt("x", mapping={"a": {"message": "hi"}}), "message of node a is a text"),
        (chatgpt("x", mapping={"a": {"message": {"author": {}}}}), "the role in node a"),
        (
            chatgpt("x", mapping={"a": {"message": {"author": {"role": "user"}}}}),
            "the content in node a is missing",
        ),
    ],
)
def test_a_bad_chatgpt_conversation_is_named_and_the_good_ones_arrive(
    database: Database, tmp_path: Path, bad: dict[str, Any], reason: str
) -> None:
    path = tmp_path / "conversations.json"
    report = bring_in_value(database, path, [plain("g1", "a"), bad, plain("g2", "b")])
    assert (report.imported, report.failed) == (["g1", "g2"], 1)
    (failure,) = report.failures
    assert failure.where == "conversations.json, conversation 2 “Title of x”"
    assert reason in failure.reason
    # The rest of such a file is skipped when it is imported again.
    assert bring_in(database, path).skipped == 2


def test_parents_are_told_by_either_end_and_missing_ones_are_the_root(
    database: Database, tmp_path: Path
) -> None:
    nodes = [node("r", None), node("a", None, "a"), node("b", "gone", "b"), node("c", "a", "c")]
    nodes[0]["children"] = ["a", 5, None]
    bring_in_value(database, tmp_path / "f.json", [chatgpt("c", *nodes, current_node={})])
    row, rows = everything(database)["c"]
    ids = {message.content: message.id for message in rows}
    assert {message.content: message.parent_id for message in rows} == {
        "a": None,
        "b": None,
        "c": ids["a"],
    }
    assert row.leaf_id in (ids["b"], ids["c"])


def test_a_tree_of_many_thousand_messages_in_a_row_arrives(
    database: Database, tmp_path: Path
) -> None:
    talk = plain("long", *(str(number) for number in range(5000)))
    assert bring_in_value(database, tmp_path / "f.json", [talk]).imported == ["long"]
    assert len(everything(database)["long"][1]) == 5000


def test_the_zip_of_the_data_export_is_read_and_the_pictures_in_it_are_not(
    database: Database, tmp_path: Path
) -> None:
    path = tmp_path / "export.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("chat.html", "<html>")
        archive.writestr("user.json", "{}")
        archive.writestr("conversations-000.json", json.dumps([plain("a", "one")]))
        archive.writestr("sub/conversations-001.json", "\ufeff" + json.dumps([plain("b", "two")]))
    seen: list[tuple[int, int]] = []
    report = bring_in(database, path, on_progress=lambda done, total: seen.append((done, total)))
    assert report.imported == ["a", "b"]
    assert seen[-1][0] >= seen[-1][1] - 3 and all(done <= total for done, total in seen)


def test_our_own_export_may_be_zipped_too(database: Database, tmp_path: Path) -> None:
    path = tmp_path / "mine.zip"
    with zipfile.ZipFile(path, "w") as archive:
        pieces = export_json([(conversation("a"), chain("a", "x"))], NOON)
        archive.writestr("qwenchat-conversations.json", "".join(pieces))
    assert bring_in(database, path).imported == ["a"]
