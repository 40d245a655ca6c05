"""Showing a folder in the file manager of this machine."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path

from qwenchat.errors import InvalidRequest
from qwenchat.settings import Settings, is_loopback

_OPENERS = {"linux": "xdg-open", "darwin": "open", "win32": "explorer"}
_DISPLAYS = ("DISPLAY", "WAYLAND_DISPLAY")
_SECONDS = 3.0
"""To wait for the opener: some end at once, others only with the window they have opened."""


def find_opener(
    settings: Settings,
    environment: Mapping[str, str] | None = None,
    platform: str = sys.platform,
) -> str | None:
    """The program that opens folders; None where nobody would see it.

    That is: without a desktop, or when the app serves other machines, whose people sit
    somewhere else.
    """
    values = os.environ if environment is None else environment
    has_desktop = platform != "linux" or any(values.get(name) for name in _DISPLAYS)
    opener = _OPENERS.get(platform)
    if opener is None or not has_desktop or not is_loopback(settings.host):
        return None
    return shutil.which(opener, path=values.get("PATH"))


def reveal(folder: Path, settings: Settings) -> None:
    """Have the file manager show a folder; waits for a moment, so not on the event loop.

    Raises:
        InvalidRequest: There is no file manager that could; the message gives the path.
    """
    opener = find_opener(settings)
    if opener is None:
        raise InvalidRequest(
            f"This machine has no desktop on which the folder could be shown. It is {folder}."
        )
    if not folder.is_dir():
        raise InvalidRequest(f"The folder {folder} is not there yet: choose the model first.")
    try:
        process = subprocess.Popen(
            [opener, str(folder)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            # It is to outlive the app, and Ctrl-C in its terminal.
            start_new_session=True,
        )
    except OSError as error:
        raise _not_shown(folder, error.strerror or "it does not start") from error
    try:
        status = process.wait(_SECONDS)
    except subprocess.TimeoutExpired:
        threading.Thread(target=process.wait, daemon=True).start()
        return
    # Explorer says 1 when all is well.
    if status and not opener.endswith("explorer.exe"):
        raise _not_shown(folder, f"exit status {status}")


def _not_shown(folder: Path, reason: str) -> InvalidRequest:
    return InvalidRequest(
        f"The file manager did not show the folder ({reason}). Open it yourself: {folder}."
    )
