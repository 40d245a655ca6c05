"""Speed a person feels: how soon the page is there, and what a streaming answer takes."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from benchmarks.page import load, streaming_share
from tests.ui.serving import Served

pytestmark = [pytest.mark.browser, pytest.mark.accept]

FIRST_PAINT_SECONDS = 1.5
MAIN_THREAD_SHARE = 0.20


@pytest.fixture(scope="module")
def app(tmp_path_factory) -> Iterator[Served]:
    with Served(tmp_path_factory.mktemp("speed"), context_length=32768) as served:
        yield served


def test_something_is_seen_within_a_second_and_a_half(new_page, app):
    load(new_page(), app.url)  # the browser itself starts slowly
    seen = [load(new_page(), app.url) for _ in range(3)]
    print(seen)
    assert min(one.first_paint for one in seen) < FIRST_PAINT_SECONDS


def test_streaming_into_a_long_chat_leaves_the_main_thread_free(new_page, app):
    share = streaming_share(new_page(), app)
    print(f"main thread {100 * share:.1f} %")
    assert share < MAIN_THREAD_SHARE
