"""Conversations out to a file and in from one, as a person does it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import count
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.ui.exports import DAY, conversation, export, request, seed
from tests.ui.pages import visit
from tests.ui.serving import Served

pytestmark = [pytest.mark.browser, pytest.mark.accept]

EVIL = "<img src=x onerror='window.hit=1'><script>window.hit=2</script>"
numbers = count()


@pytest.fixture(scope="module")
def app(tmp_path_factory) -> Iterator[Served]:
    with Served(tmp_path_factory.mktemp("transfer")) as served:
        seed(served, [conversation("First here", "Was I?", "Yes.", id="first", ago=DAY)])
        yield served


@pytest.fixture
def page(new_page, app) -> Iterator[Page]:
    page = visit(new_page(), app)
    yield page
    request(app, "DELETE", "/api/import")  # cancels it
    request(app, "DELETE", "/api/import")  # clears it away


def card(page: Page) -> Locator:
    return page.locator("#import-card")


def some(many: int, length: int = 1) -> list[dict]:
    turn = next(numbers)
    return [
        conversation(
            f"Import {turn}-{n}", f"Question {turn}-{n}", "word " * length, id=f"i{turn}-{n}"
        )
        for n in range(many)
    ]


def choose(page: Page, name: str, data: bytes) -> None:
    """Choose a file in the dialog behind the menu's entry."""
    page.locator("#transfer-menu").click()
    with page.expect_file_chooser() as chooser:
        page.get_by_role("menuitem", name="Import conversations…").click()
    chooser.value.set_files(
        [{"name": name, "mimeType": "application/octet-stream", "buffer": data}]
    )


def drop(page: Page, *files: tuple[str, str]) -> None:
    page.evaluate(
        """(files) => {
            const carried = new DataTransfer();
            for (const [name, text] of files) carried.items.add(new File([text], name));
            const place = document.querySelector(".qc-side");
            for (const type of ["dragenter", "dragover", "drop"]) {
                place.dispatchEvent(new DragEvent(type,
                    {dataTransfer: carried, bubbles: true, cancelable: true}));
            }
        }""",
        [list(file) for file in files],
    )


@pytest.mark.parametrize(("name", "ending"), [("JSON", ".json"), ("Markdown", ".md")])
def test_all_conversations_are_exported_from_the_foot(page, name, ending):
    page.locator("#transfer-menu").click()
    with page.expect_download() as found:
        page.get_by_role("menuitem", name=f"Export all conversations as {name}").click()
    assert found.value.suggested_filename.endswith(ending)
    assert "Was I?" in found.value.path().read_text()


def test_an_exported_file_is_imported_again_with_nothing_doubled(page, app):
    with page.expect_download() as found:
        page.locator("#transfer-menu").click()
        page.get_by_role("menuitem", name="Export all conversations as JSON").click()
    before = request(app, "GET", "/api/conversations")["total"]
    choose(page, "again.json", found.value.path().read_bytes())
    expect(card(page)).to_contain_text("Imported again.json")
    expect(card(page)).to_contain_text(f"0 imported · {before} already here")
    assert request(app, "GET", "/api/conversations")["total"] == before


def test_an_import_shows_in_the_list_and_how_it_ended_until_it_is_dismissed(page, app):
    rows = some(3)
    broken = {"id": "broken", "title": f"{EVIL} broken", "messages": 5}
    choose(page, f"{EVIL.replace('/', '')}.json", export([*rows, broken]))
    expect(card(page)).to_contain_text("3 imported · 1 failed")
    expect(card(page).locator(".qc-card-title")).to_contain_text("Imported <img src=x")
    link = page.locator(f"[data-conversation-id='{rows[0]['id']}']")
    expect(link).to_have_text(rows[0]["title"])
    failures = card(page).locator("li")
    expect(failures.first).to_be_hidden()
    card(page).get_by_text("What failed").click()
    expect(failures.first).to_be_visible()
    assert failures.first.locator("*").evaluate_all("all => all.map(one => one.tagName)") == [
        "SPAN",
        "SPAN",
    ]
    page.reload()
    expect(card(page)).to_contain_text("3 imported · 1 failed", timeout=10_000)
    card(page).get_by_role("button", name="Dismiss").click()
    expect(card(page)).to_be_hidden()
    page.reload()
    expect(link).to_be_visible(timeout=10_000)
    page.wait_for_timeout(300)
    expect(card(page)).to_be_hidden()
    assert page.evaluate("window.hit") is None


def test_a_long_import_shows_how_far_it_is_and_can_be_cancelled(page, app):
    choose(page, "long.json", export(some(1500, 400)))
    expect(card(page)).to_contain_text("Importing long.json")
    bar = card(page).get_by_role("progressbar")
    page.wait_for_function(
        "Number(document.querySelector('#import-card [role=progressbar]').ariaValueNow) > 0"
    )
    expect(bar).to_be_visible()
    card(page).get_by_role("button", name="Cancel").click()
    expect(card(page)).to_contain_text("The import was cancelled")
    expect(card(page)).to_contain_text("What was imported before stays.")
    expect(bar).to_be_hidden()
    card(page).get_by_role("button", name="Dismiss").click()
    expect(card(page)).to_be_hidden()


def test_a_second_import_meanwhile_is_refused_in_words(new_page, page, app):
    other = visit(new_page(), app)
    choose(page, "long.json", export(some(2500, 400)))
    expect(card(other)).to_contain_text("Importing long.json")
    drop(other, ("second.json", "{}"))
    expect(card(other)).to_contain_text("second.json was not imported")
    expect(card(other)).to_contain_text("Another import is running.")
    card(other).get_by_role("button", name="Dismiss").click()
    expect(card(other)).to_contain_text("long.json")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (b'{"format": "qwenchat-conversations", "conversations": [{"a": ', "broken"),
        (b'{"something": "else"}', "onversations"),
        (b"", "The file is empty."),
    ],
    ids=["broken JSON", "another shape", "empty"],
)
def test_a_file_that_cannot_be_used_is_refused_in_words(page, text, words):
    choose(page, "useless.json", text)
    expect(card(page)).to_contain_text("useless.json was not imported")
    expect(card(page)).to_contain_text(words)
    card(page).get_by_role("button", name="Dismiss").click()
    expect(card(page)).to_be_hidden()


@pytest.mark.parametrize(
    ("status", "code", "why"),
    [(413, "too_large", "The file is too large."), (507, "disk_full", f"No room. {EVIL}")],
)
def test_what_the_server_says_of_a_file_is_shown(page, status, code, why):
    page.route(
        "**/api/import*",
        lambda route: route.fulfill(
            status=status, json={"error": {"code": code, "message": why, "param": None}}
        ),
    )
    choose(page, "large.json", b"{}")
    expect(card(page).locator(".qc-card-why")).to_have_text(why)
    assert page.evaluate("window.hit") is None


def test_an_unreachable_server_is_said_so_and_the_file_can_be_chosen_again(page, app):
    rows = some(1)
    page.route("**/api/import*", lambda route: route.abort())
    choose(page, "mine.json", export(rows))
    expect(card(page)).to_contain_text("The server was not reached.")
    page.unroute("**/api/import*")
    choose(page, "mine.json", export(rows))
    expect(card(page)).to_contain_text("1 imported")


def test_sending_can_be_cancelled(page):
    page.route("**/api/import*", lambda route: None)  # never answered
    choose(page, "mine.json", export(some(1)))
    expect(card(page)).to_contain_text("Sending mine.json")
    card(page).get_by_role("button", name="Cancel").click()
    expect(card(page)).to_be_hidden()


def test_a_file_is_imported_by_dropping_it_on_the_side_bar(page):
    rows = some(1)
    page.evaluate(
        """() => {
            const carried = new DataTransfer();
            carried.items.add(new File([""], "x.json"));
            document.querySelector("#conversation-list").dispatchEvent(
                new DragEvent("dragenter", {dataTransfer: carried, bubbles: true}));
        }"""
    )
    expect(page.get_by_text("Drop to import conversations")).to_be_visible()
    drop(page, ("dropped.json", export(rows).decode()))
    expect(page.get_by_text("Drop to import conversations")).to_be_hidden()
    expect(card(page)).to_contain_text("Imported dropped.json")
    expect(card(page)).to_contain_text("1 imported")


def test_only_one_file_of_a_known_kind_can_be_dropped(page):
    drop(page, ("notes.md", "# Notes"))
    expect(card(page)).to_contain_text("notes.md was not imported")
    expect(card(page)).to_contain_text("Only .json files and .zip archives can be imported")
    drop(page, ("a.json", "{}"), ("b.json", "{}"))
    expect(card(page)).to_contain_text("Choose one file at a time.")


def test_a_chatgpt_export_is_imported(page):
    node: dict[str, Any] = {
        "id": "m1",
        "parent": None,
        "children": [],
        "message": {
            "id": "m1",
            "author": {"role": "user"},
            "create_time": 1_700_000_000,
            "content": {"content_type": "text", "parts": ["Hello from afar"]},
        },
    }
    there = {
        "title": "From ChatGPT",
        "create_time": 1_700_000_000,
        "update_time": 1_700_000_000,
        "mapping": {"m1": node},
        "current_node": "m1",
        "conversation_id": "chatgpt-1",
    }
    choose(page, "conversations.json", json.dumps([there]).encode())
    expect(card(page)).to_contain_text("1 imported")
    page.locator("#conversation-search").fill("afar")
    page.locator("#conversation-list a", has_text="From ChatGPT").click()
    expect(page.locator("[data-role=user]")).to_have_text("Hello from afar")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_menu_and_the_card_fit_a_phone(new_page, app, scheme):
    page = visit(new_page(390, 844, scheme, has_touch=True, is_mobile=True), app)
    page.get_by_role("button", name="Show conversations").tap()
    page.locator("#transfer-menu").tap()
    box = page.get_by_role("menu").bounding_box()
    assert box and box["x"] >= 0 and box["x"] + box["width"] <= 390
    page.keyboard.press("Escape")
    drop(page, (f"{'long' * 40}.txt", "x"))
    expect(card(page)).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    side = page.locator(".qc-side")
    assert side.evaluate("node => node.scrollWidth - node.clientWidth") <= 0
