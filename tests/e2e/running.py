"""The real app as a user starts it: ``python app.py`` in a process of its own."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import psutil

PROJECT = Path(__file__).resolve().parents[2]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def until(condition: Callable[[], Any], seconds: float, what: str) -> Any:
    """The first true value of ``condition``; fails after ``seconds``."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if value := condition():
            return value
        time.sleep(0.05)
    raise AssertionError(f"{what}: not within {seconds} s")


class RunningApp:
    """A started app with a data folder of its own; the demo model is lent by ``models``.

    Args:
        flags: For the command line.
        before: A program that runs the app, as a tracer does.
        program: What Python runs.
        environment: Added to that of the tests.
    """

    def __init__(
        self,
        data_dir: Path,
        models: Path | None = None,
        *,
        flags: tuple[str, ...] = (),
        before: tuple[str, ...] = (),
        program: tuple[str, ...] = ("app.py",),
        environment: dict[str, str] | None = None,
    ) -> None:
        data_dir.mkdir(parents=True, exist_ok=True)
        if models is not None:
            (data_dir / "models").symlink_to(models)
        self.data_dir = data_dir
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.output_path = data_dir / "output.txt"
        self._program = program
        self._command = [*before, sys.executable, *program, "--no-browser", f"--port={self.port}"]
        self._command += [f"--data-dir={data_dir}", *flags]
        self._environment = os.environ | (environment or {})
        self.client = httpx.Client(base_url=self.url, timeout=30, trust_env=False)
        self.started, self.process = 0.0, self._start()

    def _start(self) -> subprocess.Popen[bytes]:
        self.started = time.monotonic()
        with self.output_path.open("a") as output:
            return subprocess.Popen(
                self._command,
                cwd=PROJECT,
                env=self._environment,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def start_again(self) -> None:
        """The same app once more, on the same port and data folder, after it ended."""
        assert self.process.poll() is not None, "it still runs"
        self.process = self._start()

    def kill(self) -> float:
        """Kill the web process and wait until nothing of the app runs; when it was killed."""
        everyone = family(self.web)
        at = time.monotonic()
        self.web.send_signal(signal.SIGKILL)
        self.process.wait(15)
        _, alive = psutil.wait_procs(everyone, timeout=15)
        assert not alive, alive
        return at

    @property
    def output(self) -> str:
        return self.output_path.read_text()

    def health(self) -> dict[str, Any] | None:
        try:
            answer = self.client.get("/healthz")
        except httpx.TransportError:
            return None
        return answer.json() if answer.status_code == 200 else None

    def until_page(self, seconds: float = 60) -> float:
        """Wait until the page is served; seconds since the start."""

        def served() -> bool:
            try:
                return self.client.get("/").status_code == 200
            except httpx.TransportError:
                assert self.process.poll() is None, self.output
                return False

        until(served, seconds, "the page")
        return time.monotonic() - self.started

    def until_ready(self, seconds: float = 150) -> float:
        """Wait until the model answers; seconds since the start."""

        def ready() -> bool:
            assert self.process.poll() is None, self.output
            health = self.health()
            assert health is None or health["state"] != "failed", health
            return bool(health and health["state"] == "ready")

        until(ready, seconds, "ready")
        return time.monotonic() - self.started

    @property
    def web(self) -> psutil.Process:
        """The web process (below a tracer, when one was put before it)."""
        top = psutil.Process(self.process.pid)
        for process in [top, *top.children(recursive=True)]:
            if self._program[-1] in process.cmdline() and "python" in process.name():
                return process
        raise AssertionError("no web process")

    @property
    def engine(self) -> psutil.Process:
        """The engine process; fails when there is none now."""
        engine = self.find_engine()
        assert engine, "no engine process"
        return engine

    def find_engine(self) -> psutil.Process | None:
        for process in self.web.children(recursive=True):
            # One that has just ended is there until it is collected.
            with contextlib.suppress(psutil.NoSuchProcess):
                if "qwenchat.engine" in process.cmdline():
                    return process
        return None

    def ask(self, text: str, conversation: str | None = None, **sampling: Any) -> tuple[str, str]:
        """Send a message by the API; the ids of the conversation and of the answer."""
        if conversation is None:
            body = {"sampling": sampling} if sampling else {}
            conversation = self.client.post("/api/conversations", json=body).json()["id"]
        answer = self.client.post(
            f"/api/conversations/{conversation}/messages", json={"content": text}
        )
        assert answer.status_code == 202, answer.text
        return str(conversation), str(answer.json()["assistant"]["id"])

    def message(self, conversation: str, message_id: str) -> dict[str, Any]:
        messages = self.client.get(f"/api/conversations/{conversation}").json()["messages"]
        return next(m for m in messages if m["id"] == message_id)

    def until_done(self, conversation: str, message_id: str, seconds: float = 120) -> Any:
        def ended() -> Any:
            message = self.message(conversation, message_id)
            return message if message["state"] != "streaming" else None

        return until(ended, seconds, "the answer's end")

    def close(self) -> None:
        self.client.close()
        if self.process.poll() is None:
            self.web.send_signal(signal.SIGINT)
            try:
                self.process.wait(15)
            except subprocess.TimeoutExpired:
                os.killpg(self.process.pid, signal.SIGKILL)
                self.process.wait(15)


def family(process: psutil.Process) -> list[psutil.Process]:
    """``process`` and all below it."""
    return [process, *process.children(recursive=True)]
