"""Imports are tried where they can do no harm."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from qwenchat.doctor.importing import Imported, import_each
from qwenchat.engine.environment import engine_environment

CRASH = "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)"


def _import(folder: Path, sources: dict[str, str], seconds: float = 30.0) -> dict[str, Imported]:
    for name, source in sources.items():
        (folder / f"{name}.py").write_text(source)
    base = os.environ | {"PYTHONPATH": str(folder)}
    return import_each(list(sources), engine_environment(base, 1, []), seconds)


def test_versions_and_errors_are_told_apart(tmp_path: Path) -> None:
    found = _import(tmp_path, {"good": "__version__ = '3'", "bad": "import nowhere_at_all"})
    assert found["good"] == Imported("3")
    assert found["bad"].error == "ModuleNotFoundError: No module named 'nowhere_at_all'"


@pytest.mark.parametrize(
    ("source", "part"),
    [
        (CRASH, "crashed (signal 11, SIGSEGV)"),
        ("import os; os._exit(3)", "status 3"),
        ("raise SystemExit('no')", "SystemExit: no"),
    ],
)
def test_an_import_that_ends_its_process_is_told(tmp_path: Path, source: str, part: str) -> None:
    found = _import(tmp_path, {"before": "", "broken": source})
    assert found["before"].error == ""
    assert part in found["broken"].error


def test_an_import_that_hangs_is_given_up(tmp_path: Path) -> None:
    found = _import(tmp_path, {"before": "", "hangs": "import time; time.sleep(60)"}, seconds=3)
    assert found == {"before": Imported(), "hangs": Imported(error="not imported after 3 s")}


def test_what_is_not_installed_is_left_out(tmp_path: Path) -> None:
    base = engine_environment(os.environ, 1, [])
    assert import_each(["nowhere_at_all"], base, 30.0) == {}


def test_a_broken_torchvision_does_not_break_what_is_imported_after_it(tmp_path: Path) -> None:
    after = "import importlib.util\nassert importlib.util.find_spec('torchvision') is None"
    broken = "raise RuntimeError('operator torchvision::nms does not exist')"
    found = _import(tmp_path, {"torchvision": broken, "after": after})
    assert "torchvision::nms" in found["torchvision"].error
    assert found["after"].error == ""


def test_printing_at_import_does_not_confuse(tmp_path: Path) -> None:
    found = _import(tmp_path, {"loud": "print('{}'); print('qwenchat'); __version__ = '1'"})
    assert found == {"loud": Imported("1")}
