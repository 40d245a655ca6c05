"""Input methods: no key of a composition ever sends, searches, renames, saves or closes.

The compositions are real ones, driven through the browser's own input method interface, and
so are the keys: the browser gives them to the page as it does while somebody picks a
candidate. What only Safari does (the end of a composition first, then its Enter) is played.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import CDPSession, Locator, Page, Request, expect

from tests.ui.pages import QUESTION, answer, ask, open_settings, setting, visit
from tests.ui.serving import Served

pytestmark = pytest.mark.browser

long = pytest.mark.accept

SPELLED = "ni'hao"
MEANT = "你好"


@pytest.fixture(scope="module")
def app(tmp_path_factory) -> Iterator[Served]:
    with Served(tmp_path_factory.mktemp("ime")) as served:
        served.says("Fine.")
        yield served


class Composing:
    """An input method in one field, and what the page asked of the server meanwhile."""

    def __init__(self, page: Page, field: Locator) -> None:
        self.page = page
        self.field = field
        self.asked: list[str] = []
        self._session: CDPSession = page.context.new_cdp_session(page)
        page.on("request", self._keep)

    def _keep(self, request: Request) -> None:
        # Counting what is typed changes nothing.
        if "/api/" in request.url and "/api/measure" not in request.url:
            self.asked.append(f"{request.method} {request.url}")

    def spell(self) -> None:
        """Type letters that are not text yet."""
        self.field.focus()
        end = len(SPELLED)
        self._session.send(
            "Input.imeSetComposition",
            {"text": SPELLED, "selectionStart": end, "selectionEnd": end},
        )

    def key(self, name: str, code: int) -> None:
        """A key that went to the input method: code 229, or its own with isComposing."""
        event = {"key": name, "code": name, "windowsVirtualKeyCode": code}
        self._session.send("Input.dispatchKeyEvent", {"type": "rawKeyDown", **event})
        self._session.send("Input.dispatchKeyEvent", {"type": "keyUp", **event})

    def choose(self) -> None:
        """Put the chosen words in place of the letters."""
        self._session.send("Input.insertText", {"text": MEANT})

    def safari(self, name: str) -> bool:
        """The key that ends a composition, right after its end; False: its default is gone."""
        return self.field.evaluate(
            """(field, key) => {
                field.dispatchEvent(new CompositionEvent("compositionend", {bubbles: true}));
                return field.dispatchEvent(new KeyboardEvent("keydown",
                    {key, keyCode: key === "Enter" ? 13 : 27, bubbles: true, cancelable: true}));
            }""",
            name,
        )

    def whole(self) -> None:
        """A composition with every key that could act, and nothing asked of the server."""
        address = self.page.url
        self.asked.clear()
        self.spell()
        for name, code in (("Enter", 229), ("Escape", 229), ("Enter", 13), ("Escape", 27)):
            self.key(name, code)
        self.key("ArrowDown", 229)
        # Longer than anything waits before it searches or saves what was typed.
        self.page.wait_for_timeout(600)
        expect(self.field).to_be_focused()
        assert self.page.url == address
        assert self.asked == [], "half a word is no text"
        assert SPELLED in self.field.input_value()


def still_there(composing: Composing, text: str = MEANT) -> None:
    """What stays after Safari's keys: the field, its text, and where the page is."""
    address = composing.page.url
    composing.safari("Escape")
    composing.safari("Enter")
    composing.page.wait_for_timeout(200)
    expect(composing.field).to_be_focused()
    expect(composing.field).to_have_value(text)
    assert composing.page.url == address


def test_composing_a_message_sends_nothing(new_page, app):
    page = visit(new_page(), app)
    composing = Composing(page, page.locator("#message-box"))
    composing.whole()
    composing.choose()
    still_there(composing)
    expect(page.locator(QUESTION)).to_have_count(0)
    assert composing.asked == []
    page.keyboard.press("Enter")
    expect(page.locator(QUESTION)).to_have_text(MEANT)


@long
def test_composing_in_an_edited_question_neither_sends_nor_cancels(new_page, app):
    page = visit(new_page(), app)
    ask(page, "Hello")
    page.locator(QUESTION).hover()
    page.locator(QUESTION).get_by_role("button", name="Edit", exact=True).click()
    composing = Composing(page, page.locator(".qc-edit-box"))
    composing.field.fill("")
    composing.whole()
    composing.choose()
    still_there(composing)
    assert composing.asked == []
    page.keyboard.press("Enter")
    expect(page.locator(QUESTION)).to_contain_text(MEANT)
    expect(page.locator(".qc-edit-box")).to_have_count(0)


@long
def test_composing_in_an_edited_answer_neither_saves_nor_cancels(new_page, app):
    page = visit(new_page(), app)
    ask(page, "Hello")
    answer(page).get_by_role("button", name="Edit", exact=True).click()
    composing = Composing(page, page.locator(".qc-edit-box"))
    composing.field.fill("")
    composing.whole()
    composing.choose()
    still_there(composing)
    assert composing.asked == []
    page.keyboard.press("Escape")
    expect(page.locator(".qc-edit-box")).to_have_count(0)
    expect(answer(page)).to_contain_text("Fine.")


@long
def test_composing_a_title_neither_renames_nor_cancels(new_page, app):
    page = visit(new_page(), app)
    ask(page, "A title to be changed")
    row = page.locator(".qc-row", has=page.locator("[aria-current=page]"))
    row.locator("a").focus()
    page.keyboard.press("F2")
    composing = Composing(page, page.locator(".qc-rename"))
    composing.field.fill("")
    composing.whole()
    composing.choose()
    still_there(composing)
    assert composing.asked == []
    page.keyboard.press("Enter")
    expect(row.locator(".qc-conversation-title")).to_have_text(MEANT)


@long
def test_composing_a_search_searches_for_no_half_words(new_page, app):
    page = visit(new_page(), app)
    ask(page, f"{MEANT}, what is this?")
    page.locator("#new-chat").click()
    composing = Composing(page, page.locator("#conversation-search"))
    composing.whole()
    composing.choose()
    expect(page.locator(".qc-row mark").first).to_have_text(MEANT)
    assert all("ni'hao" not in one and "ni%27hao" not in one for one in composing.asked)
    still_there(composing)
    page.keyboard.press("Enter")
    page.wait_for_url("**#/c/**")


@long
@pytest.mark.parametrize("name", ["system_prompt", "stop"])
def test_composing_a_setting_saves_no_half_words(new_page, app, name):
    page = visit(new_page(), app)
    ask(page, "Hello")
    open_settings(page)
    field = setting(page, name)
    if not field.is_visible():
        page.locator("#settings-panel summary, #settings-panel [aria-expanded=false]").last.click()
    composing = Composing(page, field)
    composing.whole()
    composing.choose()
    page.wait_for_timeout(700)
    assert any(one.startswith("PATCH") for one in composing.asked), "the words themselves are kept"
    still_there(composing)


@long
def test_composing_a_filter_of_models_closes_nothing(new_page, app):
    page = visit(new_page(), app, "#/models/get")
    composing = Composing(page, page.locator("#model-filter"))
    expect(page.locator("#models-get .qc-groups")).not_to_be_empty()
    before = page.locator("#models-get .qc-groups").inner_text()
    composing.whole()
    assert page.locator("#models-get .qc-groups").inner_text() == before
    composing.choose()
    still_there(composing)
    expect(page.locator("#models-get .qc-models-none")).to_be_visible()


@long
def test_composing_the_name_of_a_model_checks_nothing(new_page, app):
    page = visit(new_page(), app, "#/models/get")
    composing = Composing(page, page.locator("#model-id"))
    composing.whole()
    composing.choose()
    still_there(composing)
    assert composing.safari("Enter") is False, "the browser would send the form"
    assert composing.asked == []
    page.wait_for_timeout(50)
    page.keyboard.press("Enter")
    expect(page.locator("#models-get [role=alert]:visible, #model-checked")).not_to_have_count(0)
    assert [one for one in composing.asked if "check" in one], composing.asked


@long
def test_escape_while_composing_leaves_a_drawer_open(new_page, app):
    page = visit(new_page(390, 844), app)
    page.locator("#toggle-sidebar").click()
    composing = Composing(page, page.locator("#conversation-search"))
    composing.whole()
    expect(page.locator("#conversation-search")).to_be_visible()
