"""What happens while nobody looks: drafts that outlive anything, answers that end unseen."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Error, Page, expect

from qwenchat.errors import EngineDied
from tests.ui.pages import QUESTION, answer, ask, conversation_id, expect_state, send, visit
from tests.ui.serving import Served

pytestmark = [pytest.mark.browser, pytest.mark.accept]

# Longer than the page waits before it keeps what was typed.
KEPT_MS = 400


@pytest.fixture(scope="module")
def app(tmp_path_factory) -> Iterator[Served]:
    with Served(tmp_path_factory.mktemp("unseen")) as served:
        yield served


@pytest.fixture
def page(new_page, app) -> Page:
    app.says("Fine.")
    return visit(new_page(), app)


def box(page: Page):
    return page.locator("#message-box")


def hide(page: Page, hidden: bool) -> None:
    """Have the page believe that another tab is looked at, or this one again."""
    page.evaluate(
        """(hidden) => {
            Object.defineProperty(document, "hidden", {configurable: true, get: () => hidden});
            Object.defineProperty(document, "visibilityState",
                {configurable: true, get: () => (hidden ? "hidden" : "visible")});
            document.dispatchEvent(new Event("visibilitychange"));
        }""",
        hidden,
    )


def test_an_answer_that_ends_in_a_hidden_tab_says_so_until_it_is_looked_at(page, app):
    ask(page, "Name this chat")
    app.says(*(f"word{n} " for n in range(30)), delay=0.03)
    send(page, "And a long one")
    expect(answer(page)).to_contain_text("word3 ")
    expect(page).to_have_title("Name this chat · QwenChat")
    hide(page, True)
    expect(page).to_have_title("Name this chat · QwenChat")
    expect(page).to_have_title("● Answer ready · Name this chat", timeout=10_000)
    hide(page, False)
    expect(page).to_have_title("Name this chat · QwenChat")


def test_an_answer_that_fails_in_a_hidden_tab_does_not_call_itself_ready(page, app):
    ask(page, "Name this too")
    app.says(
        *(f"word{n} " for n in range(20)), delay=0.03, error=EngineDied("The engine ended early.")
    )
    send(page, "And a long one")
    expect(answer(page)).to_contain_text("word3 ")
    hide(page, True)
    expect(page).to_have_title("● No answer · Name this too", timeout=10_000)
    hide(page, False)
    expect(page).to_have_title("Name this too · QwenChat")


def test_an_answer_that_ends_while_it_is_looked_at_leaves_the_title_alone(page, app):
    ask(page, "Plain title")
    send(page, "Again")
    expect_state(page, "done")
    page.wait_for_timeout(200)
    hide(page, True)
    page.wait_for_timeout(200)
    expect(page).to_have_title("Plain title · QwenChat")


def test_an_answer_that_ended_during_an_outage_is_told_of_in_a_hidden_tab(page, app):
    ask(page, "Cut off")
    app.says(*(f"word{n} " for n in range(20)), delay=0.03)
    send(page, "And a long one")
    expect(answer(page)).to_contain_text("word3 ")
    hide(page, True)
    with app.outage():
        page.wait_for_timeout(1500)
    expect(page).to_have_title("● Answer ready · Cut off", timeout=10_000)


def test_drafts_are_kept_over_a_reload_for_each_conversation(page):
    ask(page, "One")
    first = page.url
    box(page).fill("for the first")
    page.locator("#new-chat").click()
    ask(page, "Two")
    box(page).fill("for the second")
    page.reload()
    expect(box(page)).to_have_value("for the second")
    page.goto(first)
    expect(box(page)).to_have_value("for the first")
    page.locator("#new-chat").click()
    expect(box(page)).to_have_value("")


def test_a_draft_outlives_a_tab_that_crashes(page, new_page, app):
    ask(page, "Before the crash")
    box(page).fill("half a thought")
    page.wait_for_timeout(KEPT_MS)
    address = page.url
    with page.expect_event("crash"), pytest.raises(Error, match="(?i)crash"):
        page.goto("chrome://crash")
    again = page.context.new_page()
    again.goto(address)
    expect(again.locator("#message-box")).to_have_value("half a thought", timeout=20_000)


def test_two_tabs_of_one_conversation_share_a_draft_and_keep_what_is_typed(page, app):
    ask(page, "Shared")
    other = page.context.new_page()
    visit(other, app, f"#/c/{conversation_id(page)}")
    box(page).fill("typed in the one")
    expect(other.locator("#message-box")).to_have_value("typed in the one")
    other.locator("#message-box").fill("now typed in the other")
    box(page).type(" and more")
    page.wait_for_timeout(KEPT_MS)
    expect(box(page)).to_have_value("typed in the one and more")
    expect(other.locator("#message-box")).to_have_value("now typed in the other")


def test_a_full_storage_loses_nothing_that_is_on_the_page(page):
    ask(page, "Full")
    page.evaluate(
        """() => {
            const full = () => { throw new DOMException("full", "QuotaExceededError"); };
            Storage.prototype.setItem = full;
        }"""
    )
    box(page).fill("typed into a full browser")
    page.wait_for_timeout(KEPT_MS)
    page.locator("#new-chat").click()
    expect(box(page)).to_have_value("")
    page.go_back()
    expect(box(page)).to_have_value("typed into a full browser")


def test_one_can_type_ahead_while_an_answer_runs_and_send_it_after(page, app):
    app.says(*(f"word{n} " for n in range(25)), delay=0.04)
    send(page, "A long one")
    expect(answer(page)).to_contain_text("word3 ")
    box(page).type("The next question")
    box(page).press("Enter")
    expect(page.locator("#composer-hint")).to_contain_text("Wait for the answer")
    expect(page.locator(QUESTION)).to_have_count(1)
    expect(box(page)).to_have_value("The next question")
    expect_state(page, "done")
    expect(box(page)).to_have_value("The next question")
    expect(page.locator("#composer-hint")).to_be_empty()
    box(page).press("Enter")
    expect(page.locator(QUESTION)).to_have_count(2)
