"""Words on the page that are in no language but English."""

from __future__ import annotations

import re
from typing import Any

from playwright.sync_api import Page

_NAMES = """
    QwenChat ChatGPT Qwen ModelScope Fake demo Markdown JSON PDF Word Excel CSV Gradio vLLM GPTQ
    AWQ YaRN Top Min OCR Office LibreOffice Intel GNU Linux Windows Python NUMA CUDA CPU OpenMP
    AMX AVX NEON SVE glibc torch transformers gradio modelscope tcmalloc Apache GGUF cpp llama
    torchvision torchaudio torchcodec Instruct Thinking English EN
"""
_CODE_AND_UNITS = """
    Ctrl Shift Alt Enter Esc Tab token TTFT kB MB GB GiB MiB float bfloat bf int gptq awq id ID
    cgroup config json zip docx md doctor auto tokenizer git
"""
ALLOWED = frozenset(_NAMES.split() + _CODE_AND_UNITS.split())
"""What stays as it is in every language."""

_NOT_WORDS = re.compile(
    r"""https?://\S+               # addresses
    | `[^`]*`                      # code
    | 错误代码：\w+                # codes of errors
    | (?<![\w./])/[\w./~-]+        # paths
    | \S*\.(?:json|zip|py|md|safetensors|txt|docx|so|sqlite3|gguf)\b\S*
    | (?<!\w)--[\w-]+              # options
    | \b[A-Za-z]\w*/[\w.-]+        # ids of models
    | \b[A-Z]{2,}_[A-Z_]+\b        # variables of the environment
    | [\w.]*\d[\w.+-]*             # versions and sizes
    """,
    re.VERBOSE,
)
_WORD = re.compile(r"[A-Za-z]{2,}")

_COLLECT = """(skip) => {
  const found = [];
  const ATTRIBUTES = ["aria-label", "title", "placeholder", "alt", "aria-valuetext",
    "aria-description", "aria-roledescription", "data-label"];
  const where = (element) => {
    const names = [];
    for (let at = element; at && names.length < 4; at = at.parentElement)
      names.unshift(at.id ? `#${at.id}` : [at.localName, at.classList[0]].join("."));
    return names.join(" > ");
  };
  const walk = (element) => {
    if (skip && element.matches(skip)) return;
    if (["SCRIPT", "STYLE", "TEMPLATE", "NOSCRIPT"].includes(element.tagName)) return;
    if (element.lang && element.lang !== document.documentElement.lang) return;
    const place = where(element);
    for (const name of ATTRIBUTES) {
      const value = element.getAttribute(name);
      if (value) found.push([`${place} [${name}]`, value]);
    }
    for (const node of element.childNodes) {
      const text = node.nodeType === Node.TEXT_NODE ? node.data.trim() : "";
      if (text) found.push([place, text]);
      if (node.nodeType === Node.ELEMENT_NODE) walk(node);
    }
  };
  walk(document.body);
  found.push(["title", document.title]);
  return found;
}"""


def leftovers(page: Page, *names: str, skip: str = "") -> list[str]:
    """Texts and attributes of the whole page, hidden ones too, that have an English word.

    Args:
        names: Words that are names in this page, such as a model's.
        skip: A selector of elements that are not ours to translate.
    """
    allowed = ALLOWED | set(names)
    found: list[list[Any]] = page.evaluate(_COLLECT, skip)
    said: dict[str, str] = {}
    for where, text in found:
        words = [word for word in _WORD.findall(_NOT_WORDS.sub(" ", text)) if word not in allowed]
        if words:
            said.setdefault(text, f"{text!r} ({', '.join(words)}) in {where}")
    return list(said.values())
