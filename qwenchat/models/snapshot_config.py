"""What a snapshot's ``config.json`` says, in vLLM's reading of it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from qwenchat.errors import ModelDamaged, UnsupportedModel

# The endings of the text-generating architectures in vLLM's registry (multimodal models,
# which also chat, end in the later ones).
_GENERATING = (
    "ForCausalLM",
    "LMHeadModel",
    "ForConditionalGeneration",
    "ChatModel",
    "ChatGLMModel",
)
_CONTEXT_KEYS = (
    "max_position_embeddings",
    "n_positions",
    "max_seq_len",
    "seq_length",
    "max_sequence_length",
    "max_seq_length",
    "seq_len",
)
_KV_HEAD_KEYS = ("n_head_kv", "num_kv_heads", "num_key_value_heads", "multi_query_group_num")
# These leave max_position_embeddings already scaled.
_SCALED_ALREADY = {"su", "longrope", "llama3", "yarn", "deepseek_yarn", "deepseek_llama_scaling"}
_DEFAULT_CONTEXT = 2048


@dataclass(frozen=True, slots=True)
class ModelConfig:
    """The numbers of a model's shape; see :class:`qwenchat.models.snapshot.Snapshot`."""

    architecture: str
    context_length: int
    layers: int
    kv_heads: int
    head_dim: int
    dtype: str | None
    quantization: str | None
    vocab_size: int


def read_json_object(path: Path) -> dict[str, Any]:
    """The JSON object in a file of the snapshot.

    Raises:
        ModelDamaged: It cannot be read, is no JSON, or is JSON of another kind.
    """
    try:
        content = json.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise ModelDamaged(
            f"{path} cannot be read ({error.strerror}). Give this user the right to read it."
        ) from error
    except (ValueError, RecursionError) as error:
        raise ModelDamaged(
            f"{path} is not valid JSON, so it is damaged or was cut short. Get this file, or "
            "the whole model, again."
        ) from error
    if not isinstance(content, dict):
        raise ModelDamaged(
            f"{path} should hold a JSON object and holds something else. Get this file, or "
            "the whole model, again."
        )
    return content


def read_config(path: Path) -> ModelConfig:
    """Read ``config.json``.

    The keys and their order follow vLLM 0.32, ``model_arch_config_convertor.py`` and
    ``_get_and_verify_max_len``.

    Raises:
        ModelDamaged: Not a JSON object, or without the numbers every model has.
        UnsupportedModel: Not a text-generation model.
    """
    config = read_json_object(path)
    architecture = _architecture(path, config)
    # Multimodal models keep the language model's numbers one level down.
    text = next(
        (config[key] for key in ("text_config", "llm_config") if isinstance(config.get(key), dict)),
        config,
    )
    heads = _number(path, text, ("num_attention_heads", "n_head"))
    hidden = _number(path, text, ("hidden_size", "n_embd"))
    return ModelConfig(
        architecture=architecture,
        context_length=_context_length(text),
        layers=_number(path, text, ("num_hidden_layers", "n_layer", "num_layers")),
        kv_heads=_first_number(text, _KV_HEAD_KEYS) or heads,
        head_dim=_first_number(text, ("head_dim", "hidden_size_per_head")) or hidden // heads,
        dtype=_dtype(text) or _dtype(config),
        quantization=_quantization(config) or _quantization(text),
        vocab_size=_number(path, text, ("vocab_size", "padded_vocab_size")),
    )


def _architecture(path: Path, config: dict[str, Any]) -> str:
    listed = config.get("architectures")
    names = [name for name in listed if isinstance(name, str)] if isinstance(listed, list) else []
    if not names:
        raise UnsupportedModel(
            f"{path} does not say which architecture the model has, so vLLM cannot run it. "
            "Choose a model that is made for chat, such as Qwen/Qwen2.5-0.5B-Instruct."
        )
    generating = [name for name in names if name.endswith(_GENERATING)]
    if not generating or config.get("is_encoder_decoder") is True:
        raise UnsupportedModel(
            f"{path.parent} holds a {names[0]}, which is no chat model (it does not continue "
            "text). Choose a model that is made for chat, such as Qwen/Qwen2.5-0.5B-Instruct."
        )
    return generating[0]


def _context_length(text: dict[str, Any]) -> int:
    lengths = [found for key in _CONTEXT_KEYS if (found := _positive(text.get(key)))]
    length = _positive(text.get("model_max_length")) or min(lengths, default=_DEFAULT_CONTEXT)
    factor = 1.0
    for rope in _rope_parameters(text):
        kind = rope.get("rope_type", rope.get("type", "default"))
        stated = rope.get("factor")
        if kind not in _SCALED_ALREADY and isinstance(stated, int | float) and stated > 0:
            factor = stated
    if "gemma3" in str(text.get("model_type")):
        factor = 1.0
    return int(length * factor)


def _rope_parameters(text: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for key in ("rope_parameters", "rope_scaling"):
        value = text.get(key)
        if isinstance(value, dict):
            yield value
            # Newer configurations have one set for each type of layer.
            yield from (inner for inner in value.values() if isinstance(inner, dict))


def _dtype(config: dict[str, Any]) -> str | None:
    value = config.get("dtype", config.get("torch_dtype"))
    return value.removeprefix("torch.") if isinstance(value, str) else None


def _quantization(config: dict[str, Any]) -> str | None:
    for key in ("quantization_config", "compression_config"):
        value = config.get(key)
        if isinstance(value, dict):
            return str(value.get("quant_method", "compressed-tensors"))
    return None


def _positive(value: Any) -> int | None:
    is_number = isinstance(value, int) and not isinstance(value, bool)
    return value if is_number and value > 0 else None


def _first_number(config: dict[str, Any], keys: tuple[str, ...]) -> int | None:
    return next((found for key in keys if (found := _positive(config.get(key)))), None)


def _number(path: Path, config: dict[str, Any], keys: tuple[str, ...]) -> int:
    found = _first_number(config, keys)
    if found is None:
        raise ModelDamaged(
            f"{path} lacks {keys[0]}, or its value is no positive whole number. Get this "
            "file, or the whole model, again."
        )
    return found
