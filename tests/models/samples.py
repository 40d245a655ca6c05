"""Small snapshots that are right in every way, for tests to spoil."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from qwenchat.models.safetensors_file import TensorPlan, write_bfloat16

CONFIG = {
    "architectures": ["Qwen2ForCausalLM"],
    "model_type": "qwen2",
    "hidden_size": 8,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 1024,
    "vocab_size": 16,
    "torch_dtype": "bfloat16",
}
TEMPLATE = "{% for message in messages %}{{ message.content }}{% endfor %}"


def write_json(path: Path, content: object) -> None:
    path.write_text(json.dumps(content), encoding="utf-8")


def write_weights(path: Path, tensors: Mapping[str, Sequence[int]]) -> None:
    """A real safetensors file of zeros with these shapes."""
    plan = [TensorPlan(name, tuple(shape)) for name, shape in tensors.items()]
    for _ in write_bfloat16(path, plan, (bytes(tensor.data_bytes) for tensor in plan)):
        pass


def small_snapshot(folder: Path, *, rows: int = 16, **config: Any) -> Path:
    """A whole snapshot of about ``rows`` * 16 bytes; ``config`` is laid over config.json."""
    folder.mkdir(parents=True)
    write_json(folder / "config.json", CONFIG | {"vocab_size": rows} | config)
    write_json(folder / "tokenizer.json", {"version": "1.0", "model": {}})
    write_json(folder / "tokenizer_config.json", {"chat_template": TEMPLATE})
    write_weights(folder / "model.safetensors", {"model.embed_tokens.weight": (rows, 8)})
    return folder


def sharded_snapshot(folder: Path, shards: int = 3) -> Path:
    """A whole snapshot with its weights in several files and an index."""
    small_snapshot(folder)
    (folder / "model.safetensors").unlink()
    weight_map = {}
    for number in range(1, shards + 1):
        name = f"model-{number:05}-of-{shards:05}.safetensors"
        tensor = f"model.layers.{number}.weight"
        write_weights(folder / name, {tensor: (4, 8)})
        weight_map[tensor] = name
    write_json(folder / "model.safetensors.index.json", {"weight_map": weight_map})
    return folder
