"""What can be done to a conversation in the list: rename, pin, delete, undo; and the toasts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import count

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.ui.exports import conversation, request, seed
from tests.ui.pages import QUESTION, visit
from tests.ui.serving import Served

pytestmark = [pytest.mark.browser, pytest.mark.accept]

LINKS = "#conversation-list a"
TOAST = ".qc-toast"
EVIL = "<img src=x onerror='window.hit=1'><script>window.hit=2</script>"
numbers = count()


@pytest.fixture(scope="module")
def app(tmp_path_factory) -> Iterator[Served]:
    with Served(tmp_path_factory.mktemp("changes")) as served:
        yield served


@pytest.fixture
def names(app) -> list[str]:
    """Three conversations of this test, the newest first."""
    turn = next(numbers)
    names = [f"t{turn}-{letter}" for letter in "abc"]
    seed(
        app,
        [
            conversation(f"Title {name}", f"About {name}", "Yes.", id=name, ago=at)
            for at, name in enumerate(names)
        ],
    )
    return names


@pytest.fixture
def page(new_page, app, names) -> Page:
    page = visit(new_page(), app)
    expect(row(page, names[0])).to_be_visible()
    return page


def row(page: Page, name: str) -> Locator:
    return page.locator(f"[data-conversation-id='{name}']")


def choose(page: Page, name: str, entry: str) -> None:
    """An entry of a row's menu."""
    row(page, name).hover()
    page.locator(f".qc-row:has([data-conversation-id='{name}']) .qc-row-more").click()
    page.get_by_role("menuitem", name=entry, exact=True).click()


def field(page: Page) -> Locator:
    return page.get_by_role("textbox", name="New title")


def reload(page: Page) -> None:
    page.reload()
    expect(page.locator(LINKS).first).to_be_visible(timeout=10_000)


def shown(page: Page) -> list[str | None]:
    return [link.get_attribute("data-conversation-id") for link in page.locator(LINKS).all()]


def test_a_row_is_renamed_in_place_and_stays_so(page, app, names):
    choose(page, names[1], "Rename")
    expect(field(page)).to_be_focused()
    expect(field(page)).to_have_value(f"Title {names[1]}")
    field(page).fill(f"  Whales, {names[1]} ")
    field(page).press("Enter")
    expect(row(page, names[1])).to_have_text(f"Whales, {names[1]}")
    expect(row(page, names[1])).to_be_focused()
    reload(page)
    expect(row(page, names[1])).to_have_text(f"Whales, {names[1]}")


def test_f2_renames_and_looking_elsewhere_saves(page, app, names):
    row(page, names[0]).focus()
    page.keyboard.press("F2")
    field(page).fill("Saved by a look elsewhere")
    page.locator("#message-box").focus()
    expect(row(page, names[0])).to_have_text("Saved by a look elsewhere")
    page.wait_for_timeout(200)
    assert request(app, "GET", f"/api/conversations/{names[0]}")["title"] == (
        "Saved by a look elsewhere"
    )


def test_escape_and_an_empty_title_change_nothing_and_an_input_methods_enter_does_not_save(
    page, names
):
    asked: list[str] = []
    page.on("request", lambda one: asked.append(one.method) if one.method == "PATCH" else None)
    row(page, names[0]).focus()
    page.keyboard.press("F2")
    field(page).fill("half a word")
    field(page).evaluate(
        """(node) => node.dispatchEvent(new KeyboardEvent("keydown",
            {key: "Enter", isComposing: true, bubbles: true}))"""
    )
    expect(field(page)).to_be_focused()
    field(page).press("Escape")
    expect(row(page, names[0])).to_have_text(f"Title {names[0]}")
    expect(row(page, names[0])).to_be_focused()
    page.keyboard.press("F2")
    field(page).fill("   ")
    field(page).press("Enter")
    expect(row(page, names[0])).to_have_text(f"Title {names[0]}")
    assert asked == []


def test_a_rename_goes_on_while_the_list_moves_under_it(page, app, names):
    row(page, names[2]).focus()
    page.keyboard.press("F2")
    field(page).fill("Typed while it moved")
    body = b'{"pinned": true}'
    request(app, "PATCH", f"/api/conversations/{names[2]}", body)
    expect(page.locator("#conversation-list h2").first).to_have_text("Pinned")
    expect(field(page)).to_be_focused()
    field(page).press("Enter")
    expect(row(page, names[2])).to_have_text("Typed while it moved")
    request(app, "PATCH", f"/api/conversations/{names[2]}", b'{"pinned": false}')


def test_a_rename_that_fails_goes_back_and_says_why(page, names):
    page.route("**/api/conversations/*", lambda route: route.abort())
    row(page, names[0]).focus()
    page.keyboard.press("F2")
    field(page).fill(EVIL)
    field(page).press("Enter")
    expect(page.locator(TOAST)).to_contain_text(
        f"“Title {names[0]}” was not renamed. The server was not reached."
    )
    expect(row(page, names[0])).to_have_text(f"Title {names[0]}")
    assert page.evaluate("window.hit") is None


def test_a_pinned_conversation_stands_on_top_and_stays_there(page, names):
    choose(page, names[2], "Pin")
    expect(page.locator("#conversation-list h2").first).to_have_text("Pinned")
    expect(page.locator(LINKS).first).to_have_attribute("data-conversation-id", names[2])
    reload(page)
    expect(page.locator(LINKS).first).to_have_attribute("data-conversation-id", names[2])
    choose(page, names[2], "Unpin")
    expect(page.locator(LINKS).first).to_have_attribute("data-conversation-id", names[0])
    reload(page)
    expect(page.locator(LINKS).first).to_have_attribute("data-conversation-id", names[0])


def test_a_deleted_conversation_goes_at_once_and_stays_gone(page, app, names):
    choose(page, names[1], "Delete")
    expect(row(page, names[1])).to_have_count(0)
    expect(page.locator(TOAST)).to_have_text(f"Deleted “Title {names[1]}”.Undo")
    reload(page)
    expect(row(page, names[0])).to_be_visible()
    expect(row(page, names[1])).to_have_count(0)


def test_undo_brings_a_conversation_back_for_good(page, names):
    before = shown(page)
    choose(page, names[1], "Delete")
    page.get_by_role("button", name="Undo").click()
    expect(row(page, names[1])).to_be_visible()
    expect(page.locator(TOAST)).to_have_count(0)
    assert shown(page) == before
    page.wait_for_timeout(300)
    reload(page)
    row(page, names[1]).click()
    expect(page.locator(QUESTION)).to_have_text(f"About {names[1]}")


def test_each_of_several_deletions_can_be_undone(page, names):
    for name in names:
        row(page, name).focus()
        page.keyboard.press("Delete")
    expect(page.locator(TOAST)).to_have_count(3)
    for name in names:
        page.locator(TOAST, has_text=name).get_by_role("button", name="Undo").click()
    for name in names:
        expect(row(page, name)).to_be_visible()
    page.wait_for_timeout(300)
    reload(page)
    for name in names:
        expect(row(page, name)).to_be_visible()


def test_the_focus_goes_on_to_the_next_row_after_a_deletion(page, names):
    row(page, names[0]).focus()
    page.keyboard.press("Delete")
    expect(row(page, names[1])).to_be_focused()


def test_deleting_the_open_conversation_begins_a_new_chat_and_undo_opens_it_again(page, names):
    row(page, names[0]).click()
    expect(page.locator(QUESTION)).to_have_text(f"About {names[0]}")
    choose(page, names[0], "Delete")
    expect(page.locator(".qc-empty")).to_be_visible()
    expect(page).to_have_title("QwenChat")
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(QUESTION)).to_have_text(f"About {names[0]}")
    expect(row(page, names[0])).to_have_attribute("aria-current", "page")


def test_a_deletion_that_fails_brings_the_row_back_and_says_why(page, names):
    why = "The database can be read but not written. Give QwenChat the right to write to it."
    row(page, names[0]).click()
    expect(page.locator(QUESTION)).to_have_text(f"About {names[0]}")
    page.route(
        f"**/api/conversations/{names[0]}",
        lambda route: route.fulfill(
            status=500, json={"error": {"code": "store_read_only", "message": why, "param": None}}
        ),
    )
    choose(page, names[0], "Delete")
    expect(page.locator(TOAST)).to_have_text(f"“Title {names[0]}” was not deleted. {why}")
    expect(row(page, names[0])).to_be_visible()
    expect(page.locator(QUESTION)).to_have_text(f"About {names[0]}")
    page.unroute(f"**/api/conversations/{names[0]}")
    choose(page, names[0], "Delete")
    expect(row(page, names[0])).to_have_count(0)
    expect(page.locator(TOAST, has_text="Deleted “")).to_be_visible()


def test_undo_that_fails_can_be_pressed_again(page, names):
    page.route("**/restore", lambda route: route.abort())
    choose(page, names[1], "Delete")
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(TOAST)).to_contain_text("did not come back. The server was not reached.")
    expect(row(page, names[1])).to_have_count(0)
    page.unroute("**/restore")
    page.get_by_role("button", name="Undo").click()
    expect(row(page, names[1])).to_be_visible()
    page.wait_for_timeout(300)
    reload(page)
    expect(row(page, names[1])).to_be_visible()


def test_a_change_in_one_tab_shows_in_the_other(page, app, names):
    other = visit(page.context.new_page(), app)
    expect(row(other, names[1])).to_be_visible()
    choose(page, names[1], "Delete")
    expect(row(other, names[1])).to_have_count(0)
    page.get_by_role("button", name="Undo").click()
    expect(row(other, names[1])).to_be_visible()
    choose(page, names[2], "Rename")
    field(page).fill(f"{EVIL} from the other tab")
    field(page).press("Enter")
    expect(row(other, names[2])).to_contain_text("from the other tab")
    assert other.evaluate("window.hit") is None


def test_deleting_among_hits_and_undoing_it_keeps_them_true(page, names):
    page.locator("#conversation-search").fill(names[1])
    expect(page.locator(LINKS)).to_have_count(1)
    choose(page, names[1], "Delete")
    expect(page.locator("#conversation-list")).to_contain_text("Nothing found.")
    page.get_by_role("button", name="Undo").click()
    expect(row(page, names[1])).to_be_visible()


def test_the_menu_is_used_with_the_keyboard_and_gives_the_focus_back(page, names):
    row(page, names[0]).focus()
    page.keyboard.press("Tab")
    button = page.get_by_role("button", name=f"Options for “Title {names[0]}”")
    expect(button).to_be_focused()
    page.keyboard.press("Enter")
    entries = page.get_by_role("menuitem")
    expect(entries).to_have_text(
        ["Rename", "Pin", "Export as Markdown", "Export as JSON", "Delete"]
    )
    expect(entries.first).to_be_focused()
    expect(button).to_have_attribute("aria-expanded", "true")
    page.keyboard.press("ArrowUp")
    expect(entries.last).to_be_focused()
    page.keyboard.press("Home")
    page.keyboard.press("ArrowDown")
    expect(entries.nth(1)).to_be_focused()
    page.keyboard.press("e")
    expect(entries.nth(2)).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.get_by_role("menu")).to_have_count(0)
    expect(button).to_be_focused()
    page.keyboard.press("Enter")
    page.locator("#chat").click(position={"x": 5, "y": 5})
    expect(page.get_by_role("menu")).to_have_count(0)


@pytest.mark.parametrize(("width", "height"), [(1280, 300), (390, 500)])
def test_the_menu_never_leaves_the_window(new_page, app, names, width, height):
    page = visit(new_page(width, height), app)
    if width < 800:
        page.get_by_role("button", name="Show conversations").click()
    expect(row(page, names[0])).to_be_visible()
    for button in page.locator(".qc-row-more").all():
        if not button.is_visible():
            continue
        button.evaluate("node => node.click()")
        box = page.get_by_role("menu").bounding_box()
        assert box and box["x"] >= 0 and box["y"] >= 0
        assert box["x"] + box["width"] <= width
        assert box["y"] + box["height"] <= height
        page.keyboard.press("Escape")


def test_rows_are_renamed_and_deleted_in_the_drawer_of_a_phone(new_page, app, names):
    page = visit(new_page(390, 844, has_touch=True, is_mobile=True), app)
    page.get_by_role("button", name="Show conversations").tap()
    button = page.get_by_role("button", name=f"Options for “Title {names[0]}”")
    expect(button).to_have_css("opacity", "1")
    button.tap()
    page.get_by_role("menuitem", name="Rename").tap()
    field(page).fill("On the phone")
    field(page).press("Escape")
    expect(page.locator("#conversation-list")).to_be_visible()  # Escape was for the field
    button.tap()
    page.keyboard.press("Escape")
    expect(page.get_by_role("menu")).to_have_count(0)
    expect(page.locator("#conversation-list")).to_be_visible()
    button.tap()
    page.get_by_role("menuitem", name="Delete").tap()
    expect(row(page, names[0])).to_have_count(0)
    page.get_by_role("button", name="Undo").tap()
    expect(row(page, names[0])).to_be_visible()


def test_one_conversation_is_exported_from_its_menu(page, names):
    for entry, ending in (("Export as Markdown", ".md"), ("Export as JSON", ".json")):
        with page.expect_download() as found:
            choose(page, names[0], entry)
        assert found.value.suggested_filename.endswith(ending)
        text = found.value.path().read_text()
        assert f"About {names[0]}" in text
        assert f"About {names[1]}" not in text


def test_a_toast_goes_by_itself_and_stays_under_the_pointer(page):
    page.evaluate(
        """async () => {
            const {toast} = await import("/assets/js/toast.js");
            toast({text: "Short news", seconds: 1});
        }"""
    )
    toast = page.locator(TOAST)
    expect(toast).to_have_text("Short news")
    assert page.locator(".qc-toasts").get_attribute("role") == "status"
    toast.hover()
    page.wait_for_timeout(1500)
    expect(toast).to_be_visible()
    page.mouse.move(10, 10)
    page.wait_for_timeout(1500)
    expect(toast).to_be_visible()  # a moment is left after the pointer has gone
    expect(toast).to_have_count(0, timeout=4000)


def test_at_most_three_toasts_are_seen_and_those_behind_come_forward(page):
    page.evaluate(
        """async () => {
            const {toast} = await import("/assets/js/toast.js");
            window.done = [];
            for (const name of ["one", "two", "three", "four"]) {
                toast({text: name, action: {label: "Undo", run: () => window.done.push(name)}});
            }
        }"""
    )
    expect(page.locator(f"{TOAST}:visible")).to_have_text(
        [re.compile("two"), re.compile("three"), re.compile("four")]
    )
    for name in ("four", "three", "two", "one"):
        page.locator(f"{TOAST}:visible", has_text=name).get_by_role("button").click()
    expect(page.locator(TOAST)).to_have_count(0)
    assert page.evaluate("window.done") == ["four", "three", "two", "one"]


def test_a_toast_stands_above_the_message_box(page, names):
    choose(page, names[0], "Delete")
    toast = page.locator(TOAST).bounding_box()
    composer = page.locator(".qc-composer").bounding_box()
    assert toast and composer
    assert toast["y"] + toast["height"] <= composer["y"]
    page.get_by_role("button", name="Undo").click()
