"""How memory is divided before a model is loaded."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from qwenchat.models.fit import (
    BLOCK_TOKENS,
    DEFAULT_CONTEXT_LENGTH,
    GIB,
    WORKING_MEMORY_BYTES,
    DoesNotFit,
    kv_bytes_per_token,
    loaded_weights_bytes,
    plan_memory,
)
from qwenchat.models.snapshot import Snapshot

# Qwen2.5-7B-Instruct, from its config.json.
QWEN_7B = Snapshot(
    path=Path("/models/7b"),
    name="Qwen2.5-7B-Instruct",
    architecture="Qwen2ForCausalLM",
    context_length=32_768,
    layers=28,
    kv_heads=4,
    head_dim=128,
    dtype="bfloat16",
    quantization=None,
    weights_bytes=15_231_233_024,
    vocab_size=152_064,
)


def test_the_cache_of_a_token_is_two_numbers_a_head_dimension_layer_and_head() -> None:
    assert kv_bytes_per_token(QWEN_7B) == 57_344  # 2 * 28 * 4 * 128 * 2
    assert kv_bytes_per_token(QWEN_7B, "float32") == 2 * 57_344


def test_weights_grow_with_the_dtype_they_are_loaded_in() -> None:
    assert loaded_weights_bytes(QWEN_7B) == QWEN_7B.weights_bytes
    assert loaded_weights_bytes(QWEN_7B, "float32") == 2 * QWEN_7B.weights_bytes
    assert loaded_weights_bytes(replace(QWEN_7B, dtype="float32")) == QWEN_7B.weights_bytes // 2
    packed = replace(QWEN_7B, quantization="gptq")
    assert loaded_weights_bytes(packed, "float32") == QWEN_7B.weights_bytes


def test_with_room_the_default_context_is_planned_for_four_chats() -> None:
    plan = plan_memory(QWEN_7B, available_bytes=64 * GIB, max_concurrent=8)
    assert plan.context_length == DEFAULT_CONTEXT_LENGTH
    tokens = plan.kv_cache_bytes // kv_bytes_per_token(QWEN_7B)
    assert 4 * DEFAULT_CONTEXT_LENGTH <= tokens <= 4 * DEFAULT_CONTEXT_LENGTH + 2 * BLOCK_TOKENS


@pytest.mark.parametrize("gib", [16.5, 17, 18, 20, 24, 48])
def test_a_plan_never_takes_more_than_there_is(gib: float) -> None:
    available = int(gib * GIB)
    plan = plan_memory(QWEN_7B, available_bytes=available, max_concurrent=8)
    assert QWEN_7B.weights_bytes + WORKING_MEMORY_BYTES + plan.kv_cache_bytes <= available
    tokens = plan.kv_cache_bytes // kv_bytes_per_token(QWEN_7B)
    assert tokens >= plan.context_length + BLOCK_TOKENS


def test_little_room_shortens_the_context_before_it_refuses() -> None:
    plan = plan_memory(QWEN_7B, available_bytes=int(15.8 * GIB), max_concurrent=8)
    assert 1024 <= plan.context_length < DEFAULT_CONTEXT_LENGTH


def test_too_little_is_refused_with_both_numbers_and_a_way_out() -> None:
    with pytest.raises(DoesNotFit) as refusal:
        plan_memory(QWEN_7B, available_bytes=8 * GIB, max_concurrent=8)
    assert "8.0 GiB" in refusal.value.message
    assert "15.5 GiB" in refusal.value.message
    assert "smaller model" in refusal.value.message


def test_a_context_asked_for_is_kept_or_refused() -> None:
    plan = plan_memory(QWEN_7B, available_bytes=24 * GIB, max_concurrent=8, context_length=30_000)
    assert plan.context_length == 30_000
    with pytest.raises(DoesNotFit):
        plan_memory(
            QWEN_7B, available_bytes=int(15.8 * GIB), max_concurrent=8, context_length=30_000
        )


def test_no_more_than_the_model_allows() -> None:
    plan = plan_memory(QWEN_7B, available_bytes=64 * GIB, max_concurrent=1, context_length=10**6)
    assert plan.context_length == QWEN_7B.context_length
