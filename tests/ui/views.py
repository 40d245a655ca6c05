"""Every view of the page, each with the steps that lead to it: one list for all who need one.

A view begins on the page as :func:`tests.ui.pages.visit` leaves it, at any width, and is put
away again with :func:`leave`; so one page can be shown them all, one after the other.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from playwright.sync_api import Page, expect

from qwenchat.errors import EngineDied, EngineStartFailed
from tests.ui.exports import conversation, seed
from tests.ui.pages import QUESTION, answer, expect_state, send, visit
from tests.ui.serving import Served

RICH = """Guangzhou is best seen on foot. A **short plan** for one day:

1. Morning tea in *Liwan*, then Shamian Island
2. The Chen Clan Hall, with its carvings
3. The river at night

| Place | Opens | Price |
|---|---:|---:|
| Chen Clan Hall | 8:30 | $2 |
| Canton Tower | 9:30 | $22 |

> Take the metro; line 1 stops at all of these.

```python
def route(places: list[str]) -> str:
    \"\"\"The way in one line.\"\"\"
    return " → ".join(places)  # in order
```

The shortest way through $n$ places takes \\(O(n!)\\) to find by trying:

\\[ d = \\sum_{i=1}^{n} |p_i - p_{i-1}| \\]

See `route` above, or [the map](https://example.com/map).
"""
RICH_PIECES = tuple(RICH[at : at + 12] for at in range(0, len(RICH), 12))
REASON = "The engine could not start: out of memory. Close other programs and press Restart."

REPORT = {
    "status": "problem",
    "checks": [
        {"name": name, "status": status, "summary": said, "detail": "Details.", "fix": fix}
        for name, status, said, fix in (
            ("processor", "ok", "4 cores with AVX-512", ""),
            ("memory", "warning", "2 GB are free", "Close other programs."),
            ("data folder", "problem", "It cannot be written", "Choose another folder."),
        )
    ],
}

Steps = Callable[[Page, Served], None]


@dataclass(frozen=True, slots=True)
class View:
    """One view: its name, and what is done to see it."""

    name: str
    show: Steps


def is_narrow(page: Page) -> bool:
    """Whether the side bars are drawers in this window."""
    return page.evaluate("innerWidth < 800")


def open_sidebar(page: Page) -> None:
    """Have the list of conversations in view, as a drawer where the window is narrow."""
    if not page.locator("#new-chat").is_visible():
        page.locator("#toggle-sidebar").click()
    expect(page.locator("#new-chat")).to_be_visible()


def _empty(page: Page, app: Served) -> None:
    expect(page.locator(".qc-empty")).to_be_visible()


def chat(page: Page, app: Served) -> None:
    """A chat with an answer of all kinds of content."""
    app.says(*RICH_PIECES, delay=0.0)
    send(page, "What can I see in Guangzhou in one day?")
    expect_state(page, "done")
    expect(answer(page).locator(".katex").first).to_be_attached()


def _waiting(page: Page, app: Served) -> None:
    app.says("Never.", delay=30, prefill_steps=60, prefill_delay=1.0, prompt_tokens=6000)
    send(page, "A long document")
    expect(answer(page)).to_contain_text("Reading")


def _streaming(page: Page, app: Served) -> None:
    app.says(*RICH_PIECES[:40], *("more " for _ in range(400)), delay=0.05)
    send(page, "What can I see in Guangzhou in one day?")
    expect(answer(page).locator("table")).to_be_visible()


def _failed_answer(page: Page, app: Served) -> None:
    app.says("Half an", " answer", error=EngineDied("The engine was stopped: out of memory."))
    send(page, "Will this work?")
    expect(answer(page).locator(".qc-card")).to_be_visible()


def _failed_engine(page: Page, app: Served) -> None:
    app.call(app.engine.fail, EngineStartFailed(REASON))
    expect(page.locator(".qc-empty")).to_contain_text(REASON)


def _lost(page: Page, app: Served) -> None:
    app.run(app.wire.cut())
    expect(page.locator(".qc-banner")).to_be_visible(timeout=10_000)


def _missing(page: Page, app: Served) -> None:
    page.evaluate("location.hash = '#/c/gone'")
    expect(page.get_by_text("This conversation does not exist")).to_be_visible()


def _settings(page: Page, app: Served) -> None:
    if not page.locator("#system-prompt").is_visible():
        page.locator("#toggle-settings").click()
    expect(page.locator("#system-prompt")).to_be_visible()


def _sidebar(page: Page, app: Served) -> None:
    open_sidebar(page)
    expect(page.locator("#conversation-list a").first).to_be_visible()


def _search(page: Page, app: Served) -> None:
    open_sidebar(page)
    page.locator("#conversation-search").fill("Guangzhou")
    expect(page.locator("#conversation-list mark").first).to_be_visible()


def _renaming(page: Page, app: Served) -> None:
    open_sidebar(page)
    page.locator("#conversation-list a").first.focus()
    page.keyboard.press("F2")
    expect(page.locator(".qc-rename")).to_be_visible()


def _row_menu(page: Page, app: Served) -> None:
    open_sidebar(page)
    page.locator(".qc-row").filter(has=page.locator("a")).first.hover()
    page.locator(".qc-row-more").first.click()
    expect(page.get_by_role("menu")).to_be_visible()


def _transfer_menu(page: Page, app: Served) -> None:
    open_sidebar(page)
    page.get_by_role("button", name="Import and export").click()
    expect(page.get_by_role("menu")).to_be_visible()


def _model_menu(page: Page, app: Served) -> None:
    page.locator("#model-picker").click()
    expect(page.get_by_role("menu")).to_be_visible()


def _message_menu(page: Page, app: Served) -> None:
    chat(page, app)
    answer(page).get_by_role("button", name="More", exact=True).click()
    expect(page.get_by_role("menu")).to_be_visible()


def _editing(page: Page, app: Served) -> None:
    chat(page, app)
    page.locator(QUESTION).hover()
    page.locator(QUESTION).get_by_role("button", name="Edit", exact=True).click()
    expect(page.locator(".qc-edit-box")).to_be_visible()


def _context(page: Page, app: Served) -> None:
    page.locator("#message-box").fill("How full is it?")
    page.locator("#context-meter").click()
    expect(page.locator("#meter-about")).to_be_visible()


def _shortcuts(page: Page, app: Served) -> None:
    page.locator("#chat").focus()
    page.keyboard.press("Shift+?")
    expect(page.locator("#shortcuts")).to_be_visible()


def _question(page: Page, app: Served) -> None:
    page.evaluate(
        """async () => {
            const { ask } = await import("/assets/js/ask.js");
            void ask({title: "Delete this model?", text: "It frees 1.2 GB.", yes: "Delete",
                danger: true});
        }"""
    )
    expect(page.locator("dialog.qc-ask")).to_be_visible()


def _toast(page: Page, app: Served) -> None:
    open_sidebar(page)
    page.locator("#conversation-list a").last.focus()
    page.keyboard.press("Delete")
    expect(page.locator(".qc-toast")).to_be_visible()


def _notice(page: Page, app: Served) -> None:
    page.evaluate(
        """async () => {
            const { state, emit } = await import("/assets/js/store.js");
            state.notices = [{id: "n", kind: "model", message: "The model before is back."}];
            emit("notices");
        }"""
    )
    expect(page.locator(".qc-notice-card")).to_be_visible()


def _panel(address: str, ready: str) -> Steps:
    def show(page: Page, app: Served) -> None:
        page.evaluate("(hash) => (location.hash = hash)", address)
        expect(page.locator(ready).first).to_be_visible(timeout=20_000)

    return show


def _doctor(page: Page, app: Served) -> None:
    # The real one takes up to a minute; what is looked at here is how each kind of line looks.
    page.route("**/api/doctor", lambda route: route.fulfill(json=REPORT))
    _panel("#/doctor", "#models-doctor .qc-check-row")(page, app)


VIEWS = (
    View("empty", _empty),
    View("chatting", chat),
    View("waiting", _waiting),
    View("streaming", _streaming),
    View("failed-answer", _failed_answer),
    View("failed-engine", _failed_engine),
    View("lost-connection", _lost),
    View("missing", _missing),
    View("settings", _settings),
    View("sidebar", _sidebar),
    View("search", _search),
    View("renaming", _renaming),
    View("row-menu", _row_menu),
    View("transfer-menu", _transfer_menu),
    View("model-menu", _model_menu),
    View("message-menu", _message_menu),
    View("editing", _editing),
    View("context", _context),
    View("shortcuts", _shortcuts),
    View("question", _question),
    View("toast", _toast),
    View("notice", _notice),
    View("models-here", _panel("#/models", "#models-here .qc-model-row")),
    View("models-get", _panel("#/models/get", "#models-get .qc-groups h3")),
    View("doctor", _doctor),
)


def furnish(app: Served) -> None:
    """Conversations for the list and the search; called once for an app."""
    titles = ("A day in Guangzhou", "Quick sort, explained", "三天游广州")
    seed(app, [conversation(title, f"{title}: what do you say?", RICH) for title in titles])


def leave(page: Page, app: Served) -> None:
    """Put a view away: the app as it was, and the page anew."""
    if not app.wire.is_open:
        app.run(app.wire.open())
    if app.engine.status.state == "failed":
        app.run(app.engine.restart())
    app.says("Fine.")
    page.unroute_all(behavior="ignoreErrors")
    page.goto("about:blank")
    visit(page, app)
