"""From the demo model's GGUF file to a Qwen2 snapshot, without torch or transformers.

SmolLM2 has Llama's shape, and Qwen2 is Llama plus a bias on q, k and v. With those biases
zero the same weights run through vLLM's Qwen2 code, the one this app is about.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from qwenchat.models.safetensors_file import TensorPlan, write_bfloat16

if TYPE_CHECKING:
    import gguf
    import numpy as np
    from numpy.typing import NDArray

CONVERSION_VERSION = "3"
"""Raise it when what this module writes changes: snapshots made before are then remade."""

_ROWS_AT_ONCE = 4096

_TENSOR_NAMES = {
    "token_embd": "model.embed_tokens",
    "output_norm": "model.norm",
    "attn_norm": "input_layernorm",
    "ffn_norm": "post_attention_layernorm",
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}
_BIASED = ("attn_q", "attn_k", "attn_v")
_CHAT_TEMPLATE = (
    "{% for message in messages %}"
    "{{ '<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>\n' }}"
    "{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
)
"""ChatML, as in the source, without the sentence the source's template puts where a
conversation has no system prompt. With that sentence, or any we tried, the 4-bit weights
drift: asked 20 times for the capital of France at the recommended temperature, they named
Paris 10 times; without one, 60 times of 60.
"""
_CONTROL_TOKEN = 3
"""``LLAMA_TOKEN_TYPE_CONTROL`` of the GGUF specification: a token text never turns into."""


def convert(source: Path, folder: Path, on_bytes: Callable[[int, int], None]) -> None:
    """Write a whole Qwen2 snapshot (weights, tokenizer, configuration) into ``folder``.

    Args:
        source: The GGUF file; its content is trusted, so check its SHA-256 before.
        folder: An empty folder.
        on_bytes: Gets the bytes of weights written so far and those there will be.
    """
    import gguf

    reader = gguf.GGUFReader(source)
    config = _model_config(reader)
    _write_json(folder / "config.json", config)
    _write_json(folder / "tokenizer.json", _tokenizer(reader))
    _write_json(folder / "tokenizer_config.json", _tokenizer_config(reader))
    _write_json(folder / "generation_config.json", _generation_config(config))
    plan, chunks = _weights(reader, config)
    total = sum(tensor.data_bytes for tensor in plan)
    for written in write_bfloat16(folder / "model.safetensors", plan, chunks):
        on_bytes(written, total)


def _write_json(path: Path, content: dict[str, Any]) -> None:
    path.write_text(json.dumps(content, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")


def _field(reader: gguf.GGUFReader, name: str) -> Any:
    return reader.fields[name].contents()


def _model_config(reader: gguf.GGUFReader) -> dict[str, Any]:
    layers = _field(reader, "llama.block_count")
    return {
        "architectures": ["Qwen2ForCausalLM"],
        "model_type": "qwen2",
        "hidden_size": _field(reader, "llama.embedding_length"),
        "intermediate_size": _field(reader, "llama.feed_forward_length"),
        "num_hidden_layers": layers,
        "num_attention_heads": _field(reader, "llama.attention.head_count"),
        "num_key_value_heads": _field(reader, "llama.attention.head_count_kv"),
        "max_position_embeddings": _field(reader, "llama.context_length"),
        "rope_theta": _field(reader, "llama.rope.freq_base"),
        # GGUF stores it as a 32-bit float, 9.99999974e-06.
        "rms_norm_eps": round(_field(reader, "llama.attention.layer_norm_rms_epsilon"), 9),
        "vocab_size": _field(reader, "llama.vocab_size"),
        "hidden_act": "silu",
        "tie_word_embeddings": True,
        "use_sliding_window": False,
        "max_window_layers": layers,
        "attention_dropout": 0.0,
        "initializer_range": 0.02,
        "bos_token_id": _field(reader, "tokenizer.ggml.bos_token_id"),
        "eos_token_id": _field(reader, "tokenizer.ggml.eos_token_id"),
        "pad_token_id": _field(reader, "tokenizer.ggml.padding_token_id"),
        "torch_dtype": "bfloat16",
        "use_cache": True,
    }


def _generation_config(config: dict[str, Any]) -> dict[str, Any]:
    """Sampling as the model card of SmolLM2-135M-Instruct has it: temperature 0.2, top_p 0.9."""
    return {
        "bos_token_id": config["bos_token_id"],
        "eos_token_id": config["eos_token_id"],
        "pad_token_id": config["pad_token_id"],
        "do_sample": True,
        "temperature": 0.2,
        "top_p": 0.9,
    }


def _tokenizer_config(reader: gguf.GGUFReader) -> dict[str, Any]:
    tokens = _field(reader, "tokenizer.ggml.tokens")
    special = {
        f"{role}_token": tokens[_field(reader, f"tokenizer.ggml.{key}_token_id")]
        for role, key in (("bos", "bos"), ("eos", "eos"), ("unk", "unknown"), ("pad", "padding"))
    }
    return special | {
        # transformers 5 forces Qwen2Tokenizer, and with it Qwen's way to split text, on every
        # model of type qwen2, whatever tokenizer.json says; this model was trained with
        # GPT-2's, and indented code would come out wrong. A (never used) auto_map is what
        # makes transformers take the class named here.
        "tokenizer_class": "PreTrainedTokenizerFast",
        "auto_map": {"AutoTokenizer": ["", ""]},
        "model_max_length": _field(reader, "llama.context_length"),
        "clean_up_tokenization_spaces": False,
        "chat_template": _CHAT_TEMPLATE,
    }


def _tokenizer(reader: gguf.GGUFReader) -> dict[str, Any]:
    """``tokenizer.json``: GPT-2's byte-level BPE with every digit a piece of its own.

    The digit rule is what ``tokenizer.ggml.pre = "smollm"`` stands for (llama.cpp's
    ``LLAMA_VOCAB_PRE_TYPE_SMOLLM``). The conversion in transformers ignores it.
    """
    tokens = _field(reader, "tokenizer.ggml.tokens")
    kinds = _field(reader, "tokenizer.ggml.token_type")
    byte_level = {
        "type": "ByteLevel",
        "add_prefix_space": False,
        "trim_offsets": True,
        "use_regex": True,
    }
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [
            {
                "id": index,
                "content": token,
                "single_word": False,
                "lstrip": False,
                "rstrip": False,
                "normalized": False,
                "special": True,
            }
            for index, (token, kind) in enumerate(zip(tokens, kinds, strict=True))
            if kind == _CONTROL_TOKEN
        ],
        "normalizer": None,
        "pre_tokenizer": {
            "type": "Sequence",
            "pretokenizers": [{"type": "Digits", "individual_digits": True}, byte_level],
        },
        "post_processor": None,
        "decoder": byte_level,
        "model": {
            "type": "BPE",
            "dropout": None,
            "unk_token": None,
            "continuing_subword_prefix": None,
            "end_of_word_suffix": None,
            "fuse_unk": False,
            "byte_fallback": False,
            "ignore_merges": False,
            "vocab": {token: index for index, token in enumerate(tokens)},
            "merges": [merge.split(" ") for merge in _field(reader, "tokenizer.ggml.merges")],
        },
    }


def _weights(
    reader: gguf.GGUFReader, config: dict[str, Any]
) -> tuple[list[TensorPlan], Iterator[bytes | memoryview]]:
    heads = {"attn_q": config["num_attention_heads"], "attn_k": config["num_key_value_heads"]}
    plan = []
    for tensor in reader.tensors:
        name, kind = _qwen_name(tensor.name)
        # GGUF counts dimensions from the innermost.
        shape = tuple(int(size) for size in reversed(tensor.shape))
        plan.append(TensorPlan(f"{name}.weight", shape))
        if kind in _BIASED:
            plan.append(TensorPlan(f"{name}.bias", shape[:1]))

    def chunks() -> Iterator[bytes | memoryview]:
        import gguf

        for tensor in reader.tensors:
            kind = _qwen_name(tensor.name)[1]
            for start in range(0, len(tensor.data), _ROWS_AT_ONCE):
                quantized = tensor.data[start : start + _ROWS_AT_ONCE]
                values = gguf.dequantize(quantized, tensor.tensor_type)
                if kind in heads:
                    values = _undo_rotary_permutation(values, heads[kind])
                yield bfloat16(values).data.cast("B")
            if kind in _BIASED:
                yield bytes(2 * len(tensor.data))

    return plan, chunks()


def _qwen_name(gguf_name: str) -> tuple[str, str]:
    """``blk.3.attn_q.weight`` → (``model.layers.3.self_attn.q_proj``, ``attn_q``)."""
    parts = gguf_name.removesuffix(".weight").split(".")
    kind = parts[-1]
    prefix = f"model.layers.{parts[1]}." if parts[0] == "blk" else ""
    return prefix + _TENSOR_NAMES[kind], kind


def _undo_rotary_permutation(values: NDArray[np.float32], heads: int) -> NDArray[np.float32]:
    """Put the halves of each head back side by side (the inverse of llama.cpp's ``permute``)."""
    rows, columns = values.shape
    pairs = values.reshape(heads, rows // heads // 2, 2, columns)
    return pairs.swapaxes(1, 2).reshape(rows, columns)


def bfloat16(values: NDArray[np.float32]) -> NDArray[np.uint16]:
    """The bits of finite 32-bit floats as bfloat16, rounded to nearest, ties to even."""
    import numpy as np

    bits = np.ascontiguousarray(values, dtype=np.float32).view(np.uint32)
    rounded = (bits + (0x7FFF + ((bits >> 16) & 1))) >> 16
    return rounded.astype("<u2")
