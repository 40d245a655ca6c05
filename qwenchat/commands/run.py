"""The commands by name, and every end of one told in words."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import NoReturn

from qwenchat.commands import download, models
from qwenchat.commands.words import complain
from qwenchat.errors import ModelNotFound, QwenChatError, RequestError, SetupError

EXIT_FAILED = 1
EXIT_ASKED_WRONGLY = 2
EXIT_INTERRUPTED = 130

COMMANDS: dict[str, Callable[[Sequence[str]], int]] = {
    "download": download.main,
    "models": models.main,
}


def main(arguments: Sequence[str]) -> int:
    """Run one command, whose name is the first of ``arguments``; returns the exit status."""
    name, *rest = arguments
    try:
        return COMMANDS[name](rest)
    except (SetupError, RequestError, ModelNotFound) as error:
        complain(error.message)
        return EXIT_ASKED_WRONGLY
    except QwenChatError as error:
        complain(error.message)
        return EXIT_FAILED
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED


def run(arguments: Sequence[str]) -> NoReturn:
    """:func:`main` as the whole program."""
    sys.exit(main(arguments))
