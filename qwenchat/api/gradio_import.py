"""Importing Gradio in half the time, which decides when the first page can be seen.

Measured with Gradio 6.31: of 4.5 s of computing, 2 s go into type stubs that it writes
beside its own sources for editors, and 0.9 s into ``mcp``, which it takes up when it is
installed (the engine brings it, in a version Gradio does not support). We need neither.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType

_STUB_WRITER = "gradio.component_meta"


def import_gradio() -> None:
    """Import Gradio, silent about its use and without the parts that only take time."""
    os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"
    if "gradio" in sys.modules:
        return
    finder = _StubWriterFinder()
    sys.meta_path.insert(0, finder)
    had_mcp = "mcp" in sys.modules
    if not had_mcp:
        # None in place of a module makes its import fail as if it were not installed.
        sys.modules["mcp"] = None  # type: ignore[assignment]
    try:
        import gradio  # noqa: F401
    finally:
        sys.meta_path.remove(finder)
        if not had_mcp:
            del sys.modules["mcp"]


class _StubWriterFinder(MetaPathFinder):
    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name != _STUB_WRITER:
            return None
        spec = PathFinder.find_spec(name, path)
        if spec and spec.loader:
            spec.loader = _WithoutStubs(spec.loader)
        return spec


class _WithoutStubs(Loader):
    def __init__(self, loader: Loader) -> None:
        self._loader = loader

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        self._loader.exec_module(module)
        vars(module)["create_or_modify_pyi"] = lambda *_: None
