"""A data folder that is shared, locked or full while the app runs."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys

import pytest

from tests.e2e.running import PROJECT, RunningApp, until
from tests.e2e.scripted import PROGRAM, TEXT, StartScripted, start_scripted

__all__ = ["start_scripted"]
pytestmark = [pytest.mark.accept, pytest.mark.timeout(120)]


def start_another(app: RunningApp, *before: str) -> subprocess.CompletedProcess[str]:
    """A second app on the first one's folder, until it ends."""
    flags = ("--no-browser", "--port=0", f"--data-dir={app.data_dir}")
    return subprocess.run(
        [*before, sys.executable, *PROGRAM, *flags],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        timeout=30,
    )


def obeying_permissions() -> tuple[str, ...]:
    """What to put before a command so that permissions hold for it, for root as well."""
    if os.geteuid():
        return ()
    setpriv = shutil.which("setpriv")
    assert setpriv, "setpriv is needed for this test"
    return (setpriv, "--bounding-set=-dac_override,-dac_read_search")


def until_growing(app: RunningApp, conversation: str, message: str) -> None:
    until(lambda: len(app.message(conversation, message)["content"]) > 100, 30, "some text")


def test_a_second_app_on_the_folder_is_refused_and_the_first_goes_on(
    start_scripted: StartScripted,
) -> None:
    app = start_scripted()
    conversation, message = app.ask("A long one.")
    until_growing(app, conversation, message)
    refused = start_another(app)
    assert refused.returncode == 2
    words = " ".join(refused.stderr.split())
    assert f"{app.data_dir} is in use" in words
    assert f"Open {app.url}" in words
    assert "Traceback" not in words
    done = app.until_done(conversation, message)
    assert (done["state"], done["content"]) == ("done", TEXT)
    app.kill()
    app.start_again()
    app.until_page()
    assert app.message(conversation, message)["content"] == TEXT


def test_a_folder_made_read_only_while_the_app_runs_loses_nothing(
    start_scripted: StartScripted,
) -> None:
    before = obeying_permissions()
    app = start_scripted(before=before)
    conversation, message = app.ask("A long one.")
    until_growing(app, conversation, message)
    paths = [app.data_dir, *app.data_dir.rglob("*")]
    for path in paths:
        path.chmod(0o500 if path.is_dir() else 0o400)
    try:
        done = app.until_done(conversation, message)
        assert (done["state"], done["content"]) == ("done", TEXT)
        app.kill()
        refused = start_another(app, *before)
        assert refused.returncode == 2
        assert f"{app.data_dir} cannot be written to" in " ".join(refused.stderr.split())
    finally:
        for path in paths:
            if path.exists():
                path.chmod(0o700 if path.is_dir() else 0o600)
    app.start_again()
    app.until_page()
    kept = app.message(conversation, message)
    assert (kept["state"], kept["content"]) == ("done", TEXT)


def test_an_answer_that_cannot_be_written_is_shown_and_saved_once_it_can(
    start_scripted: StartScripted,
) -> None:
    app = start_scripted()
    conversation, message = app.ask("A long one.")
    until_growing(app, conversation, message)
    # The kernel refuses every write behind the first byte, as a full disk does.
    app.web.rlimit(resource.RLIMIT_FSIZE, (1, resource.RLIM_INFINITY))
    done = app.until_done(conversation, message)
    assert (done["state"], done["content"]) == ("done", TEXT)
    refused = app.client.post("/api/conversations", json={})
    assert refused.status_code >= 500
    assert "conversations.sqlite3 could not be" in refused.json()["error"]["message"]
    app.web.rlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    until(lambda: app.client.post("/api/conversations", json={}).is_success, 10, "writing again")
    until(lambda: _is_stored(app, message), 10, "the answer's end in the database")
    app.kill()
    app.start_again()
    app.until_page()
    kept = app.message(conversation, message)
    assert (kept["state"], kept["content"]) == ("done", TEXT)


def _is_stored(app: RunningApp, message: str) -> bool:
    hits = app.client.get("/api/search", params={"q": "word300"}).json()["hits"]
    return any(hit["message_id"] == message for hit in hits)
