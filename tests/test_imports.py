"""Imports point one way, and the heavy packages stay where they belong.

Read from the source by AST, so nothing is imported and imports inside functions count
too. A new violation prints file:line and the rule it breaks.
"""

from __future__ import annotations

import ast
import sys
import textwrap
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parent.parent

# Top to bottom: a module imports from its own layer and from lower ones. The longest
# prefix decides, so `engine.seam` is a contract and the rest of `engine` is not.
LAYERS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (
        "page, API and commands",
        ("app", "ui", "api", "__main__", "compose", "server", "commands", "doctor"),
    ),
    ("chat", ("chat",)),
    ("hosting", ("hosting",)),
    ("store", ("store",)),
    ("files", ("files",)),
    ("engine and models", ("engine", "models")),
    ("contracts", ("engine.seam", "engine.protocol", "sampling", "settings", "hardware")),
    ("nouns", ("types", "errors", "")),
)

# What a package imports of ours besides itself, where its layer would allow more.
ONLY: dict[str, tuple[str, ...]] = {
    "store": ("errors", "types", "sampling", "settings"),
    "files": ("errors",),
    "hosting": ("engine", "models", "settings", "sampling", "hardware", "types", "errors"),
}

# Packages that only these files may import, at the top or inside functions.
OWNERS: dict[str, tuple[str, ...]] = {
    "vllm": ("qwenchat/engine/vllm_engine.py",),
    "torch": ("qwenchat/engine/vllm_engine.py",),
    "transformers": ("qwenchat/engine/vllm_engine.py",),
    "modelscope": ("qwenchat/models/download_worker.py",),
    "modelscope_hub": ("qwenchat/models/download_worker.py",),
    # they read what strangers wrote, so only the worker's process loads them
    "pypdfium2": ("qwenchat/files/pdf.py",),
    "docx": ("qwenchat/files/word.py",),
    "charset_normalizer": ("qwenchat/files/plain.py",),
    "qwenchat.files.worker": (),
    "qwenchat.files.pdf": ("qwenchat/files/worker.py",),
    "qwenchat.files.word": ("qwenchat/files/worker.py",),
    # everybody else knows the seam, so that any engine will do
    "qwenchat.engine.client": ("qwenchat/compose.py",),
    # it imports vllm, so whoever imports it does too
    "qwenchat.engine.vllm_engine": ("qwenchat/engine/__main__.py", "qwenchat/engine/worker.py"),
}

# The engine process runs these files and whatever of ours they import.
ENGINE_PROCESS = (
    "qwenchat.engine.__main__",
    "qwenchat.engine.worker",
    "qwenchat.engine.vllm_engine",
    "qwenchat.engine.protocol",
)
WEB_ONLY = {"gradio", "fastapi", "starlette", "uvicorn", "sqlite3"}


@dataclass(frozen=True)
class Import:
    """``target`` is imported at ``line``; ``lazy`` when importing the file does not do so."""

    target: str
    line: int
    lazy: bool


@dataclass(frozen=True)
class Module:
    """One source file of ours and what it imports."""

    name: str
    path: str
    imports: tuple[Import, ...]


def read_modules(project: Path) -> dict[str, Module]:
    """Every module of ours by dotted name."""
    files = sorted((project / "qwenchat").rglob("*.py"))
    files += [file for file in [project / "app.py"] if file.exists()]
    names = {_module_name(file.relative_to(project)): file for file in files}
    modules = {}
    for name, file in names.items():
        tree = ast.parse(file.read_text(encoding="utf-8"))
        package = name if file.name == "__init__.py" else name.rpartition(".")[0]
        found = tuple(_imports(tree.body, package, names.keys(), lazy=False))
        modules[name] = Module(name, file.relative_to(project).as_posix(), found)
    return modules


def _module_name(path: Path) -> str:
    parts = path.with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _imports(
    nodes: Iterable[ast.AST], package: str, ours: Container[str], *, lazy: bool
) -> Iterator[Import]:
    for node in nodes:
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(alias.name, node.lineno, lazy)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parents = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*parents, base] if base else parents)
            for alias in node.names:
                submodule = f"{base}.{alias.name}"
                is_module = submodule in ours
                yield Import(submodule if is_module else base, node.lineno, lazy)
        elif isinstance(node, ast.Call) and _is_dynamic_import(node):
            argument = node.args[0]
            assert isinstance(argument, ast.Constant)
            yield Import(str(argument.value), node.lineno, lazy)
        inner_lazy = lazy or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        if isinstance(node, ast.If) and _never_in_a_child(node.test):
            yield from _imports(node.body, package, ours, lazy=True)
            yield from _imports(node.orelse, package, ours, lazy=lazy)
        else:
            children = ast.iter_child_nodes(node)
            yield from _imports(children, package, ours, lazy=inner_lazy)


def _is_dynamic_import(call: ast.Call) -> bool:
    name = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    name = call.func.id if isinstance(call.func, ast.Name) else name
    first = call.args[0] if call.args else None
    return name in ("import_module", "__import__") and (
        isinstance(first, ast.Constant) and isinstance(first.value, str)
    )


def _never_in_a_child(test: ast.expr) -> bool:
    """``if TYPE_CHECKING`` and ``if __name__ == "__main__"``."""
    text = ast.unparse(test)
    return text.endswith("TYPE_CHECKING") or text == "__name__ == '__main__'"


def violations(project: Path) -> list[str]:
    """Every broken rule as ``file:line: what, and the rule``."""
    modules = read_modules(project)
    found: list[str] = []
    for module in modules.values():
        found += _layer_violations(module, modules)
        found += _only_violations(module, modules)
        found += _owner_violations(module)
    found += _engine_process_violations(modules)
    found += _app_violations(modules.get("app"))
    found += _cycles(modules)
    return sorted(found)


def _layer(name: str) -> int | None:
    """Index of a module's layer from the top; None when nobody has given it one."""
    name = name.removeprefix("qwenchat").removeprefix(".")
    found = [
        (len(prefix), index)
        for index, (_, prefixes) in enumerate(LAYERS)
        for prefix in prefixes
        if name == prefix or (prefix and name.startswith(prefix + "."))
    ]
    return max(found)[1] if found else None


def _layer_violations(module: Module, modules: dict[str, Module]) -> Iterator[str]:
    own = _layer(module.name)
    if own is None:
        yield f"{module.path}:1: has no layer; name it in LAYERS of tests/test_imports.py"
        return
    for item in module.imports:
        other = _layer(item.target) if item.target in modules else None
        if other is not None and other < own:
            yield (
                f"{module.path}:{item.line}: imports {item.target}, but "
                f'"{LAYERS[own][0]}" may not import "{LAYERS[other][0]}"'
            )


def _only_violations(module: Module, modules: dict[str, Module]) -> Iterator[str]:
    package = _package(module.name)
    if package not in ONLY:
        return
    for item in module.imports:
        other = _package(item.target)
        if item.target in modules and other and other not in (package, *ONLY[package]):
            yield (
                f"{module.path}:{item.line}: imports {item.target}, but of ours {package} "
                f"imports only {', '.join(ONLY[package])}"
            )


def _package(name: str) -> str:
    """The part of a module's name that follows ``qwenchat``."""
    return name.removeprefix("qwenchat").removeprefix(".").partition(".")[0]


def _owner_violations(module: Module) -> Iterator[str]:
    for item in module.imports:
        for package, owners in OWNERS.items():
            inside = item.target == package or item.target.startswith(package + ".")
            if inside and module.path not in owners:
                yield (
                    f"{module.path}:{item.line}: imports {item.target}, which only "
                    f"{' and '.join(owners)} may import, also inside functions"
                )


def _engine_process_violations(modules: dict[str, Module]) -> Iterator[str]:
    waiting = [(name, "") for name in ENGINE_PROCESS if name in modules]
    seen: set[str] = set()
    while waiting:
        name, via = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        module = modules[name]
        via = f"{via} -> {module.path}" if via else module.path
        for item in module.imports:
            if item.target.split(".")[0] in WEB_ONLY:
                yield (
                    f"{module.path}:{item.line}: imports {item.target}, but the engine "
                    f"process runs this file ({via}) and has no page, API or store"
                )
            # importing a.b.c runs a and a.b too
            parts = item.target.split(".")
            for length in range(1, len(parts) + 1):
                parent = ".".join(parts[:length])
                if parent in modules:
                    waiting.append((parent, via))


def _app_violations(app: Module | None) -> Iterator[str]:
    for item in app.imports if app else ():
        package = item.target.split(".")[0]
        if package in sys.stdlib_module_names or (package == "qwenchat" and item.lazy):
            continue
        where = "inside functions only" if package == "qwenchat" else "not at all"
        yield (
            f"app.py:{item.line}: imports {item.target}: every spawned process runs app.py "
            f"again, so it imports the standard library, and {package} {where}"
        )


def _cycles(modules: dict[str, Module]) -> Iterator[str]:
    """Modules that import each other round; each circle is told once."""
    told: set[frozenset[str]] = set()
    done: set[str] = set()

    def follow(name: str, path: list[str]) -> Iterator[str]:
        if name in path:
            circle = path[path.index(name) :]
            if frozenset(circle) not in told:
                told.add(frozenset(circle))
                first = modules[circle[0]]
                line = next(i.line for i in first.imports if i.target == [*circle, name][1])
                yield (f"{first.path}:{line}: imports in a circle: {' -> '.join([*circle, name])}")
            return
        if name in done:
            return
        for item in modules[name].imports:
            if item.target in modules and item.target != name:
                yield from follow(item.target, [*path, name])
        done.add(name)

    for name in modules:
        yield from follow(name, [])


# ---- the project itself


def test_the_project_keeps_the_rules() -> None:
    found = violations(PROJECT)
    assert not found, "\n" + "\n".join(found)


# ---- the rules themselves: each planted violation is found, with file and line


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (
            {"qwenchat/chat/reply.py": "import json\n\nfrom qwenchat.ui import page\n"}
            | {"qwenchat/ui/page.py": ""},
            'qwenchat/chat/reply.py:3: imports qwenchat.ui.page, but "chat" may not import',
        ),
        (
            {"qwenchat/engine/protocol.py": "from . import client\n"}
            | {"qwenchat/engine/client.py": ""},
            "qwenchat/engine/protocol.py:1: imports qwenchat.engine.client",
        ),
        (
            {"qwenchat/errors.py": "def f():\n    from qwenchat.settings import Settings\n"}
            | {"qwenchat/settings.py": ""},
            "qwenchat/errors.py:2: imports qwenchat.settings",
        ),
        (
            {"qwenchat/store/rows.py": "from qwenchat.engine.seam import Engine\n"}
            | {"qwenchat/engine/seam.py": ""},
            "qwenchat/store/rows.py:1: imports qwenchat.engine.seam, but of ours store imports",
        ),
        (
            {"qwenchat/store/rows.py": "from qwenchat.chat import reply\n"}
            | {"qwenchat/chat/reply.py": ""},
            'qwenchat/store/rows.py:1: imports qwenchat.chat.reply, but "store" may not import',
        ),
        (
            {"qwenchat/hosting/models.py": "from qwenchat.engine.client import EngineClient\n"}
            | {"qwenchat/engine/client.py": ""},
            "qwenchat/hosting/models.py:1: imports qwenchat.engine.client, which only",
        ),
        (
            {"qwenchat/hosting/models.py": "from qwenchat.store.rows import Row\n"}
            | {"qwenchat/store/rows.py": ""},
            "qwenchat/hosting/models.py:1: imports qwenchat.store.rows, but of ours hosting",
        ),
        (
            {"qwenchat/ui/page.py": "def f():\n    import torch.nn\n"},
            "qwenchat/ui/page.py:2: imports torch.nn, which only qwenchat/engine/vllm_engine.py",
        ),
        (
            {"qwenchat/doctor.py": "import importlib\nimportlib.import_module('vllm')\n"},
            "qwenchat/doctor.py:2: imports vllm",
        ),
        (
            {"qwenchat/models/library.py": "from modelscope_hub.compat import snapshot_download\n"},
            "qwenchat/models/library.py:1: imports modelscope_hub.compat",
        ),
        (
            {"qwenchat/engine/client.py": "from qwenchat.engine.vllm_engine import VllmEngine\n"}
            | {"qwenchat/engine/vllm_engine.py": "import vllm\n"},
            "qwenchat/engine/client.py:1: imports qwenchat.engine.vllm_engine, which only",
        ),
        (
            {"qwenchat/engine/worker.py": "from qwenchat.hardware import cores\n"}
            | {"qwenchat/hardware.py": "def cores():\n    import sqlite3\n"},
            "qwenchat/hardware.py:2: imports sqlite3, but the engine process runs this file "
            "(qwenchat/engine/worker.py -> qwenchat/hardware.py)",
        ),
        (
            {"qwenchat/engine/__init__.py": "import fastapi\n", "qwenchat/engine/worker.py": ""}
            | {"qwenchat/engine/vllm_engine.py": "import qwenchat.engine.worker\n"},
            "qwenchat/engine/__init__.py:1: imports fastapi, but the engine process",
        ),
        ({"app.py": "import gradio\n"}, "app.py:1: imports gradio"),
        ({"app.py": "from qwenchat import errors\n"}, "app.py:1: imports qwenchat"),
        (
            {"qwenchat/models/a.py": "from qwenchat.models import b\n"}
            | {"qwenchat/models/b.py": "def f():\n    import qwenchat.models.a\n"},
            "qwenchat/models/a.py:1: imports in a circle",
        ),
        ({"qwenchat/novelty.py": ""}, "qwenchat/novelty.py:1: has no layer"),
    ],
)
def test_a_violation_is_found(tmp_path: Path, files: dict[str, str], expected: str) -> None:
    found = _violations_of(tmp_path, files)
    assert [line for line in found if line.startswith(expected)], found


def test_what_is_allowed_passes(tmp_path: Path) -> None:
    files = {
        "app.py": """
            import sys

            def main():
                from qwenchat.server import serve

            if __name__ == "__main__":
                from qwenchat.server import serve
            """,
        "qwenchat/server.py": "import uvicorn\nfrom qwenchat.chat import reply\n",
        "qwenchat/chat/reply.py": "import sqlite3\nfrom ..engine.seam import Engine\n",
        "qwenchat/engine/seam.py": "from qwenchat.types import Role\n",
        "qwenchat/engine/vllm_engine.py": "import torch\nimport vllm.sampling_params\n",
        "qwenchat/engine/worker.py": "from qwenchat.engine import vllm_engine\n",
        "qwenchat/models/download_worker.py": "import modelscope\n",
        "qwenchat/types.py": "from typing import Literal\n",
    }
    assert _violations_of(tmp_path, files) == []


def _violations_of(project: Path, files: dict[str, str]) -> list[str]:
    for path, source in files.items():
        (project / path).parent.mkdir(parents=True, exist_ok=True)
        (project / path).write_text(textwrap.dedent(source), encoding="utf-8")
    for folder in (project / "qwenchat").rglob("*"):
        if folder.is_dir():
            (folder / "__init__.py").touch()
    return violations(project)
