"""Files beside the database that are there whole or not at all."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path


def copy_database(connection: sqlite3.Connection, target: Path) -> None:
    """Copy the database to the file ``target``, which appears whole and on the disk.

    Raises:
        sqlite3.Error: It cannot be read, or there is no room.
        OSError: The file cannot be made.
    """
    part = target.with_name(target.name + ".part")
    part.unlink(missing_ok=True)
    try:
        copy = sqlite3.connect(part)
        try:
            connection.backup(copy)
        finally:
            copy.close()
        put_in_place(part, target)
    finally:
        part.unlink(missing_ok=True)


def put_in_place(part: Path, target: Path) -> None:
    """Rename a finished file so that after a power failure it is there whole or not at all.

    Raises:
        OSError: It cannot be written out or renamed.
    """
    with part.open("rb") as file:
        os.fsync(file.fileno())
    part.replace(target)
    folder = os.open(target.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
