"""Answers as markdown: what a reader sees while one is written, and when it is finished."""

import contextlib
import functools
import http.server
import json
import random
import re
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page

pytestmark = pytest.mark.browser

ROOT = Path(__file__).resolve().parents[2]

BLANK = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/assets/css/theme.css">
<link rel="stylesheet" href="/assets/css/markdown.css">
<style>body { margin: 0; background: var(--qc-page) } main { padding: 0 16px }</style>
<main id="answer"></main>
"""

# What the tests call in the page. With `controlled`, a frame happens when the test says so.
TOOLS = """
window.start = async (controlled) => {
  const { createRenderer } = await import("/assets/js/markdown.js");
  window.answer = document.querySelector("#answer");
  window.rendered = 0;
  window.create = (element) => createRenderer(element, { onRendered: () => { rendered++; } });
  const due = [];
  window.frame = () => { while (due.length) due.shift()(); };
  if (controlled) {
    let now = 0;
    performance.now = () => now;
    window.requestAnimationFrame = (callback) => due.push(callback);
    window.cancelAnimationFrame = () => {};
    window.pass = (milliseconds) => { now += milliseconds; };
  }
  window.renderer = create(answer);
  window.write = (text) => { window.pass?.(1000); renderer.append(text); frame(); };
  window.whole = async (text) => {
    const element = document.createElement("div");
    const once = create(element);
    once.set(text);
    await once.finish();
    return element.innerHTML;
  };
};
"""

CORPUS = {
    "prose": r"""
First paragraph with *emphasis*, **strong** and `code`.
A second line.

Another one, with a hard\
break and a [link](https://example.com/a_(b) 'title').
""",
    "chinese": r"""
# 标题

中文**“引号”**后面，还有**重点：**说明。*斜体*和`代码`。

见https://example.com/路径，然后继续。

1. 第一
2. 第二

> 引用**（括号）**文字
""",
    "emoji": """
Families 👨\u200d👩\u200d👧\u200d👦 and flags 🇨🇳, **bold 🎉**, `code 🐍`.

- 😀 one
- 😁 two
""",
    "code": """
Look:

```python
def f(x):
\tif x:
\t\treturn '**no bold** & <b>'

    # four
```

~~~
plain ``` inside
~~~

    indented code
\tand a tab

End.
""",
    "tables": r"""
Before

| Name | Value |
|:-----|------:|
| a\|b | **1** |
| `c` | 2<br>3 |
| short |

After | not a table

a | b
--|--
1 | 2
""",
    "lists": """
- one
- two
  - nested
    1. deep
    2. deeper

    paragraph
- three

1. first

   ```js
   let a = 1;
   ```
2. second

- [ ] open
- [x] done

* other
""",
    "math": r"""
Euler: \(e^{i\pi} + 1 = 0\), and

\[
\begin{aligned}
a &= b \\
+ c
\end{aligned}
\]

$$ x > 0 $$

- item
  $$
  - y
  $$

$$ never closed

end
""",
    "quotes": """
> one
> > two
> > > three
> > back
>
> - list
> - in quote
>
> ```
> code
> ```
lazy

after
""",
    "headings": """
# One
## Two ##
Text
===
More
---
***
####### seven
#hashtag
""",
    "references": """
See [one], [two][b] and ![three].

[one]: https://example.com/1
[b]: <https://example.com/2> 'B'

Again [one] and [late].

[three]: https://example.com/3
[late]:
  https://example.com/4
  "late
  title"
""",
    "broken": """
**never closed

`half code

[half](https://example.com

| head |
|--

* a *b** c*
~~x

```
unclosed fence
""",
    "returns": "a\r\nb\r\n\r\n- c\r\n- d\r\n\r\n```\r\ne\r\n```\r\n",
}

# Lines of which any markdown can be made, sensible or not.
FRAGMENTS = [
    *r"""
text
text\
**bold** and *it*
***x**
**a *b** c*
**half
_a_b_
a*b*c
~~del~~
~~half
x `code`
`half
\* esc
&amp; &lt;
$5 and $6
😀
中文**“引用”**后面，
https://e.com/a，然后
<b>html</b>
<br>
[foo]: http://e.com
[b]: <http://b.com> 'x'
"title"
"ti
tle"
[foo]
[foo][b]
[l](http://e.com "t")
[l](x)
[<http://i.com> x](http://o.com)
[![i](http://e.com/i)](http://o.com)
![i](http://e.com/i)
- item
* star
1. one
2) two
  - nested
    four
- [ ] task
1. [x] t
> quote
> - q
> > deep
```
```py
~~~
$$
$$x$$
\[
\]
\(a\)
= b
+ c
===
---
***
# Head
| a | b |
|---|---|
| 1 | 2 |
|--
a | b
-|-
""".splitlines(),
    *["", "", "", "", "   ", "text  ", "## ", "\tTab", "\0"],
]


@pytest.fixture(scope="session")
def site() -> Iterator[str]:
    class Handler(http.server.SimpleHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path.startswith("/assets/"):
                with contextlib.suppress(ConnectionError):  # the page was closed
                    super().do_GET()
                return
            body = BLANK.encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args: object) -> None:
            pass

    handler = functools.partial(Handler, directory=str(ROOT))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture
def open_answer(new_page, site):
    def open_page(controlled: bool = False, dark: bool = False, **options: object) -> Page:
        page = new_page(**options)
        page.goto(f"{site}/")
        page.evaluate(TOOLS)
        page.evaluate("(controlled) => start(controlled)", controlled)
        if dark:
            page.evaluate("document.body.classList.add('dark')")
        return page

    return open_page


@pytest.fixture
def answer(open_answer) -> Page:
    """A page where a frame happens after each `write`."""
    return open_answer(controlled=True)


def show(page: Page, text: str) -> None:
    page.evaluate("async (text) => { renderer.set(text); await renderer.finish(); }", text)


def write(page: Page, *texts: str) -> None:
    for text in texts:
        page.evaluate("(text) => write(text)", text)


def html(page: Page, selector: str = "#answer") -> str:
    return page.eval_on_selector(selector, "(element) => element.innerHTML")


def cut(text: str, rng: random.Random) -> list[str]:
    if rng.random() < 0.3:
        return list(text)
    ends = sorted({rng.randint(0, len(text)) for _ in range(rng.randint(1, 40))} | {len(text)})
    return [text[a:b] for a, b in zip([0, *ends], ends, strict=False)]


DIFFERENCES = """async (runs) => {
  const different = [];
  for (const [text, parts] of runs) {
    const element = document.createElement("div");
    const grown = create(element);
    for (const part of parts) { pass(1000); grown.append(part); frame(); }
    await grown.finish();
    if (grown.text !== text) different.push([text, "its text", grown.text]);
    const wanted = await whole(text);
    if (element.innerHTML !== wanted) different.push([text, wanted, element.innerHTML]);
  }
  return different;
}"""


@pytest.mark.parametrize("name", CORPUS)
def test_an_answer_that_came_in_pieces_looks_like_one_that_came_at_once(answer, name):
    rng = random.Random(name)
    text = CORPUS[name]
    assert answer.evaluate(DIFFERENCES, [[text, cut(text, rng)] for _ in range(25)]) == []


def test_any_markdown_in_any_pieces_looks_like_it_came_at_once(answer):
    rng = random.Random(7)
    runs = []
    for _ in range(250):
        lines = [rng.choice(FRAGMENTS) for _ in range(rng.randint(1, 14))]
        lines = [rng.choice(["", "", "", "  ", "> ", "- ", "1. ", "    "]) + line for line in lines]
        text = "\n".join(lines)
        runs.append([text, cut(text, rng)])
    assert answer.evaluate(DIFFERENCES, runs) == []


def test_all_kinds_of_content_one_after_the_other_look_like_they_came_at_once(answer):
    rng = random.Random(11)
    text = "\n\n".join(part for name, part in CORPUS.items() if name != "broken")
    assert answer.evaluate(DIFFERENCES, [[text, cut(text, rng)] for _ in range(5)]) == []


def test_another_text_set_over_an_answer_leaves_nothing_of_it(answer):
    texts = list(CORPUS.values())
    different = answer.evaluate(
        """async (texts) => {
          const different = [];
          for (const text of texts) {
            renderer.set(text.slice(0, text.length / 2)); pass(1000); frame();
            renderer.set(text); await renderer.finish();
            if (answer.innerHTML !== await whole(text)) different.push(text);
          }
          renderer.set("");
          return [different, answer.childNodes.length, renderer.text];
        }""",
        [*texts, *reversed(texts)],
    )
    assert different == [[], 0, ""]


def test_an_answer_can_be_continued_after_it_was_finished(answer):
    show(answer, "A paragraph that was cut in **the mid")
    assert "**the mid" in answer.inner_text("#answer")
    write(answer, "dle** of it.\n\n- and")
    assert answer.locator("#answer.qc-streaming").count() == 1
    answer.evaluate("renderer.append(' more'), renderer.finish()")
    assert html(answer) == answer.evaluate("whole(renderer.text)")
    assert answer.locator("#answer.qc-streaming").count() == 0


def test_blocks_above_stay_the_same_nodes(answer):
    write(answer, "# Title\n\nParagraph **one**.\n\n```py\nx = 1\n```\n\n- a\n- b\n\nLast one ")
    answer.evaluate("window.before = [...answer.children].slice(0, -1)")
    answer.evaluate("for (const e of before) for (const n of e.querySelectorAll('*')) n.mark = 1")
    write(answer, *"grows\n\nand *another* comes.\n\n| a |\n|---|\n| 1 |\n\nend")
    answer.evaluate("renderer.finish()")
    assert answer.evaluate("before.every((element, i) => element === answer.children[i])")
    assert answer.evaluate("[...answer.querySelectorAll('li')].every((item) => item.mark === 1)")


SELECT = """([from, to]) => {
  const walker = document.createTreeWalker(answer, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  let at = 0;
  for (let node = walker.nextNode(); node; at += node.length, node = walker.nextNode()) {
    if (from >= at && from <= at + node.length) range.setStart(node, from - at);
    if (to >= at && to <= at + node.length) { range.setEnd(node, to - at); break; }
  }
  getSelection().removeAllRanges();
  getSelection().addRange(range);
  return String(getSelection());
}"""


@pytest.mark.parametrize("place", ["above", "in the growing paragraph", "in growing code"])
def test_a_selection_survives_streaming(answer, place):
    head = 0
    if place == "above":
        write(answer, "A paragraph to be **selected** here.\n\nAnd the next one\n\nis ")
    elif place == "in growing code":
        write(answer, "```py\nthe part selected here\nmore")
        head = len("PythonCopy")
    else:
        write(answer, "A paragraph to be **selected** here, which goes on ")
    chosen = answer.evaluate(SELECT, [head + 4, head + 17])
    assert len(chosen) == 13
    write(answer, *"growing with `code`, *emphasis* and [a link](https://example.com).\n")
    answer.wait_for_timeout(400)  # colours come late
    assert answer.evaluate("String(getSelection())") == chosen
    answer.evaluate("renderer.finish()")
    assert answer.evaluate("String(getSelection())") == chosen


MAKEFILE = "build:\n\tgo build ./...\n\n\t\t@echo '  two  spaces'  \n    four\n\ttrailing\t"


@pytest.mark.parametrize("way", ["clipboard", "no clipboard permission"])
def test_tabs_and_indentation_survive_in_code_and_its_copy(open_answer, way):
    page = open_answer(permissions=["clipboard-read", "clipboard-write"])
    if way != "clipboard":
        page.evaluate(
            """() => Object.defineProperty(
              navigator, "clipboard", { value: undefined, configurable: true })"""
        )
    page.evaluate("(code) => renderer.append(code)", f"Here:\n\n```makefile\n{MAKEFILE}\n```\n")
    page.evaluate("renderer.finish()")
    assert page.eval_on_selector("pre code", "(code) => code.textContent") == MAKEFILE
    button = page.get_by_role("button", name="Copy code")
    button.click()
    page.wait_for_selector(".qc-copy-code:text('Copied')")
    if way == "clipboard":
        assert page.evaluate("navigator.clipboard.readText()") == MAKEFILE
    else:
        assert page.evaluate("document.activeElement.className") == "qc-copy-code"
        page.evaluate("delete navigator.clipboard")
        assert page.evaluate("navigator.clipboard.readText()") == MAKEFILE
    page.wait_for_selector(".qc-copy-code:text-is('Copy')", timeout=3000)
    assert button.count() == 1


def test_a_code_block_names_its_language_and_gets_its_colours(open_answer):
    page = open_answer()
    show(
        page, "```py\nx = 'a'\n```\n\n```dockerfile\nFROM a\n```\n\n```wat\nx\n```\n\n```\nx\n```\n"
    )
    names = page.locator(".qc-code-language").all_inner_texts()
    assert names == ["Python", "Dockerfile", "wat", "Text"]
    assert page.locator("code .hljs-string").inner_text() == "'a'"
    assert page.locator("code .hljs-keyword").inner_text() == "FROM"


def test_code_is_coloured_while_it_grows(open_answer):
    page = open_answer()
    page.evaluate("renderer.append('```js\\nconst a = 1;\\nconst b')")
    page.wait_for_selector("code .hljs-keyword")
    page.evaluate("renderer.append(' = 2;\\n')")
    page.wait_for_function("answer.querySelectorAll('.hljs-number').length === 2")


def test_an_unclosed_fence_is_a_code_block_while_it_grows(answer):
    write(answer, "Text\n\n``")
    assert answer.inner_text("#answer") == "Text"
    write(answer, "`py", "thon")
    assert answer.inner_text("#answer") == "Text"
    write(answer, "\nprint(**options)\n\n# not a heading\n`")
    assert answer.inner_text("pre") == "print(**options)\n\n# not a heading"
    assert answer.locator("#answer h1").count() == 0
    write(answer, "``\n\nAfter **it")
    assert answer.inner_text("#answer > p:last-child") == "After it"
    assert answer.locator("#answer > p:last-child strong").count() == 1


def test_half_written_marks_do_not_flash(answer):
    text = (
        "Some **bold words**, *emphasis*, ~~gone~~, `code` and a [link](https://example.com/a).\n"
        "\n- **First**: item\n- [ ] task\n\n1. **One**\n\n## Heading\n\nParagraph\n- list\n\n"
        "| Head | Two |\n|------|:---:|\n| cell | **x** |\n\n---\n\n![alt](https://example.com/b)\n\n"
        "```sh\nls\n```\n\nThe sum \\(a + b\\) and\n\n$$\nc\n$$\n\nEnd.\n"
    )
    seen = answer.evaluate(
        """(text) => {
          const seen = [];
          let height = 0;
          for (const character of text) {
            write(character);
            const copy = answer.cloneNode(true);
            for (const e of copy.querySelectorAll("pre, .qc-math, .qc-math-growing")) e.remove();
            const raw = /[*~`|$#\\]]|\\[ |- |\\\\/.exec(copy.textContent);
            if (raw) seen.push([raw[0], copy.textContent.slice(-30)]);
            if (answer.querySelector("h2")?.textContent.startsWith("Paragraph")) seen.push("h2");
            if (answer.offsetHeight < height - 4) seen.push(["shrinks", copy.textContent]);
            height = answer.offsetHeight;
          }
          return seen;
        }""",
        text,
    )
    assert seen == []


def test_a_lone_mark_is_shown_once_the_answer_is_finished(answer):
    write(answer, "Price in $")
    answer.evaluate("renderer.finish()")
    assert answer.inner_text("#answer") == "Price in $"
    show(answer, "5 * 3 = 15, a*b, snake_case_name and 2 ** 3\n\n- ")
    assert answer.inner_text("#answer p") == "5 * 3 = 15, a*b, snake_case_name and 2 ** 3"


@pytest.mark.parametrize(
    ("text", "bold"),
    [
        ("**“中文”**后面", "“中文”"),
        ("前面**《书名》**后面", "《书名》"),
        ("这是**重点：**说明", "重点："),
        ("他说**（注意）**。", "（注意）"),
        ("**重要！**请看", "重要！"),
        ("数字**5%**以上", "5%"),
        ("**粗体**，然后", "粗体"),
        ("これは**「重要」**です", "「重要」"),
    ],
)
def test_bold_beside_cjk_punctuation_is_bold(answer, text, bold):
    show(answer, text)
    assert answer.locator("strong").all_inner_texts() == [bold]
    assert "*" not in answer.inner_text("#answer")


def test_an_address_in_chinese_text_ends_at_its_punctuation(answer):
    show(answer, "见https://example.com/a?b=1，然后看（https://example.com/c）。")
    links = answer.locator("a").all()
    assert [link.inner_text() for link in links] == [
        "https://example.com/a?b=1",
        "https://example.com/c",
    ]


def test_links_open_elsewhere_and_tell_nothing(answer):
    show(answer, "[a](https://example.com) <https://example.org> [m](mailto:a@example.com)")
    for link in answer.locator("a").all():
        assert link.get_attribute("target") == "_blank"
        assert link.get_attribute("rel") == "noopener noreferrer nofollow"
    show(answer, "[a](/api/x) [b](ftp://x) [c](file:///x) [d](tel:1) [e](//x.com) app.py a@b.com")
    assert answer.locator("a").count() == 0


def test_a_picture_is_a_link_and_nothing_is_asked_of_another_origin(open_answer, site):
    page = open_answer()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    show(
        page,
        "![A cat](https://other.example/cat.png) ![](http://other.example/x) "
        "[![badge](https://other.example/b.svg)](https://other.example)\n\n"
        "<img src=https://other.example/raw.png> ![d](data:image/png;base64,AAAA)\n\n"
        "\\(\\includegraphics{https://other.example/m.png} x\\)\n\n"
        "$$\\mathbb{R} \\mathcal{A} \\mathfrak{g} \\sum_{i}$$\n\n```scala\nval x = 1\n```\n",
    )
    page.evaluate("document.fonts.ready")
    page.wait_for_timeout(300)
    assert page.locator("img").count() == 0
    assert page.locator("a.qc-image").first.inner_text() == "A cat"
    assert page.locator("a.qc-image").first.get_attribute("href") == "https://other.example/cat.png"
    assert page.locator("a[href='https://other.example']").inner_text() == "badge"
    assert any(url.endswith(".woff2") for url in asked)
    assert [url for url in asked if not url.startswith(f"{site}/assets/")] == []


ATTACKS = [
    "<script>hit()</script>",
    "<img src=x onerror=hit()>",
    "<svg onload=hit()><script>hit()</script></svg>",
    "<iframe srcdoc='<script>parent.hit()</script>'></iframe>",
    "<a href='javascript:hit()'>click</a>",
    "[click](javascript:hit())",
    "[click](JaVaScRiPt:hit())",
    "[click](java&#115;cript:hit())",
    "[click](&#x6A;avascript:hit())",
    "[click](<java\nscript:hit()>)",
    "[click](\x01javascript:hit())",
    "[click](vbscript:hit())",
    "[click](data:text/html,<script>hit()</script>)",
    "[click](data:text/html;base64,PHNjcmlwdD5oaXQoKTwvc2NyaXB0Pg==)",
    "<javascript:hit()>",
    "[click]: javascript:hit()\n\n[click]",
    "![x](javascript:hit())",
    '![x" onerror="hit()](https://x.invalid/"onerror="hit())',
    '[x](https://x.invalid/"onmouseover="hit() "\\"onmouseover=hit()")',
    'https://x.invalid/"onmouseover=hit()//',
    '```"><img src=x onerror=hit()>\n</code></pre><img src=x onerror=hit()>\n```',
    "```x onmouseover=hit()\ny\n```",
    "`</code><img src=x onerror=hit()>`",
    "| <img src=x onerror=hit()> | a |\n|---|---|\n| <svg/onload=hit()> | `<b onclick=hit()>` |",
    "<math><mtext><table><mglyph><style><img src=x onerror=hit()>",
    "<math><annotation-xml encoding='text/html'><img src=x onerror=hit()></annotation-xml></math>",
    "<svg></p><style><a id='</style><img src=x onerror=hit()>'>",
    "<noscript><p title='</noscript><img src=x onerror=hit()>'>",
    "\\(\\href{javascript:hit()}{click}\\)",
    "\\(\\url{javascript:hit()}\\)",
    "\\(\\htmlData{x=y}{a} \\htmlStyle{background:url(//x.invalid)}{b} \\htmlId{hit}{c}\\)",
    "\\(\\text{<img src=x onerror=hit()>}\\)",
    "\\(</annotation><img src=x onerror=hit()>\\)",
    "$$\\unicode{<img src=x onerror=hit()>}$$",
    "\\(\\def\\a{\\a\\a}\\a\\)",
    "$$\\rule{1000000em}{1000000em}$$",
    "<form id=x><input name=attributes></form>",
    "<br onclick=hit()>",
]


@pytest.mark.parametrize("streamed", [False, True], ids=["at once", "streamed"])
def test_attacks_are_inert(open_answer, site, streamed):
    page = open_answer(controlled=streamed)
    page.evaluate("() => { window.hits = 0; window.hit = () => { hits++; }; }")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    for attack in ATTACKS:
        page.evaluate("renderer.set('')")
        if streamed:
            page.evaluate("(text) => { for (const c of text) write(c); }", attack)
            page.evaluate("renderer.finish()")
        else:
            show(page, attack)
        found = page.evaluate(
            """() => {
              const found = [];
              for (const element of answer.querySelectorAll("*")) {
                for (const { name, value } of element.attributes) {
                  if (/^on|^srcdoc$|^src$|^id$|^formaction$/.test(name)) found.push(name);
                  const isSafe = /^(https?:\\/\\/|mailto:)/.test(value);
                  if (/href$/.test(name) && !isSafe) found.push(value);
                  if (name === "style" && /url|expression|fixed/.test(value)) found.push(value);
                }
                if (/^(script|img|iframe|style|form|object|embed|link|annotation-xml|mglyph)$/i
                  .test(element.localName)) found.push(element.localName);
                element.dispatchEvent(new MouseEvent("mouseover"));
              }
              for (const link of answer.querySelectorAll("a:not([href^=http])")) link.click();
              return found;
            }"""
        )
        assert found == [], attack
    page.wait_for_timeout(200)
    assert page.evaluate("hits") == 0
    assert [url for url in asked if not url.startswith(f"{site}/assets/")] == []


def test_html_is_shown_as_text(answer):
    show(answer, "Use <b>bold</b> & <div>\n\n<p>block</p>\n\n| a<br>b |\n|---|\n")
    assert "Use <b>bold</b> & <div>" in answer.inner_text("#answer")
    assert "<p>block</p>" in answer.inner_text("#answer")
    assert answer.locator("th br").count() == 1


def test_prices_stay_prices(answer):
    text = "It cost $5 before, $10 now and $1,000 with $x and US$ in between."
    write(answer, *text)
    assert answer.inner_text("#answer") == text
    answer.evaluate("renderer.finish()")
    assert answer.inner_text("#answer") == text
    assert answer.locator(".qc-math").count() == 0


def test_formulas_are_set_for_eyes_and_for_ears(open_answer):
    page = open_answer()
    show(
        page,
        "Inline \\(\\frac{a}{b} > c\\) and $$d$$ here.\n\n\\[\nx_1 = [y]>0\n\\]\n\n"
        "$$\na\n+ b\n$$\n\n"
        "- in a list:\n  \\[ z \\]\n\nBroken: \\(\\frac{\\)",
    )
    assert page.locator(".qc-math").count() == 6
    assert page.locator(".qc-math-display .katex-display").count() == 4
    assert page.locator("math").count() == 5
    assert page.locator("math mfrac").count() == 1
    annotations = page.locator("annotation").all_text_contents()
    assert annotations[:4] == ["\\frac{a}{b} > c", "d", "x_1 = [y]>0", "a\n+ b"]
    assert "\\frac{" in page.locator(".qc-math").last.inner_text()
    fonts = page.evaluate(
        "document.fonts.ready.then(() => document.fonts.check('16px KaTeX_Main'))"
    )
    assert fonts


def test_formulas_and_colours_are_loaded_only_when_needed(open_answer):
    page = open_answer()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    show(page, "Plain **text**, $5, a list:\n\n- one\n\n```\nno language\n```\n")
    assert asked == []
    show(page, "\\(x\\)\n\n```py\nx = 1\n```\n")
    assert any("/katex.js" in url for url in asked)
    assert any("/highlight.min.js" in url for url in asked)


def test_a_reference_may_be_defined_after_its_use(answer):
    write(answer, "See [the docs][d] and [d].\n\nAnother paragraph.\n\nThird ", "one.\n\n")
    assert answer.locator("a").count() == 0
    write(answer, "[d]: https://example.com/docs\n")
    answer.evaluate("renderer.finish()")
    assert answer.locator("a[href='https://example.com/docs']").count() == 2
    assert html(answer) == answer.evaluate("whole(renderer.text)")


@pytest.mark.parametrize("hidden", [True, False], ids=["hidden from the start", "hidden later"])
def test_a_hidden_tab_is_right_when_it_is_looked_at(new_page, site, hidden):
    page = new_page()
    page.add_init_script(
        f"""Object.defineProperty(document, "hidden", {{ get: () => {json.dumps(hidden)} }});
        window.requestAnimationFrame = () => 1; // a hidden tab has no frames"""
    )
    page.goto(f"{site}/")
    page.evaluate(TOOLS)
    page.evaluate("start(false)")
    page.evaluate("renderer.append('Text while **hidd')")
    page.wait_for_function("answer.textContent === 'Text while hidd'", polling=50)
    page.evaluate("renderer.append('en** grows \\\\(x\\\\)\\n\\n```js\\nlet a\\n```\\n')")
    page.wait_for_function("answer.querySelector('math') !== null", polling=50)
    page.wait_for_function("answer.querySelector('.hljs-keyword') !== null", polling=50)
    page.evaluate("renderer.finish()")
    assert html(page) == page.evaluate("whole(renderer.text)")


def test_the_page_is_told_of_every_change(answer):
    write(answer, "One")
    before = answer.evaluate("rendered")
    write(answer, " two \\(x\\)")
    answer.wait_for_selector("math")
    assert answer.evaluate("rendered") >= before + 2  # the text, then the formula


def test_wide_code_tables_and_formulas_scroll_in_their_own_box(open_answer):
    page = open_answer(width=390)
    wide = " + ".join(f"x_{{{n}}}" for n in range(60))
    show(
        page,
        f"```py\n{'x = 1; ' * 60}\n```\n\n"
        f"{'| column ' * 12}|\n{'|---' * 12}|\n{'| value ' * 12}|\n\n"
        f"\\[ {wide} \\]\n\nInline \\({wide}\\) here.\n\n{'unbreakable' * 30}\n\n`{'code' * 60}`\n",
    )
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    for box in ("pre", ".qc-table", "div.qc-math-display"):
        assert page.eval_on_selector(box, "(e) => e.scrollWidth > e.clientWidth"), box


def test_tasks_are_boxes_that_cannot_be_clicked(answer):
    show(answer, "- [ ] open **one**\n- [x] done\n- [y] text\n\n1. [X] loose\n\n2. item\n")
    boxes = answer.locator("li.qc-task input[type=checkbox]")
    assert [box.is_checked() for box in boxes.all()] == [False, True, True]
    assert all(box.is_disabled() for box in boxes.all())
    assert answer.locator("li").nth(2).inner_text() == "[y] text"


def test_a_caret_stands_where_the_text_grows(open_answer):
    page = open_answer(controlled=True)
    for text, place in [
        ("Text", "P"),
        (" more\n\n- item", "LI"),
        ("\n\n```py\ncode", "CODE"),
        ("\n```\n\n> quote", "P"),
        ("\n\n| a |\n|---|\n| b", "TD"),
    ]:
        write(page, text)
        carets = page.eval_on_selector_all(".qc-caret", "(all) => all.map((e) => e.nodeName)")
        assert carets == [place]
    animation = "getComputedStyle(answer.querySelector('.qc-caret'), '::after').animationName"
    assert page.evaluate(animation) == "qc-caret"
    page.emulate_media(reduced_motion="reduce")
    assert page.evaluate(animation) == "none"
    page.evaluate("renderer.finish()")
    assert page.locator(".qc-caret").count() == 0


CONTRASTS = """() => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const luminance = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    const [r, g, b] = [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3)
      .map((c) => c / 255).map((c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const background = (element) => {
    for (let e = element; e; e = e.parentElement) {
      const colour = getComputedStyle(e).backgroundColor;
      if (!/, 0\\)$|transparent/.test(colour)) return colour;
    }
  };
  const all = {};
  for (const element of answer.querySelectorAll("p, a, h5, blockquote p, code, span, button, td")) {
    if (!element.textContent.trim() || element.closest(".katex")) continue;
    const [a, b] = [luminance(getComputedStyle(element).color), luminance(background(element))]
      .sort((x, y) => y - x);
    all[`${element.localName}.${element.className}`] = (a + 0.05) / (b + 0.05);
  }
  return all;
}"""


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_every_colour_can_be_read(open_answer, dark):
    page = open_answer(dark=dark)
    classes = re.findall(r"\.hljs-(\w+)", (ROOT / "assets/css/markdown.css").read_text())
    show(
        page,
        "Text [link](https://example.com) `code` ![p](https://example.com/p)\n\n##### Small\n\n"
        "> Quote\n\n| a |\n|---|\n| b |\n\n```py\nx\n```\n\n\\(\\frac{\\) and\n\n"
        "```diff\n- a\n+ b\n```",
    )
    page.evaluate(
        """(classes) => {
          const code = answer.querySelector("code[data-language=python]");
          for (const name of classes) {
            const span = document.createElement("span");
            span.className = `hljs-${name}`;
            span.textContent = name;
            code.append(span);
          }
        }""",
        sorted(set(classes)),
    )
    contrasts = page.evaluate(CONTRASTS)
    assert len(contrasts) > 30
    assert {name: round(value, 2) for name, value in contrasts.items() if value < 4.5} == {}


def long_answer(characters: int) -> str:
    sections: list[str] = []
    length = 0
    while length < characters:
        n = len(sections)
        sections.append(
            f"## Section {n}\n\nA paragraph with **bold words {n}**, `code`, *emphasis*, 中文，and "
            f"[a link](https://example.com/{n}), long enough to wrap around the end of a line or "
            f"two on the page.\n\n- item {n}\n- another **one**\n  - nested\n\n"
            f"```python\ndef f{n}(x):\n    return x + {n}  # comment\n```\n\n"
            f"| a | b |\n|---|---|\n| {n} | `x` |\n\n"
            f"So \\(x_{{{n}}}^2\\) is it.\n\n"
        )
        length += len(sections[-1])
    return "".join(sections)[:characters]


@pytest.mark.accept
@pytest.mark.slow
def test_a_long_answer_in_small_pieces_stays_smooth(open_answer):
    page = open_answer()
    text = long_answer(100_000)
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})

    def busy() -> float:
        metrics = session.send("Performance.getMetrics")["metrics"]
        return next(m["value"] for m in metrics if m["name"] == "TaskDuration")

    before = busy()
    page.evaluate(
        """async (text) => {
          for (let at = 0; at < text.length;) {
            const until = performance.now() + 5;
            while (performance.now() < until && at < text.length) {
              for (let n = 0; n < 20 && at < text.length; n++, at += 4) {
                renderer.append(text.slice(at, at + 4));
              }
              await new Promise((resolve) => setTimeout(resolve, 4));
            }
          }
          await renderer.finish();
        }""",
        text,
    )
    seconds = busy() - before
    print(f"25,000 appends, {page.evaluate('rendered')} renders: {seconds:.1f} s of main thread")
    assert html(page) == page.evaluate("whole(renderer.text)")
    assert seconds < 10


@pytest.mark.slow
def test_rendering_after_every_small_piece_does_not_slow_down_with_length(answer):
    costs = answer.evaluate(
        """(text) => {
          const now = Performance.prototype.now.bind(performance);
          const costs = [];
          for (let at = 0; at < text.length; at += 4) {
            const started = now();
            write(text.slice(at, at + 4));
            costs.push(now() - started);
          }
          return costs;
        }""",
        long_answer(100_000),
    )
    tenth = len(costs) // 10
    early = sorted(costs[tenth : 2 * tenth])[tenth // 2]
    late = sorted(costs[-tenth:])[tenth // 2]
    slow = sorted(costs)[-len(costs) // 100]
    print(f"{len(costs)} renders: {sum(costs) / 1000:.1f} s, median {late:.2f} ms, 99 % {slow:.1f}")
    assert late < 3 * early + 0.5
    assert slow < 50
    assert sum(costs) < 30_000


def test_vendored_files_are_those_that_were_checked():
    done = subprocess.run(
        [str(ROOT / "scripts/vendor.sh"), "--check"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    folder = ROOT / "assets/vendor"
    listed = {line.split()[1][2:] for line in (folder / "SHA256SUMS").read_text().splitlines()}
    present = {str(file.relative_to(folder)) for file in folder.rglob("*") if file.is_file()}
    assert present - listed == {"README.md", "SHA256SUMS"}
