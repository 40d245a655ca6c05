"""``python app.py`` as a person meets it: a process, its words and its exit status."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from qwenchat.server import serve
from qwenchat.server.data_folder import prepare_data_folder
from qwenchat.settings import Settings
from qwenchat.store.connections import DATABASE_NAME
from qwenchat.store.migrations import APPLICATION_ID
from tests.models.samples import small_snapshot

PROJECT = Path(__file__).resolve().parent.parent

# The real command line over a scripted engine.
WITH_FAKE_ENGINE = """
import sys, types
from qwenchat.engine.fake import FakeEngine, LoadStage
from qwenchat.hosting.hosting import host
module = types.ModuleType("qwenchat.compose")
stages = [LoadStage("Loading", seconds=0.2)]
module.build_hosting = lambda settings: host(settings, FakeEngine(stages=stages))
sys.modules["qwenchat.compose"] = module
from qwenchat.__main__ import main
main()
"""
BROKEN = WITH_FAKE_ENGINE.replace("lambda settings: host", "lambda settings: [][7]")


def run(*flags: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """``python app.py`` with ``flags``, in an environment without settings."""
    return subprocess.run(
        [sys.executable, "app.py", *flags],
        cwd=PROJECT,
        env=_environment() | variables,
        capture_output=True,
        text=True,
        timeout=30,
    )


def _environment() -> dict[str, str]:
    dropped = ("QWENCHAT_", "DISPLAY", "WAYLAND_DISPLAY", "SSH_")
    kept = {k: v for k, v in os.environ.items() if not k.startswith(dropped)}
    return kept | {"COLUMNS": "100"}


def assert_told(done: subprocess.CompletedProcess[str], *parts: str) -> None:
    """One paragraph on stderr that names ``parts``, exit status 2, and nothing else."""
    words = " ".join(done.stderr.split())
    assert done.returncode == 2
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    assert "\n\n" not in done.stderr
    for part in parts:
        assert part in words


@pytest.fixture
def port() -> Iterator[int]:
    """A port somebody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener.getsockname()[1]


def test_an_unknown_flag() -> None:
    assert_told(run("--prot", "7"), "--prot is not known", "--port", "--help")


def test_an_unknown_variable() -> None:
    assert_told(run(QWENCHAT_HOTS="x"), "QWENCHAT_HOTS is not known", "QWENCHAT_HOST")


def test_a_busy_port(port: int, tmp_path: Path) -> None:
    done = run("--port", str(port), "--data-dir", str(tmp_path))
    assert_told(done, f"Port {port} is in use by another program", f"--port {port + 1}")


def test_beyond_this_machine_without_a_login(tmp_path: Path) -> None:
    assert_told(run("--host", "0.0.0.0", "--data-dir", str(tmp_path)), "QWENCHAT_AUTH", "--host")


def test_an_address_of_another_machine(tmp_path: Path) -> None:
    done = run("--host", "192.0.2.1", "--data-dir", str(tmp_path), QWENCHAT_AUTH="a:b")
    assert_told(done, "192.0.2.1 is no address of this machine")


@pytest.mark.parametrize("kind", ["a file", "below a file", "not makeable"])
def test_a_data_folder_that_cannot_be_used(tmp_path: Path, kind: str) -> None:
    file = tmp_path / "file"
    file.write_text("x")
    folder = {"a file": file, "below a file": file / "data", "not makeable": Path("/proc/x")}[kind]
    assert_told(run("--data-dir", str(folder)), f"The data folder {folder} cannot be made")


def test_a_folder_that_is_no_model(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    data = f"--data-dir={tmp_path / 'data'}"
    flags = ("--port=0", "--no-browser", data)
    for name, part in (
        ("missing", "There is no folder"),
        ("empty", "no config.json"),
        ("no-weights", "weights"),
        ("no-tokenizer", "tokenizer"),
        ("cut", "model.safetensors"),
    ):
        folder = tmp_path / name
        if name not in ("missing", "empty"):
            small_snapshot(folder)
        if name == "no-weights":
            (folder / "model.safetensors").unlink()
        if name == "no-tokenizer":
            (folder / "tokenizer.json").unlink()
        if name == "cut":
            with (folder / "model.safetensors").open("r+b") as file:
                file.truncate(100)
        done = run(*flags, f"--model={folder}")
        assert_told(done, part, name)
    assert_told(run(*flags, "--model=no model"), "neither a folder nor a model id")


def test_a_data_folder_is_made_for_its_owner_only(tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "data"
    prepare_data_folder(folder)
    assert folder.stat().st_mode & 0o077 == 0
    assert list(folder.iterdir()) == []


def test_help_and_version() -> None:
    shown = run("--help")
    assert shown.returncode == 0
    for word in ("--host", "--allowed-hosts", "Default: 7860", "QWENCHAT_PORT", "config.toml"):
        assert word in shown.stdout
    assert run("--version").stdout.startswith("QwenChat 0.")


def test_python_m_qwenchat_is_the_same() -> None:
    for command in (["-m", "qwenchat"], ["-m", "qwenchat", "serve"]):
        done = subprocess.run(
            [sys.executable, *command, "--bogus"],
            cwd=PROJECT,
            env=_environment(),
            capture_output=True,
            text=True,
            timeout=30,
        )
        assert_told(done, "--bogus is not known")


def test_a_missing_package_is_told_in_words(tmp_path: Path) -> None:
    code = "import sys; sys.modules['platformdirs'] = None; import qwenchat.__main__ as m; m.main()"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=PROJECT, capture_output=True, text=True, timeout=30
    )
    assert done.returncode == 1
    assert "platformdirs is not installed" in done.stderr
    assert "Traceback" not in done.stderr


def test_an_error_of_our_own_is_told_first_and_logged_whole(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", BROKEN, "--port", "0", "--data-dir", str(tmp_path)],
        cwd=PROJECT,
        env=_environment(),
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert done.returncode == 1
    assert done.stderr.startswith("QwenChat ended because of an error of its own: IndexError")
    assert str(tmp_path / "qwenchat.log") in done.stderr.replace("\n", " ")
    assert "Traceback" not in done.stderr
    assert "Traceback" in (tmp_path / "qwenchat.log").read_text()


# ---- a life from start to end


class Running:
    """The command line over a fake engine; what it prints is read line by line."""

    def __init__(self, data_dir: Path, *flags: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", WITH_FAKE_ENGINE, "--data-dir", str(data_dir), *flags],
            cwd=PROJECT,
            env=_environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        self._stdout = self.process.stdout
        self.lines: list[str] = []

    def until(self, part: str) -> str:
        for line in self._stdout:
            self.lines.append(line.rstrip())
            if part in line:
                return line.rstrip()
        raise AssertionError(f"{part!r} was not said in {self.lines}")

    def end(self, *signals: int) -> tuple[int, float, str]:
        """Exit status, seconds it took, and what came on stderr."""
        began = time.monotonic()
        for number in signals:
            self.process.send_signal(number)
            time.sleep(0.05)
        _, complaints = self.process.communicate(timeout=20)
        return self.process.returncode, time.monotonic() - began, complaints


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Running]:
    app = Running(tmp_path, "--port", "0")
    yield app
    app.process.kill()
    app.process.communicate()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_says_where_it_is_and_ends_cleanly(running: Running, number: int) -> None:
    where = running.until("QwenChat is at http://127.0.0.1:")
    running.until("ready")
    running.until("and open http://127.0.0.1:")
    assert any("ssh -L" in line for line in running.lines)
    assert where.endswith("(Ctrl-C stops it).")
    status, seconds, complaints = running.end(number)
    assert (status, complaints) == (0, "")
    assert seconds < 5


def test_it_ends_at_once_while_the_page_is_still_being_built(running: Running) -> None:
    running.until("starting")
    status, seconds, complaints = running.end(signal.SIGINT)
    assert (status, complaints) == (0, "")
    assert seconds < 5


def test_a_second_ctrl_c_does_not_wait(running: Running) -> None:
    running.until("QwenChat is at")
    status, seconds, complaints = running.end(signal.SIGINT, signal.SIGINT)
    assert status in (0, 130)
    assert "Traceback" not in complaints
    assert seconds < 2


def test_a_second_qwenchat_is_led_to_the_first(running: Running, tmp_path: Path) -> None:
    url = running.until("QwenChat is at").split()[3]
    port = url.rsplit(":", 1)[1]
    done = run("--port", port, "--data-dir", str(tmp_path / "another"))
    assert_told(done, f"QwenChat is already running: open {url}", f"--port {int(port) + 1}")


def test_a_second_qwenchat_on_the_same_data_folder_is_led_to_the_first(
    running: Running, tmp_path: Path
) -> None:
    url = running.until("QwenChat is at").split()[3]
    done = run("--port", "0", "--data-dir", str(tmp_path))
    assert_told(done, str(tmp_path), "in use", f"Open {url}", "--data-dir")


@pytest.mark.parametrize("trouble", ["newer", "another program's"])
def test_a_database_that_cannot_be_used_ends_the_start_and_is_left_alone(
    tmp_path: Path, trouble: str
) -> None:
    path = tmp_path / DATABASE_NAME
    with contextlib.closing(sqlite3.connect(path)) as database:
        if trouble == "newer":
            database.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            database.execute("PRAGMA user_version = 99")
        database.execute("CREATE TABLE theirs (value)")
        database.commit()
    before = path.read_bytes()
    done = run("--port", "0", "--data-dir", str(tmp_path))
    assert_told(done, DATABASE_NAME, "--data-dir")
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("environment", "platform", "headless"),
    [
        ({}, "linux", True),
        ({"DISPLAY": ":0"}, "linux", False),
        ({"WAYLAND_DISPLAY": "wayland-0"}, "linux", False),
        ({"DISPLAY": ":0", "SSH_CONNECTION": "1.2.3.4"}, "linux", True),
        ({}, "darwin", False),
    ],
)
def test_where_a_browser_would_be_seen(
    environment: dict[str, str], platform: str, headless: bool
) -> None:
    assert serve.is_headless(environment, platform) is headless


def test_a_server_on_every_network_names_itself() -> None:
    hint = serve.remote_hint(Settings(host="0.0.0.0", auth="a:b"))
    assert f"http://{socket.gethostname()}:7860" in hint
    assert "ssh -L 7860:127.0.0.1:7860" in serve.remote_hint(Settings())
