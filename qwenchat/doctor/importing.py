"""Whether packages can be imported, tried in processes of their own.

A broken build may end its process, hang, or take seconds and a gigabyte; none of that
is to happen to the doctor.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from qwenchat.doctor.packages import MEDIA
from qwenchat.engine.environment import engine_environment

IMPORT_SECONDS = 300.0
"""vLLM takes 10 s on a quiet machine with warm disk; the rest is for slow disks."""
ENGINE_PACKAGES = ("torch", *MEDIA, "transformers", "vllm")
"""In the order in which they would break each other."""
WEB_PACKAGES = ("gradio",)
MARK = "qwenchat-import "

_SCRIPT = f"""
import importlib, importlib.util, json, sys
from qwenchat.engine.__main__ import OPTIONAL_BROKEN, hide_broken_modules
for name in sys.argv[1:]:
    said = {{"name": name}}
    try:
        if importlib.util.find_spec(name) is None:
            continue
        print({MARK!r} + json.dumps({{"begun": name}}), flush=True)
        said["version"] = str(getattr(importlib.import_module(name), "__version__", ""))
    except BaseException as error:
        said["error"] = f"{{type(error).__name__}}: {{error}}"
        if name in OPTIONAL_BROKEN:
            hide_broken_modules([name])
    print({MARK!r} + json.dumps(said), flush=True)
"""


@dataclass(frozen=True, slots=True)
class Imported:
    """How importing one package went; ``error`` is empty when it went well."""

    version: str = ""
    error: str = ""


def try_imports(seconds: float = IMPORT_SECONDS) -> dict[str, Imported]:
    """Import each package as the engine or the web process would. By name; one that is not
    installed is left out."""
    environment = engine_environment(os.environ, threads=1, preloads=[])
    with ThreadPoolExecutor() as pool:
        parts = pool.map(
            lambda names: import_each(names, environment, seconds), [ENGINE_PACKAGES, WEB_PACKAGES]
        )
        return {name: result for part in parts for name, result in part.items()}


def import_each(
    names: Sequence[str], environment: Mapping[str, str], seconds: float
) -> dict[str, Imported]:
    """Import ``names`` one after the other in one new process, which may take ``seconds``."""
    command = [sys.executable, "-c", _SCRIPT, *names]
    try:
        ran = subprocess.run(
            command,
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=seconds,
            check=False,
        )
        output, end = ran.stdout, _ending(ran.returncode, ran.stderr)
    except subprocess.TimeoutExpired as late:
        output, end = late.stdout or b"", f"not imported after {seconds:.0f} s"
    return _results(output.decode("utf-8", "replace"), end)


def _results(output: str, end: str) -> dict[str, Imported]:
    results: dict[str, Imported] = {}
    for line in output.splitlines():
        if not line.startswith(MARK):
            continue
        said = json.loads(line.removeprefix(MARK))
        if "begun" in said:
            # Holds unless a line with the result follows.
            results[said["begun"]] = Imported(error=end)
        else:
            results[said["name"]] = Imported(said.get("version", ""), said.get("error", ""))
    return results


def _ending(code: int, complaints: bytes) -> str:
    if code < 0:
        try:
            name = signal.Signals(-code).name
        except ValueError:
            name = "unknown"
        return f"the process crashed (signal {-code}, {name})"
    lines = complaints.decode("utf-8", "replace").strip().splitlines()
    return f"the process ended with status {code}" + (f": {lines[-1]}" if lines else "")
