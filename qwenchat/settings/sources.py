"""The settings that hold: each from the strongest source that names it.

Defaults are weakest, then ``config.toml`` in the data folder (or ``--config FILE``), then
``QWENCHAT_*`` environment variables, then flags.
"""

from __future__ import annotations

import argparse
import difflib
import os
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from qwenchat import __version__
from qwenchat.errors import InvalidSetting, LoginMissing
from qwenchat.settings import ENVIRONMENT_PREFIX, OPTIONS, Option, Settings, is_loopback

CONFIG_FILE = "config.toml"

_BY_NAME = {option.name: option for option in OPTIONS}


def load_settings(
    arguments: Sequence[str] | None = None, environment: Mapping[str, str] | None = None
) -> Settings:
    """The settings that hold, from command line, environment, settings file and defaults.

    Args:
        arguments: Without the program's name; None is the process's own.
        environment: None is the process's own.

    Raises:
        InvalidSetting: A name is unknown or a value is bad; the message names the source.
        LoginMissing: The page can be reached from other machines and there is no login.
        SystemExit: ``--help`` or ``--version`` was given and answered.
    """
    flags, config = _from_flags(arguments)
    variables, config_variable = _from_environment(
        os.environ if environment is None else environment
    )
    near = flags | {k: v for k, v in variables.items() if k not in flags}
    file = _from_file(config or config_variable, near.get("data_dir"))
    settings = Settings(**(file | near))
    _check_sharing(settings)
    if settings.auth is None and not is_loopback(settings.host):
        raise LoginMissing(
            f"{settings.host} can be reached from other machines, so QwenChat would answer "
            "anybody on the network. Set a login first, as in QWENCHAT_AUTH=anna:secret, or "
            "leave out --host to serve this machine only.",
            param="auth",
        )
    return settings


def _check_sharing(settings: Settings) -> None:
    if settings.share and settings.auth is None:
        raise LoginMissing(
            "With --share everybody who learns the address could use QwenChat. Set a login "
            "first, as in QWENCHAT_AUTH=anna:secret.",
            param="auth",
        )
    if settings.share and settings.offline:
        raise InvalidSetting(
            "--share needs the network, which --offline leaves alone. Leave out one of them.",
            param="share",
        )


def _parsed(option: Option, value: Any, source: str) -> Any:
    try:
        return option.parse(value)
    except ValueError as wanted:
        shown = "" if option.name in ("auth", "api_key") else f", not {value!r}"
        raise InvalidSetting(
            f"{source} must be {wanted}{shown}. Correct it, or leave it out for the default.",
            param=option.name,
        ) from None


def _unknown(what: str, name: str, known: Iterable[str], see: str) -> InvalidSetting:
    by_word = {other.lstrip("-").removeprefix(ENVIRONMENT_PREFIX): other for other in known}
    word = name.lstrip("-").removeprefix(ENVIRONMENT_PREFIX)
    close = difflib.get_close_matches(word, by_word, n=1, cutoff=0.7)
    hint = f"Did you mean {by_word[close[0]]}? " if close else ""
    return InvalidSetting(f"{what} {name} is not known. {hint}{see}", param=name)


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        text = message[0].upper() + message[1:]
        raise InvalidSetting(f"Command line: {text}. Run with --help to see every flag.")


def _parser() -> _Parser:
    parser = _Parser(
        prog="app.py",
        description="QwenChat: a private chat assistant that runs on this machine's CPU.",
        epilog=f"Every setting can also be given as an environment variable, "
        f"{ENVIRONMENT_PREFIX}PORT for --port, or in {CONFIG_FILE} in the data folder, as "
        "port = 7860. Flags win over variables, variables over the file.",
        allow_abbrev=False,
        argument_default=argparse.SUPPRESS,
    )
    parser.add_argument("--version", action="version", version=f"QwenChat {__version__}")
    parser.add_argument(
        "--config",
        metavar="FILE",
        help=f"Settings file instead of the data folder's {CONFIG_FILE}.",
    )
    defaults = Settings()
    for option in OPTIONS:
        if option.metavar is None:
            parser.add_argument(option.flag, action="store_const", const=True, help=option.help)
            continue
        default = getattr(defaults, option.name)
        note = f" Default: {default}." if default not in (None, "", ()) else ""
        parser.add_argument(option.flag, metavar=option.metavar, help=option.help + note)
    return parser


def _from_flags(arguments: Sequence[str] | None) -> tuple[dict[str, Any], str | None]:
    given, unknown = _parser().parse_known_args(arguments)
    if unknown:
        name = unknown[0].partition("=")[0]
        known = [option.flag for option in OPTIONS] + ["--config", "--help", "--version"]
        what = "The flag" if name.startswith("-") else "The argument"
        raise _unknown(what, name, known, "Run with --help to see every flag.")
    values = vars(given)
    config = values.pop("config", None)
    parsed = {n: _parsed(_BY_NAME[n], v, _BY_NAME[n].flag) for n, v in values.items()}
    return parsed, config


def _from_environment(environment: Mapping[str, str]) -> tuple[dict[str, Any], str | None]:
    by_variable = {option.variable: option for option in OPTIONS}
    config_variable = ENVIRONMENT_PREFIX + "CONFIG"
    values: dict[str, Any] = {}
    for variable, value in environment.items():
        if not variable.startswith(ENVIRONMENT_PREFIX) or variable == config_variable:
            continue
        if variable not in by_variable:
            raise _unknown(
                "The environment variable",
                variable,
                [*by_variable, config_variable],
                "Unset it, or see --help for every setting.",
            )
        option = by_variable[variable]
        values[option.name] = _parsed(option, value, f"The environment variable {variable}")
    return values, environment.get(config_variable)


def _from_file(named: str | None, data_dir: Path | None) -> dict[str, Any]:
    path = Path(named).expanduser() if named else (data_dir or Settings().data_dir) / CONFIG_FILE
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        if named is None:
            return {}
        raise InvalidSetting(
            f"The settings file {path} does not exist. Correct --config, or leave it out.",
            param="config",
        ) from None
    except (OSError, ValueError) as error:
        raise InvalidSetting(
            f"The settings file {path} cannot be read: {error}. Correct it, or move it away.",
            param="config",
        ) from None
    for name in values:
        if name not in _BY_NAME:
            see = f"It is in {path}; see --help for every setting, with _ for - in the file."
            raise _unknown("The setting", name, _BY_NAME, see)
    return {n: _parsed(_BY_NAME[n], v, f"{n} in {path}") for n, v in values.items()}
