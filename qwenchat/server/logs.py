"""Where the log goes: all of it to a file, and our own errors, briefly, to the terminal."""

from __future__ import annotations

import logging
from logging.handlers import RotatingFileHandler
from pathlib import Path

LOG_FILE = "qwenchat.log"
MAX_LOG_BYTES = 5 * 2**20


def start_logging(data_dir: Path, level: str) -> Path:
    """Log from now on.

    Args:
        data_dir: A folder that can be written to.
        level: A level's name, in any case; libraries log warnings and errors only.

    Returns:
        The log file.
    """
    file = data_dir / LOG_FILE
    to_file = RotatingFileHandler(
        file, maxBytes=MAX_LOG_BYTES, backupCount=2, encoding="utf-8", delay=True
    )
    to_file.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    to_terminal = logging.StreamHandler()
    to_terminal.setLevel(logging.ERROR)
    to_terminal.setFormatter(_Brief("%(message)s"))
    logging.basicConfig(level=logging.WARNING, handlers=[to_file], force=True)
    logging.captureWarnings(True)
    ours = logging.getLogger("qwenchat")
    ours.setLevel(level.upper())
    ours.addHandler(to_terminal)
    return file


class _Brief(logging.Formatter):
    """One line a record: tracebacks are for the file."""

    def format(self, record: logging.LogRecord) -> str:
        return record.getMessage()
