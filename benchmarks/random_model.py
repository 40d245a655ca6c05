"""Snapshots of any Qwen2 shape with random weights, to load and measure real sizes.

What such a model says is noise; its memory and its speed are those of a trained one. The
tokenizer is the demo model's, filled up with invented merges to the size of the vocabulary.
"""

from __future__ import annotations

import json
import shutil
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

Method = Literal["none", "gptq", "w8a8"]
GROUP = 128
_TILE = 1 << 20


@dataclass(frozen=True, slots=True)
class Shape:
    """The numbers of a Qwen2 ``config.json``."""

    layers: int
    hidden: int
    intermediate: int
    heads: int
    kv_heads: int
    vocab: int
    tied: bool
    context: int = 32_768

    @property
    def head_dim(self) -> int:
        return self.hidden // self.heads


@dataclass(frozen=True, slots=True)
class _Tensor:
    name: str
    dtype: str
    shape: tuple[int, ...]

    @property
    def data_bytes(self) -> int:
        return (
            int(np.prod(self.shape))
            * {"BF16": 2, "F16": 2, "F32": 4, "I32": 4, "I8": 1}[self.dtype]
        )


def write_random_model(
    folder: Path, shape: Shape, method: Method, demo: Path, *, hollow: bool = False
) -> Path:
    """Write a whole snapshot into ``folder``, which must not exist.

    Args:
        demo: The demo model's folder, for its tokenizer.
        hollow: Let the weights be a hole in their file: zeros of the right size, which take
            no room on the disk. For models that are looked at and not loaded.
    """
    folder.mkdir(parents=True)
    (folder / "config.json").write_text(json.dumps(_config(shape, method)))
    _write_tokenizer(folder, demo, shape.vocab)
    tensors = list(_tensors(shape, method))
    header: dict[str, Any] = {"__metadata__": {"format": "pt"}}
    offset = 0
    for tensor in tensors:
        end = offset + tensor.data_bytes
        header[tensor.name] = {
            "dtype": tensor.dtype,
            "shape": list(tensor.shape),
            "data_offsets": [offset, end],
        }
        offset = end
    encoded = json.dumps(header).encode()
    encoded += b" " * (-len(encoded) % 8)
    tiles = _tiles()
    with (folder / "model.safetensors").open("wb") as file:
        file.write(struct.pack("<Q", len(encoded)) + encoded)
        if hollow:
            file.truncate(file.tell() + offset)
            return folder
        for tensor in tensors:
            tile, left = tiles[tensor.dtype], tensor.data_bytes
            while left > 0:
                left -= file.write(tile[: min(left, len(tile))])
    return folder


def _tiles() -> dict[str, bytes]:
    random = np.random.default_rng(0)
    small = (random.standard_normal(_TILE) * 0.02).astype(np.float32)
    return {
        "BF16": (small.view(np.uint32) >> 16).astype(np.uint16).tobytes(),
        "F16": np.full(_TILE, 0.005, np.float16).tobytes(),
        "F32": np.full(_TILE, 0.005, np.float32).tobytes(),
        "I32": random.integers(0, 1 << 31, _TILE, np.int32).tobytes(),
        "I8": random.integers(-127, 128, _TILE, np.int8).tobytes(),
    }


def _tensors(shape: Shape, method: Method) -> Iterator[_Tensor]:
    kv = shape.kv_heads * shape.head_dim
    linears = [
        ("self_attn.q_proj", shape.hidden, shape.hidden),
        ("self_attn.k_proj", kv, shape.hidden),
        ("self_attn.v_proj", kv, shape.hidden),
        ("self_attn.o_proj", shape.hidden, shape.hidden),
        ("mlp.gate_proj", shape.intermediate, shape.hidden),
        ("mlp.up_proj", shape.intermediate, shape.hidden),
        ("mlp.down_proj", shape.hidden, shape.intermediate),
    ]
    plain = "F16" if method == "gptq" else "BF16"
    yield _Tensor("model.embed_tokens.weight", plain, (shape.vocab, shape.hidden))
    for layer in range(shape.layers):
        prefix = f"model.layers.{layer}"
        for norm in ("input_layernorm", "post_attention_layernorm"):
            yield _Tensor(f"{prefix}.{norm}.weight", plain, (shape.hidden,))
        for name, rows, columns in linears:
            if name[-6:] in ("q_proj", "k_proj", "v_proj"):
                yield _Tensor(f"{prefix}.{name}.bias", plain, (rows,))
            yield from _linear(f"{prefix}.{name}", rows, columns, method)
    yield _Tensor("model.norm.weight", plain, (shape.hidden,))
    if not shape.tied:
        yield _Tensor("lm_head.weight", plain, (shape.vocab, shape.hidden))


def _linear(name: str, rows: int, columns: int, method: Method) -> Iterator[_Tensor]:
    if method == "gptq":
        groups = columns // GROUP
        yield _Tensor(f"{name}.qweight", "I32", (columns // 8, rows))
        yield _Tensor(f"{name}.qzeros", "I32", (groups, rows // 8))
        yield _Tensor(f"{name}.scales", "F16", (groups, rows))
        yield _Tensor(f"{name}.g_idx", "I32", (columns,))
    elif method == "w8a8":
        yield _Tensor(f"{name}.weight", "I8", (rows, columns))
        yield _Tensor(f"{name}.weight_scale", "BF16", (rows, 1))
    else:
        yield _Tensor(f"{name}.weight", "BF16", (rows, columns))


def _config(shape: Shape, method: Method) -> dict[str, Any]:
    config: dict[str, Any] = {
        "architectures": ["Qwen2ForCausalLM"],
        "model_type": "qwen2",
        "hidden_size": shape.hidden,
        "intermediate_size": shape.intermediate,
        "num_hidden_layers": shape.layers,
        "num_attention_heads": shape.heads,
        "num_key_value_heads": shape.kv_heads,
        "max_position_embeddings": shape.context,
        "rope_theta": 1_000_000.0,
        "rms_norm_eps": 1e-6,
        "vocab_size": shape.vocab,
        "hidden_act": "silu",
        "tie_word_embeddings": shape.tied,
        "use_sliding_window": False,
        "bos_token_id": 1,
        "eos_token_id": 2,
        "torch_dtype": "float16" if method == "gptq" else "bfloat16",
    }
    if method == "gptq":
        # As in Qwen/Qwen2.5-0.5B-Instruct-GPTQ-Int4.
        config["quantization_config"] = {
            "quant_method": "gptq",
            "bits": 4,
            "group_size": GROUP,
            "desc_act": False,
            "sym": True,
        }
    elif method == "w8a8":
        config["quantization_config"] = _w8a8_config()
    return config


def _w8a8_config() -> dict[str, Any]:
    """As llm-compressor writes it for dynamic INT8 activations."""
    common = {"num_bits": 8, "type": "int", "symmetric": True}
    return {
        "quant_method": "compressed-tensors",
        "format": "int-quantized",
        "ignore": ["lm_head"],
        "quantization_status": "compressed",
        "config_groups": {
            "group_0": {
                "targets": ["Linear"],
                "weights": common | {"strategy": "channel", "dynamic": False},
                "input_activations": common | {"strategy": "token", "dynamic": True},
            }
        },
    }


def _write_tokenizer(folder: Path, demo: Path, size: int) -> None:
    shutil.copy(demo / "tokenizer_config.json", folder)
    tokenizer = json.loads((demo / "tokenizer.json").read_text())
    model = tokenizer["model"]
    words = [word for word in model["vocab"] if word.isalpha()]
    if size < len(model["vocab"]):
        kept = {word: index for word, index in model["vocab"].items() if index < size}
        model["vocab"] = kept
        model["merges"] = [
            [a, b] for a, b in model["merges"] if a in kept and b in kept and a + b in kept
        ]
    for first in words:
        if len(model["vocab"]) >= size:
            break
        for second in words[:64]:
            joined = first + second
            if joined not in model["vocab"] and len(model["vocab"]) < size:
                model["merges"].append([first, second])
                model["vocab"][joined] = len(model["vocab"])
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer))
