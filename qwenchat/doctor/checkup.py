"""Looking at everything, one part after the other.

Each part is read and then judged. A part that cannot be read, because a package is missing,
say, becomes a line of the report itself, and the others go on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from qwenchat.doctor.check_machine import check_machine
from qwenchat.doctor.check_packages import check_packages
from qwenchat.doctor.check_runtime import check_runtime
from qwenchat.doctor.importing import try_imports
from qwenchat.doctor.machine import read_machine
from qwenchat.doctor.outcome import Check, Report, problem
from qwenchat.doctor.packages import read_packages
from qwenchat.doctor.runtime import read_runtime
from qwenchat.doctor.subject import Subject

if TYPE_CHECKING:
    from qwenchat.settings import Settings

Part = Callable[[Subject], list[Check]]


def report(settings: Settings, *, with_token: bool = True) -> Report:
    """Look at the machine, the installation and the data folder of ``settings``.

    Takes 10 s and more for the imports and 20 s more for the token: not for an event loop.

    Args:
        with_token: Also load the demo model, beside whatever model is loaded already.
    """
    return Report(tuple(run_checks(Subject.of(settings), with_token=with_token)))


def run_checks(subject: Subject, *, with_token: bool = True) -> Iterator[Check]:
    """Every check, as soon as it is made."""
    parts = {
        "machine": _machine,
        "packages": _packages,
        "runtime": _runtime,
        "data": _data,
        "port": _port,
        "models": _models,
    }
    if with_token:
        parts["token"] = _token
    for name, part in parts.items():
        yield from _guarded(name, part, subject)


def _guarded(name: str, part: Part, subject: Subject) -> list[Check]:
    try:
        return part(subject)
    except ModuleNotFoundError as error:
        summary, fix = f"not looked at: {error.name} is not installed", "See the line `packages`."
    except Exception as error:
        summary = f"could not be looked at: {type(error).__name__}: {error}"
        fix = "This is an error of the doctor's own: report it with this line."
    return [problem(name, summary, fix)]


def _machine(subject: Subject) -> list[Check]:
    return check_machine(read_machine(subject.data_dir))


def _packages(subject: Subject) -> list[Check]:
    return check_packages(read_packages(), try_imports())


def _runtime(subject: Subject) -> list[Check]:
    return check_runtime(read_runtime())


# What follows is imported late: it leans on more of QwenChat, which a broken installation
# may not be able to import.


def _data(subject: Subject) -> list[Check]:
    from qwenchat.doctor.check_data import check_data
    from qwenchat.doctor.data import read_data

    return check_data(read_data(subject))


def _port(subject: Subject) -> list[Check]:
    from qwenchat.doctor.check_data import port
    from qwenchat.doctor.port import read_port

    return [port(read_port(subject))]


def _models(subject: Subject) -> list[Check]:
    from qwenchat.doctor.check_models import check_models
    from qwenchat.doctor.found_models import find_models

    return check_models(find_models(subject))


def _token(subject: Subject) -> list[Check]:
    from qwenchat.doctor.check_token import check_token
    from qwenchat.doctor.token import generate_token

    return check_token(generate_token(subject))
