"""A growing reply is never longer, shorter or elsewhere than what was written."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest

from qwenchat.errors import ConversationNotFound, MessageNotFound
from qwenchat.store.conversations import load_conversation, load_settings
from qwenchat.store.database import Database
from qwenchat.store.messages import (
    append_text,
    delete_message,
    finish_message,
    insert_messages,
    mark_interrupted,
    set_content,
    update_message,
)
from qwenchat.store.opening import open_store
from qwenchat.store.rows import MessageRow
from qwenchat.store.search import search
from qwenchat.types import Timings, Usage
from tests.store.samples import NOON, growing, keep


def content_of(database: Database, message_id: str, conversation_id: str = "c") -> str:
    _, rows = database.read(load_conversation, conversation_id).result()
    return next(row.content for row in rows if row.id == message_id)


def begin(database: Database) -> MessageRow:
    reply = growing(keep(database, "c", "question")[0])
    database.write(insert_messages, [reply], {"leaf_id": reply.id}).result()
    return reply


def test_the_same_append_twice_has_the_effect_of_one(database: Database) -> None:
    begin(database)
    for _ in range(2):
        assert database.write(append_text, "reply", 0, "你好, ").result() == 4
    for _ in range(3):
        assert database.write(append_text, "reply", 4, "\U0001f389").result() == 5
    assert content_of(database, "reply") == "你好, \U0001f389"


def test_an_append_with_a_gap_changes_nothing_and_says_where_to_go_on(database: Database) -> None:
    begin(database)
    database.write(append_text, "reply", 0, "abc").result()
    assert database.write(append_text, "reply", 5, "fgh").result() == 3
    assert content_of(database, "reply") == "abc"


def test_lengths_count_what_was_sent_even_where_it_cannot_be_stored(database: Database) -> None:
    begin(database)
    assert database.write(append_text, "reply", 0, "a\0b").result() == 3
    # Half an emoji in each, as when a stream is cut in the wrong place.
    assert database.write(append_text, "reply", 3, "\ud83d").result() == 4
    assert database.write(append_text, "reply", 4, "\ude00.").result() == 6


def test_appends_in_random_repetition_give_the_text_once(database: Database) -> None:
    begin(database)
    choose = random.Random(7)
    text = "".join(choose.choices("ab \n\t中文\U0001f389e\u0301", k=2000))
    futures, at = [], 0
    while at < len(text):
        size = choose.randint(1, 60)
        for _ in range(choose.randint(1, 3)):
            futures.append(database.write(append_text, "reply", at, text[at : at + size]))
        at += size
    assert futures[-1].result() == len(text)
    assert content_of(database, "reply") == text


def test_a_late_append_does_not_touch_a_finished_message(database: Database) -> None:
    begin(database)
    database.write(finish_message, "reply", "whole", "done").result()
    assert database.write(append_text, "reply", 5, " and more").result() == 5
    assert content_of(database, "reply") == "whole"


def test_finishing_keeps_text_state_and_numbers(database: Database) -> None:
    reply = begin(database)
    database.write(append_text, "reply", 0, "wh").result()
    ending = {
        "finish_reason": "length",
        "usage": Usage(3, 2, 1),
        "timings": Timings(0.0, 0.5, 1.5),
        "model": "m",
        "sampling": {"top_k": 1},
    }
    database.write(finish_message, "reply", "whole", "stopped", ending).result()
    _, rows = database.read(load_conversation, "c").result()
    assert rows[-1] == replace(reply, content="whole", state="stopped", **ending)


def test_continue_goes_on_from_the_stored_text(database: Database) -> None:
    begin(database)
    database.write(finish_message, "reply", "first half,", "stopped").result()
    database.write(update_message, "reply", {"state": "streaming"}).result()
    assert database.write(append_text, "reply", 11, " second half").result() == 23
    assert database.read(search, "half").result().hits, "the old part stays findable meanwhile"
    assert not database.read(search, "second").result().hits
    database.write(finish_message, "reply", "first half, second half", "done").result()
    assert database.read(search, "second").result().hits


def test_after_a_restart_what_was_growing_is_interrupted_and_findable(
    database: Database, tmp_path: Path
) -> None:
    begin(database)
    database.write(append_text, "reply", 0, "unfinished 句子").result()
    assert not database.read(search, "句").result().hits
    database.close()
    opened = open_store(tmp_path)
    assert opened.interrupted == 1
    _, rows = opened.database.read(load_conversation, "c").result()
    assert (rows[-1].state, rows[-1].content) == ("interrupted", "unfinished 句子")
    assert opened.database.read(search, "句").result().hits
    assert opened.database.write(mark_interrupted).result() == 0
    opened.database.close()


def test_an_edited_message_is_found_by_its_new_text_only(database: Database) -> None:
    keep(database, "c", "before 之前")
    database.write(set_content, "c-0", "after 之后").result()
    assert not database.read(search, "before").result().hits
    assert not database.read(search, "前").result().hits
    assert database.read(search, "后").result().hits
    assert database.read(search, "之").result().hits


def test_a_message_needs_its_conversation_and_its_parent(database: Database) -> None:
    question = keep(database, "c", "question")[0]
    other = keep(database, "other", "x")[0]
    lost = growing(question, "lost")
    with pytest.raises(ConversationNotFound):
        database.write(insert_messages, [replace(lost, conversation_id="no")]).result()
    for parent in ("nobody", other.id):
        with pytest.raises(MessageNotFound):
            database.write(insert_messages, [replace(lost, parent_id=parent)]).result()
    for job, arguments in (
        (append_text, (0, "x")),
        (set_content, ("x",)),
        (update_message, ({},)),
        (finish_message, ("x", "done")),
        (delete_message, ()),
    ):
        with pytest.raises(MessageNotFound):
            database.write(job, "lost", *arguments).result()


def test_deleting_a_message_takes_what_is_below_and_shows_what_is_beside(
    database: Database,
) -> None:
    question = keep(database, "c", "question", "answer", "again", "needle")[0]
    version = replace(growing(question, "version"), state="done", created_at=NOON + 60)
    database.write(insert_messages, [version], {"leaf_id": "c-3"}).result()
    assert database.write(delete_message, "c-1").result() == "version"
    row, rows = database.read(load_conversation, "c").result()
    assert row.leaf_id == "version"
    assert [message.id for message in rows] == ["c-0", "version"]
    assert not database.read(search, "needle").result().hits
    assert database.write(delete_message, "version").result() == "c-0"
    assert database.write(delete_message, "c-0").result() is None
    assert database.read(load_settings, "c").result().leaf_id is None


def test_deleting_what_is_not_shown_leaves_what_is(database: Database) -> None:
    question = keep(database, "c", "question", "answer")[0]
    version = replace(growing(question, "version"), state="done")
    database.write(insert_messages, [version]).result()
    assert database.write(delete_message, "version").result() == "c-1"


def test_messages_of_the_same_moment_and_of_impossible_times_keep_their_order(
    database: Database,
) -> None:
    question = keep(database, "c", "question")[0]
    for at in (NOON, -5.0, 1e300):
        rows = [
            replace(growing(question, f"{at}-{index}"), created_at=at, state="done")
            for index in range(50)
        ]
        database.write(insert_messages, rows).result()
        _, loaded = database.read(load_conversation, "c").result()
        assert [row for row in loaded if row.created_at == at and row.id != "c-0"] == rows
