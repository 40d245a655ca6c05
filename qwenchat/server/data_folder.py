"""The folder that holds everything QwenChat keeps: made and tried before anything starts."""

from __future__ import annotations

import secrets
from pathlib import Path

from qwenchat.errors import DataFolderUnusable


def prepare_data_folder(folder: Path) -> None:
    """Make ``folder``, readable by its owner only, and try to list, write and read in it.

    Raises:
        DataFolderUnusable: One of these does not work; the message says which and why.
    """
    probe = folder / f".probe-{secrets.token_hex(4)}"
    doing = "made"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        doing = "read"
        next(folder.iterdir(), None)
        doing = "written to"
        probe.write_bytes(b"probe")
        probe.unlink()
    except OSError as error:
        reason = error.strerror or str(error)
        if doing == "made" and folder.exists():
            reason = "there is a file of that name"
        raise DataFolderUnusable(
            f"The data folder {folder} cannot be {doing}: {reason}. Choose another one with "
            "--data-dir, or correct this one's permissions.",
            param="data_dir",
        ) from None
