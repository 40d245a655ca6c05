"""Arguments that the commands share, and the settings that come of them."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from qwenchat.errors import InvalidSetting
from qwenchat.models.offline import asked_offline
from qwenchat.settings.sources import load_settings

_SHARED = ("data_dir", "endpoint", "config")


@dataclass(frozen=True, slots=True)
class Places:
    """Where models lie and come from.

    Attributes:
        data_dir: The data folder.
        endpoint: The hub's address; None for the usual one.
        offline: Leave the network alone.
        given: The shared flags as they were given, for a command line that goes on from here.
    """

    data_dir: Path
    endpoint: str | None
    offline: bool
    given: tuple[str, ...]

    @property
    def models_dir(self) -> Path:
        """The folder of all models."""
        return self.data_dir / "models"


class Parser(argparse.ArgumentParser):
    """A parser whose complaints are ours."""

    def error(self, message: str) -> NoReturn:
        """Refuse the command line."""
        text = message[0].upper() + message[1:]
        raise InvalidSetting(f"{text}. Run {self.prog} --help to see how it is used.")


def add_places(parser: argparse.ArgumentParser) -> None:
    """Add the flags that :func:`places` reads. They also have their QWENCHAT_ variables."""
    parser.add_argument("--data-dir", metavar="DIR", help="Folder for models and all else.")
    parser.add_argument("--config", metavar="FILE", help="Settings file, as for the app.")
    parser.add_argument("--endpoint", metavar="URL", help="Address of the ModelScope server.")
    parser.add_argument(
        "--offline", action="store_true", help="Leave the network alone (QWENCHAT_OFFLINE=1)."
    )


def places(asked: argparse.Namespace) -> Places:
    """The settings that hold, from the same sources as the app's.

    Raises:
        InvalidSetting: One of them has a bad value.
    """
    given: list[str] = []
    for name in _SHARED:
        value = getattr(asked, name)
        if value is not None:
            given += ["--" + name.replace("_", "-"), value]
    settings = load_settings(given)
    offline = asked.offline or settings.offline or asked_offline()
    return Places(settings.data_dir, settings.endpoint, offline, tuple(given))
