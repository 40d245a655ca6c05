"""The chat pane: answers that grow, stop, go on, and never disturb what is being read."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from qwenchat.engine.fake import Script
from qwenchat.errors import EngineInternal
from tests.ui.pages import (
    ANSWER,
    QUESTION,
    answer,
    ask,
    conversation_id,
    expect_state,
    send,
    visit,
)
from tests.ui.serving import Served

pytestmark = pytest.mark.browser

LONG = tuple(f"Line {n} of a long answer.\n\n" for n in range(400))


@pytest.fixture(scope="module")
def app(tmp_path_factory) -> Iterator[Served]:
    with Served(tmp_path_factory.mktemp("chat")) as served:
        yield served


@pytest.fixture
def page(new_page, app) -> Page:
    app.says(*("The", " answer", " has", " **bold**", " words", " and", " an", " end."))
    return visit(new_page(), app)


def test_an_answer_grows_in_visible_steps_and_ends_with_its_details(page, app):
    app.says(*(f"word{n} " for n in range(40)), delay=0.05, prompt_tokens=90, cached_tokens=64)
    page.evaluate(
        """() => {
            window.lengths = new Set();
            new MutationObserver(() => {
                const body = document.querySelector("[data-role=assistant] .qc-body");
                if (body) window.lengths.add(body.textContent.length);
            }).observe(document.getElementById("chat"), {subtree: true, childList: true,
                characterData: true});
        }"""
    )
    send(page, "Hello")
    expect_state(page, "done")
    assert page.evaluate("window.lengths.size") >= 10
    expect(answer(page).locator(".qc-details")).to_have_text(
        re.compile(r"40 tok · \S+ tok/s · \S+ s TTFT · reused 64 of 90 prompt tokens")
    )
    expect(answer(page)).to_contain_text("word39")


def test_markdown_is_rendered_in_answers(page):
    ask(page, "Hello")
    expect(answer(page).locator("strong")).to_have_text("bold")


def test_the_text_of_a_person_is_shown_byte_for_byte(page, app):
    text = "a\ttab\n    four spaces\n\n  **no bold** & &amp; `x` 中文 👩‍👩‍👧"
    ask(page, text)
    shown = page.locator(QUESTION).locator(".qc-user-text")
    assert shown.evaluate("node => node.textContent") == text
    assert shown.evaluate("node => getComputedStyle(node).whiteSpace") == "pre-wrap"
    assert app.engine.requests[-1].messages[-1].content == text


def test_markup_of_a_person_is_inert(page):
    ask(page, "<img src=x onerror='window.hit=1'><script>window.hit=1</script><b>fat</b>")
    assert page.locator(f"{QUESTION} .qc-user-text *").count() == 0
    assert page.evaluate("window.hit") is None


def test_stop_keeps_the_text(page, app):
    app.says(*LONG, delay=0.02)
    send(page, "Go on and on")
    expect(answer(page)).to_contain_text("Line 5 ")
    expect(page.locator("#send")).to_be_hidden()
    page.locator("#stop").click()
    expect_state(page, "stopped")
    expect(answer(page)).to_contain_text("Line 5 ")
    expect(answer(page).locator(".qc-note")).to_have_text("Stopped")
    expect(page.locator("#stop")).to_be_hidden()
    expect(page.locator("#send")).to_be_visible()
    app.says("Fine.")
    ask(page, "And now?")
    expect(answer(page)).to_contain_text("Fine.")


def test_a_refresh_in_the_middle_loses_nothing(page, app):
    words = [f"word{n} " for n in range(80)]
    app.says(*words, delay=0.04)
    send(page, "Count")
    expect(answer(page)).to_contain_text("word9 ")
    page.reload()
    expect(answer(page)).to_contain_text("word9 ", timeout=10_000)
    expect(answer(page)).to_have_attribute("data-state", "streaming")
    expect_state(page, "done")
    body = answer(page).locator(".qc-body").inner_text()
    assert body.split() == "".join(words).split()


def test_two_tabs_show_the_same_answer_grow(page, new_page, app):
    app.says(*(f"word{n} " for n in range(100)), delay=0.06)
    other = visit(new_page(), app)
    send(page, "Count")
    other.goto(app.url + f"#/c/{conversation_id(page)}")
    for tab in (page, other):
        expect(answer(tab)).to_have_attribute("data-state", "streaming")
    for tab in (page, other):
        expect_state(tab, "done")
    assert answer(page).inner_text() == answer(other).inner_text()


@pytest.mark.accept
def test_eight_tabs_at_once_all_work(browser, app):
    context = browser.new_context()
    try:
        tabs = [visit(context.new_page(), app) for _ in range(8)]
        app.says(*(f"word{n} " for n in range(30)), delay=0.05)
        for number, tab in enumerate(tabs):
            send(tab, f"Tab {number}")
        for number, tab in enumerate(tabs):
            expect_state(tab, "done")
            expect(answer(tab)).to_contain_text("word29")
            expect(tab.locator(QUESTION)).to_have_text(f"Tab {number}")
    finally:
        context.close()


def test_regenerate_replaces_the_last_answer(page, app):
    ask(page, "Hello")
    app.says("Another", " one.")
    page.get_by_role("button", name="Regenerate").click()
    expect(answer(page)).to_contain_text("Another one.")
    expect_state(page, "done")
    expect(page.locator(ANSWER)).to_have_count(1)


def test_every_answer_can_be_regenerated_and_only_the_last_shows_it_unasked(page):
    ask(page, "One")
    ask(page, "Two")
    foots = page.locator(f"{ANSWER} .qc-foot")
    expect(foots.locator(".regenerate")).to_have_count(2)
    expect(foots.last).to_have_css("opacity", "1")
    expect(foots.first).to_have_css("opacity", "0")
    foots.first.locator(".regenerate").focus()
    expect(foots.first).to_have_css("opacity", "1")


def test_a_selection_survives_the_growth_of_the_answer(page, app):
    app.says("First paragraph.\n\n", *(f"word{n} " for n in range(60)), delay=0.03)
    send(page, "Hello")
    expect(answer(page)).to_contain_text("word3 ")
    page.evaluate(
        """() => getSelection().selectAllChildren(
            document.querySelector("[data-role=assistant] .qc-body").firstElementChild)"""
    )
    expect_state(page, "done")
    page.wait_for_timeout(200)
    assert page.evaluate("getSelection().toString()").strip() == "First paragraph."


def test_messages_keep_their_nodes_when_the_conversation_changes(page):
    ask(page, "One")
    page.evaluate("document.querySelectorAll('.qc-message').forEach((node) => (node.mine = true))")
    ask(page, "Two")
    kept = page.evaluate("[...document.querySelectorAll('.qc-message')].map((node) => !!node.mine)")
    assert kept == [True, True, False, False]


def distance(page: Page) -> float:
    return page.evaluate(
        "(() => { const c = document.getElementById('chat');"
        " return c.scrollHeight - c.clientHeight - c.scrollTop })()"
    )


def test_the_pane_follows_until_the_reader_scrolls_up(page, app):
    app.says(*LONG, delay=0.01)
    send(page, "Long")
    expect(answer(page)).to_contain_text("Line 40 ")
    assert distance(page) < 80
    page.locator("#chat").hover()
    page.mouse.wheel(0, -400)
    page.wait_for_timeout(300)
    top = page.evaluate("document.getElementById('chat').scrollTop")
    expect(answer(page)).to_contain_text("Line 120 ")
    assert page.evaluate("document.getElementById('chat').scrollTop") == top
    chip = page.get_by_role("button", name="Jump to latest")
    expect(chip).to_be_visible()
    chip.click()
    expect(chip).to_be_hidden()
    page.wait_for_timeout(600)
    assert distance(page) < 80
    expect(answer(page)).to_contain_text("Line 200 ")
    page.wait_for_timeout(200)
    assert distance(page) < 80
    page.locator("#stop").click()


def test_a_failed_answer_is_one_calm_card(page, app):
    error = EngineInternal("The engine refused to go on. Try again.")
    app.script = lambda request: Script(("Some", " text"), 0.01, error=error)
    send(page, "Hello")
    expect_state(page, "failed")
    expect(answer(page)).to_contain_text("Some text")
    card = answer(page).locator(".qc-card")
    expect(card).to_contain_text("The engine refused to go on. Try again.")
    expect(card.get_by_text("engine_internal")).to_be_hidden()
    card.get_by_text("Details").click()
    expect(card.get_by_text("engine_internal")).to_be_visible()
    app.says("Now it works.")
    card.get_by_role("button", name="Regenerate").click()
    expect_state(page, "done")
    expect(answer(page)).to_contain_text("Now it works.")
    expect(page.locator(".qc-card:visible")).to_have_count(0)


def test_a_long_prompt_is_read_where_the_answer_will_be(page, app):
    app.says("Done.", prefill_steps=20, prefill_delay=0.15, prompt_tokens=8000, cached_tokens=1024)
    send(page, "Long prompt")
    waiting = answer(page).locator(".qc-waiting")
    expect(waiting).to_contain_text(re.compile(r"Reading [\d,]+ of 8,000 tokens · 1,024 reused"))
    expect(waiting).to_contain_text(re.compile(r"about \d+ s"))
    expect(page.locator("#status")).to_contain_text("Reading the prompt")
    expect_state(page, "done")
    expect(waiting).to_have_count(0)


def test_a_queued_message_says_how_many_are_ahead(page, app):
    app.says("Done.", queued=3, queue_delay=0.5)
    send(page, "Hello")
    expect(answer(page)).to_contain_text("2 ahead of you")
    expect(page.locator("#status")).to_contain_text("Queued")
    expect(answer(page)).to_contain_text("You are next")
    expect_state(page, "done")


def test_a_start_card_sends_its_text(page, app):
    page.get_by_role("button", name="What is the capital of France?").click()
    expect_state(page, "done")
    assert app.engine.requests[-1].messages[-1].content == "What is the capital of France?"
    expect(page.locator(".qc-empty")).to_be_hidden()


def test_a_long_chat_shows_its_end_first(new_page, app):
    page = new_page()
    app.says("Short.", delay=0)
    page.goto(app.url + "healthz")
    path = page.evaluate(
        """async () => {
            const post = (path, body) => fetch(path, {method: "POST", body: JSON.stringify(body),
                headers: {"Content-Type": "application/json"}});
            const {id} = await (await post("/api/conversations", {})).json();
            for (let n = 0; n < 30; n++) {
                while ((await post(`/api/conversations/${id}/messages`,
                    {content: `Question ${n}`})).status === 409)
                    await new Promise((done) => setTimeout(done, 20));
            }
            return `#/c/${id}`;
        }"""
    )
    visit(page, app, path)
    expect(page.locator(".qc-message")).to_have_count(40)
    expect(page.locator(QUESTION).last).to_contain_text("Question 29")
    assert distance(page) < 30
    page.evaluate("document.getElementById('chat').scrollTop = 0")
    first = page.locator(QUESTION).first
    box = first.bounding_box()
    page.get_by_role("button", name="Show earlier messages").click()
    expect(page.locator(".qc-message")).to_have_count(60)
    after = page.get_by_text("Question 10", exact=True).bounding_box()
    assert box and after and abs(box["y"] - after["y"]) < 60
    expect(page.locator(QUESTION).first).to_contain_text("Question 0")


def test_screen_readers_hear_sentences_not_tokens(page, app):
    app.says("One ", "sentence", " here. ", "Then ", "another", " one. ", "End", delay=0.1)
    send(page, "Hello")
    announcer = page.locator("#announcer")
    expect(announcer).to_contain_text("One sentence here.")
    expect_state(page, "done")
    expect(announcer.locator("p")).to_have_text(["One sentence here.", "Then another one.", "End"])
