"""Files in messages: added, seen, cut to what fits, sent, and kept."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.files.samples import docx, locked_pdf, pdf
from tests.ui.files import chips, choose, drop, expect_ready, paste
from tests.ui.pages import QUESTION, ask, conversation_id, expect_state, visit
from tests.ui.serving import Served

pytestmark = [pytest.mark.browser, pytest.mark.accept]

CONTEXT = 4096
PAPER = pdf([f"Page {n}. " + "word " * 600 for n in range(1, 9)])
NOTES = "会议记录\nThe albatross sleeps.\n".encode("gb18030")
PNG = b"\x89PNG\r\n\x1a\n" + bytes(50)


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with Served(tmp_path_factory.mktemp("files"), context_length=CONTEXT) as served:
        yield served


@pytest.fixture
def page(new_page, app: Served) -> Page:
    app.says("Read.")
    return visit(new_page(), app)


def asked(app: Served) -> str:
    return app.engine.requests[-1].messages[-1].content


def sent_chips(page: Page):
    return page.locator(f"{QUESTION} .qc-file-chip")


def problem(page: Page):
    return page.locator(".qc-problem")


def box(page: Page):
    return page.locator("#message-box")


# ---- adding and sending


def test_a_chosen_file_is_a_chip_with_its_tokens_and_goes_along(page: Page, app: Served) -> None:
    choose(page, ("会议.txt", NOTES))
    expect_ready(page, 1)
    expect(chips(page)).to_contain_text("会议.txt")
    expect(chips(page)).to_contain_text("tokens")
    ask(page, "What sleeps?")
    assert asked(app) == (
        "File: 会议.txt\n```\n会议记录\nThe albatross sleeps.\n```\n\nWhat sleeps?"
    )
    expect(chips(page)).to_have_count(0)
    expect(sent_chips(page)).to_contain_text("会议.txt")
    expect(page.locator(f"{QUESTION} .qc-user-text")).to_have_text("What sleeps?")
    page.reload()
    expect(sent_chips(page)).to_contain_text("会议.txt")


def test_files_alone_can_be_sent_and_name_the_chat(page: Page, app: Served) -> None:
    expect(page.locator("#send")).to_be_disabled()
    choose(page, ("main.py", b"print(1)\n"), ("报告.docx", docx("One.")))
    expect_ready(page, 2)
    expect(page.locator("#send")).to_be_enabled()
    page.locator("#send").click()
    expect_state(page, "done")
    assert asked(app).startswith("File: main.py\n```py\nprint(1)\n```\n\nFile: 报告.docx\n")
    expect(page.locator(f"{QUESTION} .qc-bubble")).to_be_hidden()
    expect(page.locator("#conversation-list")).to_contain_text("main.py")


def test_files_dropped_onto_the_chat_are_added(page: Page) -> None:
    drop(page, "#chat", ("a.md", b"# One"), ("b.csv", b"x,y\n1,2\n"))
    expect_ready(page, 2)
    expect(page.locator(".qc-file-drop")).to_be_hidden()


def test_the_chat_says_where_files_can_be_dropped(page: Page) -> None:
    page.evaluate(
        """() => {
            const carried = new DataTransfer();
            carried.items.add(new File(["x"], "a.txt"));
            document.querySelector("#chat").dispatchEvent(new DragEvent("dragover",
                {dataTransfer: carried, bubbles: true, cancelable: true}));
        }"""
    )
    expect(page.get_by_text("Drop files to add them to the message")).to_be_visible()


def test_a_file_that_misses_every_place_does_not_replace_the_page(page: Page) -> None:
    drop(page, "#qc-settings-head, #settings-panel", ("a.txt", b"x"))
    expect(box(page)).to_be_visible()
    expect(chips(page)).to_have_count(0)


def test_pasted_files_are_added(page: Page) -> None:
    paste(page, files=(("shot.txt", b"words"),))
    expect_ready(page, 1)


def test_a_picture_beside_pasted_text_does_not_get_in_the_way(page: Page) -> None:
    paste(page, text="from Word", files=(("picture.png", PNG),))
    expect(box(page)).to_have_value("from Word")
    expect(chips(page)).to_have_count(0)


def test_long_pasted_text_stays_text_and_may_become_a_file(page: Page, app: Served) -> None:
    text = "\n".join(f"row {n}" for n in range(400))
    box(page).fill("Before: ")
    paste(page, text=text)
    expect(box(page)).to_have_value("Before: " + text)
    page.get_by_role("button", name="Keep them as a file").click()
    expect_ready(page, 1)
    expect(box(page)).to_have_value("Before: ")
    box(page).press("Enter")
    expect_state(page, "done")
    assert "row 399\n```\n\nBefore: " in asked(app)


# ---- what cannot be added


@pytest.mark.parametrize(
    ("name", "data", "says"),
    [
        ("locked.pdf", locked_pdf(), "locked with a password"),
        ("scan.pdf", pdf([""]), "only pictures"),
        ("noise.bin", bytes(range(256)) * 20, "is not text"),
        ("empty.txt", b"", "The file is empty"),
        ("cat.png", PNG, "cannot see pictures"),
    ],
)
def test_what_cannot_be_read_says_why(page: Page, name: str, data: bytes, says: str) -> None:
    box(page).fill("my words")
    choose(page, (name, data), ("good.txt", b"good"))
    expect(problem(page)).to_contain_text(says)
    expect_ready(page, 1)
    expect(chips(page)).to_contain_text("good.txt")
    expect(box(page)).to_have_value("my words")


def test_a_picture_is_refused_without_being_sent(page: Page) -> None:
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    drop(page, "#chat", ("cat.webp", PNG), kind="image/webp")
    expect(problem(page)).to_contain_text("cannot see pictures")
    assert not [url for url in requests if "/api/files" in url]


def test_an_upload_that_does_not_arrive_says_so(page: Page) -> None:
    page.route("**/api/files?*", lambda route: route.abort())
    choose(page, ("a.txt", b"words"))
    expect(problem(page)).to_be_visible()
    expect(chips(page)).to_have_count(0)


# ---- exports of conversations


EXPORT = json.dumps({"format": "qwenchat-conversations", "version": 1, "conversations": []})


def test_an_export_dropped_onto_the_chat_is_asked_about(page: Page) -> None:
    drop(page, "#chat", ("mine.json", EXPORT.encode()))
    dialog = page.get_by_role("dialog", name="Import mine.json?")
    dialog.get_by_role("button", name="Add to the message").click()
    expect_ready(page, 1)
    drop(page, "#chat", ("mine.json", EXPORT.encode()))
    dialog.get_by_role("button", name="Import").click()
    expect(page.locator("#import-card")).to_be_visible()
    expect(chips(page)).to_have_count(1)


def test_other_json_is_a_file_like_any(page: Page) -> None:
    drop(page, "#chat", ("data.json", b'{"a": 1}'))
    expect_ready(page, 1)


# ---- chips


def test_a_chip_can_be_removed_with_the_keyboard(page: Page) -> None:
    choose(page, ("one.txt", b"1"), ("two.txt", b"2"))
    expect_ready(page, 2)
    page.get_by_role("button", name="Remove one.txt").focus()
    page.keyboard.press("Enter")
    expect(chips(page)).to_have_count(1)
    expect(page.get_by_role("button", name="Show two.txt")).to_be_focused()
    page.get_by_role("button", name="Remove two.txt").press("Enter")
    expect(chips(page)).to_have_count(0)
    expect(box(page)).to_be_focused()


def test_what_happens_to_files_is_said_to_a_screen_reader(page: Page) -> None:
    news = page.locator(".qc-composer-files [role=status]")
    choose(page, ("one.txt", b"1"))
    expect(news).to_have_text("one.txt added")
    page.get_by_role("button", name="Remove one.txt").click()
    expect(news).to_have_text("one.txt removed")
    expect(page.get_by_role("button", name="Add files")).to_be_visible()


def test_a_message_waits_for_a_file_that_is_still_read(page: Page) -> None:
    held: list = []
    page.route("**/api/files?*", lambda route: held.append(route))
    box(page).fill("words")
    choose(page, ("slow.txt", b"1"))
    expect(page.locator("#send")).to_be_disabled()
    box(page).press("Enter")
    expect(page.locator("#composer-hint")).to_contain_text("still being read")
    expect(box(page)).to_have_value("words")
    held[0].continue_()
    expect_ready(page, 1)
    expect(page.locator("#send")).to_be_enabled()


def test_an_upload_can_be_cancelled(page: Page) -> None:
    page.route("**/api/files?*", lambda route: None)
    choose(page, ("slow.txt", b"1"))
    page.get_by_role("button", name="Cancel slow.txt").click()
    expect(chips(page)).to_have_count(0)
    expect(problem(page)).to_be_hidden()


def test_chips_are_kept_with_the_draft_over_a_reload_and_for_each_chat(
    page: Page, app: Served
) -> None:
    ask(page, "first chat")
    first = conversation_id(page)
    choose(page, ("draft.txt", b"draft words"))
    expect_ready(page, 1)
    page.locator("#new-chat").click()
    expect(chips(page)).to_have_count(0)
    choose(page, ("new.txt", b"other"))
    expect_ready(page, 1)
    page.goto(f"{app.url}#/c/{first}")
    expect(chips(page)).to_contain_text("draft.txt")
    page.reload()
    expect(chips(page)).to_contain_text("draft.txt")
    ask(page, "go")
    assert asked(app) == "File: draft.txt\n```\ndraft words\n```\n\ngo"
    page.locator("#new-chat").click()
    expect(chips(page)).to_contain_text("new.txt")


def test_a_file_that_is_gone_after_a_reload_says_so(page: Page, app: Served) -> None:
    choose(page, ("old.txt", b"old"))
    expect_ready(page, 1)
    app.run(app.web.chat.uploads.forget(-1))
    page.reload()
    expect(problem(page)).to_contain_text("old.txt is not here any more")
    expect(chips(page)).to_have_count(0)


def test_a_message_that_was_not_sent_gives_its_files_back(page: Page) -> None:
    ask(page, "first")
    page.route("**/messages", lambda route: route.abort())
    choose(page, ("a.txt", b"words"))
    expect_ready(page, 1)
    box(page).fill("second")
    box(page).press("Enter")
    expect(problem(page)).to_be_visible()
    expect(box(page)).to_have_value("second")
    expect(chips(page)).to_contain_text("a.txt")


def test_nothing_of_a_temporary_chats_files_is_in_the_browsers_storage(page: Page) -> None:
    page.locator("#temporary-chat").click()
    choose(page, ("secret.txt", b"secret"))
    expect_ready(page, 1)
    stored = page.evaluate("JSON.stringify([{...localStorage}, {...sessionStorage}])")
    assert "secret" not in stored
    ask(page, "words")
    expect(sent_chips(page)).to_contain_text("secret.txt")


def test_an_edited_message_keeps_its_files(page: Page, app: Served) -> None:
    choose(page, ("a.txt", b"words"))
    expect_ready(page, 1)
    ask(page, "one")
    page.locator(QUESTION).hover()
    page.locator(f"{QUESTION} .qc-action.edit").click()
    page.locator(".qc-edit-box").fill("two")
    page.locator(".qc-edit-box").press("Enter")
    expect(page.locator(f"{QUESTION} .qc-user-text")).to_have_text("two")
    expect_state(page, "done")
    assert asked(app) == "File: a.txt\n```\nwords\n```\n\ntwo"
    expect(sent_chips(page)).to_have_count(1)


# ---- the sheet, and what does not fit


def test_a_sent_file_can_be_read_with_its_part_marked(page: Page) -> None:
    choose(page, ("a.txt", b"one\ntwo\nthree\nfour"))
    expect_ready(page, 1)
    page.get_by_role("button", name="Show a.txt").click()
    sheet = page.get_by_role("dialog", name="a.txt")
    sheet.get_by_label("Lines: From").first.fill("2")
    sheet.get_by_label("Lines: to").first.fill("3")
    sheet.get_by_label("Lines: to").first.press("Tab")
    expect(sheet.locator(".qc-preview-chosen")).to_have_text("two\nthree\n")
    page.keyboard.press("Escape")
    expect(sheet).to_have_count(0)
    expect(page.get_by_role("button", name="Show a.txt")).to_be_focused()
    expect(chips(page)).to_contain_text("lines 2 to 3 of 4")
    ask(page, "Which?")
    sent_chips(page).get_by_role("button").click()
    expect(sheet.locator(".qc-preview-chosen")).to_have_text("two\nthree\n")
    expect(sheet.locator(".qc-preview-range")).to_have_count(0)


def test_a_file_that_is_too_long_says_so_and_offers_its_beginning(page: Page, app: Served) -> None:
    choose(page, ("paper.pdf", PAPER))
    expect_ready(page, 1)
    box(page).fill("Sum it up.")
    row = page.locator(".qc-overflow")
    expect(row).to_contain_text("too long for the model")
    expect(chips(page)).to_contain_text("of 4,096 tokens")
    expect(page.locator("#send")).to_be_disabled()
    row.get_by_role("button", name="The beginning that fits").click()
    expect(chips(page)).to_contain_text("pages 1 to ")
    expect(row).to_be_hidden()
    expect(page.locator("#send")).to_be_enabled()
    box(page).press("Enter")
    expect_state(page, "done")
    assert "Page 1. " in asked(app) and "Page 8. " not in asked(app)
    assert asked(app).startswith("File: paper.pdf (pages 1 to ")


def test_pages_are_chosen_with_both_ends_and_a_live_count(page: Page) -> None:
    choose(page, ("paper.pdf", PAPER))
    expect_ready(page, 1)
    page.locator(".qc-overflow").get_by_role("button", name="Choose a part").click()
    sheet = page.get_by_role("dialog", name="paper.pdf")
    live = sheet.locator(".qc-range-live")
    expect(live).to_contain_text("8 pages")
    expect(live).to_contain_text("does not fit")
    high = sheet.locator(".qc-range input").nth(1)
    high.focus()
    for _ in range(6):
        page.keyboard.press("ArrowLeft")
    expect(live).to_contain_text("pages 1 to 2 of 8")
    expect(live).to_contain_text("fits")
    sheet.locator(".qc-range input").first.focus()
    page.keyboard.press("ArrowRight")
    expect(live).to_contain_text("page 2 of 8")
    expect(sheet.locator(".qc-preview-chosen")).to_contain_text("Page 2. word")
    sheet.get_by_role("button", name="All of it").click()
    expect(live).to_contain_text("8 pages")


def test_what_cannot_fit_at_all_says_so(page: Page) -> None:
    box(page).fill("word " * 4000)
    choose(page, ("paper.pdf", PAPER))
    expect_ready(page, 1)
    page.locator(".qc-overflow").get_by_role("button", name="The beginning that fits").click()
    expect(problem(page)).to_contain_text("Not even its first part fits")


def test_markup_in_a_file_or_its_name_is_only_text(page: Page) -> None:
    evil = "<img src=x onerror='window.hit=1'>"
    choose(page, (f"{evil}.txt", f"{evil}<script>window.hit=2</script>".encode()))
    expect_ready(page, 1)
    page.locator(".qc-composer-files .qc-file-chip-main").click()
    expect(page.locator(".qc-preview-text")).to_contain_text("<script>")
    page.keyboard.press("Escape")
    ask(page, "Safe?")
    assert page.evaluate("window.hit") is None
