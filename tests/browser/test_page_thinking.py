"""Thoughts on the page: the block above an answer, the switch, the budget, the warning."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from qwenchat.engine.fake import Script
from qwenchat.types import ThinkingStyle
from tests.ui.pages import (
    answer,
    ask,
    conversation_id,
    expect_state,
    open_settings,
    send,
    setting,
    visit,
)
from tests.ui.serving import Served

pytestmark = pytest.mark.browser

THOUGHT = ("<think>\n", "Secret ", "thought.", "\n</think>\n\n", "The ", "answer.")
HEAD = ".qc-thoughts-head"
BODY = ".qc-thoughts-body"
LIVE = ".qc-thoughts-window"


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("thinking")
    with Served(folder, thinking=ThinkingStyle("hybrid")) as served:
        yield served


@pytest.fixture
def page(new_page: Any, app: Served) -> Page:
    app.says(*THOUGHT)
    return visit(new_page(), app)


def slowly(app: Served, thoughts: int = 400) -> None:
    app.says("<think>\n", *["hm "] * thoughts, "\n</think>\n\n", "Done.", delay=0.02)


def test_thoughts_stand_above_the_answer_and_are_closed(page: Page) -> None:
    ask(page, "Hi")
    head = answer(page).locator(HEAD)
    expect(head).to_have_text("Thought for 1 s")
    expect(head).to_have_attribute("aria-expanded", "false")
    expect(answer(page).locator(BODY)).to_be_hidden()
    expect(answer(page).locator(LIVE)).to_be_hidden()
    expect(answer(page).locator(".qc-body")).to_have_text("The answer.")
    head.click()
    expect(answer(page).locator(BODY)).to_have_text("Secret thought.")
    head.press("Enter")
    expect(answer(page).locator(BODY)).to_be_hidden()


@pytest.mark.accept
def test_thoughts_are_shown_while_they_come(page: Page, app: Served) -> None:
    slowly(app, 150)
    send(page, "Hi")
    expect(answer(page).locator(LIVE)).to_contain_text("hm hm hm")
    expect(answer(page).locator(HEAD)).to_contain_text(re.compile(r"Thinking… [12] s"))
    expect(answer(page).locator(".qc-waiting")).to_have_count(0)
    expect(answer(page).locator(".qc-body")).to_have_text("Done.", timeout=10_000)
    expect(answer(page).locator(LIVE)).to_be_hidden()
    expect(answer(page).locator(HEAD)).to_have_text(re.compile(r"Thought for \d s"))


@pytest.mark.accept
def test_a_block_that_was_opened_stays_open_and_grows(page: Page, app: Served) -> None:
    slowly(app, 120)
    send(page, "Hi")
    answer(page).locator(HEAD).click()
    body = answer(page).locator(BODY)
    before = len(body.inner_text())
    expect_state(page, "done")
    expect(body).to_be_visible()
    assert body.inner_text() == ("hm " * 120).rstrip() or body.inner_text() == "hm " * 120
    assert len(body.inner_text()) > before


@pytest.mark.accept
def test_a_page_that_is_opened_while_the_model_thinks(
    page: Page, app: Served, new_page: Any
) -> None:
    slowly(app)
    send(page, "Hi")
    expect(answer(page).locator(LIVE)).to_contain_text("hm hm")
    other = visit(new_page(), app, f"#/c/{conversation_id(page)}")
    expect(answer(other).locator(HEAD)).to_contain_text("Thinking…")
    page.locator("#stop").click()
    expect_state(other, "stopped")
    answer(page).locator(HEAD).click()
    answer(other).locator(HEAD).click()
    expect(answer(other).locator(BODY)).to_have_text(answer(page).locator(BODY).inner_text())


@pytest.mark.accept
def test_nothing_moves_when_the_thinking_ends(page: Page, app: Served) -> None:
    ask(page, "First")
    app.says("<think>\n", *["hm "] * 90, "\n</think>\n\n", *["word "] * 60, delay=0.02)
    send(page, "Second")
    expect(answer(page).locator(LIVE)).to_contain_text("hm hm")
    page.evaluate(
        """() => {
          window.shift = 0;
          new PerformanceObserver((list) => {
            for (const entry of list.getEntries()) window.shift += entry.value;
          }).observe({ type: "layout-shift" });
        }"""
    )
    tops = []
    while answer(page).get_attribute("data-state") == "streaming":
        tops.append(page.locator("[data-role=user]").last.evaluate(_TOP))
        page.wait_for_timeout(50)
    assert max(tops) - min(tops) < 1
    assert page.evaluate("window.shift") < 0.02


_TOP = "node => node.getBoundingClientRect().top"


@pytest.mark.accept
def test_neither_copy_nor_title_nor_screen_reader_gets_thoughts(page: Page) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    ask(page, "Hi there")
    answer(page).get_by_role("button", name="Copy", exact=True).click()
    read = "navigator.clipboard.readText()"
    page.wait_for_function(f"{read}.then((text) => text === 'The answer.')")
    page.locator("#copy-chat").click()
    page.wait_for_function(f"{read}.then((text) => text.includes('**'))")
    assert "Secret" not in page.evaluate(read)
    expect(page.locator("#announcer")).to_contain_text("The answer.")
    expect(page.locator("#announcer")).not_to_contain_text("Secret")
    assert "Hi there" in page.title()


@pytest.mark.accept
def test_the_switch_decides_and_brings_its_sampling(page: Page, app: Served) -> None:
    button = page.locator("#thinking")
    expect(button).to_have_attribute("aria-pressed", "true")
    open_settings(page)
    expect(setting(page, "temperature").first).to_have_value("0.6")
    expect(setting(page, "top_p").first).to_have_value("0.95")
    button.click()
    expect(button).to_have_attribute("aria-pressed", "false")
    expect(setting(page, "temperature").first).to_have_value("0.7")
    expect(setting(page, "top_p").first).to_have_value("0.8")
    expect(page.locator("#thinking-switch")).not_to_be_checked()
    expect(page.locator("#thinking-budget")).to_be_hidden()
    app.says("Fine.")
    ask(page, "Hi")
    request = app.engine.requests[-1]
    assert request.template_values == {"enable_thinking": False}
    assert (request.sampling.temperature, request.sampling.top_p) == (0.7, 0.8)
    expect(page.locator(HEAD)).to_have_count(0)
    page.locator("#thinking-switch").click()
    app.says(*THOUGHT)
    ask(page, "Again")
    request = app.engine.requests[-1]
    assert request.template_values == {"enable_thinking": True}
    assert request.sampling.temperature == 0.6
    page.reload()
    expect(page.locator("#thinking")).to_have_attribute("aria-pressed", "true")


@pytest.mark.accept
def test_what_the_person_set_stays_in_both_modes(page: Page, app: Served) -> None:
    open_settings(page)
    setting(page, "top_p").first.fill("0.5")
    page.locator("#thinking").click()
    expect(setting(page, "temperature").first).to_have_value("0.7")
    expect(setting(page, "top_p").first).to_have_value("0.5")
    ask(page, "Hi")
    assert app.engine.requests[-1].sampling.top_p == 0.5


@pytest.mark.accept
def test_greedy_thinking_is_warned_of(page: Page) -> None:
    open_settings(page)
    warning = page.locator(".qc-thinking-row > .qc-notice")
    expect(warning).to_be_hidden()
    setting(page, "temperature").first.fill("0")
    expect(warning).to_contain_text("may repeat itself without end")
    page.locator("#thinking").click()
    expect(warning).to_be_hidden()
    page.locator("#thinking").click()
    expect(page.locator(".qc-toasts")).to_contain_text("temperature above 0")


@pytest.mark.accept
def test_the_budget_reaches_the_answer(page: Page, app: Served) -> None:
    open_settings(page)
    budget = page.locator("#thinking-budget")
    budget.fill("3")
    expect(page.locator(".qc-thinking-budget .qc-notice")).to_be_visible()
    budget.fill("20")
    expect(page.locator(".qc-thinking-budget .qc-notice")).to_be_hidden()

    def script(request: Any) -> Script:
        pieces = ["It is 4."] if request.continue_final else ["<think>\n", *["hm "] * 400]
        return Script(pieces, 0.01)

    app.script = script
    ask(page, "Hi")
    expect(answer(page).locator(".qc-body")).to_have_text("It is 4.")
    answer(page).locator(HEAD).click()
    expect(answer(page).locator(BODY)).to_contain_text("Considering the limited time")
    page.reload()
    open_settings(page)
    expect(page.locator("#thinking-budget")).to_have_value("20")


@pytest.mark.accept
def test_an_answer_that_ended_in_its_thoughts_says_so_and_goes_on(page: Page, app: Served) -> None:
    open_settings(page)
    setting(page, "max_tokens").fill("3")
    ask(page, "Hi")
    expect(answer(page)).to_contain_text("ended while the model was still thinking")
    expect(answer(page).get_by_role("button", name="Copy", exact=True)).to_have_count(0)
    setting(page, "max_tokens").fill("100")
    app.says("\n</think>\n\n", "The answer.")
    answer(page).get_by_role("button", name="Continue").click()
    expect(answer(page).locator(".qc-body")).to_have_text("The answer.")
    assert app.engine.requests[-1].messages[-1].content == "<think>\nSecret thought."


@pytest.mark.accept
@pytest.mark.parametrize("kind", ["none", "thinking_only"])
def test_models_without_a_choice(kind: Any, new_page: Any, tmp_path: Any) -> None:
    style = ThinkingStyle(kind, prompt_opens=kind == "thinking_only")
    with Served(tmp_path, thinking=style) as app:
        page = visit(new_page(), app)
        expect(page.locator("#status")).to_contain_text("Ready", timeout=10_000)
        expect(page.locator("#thinking")).to_be_hidden()
        open_settings(page)
        if kind == "none":
            expect(page.locator(".qc-thinking-row")).to_be_hidden()
            app.says(*THOUGHT)
            ask(page, "What is <think>?")
            expect(page.locator(HEAD)).to_have_count(0)
            expect(answer(page).locator(".qc-body")).to_contain_text("Secret thought.")
        else:
            row = page.locator(".qc-thinking-row")
            expect(row).to_contain_text("always thinks before it answers")
            expect(page.locator("#thinking-switch")).to_be_hidden()
            expect(page.locator("#thinking-budget")).to_be_visible()
            app.says("Hm.", "\n</think>\n\n", "Yes.")
            ask(page, "Hi")
            expect(answer(page).locator(".qc-body")).to_have_text("Yes.")
