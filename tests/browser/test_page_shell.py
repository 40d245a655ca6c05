"""The page as a whole: what it asks for, how it looks first, and who can use it."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect

from tests.ui.pages import ask, open_settings, visit
from tests.ui.serving import Served

pytestmark = pytest.mark.browser

HANDLES = (
    "message-box",
    "send",
    "stop",
    "chat",
    "new-chat",
    "conversation-list",
    "conversation-search",
    "system-prompt",
    "settings-panel",
    "status",
    "model-picker",
)


@pytest.fixture(scope="module")
def app(tmp_path_factory) -> Iterator[Served]:
    with Served(tmp_path_factory.mktemp("shell")) as served:
        yield served


def test_the_stable_handles_exist_on_the_right_elements(new_page, app):
    page = visit(new_page(), app)
    open_settings(page)
    kinds = {
        name: page.evaluate("(id) => document.getElementById(id)?.tagName", name)
        for name in HANDLES
    }
    assert None not in kinds.values()
    assert kinds["message-box"] == kinds["system-prompt"] == "TEXTAREA"
    assert kinds["send"] == kinds["stop"] == kinds["new-chat"] == "BUTTON"
    assert kinds["conversation-search"] == "INPUT"
    ask(page, "Hello")
    for message in page.locator(".qc-message").all():
        assert message.get_attribute("data-role") in ("user", "assistant")
        assert message.get_attribute("data-state") == "done"
        assert message.get_attribute("data-message-id")


def test_the_page_asks_no_other_origin_and_everything_it_asks_for_exists(new_page, app):
    page = new_page()
    hosts: set[str] = set()
    bad: list[str] = []
    page.on("request", lambda request: hosts.add(urlsplit(request.url).netloc))
    page.on("websocket", lambda socket: hosts.add(urlsplit(socket.url).netloc))
    page.on("response", lambda answer: bad.extend([answer.url] * (answer.status >= 400)))
    visit(page, app)
    open_settings(page)
    ask(page, "Hello")
    page.wait_for_timeout(500)
    assert hosts - {""} == {urlsplit(app.url).netloc}
    assert bad == []


def test_gradio_keeps_no_connection_open(new_page, app):
    page = new_page()
    running: set[str] = set()
    page.on("request", lambda request: running.add(request.url))
    page.on("requestfinished", lambda request: running.discard(request.url))
    page.on("requestfailed", lambda request: running.discard(request.url))
    visit(page, app)
    ask(page, "Hello")
    page.wait_for_timeout(1000)
    assert running == set()
    assert page.evaluate("window.gradio_config.connect_heartbeat") is False


def test_nothing_of_gradios_own_look_is_left(new_page, app):
    page = visit(new_page(), app)
    for text in ("Built with", "Use via API", "Gradio"):
        assert page.get_by_text(text).count() == 0
    assert page.locator("footer:visible").count() == 0


def test_gradio_stores_no_runs_and_reports_nothing(new_page, app):
    page = visit(new_page(), app)
    config = page.evaluate("window.gradio_config")
    assert not config.get("analytics_enabled")
    assert not config.get("run_history")


@pytest.mark.parametrize(("system", "chosen"), [("light", "Dark"), ("dark", "Light")])
def test_the_theme_is_remembered_and_does_not_flash(new_page, app, system, chosen):
    page = visit(new_page(color_scheme=system), app)
    dark = chosen == "Dark"
    page.get_by_role("radio", name=chosen, exact=True).click()
    assert page.evaluate("document.body.classList.contains('dark')") is dark
    page.add_init_script(
        """window.seen = new Set();
        const look = () => {
            if (document.body) window.seen.add(getComputedStyle(document.body).backgroundColor);
            requestAnimationFrame(look);
        };
        look();"""
    )
    page.reload()
    expect(page.locator("#message-box")).to_be_visible(timeout=10_000)
    page.wait_for_timeout(300)
    assert page.evaluate("[...window.seen]") == [
        "rgb(26, 26, 28)" if dark else "rgb(251, 251, 250)"
    ]
    page.get_by_role("radio", name="Same as system").click()
    assert page.evaluate("document.body.classList.contains('dark')") is (system == "dark")


def test_the_system_theme_is_followed_while_the_page_is_open(new_page, app):
    page = visit(new_page(color_scheme="light"), app)
    page.emulate_media(color_scheme="dark")
    page.wait_for_function("document.body.classList.contains('dark')")
    assert page.evaluate("document.documentElement.classList.contains('dark')")


def unnamed(page: Page) -> list[str]:
    return page.evaluate(
        """() => [...document.querySelectorAll("#qc-app :is(button, input, textarea, a)")]
            .filter((node) => !(node.ariaLabel || node.textContent.trim() || node.labels?.length))
            .map((node) => node.outerHTML)"""
    )


def test_everything_that_can_be_used_has_a_name(new_page, app):
    page = visit(new_page(), app)
    open_settings(page)
    ask(page, "Hello")
    assert unnamed(page) == []


def test_the_keyboard_reaches_everything_and_shows_where_it_is(new_page, app):
    page = visit(new_page(), app)
    ask(page, "Hello")
    page.locator("#message-box").blur()
    reached = set()
    for _ in range(40):
        page.keyboard.press("Tab")
        reached.add(
            page.evaluate(
                """() => {
                    const node = document.activeElement;
                    const ring = getComputedStyle(node).outlineStyle !== "none"
                        || node.closest(".qc-search, .qc-composer-box");
                    const name = node.id || node.ariaLabel || node.className || node.tagName;
                    return ring || node === document.body ? name : "no ring: " + name;
                }"""
            )
        )
    assert [name for name in reached if name.startswith("no ring")] == []
    wanted = {
        "new-chat",
        "conversation-search",
        "model-picker",
        "chat",
        "message-box",
        "Regenerate",
    }
    assert wanted <= reached


def test_closed_panels_are_out_of_the_tab_order(new_page, app):
    page = visit(new_page(), app)
    assert not page.locator("#settings-panel").evaluate("node => node.inert")
    page.get_by_role("button", name="Hide settings").click()
    assert page.locator("#settings-panel").evaluate("node => node.inert")
    open_settings(page)
    assert not page.locator("#settings-panel").evaluate("node => node.inert")


def contrast(one: str, other: str) -> float:
    def light(colour: str) -> float:
        parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    high, low = sorted((light(one), light(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_colour_can_be_read_on_every_ground(new_page, app, scheme):
    page = visit(new_page(color_scheme=scheme), app)
    colours = page.evaluate(
        """(names) => Object.fromEntries(names.map((name) =>
            [name, getComputedStyle(document.body).getPropertyValue(`--qc-${name}`).trim()]))""",
        [
            "page",
            "side",
            "field",
            "bubble",
            "text",
            "secondary",
            "accent",
            "on-accent",
            "failed",
            "warning",
        ],
    )
    for ground in ("page", "side", "field"):
        for text in ("text", "secondary", "accent", "failed", "warning"):
            assert contrast(colours[text], colours[ground]) >= 4.5, (text, ground)
    assert contrast(colours["on-accent"], colours["accent"]) >= 4.5


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (800, 600), (390, 844), (320, 640)])
def test_nothing_sticks_out_at_any_width(new_page, app, width, height):
    page = visit(new_page(width, height), app)
    app.says("| a | b |\n|---|---|\n| " + "wide " * 60 + " | " + "x" * 300 + " |\n\n" + "y" * 400)
    ask(page, "z" * 500)
    assert page.evaluate("document.documentElement.scrollWidth") == width
    chat = page.locator("#chat")
    assert chat.evaluate("node => node.scrollWidth - node.clientWidth") <= 0


def test_nothing_moves_when_motion_is_reduced(new_page, app):
    page = visit(new_page(reduced_motion="reduce"), app)
    moving = page.evaluate(
        "() => document.getAnimations().filter((one) => one.playState === 'running').length"
    )
    assert moving == 0


def test_the_page_is_idle_when_nothing_happens(new_page, app):
    """Without a GPU every frame is drawn by the processor, which belongs to the model."""
    page = new_page()
    page.add_init_script(
        """window.frames_asked = 0;
        const schedule = window.requestAnimationFrame;
        window.requestAnimationFrame = (callback) => {
            window.frames_asked += 1;
            return schedule(callback);
        };"""
    )
    visit(page, app)
    ask(page, "Hello")
    page.wait_for_timeout(5000)  # Gradio's loading screen swings out
    page.evaluate("window.frames_asked = 0")
    page.wait_for_timeout(2000)
    assert page.evaluate("window.frames_asked") <= 4
    assert page.evaluate("document.getAnimations().length") == 0


def test_a_component_rendered_anew_gets_its_part_back_as_it_was(new_page, app):
    page = visit(new_page(), app)
    page.locator("#message-box").fill("half a thought")
    page.evaluate(
        """async () => {
            const {mount} = await import("/assets/js/main.js");
            const place = document.querySelector("#qc-composer .html-container > div");
            place.innerHTML = "";
            mount("composer", place);
        }"""
    )
    expect(page.locator("#message-box")).to_have_value("half a thought")
    page.locator("#message-box").press("Enter")
    expect(page.locator("[data-role=user]")).to_have_text("half a thought")
