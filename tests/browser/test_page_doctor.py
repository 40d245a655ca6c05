"""The check of this machine, as the page shows the doctor's report."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.ui.models import EVIL, no_sideways_scroll, panel, visit_panel
from tests.ui.serving import Served

pytestmark = [pytest.mark.browser, pytest.mark.accept]

DOCTOR = "#/doctor"


def line(name: str, status: str = "ok", **more: str) -> dict[str, str]:
    return {
        "name": name,
        "status": status,
        "summary": f"{name} it is",
        "detail": "",
        "fix": "",
    } | more


REPORT = {
    "status": "problem",
    "checks": [
        line("system"),
        line("memory", "warning", fix="Close other programs.", detail="Little is free."),
        line("python"),
        line("openmp"),
        line("data folder", "problem", fix="Choose another folder."),
        line("models", detail="Fine details."),
    ],
}


@pytest.fixture(scope="module")
def app(tmp_path_factory) -> Iterator[Served]:
    with Served(tmp_path_factory.mktemp("doctor")) as served:
        yield served


def visit_doctor(page: Page, app: Served, report: Any = REPORT) -> Page:
    page.route("**/api/doctor", lambda route: route.fulfill(json=report))
    return visit_panel(page, app, DOCTOR)


def row(page: Page, name: str):
    found = page.locator(".qc-check-row")
    return found.filter(has=page.locator(".qc-check-name", has_text=name))


def test_the_real_report_is_shown_in_its_groups(new_page, app):
    page = visit_panel(new_page(), app, DOCTOR)
    expect(panel(page).get_by_text("Looking at this machine.")).to_be_visible()
    expect(row(page, "processor")).to_be_visible(timeout=60_000)
    expect(panel(page).get_by_text("Looking at this machine.")).to_be_hidden()
    for group in ("Machine", "Installation", "Surroundings of the engine", "Data, port and models"):
        expect(panel(page).get_by_role("heading", name=group, exact=True)).to_be_visible()
    expect(row(page, "database")).to_contain_text("whole")


def test_each_line_has_a_word_and_an_icon_and_what_to_do(new_page, app):
    page = visit_doctor(new_page(), app)
    expect(page.locator(".qc-doctor-summary")).to_have_text("1 problem and 1 warning")
    expect(panel(page)).to_contain_text("Each failure is explained in docs/cpu-guide.md.")
    for name, word in (("system", "ok"), ("memory", "warning"), ("data folder", "problem")):
        status = row(page, name).locator(".qc-check-status")
        expect(status).to_have_text(word)
        expect(status.locator("svg")).to_have_count(1)
    expect(row(page, "memory")).to_contain_text("Little is free.")
    expect(row(page, "memory")).to_contain_text("What to do: Close other programs.")
    expect(row(page, "models")).not_to_contain_text("Fine details.")


def test_what_needs_somebody_stands_first(new_page, app):
    page = visit_doctor(new_page(), app)
    expect(panel(page).locator(".qc-doctor-groups h3")).to_have_text(
        [
            "What to look at",
            "Machine",
            "Installation",
            "Surroundings of the engine",
            "Data, port and models",
        ]
    )
    expect(page.locator(".qc-check-name").first).to_have_text("memory")


def test_all_in_order_is_said_so(new_page, app):
    page = visit_doctor(new_page(), app, {"status": "ok", "checks": [line("system")]})
    expect(page.locator(".qc-doctor-summary")).to_have_text("Everything is in order.")
    expect(page.get_by_text("docs/cpu-guide.md")).to_be_hidden()


def test_it_is_checked_again_on_request(new_page, app):
    page = visit_doctor(new_page(), app)
    expect(row(page, "memory")).to_be_visible()
    page.unroute("**/api/doctor")
    fine = {"status": "ok", "checks": [line("memory")]}
    page.route("**/api/doctor", lambda route: route.fulfill(json=fine))
    page.get_by_role("button", name="Check again").click()
    expect(page.locator(".qc-doctor-summary")).to_have_text("Everything is in order.")


def test_it_is_not_made_again_by_moving_between_tabs(new_page, app):
    page = visit_doctor(new_page(), app)
    expect(row(page, "memory")).to_be_visible()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowRight")
    expect(row(page, "memory")).to_be_visible()
    assert not [url for url in asked if "doctor" in url]


def test_the_report_is_copied_as_text(new_page, app):
    page = new_page(permissions=["clipboard-read", "clipboard-write"])
    visit_doctor(page, app)
    page.get_by_role("button", name="Copy as text").click()
    expect(page.locator(".qc-toast")).to_have_text("Copied the report.")
    text = page.evaluate("navigator.clipboard.readText()")
    assert text.splitlines()[:4] == [
        "ok      system        system it is",
        "warning memory        memory it is",
        "                      Little is free.",
        "                      -> Close other programs.",
    ]


def test_a_check_that_fails_says_why_and_can_be_made_again(new_page, app):
    page = new_page()
    page.route("**/api/doctor", lambda route: route.abort())
    visit_panel(page, app, DOCTOR)
    expect(panel(page).get_by_role("alert").last).to_contain_text("The server was not reached.")
    expect(page.get_by_role("button", name="Check again")).to_be_enabled()


def test_a_report_with_markup_stays_text(new_page, app):
    checks = [line(EVIL, "problem", summary=EVIL, detail=EVIL, fix=EVIL)]
    page = visit_doctor(new_page(), app, {"status": "problem", "checks": checks})
    expect(page.locator(".qc-check-row")).to_contain_text(f"What to do: {EVIL}")
    assert page.evaluate("window.hit") is None
    assert panel(page).locator("img").count() == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_report_fits_a_phone(new_page, app, scheme):
    checks = [line("long", "warning", summary="/very" * 60, fix="word " * 60)]
    page = new_page(390, 844, scheme, has_touch=True, is_mobile=True)
    visit_doctor(page, app, {"status": "warning", "checks": checks})
    expect(row(page, "long")).to_be_visible()
    no_sideways_scroll(page, "#models-doctor .qc-models-scroll", "#models-panel")
