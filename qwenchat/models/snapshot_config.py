"""What a snapshot's ``config.json`` says, in vLLM's reading of it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
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
_CHARACTERS_SHOWN = 40
_MEDIA_KEYS = ("vision_config", "audio_config", "visual", "thinker_config")
_MOE_KEYS = ("num_experts", "num_local_experts", "n_routed_experts", "moe_num_experts")

MAX_JSON_BYTES = 32 * 1024**2
"""No JSON file of a snapshot is longer: a config.json has some thousand bytes, the weights'
index of a model of a trillion parameters about ten million. What is longer stays unread."""
LARGEST_NUMBER = 100_000_000
"""No number of a shape is larger; the largest contexts and vocabularies have some million."""


@dataclass(frozen=True, slots=True)
class ModelConfig:
    """The numbers of a model's shape; see also :class:`qwenchat.models.snapshot.Snapshot`.

    Attributes:
        heads: Query heads of a layer.
        hidden_size: Numbers that stand for a token between layers.
        intermediate_size: Width of a layer's feed-forward part; None where not given.
        tied: Whether the output layer shares the embedding's weights.
        experts: Feed-forward parts of a layer of which each token uses some; 0 for one only.
        quantization: vLLM's name of the method; None for none.
        quantization_config: What config.json says about it; empty for none.
        own_code: Whether the repository brings Python code for the model (``auto_map``).
        multimodal: Whether it also takes pictures, sound or video.
    """

    architecture: str
    context_length: int
    layers: int
    heads: int
    kv_heads: int
    head_dim: int
    hidden_size: int
    intermediate_size: int | None
    vocab_size: int
    tied: bool
    experts: int
    dtype: str | None
    quantization: str | None
    quantization_config: Mapping[str, Any]
    own_code: bool
    multimodal: bool


def read_json_object(path: Path) -> dict[str, Any]:
    """The JSON object in a file of the snapshot.

    Raises:
        ModelDamaged: It cannot be read, is longer than :data:`MAX_JSON_BYTES`, is no JSON,
            or is JSON of another kind.
    """
    try:
        size = path.stat().st_size
        if size > MAX_JSON_BYTES:
            raise ModelDamaged(
                f"{path} has {size:,} bytes, far more than any such file has, so it is damaged "
                "or something else and stays unread. Get this file, or the whole model, again."
            )
        content = path.read_bytes()
    except OSError as error:
        raise ModelDamaged(
            f"{path} cannot be read ({error.strerror}). Give this user the right to read it."
        ) from error
    return parse_json_object(content, str(path))


def parse_json_object(content: bytes, where: str) -> dict[str, Any]:
    """The JSON object in ``content``; ``where`` names its file in complaints.

    Raises:
        ModelDamaged: It is no JSON, or JSON of another kind.
    """
    try:
        parsed = json.loads(content.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise ModelDamaged(
            f"{where} is not valid JSON, so it is damaged or was cut short. Get this file, or "
            "the whole model, again."
        ) from error
    if not isinstance(parsed, dict):
        raise ModelDamaged(
            f"{where} should hold a JSON object and holds something else. Get this file, or "
            "the whole model, again."
        )
    return parsed


def read_config(path: Path) -> ModelConfig:
    """Read ``config.json``.

    Raises:
        ModelDamaged: Not a JSON object, or without the numbers every model has.
        UnsupportedModel: Not a text-generation model.
    """
    return parse_config(read_json_object(path), str(path))


def parse_config(config: dict[str, Any], path: str) -> ModelConfig:
    """The model's shape as the content of ``config.json`` says it.

    The keys and their order follow vLLM 0.32, ``model_arch_config_convertor.py`` and
    ``_get_and_verify_max_len``.

    Args:
        path: Names the file in complaints.

    Raises:
        ModelDamaged: Without the numbers every model has, or with impossible ones.
        UnsupportedModel: Not a text-generation model.
    """
    architecture = _architecture(path, config)
    # Multimodal models keep the language model's numbers one level down.
    text = next(
        (config[key] for key in ("text_config", "llm_config") if isinstance(config.get(key), dict)),
        config,
    )
    heads = _number(path, text, ("num_attention_heads", "n_head"))
    hidden = _number(path, text, ("hidden_size", "n_embd"))
    kv_heads = _optional(path, text, _KV_HEAD_KEYS) or heads
    head_dim = _optional(path, text, ("head_dim", "hidden_size_per_head")) or hidden // heads
    if head_dim == 0 or heads % kv_heads:
        raise ModelDamaged(
            f"{path} gives {heads:,} attention heads, {kv_heads:,} of them for keys and values, "
            f"in a width of {hidden:,}, which no model can have. Get this file, or the whole "
            "model, again."
        )
    quantization = _quantization(config) or _quantization(text)
    return ModelConfig(
        architecture=architecture,
        context_length=_context_length(text),
        layers=_number(path, text, ("num_hidden_layers", "n_layer", "num_layers")),
        heads=heads,
        kv_heads=kv_heads,
        head_dim=head_dim,
        hidden_size=hidden,
        intermediate_size=_optional(path, text, ("intermediate_size",)),
        vocab_size=_number(path, text, ("vocab_size", "padded_vocab_size")),
        tied=_tied(config, text),
        experts=_first_number(text, _MOE_KEYS) or 0,
        dtype=_dtype(text) or _dtype(config),
        quantization=_method(quantization),
        quantization_config=quantization,
        own_code=_has_own_code(config),
        multimodal=_is_multimodal(architecture, config),
    )


def _architecture(path: str, config: dict[str, Any]) -> str:
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
            f"{path} is that of a {names[0]}, which is no chat model (it does not continue "
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


def _quantization(config: dict[str, Any]) -> dict[str, Any]:
    for key in ("quantization_config", "compression_config"):
        value = config.get(key)
        if isinstance(value, dict):
            return value
    return {}


def _method(quantization: dict[str, Any]) -> str | None:
    return str(quantization.get("quant_method", "compressed-tensors")) if quantization else None


def _tied(config: dict[str, Any], text: dict[str, Any]) -> bool:
    value = config.get("tie_word_embeddings", text.get("tie_word_embeddings"))
    return value is True


def _has_own_code(config: dict[str, Any]) -> bool:
    names = config.get("auto_map")
    return isinstance(names, dict) and any(
        key == "AutoConfig" or key.startswith("AutoModel") for key in names
    )


def _is_multimodal(architecture: str, config: dict[str, Any]) -> bool:
    # vLLM runs Qwen3.5's text-only architecture with the code of its multimodal one.
    return architecture.startswith("Qwen3_5") or any(
        isinstance(config.get(key), dict) for key in _MEDIA_KEYS
    )


def _positive(value: Any) -> int | None:
    is_number = isinstance(value, int) and not isinstance(value, bool)
    return value if is_number and 0 < value <= LARGEST_NUMBER else None


def _first_number(config: dict[str, Any], keys: tuple[str, ...]) -> int | None:
    return next((found for key in keys if (found := _positive(config.get(key)))), None)


def _number(path: str, config: dict[str, Any], keys: tuple[str, ...]) -> int:
    found = _optional(path, config, keys)
    if found is None:
        raise ModelDamaged(
            f"{path} lacks {keys[0]}, which every model has. Get this file, or the whole model, "
            "again."
        )
    return found


def _optional(path: str, config: dict[str, Any], keys: tuple[str, ...]) -> int | None:
    """The first of ``keys`` that is given; what is given must be a number a model can have."""
    for key in keys:
        value = config.get(key)
        # Some architectures give a list, one number a layer.
        if value is not None and not isinstance(value, list):
            if _positive(value) is None:
                raise ModelDamaged(
                    f"{path} says {key} is {_shown(value)}, which no model can have. Get this "
                    "file, or the whole model, again."
                )
            return int(value)
    return None


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _CHARACTERS_SHOWN else f"{text[:_CHARACTERS_SHOWN]}…"
