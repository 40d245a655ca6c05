"""The command line: settings, then the app, and every end told in words."""

from __future__ import annotations

import logging
import os
import shutil
import sys
import textwrap
import threading
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NoReturn

from qwenchat.errors import QwenChatError
from qwenchat.server.data_folder import prepare_data_folder
from qwenchat.server.listen import listen
from qwenchat.server.logs import start_logging
from qwenchat.settings.sources import load_settings
from qwenchat.store.lock import DataFolderLock

EXIT_UNEXPECTED = 1
EXIT_SETUP = 2
EXIT_FORCED = 130

_log = logging.getLogger(__name__)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the app and return the exit status: 0 after a clean stop, 2 for a bad set-up.

    Raises:
        ModuleNotFoundError: A package is not installed.
    """
    log_file: Path | None = None
    try:
        settings = load_settings(arguments)
        prepare_data_folder(settings.data_dir)
        log_file = start_logging(settings.data_dir, settings.log_level)
        lock = DataFolderLock(settings.data_dir)
        listener = listen(settings)
        settings = replace(settings, port=listener.getsockname()[1])
        lock.announce(settings.url)
        # What takes long to import comes after everything that can be refused at once.
        from qwenchat.compose import build_hosting
        from qwenchat.server.serve import serve
        from qwenchat.store.opening import open_store

        hosting = build_hosting(settings)
        opened = open_store(settings.data_dir)
        return 0 if serve(settings, hosting, opened, listener) else EXIT_FORCED
    except QwenChatError as error:
        _complain(error.message)
        return EXIT_SETUP
    except KeyboardInterrupt:
        return 0
    except ModuleNotFoundError:
        raise
    except Exception as error:
        _complain(
            f"QwenChat ended because of an error of its own: {type(error).__name__}: {error}. "
            f"Details are in {log_file}. Start it again, and report this if it repeats."
        )
        logging.getLogger().error("unexpected end", exc_info=error)
        return EXIT_UNEXPECTED


def run() -> NoReturn:
    """:func:`main` as the whole program."""
    status = main()
    if _left_over_threads():
        # A download or conversion on a thread cannot be interrupted and need not be: files
        # are put in place whole. Leaving by the front door would wait for it.
        logging.shutdown()
        sys.stdout.flush()
        os._exit(status)
    sys.exit(status)


def _left_over_threads() -> bool:
    main_thread = threading.main_thread()
    return any(t is not main_thread and not t.daemon for t in threading.enumerate())


def _complain(message: str) -> None:
    width = min(shutil.get_terminal_size().columns, 100)
    # No path is broken, so that it can be copied.
    wrapped = textwrap.fill(message, width, break_long_words=False, break_on_hyphens=False)
    print(wrapped, file=sys.stderr, flush=True)
