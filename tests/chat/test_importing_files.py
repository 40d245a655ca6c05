"""Whatever a file is, the good part of it arrives and the bad part is named."""

from __future__ import annotations

import io
import json
import tracemalloc
import zipfile
from pathlib import Path

import pytest

from qwenchat.chat import import_source
from qwenchat.chat.import_characters import WholeCharacters
from qwenchat.chat.importing import import_conversations
from qwenchat.errors import InvalidRequest, StoreFull
from qwenchat.store.database import Database
from qwenchat.store.intake import take_in
from qwenchat.store.rows import ConversationRow
from tests.chat.import_samples import (
    bring_in,
    bring_in_value,
    everything,
    plain,
)


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"", "broken at its end"),
        (b"   ", "broken at its end"),
        (b"<html>", "broken at byte 1, line 1"),
        (b"%PDF-1.7", "broken at byte 1, line 1"),
        (b"{}", "neither a JSON export"),
        (b"[1, 2]", "conversation 1: it is no object"),
        (b'{"format": "other", "version": 1, "conversations": []}', "neither a JSON export"),
        (b'{"conversations": []}', "neither a JSON export"),
        (b'"text"', "neither a JSON export"),
        (b"7", "neither a JSON export"),
        (b"\xff\xfe[\x00]\x00", "broken at byte 1, line 1"),
        (b'[\n\n  {"title": nope}]', "broken at byte 17, line 3"),
        (b'["\x01"]', "broken at byte 3"),
        (b'["\xff\xff"]', "broken at byte"),
        (b'["\xed\xbe\x89"]', "broken at byte"),
        (b'[{"a": 123456789012345678901234567890}]', "broken at byte"),
        (b"[" * 3000, "broken at its end"),
        (b"[" * 3000 + b"]" * 3000, "it is no object"),
        (b'{"mapping": {}}', "it has no messages"),
        (b"PK\x03\x04 but no zip", "broken at byte 1"),
    ],
)
def test_a_broken_file_is_refused_with_the_place(
    database: Database, tmp_path: Path, content: bytes, complaint: str
) -> None:
    path = tmp_path / "file.json"
    path.write_bytes(content)
    with pytest.raises(InvalidRequest) as told:
        bring_in(database, path)
    assert complaint in told.value.message and "file.json" in told.value.message
    assert told.value.param == "file"


def test_of_a_file_that_breaks_off_the_whole_conversations_arrive(
    database: Database, tmp_path: Path
) -> None:
    path = tmp_path / "file.json"
    content = json.dumps([plain(f"c{n}", "x" * 3000, f"{n}") for n in range(100)], indent=0)
    at = content.index('"Title of c70"')
    path.write_text(content[:at] + "}" + content[at:])
    report = bring_in(database, path)
    assert report.imported == [f"c{number}" for number in range(70)]
    (failure,) = report.failures
    line = content[:at].count("\n") + 1
    assert f"at byte {at + 1:,}, line {line:,}" in failure.reason
    assert "after 70 whole conversations" in failure.reason
    path.write_text(content[:at])
    report = bring_in(database, path)
    assert report.skipped == 70
    assert f"at its end, byte {at:,}" in report.failures[0].reason


def test_damaged_locked_and_foreign_zips_are_named(database: Database, tmp_path: Path) -> None:
    path = tmp_path / "export.zip"
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("conversations.json", json.dumps([plain("a", "text " * 9999)]))
    whole = bytearray(content.getvalue())

    damaged = bytearray(whole)
    damaged[100:140] = b"\xff" * 40
    path.write_bytes(damaged)
    with pytest.raises(InvalidRequest, match="zip|broken"):
        bring_in(database, path)

    locked = bytearray(whole)
    locked[6] |= 1
    locked[locked.index(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(locked)
    with pytest.raises(InvalidRequest, match="password"):
        bring_in(database, path)

    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("photo.jpg", b"x")
    with pytest.raises(InvalidRequest, match=r"no conversations\.json"):
        bring_in(database, path)


def test_a_file_or_conversation_of_impossible_size_is_refused(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file.json"
    path.write_text(json.dumps([plain("a", "x"), plain("b", "y" * 600_000), plain("c", "z")]))
    monkeypatch.setattr(import_source, "MAX_CONVERSATION_BYTES", 200_000)
    report = bring_in(database, path)
    assert report.imported == ["a"]
    assert "what comes after it was not read" in report.failures[0].reason
    monkeypatch.setattr(import_source, "MAX_BYTES", 1000)
    with pytest.raises(InvalidRequest, match="at most"):
        bring_in(database, path)


def test_text_of_every_kind_arrives_as_text(database: Database, tmp_path: Path) -> None:
    text = (
        "<script>alert(1)</script> <img src=x onerror=alert(1)> \u0001\u0007\u001b[31m\t\r\n "
        "\u202e \ufeff \U0001f468\u200d\U0001f469 \u2028"
    )
    path = tmp_path / "f.json"
    talk = plain("c", text, "nul:\0:", "half:X:")
    talk["title"] = "<b onclick='x'>\n\0title"
    path.write_text(json.dumps([talk]).replace("half:X:", "half:\\ud83d\\ude00\\ude00:"))
    bring_in(database, path)
    row, rows = everything(database)["c"]
    assert row.title == "<b onclick='x'> title"
    assert rows[0].content == text
    assert rows[1].content == "nul::"
    assert rows[2].content == "half:\U0001f600\ufffd:"


def test_halves_of_characters_are_replaced_wherever_the_file_is_cut_into_blocks() -> None:
    values = {
        r"\ud83d": "\ufffd",
        r"\ude00": "\ufffd",
        r"\ud83d\ude00": "\U0001f600",
        r"\uD83D\uDE00": "\U0001f600",
        r"\\ud83d": r"\ud83d",
        r"\\\ud83d": "\\\ufffd",
        r"\ude00\ud83d": "\ufffd\ufffd",
        r"\ud83d\ud83d\ude00": "\ufffd\U0001f600",
        r"\uD83D\u0041\n\u4e2d": "\ufffdA\n中",
        r"\\\\": r"\\",
        r"\\": "\\",
    }
    text = "[{}]".format(", ".join(f'"{value}"' for value in values)).encode()
    for size in [*range(1, 40), 10_000]:
        file = WholeCharacters(io.BytesIO(text))
        found = b""
        while block := file.read(size):
            found += block
        assert json.loads(found) == list(values.values()), size
        assert len(found) == len(text)


def test_a_store_that_fails_ends_the_import_and_starting_again_completes_it(
    database: Database, tmp_path: Path
) -> None:
    path = tmp_path / "f.json"
    path.write_text(json.dumps([plain(f"c{number}", "x", str(number)) for number in range(5)]))
    kept: list[str] = []

    def keep(row: ConversationRow, rows) -> bool:
        if len(kept) == 3:
            raise StoreFull("no room")
        kept.append(row.id)
        return database.write(take_in, row, rows).result()

    with pytest.raises(StoreFull):
        import_conversations(path, keep)
    report = bring_in(database, path)
    assert (report.imported, report.skipped) == (["c3", "c4"], 3)


def test_an_import_can_be_cancelled(database: Database, tmp_path: Path) -> None:
    class Cancelled(Exception):
        pass

    def stop(done: int, total: int) -> None:
        if done > total / 2:
            raise Cancelled

    path = tmp_path / "f.json"
    path.write_text(json.dumps([plain(f"c{n}", "x" * 2000, str(n)) for n in range(300)]))
    with pytest.raises(Cancelled):
        bring_in(database, path, on_progress=stop)
    assert 0 < len(everything(database)) < 300


def test_only_the_first_failures_are_told_and_all_are_counted(
    database: Database, tmp_path: Path
) -> None:
    path = tmp_path / "f.json"
    report = bring_in_value(database, path, [plain("a", "x"), *([{}] * 300)])
    assert (report.failed, len(report.failures)) == (300, 100)


def test_a_large_file_is_read_in_little_memory(tmp_path: Path) -> None:
    path = tmp_path / "large.json"
    with path.open("w") as file:
        file.write("[")
        for number in range(1000):
            talk = plain(f"c{number}", *(f"{part} " + "text " * 100 for part in range(20)))
            file.write(("," if number else "") + json.dumps(talk))
        file.write("]")
    assert path.stat().st_size > 10_000_000
    kept = 0

    def keep(row: ConversationRow, rows) -> bool:
        nonlocal kept
        kept += len(rows)
        return True

    tracemalloc.start()
    import_conversations(path, keep)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert kept == 20_000
    assert peak < 2_000_000
