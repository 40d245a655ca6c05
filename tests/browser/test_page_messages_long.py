"""Long chats, addresses of messages, and pages that come back: always the truth, never slow."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.ui.pages import (
    ANSWER,
    QUESTION,
    answer,
    ask,
    conversation_id,
    expect_state,
    open_settings,
    send,
    setting,
    visit,
)
from tests.ui.seeding import fetch, seed, turns
from tests.ui.serving import Served

pytestmark = [pytest.mark.browser, pytest.mark.accept]

MESSAGES = ".qc-message"


@pytest.fixture(scope="module")
def app(tmp_path_factory) -> Iterator[Served]:
    with Served(tmp_path_factory.mktemp("long"), context_length=200_000) as served:
        yield served


@pytest.fixture
def page(new_page, app) -> Page:
    app.says("Fine.")
    return visit(new_page(), app)


def top_of(page: Page, message_id: str) -> float:
    box = page.locator(f"[data-message-id='{message_id}']").bounding_box()
    assert box
    return box["y"]


def go(page: Page, hash_: str) -> None:
    """Follow a link on the page, as the search does."""
    page.evaluate("(hash) => { location.hash = hash }", hash_)


def test_earlier_messages_come_on_request_and_the_reader_stays(page, app):
    visit(page, app, f"#/c/{seed(app, 'Earlier', turns(100))}")
    expect(page.locator(MESSAGES)).to_have_count(40)
    page.evaluate("document.getElementById('chat').scrollTop = 0")
    page.wait_for_timeout(200)
    before = top_of(page, "Earlier-60")
    page.get_by_role("button", name="Show earlier messages (60)").click()
    expect(page.locator(MESSAGES)).to_have_count(80)
    assert abs(top_of(page, "Earlier-60") - before) < 2
    page.get_by_role("button", name="Show earlier messages (20)").click()
    expect(page.locator(MESSAGES)).to_have_count(100)
    expect(page.get_by_role("button", name="Show earlier")).to_be_hidden()


def test_an_address_with_a_message_shows_and_lights_it_up(page, app):
    cid = seed(app, "Address", turns(100, " here"))
    visit(page, app, f"#/c/{cid}?m=Address-10")
    found = page.locator("[data-message-id='Address-10']")
    expect(found).to_be_in_viewport()
    expect(found).to_have_class(re.compile("qc-flash"))
    expect(found).not_to_have_class(re.compile("qc-flash"), timeout=4000)
    expect(page.locator(MESSAGES)).to_have_count(90)
    go(page, f"#/c/{cid}?m=Address-90")
    expect(page.locator("[data-message-id='Address-90']")).to_be_in_viewport()
    page.go_back()
    expect(found).to_be_in_viewport()


def test_an_address_on_another_branch_shows_that_branch(page, app):
    ask(page, "First try")
    cid = conversation_id(page)
    app.says("Second answer.")
    page.get_by_role("button", name="Regenerate").click()
    expect(answer(page)).to_contain_text("Second answer.")
    expect_state(page, "done")
    second = answer(page).get_attribute("data-message-id")
    first = fetch(app, "GET", f"api/conversations/{cid}")["messages"][-1]["versions"][0]
    assert first != second
    page.locator("#new-chat").click()
    go(page, f"#/c/{cid}?m={first}")
    expect(answer(page)).to_contain_text("Fine.")
    expect(answer(page)).to_have_class(re.compile("qc-flash"))
    go(page, f"#/c/{cid}?m={second}")
    expect(answer(page)).to_contain_text("Second answer.")


def test_an_address_of_a_message_that_is_gone_says_so(page, app):
    cid = seed(app, "Gone", turns(4))
    visit(page, app, f"#/c/{cid}?m=never")
    expect(page.locator(".qc-problem")).to_contain_text("not there any more")
    expect(page.locator(MESSAGES)).to_have_count(4)


def test_nothing_moves_on_arrival_when_motion_is_unwanted(new_page, app):
    page = new_page(reduced_motion="reduce")
    visit(page, app, f"#/c/{seed(app, 'Calm', turns(100, ' calm'))}?m=Calm-10")
    found = page.locator("[data-message-id='Calm-10']")
    expect(found).to_have_class(re.compile("qc-flash"))
    assert found.evaluate("n => getComputedStyle(n, '::before').animationName") == "none"


def busy_ms_of_a_stream(page: Page, app: Served, pieces: int = 120) -> tuple[float, float]:
    """Main thread and layout milliseconds for each piece of an answer."""
    session = page.context.new_cdp_session(page)
    # Ticks of the thread: what others do to the processor does not count.
    session.send("Performance.enable", {"timeDomain": "threadTicks"})

    def metrics() -> dict[str, float]:
        return {m["name"]: m["value"] for m in session.send("Performance.getMetrics")["metrics"]}

    app.says(*(f"word{n} " for n in range(pieces + 30)), delay=0.05)
    send(page, "Count")
    expect(answer(page)).to_contain_text("word9 ")
    before = metrics()
    expect(answer(page)).to_contain_text(f"word{pieces + 9} ", timeout=30_000)
    after = metrics()
    page.locator("#stop").click()
    expect_state(page, "stopped")
    task = after["TaskDuration"] - before["TaskDuration"]
    layout = after["LayoutDuration"] - before["LayoutDuration"]
    return 1000 * task / pieces, 1000 * layout / pieces


def test_streaming_into_a_long_chat_costs_no_more_than_into_an_empty_one(page, app):
    few, few_layout = busy_ms_of_a_stream(page, app)
    cid = seed(app, "Four hundred", turns(400))
    visit(page, app, f"#/c/{cid}?m=Four-hundred-0")
    expect(page.locator(MESSAGES)).to_have_count(400)
    many, many_layout = busy_ms_of_a_stream(page, app)
    print(
        f"ms for each delta: 2 messages {few:.2f} (layout {few_layout:.2f}), "
        f"402 messages {many:.2f} (layout {many_layout:.2f}), ratio {many / few:.2f}"
    )
    assert many < 2 * few + 2


def test_stop_is_there_while_another_version_is_shown(page, app):
    ask(page, "Hello")
    app.says(*(f"word{n} " for n in range(400)), delay=0.05)
    page.get_by_role("button", name="Regenerate").click()
    expect(answer(page)).to_contain_text("word3 ")
    fetch_path = f"api/conversations/{conversation_id(page)}"
    versions = fetch(app, "GET", fetch_path)["messages"][-1]["versions"]
    fetch(app, "POST", f"{fetch_path}/messages/{versions[0]}/show", {})
    expect(answer(page)).to_contain_text("Fine.")
    expect(page.locator("#stop")).to_be_visible()
    expect(page.locator("#status")).to_contain_text("Generating")
    page.reload()
    expect(page.locator("#stop")).to_be_visible(timeout=10_000)
    page.locator("#stop").click()
    expect(page.locator("#stop")).to_be_hidden()
    expect(page.locator("#send")).to_be_visible()
    answer(page).get_by_role("button", name="Next version").click()
    expect(answer(page)).to_contain_text("word3 ")
    expect(answer(page)).to_have_attribute("data-state", "stopped")


def test_stop_of_a_hidden_version_goes_away_in_a_temporary_chat(page, app):
    page.locator("#temporary-chat").click()
    ask(page, "Hello")
    app.says(*(f"word{n} " for n in range(60)), delay=0.05)
    page.get_by_role("button", name="Regenerate").click()
    expect(answer(page)).to_contain_text("word3 ")
    path = f"api/conversations/{conversation_id(page)}"
    versions = fetch(app, "GET", path)["messages"][-1]["versions"]
    fetch(app, "POST", f"{path}/messages/{versions[0]}/show", {})
    expect(answer(page)).to_contain_text("Fine.")
    expect(page.locator("#stop")).to_be_visible()
    expect(page.locator("#stop")).to_be_hidden(timeout=12_000)


def test_switching_away_and_back_in_the_middle_loses_nothing(page, app):
    ask(page, "Other chat")
    other = conversation_id(page)
    page.locator("#new-chat").click()
    words = [f"word{n} " for n in range(80)]
    app.says(*words, delay=0.05)
    send(page, "Count")
    mine = conversation_id(page)
    expect(answer(page)).to_contain_text("word3 ")
    for _ in range(4):
        go(page, f"#/c/{other}")
        expect(answer(page)).to_contain_text("Fine.")
        go(page, f"#/c/{mine}")
        expect(answer(page)).to_contain_text("word3 ")
    expect_state(page, "done")
    assert answer(page).locator(".qc-body").inner_text().split() == "".join(words).split()


def test_a_tab_left_open_over_a_restart_shows_what_is_true(new_page, tmp_path):
    with Served(tmp_path) as first:
        first.says(*(f"word{n} " for n in range(400)), delay=0.05)
        page = visit(new_page(), first)
        send(page, "Count")
        expect(answer(page)).to_contain_text("word5 ")
        port = first.wire.port
    expect(page.locator("#status")).to_contain_text("Connection lost")
    with Served(tmp_path, port=port) as second:
        expect_state(page, "interrupted")
        expect(page.locator("#stop")).to_be_hidden()
        expect(page.locator(ANSWER)).to_have_count(1)
        second.says("and on.")
        answer(page).get_by_role("button", name="Continue").click()
        expect_state(page, "done")
        expect(answer(page).locator(".qc-body")).to_contain_text(re.compile(r"word5 .*and on\."))


def test_a_tab_that_slept_merges_its_settings_key_by_key(page, new_page, app):
    ask(page, "Hello")
    cid = conversation_id(page)
    open_settings(page)
    setting(page, "top_k").fill("5")
    page.wait_for_timeout(700)
    with app.outage():
        setting(page, "min_p").fill("0.1")
        expect(page.locator(".qc-panel-foot .qc-notice")).to_contain_text("Not saved yet")
        # Meanwhile somebody else changes other settings, and one of the same.
        app.run(app.web.chat.update(cid, system_prompt="Newer.", sampling={"top_k": 7, "seed": 3}))
    expect(page.locator(".qc-panel-foot .qc-notice")).to_be_hidden(timeout=10_000)
    now = fetch(app, "GET", f"api/conversations/{cid}")
    assert now["sampling"] == {"top_k": 7, "seed": 3, "min_p": 0.1}
    assert now["system_prompt"] == "Newer."
    expect(setting(page, "top_k")).to_have_value("7")
    expect(page.locator("#system-prompt")).to_have_value("Newer.")


def test_an_idle_tab_wipes_no_draft_of_another(page, new_page, app):
    ask(page, "Hello")
    path = f"#/c/{conversation_id(page)}"
    other = page.context.new_page()
    visit(other, app, path)
    page.locator("#message-box").fill("begun in the first tab")
    page.wait_for_timeout(400)
    expect(other.locator("#message-box")).to_have_value("begun in the first tab")
    other.close(run_before_unload=False)
    third = page.context.new_page()
    visit(third, app, path)
    expect(third.locator("#message-box")).to_have_value("begun in the first tab")
    third.goto("about:blank")
    page.reload()
    expect(page.locator("#message-box")).to_have_value("begun in the first tab", timeout=10_000)


def test_a_temporary_chat_leaves_nothing_in_the_browser(page):
    page.locator("#temporary-chat").click()
    ask(page, "Secret question")
    page.locator("#message-box").fill("a secret draft")
    page.locator(QUESTION).get_by_role("button", name="Edit").click()
    page.get_by_role("textbox", name="Text of the message").fill("a secret edit")
    page.wait_for_timeout(400)
    stored = page.evaluate("JSON.stringify([{...localStorage}, {...sessionStorage}])")
    assert "secret" not in stored.lower()
