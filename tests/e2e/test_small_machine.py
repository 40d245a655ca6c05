"""The real app on machines that are poorer than this one (``small_machine.py``)."""

from __future__ import annotations

import resource
import shutil
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks.memory import QWEN_15B
from benchmarks.random_model import write_random_model
from qwenchat.models.fit import GIB
from tests.e2e.running import RunningApp, family, until
from tests.e2e.small_machine import MIB, ONLY_AVX2, SimulatedCgroup, peak_bytes, read_only

pytestmark = [pytest.mark.accept, pytest.mark.engine, pytest.mark.timeout(400)]
StartApp = Callable[..., RunningApp]
QUESTION = "What is the capital of France?"


def test_the_1_5b_in_2_gib_is_refused_before_it_is_loaded(
    start_app: StartApp, demo_snapshot: Path, tmp_path: Path
) -> None:
    model = tmp_path / "Qwen2.5-1.5B-Instruct"
    write_random_model(model, QWEN_15B, "none", demo_snapshot, hollow=True)
    cgroup = SimulatedCgroup(tmp_path / "cgroup", 2 * GIB)
    app = start_app(flags=(f"--model={model}",), before=cgroup.before)
    health = until(lambda: (h := app.health()) and h["state"] == "failed" and h, 60, "refusal")
    assert health["error"]["code"] == "does_not_fit"
    message = health["error"]["message"]
    assert message.startswith("Qwen2.5-1.5B-Instruct needs 5.0 GiB of memory"), message
    assert "and you have 2.0 GiB free." in message
    assert "This one fits: the demo model (--model demo)." in message
    until(lambda: message in " ".join(app.output.split()), 10, "the terminal's word of it")
    assert "Traceback" not in app.output
    assert app.find_engine() is None
    log = app.data_dir / "qwenchat.log"
    assert not log.exists() or "engine:" not in log.read_text(), "an engine had been started"


def test_the_app_with_the_demo_model_runs_within_4_gib(start_app: StartApp, tmp_path: Path) -> None:
    cgroup = SimulatedCgroup(tmp_path / "cgroup", 4 * GIB)
    app = start_app(before=cgroup.before)
    app.until_ready()
    app.until_page()
    conversation, message = app.ask(QUESTION, max_tokens=24, temperature=0.0)
    done = app.until_done(conversation, message)
    assert (done["state"], "Paris" in done["content"]) == ("done", True), done
    # Each one's peak, and pages that both share counted twice: never too little.
    assert {app.web, app.engine} <= set(family(app.web))
    peaks = [peak_bytes(process.pid) for process in family(app.web)]
    print("peaks:", *(f"{peak / MIB:,.0f} MiB" for peak in peaks))
    assert sum(peaks) < 4 * GIB, peaks


def test_the_demo_model_answers_on_a_processor_with_avx2_alone(start_app: StartApp) -> None:
    app = start_app(environment=ONLY_AVX2)
    app.until_ready()
    libraries = Path(f"/proc/{app.engine.pid}/maps").read_text()
    assert "vllm/_C_AVX2." in libraries
    assert "vllm/_C." not in libraries and "vllm/_C_AVX512." not in libraries
    conversation, message = app.ask(QUESTION, max_tokens=48, temperature=0.0)
    done = app.until_done(conversation, message)
    assert (done["state"], "Paris" in done["content"]) == ("done", True), done
    print(done["timings"])


def test_an_engine_that_the_kernel_ends_for_want_of_memory_is_named(
    start_app: StartApp, tmp_path: Path
) -> None:
    cgroup = SimulatedCgroup(tmp_path / "cgroup", 4 * GIB)
    app = start_app(before=cgroup.before)
    app.until_ready()
    conversation, message = app.ask("Write a very long story.", max_tokens=1500)
    until(lambda: app.message(conversation, message)["content"], 60, "some text")
    # What the kernel does at the limit, in this order.
    cgroup.count_kills(1)
    app.engine.send_signal(signal.SIGKILL)
    failed = app.until_done(conversation, message, seconds=10)
    assert failed["error"]["code"] == "engine_died"
    assert "the system ran out of memory and ended it. Close" in failed["error"]["message"]
    assert failed["content"], "the text so far is kept"


def test_memory_that_runs_out_in_the_middle_of_an_answer_is_named(start_app: StartApp) -> None:
    app = start_app()
    app.until_ready()
    conversation, message = app.ask("Write a very long story.", max_tokens=1500)
    until(lambda: app.message(conversation, message)["content"], 60, "some text")
    engine = app.engine
    # The kernel refuses whatever it asks for from now on.
    engine.rlimit(resource.RLIMIT_AS, (engine.memory_info().vms, resource.RLIM_INFINITY))
    other, long = app.ask("word " * 6_000, max_tokens=8)
    failed = app.until_done(other, long, seconds=60)
    assert failed["error"]["code"] == "engine_died"
    assert "memory ran out. Close other programs" in failed["error"]["message"]
    assert app.until_done(conversation, message, seconds=5)["content"], "the text so far is kept"


def test_a_model_in_a_folder_that_cannot_be_written_answers(
    start_app: StartApp, demo_snapshot: Path, tmp_path: Path
) -> None:
    model = Path(shutil.copytree(demo_snapshot, tmp_path / "model"))
    app = start_app(flags=(f"--model={model}",), before=read_only(model))
    app.until_ready()
    conversation, message = app.ask(QUESTION, max_tokens=24, temperature=0.0)
    assert app.until_done(conversation, message)["state"] == "done"
