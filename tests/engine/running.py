"""Running a module in an engine's environment and reading what it found."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

from qwenchat.engine.environment import engine_environment, find_preloads
from qwenchat.hardware import compute_threads


def run_in_engine(module: str, *arguments: str, timeout: float = 170) -> Any:
    """The JSON of the module's last line; ``timeout`` in seconds."""
    done = subprocess.run(
        [sys.executable, "-m", module, *arguments],
        env=engine_environment(os.environ, compute_threads(), find_preloads()),
        capture_output=True,
        text=True,
        timeout=timeout,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])
