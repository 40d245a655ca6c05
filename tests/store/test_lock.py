"""Two apps never share a data folder, and a dead one leaves nothing behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from qwenchat.errors import DataFolderInUse, DataFolderUnusable
from qwenchat.store.lock import LOCK_NAME, DataFolderLock

PROJECT = Path(__file__).resolve().parents[2]
URL = "http://127.0.0.1:7860"
HOLDER = """
import sys, time
from pathlib import Path
from qwenchat.store.lock import DataFolderLock
lock = DataFolderLock(Path(sys.argv[1]))
lock.announce(sys.argv[2])
print("held", flush=True)
time.sleep(60)
"""


def test_the_second_app_is_told_which_one_and_where(tmp_path: Path) -> None:
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(tmp_path), URL],
        cwd=PROJECT,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(DataFolderInUse) as told:
            DataFolderLock(tmp_path)
        assert f"(process {holder.pid})" in told.value.message
        assert URL in told.value.message and "--data-dir" in told.value.message
        assert told.value.param == "data_dir"
    finally:
        holder.send_signal(signal.SIGKILL)
        holder.communicate()
    DataFolderLock(tmp_path).release()


def test_one_process_cannot_hold_a_folder_twice(tmp_path: Path) -> None:
    lock = DataFolderLock(tmp_path, URL)
    with pytest.raises(DataFolderInUse, match=f"process {os.getpid()}"):
        DataFolderLock(tmp_path)
    lock.release()
    lock.release()
    again = DataFolderLock(tmp_path)
    again.release()


@pytest.mark.parametrize("content", [b"", b"junk", b"[]", b'{"pid": "x"}', b"\xff" * 9000])
def test_a_lock_file_that_says_nothing_is_no_hindrance(tmp_path: Path, content: bytes) -> None:
    (tmp_path / LOCK_NAME).write_bytes(content)
    lock = DataFolderLock(tmp_path)
    (tmp_path / LOCK_NAME).write_bytes(content)
    with pytest.raises(DataFolderInUse, match="another QwenChat"):
        DataFolderLock(tmp_path)
    lock.release()


def test_children_do_not_keep_the_folder(tmp_path: Path) -> None:
    lock = DataFolderLock(tmp_path)
    child = subprocess.Popen(["sleep", "60"], close_fds=False)
    lock.release()
    try:
        DataFolderLock(tmp_path).release()
    finally:
        child.kill()
        child.wait()


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataFolderUnusable, match="--data-dir"):
        DataFolderLock(tmp_path / "nowhere")
