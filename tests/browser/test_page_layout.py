"""A long answer streams and nothing a reader looks at moves: measured, not looked at."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, Page, expect

from qwenchat.engine.fake import Script
from tests.ui.pages import QUESTION, answer, ask, send, visit
from tests.ui.serving import Served
from tests.ui.views import RICH

pytestmark = [pytest.mark.browser, pytest.mark.accept]

TOKENS = 1500
TOKENS_PER_SECOND = 60
CUMULATIVE_LAYOUT_SHIFT = 0.05

SECTION = """
## Part {n}

Some words about part {n} with **bold**, *soft* and `code` in them, long enough to break over
more than one line of the column in which the answer stands, and 中文 between them。

- first point of part {n}
- second point, with \\( x_{{{n}}} = {n} \\) inside
  1. a step below it
  2. and another one

| Name | Value | Note |
|---|---:|---|
| a{n} | {n} | first |
| b{n} | {n}00 | second |

```python
def part_{n}(values: list[int]) -> int:
    total = sum(values)  # of part {n}
    return total + {n}
```

> A quoted line of part {n}.

\\[ \\sum_{{i=0}}^{{{n}}} i = \\frac{{{n}({n}+1)}}{{2}} \\]
"""

WATCH = """() => {
    window.shifts = [];
    new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) {
            const top = entry.sources.some(({previousRect, currentRect}) =>
                Math.min(previousRect.top, currentRect.top) < innerHeight);
            if (top) window.shifts.push({value: entry.value, at: entry.startTime,
                what: entry.sources.map(({node}) => node?.nodeName + "." + node?.className)});
        }
    }).observe({type: "layout-shift", buffered: false});
}"""


def top_of(element: Locator) -> float:
    """Where an element begins, in pixels from the window's top."""
    box = element.bounding_box()
    assert box, "it is not shown"
    return box["y"]


def tokens(count: int = TOKENS) -> list[str]:
    """A long answer of code, tables and lists in pieces as tokens are."""
    text = "".join(SECTION.format(n=n) for n in range(1, 60))
    return re.findall(r"\s?\S{1,5}|\s", text)[:count]


@pytest.fixture(scope="module")
def app(tmp_path_factory) -> Iterator[Served]:
    with Served(tmp_path_factory.mktemp("layout"), context_length=32768) as served:
        yield served


def stream(app: Served, count: int = TOKENS, rate: float = TOKENS_PER_SECOND) -> None:
    """Answer with tokens at a rate that machines with a good model reach."""
    pieces = tokens(count)
    app.script = lambda request: Script(pieces, 1 / rate)


def shift(page: Page) -> float:
    """Cumulative layout shift above the fold since watching began.

    As browsers define it: the largest sum of a window of at most five seconds, which ends
    where nothing moves for one.
    """
    worst = window = 0.0
    began = last = -10_000.0
    found = page.evaluate("window.shifts")
    for one in found:
        if one["at"] - last > 1000 or one["at"] - began > 5000:
            window, began = 0.0, one["at"]
        window, last = window + one["value"], one["at"]
        worst = max(worst, window)
    total = sum(one["value"] for one in found)
    print(f"cumulative layout shift {worst:.4f}; {total:.4f} over all {len(found)} shifts")
    return worst


@pytest.mark.parametrize("width", [1280, 390])
def test_a_long_answer_streams_without_moving_what_is_read(new_page, app, width):
    """The reader stays at the top of the answer: nothing there may move, whatever comes."""
    page = visit(new_page(width, 800), app)
    stream(app)
    send(page, "Everything, please")
    expect(answer(page).locator("h2").first).to_be_visible()
    page.evaluate(WATCH)
    page.locator("#chat").hover()
    page.mouse.wheel(0, -40)
    expect_state_late(page)
    assert shift(page) < CUMULATIVE_LAYOUT_SHIFT
    assert answer(page).locator("table").count() > 8
    assert answer(page).locator("pre").count() > 8


@pytest.mark.parametrize("width", [1280, 390])
def test_an_answer_that_is_followed_does_not_jump(new_page, app, width):
    """The pane follows its end: lines only move up, by what has been added below."""
    page = visit(new_page(width, 800), app)
    stream(app)
    send(page, "Everything, please")
    expect(answer(page).locator("h2").first).to_be_visible()
    page.evaluate(WATCH)
    expect_state_late(page)
    assert shift(page) < CUMULATIVE_LAYOUT_SHIFT
    at_end = "(n) => n.scrollHeight - n.clientHeight - n.scrollTop < 3"
    assert page.locator("#chat").evaluate(at_end), "it was followed to its end"


def expect_state_late(page: Page) -> None:
    """Wait for the end of a long answer."""
    expect(answer(page)).to_have_attribute("data-state", "done", timeout=90_000)


def select(page: Page, selector: str) -> str:
    """Select the text of an element; what is selected."""
    return page.evaluate(
        """(selector) => {
            const node = document.querySelector(selector);
            const range = document.createRange();
            range.selectNodeContents(node);
            getSelection().removeAllRanges();
            getSelection().addRange(range);
            return getSelection().toString();
        }""",
        selector,
    )


def selected(page: Page) -> str:
    return page.evaluate("getSelection().toString()")


@pytest.mark.parametrize(
    "place",
    [f"{QUESTION} .qc-user-text", "[data-role=assistant] .qc-body p"],
    ids=["earlier-question", "earlier-answer"],
)
def test_a_selection_in_an_earlier_message_stays(new_page, app, place):
    page = visit(new_page(), app)
    app.says(RICH)
    ask(page, "A first question with words to select")
    stream(app, 500)
    send(page, "Everything, please")
    expect(answer(page).locator("h2").first).to_be_visible()
    text = select(page, place)
    assert len(text) > 20
    expect_state_late(page)
    assert selected(page) == text


@pytest.mark.parametrize("place", ["h2", "p", "li", "td", "pre code", "blockquote"])
def test_a_selection_in_the_streaming_message_stays(new_page, app, place):
    page = visit(new_page(), app)
    stream(app, 420, 100)
    send(page, "Everything, please")
    selector = f"[data-role=assistant]:last-of-type .qc-body {place}"
    expect(answer(page).locator("h2").nth(1)).to_be_visible(timeout=30_000)
    text = select(page, selector)
    assert text.strip()
    expect_state_late(page)
    assert selected(page) == text


def test_the_reader_keeps_the_place_and_finds_the_way_back(new_page, app):
    page = visit(new_page(), app)
    stream(app, 900)
    send(page, "Everything, please")
    expect(answer(page).locator("h2").nth(2)).to_be_visible(timeout=30_000)
    page.locator("#chat").hover()
    page.mouse.wheel(0, -500)
    page.wait_for_timeout(300)
    reading = answer(page).locator("h2").first
    before = top_of(reading)
    latest = page.get_by_role("button", name="Jump to latest")
    expect(latest).to_be_visible()
    for _ in range(10):
        page.wait_for_timeout(300)
        assert top_of(reading) == pytest.approx(before, abs=1)
    latest.click()
    expect(latest).to_be_hidden()
    expect_state_late(page)
    assert page.locator("#chat").evaluate(
        "(n) => n.scrollHeight - n.clientHeight - n.scrollTop < 3"
    )


def test_the_place_is_kept_when_the_answer_ends(new_page, app):
    page = visit(new_page(), app)
    stream(app, 400, 120)
    send(page, "Everything, please")
    expect(answer(page).locator("h2").nth(1)).to_be_visible(timeout=30_000)
    page.locator("#chat").hover()
    page.mouse.wheel(0, -300)
    page.wait_for_timeout(300)
    reading = answer(page).locator("h2").first
    before = top_of(reading)
    expect_state_late(page)
    page.wait_for_timeout(300)
    assert top_of(reading) == pytest.approx(before, abs=1)
