"""``python -m qwenchat doctor`` as a person or a program meets it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from qwenchat import doctor
from qwenchat.doctor import checkup, cli
from qwenchat.doctor.outcome import Check, ok, problem, warning
from qwenchat.doctor.subject import Subject
from qwenchat.settings import Settings
from qwenchat.store.lock import DataFolderLock
from tests.models.samples import small_snapshot

PROJECT = Path(__file__).resolve().parents[2]
NAMES = (
    *("system", "processor", "cores", "instructions", "numa", "limits", "memory", "swap", "disk"),
    *("python", "torch", "vllm", "transformers", "gradio", "media", "packages", "openmp"),
    *("allocator", "environment", "data folder", "lock", "database", "port", "models"),
)
ABSENT = "import sys\nfor name in {names!r}:\n    sys.modules[name] = None\n"

Capture = pytest.CaptureFixture[str]


def run(*flags: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """The command in a process of its own, in an environment without settings."""
    kept = {name: v for name, v in os.environ.items() if not name.startswith("QWENCHAT_")}
    return subprocess.run(
        [sys.executable, "-m", "qwenchat", "doctor", *flags],
        cwd=PROJECT,
        env=kept | {"COLUMNS": "80"} | variables,
        capture_output=True,
        text=True,
        timeout=580,
    )


def told(done: subprocess.CompletedProcess[str]) -> dict[str, dict[str, str]]:
    """The checks of ``--json`` by name; nothing else is printed."""
    assert "Traceback" not in done.stderr
    report = json.loads(done.stdout)
    assert report.keys() == {"checks", "status"}
    for check in report["checks"]:
        assert check.keys() == {"name", "status", "summary", "detail", "fix"}
        assert check["status"] in ("ok", "warning", "problem")
        assert bool(check["fix"]) == (check["status"] != "ok"), check
    assert done.returncode == (report["status"] == "problem")
    return {check["name"]: check for check in report["checks"]}


def _answer(monkeypatch: pytest.MonkeyPatch, *checks: Check) -> list[tuple[Subject, bool]]:
    asked: list[tuple[Subject, bool]] = []

    def answer(subject: Subject, *, with_token: bool) -> Iterator[Check]:
        asked.append((subject, with_token))
        yield from checks

    monkeypatch.setattr(cli, "run_checks", answer)
    return asked


# ---- the command alone


@pytest.mark.parametrize(
    ("check", "status"),
    [(ok("a", "x"), 0), (warning("a", "x", "y"), 0), (problem("a", "x", "y"), 1)],
)
@pytest.mark.parametrize("flags", [[], ["--json"]])
def test_the_exit_status_is_1_on_a_problem_only(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, check: Check, status: int, flags: list[str]
) -> None:
    _answer(monkeypatch, check)
    assert cli.main([*flags, "--data-dir", str(tmp_path)]) == status


def test_json_is_all_that_is_printed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: Capture
) -> None:
    _answer(monkeypatch, warning("a", "x", "y", "z"))
    cli.main(["--json", "--data-dir", str(tmp_path)])
    check = {"name": "a", "status": "warning", "summary": "x", "detail": "z", "fix": "y"}
    assert json.loads(capsys.readouterr().out) == {"checks": [check], "status": "warning"}


def test_settings_decide_what_is_looked_at(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    asked = _answer(monkeypatch)
    cli.main(["--no-token", "--data-dir", str(tmp_path), "--port", "7999", "--model", "a/b"])
    assert asked == [(Subject(tmp_path, "127.0.0.1", 7999, "a/b"), False)]


@pytest.mark.parametrize(
    ("flags", "part"), [(["--prot", "1"], "--prot"), (["--host", "0.0.0.0"], "QWENCHAT_AUTH")]
)
def test_a_setting_that_is_wrong_is_one_of_the_problems(
    monkeypatch: pytest.MonkeyPatch, capsys: Capture, flags: list[str], part: str
) -> None:
    asked = _answer(monkeypatch, ok("a", "x"))
    assert cli.main(["--json", *flags]) == 1
    first, second = json.loads(capsys.readouterr().out)["checks"]
    assert (first["name"], first["status"]) == ("settings", "problem")
    assert part in first["summary"] + first["fix"]
    assert second["name"] == "a"
    assert len(asked) == 1


def test_help_says_what_it_does() -> None:
    done = run("--help")
    assert done.returncode == 0
    for word in ("--json", "--no-token", "--data-dir"):
        assert word in done.stdout


# ---- parts that cannot be looked at


@pytest.mark.parametrize(
    ("error", "part"),
    [
        (ModuleNotFoundError("no", name="sentencepiece"), "sentencepiece is not installed"),
        (ZeroDivisionError("oh"), "ZeroDivisionError: oh"),
    ],
)
def test_a_part_that_cannot_be_looked_at_does_not_end_the_others(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, error: Exception, part: str
) -> None:
    def broken(_: Subject) -> list[Check]:
        raise error

    monkeypatch.setattr(checkup, "_data", broken)
    monkeypatch.setattr(checkup, "try_imports", dict)
    found = doctor.report(Settings(data_dir=tmp_path, port=0), with_token=False)
    checks = {check.name: check for check in found.checks}
    assert checks["data"].status == "problem"
    assert part in checks["data"].summary
    assert checks["models"].status == "ok"


def test_a_report_for_the_app_has_a_line_for_everything(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(checkup, "try_imports", dict)
    found = doctor.report(Settings(data_dir=tmp_path, port=0), with_token=False)
    assert [check.name for check in found.checks] == list(NAMES)


# ---- whole broken worlds


def test_a_locked_data_folder_and_a_damaged_model_are_told_together(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(checkup, "try_imports", dict)
    folder = small_snapshot(tmp_path / "models" / "mine")
    (folder / "tokenizer.json").unlink()
    lock = DataFolderLock(tmp_path, "http://127.0.0.1:1")
    # As if it were another's: the pid in the file is what tells.
    (tmp_path / "qwenchat.lock").write_text(json.dumps({"pid": 1, "url": "http://127.0.0.1:1"}))
    settings = replace(Settings(), data_dir=tmp_path, port=0)
    checks = {c.name: c for c in doctor.report(settings, with_token=False).checks}
    lock.release()
    assert checks["lock"].status == "warning"
    assert "process 1 at http://127.0.0.1:1" in checks["lock"].summary
    assert checks["model mine"].status == "problem"
    assert "no tokenizer" in checks["model mine"].summary


def _fake(folder: Path, name: str, **files: str) -> str:
    (folder / name).mkdir(parents=True)
    for stem, content in files.items():
        (folder / name / f"{stem}.py").write_text(content)
    return str(folder)


@pytest.mark.accept
@pytest.mark.timeout(600)
def test_a_torch_that_breaks_at_import_is_named(tmp_path: Path) -> None:
    path = _fake(tmp_path / "fake", "torch", __init__="raise OSError('libtorch.so: broken')")
    flags = ("--json", "--no-token", "--port=0", f"--data-dir={tmp_path / 'data'}")
    checks = told(run(*flags, PYTHONPATH=path))
    assert checks["torch"]["status"] == "problem"
    assert "hides the installed one" in checks["torch"]["summary"]
    assert "libtorch.so: broken" in checks["torch"]["detail"]
    assert path in checks["torch"]["fix"]
    assert checks["vllm"]["status"] == "problem"
    assert set(NAMES) <= checks.keys()


@pytest.mark.accept
@pytest.mark.timeout(600)
def test_without_vllm_platformdirs_and_psutil_the_doctor_still_works(tmp_path: Path) -> None:
    names = ("vllm", "platformdirs", "psutil", "torch")
    (tmp_path / "sitecustomize.py").write_text(ABSENT.format(names=names))
    home = {"XDG_DATA_HOME": str(tmp_path / "data")}
    checks = told(run("--json", "--no-token", PYTHONPATH=str(tmp_path), **home))
    assert checks["vllm"]["summary"] == "not installed"
    assert checks["torch"]["summary"] == "not installed"
    assert "platformdirs is not installed" in checks["settings"]["summary"]
    assert "platformdirs is not installed" in checks["port"]["summary"]
    assert str(tmp_path / "data" / "qwenchat") in checks["data folder"]["summary"]


@pytest.mark.accept
@pytest.mark.timeout(600)
@pytest.mark.engine
def test_a_torchvision_for_cuda_is_named_and_the_engine_answers_all_the_same(
    tmp_path: Path,
) -> None:
    path = _fake(
        tmp_path / "fake",
        "torchvision",
        __init__="raise RuntimeError('operator torchvision::nms does not exist')",
        version="__version__ = '0.29.1+cu130'",
    )
    flags = ("--json", "--port=0", f"--data-dir={tmp_path / 'data'}")
    checks = told(run(*flags, PYTHONPATH=path))
    assert checks["torchvision"]["status"] == "warning"
    assert "0.29.1+cu130, a CUDA build, does not fit torch" in checks["torchvision"]["summary"]
    assert "torchvision::nms" in checks["torchvision"]["detail"]
    assert checks["vllm"]["status"] == checks["token"]["status"] == "ok"


@pytest.mark.accept
@pytest.mark.timeout(600)
@pytest.mark.engine
def test_this_machine_is_fit_and_gives_a_real_token(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    done = run("--port=0", f"--data-dir={folder}")
    lines = done.stdout.splitlines()
    assert done.returncode == 0, done.stdout
    assert "\033" not in done.stdout
    assert max(map(len, lines)) <= 80 or str(folder) in done.stdout
    assert any(line.startswith("ok      token") and "'The'" in line for line in lines)
    assert not folder.exists()
