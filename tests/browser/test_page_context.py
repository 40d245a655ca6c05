"""The context: how full it is, and what happens when a turn does not fit."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, Request, expect

from tests.ui.pages import (
    QUESTION,
    answer,
    ask,
    conversation_id,
    expect_state,
    open_settings,
    send,
    visit,
)
from tests.ui.seeding import fetch, seed
from tests.ui.serving import Served

pytestmark = [pytest.mark.browser, pytest.mark.accept]

CONTEXT = 1200
RESERVE = 300
"""The fourth part; the fake engine counts four characters as a token, and four a message."""


@pytest.fixture(scope="module")
def app(tmp_path_factory) -> Iterator[Served]:
    with Served(tmp_path_factory.mktemp("context"), context_length=CONTEXT) as served:
        yield served


@pytest.fixture
def page(new_page, app) -> Page:
    app.says("Fine.")
    return visit(new_page(), app)


def box(page: Page):
    return page.locator("#message-box")


def meter(page: Page):
    return page.locator("#context-meter")


def text_of(tokens: int) -> str:
    """A message of so many tokens."""
    return "abc " * (tokens - 4)


def measured(page: Page) -> list[dict]:
    """The bodies of every measuring from now on."""
    bodies: list[dict] = []

    def note(request: Request) -> None:
        if request.url.endswith("/api/measure"):
            bodies.append(json.loads(request.post_data or "{}"))

    page.on("request", note)
    return bodies


def shown_parts(page: Page) -> dict[str, int]:
    names = page.locator("#meter-about dt").all_inner_texts()
    numbers = page.locator("#meter-about dd").all_inner_texts()
    return {name: int(n.replace(",", "")) for name, n in zip(names, numbers, strict=True)}


def long_chat(app: Served, title: str) -> str:
    """A conversation of 800 tokens in eight messages."""
    messages = [
        ("user" if n % 2 == 0 else "assistant", f"{title} {n} ".ljust(384, "x")) for n in range(8)
    ]
    return seed(app, title, messages)


def test_the_meter_follows_what_is_typed_exactly(page):
    expect(meter(page)).to_contain_text("4/1.2k")
    box(page).fill(text_of(100))
    expect(meter(page)).to_contain_text("100/1.2k")
    box(page).fill("")
    expect(meter(page)).to_contain_text("4/1.2k")


def test_the_meter_counts_the_conversation_and_the_system_prompt(page):
    ask(page, text_of(50))
    expect(meter(page)).to_contain_text("59/1.2k")  # the question, the answer, an empty message
    open_settings(page)
    page.locator("#system-prompt").fill(text_of(40))
    expect(meter(page)).to_contain_text("99/1.2k")


def test_what_fills_the_context_adds_up(page):
    ask(page, text_of(50))
    box(page).fill(text_of(30))
    expect(meter(page)).to_contain_text("85/1.2k")
    meter(page).click()
    parts = shown_parts(page)
    assert list(parts) == [
        "System prompt",
        "Earlier messages",
        "This message",
        "Reserved for the answer",
        "Free",
    ]
    assert sum(parts.values()) == CONTEXT
    assert parts["Reserved for the answer"] == RESERVE
    page.keyboard.press("Escape")
    expect(page.locator("#meter-about")).to_be_hidden()


def test_the_meter_opens_with_the_keyboard(page):
    expect(meter(page)).to_contain_text("4/1.2k")
    box(page).press("Tab")
    expect(page.locator("#attach")).to_be_focused()
    page.keyboard.press("Tab")
    expect(meter(page)).to_be_focused()
    expect(page.locator("#meter-about")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#meter-about")).to_be_hidden()
    page.keyboard.press("Enter")
    expect(page.locator("#meter-about")).to_be_visible()
    page.keyboard.press("Shift+Tab")
    expect(page.locator("#meter-about")).to_be_hidden()


def test_the_meter_asks_once_for_many_keys_and_never_twice_at_once(page):
    expect(meter(page)).to_contain_text("4/1.2k")
    page.evaluate(
        """() => {
            window.flying = window.most = window.asked = 0;
            const ask = window.fetch;
            window.fetch = async (path, ...rest) => {
                if (path !== "/api/measure") return ask(path, ...rest);
                window.asked += 1;
                window.most = Math.max(window.most, ++window.flying);
                await new Promise((done) => setTimeout(done, 600));
                try { return await ask(path, ...rest); } finally { window.flying -= 1; }
            };
        }"""
    )
    box(page).press_sequentially("abcd " * 10, delay=10)
    page.wait_for_timeout(400)
    box(page).press_sequentially("more and more words", delay=10)
    expect(meter(page)).to_contain_text("21/1.2k")
    assert page.evaluate("window.most") == 1
    assert page.evaluate("window.asked") <= 3


def test_a_stale_measuring_is_dropped(page):
    expect(meter(page)).to_contain_text("4/1.2k")
    page.evaluate(
        """() => {
            window.seen = new Set();
            const ask = window.fetch;
            window.fetch = async (path, ...rest) => {
                const answer = await ask(path, ...rest);
                if (path === "/api/measure") await new Promise((done) => setTimeout(done, 500));
                return answer;
            };
            new MutationObserver(() => window.seen.add(
                document.getElementById("context-meter").textContent))
                .observe(document.getElementById("context-meter"),
                    {subtree: true, childList: true, characterData: true});
        }"""
    )
    box(page).fill(text_of(100))
    page.wait_for_timeout(450)  # the first is on its way
    box(page).fill(text_of(200))
    expect(meter(page)).to_contain_text("200/1.2k")
    assert not any("100/" in text for text in page.evaluate("[...window.seen]"))


def test_a_hidden_tab_does_not_measure(page):
    expect(meter(page)).to_contain_text("4/1.2k")
    bodies = measured(page)
    hide = """(hidden) => {
        Object.defineProperty(document, "hidden", {configurable: true, value: hidden});
        document.dispatchEvent(new Event("visibilitychange"));
    }"""
    page.evaluate(hide, True)
    box(page).fill(text_of(100))
    page.wait_for_timeout(700)
    assert bodies == []
    page.evaluate(hide, False)
    expect(meter(page)).to_contain_text("100/1.2k")


def test_the_meter_is_a_quiet_dash_while_the_model_loads(new_page, tmp_path):
    with Served(tmp_path, hold=True) as held:
        page = visit(new_page(), held)
        expect(meter(page)).to_have_text("–")
        held.call(held.engine.become_ready)
        expect(meter(page)).to_contain_text("4/4.1k")


def test_a_turn_that_does_not_fit_offers_ways_and_leaves_out_the_oldest(page, app):
    visit(page, app, f"#/c/{long_chat(app, 'Leave out')}")
    box(page).fill(text_of(150))
    row = page.locator(".qc-overflow")
    expect(row).to_contain_text("This turn does not fit: 1,250 of 1,200 tokens.")
    expect(row.get_by_role("radio", name="Leave out the oldest turns")).to_be_checked()
    expect(row).to_contain_text("leaves out 6 messages")
    expect(row).to_contain_text("to 250 tokens")
    box(page).press("Enter")
    expect_state(page, "done")
    assert len(app.engine.requests[-1].messages) == 3
    marker = page.get_by_role("button", name="6 earlier messages were left out")
    expect(marker).to_be_visible()
    after = marker.evaluate("n => n.parentElement.nextElementSibling.dataset.messageId")
    assert after == "Leave-out-6"
    marker.click()
    expect(page.get_by_text("The chat has grown longer")).to_be_visible()
    page.reload()
    expect(page.get_by_role("button", name="6 earlier messages were left out")).to_be_visible(
        timeout=10_000
    )


def test_the_choice_goes_along_and_is_remembered(page, app):
    cid = long_chat(app, "Shorten")
    visit(page, app, f"#/c/{cid}")
    sent: list[dict] = []

    def note(request: Request) -> None:
        if request.url.endswith(("/messages", "/regenerate")) and request.method == "POST":
            sent.append(request.post_data_json)

    page.on("request", note)
    box(page).fill(text_of(150))
    page.get_by_text("Shorten the answer").click()
    expect(page.get_by_role("radio", name="Shorten the answer")).to_be_checked()
    box(page).press("Enter")
    expect_state(page, "done")
    assert sent[-1]["overflow"] == "shorten"
    assert len(app.engine.requests[-1].messages) == 9
    page.reload()
    expect(page.locator(QUESTION)).to_have_count(5, timeout=10_000)
    answer(page).get_by_role("button", name="Regenerate").click()
    expect(answer(page).locator(".qc-versions")).to_have_text("2/2")
    assert sent[-1]["overflow"] == "shorten"
    box(page).fill(text_of(60))
    expect(page.get_by_role("radio", name="Shorten the answer")).to_be_checked()
    page.get_by_text("Leave out the oldest turns").click()
    expect(page.get_by_role("radio", name="Leave out the oldest turns")).to_be_checked()


def test_a_message_that_can_never_fit_is_not_sent_and_says_what_to_do(page, app):
    ask(page, "Hello")
    asked = len(app.engine.requests)
    box(page).fill(text_of(1300))
    row = page.locator(".qc-overflow")
    expect(row).to_contain_text("The message is too long for the model")
    expect(row).to_contain_text("Shorten the message by about 116 tokens")
    expect(row.get_by_role("radio")).to_have_count(0)
    expect(page.locator("#send")).to_be_disabled()
    box(page).press("Enter")
    page.wait_for_timeout(300)
    assert len(app.engine.requests) == asked
    expect(box(page)).to_have_value(text_of(1300))
    box(page).fill(text_of(300))
    expect(row).to_be_hidden()
    expect(page.locator("#send")).to_be_enabled()


def test_a_message_sent_before_it_was_measured_comes_back_when_it_is_refused(page):
    text = text_of(1300)
    box(page).fill(text)
    box(page).press("Enter")  # at once
    expect_state(page, "failed")
    expect(box(page)).to_have_value(text)
    expect(page.locator(".qc-problem")).to_contain_text("too long")


def test_a_new_chat_with_a_summary_takes_the_text_along(page, app):
    cid = long_chat(app, "Sum up")
    visit(page, app, f"#/c/{cid}")
    box(page).fill(text_of(150))
    app.says("A summary.", delay=0.05)
    page.locator(".qc-overflow").get_by_role("button", name="New chat with a summary").click()
    expect(answer(page)).to_contain_text("A summary.")
    assert conversation_id(page) != cid
    expect(box(page)).to_have_value(text_of(150))
    expect(page.locator(".qc-message")).to_have_count(2)
    page.locator(f"[data-conversation-id='{cid}']").click()
    expect(box(page)).to_have_value("")


def test_a_full_context_ends_the_answer_and_offers_a_summary(page, app):
    cid = fetch(app, "POST", "api/conversations", {})["id"]
    visit(page, app, f"#/c/{cid}")
    ask(page, "Hello")
    conversation = app.run(app.web.chat.conversations.get(cid))

    def fill() -> None:
        last = conversation.path()[-1]
        last.context_full, last.finish_reason = True, "length"
        conversation.revision += 1
        app.web.chat.changes.notify()

    app.call(fill)
    expect(answer(page).locator(".qc-note")).to_have_text(
        "The context is full; the answer ends here."
    )
    expect(answer(page).get_by_role("button", name="Continue")).to_have_count(0)
    app.says("A summary.")
    answer(page).get_by_role("button", name="New chat with a summary").click()
    expect(answer(page)).to_contain_text("A summary.")


def test_the_reused_prompt_is_told_below_an_answer(page, app):
    app.says("Fine.", prompt_tokens=90, cached_tokens=64)
    send(page, "Hello")
    expect_state(page, "done")
    expect(answer(page).locator(".qc-details")).to_contain_text("reused 64 of 90 prompt tokens")
