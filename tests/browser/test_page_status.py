"""The status line and the cards: always the truth about the model and the connection."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from qwenchat.engine.fake import LoadStage
from qwenchat.errors import EngineStartFailed
from tests.ui.pages import QUESTION, answer, ask, expect_state, send, visit
from tests.ui.serving import Served

pytestmark = pytest.mark.browser

REASON = "The engine could not start: out of memory. Close other programs and press Restart."


@pytest.fixture(scope="module")
def app(tmp_path_factory) -> Iterator[Served]:
    with Served(tmp_path_factory.mktemp("status")) as served:
        yield served


@pytest.fixture
def page(new_page, app) -> Page:
    app.says("Fine.")
    return visit(new_page(), app)


@pytest.fixture
def loading(tmp_path) -> Iterator[Served]:
    stages = (
        LoadStage("starting the engine"),
        LoadStage("reading weights", 1000, 100, 100.0),
    )
    with Served(tmp_path, stages=stages, hold=True, model="Qwen-Test", note="A note.") as served:
        yield served


def status(page: Page):
    return page.locator("#status")


def test_loading_is_a_card_with_stages_and_a_bar(loading, new_page):
    page = visit(new_page(), loading)
    card = page.locator("#loading-card")
    expect(card).to_contain_text("Loading Qwen-Test")
    expect(card).to_contain_text("Reading weights")
    expect(card).to_contain_text(re.compile(r"[1-9]\d? %"))
    expect(status(page)).to_contain_text("Loading · reading weights")
    expect(status(page)).to_contain_text("%")
    expect(card.locator("[role=progressbar]")).to_have_attribute("aria-valuenow", re.compile(r"\d"))
    expect(page.locator(".qc-hero")).to_contain_text("Qwen-Test")
    expect(page.locator(".qc-hero")).to_contain_text("A note.")
    expect(page.locator(".qc-hero")).to_contain_text(
        "Runs on this machine. Nothing is sent anywhere."
    )
    loading.call(loading.engine.become_ready)
    expect(card).to_be_hidden()
    expect(status(page)).to_have_text("Ready")


def test_a_message_can_be_sent_while_the_model_loads(loading, new_page):
    page = visit(new_page(), loading)
    send(page, "Are you there?")
    expect(page.locator(QUESTION)).to_have_text("Are you there?")
    expect(answer(page)).to_contain_text(re.compile(r"The model is loading: \w+"))
    expect(page.locator("#stop")).to_be_visible()
    loading.call(loading.engine.become_ready)
    expect_state(page, "done")


def test_the_model_is_named_and_described(page):
    picker = page.locator("#model-picker")
    expect(picker).to_contain_text("Fake-0.1B")
    picker.click()
    expect(page.get_by_text("Context of 4,096 tokens")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_text("Context of 4,096 tokens")).to_be_hidden()


def test_the_speed_is_shown_but_not_read_out(page, app):
    app.says(*("word " for _ in range(60)), delay=0.05)
    send(page, "Hello")
    expect(status(page)).to_contain_text(re.compile(r"Generating · \d[\d.]* tok/s"))
    spoken = status(page).evaluate(
        """(node) => [...node.children].filter((child) => !child.ariaHidden && !child.hidden)
            .map((child) => child.textContent).join("")"""
    )
    assert spoken == "Generating"
    expect(status(page)).to_have_attribute("role", "status")
    expect_state(page, "done")
    expect(status(page)).to_have_text("Ready")


def test_a_lost_connection_shows_within_a_second_and_heals_by_itself(page, app):
    ask(page, "Hello")
    with app.outage():
        expect(status(page)).to_have_text("Connection lost. Reconnecting…", timeout=1000)
    expect(status(page)).to_have_text("Ready", timeout=7000)
    ask(page, "And again")
    expect(page.locator(QUESTION)).to_have_count(2)
    assert page.locator(".toast-body").count() == 0


def test_an_answer_goes_on_over_a_lost_connection(page, app):
    words = [f"word{n} " for n in range(60)]
    app.says(*words, delay=0.05)
    send(page, "Count")
    expect(answer(page)).to_contain_text("word5 ")
    with app.outage():
        expect(status(page)).to_contain_text("Connection lost")
        page.wait_for_timeout(700)
    expect_state(page, "done")
    assert answer(page).locator(".qc-body").inner_text().split() == "".join(words).split()


def test_an_engine_that_dies_is_named_and_the_text_so_far_is_kept(page, app):
    app.says(*(f"word{n} " for n in range(100)), delay=0.05)
    send(page, "Hello")
    expect(answer(page)).to_contain_text("word5 ")
    app.call(app.engine.die, "The engine was stopped by the system: out of memory.")
    expect(answer(page)).to_have_attribute("data-state", re.compile("failed|interrupted"))
    expect(answer(page)).to_contain_text("word5 ")
    expect(answer(page).locator(".qc-card")).to_contain_text("out of memory")
    expect(status(page)).to_have_text("Ready", timeout=10_000)
    app.says("Back again.")
    answer(page).get_by_role("button", name="Regenerate").click()
    expect_state(page, "done")
    expect(answer(page)).to_contain_text("Back again.")


def test_an_engine_that_gave_up_says_why_and_restarts_on_request(page, app):
    ask(page, "Hello")
    app.call(app.engine.fail, EngineStartFailed(REASON))
    expect(status(page)).to_contain_text("Failed")
    expect(status(page)).to_contain_text("out of memory")
    card = page.locator(".qc-engine-card:visible")
    expect(card).to_contain_text(REASON)
    card.get_by_role("button", name="Restart").click()
    expect(status(page)).to_have_text("Ready", timeout=10_000)
    expect(card).to_have_count(0)


def test_the_first_screen_says_it_too_when_the_engine_gave_up(page, app):
    app.call(app.engine.fail, EngineStartFailed(REASON))
    expect(page.locator(".qc-empty")).to_contain_text(REASON)
    status(page).get_by_role("button", name="Restart").click()
    expect(status(page)).to_have_text("Ready", timeout=10_000)
    expect(page.locator(".qc-empty")).not_to_contain_text(REASON)
