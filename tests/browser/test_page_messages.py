"""What can be done to single messages, and that none of it loses anything."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, Page, expect

from qwenchat.engine.fake import Script
from qwenchat.errors import ContextLengthExceeded, EngineInternal
from tests.ui.pages import ANSWER, QUESTION, answer, ask, conversation_id, expect_state, send, visit
from tests.ui.seeding import fetch, seed
from tests.ui.serving import Served

pytestmark = pytest.mark.browser

HOSTILE = (
    "<script>window.hit = 1</script><img src=x onerror='window.hit = 2'>"
    '[click](javascript:window.hit=3) <a href="javascript:window.hit=4">a</a>'
)


@pytest.fixture(scope="module")
def app(tmp_path_factory) -> Iterator[Served]:
    with Served(tmp_path_factory.mktemp("messages")) as served:
        yield served


@pytest.fixture
def page(new_page, app) -> Page:
    app.says("Fine.")
    return visit(new_page(permissions=["clipboard-read", "clipboard-write"]), app)


def question(page: Page) -> Locator:
    """The last message of the person."""
    return page.locator(QUESTION).last


def press(message: Locator, name: str) -> None:
    """Click one of a message's buttons."""
    message.hover()
    message.get_by_role("button", name=name, exact=True).click()


def choose(page: Page, message: Locator, name: str) -> None:
    """Choose from a message's menu."""
    press(message, "More")
    page.get_by_role("menuitem", name=name).click()


def edit_box(page: Page) -> Locator:
    return page.get_by_role("textbox", name="Text of the message")


def clipboard(page: Page) -> str:
    return page.evaluate("navigator.clipboard.readText()")


def test_an_edited_question_is_a_branch_and_both_can_be_read(page, app):
    ask(page, "First try")
    app.says("Another answer.")
    press(question(page), "Edit")
    expect(edit_box(page)).to_have_value("First try")
    edit_box(page).fill("Second try")
    edit_box(page).press("Enter")
    expect(question(page).locator(".qc-user-text")).to_have_text("Second try")
    expect(answer(page)).to_contain_text("Another answer.")
    expect_state(page, "done")
    expect(page.locator(".qc-message")).to_have_count(2)
    expect(question(page).locator(".qc-versions")).to_have_text("2/2")
    press(question(page), "Previous version")
    expect(question(page).locator(".qc-user-text")).to_have_text("First try")
    expect(answer(page)).to_contain_text("Fine.")


def test_versions_of_an_answer_with_arrows_and_keys(page, app):
    ask(page, "Hello")
    for text in ("Two.", "Three."):
        app.says(text)
        press(answer(page), "Regenerate")
        expect(answer(page)).to_contain_text(text)
        expect_state(page, "done")
    expect(answer(page).locator(".qc-versions")).to_have_text("3/3")
    expect(answer(page).get_by_role("button", name="Next version")).to_be_disabled()
    press(answer(page), "Previous version")
    expect(answer(page)).to_contain_text("Two.")
    expect(answer(page).get_by_role("button", name="Previous version")).to_be_focused()
    page.keyboard.press("Alt+ArrowLeft")
    expect(answer(page)).to_contain_text("Fine.")
    expect(answer(page)).to_be_focused()
    page.keyboard.press("Alt+ArrowRight")
    expect(answer(page)).to_contain_text("Two.")
    page.keyboard.press("Alt+ArrowRight")
    expect(answer(page)).to_contain_text("Three.")
    assert re.search(r"#/c/", page.url), "the browser must not have gone back"


def test_regenerating_an_earlier_answer_keeps_what_came_after(page, app):
    ask(page, "One")
    ask(page, "Two")
    app.says("Other.")
    press(page.locator(ANSWER).first, "Regenerate")
    expect(answer(page)).to_contain_text("Other.")
    expect_state(page, "done")
    expect(page.locator(".qc-message")).to_have_count(2)
    press(answer(page), "Previous version")
    expect(page.locator(".qc-message")).to_have_count(4)
    expect(question(page)).to_contain_text("Two")


def test_an_edited_answer_says_so_and_keeps_the_old_text(page, app):
    ask(page, "Hello")
    press(answer(page), "Edit")
    edit_box(page).fill("My **own** words")
    edit_box(page).press("Enter")
    expect(edit_box(page)).to_have_value("My **own** words\n")
    edit_box(page).press("Control+Enter")
    expect(answer(page).locator("strong")).to_have_text("own")
    expect(answer(page).locator(".qc-details")).to_contain_text("edited")
    press(answer(page), "Previous version")
    expect(answer(page)).to_contain_text("Fine.")
    press(answer(page), "Next version")
    ask(page, "Go on")
    assert app.engine.requests[-1].messages[1].content == "My **own** words\n"


def test_escape_cancels_an_edit_and_the_focus_comes_back(page):
    ask(page, "Hello")
    press(question(page), "Edit")
    edit_box(page).fill("Something else")
    edit_box(page).press("Escape")
    expect(question(page).locator(".qc-user-text")).to_have_text("Hello")
    expect(question(page).get_by_role("button", name="Edit")).to_be_focused()
    press(question(page), "Edit")
    expect(edit_box(page)).to_have_value("Hello")


def test_an_edit_keeps_its_text_when_another_tab_sends(page, new_page, app):
    ask(page, "Hello")
    press(question(page), "Edit")
    edit_box(page).fill("Half a thought")
    other = visit(new_page(), app, f"#/c/{conversation_id(page)}")
    expect(other.locator(ANSWER)).to_have_count(1)
    ask(other, "From the other tab")
    expect(page.locator(ANSWER)).to_have_count(2)
    expect(edit_box(page)).to_have_value("Half a thought")
    page.reload()
    expect(edit_box(page)).to_have_value("Half a thought", timeout=10_000)


def test_a_refused_edit_keeps_the_text_and_says_why(page):
    ask(page, "Hello")
    press(question(page), "Edit")
    edit_box(page).fill("Not lost")
    page.route("**/messages", lambda route: route.abort())
    page.get_by_role("button", name="Send", exact=True).first.click()
    expect(page.locator(".qc-edit-problem")).to_contain_text("The server was not reached")
    expect(edit_box(page)).to_have_value("Not lost")
    page.unroute("**/messages")
    edit_box(page).press("Enter")
    expect(question(page).locator(".qc-user-text")).to_have_text("Not lost")


def test_delete_tells_how_much_went_and_undo_brings_it_back(page):
    ask(page, "One")
    ask(page, "Two")
    choose(page, page.locator(ANSWER).first, "Delete")
    expect(page.locator(".qc-toast")).to_contain_text("Deleted the message and 2 after it.")
    expect(page.locator(".qc-message")).to_have_count(1)
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".qc-message")).to_have_count(4)
    expect(question(page)).to_contain_text("Two")


def test_branch_into_a_new_chat(page):
    ask(page, "One")
    ask(page, "Two")
    first = conversation_id(page)
    choose(page, page.locator(ANSWER).first, "Branch into a new chat")
    expect(page.locator(".qc-message")).to_have_count(2)
    assert conversation_id(page) != first
    ask(page, "Three")
    page.goto(page.url.split("#")[0] + f"#/c/{first}")
    expect(question(page)).to_contain_text("Two")


def test_a_stopped_answer_continues_in_the_same_nodes(page, app):
    app.says("First paragraph.\n\n", *(f"word{n} " for n in range(200)), delay=0.03)
    send(page, "Hello")
    expect(answer(page)).to_contain_text("word3 ")
    page.locator("#stop").click()
    expect_state(page, "stopped")
    page.evaluate(
        "document.querySelector('[data-role=assistant] .qc-body').firstElementChild.mine = true"
    )
    before = answer(page).locator(".qc-body").inner_text()
    app.says(*(f"more{n} " for n in range(40)), delay=0.05, prompt_tokens=90, cached_tokens=64)
    answer(page).get_by_role("button", name="Continue").click()
    expect(answer(page)).to_contain_text("more2 ")
    expect(answer(page)).to_have_attribute("data-state", "streaming")
    expect(answer(page).locator(".qc-caret")).to_have_count(1)
    expect_state(page, "done")
    assert page.evaluate(
        "document.querySelector('[data-role=assistant] .qc-body').firstElementChild.mine"
    )
    after = answer(page).locator(".qc-body").inner_text()
    assert after.startswith(before.rstrip()) and after.rstrip().endswith("more39")
    expect(answer(page).locator(".qc-details")).to_contain_text("reused 64 of 90 prompt tokens")
    expect(answer(page).locator(".qc-caret")).to_have_count(0)


def test_a_continued_answer_survives_a_reload_in_the_middle(page, app):
    app.says("Begun ", *("x " for _ in range(200)), delay=0.05)
    send(page, "Hello")
    expect(answer(page)).to_contain_text("Begun x")
    page.locator("#stop").click()
    expect_state(page, "stopped")
    app.says(*(f"more{n} " for n in range(60)), delay=0.05)
    answer(page).get_by_role("button", name="Continue").click()
    expect(answer(page)).to_contain_text("more2 ")
    page.reload()
    expect(answer(page)).to_contain_text("more5 ", timeout=10_000)
    expect_state(page, "done")
    body = answer(page).locator(".qc-body").inner_text()
    assert body.split()[-60:] == [f"more{n}" for n in range(60)]


def test_an_answer_that_broke_off_offers_to_continue_first(page, app):
    error = EngineInternal("The engine refused to go on. Try again.")
    app.script = lambda request: Script(("Some", " text"), 0.01, error=error)
    send(page, "Hello")
    expect_state(page, "failed")
    buttons = answer(page).locator(".qc-card").get_by_role("button")
    expect(buttons).to_have_text(["Continue", "Regenerate"])
    expect(buttons.first).to_have_class(re.compile("qc-primary"))
    app.says(" and the rest.")
    buttons.first.click()
    expect_state(page, "done")
    expect(answer(page).locator(".qc-body")).to_have_text("Some text and the rest.")
    expect(page.locator(".qc-card:visible")).to_have_count(0)


def test_an_answer_at_its_length_can_continue(page, app):
    cid = fetch(app, "POST", "api/conversations", {"sampling": {"max_tokens": 3}})["id"]
    visit(page, app, f"#/c/{cid}")
    app.says(*(f"word{n} " for n in range(5)))
    send(page, "Hello")
    expect_state(page, "done")
    expect(answer(page).locator(".qc-note")).to_contain_text("reached Max tokens")
    app.says("last.")
    answer(page).get_by_role("button", name="Continue").click()
    expect(answer(page).locator(".qc-body")).to_have_text("word0 word1 word2 last.")


def test_actions_can_be_reached_and_used_with_the_keyboard(page):
    ask(page, "One")
    page.locator("#chat").focus()
    names = []
    for _ in range(8):
        page.keyboard.press("Tab")
        names.append(page.evaluate("document.activeElement.getAttribute('aria-label')"))
    assert names[:7] == ["Edit", "Copy", "More", "Copy", "Regenerate", "Edit", "More"]
    page.locator("#chat").focus()
    for _ in range(3):
        page.keyboard.press("Tab")
    expect(question(page).locator(".qc-foot")).to_have_css("opacity", "1")
    page.keyboard.press("Enter")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.locator(".qc-message")).to_have_count(0)
    expect(page.locator(".qc-toast")).to_contain_text("Deleted the message and 1 after it.")


def test_actions_are_always_there_on_a_touch_screen(new_page, app):
    app.says("Fine.")
    page = visit(new_page(390, 844, has_touch=True, is_mobile=True), app)
    for text in ("One", "Two"):
        page.locator("#message-box").fill(text)
        page.locator("#send").tap()
        expect_state(page, "done")
    expect(page.locator(f"{QUESTION} .qc-foot").first).to_have_css("opacity", "1")
    question(page).get_by_role("button", name="Edit").tap()
    expect(edit_box(page)).to_be_focused()


def test_the_whole_chat_is_copied_with_what_is_not_shown(page, app):
    messages = [("user", f"Q{n}") if n % 2 == 0 else ("assistant", f"A{n}") for n in range(60)]
    visit(page, app, f"#/c/{seed(app, 'Copy me', messages)}")
    expect(page.locator(".qc-message")).to_have_count(40)
    page.locator("#copy-chat").click()
    expect(page.locator(".qc-toast")).to_contain_text("Copied the whole chat.")
    text = clipboard(page)
    assert text.startswith("**You**\n\nQ0\n\n**Answer**\n\nA1\n\n**You**\n\nQ2\n")
    assert text.rstrip().endswith("A59")


def test_messages_of_systems_and_tools_are_quiet_folded_blocks(page, app):
    messages = [("system", "Be kind."), ("user", "Hi"), ("tool", "42"), ("assistant", "Yes.")]
    visit(page, app, f"#/c/{seed(app, 'With a tool', messages)}")
    system = page.locator("[data-role=system]")
    expect(system.get_by_text("Be kind.")).to_be_hidden()
    system.locator("summary").click()
    expect(system.get_by_text("Be kind.")).to_be_visible()
    expect(page.locator("[data-role=tool]").get_by_text("42")).to_be_hidden()


def test_hostile_text_never_runs_wherever_it_stands(page, app):
    messages = [("system", HOSTILE), ("user", HOSTILE), ("tool", HOSTILE), ("assistant", HOSTILE)]
    visit(page, app, f"#/c/{seed(app, 'Hostile', messages)}")
    expect(page.locator(ANSWER)).to_have_count(1)
    for fold in page.locator(".qc-aside summary").all():
        fold.click()
    app.says(HOSTILE)
    ask(page, HOSTILE)
    press(answer(page), "Edit")
    edit_box(page).fill(HOSTILE + " edited")
    edit_box(page).press("Control+Enter")
    expect(answer(page).locator(".qc-details")).to_contain_text("edited")
    press(question(page), "Edit")
    edit_box(page).fill(HOSTILE + " again")
    edit_box(page).press("Enter")
    expect_state(page, "done")
    for link in page.locator(".qc-message a").all():
        link.click(force=True, timeout=1000)
    page.wait_for_timeout(200)
    assert page.evaluate("window.hit") is None
    assert page.locator(".qc-message script, .qc-message img[onerror]").count() == 0
    assert page.locator(".qc-message a[href^='javascript']").count() == 0


def test_a_message_the_model_cannot_hold_comes_back_into_the_box(page, app):
    error = ContextLengthExceeded("The message is too long for the model. Shorten it.")
    app.script = lambda request: Script((), error=error)
    send(page, "Far too long")
    expect_state(page, "failed")
    expect(page.locator("#message-box")).to_have_value("Far too long")
    expect(page.locator(".qc-problem")).to_contain_text("too long for the model")
    answer(page).get_by_role("button", name="Edit the message").click()
    expect(edit_box(page)).to_have_value("Far too long")


def test_what_needs_a_free_chat_is_out_of_reach_while_an_answer_runs(page, app):
    ask(page, "One")
    app.says(*("word " for _ in range(300)), delay=0.05)
    send(page, "Two")
    expect(answer(page)).to_contain_text("word")
    first = page.locator(ANSWER).first
    first.hover()
    expect(first.get_by_role("button", name="Regenerate")).to_be_hidden()
    expect(first.get_by_role("button", name="Copy")).to_be_visible()
    first.get_by_role("button", name="More").click()
    expect(page.get_by_role("menuitem")).to_have_text(["Branch into a new chat"])
    page.keyboard.press("Escape")
    page.locator("#stop").click()
    expect_state(page, "stopped")
    expect(first.get_by_role("button", name="Regenerate")).to_be_visible()
