"""The list of conversations: thousands of rows, their days, the keyboard, and its search."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, Page, expect

from qwenchat.chat.notices import Notice
from tests.ui.exports import DAY, conversation, request, seed
from tests.ui.pages import ANSWER, QUESTION, ask, conversation_id, visit
from tests.ui.serving import Served

pytestmark = [pytest.mark.browser, pytest.mark.accept]

MANY = 5000
LINKS = "#conversation-list a"
EVIL = "<img src=x onerror='window.hit=1'><script>window.hit=2</script>"


@pytest.fixture(scope="module")
def crowd(tmp_path_factory) -> Iterator[Served]:
    """Five thousand conversations, one every six hours."""
    with Served(tmp_path_factory.mktemp("crowd")) as served:
        served.says("Fine.")
        rows = (
            conversation(f"Number {n}", f"Question {n}", f"Answer {n}", id=f"n{n}", ago=n * DAY / 4)
            for n in range(MANY)
        )
        seed(served, rows)
        yield served


@pytest.fixture(scope="module")
def app(tmp_path_factory) -> Iterator[Served]:
    with Served(tmp_path_factory.mktemp("list")) as served:
        seed(
            served,
            [
                conversation("Weekend", "周末去哪里？", "可以去广州喝茶。", id="tea"),
                conversation("广州旅行", "几天？", "三天。", id="trip", ago=60),
                conversation(f"{EVIL} title", f"{EVIL} 危险", "No.", id="evil", ago=120),
                conversation("Kept on top", "Why?", "So.", id="kept", ago=400 * DAY, pinned=True),
                conversation("The day before", "A", "B", id="yesterday", ago=DAY),
                conversation("This week", "C", "D", id="week", ago=4 * DAY),
                conversation("Long ago", "E", "F", id="old", ago=500 * DAY),
            ],
        )
        yield served


@pytest.fixture
def page(new_page, app) -> Page:
    app.says("Fine.")
    page = visit(new_page(), app)
    expect(row(page, "tea")).to_be_visible()
    return page


def row(page: Page, name: str) -> Locator:
    return page.locator(f"[data-conversation-id='{name}']")


def expect_whole_list(page: Page) -> None:
    """Wait until all of the crowd is known: what is not at the top comes in frames of its own."""
    first = page.locator(".qc-row:has(a)").first
    expect(first).to_have_attribute("aria-setsize", str(MANY), timeout=10_000)


def scroll_to(page: Page, place: str) -> None:
    page.locator("#conversation-list").evaluate(f"node => {{ node.scrollTop = {place}; }}")


def test_five_thousand_conversations_are_a_few_rows_in_the_page(new_page, crowd):
    page = visit(new_page(), crowd)
    expect(row(page, "n0")).to_have_text("Number 0")
    expect(row(page, "n0").locator("xpath=..")).to_have_attribute("aria-setsize", str(MANY))
    expect(row(page, "n3").locator("xpath=..")).to_have_attribute("aria-posinset", "4")
    assert 5 < page.locator(LINKS).count() < 60
    scroll_to(page, "node.scrollHeight")
    expect(row(page, f"n{MANY - 1}")).to_be_visible()
    assert 5 < page.locator(LINKS).count() < 60
    scroll_to(page, "node.scrollHeight / 2")
    expect(page.locator(LINKS).nth(15)).to_be_visible()
    assert 5 < page.locator(LINKS).count() < 60


def test_five_thousand_conversations_are_there_in_no_time(new_page, crowd):
    page = visit(new_page(), crowd)
    page.add_init_script(
        """const look = setInterval(() => {
            if (!document.querySelector("#conversation-list a")) return;
            clearInterval(look);
            performance.mark("list");
        }, 5);
        const Old = WebSocket;
        window.WebSocket = class extends Old {
            constructor(...given) {
                super(...given);
                performance.mark("socket");
            }
        };"""
    )
    page.reload()
    page.wait_for_function("performance.getEntriesByName('list').length")
    waited = page.evaluate(
        """() => performance.getEntriesByName("list")[0].startTime
            - performance.getEntriesByName("socket")[0].startTime"""
    )
    # Nearly all of it is Gradio, which mounts the side bar after the socket is asked for.
    assert waited < 1000


def test_scrolling_through_five_thousand_costs_no_long_frames(new_page, crowd):
    page = visit(new_page(), crowd)
    expect_whole_list(page)
    slow = page.evaluate(
        """async () => {
            const list = document.getElementById("conversation-list");
            const costs = [];
            for (let step = 0; step < 60; step += 1) {
                list.scrollTop = (list.scrollHeight / 60) * step;
                const begun = performance.now();
                list.dispatchEvent(new Event("scroll"));
                costs.push(performance.now() - begun);
                await new Promise(requestAnimationFrame);
            }
            return costs.sort((a, b) => a - b)[30];
        }"""
    )
    assert slow < 16


def test_a_change_that_shows_nowhere_costs_nothing(new_page, crowd):
    page = visit(new_page(), crowd)
    expect_whole_list(page)
    spent = page.evaluate(
        """async () => {
            const list = await import("/assets/js/conversations.js");
            const one = {...list.get("n4000"), running: true};
            window.changes = 0;
            new MutationObserver((all) => { window.changes += all.length; }).observe(
                document.getElementById("conversation-list"),
                {subtree: true, childList: true, attributes: true, characterData: true});
            const order = list.inOrder();
            const begun = performance.now();
            for (let turn = 0; turn < 100; turn += 1) list.change([{...one}], []);
            const spent = performance.now() - begun;
            await new Promise((done) => setTimeout(done, 200));
            return [spent, window.changes, order === list.inOrder()];
        }"""
    )
    assert spent[0] < 100
    assert spent[1:] == [0, True]


def test_conversations_stand_under_their_days(page):
    headings = page.locator("#conversation-list h2")
    expect(headings.first).to_have_text("Pinned")
    texts = headings.all_text_contents()
    assert texts[:4] == ["Pinned", "Today", "Yesterday", "Last 7 days"]
    assert re.fullmatch(r"[A-Z][a-z]+ 20\d\d", texts[4])
    order = [link.get_attribute("data-conversation-id") for link in page.locator(LINKS).all()]
    assert order[0] == "kept"
    assert order.index("tea") < order.index("trip") < order.index("yesterday")
    assert order.index("yesterday") < order.index("week") < order.index("old")


def test_the_keyboard_moves_through_the_list_and_opens(page):
    page.locator("#conversation-search").focus()
    page.keyboard.press("ArrowDown")
    expect(row(page, "kept")).to_be_focused()
    assert page.locator(f"{LINKS}[tabindex='0']").count() == 1
    page.keyboard.press("ArrowDown")
    expect(page.locator(f"{LINKS}:focus")).not_to_have_attribute("data-conversation-id", "kept")
    page.keyboard.press("End")
    expect(row(page, "old")).to_be_focused()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    expect(page.locator(QUESTION)).to_have_text("C")
    expect(row(page, "week")).to_have_attribute("aria-current", "page")
    row(page, "week").focus()
    page.keyboard.press("Home")
    expect(row(page, "kept")).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Options for “Kept on top”")).to_be_focused()


def test_the_keyboard_reaches_the_end_of_five_thousand_and_keeps_its_place(new_page, crowd):
    page = visit(new_page(), crowd)
    expect_whole_list(page)
    row(page, "n0").focus()
    page.keyboard.press("End")
    expect(row(page, f"n{MANY - 1}")).to_be_focused()
    scroll_to(page, "0")
    expect(row(page, "n0")).to_be_visible()
    page.keyboard.press("ArrowUp")
    expect(row(page, f"n{MANY - 2}")).to_be_focused()
    expect(row(page, f"n{MANY - 2}")).to_be_in_viewport()


def test_the_open_conversation_is_brought_into_sight(new_page, crowd):
    page = visit(new_page(), crowd, "#/c/n4000")
    expect(row(page, "n4000")).to_be_in_viewport()
    expect(row(page, "n4000")).to_have_attribute("aria-current", "page")
    expect(page).to_have_title("Number 4000 · QwenChat")


def test_what_is_read_stays_in_place_when_another_conversation_moves_up(new_page, crowd):
    page = visit(new_page(), crowd)
    expect_whole_list(page)
    scroll_to(page, "36 * 1000")
    middle = page.locator(LINKS).nth(15)
    # Until then it is a row of the place that was left.
    expect(middle).to_be_in_viewport()
    name = middle.get_attribute("data-conversation-id")
    before = row(page, name or "").bounding_box()
    other = visit(page.context.new_page(), crowd, "#/c/n4999")
    expect(other.locator(ANSWER)).to_have_count(1)
    ask(other, "Up with you")
    other.close()
    page.wait_for_timeout(300)
    after = row(page, name or "").bounding_box()
    assert before and after and abs(before["y"] - after["y"]) < 2


def test_a_lost_connection_does_not_shorten_the_list(new_page, crowd):
    page = visit(new_page(), crowd)
    expect_whole_list(page)
    scroll_to(page, "node.scrollHeight")
    expect(page.locator(LINKS).last).to_have_text(re.compile("Number 49"))
    with crowd.outage():
        expect(page.locator("#status")).to_contain_text("Connection lost")
    expect(page.locator("#status")).to_contain_text("Ready", timeout=10_000)
    expect(page.locator(LINKS).last).to_have_text(re.compile("Number 49"))
    expect(page.locator(LINKS).last).to_be_in_viewport()


@pytest.mark.parametrize("word", ["茶", "喝茶", "广州喝"])
def test_search_finds_and_marks_chinese_words_of_one_and_two_characters(page, word):
    page.locator("#conversation-search").fill(word)
    expect(page.locator(LINKS)).to_have_count(1)
    expect(row(page, "tea").locator("mark")).to_have_text(word)
    expect(row(page, "tea").locator(".qc-snippet")).to_have_text("可以去广州喝茶。")


def test_search_finds_titles_first_and_marks_them(page):
    page.locator("#conversation-search").fill("广州")
    expect(page.locator(LINKS)).to_have_count(2)
    first = page.locator(LINKS).first
    expect(first).to_have_attribute("data-conversation-id", "trip")
    expect(first.locator(".qc-conversation-title mark")).to_have_text("广州")
    expect(page.locator("#conversation-list [role=status]")).to_have_text("2 found")


def test_enter_opens_the_first_hit_at_once_and_at_its_message(page):
    search = page.locator("#conversation-search")
    search.fill("喝茶")
    search.press("Enter")
    page.wait_for_url(re.compile(r"#/c/tea\?m=tea-1"))
    expect(page.locator(QUESTION)).to_have_text("周末去哪里？")


def test_a_hit_is_a_link_to_its_message(page):
    page.locator("#conversation-search").fill("喝茶")
    expect(row(page, "tea")).to_have_attribute("href", "#/c/tea?m=tea-1")


def test_escape_clears_the_search_and_the_list_is_where_it_was(new_page, crowd):
    page = visit(new_page(), crowd)
    expect_whole_list(page)
    scroll_to(page, "36 * 2000")
    page.wait_for_timeout(100)
    before = page.locator("#conversation-list").evaluate("node => node.scrollTop")
    search = page.locator("#conversation-search")
    search.fill("4321")
    expect(page.locator(LINKS)).to_have_count(1)
    search.press("Escape")
    expect(search).to_have_value("")
    page.wait_for_timeout(200)
    assert page.locator("#conversation-list").evaluate("node => node.scrollTop") == before


def test_more_than_can_be_shown_is_said(new_page, crowd):
    page = visit(new_page(), crowd)
    page.locator("#conversation-search").fill("number")
    expect(page.locator("#conversation-list [role=status]")).to_have_text("50 found")
    scroll_to(page, "node.scrollHeight")
    expect(page.get_by_text("There is more. Another word narrows it.")).to_be_visible()


def test_a_late_answer_to_an_earlier_search_is_dropped(page):
    def slow(route) -> None:
        if route.request.url.endswith("q=week"):
            time.sleep(0.6)
        route.continue_()

    page.route("**/api/search*", slow)
    search = page.locator("#conversation-search")
    search.fill("week")
    page.wait_for_timeout(200)
    search.fill("喝茶")
    expect(page.locator(LINKS)).to_have_count(1)
    page.wait_for_timeout(900)
    expect(row(page, "tea")).to_be_visible()
    expect(page.locator(LINKS)).to_have_count(1)


def test_a_search_that_fails_says_why(page):
    page.route("**/api/search*", lambda route: route.abort())
    page.locator("#conversation-search").fill("tea")
    expect(page.locator("#conversation-list")).to_contain_text(
        "The search did not work. The server was not reached."
    )
    page.unroute("**/api/search*")
    page.locator("#conversation-search").fill("喝茶")
    expect(row(page, "tea")).to_be_visible()


def test_markup_in_titles_and_hits_is_text(page):
    expect(row(page, "evil")).to_contain_text("<img src=x")
    page.locator("#conversation-search").fill("危险")
    expect(row(page, "evil").locator(".qc-snippet")).to_contain_text("<script>")
    page.locator("#conversation-search").fill("onerror")
    expect(row(page, "evil").locator("mark").first).to_have_text("onerror")
    page.get_by_role("button", name=re.compile("Options for “<img")).click()
    page.keyboard.press("Escape")
    page.wait_for_timeout(300)
    assert page.evaluate("window.hit") is None
    assert page.locator("#conversation-list img").count() == 0
    page.locator("#conversation-search").press("Escape")
    expect(row(page, "kept")).to_be_visible()
    expect(page.locator("#conversation-list mark")).to_have_count(0)


def test_a_temporary_chat_says_so_and_is_in_no_list(new_page, app):
    app.says("Nobody heard it.")
    page = visit(new_page(), app)
    page.get_by_role("button", name="Temporary chat: nothing of it is written").click()
    line = page.locator("#temporary-line")
    expect(line).to_have_text(
        "Temporary chat. Nothing of it is written; it is gone when QwenChat ends."
    )
    expect(page.locator("#message-box")).to_be_focused()
    ask(page, "A secret aardvark")
    expect(line).to_be_visible()
    name = conversation_id(page)
    expect(row(page, name)).to_have_count(0)
    page.locator("#conversation-search").fill("aardvark")
    expect(page.locator("#conversation-list")).to_contain_text("Nothing found.")
    page.locator("#new-chat").click()
    expect(line).to_be_hidden()
    page.go_back()
    expect(page.locator(QUESTION)).to_have_text("A secret aardvark")
    expect(line).to_be_visible()
    page.reload()
    expect(page.locator(QUESTION)).to_have_text("A secret aardvark", timeout=10_000)
    expect(line).to_be_visible()


def test_nothing_typed_into_a_temporary_chat_is_kept_in_the_browser(new_page, app):
    app.says("Fine.")
    page = visit(new_page(), app)
    page.locator("#temporary-chat").click()
    page.locator("#message-box").press_sequentially("Tell no aardvark")
    page.locator("#system-prompt").fill("Nor this aardvark")
    page.wait_for_timeout(800)
    kept = "() => JSON.stringify({...localStorage}) + JSON.stringify({...sessionStorage})"
    assert "aardvark" not in page.evaluate(kept)
    page.locator("#temporary-chat").click()  # an ordinary new chat again
    expect(page.locator("#message-box")).to_have_value("")
    page.locator("#temporary-chat").click()
    expect(page.locator("#message-box")).to_have_value("Tell no aardvark")
    page.locator("#message-box").press("Enter")
    expect(page.locator(QUESTION)).to_have_text("Tell no aardvark")
    page.locator("#message-box").press_sequentially("Second aardvark")
    page.wait_for_timeout(500)
    assert "aardvark" not in page.evaluate(kept)
    page.reload()
    expect(page.locator("#message-box")).to_be_visible(timeout=10_000)
    expect(page.locator("#message-box")).to_have_value("")
    sent = request(app, "GET", f"/api/conversations/{conversation_id(page)}")
    assert sent["temporary"] is True
    assert sent["system_prompt"] == "Nor this aardvark"


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_notices_stand_above_the_chat_until_they_are_read(new_page, app, width, scheme):
    page = visit(new_page(width, 844, scheme), app)
    notices = app.web.chat.notices
    app.call(notices.put, Notice("recovered", f"The database was damaged. {EVIL}"))
    app.call(notices.put, Notice("not_saved", "The disk is full."))
    cards = page.locator(".qc-notice-card")
    expect(cards).to_have_count(2)
    expect(cards.first).to_contain_text("<script>")
    expect(cards.last.get_by_role("button")).to_have_count(0)
    assert page.evaluate("document.documentElement.scrollWidth") == width
    cards.first.get_by_role("button", name="Dismiss").click()
    expect(cards).to_have_text(["The disk is full."])
    page.reload()
    expect(cards).to_have_text(["The disk is full."], timeout=10_000)
    app.call(notices.remove, "not_saved")
    expect(cards).to_have_count(0)
    assert page.evaluate("window.hit") is None
