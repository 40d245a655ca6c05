"""Numbers and lines as a terminal shows them."""

from __future__ import annotations

import io

import pytest

from qwenchat.commands.progress_line import ProgressLine, download_text, share_text
from qwenchat.commands.words import duration_text, moment_text, size_text
from qwenchat.models.download_state import Download


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (0, "0 bytes"),
        (999, "999 bytes"),
        (1_000, "1.00 KB"),
        (999_600, "1.00 MB"),
        (12_345_678, "12.3 MB"),
        (988_097_824, "988 MB"),
        (15_231_271_864, "15.2 GB"),
        (2.5e12, "2.50 TB"),
    ],
)
def test_sizes_have_three_digits_and_decimal_units(size: float, text: str) -> None:
    assert size_text(size) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.2, "1 s"),
        (59.4, "59 s"),
        (60, "1 min 0 s"),
        (3599.6, "1 h 0 min"),
        (7500, "2 h 5 min"),
        (10**6, "11 days"),
    ],
)
def test_durations_are_finer_the_shorter_they_are(seconds: float, text: str) -> None:
    assert duration_text(seconds) == text


@pytest.mark.parametrize(
    ("when", "text"),
    [
        (None, "never"),
        (1000, "just now"),
        (940, "1 minute ago"),
        (-6300, "2 hours ago"),
        (-(10**6), "11 days ago"),
        (2000, "just now"),
    ],
)
def test_moments_are_told_in_the_largest_unit(when: float | None, text: str) -> None:
    assert moment_text(when, now=1000) == text


def test_a_hundred_percent_is_said_only_when_it_is() -> None:
    assert " 99 %" in share_text("x", 999_999, 1_000_000)
    assert "100 %" in share_text("x", 1_000_000, 1_000_000)
    assert "  0 %" in share_text("x", 0, 0)


def test_a_download_s_line_follows_its_state() -> None:
    running = Download("a/b", "running", "Downloading", 500, 1000, 0, 0, 100.0, 5.0)
    assert download_text(running).endswith("50 %  500 bytes of 1.00 KB  100 bytes/s  5 s left")
    longest = Download("a/b", "running", "Downloading", 14 * 10**9, 15 * 10**9, 0, 0, 1.25e6, 754)
    assert len(download_text(longest)) < 80 and download_text(longest).endswith("34 s left")
    stalled = Download("a/b", "running", "Downloading", 500, 1000, note="The connection failed.")
    assert download_text(stalled).endswith("of 1.00 KB  The connection failed.")
    checking = Download("a/b", "verifying", "Checking files", 1000, 1000, 250, 1000)
    assert download_text(checking).startswith("Checking files") and "25 %" in download_text(
        checking
    )
    waiting = Download("a/b", "running", "Waiting for another download of this model", 5, 10)
    assert download_text(waiting) == "Waiting for another download of this model"
    assert download_text(Download("a/b", "queued")) == "Waiting"


def test_plain_lines_come_at_new_stages_and_every_five_seconds() -> None:
    now = 0.0
    output = io.StringIO()
    line = ProgressLine(output, lambda: now)
    for second in range(12):
        now = float(second)
        line.show("Downloading", f"at {second}")
    line.show("Checking", "checking")
    line.show("Checking", "checked")
    line.end()
    assert output.getvalue().splitlines() == ["at 0", "at 5", "at 10", "checking", "checked"]
