"""Whether a snapshot's tensors have the shapes its ``config.json`` says.

vLLM loads a tensor into the part of its own that the tensor fills: with a larger
``intermediate_size`` in the file than in the configuration, or the other way round, it may
load without a word and answer noise. So the two are compared here, for the architectures
whose tensors are known by name; of others only the embedding.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from qwenchat.errors import ModelDamaged
from qwenchat.models.snapshot_config import ModelConfig

CHECKED = ("Qwen2ForCausalLM", "Qwen3ForCausalLM", "LlamaForCausalLM", "MistralForCausalLM")
"""Architectures with these tensors' names and shapes (``vllm/model_executor/models/qwen2.py``,
``qwen3.py``, ``llama.py``)."""
PACKED = 8
"""4-bit numbers in one 32-bit integer of GPTQ, AWQ and compressed-tensors."""

_LINEAR = re.compile(
    r"(?:.*\.)?layers\.(?P<layer>\d+)\.(?:self_attn|mlp)\."
    r"(?P<name>[qkvo]_proj|(?:gate|up|down)_proj)\.(?P<kind>weight|qweight|weight_packed)"
)
_EMBEDDING = re.compile(r"(?!.*visual)(?:.*\.)?embed_tokens\.weight")
_OUTPUT = re.compile(r"(?:.*\.)?lm_head\.weight")


def check_shapes(where: str, config: ModelConfig, shapes: Mapping[str, tuple[int, ...]]) -> None:
    """Compare the tensors' shapes with the configuration.

    Args:
        where: Names the snapshot in complaints.

    Raises:
        ModelDamaged: A tensor has another shape, or a layer is missing or one too many; the
            message names the tensor, what was expected and what was found.
    """
    known = config.architecture in CHECKED
    for name, expected, key in _expected(config, shapes, known):
        if shapes[name] != expected:
            raise ModelDamaged(
                f"{where} does not fit together: by {key} in config.json the tensor {name} should "
                f"have the shape {_shown(expected)}, and has {_shown(shapes[name])}. The weights "
                "and config.json are of different models; get the whole model again."
            )
    if known:
        _check_layers(where, config, shapes)


def stores_output_layer(shapes: Mapping[str, tuple[int, ...]]) -> bool:
    """Whether there is a matrix of its own for the output layer."""
    return any(_OUTPUT.fullmatch(name) for name in shapes)


def _expected(
    config: ModelConfig, shapes: Mapping[str, tuple[int, ...]], known: bool
) -> Iterator[tuple[str, tuple[int, ...], str]]:
    """Name, expected shape, and the keys of config.json it follows from."""
    linears = _linear_shapes(config)
    for name in shapes:
        if _EMBEDDING.fullmatch(name) or (known and _OUTPUT.fullmatch(name)):
            yield name, (config.vocab_size, config.hidden_size), "vocab_size and hidden_size"
        elif known and (found := _LINEAR.fullmatch(name)) and found["name"] in linears:
            rows, columns, keys = linears[found["name"]]
            yield name, _as_stored(config, found["kind"], rows, columns), keys


def _linear_shapes(config: ModelConfig) -> dict[str, tuple[int, int, str]]:
    """Rows (outputs), columns (inputs), and the keys of config.json they come from."""
    hidden = config.hidden_size
    heads = config.heads * config.head_dim
    kv = config.kv_heads * config.head_dim
    shapes = {
        "q_proj": (heads, hidden, "num_attention_heads, head_dim and hidden_size"),
        "k_proj": (kv, hidden, "num_key_value_heads, head_dim and hidden_size"),
        "v_proj": (kv, hidden, "num_key_value_heads, head_dim and hidden_size"),
        "o_proj": (hidden, heads, "num_attention_heads, head_dim and hidden_size"),
    }
    if config.intermediate_size is not None:
        wide, keys = config.intermediate_size, "intermediate_size and hidden_size"
        shapes["gate_proj"] = shapes["up_proj"] = (wide, hidden, keys)
        shapes["down_proj"] = (hidden, wide, keys)
    return shapes


def _as_stored(config: ModelConfig, kind: str, rows: int, columns: int) -> tuple[int, ...]:
    """How a matrix lies in the file: packed along the inputs by GPTQ, along the outputs by
    AWQ (both transposed), along the inputs by compressed-tensors."""
    if kind == "qweight":
        if config.quantization == "awq":
            return columns, rows // PACKED
        return columns // PACKED, rows
    if kind == "weight_packed":
        return rows, columns // PACKED
    return rows, columns


def _check_layers(where: str, config: ModelConfig, shapes: Mapping[str, tuple[int, ...]]) -> None:
    found = {int(match["layer"]) for name in shapes if (match := _LINEAR.fullmatch(name))}
    if not found:
        return
    missing = sorted(set(range(config.layers)) - found)
    if missing or max(found) >= config.layers:
        have = f"layer {missing[0]} is missing" if missing else f"there is a layer {max(found)}"
        raise ModelDamaged(
            f"{where} does not fit together: num_hidden_layers in config.json is {config.layers} "
            f"(layers 0 to {config.layers - 1}), and in the weights {have}. The weights and "
            "config.json are of different models; get the whole model again."
        )
    if not config.tied and not stores_output_layer(shapes):
        raise ModelDamaged(
            f"{where} does not fit together: config.json says the output layer has weights of its "
            "own (tie_word_embeddings is not true), and there is no tensor lm_head.weight. Get "
            "the whole model again."
        )


def _shown(shape: tuple[int, ...]) -> str:
    return " × ".join(f"{size:,}" for size in shape) or "()"
