"""The keys of the page: what they do, when they must not, and the sheet that lists them."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.ui.pages import QUESTION, answer, ask, conversation_id, expect_state, send, visit
from tests.ui.serving import Served

pytestmark = pytest.mark.browser
long = pytest.mark.accept

MAC = """Object.defineProperty(navigator, "platform", {get: () => "MacIntel"})"""

# What Chromium, Firefox, Safari and Edge do themselves, on Windows, Linux and macOS.
BROWSERS_OWN = {
    *(f"Control+{key}" for key in "abcdefghijklmnopqrstuvwxyz0123456789+-/"),
    *(f"Control+Shift+{key}" for key in "abcdefghijklmnopqrstuvwxyz"),
    *(f"Alt+{key}" for key in "defsvbth123456789"),
    *(f"Alt+{key}" for key in ("ArrowLeft", "ArrowRight", "Home", "F4", " ")),
    *(f"Meta+{key}" for key in "abcdefghijklmnopqrstuvwxyz0123456789+-/,"),
    "F1", "F3", "F5", "F6", "F7", "F10", "F11", "F12",
}  # fmt: skip


@pytest.fixture(scope="module")
def app(tmp_path_factory) -> Iterator[Served]:
    with Served(tmp_path_factory.mktemp("keys")) as served:
        yield served


@pytest.fixture
def page(new_page, app) -> Page:
    app.says("Fine.")
    return visit(new_page(), app)


def box(page: Page):
    return page.locator("#message-box")


def sheet(page: Page):
    return page.locator("#shortcuts")


def test_the_sheet_lists_what_is_bound_and_gives_the_focus_back(page):
    page.locator("#show-shortcuts").click()
    expect(sheet(page)).to_be_visible()
    bound = page.evaluate(
        """async () => (await import("/assets/js/shortcuts.js")).shortcuts.map(({id}) => id)"""
    )
    shown = (
        sheet(page)
        .locator("[data-shortcut]")
        .evaluate_all("(rows) => rows.map((row) => row.dataset.shortcut)")
    )
    assert set(bound) == set(shown) - {"send", "newLine", "closeTop"}
    expect(sheet(page).locator("[data-shortcut=newChat] kbd")).to_have_text(["Alt", "N"])
    page.keyboard.press("Escape")
    expect(sheet(page)).to_have_count(0)
    expect(page.locator("#show-shortcuts")).to_be_focused()
    page.keyboard.press("Shift+?")
    expect(sheet(page)).to_be_visible()
    page.keyboard.press("Shift+?")
    expect(sheet(page)).to_have_count(0)


@long
def test_every_key_does_what_the_sheet_says(page, app):
    ask(page, "The first one")
    first = conversation_id(page)
    page.keyboard.press("Alt+n")
    expect(page.locator(QUESTION)).to_have_count(0)
    expect(box(page)).to_be_focused()
    ask(page, "The second one")
    second = conversation_id(page)
    page.keyboard.press("Alt+j")
    page.wait_for_url(f"**#/c/{first}")
    page.keyboard.press("Alt+k")
    page.wait_for_url(f"**#/c/{second}")
    page.keyboard.press("Alt+k")
    page.wait_for_timeout(200)
    assert conversation_id(page) == second, "above the first there is nothing"

    page.keyboard.press("Alt+q")
    expect(page.locator("#conversation-search")).to_be_focused()
    page.keyboard.press("Alt+m")
    expect(box(page)).to_be_focused()

    page.keyboard.press("Alt+l")
    expect(page.locator("#conversation-list")).to_be_hidden()
    page.keyboard.press("Alt+q")
    expect(page.locator("#conversation-search")).to_be_focused()

    page.keyboard.press("Alt+o")
    shown = page.locator("#settings-panel").is_visible()
    page.keyboard.press("Alt+o")
    expect(page.locator("#settings-panel")).to_be_visible(visible=not shown)

    app.says(*(f"word{n} " for n in range(200)), delay=0.05)
    page.keyboard.press("Alt+m")
    send(page, "A long one")
    expect(answer(page)).to_contain_text("word5 ")
    page.keyboard.press("Alt+x")
    expect_state(page, "stopped")

    page.keyboard.press("Alt+c")
    expect(page.locator(".qc-toast")).to_contain_text(
        re.compile("Copied the last answer|did not allow")
    )
    page.keyboard.press("Alt+m")
    page.keyboard.press("ArrowUp")
    expect(page.locator(".qc-edit-box")).to_be_focused()
    expect(page.locator(".qc-edit-box")).to_have_value("A long one")
    page.keyboard.press("Escape")
    expect(page.locator(".qc-edit-box")).to_have_count(0)
    page.keyboard.press("Alt+u")
    expect(page.locator(".qc-edit-box")).to_be_focused()


def test_single_keys_are_text_while_somebody_types(page):
    box(page).type("? and / are text")
    expect(box(page)).to_have_value("? and / are text")
    box(page).press("ArrowUp")
    expect(page.locator(".qc-edit-box")).to_have_count(0)
    expect(sheet(page)).to_have_count(0)
    page.locator("#chat").focus()
    page.keyboard.press("/")
    expect(page.locator("#conversation-search")).to_be_focused()
    expect(page.locator("#conversation-search")).to_have_value("")


@long
def test_no_key_works_below_what_lies_over_the_page(page):
    ask(page, "Hello")
    here = page.url
    page.keyboard.press("Alt+m")
    page.locator("#chat").focus()
    page.keyboard.press("Shift+?")
    expect(sheet(page)).to_be_visible()
    page.keyboard.press("Alt+n")
    page.wait_for_timeout(150)
    assert page.url == here
    page.keyboard.press("Escape")
    page.goto(page.url.split("#")[0] + "#/models")
    expect(page.locator("#models-panel")).to_be_visible()
    page.keyboard.press("Alt+n")
    page.keyboard.press("Alt+l")
    page.wait_for_timeout(150)
    expect(page.locator("#models-panel")).to_be_visible()
    assert page.evaluate("document.documentElement.dataset.sidebar") == "open"


@long
@pytest.mark.parametrize("mac", [False, True], ids=["others", "mac"])
def test_no_key_is_the_browsers_own(new_page, app, mac):
    page = new_page()
    if mac:
        page.add_init_script(MAC)
    visit(page, app)
    keys = page.evaluate(
        """async () => {
            const { shortcuts, isMac } = await import("/assets/js/shortcuts.js");
            const modifier = isMac ? "Mac+" : "Alt+";
            return shortcuts.flatMap(({ keys }) =>
                keys.map(({ key, bare, box }) => (bare || box ? key : modifier + key)));
        }"""
    )
    assert len(keys) == len(set(keys)) > 10
    # Safari and Chromium on a Mac give Control with Shift to the page; Command is theirs.
    assert not BROWSERS_OWN & set(keys)


@long
def test_a_mac_has_its_own_signs_and_keys(new_page, app):
    page = new_page()
    page.add_init_script(MAC)
    visit(page, app)
    ask(page, "Hello")
    page.keyboard.press("Alt+n")
    page.wait_for_timeout(150)
    expect(page.locator(QUESTION)).to_have_count(1)
    page.keyboard.press("Control+Shift+N")
    expect(page.locator(QUESTION)).to_have_count(0)
    page.locator("#show-shortcuts").click()
    expect(sheet(page).locator("[data-shortcut=newChat] kbd")).to_have_text(["⌃", "⇧", "N"])
    expect(sheet(page).locator("[data-shortcut=newLine] kbd")).to_have_text(["⇧", "↩"])


@long
def test_the_sheet_holds_the_focus_and_fits_a_phone(new_page, app):
    page = visit(new_page(390, 844), app)
    page.locator("#chat").focus()
    page.keyboard.press("Shift+?")
    expect(sheet(page)).to_be_visible()
    for _ in range(4):
        page.keyboard.press("Tab")
        inside = page.evaluate(
            "document.activeElement === document.body"
            " || !!document.activeElement.closest('#shortcuts')"
        )
        assert inside, "the focus left the sheet"
    at = sheet(page).bounding_box()
    assert at["x"] >= 0 and at["x"] + at["width"] <= 390
    assert sheet(page).evaluate("node => node.scrollWidth <= node.clientWidth")


@long
def test_escape_closes_only_what_is_on_top(new_page, app):
    page = visit(new_page(390, 844), app)
    page.locator("#toggle-sidebar").click()
    expect(page.locator("#new-chat")).to_be_visible()
    page.locator("#language-menu").click()
    expect(page.get_by_role("menu")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("menu")).to_have_count(0)
    expect(page.locator("#new-chat")).to_be_visible()
    page.locator("#language-menu").focus()
    page.keyboard.press("Shift+?")
    expect(sheet(page)).to_be_visible()
    page.keyboard.press("Escape")
    expect(sheet(page)).to_have_count(0)
    expect(page.locator("#new-chat")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#new-chat")).to_be_hidden()
    expect(page.locator("#toggle-sidebar")).to_be_focused()


@long
def test_a_finger_needs_no_list_of_keys(new_page, app):
    page = visit(new_page(390, 844, has_touch=True, is_mobile=True), app)
    page.locator("#toggle-sidebar").tap()
    expect(page.locator("#new-chat")).to_be_visible()
    expect(page.locator("#show-shortcuts")).to_be_hidden()
