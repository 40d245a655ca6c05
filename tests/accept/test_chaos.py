"""Thirty events in the middle of streaming answers, and nothing is lost or mixed up.

The truth is what the engine process itself wrote down while it emitted (``record.py``); it
is compared with the database and with everything the pages ever showed.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.accept.disorder import PLAN, Disorder, Kill
from tests.accept.observed import Observed
from tests.accept.record import read_record, witness_environment
from tests.accept.truth import (
    check_answers,
    check_prompts,
    check_questions,
    check_shown,
    read_database,
)
from tests.browser.conftest import browser
from tests.e2e.running import RunningApp

__all__ = ["browser"]
pytestmark = [
    pytest.mark.accept,
    pytest.mark.engine,
    pytest.mark.browser,
    pytest.mark.timeout(1500),
]
SEED = int(os.environ.get("CHAOS_SEED", "20"))
"""Of the order of events; what the model writes and how fast differs from run to run."""


def test_thirty_events_while_answers_stream_lose_and_mix_up_nothing(
    browser: Browser, tmp_path: Path, demo_snapshot: Path
) -> None:
    record = tmp_path / "record.jsonl"
    environment = witness_environment(record)
    app = RunningApp(tmp_path / "data", demo_snapshot.parent, environment=environment)
    context, observed = browser.new_context(), Observed()
    begun = time.monotonic()
    try:
        app.until_page()
        observed.watch(context)
        disorder = Disorder(app, context, observed, SEED)
        disorder.run()
        disorder.kills.append(Kill("end", time.monotonic()))
    finally:
        app.close()
        context.close()

    kept, runs = read_database(app.data_dir), read_record(record)
    pieces = [run for mine in runs.values() for run in mine]
    print(
        f"{sum(PLAN.values())} events in {time.monotonic() - begun:.0f} s: {disorder.happened}\n"
        f"{len(kept.leaves)} conversations, {len(observed.accepted)} messages accepted, "
        f"{len(runs)} answers in {len(pieces)} runs, "
        f"{sum(len(run.text) for run in pieces):,} characters emitted, "
        f"{sum(len(one.content) for one in kept.messages.values() if one.role == 'assistant'):,} "
        f"stored, {len(observed.shown):,} changes of messages seen on the pages"
    )
    losses = check_answers(kept, runs, disorder.kills)
    print("seconds lost before each kill:", losses.by_kill_of)
    check_questions(kept, disorder.questions, observed.accepted, observed.shown)
    check_prompts(kept, runs, disorder.markers)
    check_shown(kept, runs, observed.shown)
    assert all(disorder.happened[name] >= times for name, times in PLAN.items())
    assert not observed.errors
