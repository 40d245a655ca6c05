"""Demo mode (``--demo``): what an audience sees, and what is left of it afterwards."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.ui.pages import answer, ask, conversation_id, send, visit
from tests.ui.serving import Served

pytestmark = [pytest.mark.browser, pytest.mark.accept]


@pytest.fixture(scope="module")
def app(tmp_path_factory) -> Iterator[Served]:
    with Served(tmp_path_factory.mktemp("demo"), demo=True) as served:
        yield served


@pytest.fixture
def page(new_page, app) -> Page:
    app.says("Fine.")
    return visit(new_page(), app)


def test_only_the_chat_is_shown_in_large_type(page):
    for hidden in ("#qc-sidebar", "#settings-panel", "#toggle-settings", "#toggle-sidebar"):
        expect(page.locator(hidden)).to_be_hidden()
    ask(page, "Hello")
    size = answer(page).locator("p").first.evaluate("node => getComputedStyle(node).fontSize")
    assert float(size.removesuffix("px")) >= 20
    expect(page.locator("#temporary-line")).to_be_hidden()
    expect(page.locator("#demo-new-chat")).to_be_visible()


def test_the_type_is_large_on_the_empty_page_with_start_cards(page):
    expect(page.get_by_role("group", name="Things to try").get_by_role("button")).to_have_count(4)
    assert (
        page.locator("#message-box").evaluate("node => parseFloat(getComputedStyle(node).fontSize)")
        >= 20
    )


def test_every_chat_has_the_same_seed_and_is_not_written(page, app):
    ask(page, "First")
    assert app.engine.requests[-1].sampling.seed == 1
    found = app.run(app.web.chat.conversations.get(conversation_id(page)))
    assert found.temporary
    page.locator("#demo-new-chat").click()
    expect(page.locator(".qc-empty")).to_be_visible(timeout=20_000)
    ask(page, "Second")
    assert app.engine.requests[-1].sampling.seed == 1
    assert app.web.chat.conversations.summaries.get(found.id) is None


def test_a_new_chat_resets_everything(page, app):
    app.says("One two three four five six seven eight nine ten. " * 40, 0.02)
    send(page, "Go on")
    expect(answer(page)).to_contain_text("three")
    conversation = conversation_id(page)
    page.locator("#message-box").fill("half a thought")
    page.locator("#demo-new-chat").click()
    expect(page.locator(".qc-empty")).to_be_visible(timeout=20_000)
    expect(page.locator("#message-box")).to_have_value("")
    expect(page.locator(".qc-message")).to_have_count(0)
    assert "#" not in page.url
    assert not app.web.chat.is_running(conversation)
    assert (
        page.evaluate("() => Object.keys(localStorage).filter(k => k.startsWith('qwenchat.'))")
        == []
    )


def test_a_refresh_goes_on_with_the_chat(page):
    ask(page, "Hello again")
    page.reload()
    expect(page.locator(".qc-message")).to_have_count(2, timeout=20_000)
