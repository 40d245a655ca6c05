"""Personas, presets, two levels of settings, the reply language, an answer's details."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from qwenchat.sampling import SamplingParameters
from tests.ui.pages import answer, ask, conversation_id, setting, visit
from tests.ui.serving import Served

pytestmark = [pytest.mark.browser, pytest.mark.accept]

DEFAULTS = SamplingParameters(temperature=0.7, top_p=0.8, top_k=20, repetition_penalty=1.05)
ASSETS = Path(__file__).resolve().parents[2] / "assets"
BUILTIN = {one["id"]: one for one in json.loads((ASSETS / "personas.json").read_text("utf-8"))}
GUIDE = BUILTIN["guide"]


@pytest.fixture(scope="module")
def app(tmp_path_factory) -> Iterator[Served]:
    with Served(tmp_path_factory.mktemp("personas"), defaults=DEFAULTS) as served:
        yield served


@pytest.fixture(autouse=True)
def nothing_of_ones_own(app: Served) -> None:
    app.says("Fine.")
    for shelf in (app.web.chat.personas, app.web.chat.presets):
        for kept in shelf.all():
            if not kept.builtin:
                app.run(shelf.delete(kept.id))


@pytest.fixture
def page(new_page, app) -> Page:
    return visit(new_page(), app)


def who(page: Page, name: str) -> Any:
    """A persona's button on the empty chat."""
    return page.locator(".qc-who", has_text=name)


def choose(page: Page, button: str, item: str) -> None:
    """An entry of the menu behind a button of the settings."""
    page.locator(f"#{button}-choice").click()
    page.locator(".qc-menu-item", has_text=item).click()


def level(page: Page, name: str) -> Any:
    return page.locator(f"#setting-{name} .qc-level")


def slide(page: Page, name: str, step: int) -> None:
    page.locator(f"#setting-{name} input[type=range]").fill(str(step))


def own_of(app: Served, shelf: str = "personas") -> list[dict[str, Any]]:
    kept = getattr(app.web.chat, shelf).all()
    return [dict(one.value) for one in kept if not one.builtin]


# ---- which persona a chat has


def test_a_new_chat_begins_with_the_persona_chosen_last(page, app):
    who(page, "Teacher").click()
    ask(page, "Hello")
    page.locator("#new-chat").click()
    expect(page.locator("#persona-choice")).to_contain_text("Teacher")
    expect(page.locator(".qc-start-card")).to_have_text(BUILTIN["teacher"]["questions"]["en"])
    page.reload()
    expect(page.locator("#persona-choice")).to_contain_text("Teacher")
    expect(page.locator("#system-prompt")).to_have_value(BUILTIN["teacher"]["system_prompt"]["en"])


def test_every_conversation_has_its_own_persona(page):
    who(page, "Writer").click()
    ask(page, "Hello")
    first = conversation_id(page)
    page.locator("#new-chat").click()
    who(page, "Translator").click()
    ask(page, "Hello")
    expect(page.locator("#persona-choice")).to_contain_text("Translator")
    page.locator(f"[data-conversation-id='{first}']").click()
    expect(page.locator("#persona-choice")).to_contain_text("Writer")
    page.reload()
    expect(page.locator("#persona-choice")).to_contain_text("Writer")


# ---- choosing another


def test_personas_are_changed_without_a_question_while_nothing_is_ones_own(page, app):
    ask(page, "Hello")
    for name in ("Tour guide", "Programmer", "General assistant", "Teacher"):
        choose(page, "persona", name)
        expect(page.locator("dialog")).to_have_count(0)
        expect(page.locator("#persona-choice")).to_contain_text(name)
    ask(page, "Again")
    request = app.engine.requests[-1]
    assert request.messages[0].content == BUILTIN["teacher"]["system_prompt"]["en"]
    assert request.sampling.top_p == DEFAULTS.top_p  # nothing is left of the programmer


@pytest.mark.parametrize("way", ["Keep mine", "Use the persona's", "Cancel", "Escape"])
def test_what_the_person_wrote_is_replaced_only_when_they_say_so(page, app, way):
    page.locator("#system-prompt").fill("You are a pirate.")
    slide(page, "creativity", 4)
    choose(page, "persona", "Tour guide")
    dialog = page.locator("dialog")
    expect(dialog).to_contain_text("You wrote the system prompt of this chat yourself.")
    if way == "Escape":
        page.keyboard.press("Escape")
    else:
        dialog.get_by_role("button", name=way).click()
    expect(dialog).to_have_count(0)
    replaced, chosen = way == "Use the persona's", way in ("Keep mine", "Use the persona's")
    name = "Tour guide" if chosen else "General assistant"
    expect(page.locator("#persona-choice")).to_contain_text(name)
    expect(page.locator("#system-prompt")).to_have_value(
        GUIDE["system_prompt"]["en"] if replaced else "You are a pirate."
    )
    expect(level(page, "creativity")).to_have_text("Temperature 0.8" if replaced else "Creative")


def test_only_parameters_of_ones_own_are_asked_about_too(page):
    slide(page, "creativity", 0)
    who(page, "Teacher").click()
    expect(page.locator("dialog")).to_contain_text("You changed settings of this chat yourself.")
    page.get_by_role("button", name="Keep mine").click()
    expect(level(page, "creativity")).to_have_text("Precise")
    expect(page.locator("#system-prompt")).to_have_value(BUILTIN["teacher"]["system_prompt"]["en"])


# ---- own personas


def fill_editor(page: Page, **fields: str) -> None:
    for name, text in fields.items():
        page.locator(f"#editor-{name}").fill(text)


def test_a_persona_of_ones_own_is_made_used_and_seen_in_every_tab(page, app, new_page):
    other = visit(new_page(), app)
    page.locator(".qc-who-new").click()
    fill_editor(page, name="Captain", icon="⚓", system_prompt="Speak like a captain.")
    page.locator("#editor-sampling").select_option(label="Precise")
    page.get_by_label("Opening question 1").fill("Where to?")
    page.get_by_label("Opening question 3").fill("What is a knot?")
    page.get_by_role("button", name="Save").click()
    expect(page.locator("dialog")).to_have_count(0)
    expect(who(page, "Captain")).to_have_attribute("aria-pressed", "true")
    expect(page.locator(".qc-start-card")).to_have_text(["Where to?", "What is a knot?"])
    expect(who(other, "Captain")).to_contain_text("⚓")
    ask(page, "Ahoy")
    request = app.engine.requests[-1]
    assert request.messages[0].content == "Speak like a captain."
    assert request.sampling.temperature == 0.2
    assert [one["name"] for one in own_of(app)] == ["Captain"]


def test_deleting_a_persona_changes_no_chat_and_can_be_undone(page, app):
    app.run(app.web.chat.personas.add({"name": "Cook", "system_prompt": "Cook."}))
    who(page, "Cook").click()
    ask(page, "Hello")
    choose(page, "persona", "Edit personas")
    page.get_by_role("button", name="Delete Cook").click()
    expect(page.locator(".qc-kept-row", has_text="Cook")).to_have_count(0)
    page.keyboard.press("Escape")
    expect(page.locator("#persona-choice")).to_contain_text("None")
    expect(page.locator("#system-prompt")).to_have_value("Cook.")
    ask(page, "Again")
    assert app.engine.requests[-1].messages[0].content == "Cook."
    page.locator(".qc-toast-action").click()
    expect(page.locator("#persona-choice")).to_contain_text("Cook")


def test_personas_are_edited_duplicated_and_their_windows_close_without_losing_text(page, app):
    app.run(app.web.chat.personas.add({"name": "Cook", "questions": ["Soup?"]}))
    choose(page, "persona", "Edit personas")
    page.get_by_role("button", name="Edit Cook").click()
    fill_editor(page, name="Chef")
    page.keyboard.press("Escape")  # not saved yet: it asks
    page.locator("dialog.qc-ask").get_by_role("button", name="Cancel").click()
    expect(page.locator("#editor-name")).to_have_value("Chef")
    page.locator("#editor-name").press("Enter")
    expect(page.locator(".qc-kept-row", has_text="Chef")).to_be_visible()
    page.get_by_role("button", name="Duplicate Tour guide").click()
    expect(page.locator(".qc-kept-row", has_text="Tour guide (copy)")).to_be_visible()
    copy = own_of(app)[1]
    assert copy["system_prompt"] == GUIDE["system_prompt"]["en"]
    assert (copy["icon"], copy["questions"]) == ("compass", GUIDE["questions"]["en"])
    assert own_of(app)[0]["questions"] == ["Soup?"]


def test_a_chat_not_begun_yet_has_its_persona_as_it_was_edited(page, app):
    app.run(app.web.chat.personas.add({"name": "Cook", "system_prompt": "Cook."}))
    who(page, "Cook").click()
    expect(page.locator("#system-prompt")).to_have_value("Cook.")
    choose(page, "persona", "Edit personas")
    page.get_by_role("button", name="Edit Cook").click()
    fill_editor(page, system_prompt="Cook well.")
    page.get_by_role("button", name="Save").click()
    expect(page.locator("#editor-name")).to_have_count(0)
    page.keyboard.press("Escape")
    expect(page.locator("#system-prompt")).to_have_value("Cook well.")
    ask(page, "Hello")
    assert app.engine.requests[-1].messages[0].content == "Cook well."


def test_what_the_server_refuses_is_said_in_the_window_and_the_text_stays(page, app):
    page.locator(".qc-who-new").click()
    fill_editor(page, system_prompt="Long to write.")
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".qc-form .qc-notice")).to_contain_text("needs at least one character")
    expect(page.locator("#editor-name")).to_be_focused()
    expect(page.locator("#editor-system_prompt")).to_have_value("Long to write.")
    with app.outage():
        fill_editor(page, name="Writer two")
        page.get_by_role("button", name="Save").click()
        expect(page.locator(".qc-form .qc-notice")).to_contain_text("not reached")
    page.get_by_role("button", name="Save").click()
    expect(page.locator("dialog")).to_have_count(0)
    assert [one["system_prompt"] for one in own_of(app)] == ["Long to write."]


def test_personas_go_out_as_a_file_and_come_in_renamed(page, app, tmp_path):
    hostile = {"name": "<img src=x onerror=alert(1)>", "icon": "<b>", "questions": ["<script>"]}
    app.run(app.web.chat.personas.add(hostile))
    choose(page, "persona", "Edit personas")
    with page.expect_download() as download:
        page.get_by_role("link", name="Export all").click()
    download.value.save_as(tmp_path / "personas.json")
    page.locator("dialog input[type=file]").set_input_files(tmp_path / "personas.json")
    expect(page.locator(".qc-kept-row", has_text=f"{hostile['name']} 2")).to_be_visible()
    assert page.locator("dialog img").count() == 0
    (tmp_path / "bad.json").write_text('{"format": "qwenchat-personas", "version": 9}')
    page.locator("dialog input[type=file]").set_input_files(tmp_path / "bad.json")
    expect(page.locator(".qc-window > .qc-notice")).to_contain_text("another version of QwenChat")
    assert len(own_of(app)) == 2


# ---- two levels


def test_the_simple_level_is_in_words_and_sets_one_parameter_each(page, app):
    expect(level(page, "creativity")).to_have_text("Balanced")
    expect(level(page, "answer_length")).to_have_text("Normal")
    for step, (word, temperature) in enumerate(
        [("Precise", 0.2), ("Careful", 0.45), ("Balanced", 0.7), ("Lively", 0.9), ("Creative", 1.1)]
    ):
        slide(page, "creativity", step)
        expect(level(page, "creativity")).to_have_text(word)
        expect(setting(page, "temperature")).to_have_value(str(temperature))
    for step, (word, tokens) in enumerate(
        [("Short", 256), ("Normal", 2048), ("Long", 8192), ("As long as it takes", 1_000_000)]
    ):
        slide(page, "answer_length", step)
        expect(level(page, "answer_length")).to_have_text(word)
        expect(setting(page, "max_tokens")).to_have_value(str(tokens))
    slide(page, "answer_length", 0)
    ask(page, "Hello")
    sampling = app.engine.requests[-1].sampling
    assert (sampling.temperature, sampling.max_tokens) == (1.1, 256)


def test_a_value_between_the_steps_is_shown_as_it_is(page):
    page.locator("#expert-switch").click()
    setting(page, "temperature").fill("0.33")
    setting(page, "max_tokens").fill("1000")
    expect(level(page, "creativity")).to_have_text("Temperature 0.33")
    expect(level(page, "answer_length")).to_have_text("1,000 tokens")
    slider = page.locator("#setting-creativity input[type=range]")
    expect(slider).to_have_attribute("aria-valuetext", "Temperature 0.33")
    page.get_by_role("button", name="Reset to").click()
    expect(level(page, "creativity")).to_have_text("Balanced")


def test_the_experts_part_is_folded_at_first_and_remembered(page):
    expect(setting(page, "top_k")).to_be_hidden()
    switch = page.locator("#expert-switch")
    expect(switch).to_have_attribute("aria-expanded", "false")
    switch.click()
    expect(setting(page, "top_k")).to_be_visible()
    setting(page, "top_k").fill("7")
    expect(switch).to_contain_text("1 changed")
    page.reload()
    expect(setting(page, "top_k")).to_be_visible()
    expect(setting(page, "top_k")).to_have_value("7")
    switch.click()
    expect(setting(page, "top_k")).to_be_hidden()


# ---- presets


def test_a_preset_is_shown_until_a_value_differs(page, app):
    preset = page.locator("#preset-choice")
    expect(preset).to_have_text("Model defaults")
    choose(page, "preset", "Creative")
    expect(preset).to_have_text("Creative")
    page.locator("#expert-switch").click()
    expect(setting(page, "top_k")).to_have_value("50")
    ask(page, "Hello")
    assert app.engine.requests[-1].sampling.presence_penalty == 0.3
    setting(page, "top_k").fill("49")
    expect(preset).to_have_text("Own values")
    setting(page, "top_k").fill("50")
    expect(preset).to_have_text("Creative")
    choose(page, "preset", "Model defaults")
    expect(setting(page, "presence_penalty")).to_have_value("0")
    ask(page, "Again")
    assert app.engine.requests[-1].sampling == DEFAULTS


def test_a_preset_leaves_the_answers_length_alone(page):
    slide(page, "answer_length", 2)
    choose(page, "preset", "Precise")
    expect(level(page, "answer_length")).to_have_text("Long")
    expect(page.locator("#preset-choice")).to_have_text("Precise")


def test_presets_of_ones_own_are_saved_renamed_and_deleted_with_a_way_back(page, app):
    page.locator("#expert-switch").click()
    setting(page, "top_k").fill("7")
    choose(page, "preset", "Save these values")
    page.locator("#editor-name").fill("Mine")
    page.get_by_role("button", name="Save").click()
    expect(page.locator("#preset-choice")).to_have_text("Mine")
    assert own_of(app, "presets") == [{"name": "Mine", "sampling": {"top_k": 7}}]
    choose(page, "preset", "Edit presets")
    page.get_by_role("button", name="Edit Mine").click()
    page.locator("#editor-name").fill("Ours")
    page.get_by_role("button", name="Save").click()
    expect(page.locator("#preset-choice")).to_have_text("Ours")
    page.get_by_role("button", name="Delete Ours").click()
    page.keyboard.press("Escape")
    expect(page.locator("#preset-choice")).to_have_text("Own values")
    page.locator(".qc-toast-action").click()
    expect(page.locator("#preset-choice")).to_have_text("Ours")


# ---- the reply language


def test_the_reply_language_is_asked_of_the_model_and_remembered_for_new_chats(page, app):
    page.locator("#system-prompt").fill("Be kind.")
    page.locator("#setting-reply_language label", has_text="中文").click()
    ask(page, "Hello")
    assert app.engine.requests[-1].messages[0].content == "Be kind.\n\n请始终用中文回答。"
    expect(page.locator("#system-prompt")).to_have_value("Be kind.")
    page.locator("#setting-reply_language label", has_text="Auto").click()
    ask(page, "Again")
    assert app.engine.requests[-1].messages[0].content == "Be kind."
    page.locator("#setting-reply_language label", has_text="English").click()
    page.locator("#new-chat").click()
    expect(page.get_by_role("radio", name="English")).to_be_checked()
    ask(page, "Hello")
    assert app.engine.requests[-1].messages[0].content == "Always answer in English."


# ---- an answer's details


def test_an_answer_tells_the_model_its_figures_and_the_settings_it_was_asked_with(page, app):
    app.says("Fine", ",", " thanks.")
    slide(page, "creativity", 0)
    ask(page, "Hello")
    slide(page, "creativity", 4)  # for the next answer; this one was asked with 0.2
    button = answer(page).locator(".qc-details-button")
    expect(button).to_contain_text("tok/s")
    button.click()
    about = page.get_by_role("dialog", name="Details of the answer")
    for text in ("Fake-0.1B", "Answer", "Prompt", "Reused", "Speed", "First word after"):
        expect(about).to_contain_text(text)
    expect(about.locator("dt", has_text="temperature").locator("+ dd")).to_have_text("0.2")
    expect(about.locator("dt", has_text="top K").locator("+ dd")).to_have_text("20")
    page.keyboard.press("Escape")
    expect(about).to_have_count(0)
    page.reload()
    answer(page).locator(".qc-details-button").click()
    expect(about.locator("dt", has_text="temperature").locator("+ dd")).to_have_text("0.2")


def test_on_a_phone_everything_is_within_reach(new_page, app):
    page = visit(new_page(390, 780), app)
    who(page, "Tour guide").click()
    page.locator("#toggle-settings").click()
    choose(page, "persona", "Edit personas")
    box = page.locator("dialog").bounding_box()
    assert box and box["width"] <= 390 and box["y"] + box["height"] <= 780
    page.locator("dialog").get_by_role("button", name="New persona").click()
    expect(page.get_by_role("button", name="Save")).to_be_in_viewport()
    assert page.evaluate("document.documentElement.scrollWidth") == 390
