"""One app per data folder, so that no two write the same conversations."""

from __future__ import annotations

import errno
import fcntl
import json
import os
from logging import getLogger
from pathlib import Path

from qwenchat.errors import DataFolderInUse, DataFolderUnusable

LOCK_NAME = "qwenchat.lock"

_log = getLogger(__name__)


class DataFolderLock:
    """Holds a data folder for this process until :meth:`release`.

    The kernel releases it when the process ends, however it does, so nothing stale is ever
    left behind; the file itself stays and means nothing.

    Args:
        url: Where the app is or will be, for whoever comes second.

    Raises:
        DataFolderInUse: Another process holds it; the message says which and where.
        DataFolderUnusable: The lock file cannot be made.
    """

    def __init__(self, folder: Path, url: str = "") -> None:
        path = folder / LOCK_NAME
        try:
            self._file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise DataFolderUnusable(
                f"The file {path} cannot be opened: {error.strerror}. Correct its permissions, "
                "or choose another folder with --data-dir.",
                param="data_dir",
            ) from None
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno in (errno.EWOULDBLOCK, errno.EACCES):
                problem = _in_use(self._file, folder)
                os.close(self._file)
                raise problem from None
            # Some network file systems have no locks. That is no reason not to start.
            _log.warning("The data folder %s cannot be locked: %s", folder, error)
        self.announce(url)

    def announce(self, url: str) -> None:
        """Write down where the app is, once that is known."""
        content = json.dumps({"pid": os.getpid(), "url": url}).encode()
        os.ftruncate(self._file, 0)
        os.pwrite(self._file, content, 0)

    def release(self) -> None:
        """Let others use the folder. Calling it again does nothing."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


def _in_use(file: int, folder: Path) -> DataFolderInUse:
    try:
        holder = json.loads(os.pread(file, 4096, 0))
        pid, url = int(holder["pid"]), str(holder["url"])
    except (OSError, ValueError, KeyError, TypeError):
        pid, url = 0, ""
    who = f"another QwenChat (process {pid})" if pid else "another QwenChat"
    open_it = f"Open {url} to use that one, end it" if url else "End that one"
    return DataFolderInUse(
        f"The data folder {folder} is in use by {who}. {open_it}, or choose another folder "
        "with --data-dir.",
        param="data_dir",
    )
