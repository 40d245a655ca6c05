"""``download`` in a terminal: the real client against a hub on this machine."""

from __future__ import annotations

import re
import signal
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from qwenchat.commands.words import size_text
from qwenchat.models.snapshot import inspect_snapshot
from tests.commands.terminal import Terminal, ended, started
from tests.models.hub_server import LocalHub, client_of_its_own, running_hub
from tests.models.samples import small_snapshot

MODEL = "Qwen/Qwen-Test"
WEIGHTS = "model.safetensors"
ROWS = 250_000


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("QWENCHAT_DATA_DIR", str(tmp_path / "data"))
    with client_of_its_own(tmp_path, monkeypatch):
        yield


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[LocalHub]:
    with running_hub() as hub:
        hub.add(MODEL, small_snapshot(tmp_path / "published", rows=ROWS, vocab_size=ROWS))
        monkeypatch.setenv("QWENCHAT_ENDPOINT", hub.endpoint)
        yield hub


@pytest.fixture
def destination(tmp_path: Path) -> Path:
    return tmp_path / "data" / "models" / "Qwen--Qwen-Test"


def all_bytes(hub: LocalHub) -> int:
    return sum(len(content) for content in hub.models[MODEL].values())


def test_the_terminal_s_line_agrees_with_the_bytes_served(hub: LocalHub, destination: Path) -> None:
    hub.seconds_per_chunk = 0.004
    hub.stalled_at[WEIGHTS] = 2_000_000
    total = size_text(all_bytes(hub))
    with Terminal("download", MODEL) as terminal:

        def halted() -> str:
            served = sum(hub.served.values())
            return f"{100 * served // all_bytes(hub):3} %  {size_text(served)} of {total}"

        terminal.read_until(lambda: hub.served[WEIGHTS] >= 2_000_000 and halted() in terminal.line)
        assert halted() in terminal.line and hub.served[WEIGHTS] < 2_020_000
        hub.let_go()
        assert terminal.end() == 0
    shown = terminal.shown
    assert re.search(rf"█+░+ +\d+ %  [\d.]+ MB of {total}  [\d.]+ [MK]B/s  \d+ s left", shown), (
        terminal.lines
    )
    assert f"{MODEL} is ready in {destination}" in shown.replace("\r\n", "")
    assert shown.count("\n") <= 4, "one line that is rewritten, and the result"
    assert all(len(line) < 100 or str(destination) in line for line in terminal.lines)
    inspect_snapshot(destination)


def test_without_a_terminal_there_are_plain_lines(hub: LocalHub, destination: Path) -> None:
    status, output, errors = ended("download", MODEL, "-v")
    assert (status, errors) == (0, "")
    lines = output.splitlines()
    assert "\r" not in output and "\x1b" not in output
    assert f"  {WEIGHTS}  4.00 MB" in lines, "-v has a line for each file"
    assert "Looking up the model" in lines and any("Checking files" in line for line in lines)
    assert lines[-1] == f"{MODEL} is ready in {destination}"


def test_ctrl_c_pauses_and_says_how_to_go_on(
    hub: LocalHub, destination: Path, tmp_path: Path
) -> None:
    hub.hold(WEIGHTS, 0.45)
    with Terminal("download", MODEL, "--data-dir", str(tmp_path / "my data")) as terminal:
        terminal.read_until(lambda: re.search(r" 4\d %", terminal.line) is not None)
        workers = psutil.Process(terminal.process.pid).children(recursive=True)
        terminal.type("\x03")
        assert terminal.end() == 130
    shown = terminal.shown.replace("\r\n", "\n")
    assert "Traceback" not in shown
    again = re.search(r"Paused at [\d.]+ MB of 4.00 MB. Go on with: python -m qwenchat (.*)", shown)
    assert again is not None
    assert again[1] == f"download {MODEL} --data-dir '{tmp_path}/my data'"
    assert workers
    _, left = psutil.wait_procs(workers, timeout=5)
    # Where nobody collects orphans, what is left of an ended process is its entry.
    assert all(worker.status() == psutil.STATUS_ZOMBIE for worker in left)
    hub.let_go()
    status, output, _ = ended("download", MODEL, "--data-dir", str(tmp_path / "my data"))
    assert status == 0 and "is ready in" in output
    assert sum(hub.served.values()) < 1.05 * all_bytes(hub)


def test_sigterm_pauses_too(hub: LocalHub) -> None:
    hub.hold(WEIGHTS, 0.45)
    process = started("download", MODEL)
    assert process.stdout is not None
    for line in process.stdout:
        if line.startswith("Downloading"):
            break
    process.send_signal(signal.SIGTERM)
    output, _ = process.communicate(timeout=20)
    assert process.returncode == 143 and "Go on with" in output


def test_one_that_is_there_is_ready_at_once_and_can_be_checked(
    hub: LocalHub, destination: Path
) -> None:
    assert ended("download", MODEL)[0] == 0
    with (destination / WEIGHTS).open("r+b") as file:
        file.seek(1_000_000)
        file.write(b"damaged")
    hub.served.clear()
    assert ended("download", MODEL)[0] == 0 and not hub.served
    status, output, _ = ended("download", MODEL, "--check")
    assert status == 0 and f"Fetched again: {WEIGHTS} (damaged)." in output
    assert set(hub.served) == {WEIGHTS}


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (["../../etc"], 2, "'../../etc' is no model id, which has an owner and a name"),
        (["Qwen/🙂"], 2, "is no model id"),
        (["Qwen/Qwen-Tset"], 2, "has no model Qwen/Qwen-Tset (404)"),
        ([], 2, "The following arguments are required: ID. Run python -m qwenchat download --help"),
        ([MODEL, "--fast"], 2, "Unrecognized arguments: --fast"),
        ([MODEL, "--endpoint", "hub"], 2, "must be an address that begins with http"),
        ([MODEL, "--endpoint", "http://127.0.0.1:9"], 1, "Check the internet connection"),
        ([MODEL, "--offline"], 1, "QwenChat is offline, as set, and Qwen/Qwen-Test is not on"),
    ],
)
def test_a_refusal_is_one_paragraph_and_a_status(
    hub: LocalHub, destination: Path, arguments: list[str], status: int, said: str
) -> None:
    got, _, errors = ended("download", *arguments)
    assert got == status and said in errors and "Traceback" not in errors
    models = destination.parent
    assert not models.exists() or not any(models.iterdir()), "nothing is left"


def test_offline_by_the_environment_says_so(
    hub: LocalHub, destination: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended("download", MODEL)
    hub.requests.clear()
    monkeypatch.setenv("QWENCHAT_OFFLINE", "1")
    status, output, _ = ended("download", MODEL)
    assert status == 0 and "Offline, as set: the model that is there is used" in output
    assert not hub.requests
