"""Always something to see: each thing that is away has its own line, and heals by itself."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from dataclasses import replace

import pytest
from playwright.sync_api import Page, Route, expect

from tests.ui.pages import answer, ask, conversation_id, expect_state, send, visit
from tests.ui.serving import Served

pytestmark = [pytest.mark.browser, pytest.mark.accept]


@pytest.fixture(scope="module")
def app(tmp_path_factory) -> Iterator[Served]:
    with Served(tmp_path_factory.mktemp("waits")) as served:
        yield served


@pytest.fixture
def page(new_page, app) -> Page:
    app.says("Fine.")
    return visit(new_page(), app)


def banner(page: Page):
    return page.locator(".qc-banner")


def test_a_lost_connection_has_its_line_and_takes_it_away_again(page, app):
    ask(page, "Hello")
    page.locator("#message-box").fill("typed before")
    with app.outage():
        expect(banner(page)).to_contain_text("The connection is lost", timeout=3000)
        expect(banner(page)).to_have_attribute("data-kind", "lost")
        page.locator("#message-box").type(" and during")
    expect(banner(page)).to_be_hidden(timeout=8000)
    expect(page.locator("#message-box")).to_have_value("typed before and during")


def test_a_blink_of_the_connection_is_not_worth_a_line(page, app):
    ask(page, "Hello")
    page.evaluate(
        """() => {
            window.shown = 0;
            new MutationObserver(() => {
                if (!document.querySelector(".qc-banner").hidden) window.shown++;
            }).observe(document.querySelector(".qc-banner"), {attributes: true});
        }"""
    )
    with app.outage():
        pass
    expect(page.locator("#status")).to_have_text("Ready", timeout=7000)
    page.wait_for_timeout(1000)
    assert page.evaluate("window.shown") == 0


def test_try_now_does_not_wait_for_the_next_try(page, app):
    ask(page, "Hello")
    with app.outage():
        expect(banner(page)).to_be_visible(timeout=3000)
        # Long enough for the waits between tries to have grown.
        page.wait_for_timeout(4500)
    began = time.monotonic()
    banner(page).get_by_role("button", name="Try now").click()
    expect(banner(page)).to_be_hidden(timeout=1000)
    assert time.monotonic() - began < 1.0


def test_nothing_moves_for_the_line(page, app):
    ask(page, "Hello")
    before = answer(page).bounding_box()
    with app.outage():
        expect(banner(page)).to_be_visible(timeout=3000)
        assert answer(page).bounding_box() == before
    expect(banner(page)).to_be_hidden(timeout=8000)
    assert answer(page).bounding_box() == before


def test_an_app_that_was_started_again_says_so_and_goes_on(new_page, tmp_path):
    with Served(tmp_path) as first:
        first.says("Fine.")
        page = visit(new_page(), first)
        ask(page, "Hello")
        page.locator("#message-box").fill("not sent yet")
        port = first.wire.port
    expect(banner(page)).to_have_attribute("data-kind", "lost")
    with Served(tmp_path, port=port) as second:
        expect(banner(page)).to_have_attribute("data-kind", "restarted", timeout=10_000)
        expect(banner(page)).to_contain_text("QwenChat was started again")
        expect(page.locator("#message-box")).to_have_value("not sent yet")
        second.says("Again.")
        page.locator("#message-box").press("Enter")
        expect_state(page, "done")
        expect(banner(page)).to_be_hidden(timeout=12_000)


def test_a_connection_that_came_back_is_no_restart(page, app):
    ask(page, "Hello")
    with app.outage():
        expect(banner(page)).to_be_visible(timeout=3000)
    expect(page.locator("#status")).to_have_text("Ready", timeout=7000)
    expect(banner(page)).to_be_hidden()


def test_an_engine_that_is_started_again_has_its_line_with_the_reason(page, app):
    ask(page, "Hello")
    # What the supervisor tells in the seconds before it starts the next one.
    why = ("engine_died", "The engine was stopped by the system: out of memory.")
    status = app.engine.status
    down = replace(status, state="restarting", ready=None, error=why, retry_in_seconds=2.0)
    app.call(app.engine._board.show, down)
    expect(banner(page)).to_have_attribute("data-kind", "engine")
    expect(banner(page)).to_contain_text(re.compile("started again.*out of memory"))
    app.call(app.engine._board.show, replace(status, state="loading", ready=None))
    page.wait_for_timeout(300)
    expect(banner(page)).to_have_attribute("data-kind", "engine")
    app.call(app.engine._board.show, status)
    expect(page.locator("#status")).to_have_text("Ready", timeout=10_000)
    expect(banner(page)).to_be_hidden()


def test_a_conversation_that_is_slow_to_come_says_what_happens(page, app):
    ask(page, "Hello")
    mine = conversation_id(page)
    page.locator("#new-chat").click()
    page.evaluate(
        """() => {
            const send = WebSocket.prototype.send;
            WebSocket.prototype.send = function (text) {
                setTimeout(() => send.call(this, text), 1500);
            };
        }"""
    )
    page.locator(f"[data-conversation-id='{mine}']").click()
    expect(page.get_by_text("Opening the conversation")).to_be_visible(timeout=1200)
    expect(answer(page)).to_be_visible()
    expect(page.get_by_text("Opening the conversation")).to_be_hidden()


def test_a_search_that_is_slow_says_what_happens(page, app):
    ask(page, "A needle")

    def slowly(route: Route) -> None:
        time.sleep(1.2)
        route.continue_()

    page.route("**/api/search*", slowly)
    page.locator("#conversation-search").type("needle")
    expect(page.locator("#conversation-list").get_by_text("Searching")).to_be_visible()
    expect(page.locator("#conversation-list mark").first).to_be_visible()
    expect(page.locator("#conversation-list").get_by_text("Searching")).to_be_hidden()


def test_the_wait_for_a_model_is_told_where_the_answer_will_be(new_page, tmp_path):
    with Served(tmp_path, hold=True) as held:
        page = visit(new_page(), held)
        send(page, "Are you there?")
        expect(answer(page)).to_contain_text("The model is loading")
        held.call(held.engine.become_ready)
        expect_state(page, "done")
