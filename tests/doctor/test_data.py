"""The data folder, its lock and database, and the port."""

from __future__ import annotations

import contextlib
import fcntl
import os
import socket
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from qwenchat.doctor.check_data import check_data, port
from qwenchat.doctor.data import Data, Holder, read_data
from qwenchat.doctor.outcome import Status
from qwenchat.doctor.port import Port, read_port
from qwenchat.doctor.subject import Subject
from qwenchat.store.connections import DATABASE_NAME
from qwenchat.store.lock import DataFolderLock
from qwenchat.store.migrations import APPLICATION_ID
from qwenchat.store.opening import open_store
from tests.doctor.worlds import by_name, data
from tests.store.samples import keep

PROJECT = Path(__file__).resolve().parents[2]
NOBODY = 65534
HOLD = """
import sys
from pathlib import Path
from qwenchat.store.lock import DataFolderLock
lock = DataFolderLock(Path(sys.argv[1]), "http://127.0.0.1:7861")
print("held", flush=True)
sys.stdin.read()
"""
AS_NOBODY = f"""
import os, sys
from pathlib import Path
from qwenchat.doctor.data import read_data
from qwenchat.doctor.subject import Subject
if os.geteuid() == 0:
    os.setuid({NOBODY})
print(read_data(Subject(Path(sys.argv[1]))).refused)
"""


# ---- judged


def test_a_folder_of_its_own_with_a_whole_database_is_all_right() -> None:
    assert {check.status for check in check_data(data())} == {Status.OK}


@pytest.mark.parametrize(
    ("changes", "name", "status", "part"),
    [
        ({"refused": "Read-only file system"}, "data folder", "problem", "--data-dir"),
        ({"holder": Holder(7, "http://x", False)}, "lock", "warning", "--data-dir"),
        ({"holder": Holder(0, "", False)}, "lock", "warning", "--data-dir"),
        ({"holder": Holder(7, "http://x", True)}, "lock", "ok", ""),
        ({"damage": "malformed"}, "database", "problem", "Start QwenChat"),
        ({"unreadable": "It is newer."}, "database", "problem", "newer"),
        ({"database_bytes": None}, "database", "ok", ""),
        ({"exists": False}, "data folder", "ok", ""),
    ],
)
def test_what_is_wrong_with_the_data_is_named(
    changes: dict[str, Any], name: str, status: str, part: str
) -> None:
    check = by_name(check_data(data(**changes)))[name]
    assert check.status == status
    assert part in check.fix


def test_a_locked_folder_names_who_has_it_and_where() -> None:
    world = data(holder=Holder(7, "http://127.0.0.1:7861", is_this=False))
    summary = by_name(check_data(world))["lock"].summary
    assert "process 7" in summary
    assert "http://127.0.0.1:7861" in summary


@pytest.mark.parametrize(
    ("found", "status"),
    [
        (Port("127.0.0.1", 7860), "ok"),
        (Port("127.0.0.1", 0), "ok"),
        (Port("127.0.0.1", 7860, "In use. Take another.", in_use=True), "warning"),
        (Port("127.0.0.1", 7860, "In use. Take another.", in_use=True, is_this=True), "ok"),
        (Port("127.0.0.1", 80, "Reserved. Take another."), "problem"),
    ],
)
def test_the_port_is_free_taken_or_forbidden(found: Port, status: str) -> None:
    check = port(found)
    assert check.status == status
    assert check.fix == ("" if status == "ok" else "Take another.")


# ---- read


def _read(folder: Path) -> Data:
    return read_data(Subject(folder))


def test_a_folder_that_is_not_made_yet_is_not_made_by_looking(tmp_path: Path) -> None:
    found = _read(tmp_path / "deep" / "data")
    assert (found.exists, found.refused) == (False, "")
    assert list(tmp_path.iterdir()) == []


def test_looking_leaves_the_folder_as_it_was(tmp_path: Path) -> None:
    opened = open_store(tmp_path)
    keep(opened.database, "c", "hello")
    opened.database.close()
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    found = _read(tmp_path)
    assert (found.damage, found.unreadable, found.holder) == ("", "", None)
    assert found.database_bytes == len(before[DATABASE_NAME])
    after = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert {name: after[name] for name in before} == before
    # Whoever reads a database in WAL mode makes these two; they hold nothing.
    assert after.keys() - before.keys() <= {f"{DATABASE_NAME}-wal", f"{DATABASE_NAME}-shm"}
    assert after.get(f"{DATABASE_NAME}-wal", b"") == b""


@pytest.mark.parametrize("kind", ["a file", "below a file"])
def test_a_file_in_the_way_is_told(tmp_path: Path, kind: str) -> None:
    (tmp_path / "file").write_text("x")
    folder = tmp_path / "file" if kind == "a file" else tmp_path / "file" / "data"
    assert "a file" in _read(folder).refused


@pytest.mark.parametrize(
    ("mode", "below", "told"),
    [
        (0o555, ".", "Permission denied"),
        (0o555, "data", "no right to write in {}"),
        (0o000, "data", "no right to write in {}"),
    ],
)
def test_a_folder_without_the_right_to_write_is_told(
    tmp_path: Path, mode: int, below: str, told: str
) -> None:
    folder = tmp_path / "closed"
    folder.mkdir()
    folder.chmod(mode)
    # Root may write anything, so the child becomes somebody else.
    for parent in (tmp_path, *tmp_path.parents[:3]):
        parent.chmod(parent.stat().st_mode | 0o055)
    ran = subprocess.run(
        [sys.executable, "-c", AS_NOBODY, str(folder / below)],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    folder.chmod(0o755)
    assert ran.stdout.strip() == told.format(folder)


def test_a_folder_held_by_another_process_is_told(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path)],
        cwd=PROJECT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as other:
        assert other.stdout.readline() == "held\n"
        found = _read(tmp_path).holder
        assert found == Holder(other.pid, "http://127.0.0.1:7861", is_this=False)
        other.communicate()
    assert _read(tmp_path).holder is None


def test_a_folder_held_by_this_process_is_known(tmp_path: Path) -> None:
    lock = DataFolderLock(tmp_path)
    assert _read(tmp_path).holder == Holder(os.getpid(), "", is_this=True)
    lock.release()


def test_looking_does_not_take_the_lock(tmp_path: Path) -> None:
    DataFolderLock(tmp_path).release()
    assert _read(tmp_path).holder is None
    DataFolderLock(tmp_path).release()


def test_a_damaged_database_is_told_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / DATABASE_NAME
    path.write_bytes(b"SQLite format 3\0" + b"garbage" * 1000)
    before = path.read_bytes()
    found = _read(tmp_path)
    assert found.damage
    assert path.read_bytes() == before
    assert [entry.name for entry in tmp_path.iterdir()] == [DATABASE_NAME]


def test_a_database_of_a_newer_version_is_told(tmp_path: Path) -> None:
    with contextlib.closing(sqlite3.connect(tmp_path / DATABASE_NAME)) as database:
        database.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        database.execute("PRAGMA user_version = 99")
        database.execute("CREATE TABLE theirs (value)")
        database.commit()
    assert "newer" in _read(tmp_path).unreadable


def test_the_port_of_another_program_is_in_use(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        number = listener.getsockname()[1]
        found = read_port(Subject(tmp_path, port=number))
        assert (found.in_use, found.is_this) == (True, False)
        assert str(number) in found.refused
        lock = DataFolderLock(tmp_path)
        assert read_port(Subject(tmp_path, port=number)).is_this
        lock.release()
    assert read_port(Subject(tmp_path, port=number)).refused == ""


def test_an_address_of_another_machine_is_refused(tmp_path: Path) -> None:
    found = read_port(Subject(tmp_path, host="192.0.2.1"))
    assert (found.in_use, "no address of this machine" in found.refused) == (False, True)


def test_a_file_system_without_locks_is_no_reason_to_complain(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_locks(*_: object) -> None:
        raise OSError(38, "Function not implemented")

    DataFolderLock(tmp_path).release()
    monkeypatch.setattr(fcntl, "flock", no_locks)
    assert _read(tmp_path).holder is None
