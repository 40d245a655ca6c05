"""Models that can be had: the best one, the catalogue, any one by name, and the first offer."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.api.model_worlds import HERE, PUBLISHED, ROWS, installed
from tests.models.hub_server import LocalHub
from tests.models.samples import small_snapshot
from tests.ui.models import (
    EVIL,
    back_to_demo,
    changed_library,
    check,
    download,
    hub_of_this_machine,
    no_sideways_scroll,
    panel,
    variant,
    visit_panel,
)
from tests.ui.pages import visit
from tests.ui.serving import Served

pytestmark = [pytest.mark.browser, pytest.mark.accept]

BEST = "Qwen/Qwen3-4B-Instruct-2507"
SMALL = "Qwen/Qwen2.5-0.5B-Instruct"
GET = "#/models/get"


@pytest.fixture(scope="module")
def hub(tmp_path_factory, browser) -> Iterator[LocalHub]:
    # After the browser, which would look for its maker through the hub's proxy.
    folder = tmp_path_factory.mktemp("hub")
    with hub_of_this_machine(folder) as hub:
        hub.add(PUBLISHED, small_snapshot(folder / "published", rows=ROWS))
        own = {"auto_map": {"AutoModelForCausalLM": "code.Model"}}
        hub.add("Own/Code", small_snapshot(folder / "own", architectures=["OwnForCausalLM"], **own))
        yield hub


@pytest.fixture(scope="module")
def app(tmp_path_factory, hub: LocalHub) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("get")
    installed(folder)
    with Served(folder, endpoint=hub.endpoint) as served:
        yield served


@pytest.fixture
def first(tmp_path: Path, hub: LocalHub) -> Iterator[Served]:
    """An app that has nothing but the demo model."""
    with Served(tmp_path, endpoint=hub.endpoint) as served:
        yield served


@pytest.fixture
def page(new_page, app: Served) -> Page:
    return visit_panel(new_page(), app, GET)


def best_is_known(found: dict[str, Any]) -> None:
    """The models with this best one, however busy the machine is just now."""
    found["best"] = BEST


def one_that_does_not_fit(found: dict[str, Any]) -> None:
    """The models as a machine with less memory has them."""
    for row in found["rows"]:
        for one in row["variants"]:
            if row["parameters"] > 5e9:
                one["fit"] |= {"answer": "does_not_fit", "message": "It needs far more."}
            elif row["parameters"] > 3.5e9:
                one["fit"] |= {"answer": "tight", "message": "Only with a short context."}
            if one["method"] == "fp8":
                one["reason"] = "FP8 needs AMX, which this processor has not."


# ---- the catalogue


def test_the_best_for_this_machine_is_at_the_top_with_the_reason(new_page, app):
    page = new_page()
    changed_library(page, app, best_is_known)
    visit_panel(page, app, GET)
    card = panel(page).get_by_role("region", name="Best for this machine")
    expect(card).to_contain_text("Qwen3 4B Instruct 2507")
    expect(card).to_contain_text(re.compile(r"8\.0 GB to download · about \d+ tokens/s here"))
    expect(card).to_contain_text("The most capable model that answers fast enough here.")
    expect(card).to_contain_text("it needs")
    expect(card.get_by_role("button", name="Download")).to_be_enabled()


def test_rows_are_grouped_with_all_that_is_known_of_them(page):
    headings = panel(page).locator(".qc-groups h3")
    assert headings.all_inner_texts() == ["Qwen3", "Qwen2.5", "Qwen2"]
    row = panel(page).locator(".qc-get-row", has_text="Qwen2.5 7B Instruct")
    expect(row).to_contain_text(
        "7.6 billion parameters · context 32,768, up to 131,072 with YaRN · 29 languages · "
        "answers at once · Apache-2.0"
    )
    for word in ("Full", "GPTQ 4-bit", "AWQ 4-bit", "W8A8 8-bit"):
        expect(row.get_by_text(word, exact=True)).to_be_visible()
    line = variant(page, "Qwen/Qwen2.5-7B-Instruct-AWQ")
    expect(line).to_contain_text(re.compile(r"5\.6 GB.*about [\d.]+ tokens/s \([\d.]+ to [\d.]+\)"))


def test_how_it_fits_is_a_word_whose_reason_can_be_read(new_page, app):
    page = new_page()
    changed_library(page, app, one_that_does_not_fit)
    visit_panel(page, app, GET)
    word = variant(page, "Qwen/Qwen3-4B").locator(".qc-fit")
    expect(word).to_have_text("tight")
    expect(word).to_have_attribute("title", "Only with a short context.")
    expect(variant(page, "Qwen/Qwen3-4B").locator(".qc-fit-why")).to_be_hidden()
    word.focus()
    page.keyboard.press("Enter")
    expect(variant(page, "Qwen/Qwen3-4B").get_by_text("Only with a short context.")).to_be_visible()


def test_only_what_fits_is_shown_until_all_is_asked_for(new_page, app):
    page = new_page()
    changed_library(page, app, one_that_does_not_fit)
    visit_panel(page, app, GET)
    expect(variant(page, SMALL)).to_be_visible()
    expect(variant(page, "Qwen/Qwen3-14B")).to_have_count(0)
    page.get_by_label("Fits this machine").uncheck()
    expect(variant(page, "Qwen/Qwen3-14B")).to_contain_text("does not fit")


def test_what_cannot_run_is_told_of_with_the_nearest_that_can(new_page, app):
    page = new_page()
    changed_library(page, app, one_that_does_not_fit)
    visit_panel(page, app, GET)
    row = panel(page).locator(".qc-get-row", has_text="Qwen3 0.6B")
    row.locator("summary").click()
    expect(row).to_contain_text("FP8 needs AMX, which this processor has not.")
    expect(row).to_contain_text("Nearest that does: Qwen/Qwen3-0.6B")
    expect(variant(page, "Qwen/Qwen3-0.6B-FP8")).to_have_count(0)


def test_a_text_finds_models_and_says_when_there_is_none(page):
    box = page.get_by_label("Filter the models by name")
    box.fill("2.5 awq")
    lines = panel(page).locator("[data-variant]")
    expect(lines.first).to_contain_text("AWQ 4-bit")
    assert all("AWQ" in one for one in lines.evaluate_all("all => all.map(n => n.dataset.variant)"))
    box.fill("nothing like it")
    expect(panel(page).get_by_text("No model matches.")).to_be_visible()
    panel(page).get_by_role("button", name="Show all").click()
    expect(variant(page, SMALL)).to_be_visible()
    expect(box).to_be_focused()


def test_escape_empties_the_filter_before_it_closes_the_panel(page):
    box = page.get_by_label("Filter the models by name")
    box.fill("awq")
    box.press("Escape")
    expect(box).to_have_value("")
    expect(panel(page)).to_be_visible()
    box.press("Escape")
    expect(panel(page)).to_be_hidden()


def test_typing_a_filter_does_not_lag(page):
    slowest = page.evaluate(
        """() => {
            const box = document.querySelector("#model-filter");
            let slowest = 0;
            for (const text of ["q", "qw", "qwe", "qwen3", "qwen", ""]) {
                const began = performance.now();
                box.value = text;
                box.dispatchEvent(new Event("input", { bubbles: true }));
                document.body.offsetHeight;
                slowest = Math.max(slowest, performance.now() - began);
            }
            return slowest;
        }"""
    )
    assert slowest < 100


def test_rows_not_compared_with_the_hub_say_so(new_page, page, app):
    words = "not yet compared with ModelScope; this is done when you press Download"
    expect(panel(page).get_by_text(f"These models are {words}.")).to_be_visible()
    other = new_page()
    changed_library(other, app, lambda found: found["rows"][1].update(verified=True))
    visit_panel(other, app, GET)
    row = panel(other).locator(".qc-get-row", has_text="Qwen2.5 1.5B")
    expect(row.get_by_text(words, exact=True)).to_be_visible()
    compared = panel(other).locator(".qc-get-row", has_text="Qwen2.5 0.5B")
    expect(compared.get_by_text(words, exact=True)).to_be_hidden()


def test_offline_nothing_can_be_downloaded(new_page, app):
    page = new_page()
    changed_library(page, app, lambda found: found["machine"].update(offline=True))
    visit_panel(page, app, GET)
    expect(page.get_by_text("QwenChat is set to stay offline")).to_be_visible()
    expect(variant(page, SMALL).get_by_role("button", name="Download")).to_be_disabled()


def test_a_refused_download_says_why_in_its_line(page, hub):
    line = variant(page, SMALL)
    line.get_by_role("button", name="Download").click()
    expect(line.get_by_role("alert")).to_contain_text(SMALL, timeout=15_000)
    expect(line.get_by_role("button", name="Download")).to_be_enabled()


def test_names_and_reasons_with_markup_stay_text(new_page, app):
    page = new_page()

    def spoil(found):
        for row in found["rows"]:
            row.update(name=EVIL, generation=EVIL, licence=EVIL, languages=[EVIL])
            row["cannot"] = [{"id": EVIL, "reason": EVIL, "nearest": EVIL}]
            for one in row["variants"]:
                one["fit"]["message"] = EVIL

    changed_library(page, app, spoil)
    visit_panel(page, app, GET)
    panel(page).locator(".qc-get-row summary").first.click()
    panel(page).locator(".qc-fit:visible").first.click()
    expect(panel(page).get_by_text(EVIL).first).to_be_visible()
    assert page.evaluate("window.hit") is None
    assert panel(page).locator("img").count() == 0


# ---- any model


def test_any_model_is_judged_before_it_is_downloaded(page, hub):
    card = check(page, f"  {PUBLISHED} ")
    expect(card).to_contain_text("Runs here", timeout=15_000)
    expect(card).to_contain_text("4 MB to download · about")
    expect(card.locator(".qc-fit")).to_have_text("fits")
    card.get_by_role("button", name="Download").click()
    expect(download(page, PUBLISHED).or_(card.get_by_role("button", name="Use"))).to_be_visible()
    expect(card.get_by_role("button", name="Use")).to_be_visible(timeout=20_000)
    card.get_by_role("button", name="Use").click()
    expect(panel(page)).to_be_hidden()
    expect(page.locator("#model-picker")).to_contain_text("Qwen-Test")


def test_a_model_with_code_of_its_own_says_what_that_means(page):
    card = check(page, "Own/Code")
    expect(card).to_contain_text("Does not run here", timeout=15_000)
    expect(card).to_contain_text("QwenChat never runs it.")
    expect(card.get_by_role("button", name="Download")).to_have_count(0)
    nearest = card.get_by_role("button", name=re.compile("^Check "))
    name = nearest.inner_text().removeprefix("Check ")
    nearest.click()
    expect(page.locator("#model-id")).to_have_value(name)


def test_a_folder_of_ones_own_is_judged_and_used(page, tmp_path):
    folder = small_snapshot(tmp_path / "mine")
    card = check(page, str(folder))
    expect(card).to_contain_text("It is on this machine already.")
    card.get_by_role("button", name="Use").click()
    expect(panel(page)).to_be_hidden()
    expect(page.locator("#model-picker")).to_contain_text("mine")


@pytest.mark.parametrize("value", ["no-owner", "/not/there", EVIL, "Qwen/Not-There"])
def test_what_names_no_model_is_said_in_the_servers_words(page, value):
    card = check(page, value)
    expect(page.locator(".qc-check").get_by_role("alert").first).to_be_visible(timeout=15_000)
    expect(card).to_be_hidden()
    assert page.evaluate("window.hit") is None


def test_an_answer_to_an_earlier_question_is_dropped(page):
    page.route(
        "**/api/models/check",
        lambda route: route.continue_() if "Qwen-Here" in (route.request.post_data or "") else None,
    )
    check(page, "Qwen/Never-Answered")
    expect(page.get_by_text("Checking…")).to_be_visible()
    card = check(page, HERE)
    expect(card.get_by_role("heading")).to_have_text(HERE)
    expect(page.get_by_text("Checking…")).to_have_count(0)


# ---- the first offer


def test_the_first_screen_of_the_demo_offers_the_best_model(first, new_page):
    page = new_page()
    changed_library(page, first, best_is_known)
    visit(page, first)
    offer = page.get_by_role("region", name="A better model")
    expect(offer).to_contain_text("A better model for this machine: Qwen3 4B Instruct 2507")
    expect(offer).to_contain_text(re.compile(r"8\.0 GB to download · about \d+ tokens/s"))
    offer.get_by_role("button", name="All models").click()
    expect(page.get_by_role("tab", name="Get more")).to_have_attribute("aria-selected", "true")
    page.keyboard.press("Escape")
    expect(offer.get_by_role("button", name="All models")).to_be_focused()
    offer.get_by_role("button", name="Download").click()
    expect(offer.get_by_role("alert")).to_contain_text(BEST, timeout=15_000)


def test_not_now_is_remembered(first, new_page):
    page = visit(new_page(), first)
    offer = page.locator("#offer")
    offer.get_by_role("button", name="Not now").click()
    expect(offer).to_be_hidden()
    page.reload()
    expect(page.locator(".qc-start")).to_be_visible(timeout=10_000)
    page.wait_for_function(
        "async () => (await import('/assets/js/store.js')).state.library !== null"
    )
    expect(offer).to_be_hidden()


def test_nothing_moves_when_the_offer_appears(first, new_page):
    page = new_page()
    page.add_init_script(
        """window.shifts = [];
        new PerformanceObserver((list) => {
            for (const entry of list.getEntries())
                for (const { node } of entry.sources)
                    if (node?.closest?.(".qc-empty, #qc-main")) shifts.push(node.className);
        }).observe({ type: "layout-shift", buffered: true });"""
    )

    def answer_late(route):
        time.sleep(0.7)
        route.continue_()

    page.route("**/api/models", answer_late)
    visit(page, first)
    start = page.locator(".qc-start")
    expect(start).to_be_visible()
    before = start.bounding_box()
    expect(page.locator("#offer .qc-offer")).to_be_visible()
    page.wait_for_timeout(300)
    assert start.bounding_box() == before
    assert [one for one in page.evaluate("shifts") if "qc-start" in one or "qc-offer" in one] == []


def test_there_is_no_offer_beside_other_models_or_offline(new_page, app, first):
    page = visit(new_page(), app)
    page.wait_for_function(
        "async () => (await import('/assets/js/store.js')).state.library !== null"
    )
    expect(page.locator("#offer .qc-offer")).to_be_hidden()
    offline = new_page()
    changed_library(offline, first, lambda found: found["machine"].update(offline=True))
    visit(offline, first)
    offline.wait_for_function(
        "async () => (await import('/assets/js/store.js')).state.library !== null"
    )
    expect(offline.locator("#offer .qc-offer")).to_be_hidden()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_offer_fits_a_phone_and_its_place(new_page, first, scheme):
    page = visit(new_page(390, 844, scheme, has_touch=True, is_mobile=True), first)
    place = page.locator("#offer").bounding_box()
    expect(page.locator("#offer .qc-offer")).to_be_visible()
    assert page.locator("#offer").bounding_box() == place
    no_sideways_scroll(page, "#chat")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_catalogue_fits_a_phone(new_page, app, scheme):
    page = visit_panel(new_page(390, 844, scheme, has_touch=True, is_mobile=True), app, GET)
    expect(variant(page, SMALL)).to_be_visible()
    check(page, "x" * 300)
    no_sideways_scroll(page, "#models-get .qc-models-scroll", "#models-panel")


@pytest.fixture(autouse=True)
def demo_again(app: Served) -> Iterator[None]:
    yield
    back_to_demo(app)
