"""The quick import of Gradio skips what it means to skip, and nothing else."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

CHILD = """
import sys
from qwenchat.api.gradio_import import import_gradio
import_gradio()
import gradio
from gradio import component_meta
assert component_meta.create_or_modify_pyi.__module__ == "qwenchat.api.gradio_import"
assert "mcp" not in sys.modules
assert not any("Stub" in type(finder).__name__ for finder in sys.meta_path)
with gradio.Blocks() as page:
    gradio.HTML("x")
    gradio.Slider(0, 1)
assert len(page.blocks) == 3
"""


def test_gradio_works_without_stub_writer_and_mcp() -> None:
    subprocess.run([sys.executable, "-c", CHILD], check=True, timeout=60)


def test_gradio_still_has_what_is_skipped() -> None:
    gradio = find_spec("gradio")
    assert gradio is not None
    assert gradio.origin is not None
    source = (Path(gradio.origin).parent / "component_meta.py").read_text(encoding="utf-8")
    assert "def create_or_modify_pyi(" in source
    assert "create_or_modify_pyi(component_class, name, events)" in source
