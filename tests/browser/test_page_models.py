"""Choosing a model: the menu behind its name, and the models on this machine."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from qwenchat.engine.fake import LoadStage
from qwenchat.errors import EngineStartFailed
from tests.api.model_worlds import HERE, WEIGHTS, installed
from tests.ui.models import (
    EVIL,
    back_to_demo,
    changed_library,
    choose_more,
    here,
    no_sideways_scroll,
    panel,
    push,
    visit_panel,
)
from tests.ui.pages import ask, conversation_id, expect_state, send, visit
from tests.ui.seeding import fetch
from tests.ui.serving import Served

pytestmark = [pytest.mark.browser, pytest.mark.accept]

DEMO = "SmolLM2-135M demo"
OTHER = "Qwen/Qwen-Other"
BROKEN = "Qwen/Qwen-Broken"


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("models")


@pytest.fixture(scope="module")
def app(folder: Path) -> Iterator[Served]:
    installed(folder)
    (installed(folder, BROKEN) / WEIGHTS).write_bytes(b"cut")
    with Served(folder) as served:
        yield served


@pytest.fixture
def page(new_page, app: Served) -> Iterator[Page]:
    app.says("Fine.")
    page = visit(new_page(), app)
    yield page
    back_to_demo(app)
    fetch(app, "POST", "api/models/verify/cancel", {})


@pytest.fixture
def slow(tmp_path: Path) -> Iterator[Served]:
    """Loads for two seconds, with numbers."""
    installed(tmp_path)
    stages = (LoadStage("reading weights", 1000, 20, 2.0),)
    with Served(tmp_path, stages=stages) as served:
        yield served


def open_menu(page: Page):
    page.locator("#model-picker").click()
    return page.get_by_role("menu", name="Choose a model")


# ---- the menu


def test_the_menu_says_what_is_loaded_and_what_else_is_here(page):
    push(
        page,
        engine=page.evaluate(
            """async () => ({...(await import("/assets/js/store.js")).state.engine,
            context_length: 4096, weights: "bfloat16, oneDNN"})"""
        ),
    )
    menu = open_menu(page)
    expect(menu).to_contain_text("Context of 4,096 tokens")
    expect(menu).to_contain_text("Runs in bfloat16, oneDNN")
    expect(menu.get_by_role("menuitemradio", name=HERE)).to_contain_text("1 kB · fits")
    demo = menu.get_by_role("menuitemradio", name=DEMO)
    expect(demo).to_have_attribute("aria-checked", "true")
    expect(demo).to_contain_text("in use")
    expect(menu.get_by_text(BROKEN)).to_have_count(0)


def test_the_menu_is_used_with_the_keyboard_and_gives_the_focus_back(page):
    picker = page.locator("#model-picker")
    picker.focus()
    page.keyboard.press("Enter")
    items = page.get_by_role("menu").locator(".qc-menu-item")
    expect(items.first).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(items.nth(1)).to_be_focused()
    page.keyboard.press("End")
    expect(items.last).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.get_by_role("menu")).to_have_count(0)
    expect(picker).to_be_focused()


def test_one_click_switches_and_chats_stay(page, app):
    ask(page, "Hello")
    address = page.url
    open_menu(page).get_by_role("menuitemradio", name=HERE).click()
    expect(page.locator("#model-picker")).to_contain_text("Qwen-Here")
    expect(page.locator("#status")).to_have_text("Ready")
    assert page.url == address
    ask(page, "And now")
    expect(page.locator("[data-role=user]")).to_have_count(2)


def test_a_running_answer_is_asked_about_first(page, app):
    app.says(*("word " for _ in range(200)), delay=0.05)
    send(page, "Hello")
    expect(page.locator("[data-role=assistant]")).to_contain_text("word word")
    open_menu(page).get_by_role("menuitemradio", name=HERE).click()
    question = page.get_by_role("dialog", name=f"Switch to {HERE}")
    expect(question).to_contain_text(
        "An answer is being written. It stops and keeps its text; Continue goes on later."
    )
    expect(question.get_by_role("button", name="Switch")).to_be_focused()
    page.keyboard.press("Escape")
    expect(question).to_have_count(0)
    expect(page.locator("#model-picker")).to_be_focused()
    expect(page.locator("[data-role=assistant]")).to_have_attribute("data-state", "streaming")
    open_menu(page).get_by_role("menuitemradio", name=HERE).click()
    question.get_by_role("button", name="Switch").click()
    expect(page.locator("[data-role=assistant]")).to_have_attribute(
        "data-state", re.compile("stopped|interrupted|failed")
    )
    expect(page.locator("[data-role=assistant]")).to_contain_text("word word")
    expect(page.locator("#model-picker")).to_contain_text("Qwen-Here")


def test_an_answer_in_another_chat_is_asked_about_too(page, app):
    app.says(*("word " for _ in range(100)), delay=0.05)
    send(page, "Hello")
    conversation_id(page)
    page.locator("#new-chat").click()
    open_menu(page).get_by_role("menuitemradio", name=HERE).click()
    expect(page.get_by_role("dialog", name=f"Switch to {HERE}")).to_be_visible()
    page.get_by_role("button", name="Cancel").click()
    page.go_back()
    page.locator("#stop").click()
    expect_state(page, "stopped")


def test_while_it_loads_an_open_chat_shows_how_far_it_is_and_can_be_written_in(slow, new_page):
    page = visit(new_page(), slow)
    expect(page.locator("#status")).to_have_text("Ready", timeout=10_000)
    ask(page, "Hello")
    open_menu(page).get_by_role("menuitemradio", name=HERE).click()
    bar = page.locator("#loading-bar")
    expect(bar).to_be_visible()
    expect(bar).to_have_attribute("aria-valuenow", re.compile(r"[1-9]"))
    expect(page.locator("#status")).to_contain_text("Loading · reading weights")
    send(page, "Already")
    expect(page.locator("[data-role=assistant]").last).to_contain_text("The model is loading")
    expect_state(page, "done")
    expect(bar).to_be_hidden()


def test_the_first_screen_has_the_card_and_no_second_bar(tmp_path, new_page):
    stages = (LoadStage("reading weights", 1000, 20, 2.0),)
    with Served(tmp_path, stages=stages, hold=True) as loading:
        page = visit(new_page(), loading)
        expect(page.locator("#loading-card")).to_be_visible()
        expect(page.locator("#loading-bar")).to_be_hidden()


def test_a_switch_that_fails_goes_back_and_says_why(page, app):
    app.call(app.engine.fail_next_load, EngineStartFailed(f"It was killed. {EVIL}"))
    open_menu(page).get_by_role("menuitemradio", name=HERE).click()
    notice = page.locator(".qc-notice-card[data-kind=model]")
    expect(notice).to_contain_text("could not be loaded: It was killed. <img")
    assert page.evaluate("window.hit") is None
    expect(page.locator("#model-picker")).not_to_contain_text("Qwen-Here")
    notice.get_by_role("button", name="Dismiss").click()
    expect(notice).to_have_count(0)


def test_a_model_that_is_gone_by_then_is_refused_in_words(page, app, folder):
    gone = installed(folder, OTHER)
    page.reload()
    entry = open_menu(page).get_by_role("menuitemradio", name=OTHER)
    expect(entry).to_be_visible()
    shutil.rmtree(gone)
    entry.click()
    news = page.get_by_role("dialog", name=f"{OTHER} was not loaded")
    expect(news).to_contain_text(re.compile("There is no model|not on this machine|offline"))
    page.keyboard.press("Escape")
    expect(page.locator("#model-picker")).to_be_focused()


# ---- the panel


@pytest.mark.parametrize(
    ("entry", "tab", "address"),
    [
        ("Models on this machine…", "On this machine", "#/models"),
        ("Download a model…", "Get more", "#/models/get"),
        ("Check this machine (doctor)…", "Check this machine", "#/doctor"),
    ],
)
def test_the_panel_has_an_address_and_back_closes_it(page, entry, tab, address):
    page.route("**/api/doctor", lambda route: route.fulfill(json={"checks": [], "status": "ok"}))
    ask(page, "Hello")
    chat = page.url
    open_menu(page).get_by_role("menuitem", name=entry).click()
    expect(page.get_by_role("tab", name=tab)).to_have_attribute("aria-selected", "true")
    assert page.url.endswith(address)
    page.reload()
    expect(page.get_by_role("tab", name=tab)).to_have_attribute("aria-selected", "true")
    expect(page.get_by_role("tab", name=tab)).to_be_focused()
    page.go_back()
    expect(panel(page)).to_be_hidden()
    assert page.url == chat
    expect(page.locator("[data-role=user]")).to_have_text("Hello")


def test_the_chat_behind_the_panel_stays_also_after_a_reload(page):
    ask(page, "Hello")
    open_menu(page).get_by_role("menuitem", name="Models on this machine…").click()
    page.reload()
    expect(panel(page)).to_be_visible()
    expect(page.locator("[data-role=user]")).to_have_text("Hello")


def test_escape_closes_the_panel_and_the_focus_returns_to_the_opener(page):
    open_menu(page).get_by_role("menuitem", name="Models on this machine…").click()
    expect(page.get_by_role("tab", name="On this machine")).to_be_focused()
    page.keyboard.press("Escape")
    expect(panel(page)).to_be_hidden()
    expect(page.locator("#model-picker")).to_be_focused()


def test_only_the_panel_can_be_used_while_it_is_open(new_page, app):
    page = visit_panel(new_page(), app)
    for part in ("#qc-main", "#qc-sidebar", "#settings-panel"):
        assert page.locator(part).evaluate("node => node.inert")
    panel(page).get_by_role("button", name="Close").click()
    expect(panel(page)).to_be_hidden()
    assert not page.locator("#qc-main").evaluate("node => node.inert")
    assert "#" not in page.url


def test_the_tabs_are_moved_through_with_the_arrow_keys(new_page, app):
    page = visit_panel(new_page(), app)
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("tab", name="Get more")).to_be_focused()
    assert page.url.endswith("#/models/get")
    page.keyboard.press("Home")
    expect(page.get_by_role("tab", name="On this machine")).to_be_focused()


# ---- on this machine


def test_each_model_is_told_of_with_its_problem(new_page, app):
    page = visit_panel(new_page(), app)
    row = here(page, HERE)
    expect(row).to_contain_text("the data folder · 1 kB")
    expect(row.locator(".qc-fit")).to_have_text("fits")
    expect(row.locator(".qc-fit-why")).to_be_hidden()
    row.locator(".qc-fit").click()
    expect(row.locator(".qc-fit-why")).to_contain_text("The longest context is 1,024 tokens.")
    expect(here(page, DEMO).get_by_text("In use", exact=True)).to_be_visible()
    expect(row.get_by_text("In use", exact=True)).to_be_hidden()
    expect(here(page, BROKEN)).to_contain_text("is damaged")
    expect(here(page, BROKEN).get_by_role("button", name="Use")).to_have_count(0)
    expect(panel(page).get_by_text(re.compile(r"[\d.]+ .B free on the disk"))).to_be_visible()


def test_a_model_is_used_with_options_of_its_own(page, app):
    open_menu(page).get_by_role("menuitem", name="Models on this machine…").click()
    row = here(page, HERE)
    expect(row.get_by_label("Context length")).to_be_hidden()
    row.get_by_text("Load options").click()
    row.get_by_label("Context length").fill("512")
    row.get_by_label("Number format").select_option("float32")
    with page.expect_request("**/api/model") as asked:
        row.get_by_role("button", name="Use").click()
    assert asked.value.post_data_json == {"model": HERE, "context_length": 512, "dtype": "float32"}
    expect(panel(page)).to_be_hidden()
    expect(page.locator("#model-picker")).to_contain_text("Qwen-Here")
    expect(page.locator("#status")).to_have_text("Ready")


def test_options_that_cannot_be_are_refused_in_the_row(page):
    open_menu(page).get_by_role("menuitem", name="Models on this machine…").click()
    row = here(page, HERE)
    row.get_by_text("Load options").click()
    row.get_by_label("Context length").fill("3")
    row.get_by_role("button", name="Use").click()
    expect(row.get_by_role("alert")).to_contain_text("The context length must be")
    expect(panel(page)).to_be_visible()


def test_files_are_verified_and_all_are_right(new_page, page, app):
    visit_panel(page, app)
    choose_more(page, HERE, "Verify the files")
    expect(here(page, HERE)).to_contain_text("All files are right.")
    other = visit_panel(new_page(), app)
    expect(here(other, HERE)).to_contain_text("All files are right.")
    here(page, HERE).get_by_role("button", name="Dismiss").click()
    expect(here(page, HERE).locator(".qc-verification")).to_be_hidden()
    expect(here(other, HERE).locator(".qc-verification")).to_be_hidden()


def test_how_far_a_check_is_shows_and_it_can_be_cancelled(page, app):
    visit_panel(page, app)
    page.route("**/api/models/verify/cancel", lambda route: route.fulfill(status=204))
    running = {"model": HERE, "state": "running", "done": 250, "total": 1000, "damaged": []}
    push(page, verification={**running, "error": None})
    row = here(page, HERE)
    expect(row.get_by_role("progressbar")).to_have_attribute("aria-valuenow", "25")
    with page.expect_request("**/api/models/verify/cancel"):
        row.get_by_role("button", name="Cancel").click()


def test_damaged_files_are_named(page, app, folder):
    weights = folder / "models" / HERE.replace("/", "--") / WEIGHTS
    whole = weights.read_bytes()
    weights.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    visit_panel(page, app)
    choose_more(page, HERE, "Verify the files")
    row = here(page, HERE)
    expect(row).to_contain_text("1 file is damaged:")
    expect(row.locator(".qc-damaged")).to_contain_text(f"{WEIGHTS} has another content")
    weights.write_bytes(whole)


def test_deleting_asks_and_says_what_it_frees(new_page, page, app, folder):
    installed(folder, OTHER)
    other = visit_panel(new_page(), app)
    visit_panel(page, app)
    page.reload()
    choose_more(page, OTHER, "Delete")
    question = page.get_by_role("dialog", name=f"Delete {OTHER}")
    expect(question).to_contain_text("which frees 1 kB")
    expect(question.get_by_role("button", name="Cancel")).to_be_focused()
    question.get_by_role("button", name="Cancel").click()
    expect(here(page, OTHER)).to_be_visible()
    expect(here(page, OTHER).get_by_role("button", name=f"More for {OTHER}")).to_be_focused()
    choose_more(page, OTHER, "Delete")
    question.get_by_role("button", name="Delete").click()
    expect(page.locator(".qc-toast")).to_contain_text(f"Deleted {OTHER}. 1 kB are free again.")
    expect(here(page, OTHER)).to_have_count(0)
    expect(here(other, OTHER)).to_have_count(0)
    expect(page.get_by_role("tab", name="On this machine")).to_be_focused()


def test_what_is_in_use_or_not_ours_has_no_delete(page, app):
    visit_panel(page, app)
    here(page, DEMO).get_by_role("button", name=f"More for {DEMO}").click()
    expect(page.get_by_role("menuitem", name="Verify the files")).to_be_visible()
    expect(page.get_by_role("menuitem", name="Delete")).to_have_count(0)


def test_a_folder_is_shown_where_that_can_be_seen_and_else_its_path_is_copied(new_page, app):
    page = new_page(permissions=["clipboard-read", "clipboard-write"])
    visit_panel(page, app)
    here(page, HERE).get_by_role("button", name="Copy the path").click()
    expect(page.locator(".qc-toast")).to_have_text("Copied the path.")
    assert page.evaluate("navigator.clipboard.readText()").endswith("Qwen--Qwen-Here")
    changed_library(page, app, lambda found: found["machine"].update(can_reveal=True))
    page.route("**/api/models/reveal", lambda route: route.fulfill(status=204))
    page.reload()
    expect(here(page, HERE).get_by_role("button", name="Copy the path")).to_have_count(0)
    with page.expect_request("**/api/models/reveal"):
        choose_more(page, HERE, "Show folder")


def test_names_and_paths_with_markup_stay_text(new_page, app):
    page = new_page()

    def spoil(found):
        for model in found["installed"]:
            model.update(name=EVIL, path=f"/{EVIL}", where=EVIL, problem=EVIL)

    changed_library(page, app, spoil)
    visit_panel(page, app)
    expect(panel(page).get_by_role("heading", name=EVIL).first).to_be_visible()
    damaged = [{"path": EVIL, "reason": EVIL}]
    push(
        page,
        verification={
            "model": HERE,
            "state": "done",
            "done": 1,
            "total": 1,
            "damaged": damaged,
            "error": None,
        },
    )
    expect(page.locator(".qc-damaged:visible")).to_contain_text(EVIL)
    page.keyboard.press("Escape")
    page.locator("#model-picker").click()
    assert page.evaluate("window.hit") is None
    assert panel(page).locator("img").count() == 0


def test_models_that_cannot_be_read_are_tried_again(new_page, app):
    page = new_page()
    page.route("**/api/models", lambda route: route.abort())
    visit_panel(page, app)
    expect(panel(page).get_by_role("alert").first).to_contain_text("The server was not reached.")
    page.unroute("**/api/models")
    panel(page).get_by_role("button", name="Try again").click()
    expect(here(page, HERE)).to_be_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_menu_and_panel_fit_a_phone(new_page, app, scheme):
    page = visit(new_page(390, 844, scheme, has_touch=True, is_mobile=True), app)
    page.locator("#model-picker").tap()
    box = page.get_by_role("menu").bounding_box()
    assert box and (box["x"], box["width"]) == (0, 390)
    page.get_by_role("menuitem", name="Models on this machine…").tap()
    expect(here(page, HERE)).to_be_visible()
    box = panel(page).bounding_box()
    assert box and (box["x"], box["y"], box["width"], box["height"]) == (0, 0, 390, 844)
    here(page, HERE).get_by_text("Load options").tap()
    no_sideways_scroll(page, "#models-here .qc-models-scroll", "#models-panel")
