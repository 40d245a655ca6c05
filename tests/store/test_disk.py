"""A full disk and a file that cannot be written lose nothing and say so."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from qwenchat.errors import (
    StoreError,
)
from qwenchat.store.conversations import (
    load_conversation,
)
from qwenchat.store.messages import append_text, insert_messages
from qwenchat.store.opening import open_store
from tests.store.samples import growing, keep

PROJECT = Path(__file__).resolve().parents[2]
NOBODY = 65534
READ_ONLY = f"""
import os, sys
from pathlib import Path
from qwenchat.errors import StoreReadOnly
from qwenchat.store.conversations import rename_conversation
from qwenchat.store.opening import open_store
from qwenchat.store.search import search

if os.geteuid() == 0:
    os.setuid({NOBODY})
database = open_store(Path(sys.argv[1])).database
try:
    database.write(rename_conversation, "c", "x").result()
except StoreReadOnly as error:
    print(error.message)
print(len(database.read(search, "needle").result().hits), "hits")
database.close()
"""


def test_a_database_that_cannot_be_written_can_be_read(tmp_path: Path) -> None:
    database = open_store(tmp_path).database
    keep(database, "c", "needle")
    database.close()
    database.path.chmod(0o444)
    # Root may write anything, so the child becomes somebody else, who owns the folder.
    for folder in tmp_path.parents[:3]:
        folder.chmod(folder.stat().st_mode | 0o011)
    if os.geteuid() == 0:
        os.chown(tmp_path, NOBODY, NOBODY)
    ran = subprocess.run(
        [sys.executable, "-c", READ_ONLY, str(tmp_path)],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert "cannot be written" in ran.stdout, ran
    assert "1 hits" in ran.stdout


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 2 MB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(folder)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True).returncode != 0:
        pytest.skip("needs root to mount a small file system")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


def fill(ballast: Path) -> None:
    """Leave no room on the disk."""
    with pytest.raises(OSError), ballast.open("wb", buffering=0) as file:
        while True:
            file.write(b"x" * 4096)


def test_a_full_disk_loses_nothing_and_saving_works_again_when_there_is_room(
    small_disk: Path,
) -> None:
    database = open_store(small_disk).database
    reply = growing(keep(database, "c", "question")[0])
    database.write(insert_messages, [reply]).result()
    ballast = small_disk / "ballast"
    text = ""
    fill(ballast)
    with pytest.raises(StoreError):
        for _ in range(1000):
            database.write(append_text, "reply", len(text), "0123456789" * 100).result()
            text += "0123456789" * 100
    _, rows = database.read(load_conversation, "c").result()
    assert rows[-1].content == text, "what was said to be saved is, what was not is not"
    ballast.unlink()
    length = database.write(append_text, "reply", len(text), "the rest").result()
    assert length == len(text) + 8
    database.close()
    opened = open_store(small_disk)
    assert opened.recovery is None
    _, rows = opened.database.read(load_conversation, "c").result()
    assert rows[-1].content == text + "the rest"
    opened.database.close()


def test_a_full_disk_at_the_first_start_is_named(small_disk: Path) -> None:
    fill(small_disk / "ballast")
    with pytest.raises(StoreError):
        open_store(small_disk)
    assert [file.name for file in small_disk.iterdir()] == ["ballast"]
