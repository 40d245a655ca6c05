"""The data folder, its lock, its database, and the port: looked at, never changed."""

from __future__ import annotations

import fcntl
import json
import os
import secrets
import sqlite3
from dataclasses import dataclass
from pathlib import Path

from qwenchat.doctor.machine import nearest_folder
from qwenchat.doctor.subject import Subject
from qwenchat.errors import QwenChatError
from qwenchat.store.connections import DATABASE_NAME
from qwenchat.store.failures import store_error
from qwenchat.store.lock import LOCK_NAME
from qwenchat.store.recovery import find_damage

BUSY_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class Holder:
    """The QwenChat that has the data folder; ``pid`` is 0 when it has not said."""

    pid: int
    url: str
    is_this: bool


@dataclass(frozen=True, slots=True)
class Data:
    """What was found.

    Attributes:
        folder: The data folder.
        exists: It is there.
        refused: Why it cannot be used, in the system's words; empty when it can.
        holder: Who holds it; None when nobody does.
        database_bytes: Size of the database; None when there is none.
        damage: What is wrong with its content, in SQLite's words; empty when nothing is.
        unreadable: Why it cannot be looked at, in words to show; empty when it can.
    """

    folder: Path
    exists: bool
    refused: str = ""
    holder: Holder | None = None
    database_bytes: int | None = None
    damage: str = ""
    unreadable: str = ""


def read_data(subject: Subject) -> Data:
    """Look at the data folder; nothing in it is different afterwards."""
    folder = subject.data_dir
    refused = _refusal(folder)
    if not os.path.isdir(folder):
        return Data(folder, False, refused)
    path = folder / DATABASE_NAME
    try:
        size = path.stat().st_size
    except OSError:
        return Data(folder, True, refused, find_holder(folder))
    damage = unreadable = ""
    try:
        damage = find_damage(path, thorough=False, busy_seconds=BUSY_SECONDS) or ""
    except sqlite3.Error as error:
        unreadable = store_error(error, path).message
    except QwenChatError as error:
        unreadable = error.message
    except OSError as error:
        unreadable = f"{path} cannot be read: {error.strerror}."
    return Data(folder, True, refused, find_holder(folder), size, damage, unreadable)


def _refusal(folder: Path) -> str:
    if os.path.isfile(folder):
        return "there is a file of that name"
    if not os.path.isdir(folder):
        parent = nearest_folder(folder)
        if any(os.path.isfile(path) for path in folder.parents):
            return "one of its parents is a file"
        return "" if os.access(parent, os.W_OK | os.X_OK) else f"no right to write in {parent}"
    probe = folder / f".probe-{secrets.token_hex(4)}"
    try:
        next(folder.iterdir(), None)
        probe.write_bytes(b"probe")
        probe.unlink()
    except OSError as error:
        return error.strerror or str(error)
    return ""


def find_holder(folder: Path) -> Holder | None:
    """Who holds the data folder ``folder``; None when nobody does."""
    try:
        file = os.open(folder / LOCK_NAME, os.O_RDONLY)
    except OSError:
        return None
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return _announced(file)
    except OSError:
        # A file system without locks.
        return None
    finally:
        os.close(file)
    return None


def _announced(file: int) -> Holder:
    try:
        said = json.loads(os.pread(file, 4096, 0))
        pid, url = int(said["pid"]), str(said["url"])
    except (OSError, ValueError, KeyError, TypeError):
        return Holder(0, "", is_this=False)
    return Holder(pid, url, is_this=pid == os.getpid())
