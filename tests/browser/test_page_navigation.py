"""Finding one's way: the address bar, the list of conversations, the two side bars."""

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
    open_settings,
    send,
    visit,
)
from tests.ui.serving import Served

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def app(tmp_path_factory) -> Iterator[Served]:
    with Served(tmp_path_factory.mktemp("navigation")) as served:
        yield served


@pytest.fixture
def page(new_page, app) -> Page:
    app.says("Fine.")
    return visit(new_page(), app)


def test_the_address_names_the_conversation_and_a_reload_opens_it_again(page):
    assert "#" not in page.url
    ask(page, "Hello there")
    name = conversation_id(page)
    page.reload()
    expect(page.locator(QUESTION)).to_have_text("Hello there", timeout=10_000)
    assert conversation_id(page) == name


def test_new_chat_empties_the_page_and_the_address(page):
    ask(page, "Hello there")
    page.locator("#new-chat").click()
    expect(page.locator(".qc-message")).to_have_count(0)
    expect(page.locator(".qc-empty")).to_be_visible()
    expect(page.locator("#message-box")).to_be_focused()
    assert "#" not in page.url


def test_back_and_forward_go_through_conversations(page):
    ask(page, "The first")
    page.locator("#new-chat").click()
    ask(page, "The second")
    page.go_back()
    expect(page.locator(".qc-empty")).to_be_visible()
    page.go_back()
    expect(page.locator(QUESTION)).to_have_text("The first")
    page.go_forward()
    page.go_forward()
    expect(page.locator(QUESTION)).to_have_text("The second")


def test_the_list_marks_the_open_conversation_and_the_running_one(page, app):
    ask(page, "The quiet one")
    page.locator("#new-chat").click()
    app.says(*("word " for _ in range(200)), delay=0.03)
    send(page, "The busy one")
    expect(answer(page)).to_contain_text("word")
    row = page.locator("#conversation-list a", has_text="The busy one")
    expect(row).to_have_attribute("aria-current", "page")
    expect(row.get_by_label("answering")).to_be_visible()
    page.locator("#conversation-list a", has_text="The quiet one").first.click()
    expect(page.locator(QUESTION)).to_have_text("The quiet one")
    expect(page.locator("#stop")).to_be_hidden()
    expect(row).not_to_have_attribute("aria-current", "page")
    row.click()
    expect(page.locator("#stop")).to_be_visible()
    page.locator("#stop").click()
    expect(row.get_by_label("answering")).to_have_count(0)


def test_an_answer_never_shows_in_another_conversation(page, app):
    ask(page, "The first")
    first = conversation_id(page)
    page.locator("#new-chat").click()
    app.says(*("leak " for _ in range(100)), delay=0.03)
    send(page, "The second")
    expect(answer(page)).to_contain_text("leak")
    page.locator(f"[data-conversation-id='{first}']").click()
    expect(page.locator(QUESTION)).to_have_text("The first")
    page.wait_for_timeout(500)
    expect(page.locator(ANSWER)).to_have_count(1)
    expect(page.locator("#chat")).not_to_contain_text("leak")


def test_search_narrows_the_list_and_an_input_methods_enter_does_nothing(page):
    ask(page, "Apples and pears")
    page.locator("#new-chat").click()
    ask(page, "Rockets")
    here = page.url
    search = page.locator("#conversation-search")
    search.fill("APPLES")
    expect(page.locator("#conversation-list a")).to_have_text([re.compile("Apples and pears")])
    search.evaluate(
        """(node) => node.dispatchEvent(new KeyboardEvent("keydown",
            {key: "Enter", isComposing: true, bubbles: true}))"""
    )
    assert page.url == here
    search.fill("nothing like it")
    expect(page.locator("#conversation-list")).to_contain_text("Nothing found.")
    search.press("Escape")
    expect(page.locator("#conversation-list a", has_text="Rockets").first).to_be_visible()


def test_a_title_with_markup_is_text(page):
    ask(page, "<img src=x onerror='window.hit=1'> title")
    expect(page.locator("#conversation-list a").first).to_contain_text("<img src=x")
    assert page.evaluate("window.hit") is None


def test_a_conversation_that_is_gone_is_said_so(new_page, app):
    page = visit(new_page(), app, "#/c/nosuchconversation")
    expect(page.get_by_text("This conversation does not exist")).to_be_visible()
    page.locator("#chat").get_by_role("button", name="New chat").click()
    expect(page.locator(".qc-empty")).to_be_visible()


def test_the_tab_is_named_after_the_conversation(page):
    expect(page).to_have_title("QwenChat")
    ask(page, "Talk about whales")
    expect(page).to_have_title("Talk about whales · QwenChat")


def test_closed_side_bars_are_remembered(page):
    expect(page.locator("#system-prompt")).to_be_visible()  # both are open at first
    page.get_by_role("button", name="Hide settings").click()
    page.get_by_role("button", name="Hide conversations").click()
    page.reload()
    expect(page.locator("#message-box")).to_be_visible(timeout=10_000)
    expect(page.locator("#settings-panel")).to_be_hidden()
    expect(page.locator("#conversation-list")).to_be_hidden()
    open_settings(page)
    page.get_by_role("button", name="Show conversations").click()
    expect(page.locator("#conversation-list")).to_be_visible()


def test_side_bars_are_drawers_on_a_phone(new_page, app):
    page = visit(new_page(390, 844, has_touch=True, is_mobile=True), app)
    expect(page.locator("#conversation-list")).to_be_hidden()
    expect(page.locator("#settings-panel")).to_be_hidden()
    page.get_by_role("button", name="Show conversations").tap()
    expect(page.locator("#conversation-list")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#conversation-list")).to_be_hidden()
    page.get_by_role("button", name="Show settings").tap()
    expect(page.locator("#system-prompt")).to_be_visible()
    page.touchscreen.tap(20, 400)
    expect(page.locator("#settings-panel")).to_be_hidden()
    assert page.evaluate("document.documentElement.scrollWidth") == 390


def test_choosing_a_conversation_closes_the_drawer(new_page, app):
    page = visit(new_page(390, 844, has_touch=True, is_mobile=True), app)
    page.locator("#message-box").fill("From the phone")
    page.locator("#send").tap()
    expect(page.locator(QUESTION)).to_be_visible()
    page.get_by_role("button", name="Show conversations").tap()
    page.locator("#new-chat").tap()
    expect(page.locator("#conversation-list")).to_be_hidden()
    page.get_by_role("button", name="Show conversations").tap()
    page.locator("#conversation-list a", has_text="From the phone").first.tap()
    expect(page.locator("#conversation-list")).to_be_hidden()
    expect(page.locator(QUESTION)).to_have_text("From the phone")
