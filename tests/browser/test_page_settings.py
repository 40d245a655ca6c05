"""The settings panel: what is set arrives in the request, and only what a person set."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, Request, expect

from qwenchat.sampling import PARAMETERS, SamplingParameters
from tests.ui.pages import ask, conversation_id, open_settings, setting, visit
from tests.ui.serving import Served

pytestmark = pytest.mark.browser

DEFAULTS = SamplingParameters(temperature=0.7, top_p=0.9, top_k=20, repetition_penalty=1.05)
CHANGED = {
    "temperature": 0.35,
    "top_p": 0.5,
    "top_k": 7,
    "min_p": 0.05,
    "repetition_penalty": 1.1,
    "presence_penalty": -0.5,
    "frequency_penalty": 0.25,
    "max_tokens": 64,
    "seed": 12345,
}


@pytest.fixture(scope="module")
def app(tmp_path_factory) -> Iterator[Served]:
    with Served(tmp_path_factory.mktemp("settings"), defaults=DEFAULTS) as served:
        yield served


@pytest.fixture
def page(new_page, app) -> Page:
    app.says("Fine.")
    page = visit(new_page(), app)
    open_settings(page)
    return page


def changes_sent(page: Page) -> list[dict]:
    """The bodies of every PATCH from now on, as they are sent."""
    bodies: list[dict] = []

    def note(request: Request) -> None:
        if request.method == "PATCH":
            bodies.append(request.post_data_json)

    page.on("request", note)
    return bodies


def value(page: Page, name: str) -> str:
    return setting(page, name).input_value()


def test_every_parameter_has_a_field_with_its_explanation(page):
    for parameter in PARAMETERS:
        field = page.locator(f"#setting-{parameter.name}")
        expect(field).to_contain_text(parameter.label)
        expect(field).to_contain_text(parameter.explanation)
    expect(page.locator("#setting-stop")).to_contain_text("Stop strings")


def test_the_models_own_defaults_are_shown(page):
    expect(setting(page, "temperature")).to_have_value("0.7")
    expect(setting(page, "top_k")).to_have_value("20")
    expect(setting(page, "repetition_penalty")).to_have_value("1.05")
    expect(setting(page, "seed")).to_have_value("")


def test_everything_set_before_the_first_message_arrives_in_the_request(page, app):
    page.locator("#system-prompt").fill("You are a pirate.\n\tAlways.")
    for name, number in CHANGED.items():
        setting(page, name).fill(str(number))
    setting(page, "stop").fill("END\nSTOP")
    ask(page, "Hello")
    request = app.engine.requests[-1]
    expected = SamplingParameters(**CHANGED, stop=("END", "STOP"))
    assert request.sampling == expected
    assert request.messages[0].role == "system"
    assert request.messages[0].content == "You are a pirate.\n\tAlways."


def test_a_change_in_an_open_conversation_counts_from_the_next_message(page, app):
    ask(page, "Hello")
    assert app.engine.requests[-1].sampling == DEFAULTS
    setting(page, "temperature").fill("0.1")
    page.locator("#system-prompt").fill("Be brief.")
    ask(page, "Again")  # at once: the change is sent before the message
    assert app.engine.requests[-1].sampling.temperature == 0.1
    assert app.engine.requests[-1].messages[0].content == "Be brief."


def test_moving_a_slider_counts(page, app):
    page.get_by_label("range slider for Temperature").fill("1.5")
    ask(page, "Hello")
    assert app.engine.requests[-1].sampling.temperature == 1.5


def test_only_what_was_changed_is_stored(page):
    ask(page, "Hello")
    bodies = changes_sent(page)
    setting(page, "top_k").fill("5")
    page.wait_for_timeout(700)
    assert bodies == [{"sampling": {"top_k": 5}}]


def test_reset_brings_the_models_defaults_back_and_keeps_the_system_prompt(page, app):
    page.locator("#system-prompt").fill("Be brief.")
    for name, number in CHANGED.items():
        setting(page, name).fill(str(number))
    setting(page, "stop").fill("END")
    ask(page, "Hello")
    page.get_by_role("button", name="Reset to").click()
    expect(setting(page, "temperature")).to_have_value("0.7")
    expect(setting(page, "seed")).to_have_value("")
    expect(setting(page, "stop")).to_have_value("")
    expect(page.locator("#system-prompt")).to_have_value("Be brief.")
    ask(page, "Again")
    assert app.engine.requests[-1].sampling == DEFAULTS
    assert app.engine.requests[-1].messages[0].content == "Be brief."


def test_settings_belong_to_their_conversation_and_showing_them_sends_nothing(page):
    setting(page, "temperature").fill("0.2")
    setting(page, "seed").fill("42")
    page.locator("#system-prompt").fill("First.")
    ask(page, "First")
    first = conversation_id(page)
    page.locator("#new-chat").click()
    expect(setting(page, "temperature")).to_have_value("0.7")
    expect(setting(page, "seed")).to_have_value("")
    expect(page.locator("#system-prompt")).to_have_value("")
    ask(page, "Second")
    bodies = changes_sent(page)
    page.locator(f"[data-conversation-id='{first}']").click()
    expect(setting(page, "temperature")).to_have_value("0.2")
    expect(setting(page, "seed")).to_have_value("42")
    expect(page.locator("#system-prompt")).to_have_value("First.")
    page.go_back()
    expect(setting(page, "seed")).to_have_value("")
    page.wait_for_timeout(700)
    assert bodies == []


def test_a_reload_keeps_the_settings(page):
    setting(page, "temperature").fill("0.2")
    page.reload()
    open_settings(page)
    expect(setting(page, "temperature")).to_have_value("0.2")  # not yet a conversation
    ask(page, "Hello")
    page.reload()
    open_settings(page)
    expect(setting(page, "temperature")).to_have_value("0.2")


def test_a_cleared_seed_is_random_again(page, app):
    setting(page, "seed").fill("42")
    ask(page, "Hello")
    assert app.engine.requests[-1].sampling.seed == 42
    setting(page, "seed").fill("")
    setting(page, "seed").blur()
    ask(page, "Again")
    assert app.engine.requests[-1].sampling.seed is None
    expect(setting(page, "seed")).to_have_value("")


def test_a_cleared_number_goes_back_to_the_default(page, app):
    setting(page, "temperature").fill("1.5")
    setting(page, "temperature").fill("")
    expect(setting(page, "temperature")).to_have_value("")  # room to type
    setting(page, "temperature").blur()
    expect(setting(page, "temperature")).to_have_value("0.7")
    ask(page, "Hello")
    assert app.engine.requests[-1].sampling == DEFAULTS


@pytest.mark.parametrize(
    ("name", "typed", "words"),
    [
        ("temperature", "5", "Temperature must be a number from 0 to 2; it was 5."),
        ("top_p", "0", "Top P must be a number above 0 and up to 1; it was 0."),
        ("top_k", "1.5", "Top K must be a whole number"),
        ("max_tokens", "0", "Max tokens must be a whole number from 1"),
    ],
)
def test_a_value_out_of_range_is_explained_and_goes_back(page, app, name, typed, words):
    ask(page, "Hello")
    before = value(page, name)
    bodies = changes_sent(page)
    setting(page, name).fill(typed)
    expect(page.locator(f"#setting-{name} .qc-notice")).to_contain_text(words)
    setting(page, name).blur()
    expect(setting(page, name)).to_have_value(before)
    expect(page.locator(f"#setting-{name} .qc-notice")).to_contain_text(words)
    assert bodies == []
    assert page.locator(".toast-body").count() == 0
    setting(page, name).fill("1")
    expect(page.locator(f"#setting-{name} .qc-notice")).to_be_hidden()


def test_a_value_left_standing_out_of_range_goes_back_by_itself(page):
    setting(page, "temperature").fill("7")
    expect(page.locator("#setting-temperature .qc-notice")).to_be_visible()
    expect(setting(page, "temperature")).to_have_value("0.7", timeout=3000)


def test_what_the_server_refuses_is_shown_in_its_words_and_goes_back(page):
    ask(page, "Hello")
    setting(page, "stop").fill("\n".join(f"stop {n}" for n in range(30)))
    setting(page, "stop").blur()
    expect(page.locator("#setting-stop .qc-notice")).to_contain_text("At most 16 stop strings")
    expect(setting(page, "stop")).to_have_value("")


def test_a_change_during_a_lost_connection_is_saved_afterwards(page, app):
    ask(page, "Hello")
    bodies = changes_sent(page)
    with app.outage():
        setting(page, "top_k").fill("9")
        expect(page.locator(".qc-panel-foot .qc-notice")).to_contain_text("Not saved yet")
    expect(page.locator(".qc-panel-foot .qc-notice")).to_be_hidden(timeout=10_000)
    assert bodies[-1] == {"sampling": {"top_k": 9}}
    expect(setting(page, "top_k")).to_have_value("9")


def test_another_tab_sees_the_change(page, new_page, app):
    ask(page, "Hello")
    other = visit(new_page(), app, f"#/c/{conversation_id(page)}")
    open_settings(other)
    setting(page, "temperature").fill("0.4")
    page.locator("#system-prompt").fill("Both.")
    expect(setting(other, "temperature")).to_have_value("0.4")
    expect(other.locator("#system-prompt")).to_have_value("Both.")
    setting(other, "min_p").fill("0.1")
    expect(setting(page, "min_p")).to_have_value("0.1")


def test_typing_is_never_disturbed_by_saving(page):
    ask(page, "Hello")
    text = "You are a careful assistant who types slowly and at length. " * 2
    page.locator("#system-prompt").press_sequentially(text, delay=15)
    expect(page.locator("#system-prompt")).to_have_value(text)
    page.wait_for_timeout(700)
    stored = page.evaluate(
        "async (id) => (await fetch(`/api/conversations/${id}`)).text()", conversation_id(page)
    )
    assert json.loads(stored)["system_prompt"] == text
