"""Words: every language has the same, and what the server says is translated."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import NewPage
from tests.ui.sentences import sentences
from tests.ui.serving import Served

pytestmark = pytest.mark.browser

STRINGS = Path(__file__).resolve().parents[2] / "assets" / "js" / "strings"
LANGUAGES = sorted(path.name for path in STRINGS.iterdir() if path.name != "en")
ENGLISH = {"locale": "en-US"}
CHINESE = {"locale": "zh-CN"}
SHAPE = """async (language) => {
  const shape = (value, path, found) => {
    if (typeof value === "function") found[path] = `function of ${value.length}`;
    else if (Array.isArray(value)) {
      found[path] = `list of ${value.length}`;
      value.forEach((one, index) => shape(one, `${path}.${index}`, found));
    } else if (value && typeof value === "object")
      for (const [key, one] of Object.entries(value))
        shape(one, path ? `${path}.${key}` : key, found);
    else found[path] = typeof value;
    return found;
  };
  const { strings } = await import(`/assets/js/strings/${language}/index.js`);
  const { units } = await import(`/assets/js/strings/${language}/units.js`);
  return shape({ ...strings, units }, "", {});
}"""
TEXTS = """async (language) => {
  const collect = (value, path, found) => {
    if (typeof value === "string") found[path] = value;
    else if (value && typeof value === "object")
      for (const [key, one] of Object.entries(value))
        collect(one, path ? `${path}.${key}` : key, found);
    return found;
  };
  const { strings } = await import(`/assets/js/strings/${language}/index.js`);
  return collect(strings, "", {});
}"""
UNKNOWN = """async ([language, texts]) => {
  const { createTranslator } = await import("/assets/js/sentences.js");
  const { server } = await import(`/assets/js/strings/${language}/server.js`);
  const { translate, unknown } = createTranslator(server);
  return texts.map((text) => ({ unknown: unknown(text), said: translate(text) }));
}"""
SAME_IN_ALL = re.compile(
    r"QwenChat|Markdown|JSON|PDF|Word|CSV|float\d+|bfloat16|GPTQ|AWQ|W8A8|FP8|YaRN|ModelScope"
    r"|[Tt]op [PK]|[Mm]in P|[–·/ ]"
)


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with Served(tmp_path_factory.mktemp("words")) as served:
        yield served


@pytest.fixture
def blank(app: Served, new_page: NewPage) -> Page:
    """A page of the app's own address with nothing in it, to import modules in."""
    page = new_page(**ENGLISH)
    page.goto(f"{app.url}assets/icons/qwenchat.svg")
    return page


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_the_same_words(blank: Page, language: str) -> None:
    wanted, found = (blank.evaluate(SHAPE, name) for name in ("en", language))
    missing = sorted(wanted.keys() - found.keys())
    assert not missing, f"{language} lacks words; add them to strings/{language}: {missing}"
    unknown = sorted(found.keys() - wanted.keys())
    assert not unknown, f"{language} has words that English has not: {unknown}"
    # Functions that do not need all they are given may take less, none may take more.
    wrong = {
        key: (wanted[key], found[key]) for key in wanted if kinds_differ(wanted[key], found[key])
    }
    assert not wrong, f"other in {language} than in English: {wrong}"


def kinds_differ(wanted: str, found: str) -> bool:
    if wanted.startswith("function") and found.startswith("function"):
        return found > wanted
    return found != wanted


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_word_is_left_in_english(blank: Page, language: str) -> None:
    english, other = (blank.evaluate(TEXTS, name) for name in ("en", language))
    same = {
        key: text
        for key, text in other.items()
        if text == english.get(key) and SAME_IN_ALL.sub("", text).strip()
    }
    assert not same, f"still English in strings/{language}: {same}"


def instance(text: str) -> tuple[str, list[str]]:
    """A text as it can come, and the values in it: numbers, which fit every place."""
    values: list[str] = []

    def value(_: re.Match[str]) -> str:
        values.append(str(41_000 + len(values)))
        return values[-1]

    # What hangs on a word is added at times, as a plural's letter or a sentence more.
    text = re.sub(r"(?<=[A-Za-z.])⟦⟧", "", text)
    # What stands between sentences is one.
    text = re.sub(r"(^|[.:] )⟦⟧(?= [A-Z])", r"\1⟦⟧.", text)
    return re.sub("⟦⟧", value, text), values


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_sentence_of_the_server_is_translated(blank: Page, language: str) -> None:
    found = sentences()
    assert len(found) > 400, "the sentences are looked for in the wrong place"
    texts = [instance(sentence.text) for sentence in found]
    answers = blank.evaluate(UNKNOWN, [language, [text for text, _ in texts]])
    missing = [
        f"{sentence.where}: {sentence.text!r}"
        for sentence, answer in zip(found, answers, strict=True)
        if any(re.search("[A-Za-z]{2}", part) for part in answer["unknown"])
    ]
    assert not missing, (
        f"{len(missing)} sentences have no translation. Add them to strings/{language}/server.js, "
        "or, where the page never shows them, to tests/ui/sentences.py:\n" + "\n".join(missing)
    )
    lost = [
        f"{text!r} -> {answer['said']!r}"
        for (text, values), answer in zip(texts, answers, strict=True)
        if any(value not in answer["said"] for value in values)
    ]
    assert not lost, "values that the translation loses:\n" + "\n".join(lost)


@pytest.mark.parametrize("language", LANGUAGES)
def test_places_of_a_translation_are_those_of_the_sentence(blank: Page, language: str) -> None:
    table: dict[str, str] = blank.evaluate(
        "async (language) => (await import(`/assets/js/strings/${language}/server.js`)).server",
        language,
    )
    wrong = {
        english: text
        for english, text in table.items()
        if set(re.findall(r"\{(\w+)\}", text)) - set(re.findall(r"\{[~#]?(\w+)\}", english))
    }
    assert not wrong


def said(page: Page, table: dict[str, str], *texts: str) -> Any:
    return page.evaluate(
        """async ([table, texts]) => {
          const { createTranslator } = await import("/assets/js/sentences.js");
          const translator = createTranslator(table);
          return texts.map(translator.translate);
        }""",
        [table, list(texts)],
    )


TABLE = {
    "{model} needs {#size} of memory.": "{model}需要{size}内存。",
    "Close other programs.": "请关闭其他程序。",
    "The engine stopped: {~why}": "引擎停止了：{why}",
    "it crashed (signal {number}).": "它崩溃了（信号 {number}）。",
    "{model} could not be loaded: {~why} QwenChat {~instead}.": (
        "无法加载{model}：{why}QwenChat {instead}。"
    ),
    "went back to {model}": "换回了 {model}",
    "the file is empty": "文件是空的",
}


@pytest.mark.parametrize(
    ("english", "chinese"),
    [
        ("Close other programs.", "请关闭其他程序。"),
        (
            "/models/v2. Old/Qwen2.5-7B.x needs 3.5 GiB of memory. Close other programs.",
            "/models/v2. Old/Qwen2.5-7B.x需要3.5 GiB内存。请关闭其他程序。",
        ),
        ("The engine stopped: it crashed (signal 11).", "引擎停止了：它崩溃了（信号 11）。"),
        (
            "A.B could not be loaded: The engine stopped: it crashed (signal 4). QwenChat went "
            "back to demo.",
            "无法加载A.B：引擎停止了：它崩溃了（信号 4）。QwenChat 换回了 demo。",
        ),
        # Without its last full stop, as the doctor cuts it, and with a small first letter.
        ("close other programs", "请关闭其他程序"),
        # What is not known stays, what is around it is said.
        ("Nobody knows this. Close other programs.", "Nobody knows this. 请关闭其他程序。"),
        ("Close other programs. Nobody knows this.", "请关闭其他程序。Nobody knows this."),
        ("Traceback: memory", "Traceback: memory"),
        ("X needs much of memory.", "X needs much of memory."),
        ("", ""),
        ("你好。Close other programs.", "你好。Close other programs."),
    ],
)
def test_sentences_are_matched_one_by_one(blank: Page, english: str, chinese: str) -> None:
    assert said(blank, TABLE, english) == [chinese]


def test_long_and_confusing_texts_are_read_in_no_time(blank: Page) -> None:
    table = {f"{{a}} {'of {b} ' * n}is {{~c}}.": "{a}{b}{c}" for n in range(1, 6)}
    took = blank.evaluate(
        """async ([table, texts]) => {
          const { createTranslator } = await import("/assets/js/sentences.js");
          const { translate } = createTranslator(table);
          const start = performance.now();
          for (const text of texts) translate(text);
          return performance.now() - start;
        }""",
        [table, ["a of b " * 300 + "x.", "a is " * 500, "x" * 100_000, ". ".join("ab" * 700)]],
    )
    assert took < 2000, f"{took:.0f} ms"


def test_only_words_of_ours_are_touched(app: Served, new_page: NewPage) -> None:
    page = new_page(**CHINESE)
    page.goto(f"{app.url}assets/icons/qwenchat.svg")
    words = "The message is empty."
    frame = {
        "type": "conversation",
        "conversation": {
            "id": words,
            "title": words,
            "system_prompt": words,
            "messages": [{"content": words, "error": {"code": words, "message": words}}],
        },
        "hits": [{"title": [[words, True]], "snippet": [[words, False]]}],
        "files": [{"path": words}],
        "name": words,
        "rows": [{"languages": ["Chinese", "Klingon"], "licence": "Apache-2.0"}],
    }
    value = page.evaluate(
        "async (frame) => (await import('/assets/js/server-words.js')).fromServer(frame)", frame
    )
    expected = json.loads(json.dumps(frame))
    expected["conversation"]["messages"][0]["error"]["message"] = "消息是空的。"
    expected["rows"][0]["languages"][0] = "中文"
    assert value == expected


def test_english_stays_as_it_comes(blank: Page) -> None:
    frame = {"message": "The message is empty."}
    value = blank.evaluate(
        "async (frame) => (await import('/assets/js/server-words.js')).fromServer(frame)", frame
    )
    assert value == frame
