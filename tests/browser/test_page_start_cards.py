"""The empty chat: personas to choose from, and the opening questions of one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.ui.pages import conversation_id, expect_state, visit
from tests.ui.serving import Served

pytestmark = pytest.mark.browser

ASSETS = Path(__file__).resolve().parents[2] / "assets"
BUILTIN = {one["id"]: one for one in json.loads((ASSETS / "personas.json").read_text("utf-8"))}
GUIDE = BUILTIN["guide"]


@pytest.fixture(scope="module")
def app(tmp_path_factory) -> Iterator[Served]:
    with Served(tmp_path_factory.mktemp("start")) as served:
        yield served


def who(page: Page, name: str) -> Locator:
    """A persona's button."""
    return page.locator(".qc-who", has_text=name)


@pytest.mark.parametrize(("locale", "language"), [("en-US", "en"), ("zh-CN", "zh")])
def test_an_empty_chat_offers_personas_and_the_questions_of_one(
    new_page, app, locale, language
) -> None:
    page = visit(new_page(locale=locale), app)
    for persona in BUILTIN.values():
        expect(who(page, persona["name"][language])).to_be_visible()
    cards = page.locator(".qc-start-card")
    expect(cards).to_have_text(BUILTIN["assistant"]["questions"][language])
    who(page, GUIDE["name"][language]).click()
    expect(cards).to_have_text(GUIDE["questions"][language])
    expect(page.locator("#system-prompt")).to_have_value(GUIDE["system_prompt"][language])
    expect(who(page, GUIDE["name"][language])).to_have_attribute("aria-pressed", "true")
    cards.first.click()
    expect_state(page, "done")
    request = app.engine.requests[-1]
    assert [(one.role, one.content) for one in request.messages] == [
        ("system", GUIDE["system_prompt"][language]),
        ("user", GUIDE["questions"][language][0]),
    ]
    assert request.sampling.temperature == GUIDE["sampling"]["temperature"]
    kept = app.run(app.web.chat.conversations.get(conversation_id(page)))
    assert kept.persona == "guide"


def test_the_simple_settings_claim_nothing_before_the_model_is_known(new_page, tmp_path) -> None:
    with Served(tmp_path, hold=True) as served:
        page = visit(new_page(), served)
        levels = page.locator(".qc-level")
        expect(levels).to_have_text(["–", "–"])
        served.call(served.engine.become_ready)
        expect(levels).to_have_text(["Balanced", "Normal"])
