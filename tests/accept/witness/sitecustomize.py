"""The engine's own record of what it emits: for tests that put this folder on PYTHONPATH.

Python runs this file at the start of every process below such a test. In the engine
process it writes each request and each piece of text to the file ``ENGINE_RECORD`` before
anybody else has it, so neither the web process nor the store has a say in it.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Sequence
from typing import Any


def _witness(path: str) -> None:
    from qwenchat.engine import worker
    from qwenchat.engine.protocol import Delta, Event, Failed, Finished, Generate

    file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    real_run = worker.run

    def write(kind: str, request_id: str | None, **values: Any) -> None:
        # One call, so that a kill leaves whole lines.
        line = {"at": time.monotonic(), "kind": kind, "request_id": request_id, **values}
        os.write(file, json.dumps(line).encode() + b"\n")

    def run(engine: Any, inbox: worker.Inbox, emit: worker.Emit) -> None:
        real_add = engine.add

        def add(request: Generate) -> None:
            messages = [(message.role, message.content) for message in request.messages]
            write(
                "asked",
                request.request_id,
                messages=messages,
                continue_final=request.continue_final,
            )
            real_add(request)

        def emit_on_record(events: Sequence[Event]) -> None:
            for event in events:
                match event:
                    case Delta(text=text) if text:
                        write("text", event.request_id, text=text)
                    case Finished(finish_reason=reason):
                        write("ended", event.request_id, reason=reason)
                    case Failed(code=code):
                        write("ended", event.request_id, reason=code)
            emit(events)

        engine.add = add
        real_run(engine, inbox, emit_on_record)

    worker.run = run


if "qwenchat.engine" in sys.orig_argv and "ENGINE_RECORD" in os.environ:
    _witness(os.environ["ENGINE_RECORD"])
