"""The message box: when Enter sends, and that nothing typed is ever lost."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.ui.pages import QUESTION, answer, ask, conversation_id, expect_state, send, visit
from tests.ui.serving import Served

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def app(tmp_path_factory) -> Iterator[Served]:
    # Room for two megabytes: what can never fit is not sent.
    with Served(tmp_path_factory.mktemp("composer"), context_length=1_000_000) as served:
        yield served


@pytest.fixture
def page(new_page, app) -> Page:
    app.says("Fine.")
    return visit(new_page(), app)


def box(page: Page):
    return page.locator("#message-box")


def test_the_box_has_the_focus_at_first(page):
    expect(box(page)).to_be_focused()


def test_enter_sends_and_empties_the_box(page):
    box(page).type("Hello")
    box(page).press("Enter")
    expect(page.locator(QUESTION)).to_have_text("Hello")
    expect(box(page)).to_have_value("")
    expect(box(page)).to_be_focused()


def test_shift_enter_breaks_the_line(page, app):
    box(page).type("one")
    box(page).press("Shift+Enter")
    box(page).type("two")
    expect(page.locator(QUESTION)).to_have_count(0)
    box(page).press("Enter")
    expect_state(page, "done")
    assert app.engine.requests[-1].messages[-1].content == "one\ntwo"


def test_an_empty_message_is_not_sent(page):
    expect(page.locator("#send")).to_be_disabled()
    box(page).fill("  \n ")
    box(page).press("Enter")
    page.wait_for_timeout(300)
    expect(page.locator(QUESTION)).to_have_count(0)


def test_the_enter_of_an_input_method_never_sends(page):
    """A real composition, driven through the browser's own input method interface."""
    session = page.context.new_cdp_session(page)
    box(page).focus()
    session.send(
        "Input.imeSetComposition", {"text": "ni'hao", "selectionStart": 6, "selectionEnd": 6}
    )
    composing = page.evaluate(
        """() => {
            const box = document.getElementById("message-box");
            const press = (options) => box.dispatchEvent(new KeyboardEvent("keydown",
                {key: "Enter", bubbles: true, cancelable: true, ...options}));
            return [press({isComposing: true, keyCode: 13}), press({keyCode: 229})];
        }"""
    )
    assert composing == [True, True], "the key must be left to the input method"
    session.send("Input.insertText", {"text": "你好"})
    page.wait_for_timeout(200)
    expect(page.locator(QUESTION)).to_have_count(0)
    expect(box(page)).to_have_value("你好")
    box(page).press("Enter")
    expect(page.locator(QUESTION)).to_have_text("你好")


def test_the_enter_that_ends_a_composition_in_safari_does_not_send(page):
    """Safari sends compositionend first and then a plain Enter, in the same instant."""
    box(page).fill("你好")
    page.evaluate(
        """() => {
            const box = document.getElementById("message-box");
            box.dispatchEvent(new CompositionEvent("compositionend", {bubbles: true}));
            box.dispatchEvent(new KeyboardEvent("keydown",
                {key: "Enter", keyCode: 13, bubbles: true, cancelable: true}));
        }"""
    )
    page.wait_for_timeout(200)
    expect(page.locator(QUESTION)).to_have_count(0)


def test_enter_makes_a_new_line_on_a_touch_screen(new_page, app):
    page = visit(new_page(390, 844, has_touch=True, is_mobile=True), app)
    box(page).tap()
    box(page).type("one")
    box(page).press("Enter")
    box(page).type("two")
    expect(box(page)).to_have_value("one\ntwo")
    expect(page.locator(QUESTION)).to_have_count(0)
    page.locator("#send").tap()
    expect(page.locator(QUESTION)).to_have_text("one\ntwo")


def test_the_box_grows_with_the_text_up_to_two_fifths_of_the_window(page):
    def height() -> float:
        return box(page).bounding_box()["height"]

    low = height()
    box(page).fill("one\ntwo\nthree\nfour")
    assert height() > low + 40
    box(page).fill("\n".join(str(n) for n in range(100)))
    assert 0.38 * 800 <= height() <= 0.42 * 800
    box(page).fill("")
    assert height() == low


def test_typing_goes_on_while_an_answer_runs_and_enter_keeps_the_text(page, app):
    app.says(*("word " for _ in range(200)), delay=0.03)
    send(page, "Hello")
    expect(answer(page)).to_contain_text("word")
    box(page).type("The next question")
    box(page).press("Enter")
    expect(box(page)).to_have_value("The next question")
    expect(page.locator("#composer-hint")).to_contain_text("your text stays here")
    page.locator("#stop").click()
    expect_state(page, "stopped")
    expect(box(page)).to_have_value("The next question")
    expect(page.locator(QUESTION)).to_have_count(1)


def test_each_conversation_keeps_its_own_draft(page):
    ask(page, "First")
    first = conversation_id(page)
    box(page).fill("for the first")
    page.locator("#new-chat").click()
    expect(box(page)).to_have_value("")
    box(page).fill("for a new one")
    page.locator(f"[data-conversation-id='{first}']").click()
    expect(box(page)).to_have_value("for the first")
    page.locator("#new-chat").click()
    expect(box(page)).to_have_value("for a new one")


def test_a_draft_survives_a_reload(page):
    box(page).fill("not sent yet\n\twith a tab")
    page.reload()
    expect(box(page)).to_have_value("not sent yet\n\twith a tab", timeout=10_000)


def test_what_was_sent_is_no_draft(page):
    ask(page, "Hello")
    page.reload()
    expect(page.locator(QUESTION)).to_have_text("Hello", timeout=10_000)
    expect(box(page)).to_have_value("")


def test_a_failed_send_gives_the_text_back_with_a_calm_line(page):
    ask(page, "Hello")
    page.route("**/messages", lambda route: route.abort())
    send(page, "Important\ntext")
    problem = page.locator(".qc-problem")
    expect(problem).to_contain_text("The server was not reached")
    expect(box(page)).to_have_value("Important\ntext")
    expect(page.locator(QUESTION)).to_have_count(1)
    page.unroute("**/messages")
    box(page).press("Enter")
    expect(problem).to_be_hidden()
    expect(page.locator(QUESTION)).to_have_count(2)
    expect(page.locator(QUESTION).last).to_have_text("Important\ntext")


def test_a_failed_first_message_gives_the_text_back(page):
    page.route("**/api/conversations", lambda route: route.abort())
    send(page, "Important")
    expect(page.locator(".qc-problem")).to_be_visible()
    expect(box(page)).to_have_value("Important")
    expect(page.locator(".qc-empty")).to_be_visible()


def test_the_server_refusing_a_message_says_why_in_its_own_words(page):
    body = '{"error": {"code": "too_large", "message": "That is too much.", "param": null}}'
    page.route("**/messages", lambda route: route.fulfill(status=413, body=body))
    send(page, "Hello")
    expect(page.locator(".qc-problem")).to_contain_text("That is too much.")
    expect(box(page)).to_have_value("Hello")
    page.get_by_role("button", name="Dismiss").click()
    expect(page.locator(".qc-problem")).to_be_hidden()


def test_the_question_appears_before_the_server_has_answered(page):
    ask(page, "Hello")
    page.route("**/messages", lambda route: (page.wait_for_timeout(0), None)[1])
    send(page, "Slow network")
    expect(page.locator(QUESTION).last).to_have_text("Slow network", timeout=1000)
    expect(box(page)).to_have_value("")


def test_copy_gives_the_answer_as_it_was_written(page, app):
    text = "Some **bold** text\n\n```python\n\tindented()\n```\n"
    app.says(text)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    ask(page, "Hello")
    answer(page).get_by_role("button", name="Copy", exact=True).first.click()
    expect(answer(page).get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == text
    expect(answer(page).get_by_role("button", name=re.compile("^Copy$"))).to_be_visible()


def test_two_megabytes_can_be_pasted_and_sent_without_a_stall(page, app):
    page.evaluate(
        """() => {
            const box = document.getElementById("message-box");
            box.value = "lorem ipsum dolor ".repeat(116_000);
            box.dispatchEvent(new Event("input", {bubbles: true}));
            const begun = performance.now();
            box.offsetHeight;
            window.layout = performance.now() - begun;
        }"""
    )
    assert page.evaluate("window.layout") < 5000
    page.locator("#send").click()
    expect(page.locator(QUESTION)).to_be_visible(timeout=5000)
    expect_state(page, "done")
    assert len(app.engine.requests[-1].messages[-1].content) == 18 * 116_000
    page.get_by_role("button", name="Show all").click()
    shown = page.locator(f"{QUESTION} .qc-user-text")
    assert shown.evaluate("node => node.textContent.length") == 18 * 116_000


def test_right_to_left_writing_is_set_so(page):
    box(page).fill("שלום עולם")
    expect(box(page)).to_have_attribute("dir", "rtl")
    box(page).press("Enter")
    expect(page.locator(f"{QUESTION} .qc-user-text")).to_have_attribute("dir", "rtl")
    box(page).fill("Hello")
    expect(box(page)).to_have_attribute("dir", "ltr")
