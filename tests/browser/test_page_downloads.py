"""Downloads on the page: how far they are, what can be done to them, how they end."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.api.model_worlds import PUBLISHED, ROWS, WEIGHTS
from tests.e2e.running import until
from tests.models.hub_server import LocalHub
from tests.models.samples import small_snapshot
from tests.ui.models import (
    EVIL,
    choose_more,
    download,
    here,
    hub_of_this_machine,
    no_sideways_scroll,
    panel,
    push,
    visit_panel,
)
from tests.ui.pages import visit
from tests.ui.seeding import fetch
from tests.ui.serving import Served

pytestmark = [pytest.mark.browser, pytest.mark.accept]

NAME = PUBLISHED.split("/")[1]
GET = "#/models/get"
FILE = {"path": "model.safetensors", "size": 8_000_000_000, "done": 2_000_000_000}
DOWNLOAD = {
    "id": PUBLISHED,
    "state": "running",
    "stage": "downloading",
    "done_bytes": 2_000_000_000,
    "total_bytes": 8_000_000_000,
    "checked_bytes": 0,
    "to_check_bytes": 0,
    "bytes_per_second": 10_000_000.0,
    "seconds_left": 600.0,
    "files": [{**FILE, "state": "arriving"}],
    "error": None,
    "note": "",
}


@pytest.fixture
def hub(tmp_path, browser) -> Iterator[LocalHub]:
    # After the browser, which would look for its maker through the hub's proxy.
    with hub_of_this_machine(tmp_path / "elsewhere") as hub:
        hub.add(PUBLISHED, small_snapshot(tmp_path / "published", rows=ROWS))
        hub.hold(WEIGHTS, 0.5)
        yield hub


@pytest.fixture
def app(tmp_path, hub: LocalHub) -> Iterator[Served]:
    (tmp_path / "data").mkdir()
    with Served(tmp_path / "data", endpoint=hub.endpoint) as served:
        yield served


@pytest.fixture
def page(new_page, app: Served) -> Page:
    return visit_panel(new_page(), app, GET)


@pytest.fixture(scope="module")
def still(tmp_path_factory) -> Iterator[Served]:
    """An app in which nothing is downloaded, for frames of the test's own."""
    with Served(tmp_path_factory.mktemp("still")) as served:
        yield served


def begin(app: Served, **options: Any) -> None:
    fetch(app, "POST", "api/downloads", {"model": PUBLISHED, **options})


def until_half(page: Page) -> None:
    expect(download(page, PUBLISHED)).to_contain_text("Downloading", timeout=15_000)
    expect(download(page, PUBLISHED)).to_contain_text("MB of 4 MB", timeout=15_000)


# ---- on the real server


def test_a_download_is_paused_and_resumed_and_is_then_ready_to_use(page, app, hub):
    begin(app)
    until_half(page)
    row = download(page, PUBLISHED)
    row.get_by_role("button", name="Pause").click()
    expect(row).to_contain_text("Paused")
    expect(row.get_by_role("button", name="Resume")).to_be_focused()
    expect(page.locator("#downloads-announcer")).to_have_text(f"{NAME}: Paused")
    hub.let_go()
    row.get_by_role("button", name="Resume").click()
    toast = page.locator(".qc-toast", has_text=f"{NAME} is ready.")
    expect(toast).to_be_visible(timeout=20_000)
    expect(row).to_have_count(0)
    expect(page.locator("#downloads")).to_be_hidden()
    toast.get_by_role("button", name="Use").click()
    expect(page.locator("#model-picker")).to_contain_text(NAME)


def test_two_tabs_agree_and_a_reload_knows_it(new_page, page, app):
    other = visit_panel(new_page(), app)
    begin(app)
    until_half(page)
    until_half(other)
    download(other, PUBLISHED).get_by_role("button", name="Pause").click()
    expect(download(page, PUBLISHED)).to_contain_text("Paused")
    page.reload()
    expect(download(page, PUBLISHED)).to_contain_text("Paused", timeout=10_000)


def test_cancelling_asks_and_deletes_what_has_arrived(page, app):
    begin(app)
    until_half(page)
    row = download(page, PUBLISHED)
    row.get_by_role("button", name="Cancel").click()
    question = page.get_by_role("dialog", name=f"Cancel the download of {NAME}")
    expect(question).to_contain_text("that have arrived are deleted.")
    question.get_by_role("button", name="Keep it").click()
    expect(row).to_contain_text("Downloading")
    expect(row.get_by_role("button", name="Cancel")).to_be_focused()
    row.get_by_role("button", name="Cancel").click()
    question.get_by_role("button", name="Cancel the download").click()
    expect(row).to_have_count(0)
    page.reload()
    expect(panel(page)).to_be_visible(timeout=10_000)
    expect(page.locator("#downloads")).to_be_hidden()


def test_a_download_that_fails_says_why_and_is_tried_again(page, app, hub):
    hub.let_go()
    hub.refused["tokenizer.json"] = 403
    begin(app)
    row = download(page, PUBLISHED)
    expect(row.get_by_role("alert").first).to_be_visible(timeout=30_000)
    expect(row).to_contain_text("Stopped")
    hub.refused.clear()
    row.get_by_role("button", name="Retry").click()
    expect(page.locator(".qc-toast")).to_contain_text(f"{NAME} is ready.", timeout=20_000)


def test_with_the_panel_closed_the_top_bar_shows_how_far_all_is(new_page, app):
    page = visit(new_page(), app)
    button = page.locator("#downloads-button")
    expect(button).to_be_hidden()
    begin(app)
    expect(button).to_be_visible()
    expect(button).to_have_text(re.compile(r"[1-9]\d? %"), timeout=15_000)
    expect(button).to_have_attribute("aria-label", re.compile(r"1 download, \d+ %. Show downloads"))
    button.click()
    expect(download(page, PUBLISHED)).to_be_visible()
    page.keyboard.press("Escape")
    expect(button).to_be_focused()


def test_damaged_files_are_fetched_again(page, app, tmp_path, hub):
    hub.let_go()
    begin(app)
    expect(page.locator(".qc-toast")).to_contain_text(f"{NAME} is ready.", timeout=20_000)
    weights = tmp_path / "data" / "models" / PUBLISHED.replace("/", "--") / WEIGHTS
    whole = weights.read_bytes()
    weights.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    page.get_by_role("tab", name="On this machine").click()
    choose_more(page, PUBLISHED, "Verify the files")
    row = here(page, PUBLISHED)
    expect(row).to_contain_text("1 file is damaged:")
    row.get_by_role("button", name="Fetch those again").click()
    expect(row.locator(".qc-verification")).to_be_hidden()
    until(lambda: weights.exists() and weights.read_bytes() == whole, 20, "the whole file")


# ---- what is shown of them


def test_each_download_has_its_numbers_and_its_files_folded(new_page, still):
    page = visit_panel(new_page(), still, GET)
    push(page, downloads=[DOWNLOAD])
    row = download(page, PUBLISHED)
    expect(row).to_contain_text("2.0 GB of 8.0 GB · 10 MB/s · 10 min left")
    expect(row.get_by_text("model.safetensors")).to_be_hidden()
    row.get_by_text("0 of 1 file").click()
    expect(row.get_by_text("model.safetensors")).to_be_visible()
    expect(row).to_contain_text("2.0 GB / 8.0 GB · arriving")
    push(page, downloads=[{**DOWNLOAD, "files": [{**FILE, "state": "done"}]}])
    expect(row).to_contain_text("8.0 GB · done")


def test_one_bar_is_for_all_of_them(new_page, still):
    page = visit_panel(new_page(), still, GET)
    push(page, downloads=[DOWNLOAD, {**DOWNLOAD, "id": "a/b", "done_bytes": 6_000_000_000}])
    expect(page.locator("#downloads h3")).to_have_text("2 downloads · 50 %")
    bar = page.locator("#downloads > [role=progressbar]")
    expect(bar).to_have_attribute("aria-valuenow", "50")


def test_the_first_step_is_a_comparison(new_page, still):
    page = visit_panel(new_page(), still, GET)
    verifying = {"state": "verifying", "checked_bytes": 10**9, "to_check_bytes": 4 * 10**9}
    push(page, downloads=[{**DOWNLOAD, **verifying}])
    row = download(page, PUBLISHED)
    expect(row).to_contain_text("Comparing with ModelScope")
    expect(row).to_contain_text("1.0 GB of 4.0 GB compared")


def test_a_screen_reader_hears_of_changes_and_not_of_every_step(new_page, still):
    page = visit_panel(new_page(), still, GET)
    page.evaluate(
        """() => {
            window.heard = [];
            const place = document.querySelector("#downloads-announcer");
            new MutationObserver(() => heard.push(place.textContent))
                .observe(place, { childList: true, characterData: true, subtree: true });
        }"""
    )
    for step in range(5):
        push(page, downloads=[{**DOWNLOAD, "done_bytes": step * 10**9}])
    push(page, downloads=[{**DOWNLOAD, "state": "paused"}])
    assert page.evaluate("heard") == [f"{NAME}: Paused"]


def test_a_button_in_use_keeps_the_focus_while_numbers_change(new_page, still):
    page = visit_panel(new_page(), still, GET)
    push(page, downloads=[DOWNLOAD])
    pause = download(page, PUBLISHED).get_by_role("button", name="Pause")
    pause.focus()
    push(page, downloads=[{**DOWNLOAD, "done_bytes": 3 * 10**9}])
    expect(pause).to_be_focused()


def test_what_cannot_be_done_is_said_in_the_row(new_page, still):
    page = visit_panel(new_page(), still, GET)
    error = {"error": {"code": "invalid_request", "message": f"Not now. {EVIL}", "param": None}}
    page.route(
        "**/api/downloads/pause",
        lambda route: route.fulfill(status=400, body=json.dumps(error)),
    )
    push(page, downloads=[DOWNLOAD])
    row = download(page, PUBLISHED)
    row.get_by_role("button", name="Pause").click()
    expect(row.get_by_role("alert")).to_have_text(f"Not now. {EVIL}")


def test_names_files_and_notes_with_markup_stay_text(new_page, still):
    page = visit_panel(new_page(), still, GET)
    error = {"code": "download_failed", "message": EVIL}
    file = {"path": EVIL, "size": 1, "done": 0, "state": "waiting"}
    spoiled = {"id": f"a/{EVIL}", "state": "failed", "note": EVIL, "error": error, "files": [file]}
    push(page, downloads=[{**DOWNLOAD, **spoiled}])
    row = page.locator(".qc-download")
    row.locator("summary").click()
    expect(row.locator(".qc-download-files")).to_contain_text(EVIL)
    expect(row.get_by_role("alert").first).to_have_text(EVIL)
    assert page.evaluate("window.hit") is None
    assert row.locator("img").count() == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_downloads_fit_a_phone(new_page, still, scheme):
    page = visit(new_page(390, 844, scheme, has_touch=True, is_mobile=True), still)
    files = [{"path": f"{'long' * 30}.safetensors", "size": 1, "done": 0, "state": "waiting"}]
    push(page, downloads=[{**DOWNLOAD, "id": f"a/{'long-name-' * 12}", "files": files}])
    no_sideways_scroll(page)
    page.locator("#downloads-button").tap()
    page.locator(".qc-download summary").tap()
    no_sideways_scroll(page, "#downloads", "#models-panel")


def test_a_model_that_was_there_before_is_not_called_ready(new_page, still):
    page = visit_panel(new_page(), still, GET)
    push(page, downloads=[{**DOWNLOAD, "state": "done"}])
    page.wait_for_timeout(200)
    expect(page.locator(".qc-toast")).to_have_count(0)
