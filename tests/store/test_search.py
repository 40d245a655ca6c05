"""Search finds what a reader of the text would find, and shows where."""

from __future__ import annotations

import random
import sqlite3
import threading
import time
from pathlib import Path

import pytest

from qwenchat.store.conversations import insert_conversation
from qwenchat.store.database import Database
from qwenchat.store.index import index_waiting, reset_index
from qwenchat.store.messages import insert_messages, set_content
from qwenchat.store.opening import open_store
from qwenchat.store.search import Hit, pieces, search
from qwenchat.store.words import fold, indexed_words, parse_query
from tests.store.samples import NOON, chain, conversation, keep


def found(database: Database, query: str) -> list[str]:
    return [hit.conversation_id for hit in database.read(search, query).result().hits]


@pytest.mark.parametrize(
    "query",
    [
        "部",
        "署",
        "部署",
        "部署模型",
        "模型到",
        "vllm",
        "VLLM",
        "vl",
        "v",
        "用vLLM部",
        "qwen2.5",
        "5-7b",
        "instruct",
        "café",
        "cafe",
        "CAFÉ",
        "naïve",
        "naive",
        "straße",
        "foo_bar",
        "bar",
        "c++",
        "\U0001f389",
        "\U0001f468\u200d\U0001f469\u200d\U0001f467",
        "ไทย",
        "ภา",
        "한국",
        "어",
        "カタ",
        "full",
        "部 vllm \U0001f389 caf",
        '"vllm"',
        "don't",
        "привет",
        "ПРИВ",
    ],
)
def test_a_word_is_found_by_its_beginning_or_in_chinese_anywhere(
    database: Database, query: str
) -> None:
    keep(
        database,
        "c",
        "我用vLLM部署模型到CPU。Qwen2.5-7B-Instruct, café and nai\u0308ve Straße foo_bar C++ "
        "\U0001f389 \U0001f468\u200d\U0001f469\u200d\U0001f467 ภาษาไทย 한국어 カタカナ "
        "ｆｕｌｌ don't Привет",
    )
    keep(database, "other", "nothing of it")
    assert found(database, query) == ["c"]


@pytest.mark.parametrize(
    "query", ["ember", "国人民中", "人中国", "december x国", "中民", "ecember"]
)
def test_what_is_not_in_the_text_is_not_found(database: Database, query: str) -> None:
    keep(database, "c", "december 中国 and 国人 and 人民 and 人 中国x")
    assert found(database, query) == []


@pytest.mark.parametrize(
    "query",
    ['"', "''", '"needle', "needle*", "*", "NEAR(needle)", "needle AND", "OR", "NOT needle"]
    + ["(", ")", "-needle", "words:needle", "{words}: needle", "^needle", "needle + x", ";--"]
    + ["'; DROP TABLE messages; --", "%", "_", "\\", "\0", "needle\0", "\ud800", "a" * 10_000]
    + ["  ", "", "\t\n", "\U0001f389" * 50, "rank MATCH 'x'", "？！", "。"],
)
def test_operators_and_quotes_are_plain_text(database: Database, query: str) -> None:
    keep(database, "c", "a needle here")
    assert found(database, query) in (["c"], [])
    assert found(database, "needle") == ["c"]


def test_operators_between_words_are_looked_for_as_words(database: Database) -> None:
    keep(database, "c", "left or right")
    assert found(database, "left OR right") == ["c"]
    assert found(database, "left AND right") == []


def test_all_words_stand_in_one_text(database: Database) -> None:
    keep(database, "c", "red apple", "green pear")
    assert found(database, "pear green") == ["c"]
    assert found(database, "red pear") == []


def test_titles_come_first_then_the_newest_message(database: Database) -> None:
    for number, (key, title, text) in enumerate(
        [
            ("old title", "needle", "x"),
            ("old text", "x", "needle"),
            ("new title", "a needle", "needle"),
            ("new text", "x", "a needle"),
        ]
    ):
        at = NOON + number * 1000
        database.write(insert_conversation, conversation(key, title, at)).result()
        database.write(insert_messages, chain(key, text, at=at)).result()
    assert found(database, "needle") == ["new title", "old title", "new text", "old text"]


def test_an_old_conversation_that_comes_later_is_still_an_old_one(database: Database) -> None:
    keep(database, "now", "needle")
    database.write(insert_conversation, conversation("imported", at=NOON - 9e6)).result()
    database.write(insert_messages, chain("imported", "needle", at=NOON - 9e6)).result()
    assert found(database, "needle") == ["now", "imported"]


def test_hits_name_the_message_and_their_places_in_the_true_text(database: Database) -> None:
    text = "\U0001f389 Start\tÉTÉ " + "x " * 40 + "and\n  e\u0301te\u0301 (été)" + " y" * 100
    keep(database, "c", "question", text, title="Der Été \U0001f389 ete")
    keep(database, "d", "question", text)
    title, message = database.read(search, "été").result().hits
    assert [title.title[start:end] for start, end in title.title_places] == ["Été", "ete"]
    assert (message.conversation_id, message.message_id) == ("d", "d-1")
    assert [message.snippet[a:b] for a, b in message.snippet_places][0] == "ÉTÉ"
    assert "\t" not in message.snippet and len(message.snippet) == 120
    for start, end in message.snippet_places:
        assert (
            fold(message.snippet[start:end]).replace("\u0301", "").startswith("ete"[: end - start])
        )


def test_a_snippet_is_cut_around_the_first_hit_and_its_pieces_are_the_text(
    database: Database,
) -> None:
    keep(database, "c", "早" * 500 + "针头" + "晚" * 500)
    (hit,) = database.read(search, "针").result().hits
    assert pieces(hit.snippet, hit.snippet_places) == [
        ("早" * 30, False),
        ("针", True),
        ("头" + "晚" * 88, False),
    ]


def test_script_in_a_text_is_text_in_a_snippet(database: Database) -> None:
    keep(database, "c", "<script>alert(1)</script>")
    (hit,) = database.read(search, "alert").result().hits
    assert "".join(piece for piece, _ in pieces(hit.snippet, hit.snippet_places)) == (
        "<script>alert(1)</script>"
    )


def test_a_conversation_comes_once_and_more_is_told(database: Database) -> None:
    for number in range(5):
        keep(database, f"c{number}", "needle", "needle", "needle")
    assert len(database.read(search, "needle", 3).result().hits) == 3
    assert database.read(search, "needle", 3).result().more
    assert not database.read(search, "needle", 5).result().more
    assert len(set(found(database, "needle"))) == 5


def test_the_index_misses_nothing_that_is_in_a_text(database: Database) -> None:
    choose = random.Random(3)
    alphabet = 'aábcÇ 中国人 \U0001f389ี่_-"*。가'
    texts = {f"c{number}": "".join(choose.choices(alphabet, k=40)) for number in range(60)}
    for key, text in texts.items():
        keep(database, key, text, title="-")
    for _ in range(200):
        start = choose.randrange(34)
        part = choose.choice(list(texts.values()))[start : start + choose.randint(1, 6)]
        query = parse_query(part)
        if query.match:
            expected = {key for key, text in texts.items() if query.places(text) is not None}
            assert set(database.read(found_by, part).result()) == expected, part


def found_by(connection: sqlite3.Connection, text: str) -> list[str]:
    return [hit.conversation_id for hit in search(connection, text, 1000).hits]


def test_folding_keeps_every_character_at_its_place() -> None:
    everything = "".join(map(chr, [*range(1, 0xD800), *range(0xE000, 0x20000)]))
    assert len(fold(everything)) == len(everything)
    assert " " not in indexed_words("\u00a0\u3000 x ")


def wait_for_index(database: Database) -> None:
    def waiting(connection: sqlite3.Connection) -> int:
        return connection.execute(
            "SELECT count(*) FROM messages WHERE indexed_length IS NULL"
        ).fetchone()[0]

    until = time.monotonic() + 5
    while database.read(waiting).result():
        assert time.monotonic() < until
        time.sleep(0.01)


def test_a_damaged_index_is_made_anew_and_nothing_else_suffers(
    database: Database, tmp_path: Path
) -> None:
    keep(database, "c", "needle one", "needle two", title="needle")

    def harm(connection: sqlite3.Connection) -> None:
        for table in ("message_words", "title_words"):
            connection.execute(f"UPDATE {table}_data SET block = x'00ff00ff00ff' WHERE id > 1")

    database.write(harm).result()
    database.close()
    database = open_store(tmp_path).database
    database.write(set_content, "c-0", "changed thing").result()
    database.close()
    database = open_store(tmp_path).database
    wait_for_index(database)
    assert found(database, "changed") == ["c"]
    assert found(database, "two") == ["c"]
    database.close()


def test_an_index_by_older_rules_is_made_anew_at_the_start(
    database: Database, tmp_path: Path
) -> None:
    keep(database, "c", *(f"needle{number}" for number in range(70)))
    database.write(
        lambda connection: connection.execute("UPDATE facts SET value = 'older'")
    ).result()
    database.close()
    database = open_store(tmp_path).database
    wait_for_index(database)
    for number in range(70):
        assert found(database, f"needle{number}") == ["c"]
    database.close()


def test_searching_does_not_wait_for_a_write(database: Database) -> None:
    keep(database, "c", "needle")
    begun, go_on = threading.Event(), threading.Event()

    def write_slowly(connection: sqlite3.Connection) -> None:
        connection.execute("UPDATE conversations SET title = 'x'")
        begun.set()
        go_on.wait(10)

    writing = database.write(write_slowly)
    assert begun.wait(5)
    assert found(database, "needle") == ["c"]
    assert not writing.done()
    go_on.set()
    writing.result()


def test_making_the_index_anew_finds_the_same(database: Database) -> None:
    keep(database, "c", "needle", title="标题")
    before = [database.read(search, query).result() for query in ("needle", "题")]
    database.write(reset_index).result()
    assert not found(database, "needle")
    database.write(index_waiting, 100).result()
    assert [database.read(search, query).result() for query in ("needle", "题")] == before
    assert isinstance(before[0].hits[0], Hit)
