"""The two processes of the real app: how quickly, how small, how they end, whom they call."""

from __future__ import annotations

import re
import shutil
import signal
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from tests.e2e.running import RunningApp, family, until

pytestmark = [pytest.mark.engine, pytest.mark.slow]
StartApp = Callable[..., RunningApp]
WEB_MEMORY_BYTES = 400 * 1000**2
LONG = "Write a very long story about a lighthouse keeper, with many chapters."


def test_web_process_is_small_and_free_of_the_engine_stack(app: RunningApp) -> None:
    conversation, message = app.ask("Say hello.", max_tokens=24)
    app.until_done(conversation, message)
    app.until_page()
    maps = Path(f"/proc/{app.web.pid}/maps").read_text()
    for library in ("libtorch", "vllm", "transformers"):
        assert library not in maps
    assert app.web.memory_info().rss < WEB_MEMORY_BYTES


def test_an_idle_engine_uses_no_cpu(app: RunningApp) -> None:
    app.engine.cpu_percent()
    time.sleep(2)
    assert app.engine.cpu_percent() < 15


def test_engine_killed_mid_answer_is_named_and_comes_back(start_app: StartApp) -> None:
    app = start_app()
    app.until_ready()
    conversation, message = app.ask(LONG, max_tokens=1500)
    until(lambda: len(app.message(conversation, message)["content"]) > 20, 60, "some text")
    app.engine.send_signal(signal.SIGKILL)
    killed = time.monotonic()
    failed = app.until_done(conversation, message, seconds=5)
    assert time.monotonic() - killed < 5
    assert failed["state"] == "failed"
    assert failed["error"]["code"] == "engine_died"
    assert "signal 9" in failed["error"]["message"]
    assert len(failed["content"]) > 20
    health = app.health()
    assert health and health["error"]["code"] == "engine_died"
    app.client.patch(f"/api/conversations/{conversation}", json={"sampling": {"max_tokens": 16}})
    # The next message, sent while the engine is away, waits for it and is answered.
    conversation, message = app.ask("What is the capital of France?", conversation)
    done = app.until_done(conversation, message, seconds=120)
    assert done["state"] == "done", done


@pytest.mark.parametrize("moment", ["loading", pytest.param("answering", marks=pytest.mark.accept)])
def test_killed_web_process_leaves_no_process_behind(start_app: StartApp, moment: str) -> None:
    app = start_app()
    if moment == "answering":
        app.until_ready()
        app.ask(LONG, max_tokens=1500)
    until(app.find_engine, 30, "an engine process")
    everyone = family(app.web)
    assert len(everyone) >= 2
    app.web.send_signal(signal.SIGKILL)
    _, alive = psutil.wait_procs(everyone, timeout=5)
    assert not alive


@pytest.mark.accept
def test_ctrl_c_ends_cleanly_mid_answer(start_app: StartApp) -> None:
    app = start_app()
    app.until_ready()
    app.ask(LONG, max_tokens=1500)
    everyone = family(app.web)
    app.process.send_signal(signal.SIGINT)
    begun = time.monotonic()
    assert app.process.wait(10) == 0
    assert time.monotonic() - begun < 5
    assert not [process for process in everyone if process.is_running()]
    assert "Traceback" not in app.output


@pytest.mark.accept
def test_a_large_message_while_the_model_loads_leaves_health_quick(start_app: StartApp) -> None:
    app = start_app()
    app.until_page()
    conversation, message = app.ask("word " * 400_000)
    slowest = 0.0
    while (health := app.health()) and health["state"] in ("starting", "loading"):
        begun = time.monotonic()
        assert app.client.get("/healthz").status_code == 200
        slowest = max(slowest, time.monotonic() - begun)
        time.sleep(0.05)
    failed = app.until_done(conversation, message)
    assert failed["error"]["code"] == "context_length_exceeded"
    # One loop serves the page and reads the engine's events: 0.1 s is what is asked of it,
    # and on two cores that load a model beside it, not of every single time.
    assert slowest < 1, slowest


@pytest.mark.accept
def test_broken_torchvision_beside_cpu_torch_does_not_stop_the_engine(
    start_app: StartApp, tmp_path: Path
) -> None:
    planted = tmp_path / "planted"
    for name, version in (
        ("torchvision", "0.28.0"),
        ("torchaudio", "2.11.1"),
        ("torchcodec", "0.17.0"),
    ):
        (planted / name).mkdir(parents=True)
        (planted / name / "__init__.py").write_text(
            "raise RuntimeError('operator torchvision::nms does not exist')\n"
        )
        info = planted / f"{name}-{version}.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    app = start_app(environment={"PYTHONPATH": str(planted)})
    app.until_ready()
    conversation, message = app.ask("What is the capital of France?")
    assert app.until_done(conversation, message)["state"] == "done"


def test_a_model_that_fails_to_load_is_named_and_the_page_goes_on(
    start_app: StartApp, demo_snapshot: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "without words"
    shutil.copytree(demo_snapshot, folder)
    (folder / "qwenchat.json").unlink()
    content = '{"version": "1.0", "added_tokens": [], "model": {"type": "Unheard"}}'
    (folder / "tokenizer.json").write_text(content)
    app = start_app(flags=(f"--model={folder}",))
    health = until(lambda: (h := app.health()) and h["state"] == "failed" and h, 60, "failure")
    assert health["error"]["code"] == "engine_start_failed"
    assert "tokenizer files are missing or damaged" in health["error"]["message"]
    app.until_page()
    conversation, message = app.ask("Hello?")
    failed = app.until_done(conversation, message)
    assert failed["error"]["code"] == "engine_start_failed"
    assert "Traceback" not in app.output


_CONNECT = re.compile(r"(?:connect|sendto|sendmsg)\(.*?(?:sin_addr=inet_addr\(\"([^\"]+)\"|"
                      r"inet_pton\(AF_INET6, \"([^\"]+)\")")  # fmt: skip


def test_no_process_reaches_beyond_loopback(start_app: StartApp, tmp_path: Path) -> None:
    """Every address any process of the app talks to, from start to reply."""
    strace = shutil.which("strace")
    assert strace, "strace is needed for this test"
    trace = tmp_path / "trace"
    calls = "connect,sendto,sendmsg,sendmmsg"
    before = (strace, "-f", "--seccomp-bpf", "-qq", "-e", f"trace={calls}", "-o", str(trace))
    app = start_app(before=before)
    app.until_ready()
    app.until_page()
    conversation, message = app.ask("What is the capital of France?")
    assert app.until_done(conversation, message)["state"] == "done"
    addresses = {a or b for a, b in _CONNECT.findall(trace.read_text())}
    foreign = {
        a for a in addresses if not (a.startswith("127.") or a in ("::1", "::ffff:127.0.0.1"))
    }
    assert not foreign, foreign
