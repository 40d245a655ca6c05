"""The engine process as the web process holds it: its end is seen, whatever it leaves behind."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

from qwenchat.engine.process import EngineProcess

FORKING = """
import os, time
if os.fork() == 0:
    time.sleep(60)
    os._exit(0)
"""


def test_the_end_is_seen_while_a_program_it_started_holds_the_pipe(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(FORKING)
    ended = threading.Event()
    environment = os.environ | {"PYTHONPATH": str(tmp_path)}
    process = EngineProcess(environment, lambda events: None, ended.set)
    try:
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
        end = time.monotonic() + 20
        while not children.read_text().strip():
            assert time.monotonic() < end, "it started nothing"
            time.sleep(0.05)
        left_behind = int(children.read_text())
        assert not ended.is_set()
        process.kill()
        assert ended.wait(5)
        assert Path(f"/proc/{left_behind}").exists(), "it held nothing open"
        assert process.wait(5) == -9
    finally:
        process.kill()
        os.kill(left_behind, 9)
