"""Ways an engine process fails, provoked on the real one: each is named, and what to do.

What the app finds before it starts an engine is in ``tests/models/test_snapshot.py`` and
``test_downloads.py``; here the engine is given it all the same, as when a file changes after
it was looked at. Each test prints the message; ``pytest -rP`` shows them.
"""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from qwenchat.doctor.token import ask, demo_load
from qwenchat.engine.environment import engine_environment
from qwenchat.engine.protocol import Load
from qwenchat.models.fit import GIB, MIB

pytestmark = [pytest.mark.accept, pytest.mark.engine, pytest.mark.timeout(300)]

WITHOUT_KERNELS = """
import sys
from importlib.abc import MetaPathFinder

class Finder(MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name.startswith("vllm._C"):
            raise ImportError("libcudart.so.13: cannot open shared object file")

sys.meta_path.insert(0, Finder())
"""
"""A vLLM whose own libraries need CUDA's, which is what the one on PyPI is."""

LIMITED = """
import resource, sys
if "qwenchat.engine" in sys.orig_argv:
    resource.setrlimit(resource.RLIMIT_AS, ({0}, {0}))
"""
"""An engine process that gets no more address space than so many bytes."""


def message_of(load: Load, *, site: Path | None = None, target: str = "cpu") -> str:
    """What a person reads when this cannot be loaded; every one says what to do.

    Args:
        site: A folder for ``PYTHONPATH``.
        target: ``VLLM_TARGET_DEVICE``, which the app sets to ``cpu``.
    """
    base = os.environ | ({"PYTHONPATH": str(site)} if site else {})
    environment = engine_environment(base, 2, []) | {"VLLM_TARGET_DEVICE": target}
    token = ask(load, environment, 250)
    assert token.failed, token
    print(f"message: The engine could not start: {token.failed}")
    print(f"vllm: {token.last_words.splitlines()[0] if token.last_words else ''}")
    assert "\n" not in token.failed
    assert "details are in the log" not in token.failed, token
    return token.failed


def starting_with(source: str, folder: Path) -> Path:
    """``folder`` made so that Python runs ``source`` at its start when it is on its path."""
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(source)
    return folder


@pytest.fixture
def copied(demo_snapshot: Path, tmp_path: Path) -> Load:
    """How a copy of the demo model is loaded, which the test may spoil."""
    return demo_load(Path(shutil.copytree(demo_snapshot, tmp_path / "model")))


def test_a_vllm_that_is_no_cpu_build_finds_no_device(demo_snapshot: Path, tmp_path: Path) -> None:
    # What tells vLLM which build it is: the metadata of PyPI's package of that name.
    metadata = tmp_path / "vllm-0.32.0.dist-info" / "METADATA"
    metadata.parent.mkdir()
    metadata.write_text("Metadata-Version: 2.1\nName: vllm\nVersion: 0.32.0\n")
    load = demo_load(demo_snapshot)
    message = message_of(load, site=tmp_path, target="cuda")
    assert "a vLLM for CUDA is installed instead of the CPU build" in message


def test_a_vllm_without_kernels_for_cpus(demo_snapshot: Path, tmp_path: Path) -> None:
    site = starting_with(WITHOUT_KERNELS, tmp_path / "site")
    message = message_of(demo_load(demo_snapshot), site=site)
    assert "a vLLM for CUDA is installed instead of the CPU build" in message


def test_weights_are_missing(copied: Load) -> None:
    (Path(copied.path) / "model.safetensors").unlink()
    assert "weights are damaged or do not belong" in message_of(copied)


def test_weights_are_cut_short(copied: Load) -> None:
    path = Path(copied.path) / "model.safetensors"
    os.truncate(path, path.stat().st_size // 2)
    assert "weights are damaged" in message_of(copied)


def test_an_architecture_that_vllm_does_not_know(copied: Load) -> None:
    _change(copied, "config.json", architectures=["QwenNineForCausalLM"])
    assert "does not know the model's architecture" in message_of(copied)


def test_a_config_of_another_model(copied: Load) -> None:
    _change(copied, "config.json", hidden_size=640, num_attention_heads=10, num_key_value_heads=5)
    assert "do not belong to its config.json" in message_of(copied)


def test_the_tokenizer_is_missing(copied: Load) -> None:
    for name in ("tokenizer.json", "tokenizer_config.json"):
        (Path(copied.path) / name).unlink()
    assert "tokenizer files are missing or damaged" in message_of(copied)


def test_memory_runs_out_while_loading(demo_snapshot: Path, tmp_path: Path) -> None:
    site = starting_with(LIMITED.format(3 * GIB), tmp_path / "site")
    load = replace(demo_load(demo_snapshot), kv_cache_bytes=3 * GIB)
    message = message_of(load, site=site)
    assert message.startswith("memory ran out. Close other programs")


def test_a_cache_that_is_too_small_for_the_context(demo_snapshot: Path) -> None:
    load = replace(demo_load(demo_snapshot), context_length=8_192, kv_cache_bytes=16 * MIB)
    assert "Set a shorter --context-length" in message_of(load)


def _change(load: Load, name: str, **values: object) -> None:
    path = Path(load.path) / name
    path.write_text(json.dumps(json.loads(path.read_text()) | values))
