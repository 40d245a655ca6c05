"""Whatever is done to the file, what is left of it is there, and the file is kept as it was."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from qwenchat.errors import StoreDamaged, StoreError
from qwenchat.store.listing import list_summaries
from qwenchat.store.opening import open_store
from qwenchat.store.search import search
from tests.store.damage import (
    CHATS,
    NAME,
    PAGE,
    Texts,
    check,
    fill,
    overwrite,
    root_page,
    stored,
)
from tests.store.samples import keep


@pytest.mark.parametrize(
    "spoil",
    [
        lambda path: overwrite(path, 0, b"\0" * 16),
        lambda path: overwrite(path, 0, random.Random(1).randbytes(100)),
        lambda path: overwrite(path, 0, random.Random(2).randbytes(PAGE)),
        lambda path: overwrite(path, 0, b"\0" * PAGE),
        lambda path: overwrite(path, (root_page(path, "messages") - 1) * PAGE, b"\xff" * PAGE),
        lambda path: overwrite(path, (root_page(path, "messages") - 1) * PAGE, b"\0" * PAGE),
    ],
    ids=["no magic", "header", "first page", "first page zero", "root", "root zero"],
)
def test_no_message_is_lost_with_the_pages_that_only_lead_to_them(
    damaged: Path, filled: tuple[Path, Texts], spoil: Callable[[Path], bytes]
) -> None:
    before = spoil(damaged)
    opened = open_store(damaged.parent)
    assert check(opened, before, filled[1]) == 0
    assert {item.title for item in opened.database.read(list_summaries).result().items} == {
        f"Chat {number}" for number in range(CHATS)
    }
    assert opened.database.read(search, "第").result().hits
    opened.database.close()
    again = open_store(damaged.parent)
    assert again.recovery is None
    again.database.close()


@pytest.mark.parametrize("seed", range(12))
def test_a_garbage_page_costs_what_is_on_it_and_no_more(
    damaged: Path, filled: tuple[Path, Texts], seed: int
) -> None:
    choose = random.Random(seed)
    page = choose.randrange(1, damaged.stat().st_size // PAGE)
    garbage = choose.choice([choose.randbytes(PAGE), b"\0" * PAGE, b"\x0d" + b"\xff" * 4095])
    before = overwrite(damaged, page * PAGE, garbage)
    opened = open_store(damaged.parent)
    if opened.recovery is None:
        # The page held only a stretch of one long text, which nothing can tell.
        changed = [key for key, text in stored(opened.database).items() if text != filled[1][key]]
        assert len(changed) <= 1
    else:
        # At most the rows of one page, and one text that went on there.
        assert check(opened, before, filled[1]) <= PAGE // 100
    opened.database.close()


@pytest.mark.parametrize("share", [0.9, 0.5, 0.2])
def test_of_a_truncated_file_the_part_that_is_there_is_kept(
    damaged: Path, filled: tuple[Path, Texts], share: float
) -> None:
    content = damaged.read_bytes()
    before = content[: int(len(content) * share) + 77]
    damaged.write_bytes(before)
    opened = open_store(damaged.parent)
    lost = check(opened, before, filled[1])
    assert lost < len(filled[1]) * (1.15 - share)
    opened.database.close()


def test_an_empty_file_is_damage_and_the_app_starts(tmp_path: Path) -> None:
    fill(tmp_path)
    (tmp_path / NAME).write_bytes(b"")
    opened = open_store(tmp_path)
    assert check(opened, b"", {}) == 0
    keep(opened.database, "new", "text")
    opened.database.close()


def killed_while_open(folder: Path) -> tuple[Path, Path]:
    """A database and its log as a killed process leaves them: all rows are in the log."""
    live = folder / "live"
    live.mkdir()
    database = open_store(live).database
    keep(database, "c", "question", "answer", title="In the log")
    path = folder / NAME
    log = folder / f"{NAME}-wal"
    shutil.copyfile(live / NAME, path)
    shutil.copyfile(live / f"{NAME}-wal", log)
    database.close()
    return path, log


def test_an_empty_or_missing_file_is_saved_from_its_log(tmp_path: Path) -> None:
    path, log = killed_while_open(tmp_path)
    log_before = log.read_bytes()
    for way in ("empty", "missing"):
        if way == "empty":
            path.write_bytes(b"")
        else:
            path.unlink()
            log.write_bytes(log_before)
        opened = open_store(tmp_path)
        assert opened.recovery is not None
        assert stored(opened.database) == {"c-0": "question", "c-1": "answer"}
        damaged_file = opened.recovery.damaged_file
        assert damaged_file.with_name(damaged_file.name + "-wal").read_bytes() == log_before
        opened.database.close()


def test_without_its_log_a_file_is_what_it_was_at_the_last_checkpoint(tmp_path: Path) -> None:
    path, log = killed_while_open(tmp_path)
    log.unlink()
    opened = open_store(tmp_path)
    assert opened.recovery is None
    opened.database.close()
    assert path.exists()


def test_a_garbage_log_is_kept_aside_and_told(damaged: Path, filled: tuple[Path, Texts]) -> None:
    log = damaged.with_name(f"{NAME}-wal")
    garbage = random.Random(4).randbytes(9000)
    log.write_bytes(garbage)
    before = damaged.read_bytes()
    opened = open_store(damaged.parent)
    assert check(opened, before, filled[1]) == 0
    damaged_file = opened.recovery.damaged_file
    assert damaged_file.with_name(damaged_file.name + "-wal").read_bytes() == garbage
    opened.database.close()


def test_a_log_that_ends_in_garbage_counts_up_to_there(tmp_path: Path) -> None:
    _, log = killed_while_open(tmp_path)
    with log.open("ab") as file:
        file.write(random.Random(4).randbytes(5000))
    opened = open_store(tmp_path)
    assert opened.recovery is None
    assert stored(opened.database) == {"c-0": "question", "c-1": "answer"}
    opened.database.close()


def test_a_file_that_is_no_database_at_all_is_kept_aside(tmp_path: Path) -> None:
    before = random.Random(9).randbytes(50_000)
    (tmp_path / NAME).write_bytes(before)
    opened = open_store(tmp_path)
    assert check(opened, before, {}) == 0
    opened.database.close()


def test_random_damage_never_stops_the_app_or_changes_the_file(
    damaged: Path, filled: tuple[Path, Texts]
) -> None:
    content = damaged.read_bytes()
    for seed in range(15):
        choose = random.Random(100 + seed)
        harmed = bytearray(content)
        for _ in range(choose.randint(1, 30)):
            start = choose.randrange(len(content))
            size = choose.choice([1, 8, 200, 3 * PAGE])
            harmed[start : start + size] = choose.randbytes(len(harmed[start : start + size]))
        for file in damaged.parent.iterdir():
            file.unlink()
        damaged.write_bytes(harmed)
        try:
            opened = open_store(damaged.parent)
        except StoreError as error:
            # Version or kind of the file were hit: it is refused, and left alone.
            assert error.code in ("store_too_new", "store_error"), error
            assert damaged.read_bytes() == harmed
            continue
        if opened.recovery:
            assert opened.recovery.damaged_file.read_bytes() == harmed
        try:
            stored(opened.database)
        except StoreDamaged:
            # Met only in use: the next start saves what can be read.
            opened.database.close()
            opened = open_store(damaged.parent)
            assert opened.recovery
            stored(opened.database)
        opened.database.close()
