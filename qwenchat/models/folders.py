"""Folders that appear whole or not at all, whoever is killed when.

Everything is built in a hidden folder beside its destination, flushed to the disk and
renamed into place. A lock file keeps builders of the same destination apart; the
operating system drops the lock with its process, so a killed one blocks nobody.
"""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from qwenchat.errors import DataFolderUnusable, DiskFull

_FULL = {errno.ENOSPC, errno.EDQUOT}
_REFUSED = {errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR, errno.EEXIST}


@contextmanager
def disk_errors(folder: Path, purpose: str) -> Iterator[None]:
    """Turn the disk's refusals inside the block into typed errors.

    Args:
        folder: Where is written.
        purpose: What for, as in "there is no room for …".

    Raises:
        DiskFull: No space left, or over quota.
        DataFolderUnusable: No right to write, a read-only disk, or a file in the way.
    """
    try:
        yield
    except OSError as error:
        if error.errno in _FULL:
            raise DiskFull(
                f"The disk that holds {folder} has no room for {purpose}. Free some space, "
                "or choose a folder on another disk with --data-dir, and start again."
            ) from error
        if error.errno in _REFUSED:
            raise DataFolderUnusable(
                f"{folder} cannot be written, which is needed for {purpose} "
                f"({error.strerror}). Give this user the right to write there, or choose "
                "another folder with --data-dir."
            ) from error
        if error.errno == errno.EFBIG:
            raise DataFolderUnusable(
                f"The disk that holds {folder} takes no file as large as {purpose} needs (FAT "
                "disks end at 4 GB, and some users have a limit). Choose a folder on another "
                "disk with --data-dir."
            ) from error
        raise


def building_path(destination: Path) -> Path:
    """Where ``destination`` is built."""
    return destination.with_name(f".{destination.name}.part")


def replaced_path(destination: Path) -> Path:
    """Where what was at ``destination`` goes until it is deleted."""
    return destination.with_name(f".{destination.name}.replaced")


def leftovers(destination: Path) -> list[Path]:
    """What an interrupted :func:`build_folder` left beside ``destination``."""
    paths = [building_path(destination), replaced_path(destination)]
    return [path for path in paths if path.exists()]


def lock_path(destination: Path) -> Path:
    """The file that :func:`destination_lock` locks; remove it only while holding the lock."""
    return destination.with_name(f".{destination.name}.lock")


@contextmanager
def destination_lock(
    destination: Path, on_wait: Callable[[], None] | None = None
) -> Iterator[None]:
    """Hold the only right to build ``destination``, waiting for another holder to end.

    Blocks the calling thread, and excludes threads of this process as well. ``on_wait`` is
    called once when there is another holder; what it raises ends the wait.
    """
    destination.parent.mkdir(parents=True, exist_ok=True)
    path = lock_path(destination)
    while True:
        with path.open("w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if on_wait is not None:
                    on_wait()
                    on_wait = None
                fcntl.flock(lock, fcntl.LOCK_EX)
            if _is_at(lock.fileno(), path):
                yield
                return
            # The holder before removed the file: somebody else may lock a new one.


def _is_at(descriptor: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except FileNotFoundError:
        return False


def build_folder(destination: Path, fill: Callable[[Path], None]) -> None:
    """Make ``destination`` anew from what ``fill`` puts into the folder it is given.

    Call it under :func:`destination_lock`. A destination that exists is replaced at the
    very end. When ``fill`` raises, what it made is removed and the destination is as before.
    """
    for path in leftovers(destination):
        shutil.rmtree(path)
    building = building_path(destination)
    building.mkdir()
    try:
        fill(building)
        put_in_place(building, destination)
    except BaseException:
        shutil.rmtree(building, ignore_errors=True)
        raise


def put_in_place(building: Path, destination: Path) -> None:
    """Flush ``building`` to the disk and rename it to ``destination``, replacing that."""
    for path in sorted(building.rglob("*")):
        _flush(path)
    _flush(building)
    replaced = replaced_path(destination)
    if destination.is_symlink() or destination.is_file():
        destination.unlink()
    elif destination.exists():
        os.replace(destination, replaced)
    os.replace(building, destination)
    _flush(destination.parent)
    shutil.rmtree(replaced, ignore_errors=True)


def _flush(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
