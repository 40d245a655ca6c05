"""Chinese and English: every view in one language, chosen by the browser or the person."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from qwenchat.engine.fake import LoadStage, Script
from qwenchat.errors import EngineDied, EngineStartFailed
from tests.api.model_worlds import WEIGHTS, installed
from tests.browser.conftest import NewPage
from tests.ui.leftovers import leftovers
from tests.ui.models import visit_panel
from tests.ui.pages import answer, ask, conversation_id, expect_state, send, visit
from tests.ui.seeding import fetch, seed
from tests.ui.serving import Served

pytestmark = [pytest.mark.browser, pytest.mark.accept]

CHINESE = {"locale": "zh-CN"}
DAY = 86_400
ENGINE_STOPPED = (
    "The engine stopped: it crashed (signal 11, SIGSEGV). Run `python -m qwenchat doctor` to look "
    "for the cause; details are in the log."
)
COMMAND = ("python", "qwenchat")
"""Of that message, as it is read aloud, without the marks of code."""


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("language")
    installed(folder)
    (installed(folder, "Qwen/Qwen-Broken") / WEIGHTS).write_bytes(b"cut")
    with Served(folder, note="") as served:
        for ago, title in (
            (0, "今天的对话"),
            (1, "昨天的对话"),
            (4, "本周的对话"),
            (80, "以前的对话"),
        ):
            seed(
                served,
                title,
                [("user", f"问题{title}"), ("assistant", f"答案{title}")],
                updated_at=time.time() - ago * DAY,
            )
        yield served


@pytest.fixture
def page(new_page: NewPage, app: Served) -> Page:
    app.says("好", "的", "。")
    return visit(new_page(**CHINESE), app)


def told(page: Page, **values: Any) -> None:
    """Have the page know these values as if the server had told them just now."""
    page.evaluate(
        """async (values) => {
            const { state, emit } = await import("/assets/js/store.js");
            const { fromServer } = await import("/assets/js/server-words.js");
            for (const [topic, value] of Object.entries(fromServer(values))) {
                state[topic] = value;
                emit(topic);
            }
        }""",
        values,
    )


def assert_chinese(page: Page, *names: str, skip: str = "") -> None:
    found = leftovers(page, *names, skip=skip)
    assert not found, "still in English on the page:\n" + "\n".join(found)


def language_of(page: Page) -> str:
    return str(page.locator("html").get_attribute("lang"))


def choose_language(page: Page, name: str) -> None:
    page.locator("#language-menu").click()
    with page.expect_navigation(wait_until="load"):
        page.get_by_role("menuitemradio", name=name, exact=True).click()
    expect(page.locator("#message-box")).to_be_visible(timeout=20_000)


# ---- which language


@pytest.mark.parametrize(
    ("locale", "language", "placeholder"),
    [
        ("zh-CN", "zh", "输入消息…"),
        ("zh-TW", "zh", "输入消息…"),
        ("en-GB", "en", "Message…"),
        ("fr-FR", "en", "Message…"),
    ],
)
def test_the_page_follows_the_browser(
    app: Served, new_page: NewPage, locale: str, language: str, placeholder: str
) -> None:
    page = visit(new_page(locale=locale), app)
    assert language_of(page) == language
    expect(page.locator("#message-box")).to_have_attribute("placeholder", placeholder)


def test_the_document_keeps_its_language_and_gradio_speaks_it(page: Page) -> None:
    page.wait_for_timeout(500)
    page.evaluate("document.documentElement.lang = 'en'")
    expect(page.locator("html")).to_have_attribute("lang", "zh")
    assert page.evaluate("navigator.language") == "zh-CN"
    assert page.locator("#qc-app").evaluate(
        "node => parseFloat(getComputedStyle(node).lineHeight) / 16"
    ) == pytest.approx(1.75)


def test_a_language_that_is_not_known_is_not_taken(app: Served, new_page: NewPage) -> None:
    page = new_page(locale="en-US")
    page.add_init_script("localStorage.setItem('qwenchat.language', 'klingon')")
    visit(page, app)
    assert language_of(page) == "en"


def test_switching_is_remembered_and_beats_the_browser(page: Page, app: Served) -> None:
    choose_language(page, "English")
    assert language_of(page) == "en"
    expect(page.locator("#message-box")).to_have_attribute("placeholder", "Message…")
    visit(page, app)
    assert language_of(page) == "en"
    assert page.evaluate("navigator.language") == "en-US"
    choose_language(page, "中文")
    expect(page.locator("#new-chat")).to_have_text("新对话")


def test_switching_keeps_address_draft_and_place(new_page: NewPage, app: Served) -> None:
    turns = [
        ("user" if n % 2 == 0 else "assistant", f"第 {n} 条消息。" + "很长的一段文字。" * 60)
        for n in range(60)
    ]
    seed(app, "长对话", turns)
    page = visit(new_page(**CHINESE), app)
    page.get_by_role("link", name="长对话").click()
    page.locator("#message-box").fill("还没发送的草稿")
    page.get_by_role("button", name="显示更早的消息").click()
    expect(page.locator("[data-message-id]")).to_have_count(60)
    page.locator("#chat").evaluate("node => (node.scrollTop = node.scrollHeight / 3)")
    page.wait_for_timeout(300)
    top = """() => {
        const pane = document.getElementById("chat").getBoundingClientRect();
        for (const one of document.querySelectorAll("[data-message-id]")) {
            const box = one.getBoundingClientRect();
            if (box.bottom > pane.top)
                return [one.dataset.messageId, Math.round(box.top - pane.top)];
        }
    }"""
    before, address = page.evaluate(top), page.url
    choose_language(page, "English")
    expect(page.locator("#message-box")).to_have_value("还没发送的草稿")
    assert page.url == address
    expect(page.locator("#language-menu")).to_be_focused()
    page.wait_for_timeout(800)
    after = page.evaluate(top)
    assert after[0] == before[0]
    assert abs(after[1] - before[1]) <= 2


def test_switching_keeps_the_draft_of_a_temporary_chat_and_writes_nothing(page: Page) -> None:
    page.locator("#temporary-chat").click()
    page.locator("#message-box").fill("秘密")
    choose_language(page, "English")
    expect(page.locator("#message-box")).to_have_value("秘密")
    expect(page.locator("#temporary-line")).to_be_visible()
    kept = page.evaluate("JSON.stringify([{...localStorage}, {...sessionStorage}])")
    assert "秘密" not in kept


def test_an_answer_goes_on_while_the_language_is_switched(page: Page, app: Served) -> None:
    app.says(*(f"{n} " for n in range(60)), delay=0.1)
    send(page, "慢慢说")
    expect(answer(page)).to_contain_text("3")
    choose_language(page, "English")
    expect_state(page, "done")
    expect(answer(page)).to_contain_text("57 58 59")


def test_on_a_phone_the_drawer_is_open_again(app: Served, new_page: NewPage) -> None:
    page = visit(new_page(390, 800, **CHINESE), app)
    page.get_by_role("button", name="显示对话列表").click()
    choose_language(page, "English")
    expect(page.locator("#language-menu")).to_be_focused()
    expect(page.locator("html")).to_have_attribute("data-drawer", "sidebar")


# ---- every view in Chinese


def test_the_first_screen_is_chinese(page: Page) -> None:
    page.wait_for_timeout(1500)
    assert_chinese(page)


def test_dates_and_durations_are_chinese(page: Page) -> None:
    listed = page.locator("#conversation-list")
    for heading in ("今天", "昨天", "最近 7 天"):
        expect(listed).to_contain_text(heading)
    expect(listed).to_contain_text(re.compile(r"20\d\d年\d+月"))
    said = page.evaluate(
        """async () => {
            const { duration, timeLeft, percent, size } = await import("/assets/js/numbers.js");
            return [duration(5), duration(125), timeLeft(7200), percent(0.5), size(4.1e9)];
        }"""
    )
    assert said == ["5 秒", "2 分钟 5 秒", "2 小时", "50%", "4.1 GB"]


@pytest.mark.parametrize("expert", [False, True])
def test_the_settings_are_chinese(page: Page, expert: bool) -> None:
    expect(page.locator("#setting-temperature")).to_contain_text("温度")
    if expert:
        page.get_by_role("button", name="专家设置").click()
        page.locator("#setting-top_k input[type=number]").fill("-3")
        expect(page.locator("#setting-top_k .qc-notice")).to_contain_text(
            "Top K必须是 0 到 1,000,000 的整数，现在是 -3。"
        )
    assert_chinese(page)


def test_an_answer_and_its_menus_are_chinese(page: Page) -> None:
    ask(page, "你好")
    answer(page).hover()
    assert_chinese(page)
    answer(page).get_by_role("button", name="更多").click()
    assert_chinese(page)
    page.keyboard.press("Escape")
    answer(page).get_by_role("button", name="编辑").click()
    assert_chinese(page)
    page.keyboard.press("Escape")
    for opener in ("#model-picker", "#transfer-menu", "#context-meter", "#language-menu"):
        page.locator(opener).click()
        assert_chinese(page)
        page.keyboard.press("Escape")
    row = page.locator("#conversation-list").get_by_role("link", name="你好")
    row.hover()
    page.get_by_role("button", name="“你好”的选项").click()
    assert_chinese(page)
    page.get_by_role("menuitem", name="删除").click()
    expect(page.locator(".qc-toast")).to_contain_text("已删除")
    assert_chinese(page)


STATES = [
    {"state": "stopped", "finish_reason": "abort"},
    {"state": "interrupted"},
    {"state": "done", "finish_reason": "length"},
    {"state": "done", "finish_reason": "length", "context_full": True},
    {"state": "done", "finish_reason": "stop", "edited": True},
    {"state": "done", "finish_reason": "stop", "content": ""},
    {"state": "failed", "error": {"code": "engine_died", "message": ENGINE_STOPPED}},
    {"state": "failed", "content": "", "error": {"code": "engine_died", "message": ENGINE_STOPPED}},
    *(
        {"state": "streaming", "content": "", "progress": {"phase": phase, **rest}}
        for phase, rest in (
            ("waiting", {}),
            ("queued", {"position": 1}),
            ("queued", {"position": 3}),
            ("prefill", {"done": 300, "total": 4000, "cached": 128}),
            ("decode", {"tokens": 3, "tokens_per_second": 7.5}),
        )
    ),
]


@pytest.mark.parametrize("last", STATES, ids=lambda state: str(state["state"]))
def test_every_end_and_wait_of_an_answer_is_chinese(
    page: Page, app: Served, last: dict[str, Any]
) -> None:
    ask(page, "你好")
    conversation = fetch(app, "GET", f"api/conversations/{conversation_id(page)}")
    first = conversation["messages"][0]["id"]
    conversation["messages"][-1] |= {"finish_reason": None, "usage": None, "timings": None} | last
    conversation |= {"left_out": 1, "first_read_id": first, "earlier": 3}
    told(page, conversation=conversation)
    shown = page.locator(f"[data-role=assistant][data-state={last['state']}]")
    expect(shown).to_be_visible()
    assert_chinese(page, "SIGSEGV")
    details = shown.locator("summary", has_text="详细信息")
    if details.count():
        details.click()
    assert_chinese(page, "SIGSEGV")


def test_loading_is_chinese(tmp_path: Path, new_page: NewPage) -> None:
    stages = (LoadStage("Starting vLLM"), LoadStage("Reading the weights", 1000, 100, 100.0))
    with Served(tmp_path, stages=stages, hold=True, note="") as served:
        page = visit(new_page(**CHINESE), served)
        expect(page.locator("#loading-card")).to_contain_text("读取权重")
        expect(page.locator("#status")).to_contain_text("正在加载")
        assert_chinese(page)
        send(page, "在吗")
        expect(answer(page)).to_contain_text("模型正在加载：读取权重")
        assert_chinese(page)
        served.call(served.engine.become_ready)
        expect_state(page, "done")


def test_errors_notices_and_a_lost_connection_are_chinese(page: Page, app: Served) -> None:
    app.script = lambda request: Script(("好",), 0.01, error=EngineDied(ENGINE_STOPPED))
    send(page, "你好")
    expect_state(page, "failed")
    expect(answer(page)).to_contain_text("引擎停止了：它崩溃了（信号 11，SIGSEGV）。")
    told(
        page,
        notices=[
            {
                "id": "model",
                "kind": "model",
                "message": f"Qwen/Qwen-X could not be loaded: {ENGINE_STOPPED} QwenChat went back "
                "to Fake.",
            }
        ],
    )
    expect(page.locator(".qc-notices, #notices").first).to_contain_text("QwenChat 已换回 Fake。")
    assert_chinese(page, "SIGSEGV", *COMMAND)
    error = {
        "code": "engine_start_failed",
        "message": EngineStartFailed(
            "The engine could not start: the disk is full. Free some space and start again."
        ).message,
    }
    engine = page.evaluate("async () => (await import('/assets/js/store.js')).state.engine")
    for state in ("failed", "restarting"):
        told(page, engine={**engine, "state": state, "error": error, "retry_in_seconds": 4.0})
        expect(page.locator("#status")).to_contain_text("磁盘已满")
        assert_chinese(page, "SIGSEGV", *COMMAND)
    told(page, engine=engine)
    with app.outage():
        expect(page.locator("#status")).to_contain_text("连接已断开", timeout=10_000)
        page.wait_for_timeout(1500)
        assert_chinese(page, "SIGSEGV", *COMMAND)


def test_a_sentence_nobody_has_translated_stays_between_those_that_are(page: Page) -> None:
    message = "Nobody has translated this. The model is still loading. Wait a moment."
    told(page, notices=[{"id": "model", "kind": "model", "message": message}])
    expect(page.get_by_text("Nobody has translated this. 模型还在加载。请稍等。")).to_be_visible()


def test_search_import_temporary_and_what_is_missing_are_chinese(page: Page, app: Served) -> None:
    page.locator("#conversation-search").fill("问题今天")
    expect(page.locator("#conversation-list")).to_contain_text("找到")
    assert_chinese(page)
    page.locator("#conversation-search").fill("没有这样的文字")
    expect(page.locator("#conversation-list")).to_contain_text("没有找到")
    assert_chinese(page)
    page.locator("#conversation-search").fill("")
    for value in (
        {"state": "running", "done": 30, "total": 100, "error": None, "failures": []},
        {
            "state": "done",
            "done": 100,
            "total": 100,
            "error": None,
            "failures": [
                {"where": "a.json, conversation 3", "reason": "it is nested too deeply"},
                {"where": "a.json, conversation 4 “旅行”", "reason": "it has no messages"},
            ],
        },
        {
            "state": "failed",
            "done": 1,
            "total": 100,
            "failures": [],
            "error": {
                "code": "invalid_request",
                "message": "Nothing was imported. a.json: the JSON is broken at byte 12, line 3 "
                "(`x`), after 0 whole conversations.",
            },
        },
        {"state": "cancelled", "done": 1, "total": 100, "error": None, "failures": []},
    ):
        told(
            page,
            **{"import": {"name": "a.json", "imported": 2, "skipped": 1, "failed": 2, **value}},
        )
        expect(page.locator("#import-card")).to_be_visible()
        assert_chinese(page)
    told(page, **{"import": None})
    page.locator("#temporary-chat").click()
    assert_chinese(page)
    visit(page, app, "#/c/nothing-here")
    expect(page.locator("#chat")).to_contain_text("这个对话不存在")
    assert_chinese(page)


def test_the_models_here_are_chinese(app: Served, new_page: NewPage) -> None:
    page = visit_panel(new_page(**CHINESE), app)
    expect(page.locator("#models-here")).to_contain_text("本机")
    expect(page.locator("#models-here")).to_contain_text("已损坏：")
    assert_chinese(page, "SmolLM", "Other", "Broken", "qc")
    page.get_by_role("button", name=re.compile("的更多操作")).first.click()
    assert_chinese(page, "SmolLM", "Other", "Broken", "qc")


def test_the_models_to_get_are_chinese(app: Served, new_page: NewPage) -> None:
    page = visit_panel(new_page(**CHINESE), app, "#/models/get")
    expect(page.locator("#models-panel")).to_contain_text("最适合本机")
    page.get_by_label("只看本机放得下的").uncheck()
    for summary in page.locator("#models-panel details > summary:visible").all():
        summary.click()
    assert_chinese(page, skip=".qc-sources")
    page.locator("#model-id").fill("Qwen/Qwen2.5-7B-Instruct-GGUF")
    page.locator("#model-id").press("Enter")
    expect(page.locator("#model-checked")).to_contain_text("不能在本机运行")
    assert_chinese(page, skip=".qc-sources")


DOWNLOAD = {
    "id": "Qwen/Qwen2.5-0.5B-Instruct",
    "stage": "Downloading",
    "done_bytes": 2_000_000_000,
    "total_bytes": 8_000_000_000,
    "checked_bytes": 10_000_000,
    "to_check_bytes": 20_000_000,
    "bytes_per_second": 1e7,
    "seconds_left": 600.0,
    "files": [
        {"path": "model.safetensors", "size": 8e9, "done": 2e9, "state": state}
        for state in ("waiting", "arriving", "checking", "done")
    ],
    "error": None,
    "note": "The connection failed at model.safetensors; trying again in 4 seconds.",
}


def test_downloads_are_chinese(app: Served, new_page: NewPage) -> None:
    page = visit_panel(new_page(**CHINESE), app, "#/models/get")
    error = {
        "code": "download_failed",
        "message": "Qwen/Qwen2.5-0.5B-Instruct could not be downloaded: there is no server "
        "hub.example to be found. Check the internet connection. What has arrived is kept: start "
        "again to go on. Without internet, use --model demo or a model's folder.",
    }
    for state in ("queued", "running", "paused", "verifying", "failed"):
        value = {**DOWNLOAD, "state": state, "error": error if state == "failed" else None}
        told(page, downloads=[value])
        expect(page.locator("[data-download]")).to_be_visible()
        for summary in page.locator("[data-download] summary:visible").all():
            summary.click()
        assert_chinese(page, "hub", "example", skip=".qc-sources")


def test_the_doctor_is_chinese(app: Served, new_page: NewPage) -> None:
    page = visit_panel(new_page(**CHINESE), app, "#/doctor")
    expect(page.locator(".qc-check-row").first).to_be_visible(timeout=60_000)
    packages = page.locator(".qc-check-name").all_inner_texts()
    names = [word for name in packages for word in re.findall(r"[A-Za-z]{2,}", name)]
    machine = page.locator(".qc-check-row", has_text="处理器").inner_text()
    assert_chinese(page, *names, *re.findall(r"[A-Za-z]{2,}", machine), "cpu")
