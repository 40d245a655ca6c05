"""Whether a model fits, and how memory is divided before it is loaded."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from qwenchat.models import fit
from qwenchat.models.catalog import Catalogue, catalogue
from qwenchat.models.fit import (
    BLOCK_TOKENS,
    DEFAULT_CONTEXT_LENGTH,
    DISK_RESERVE_BYTES,
    GIB,
    PACKED_COPIES,
    DoesNotFit,
    catalogue_footprint,
    check_fit,
    disk_shortage,
    kv_bytes_per_token,
    largest_that_fits,
    listing_footprint,
    loaded_weights_bytes,
    plan_memory,
    snapshot_footprint,
)
from qwenchat.models.snapshot import Snapshot, inspect_snapshot
from qwenchat.models.snapshot_config import parse_config

# From their config.json files and safetensors totals.
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
    hidden_size=3_584,
    spare_output_layer=False,
)
QWEN_1_5B = replace(
    QWEN_7B,
    path=Path("/models/1.5b"),
    name="Qwen2.5-1.5B-Instruct",
    kv_heads=2,
    weights_bytes=3_087_428_608,
    vocab_size=151_936,
    hidden_size=1_536,
)
NONE = Catalogue((), ())


class TestParts:
    def test_the_cache_of_a_token_is_two_numbers_a_head_dimension_layer_and_head(self) -> None:
        assert kv_bytes_per_token(QWEN_7B) == 57_344  # 2 * 28 * 4 * 128 * 2
        assert kv_bytes_per_token(QWEN_7B, "float32") == 2 * 57_344

    def test_weights_grow_with_the_dtype_they_are_loaded_in(self) -> None:
        assert loaded_weights_bytes(QWEN_7B) == QWEN_7B.weights_bytes
        assert loaded_weights_bytes(QWEN_7B, "float32") == 2 * QWEN_7B.weights_bytes
        single = replace(QWEN_7B, dtype="float32")
        assert loaded_weights_bytes(single) == QWEN_7B.weights_bytes // 2
        packed = replace(QWEN_7B, quantization="gptq")
        assert loaded_weights_bytes(packed, "float32") == QWEN_7B.weights_bytes

    def test_an_output_layer_that_equals_the_embedding_is_not_loaded(self) -> None:
        spare = replace(QWEN_7B, spare_output_layer=True)
        assert loaded_weights_bytes(spare) == QWEN_7B.weights_bytes - 2 * 152_064 * 3_584

    def test_two_packed_copies_of_the_vocabulary_s_matrix_are_counted(self) -> None:
        wide = replace(QWEN_7B, hidden_size=QWEN_7B.hidden_size + 1)
        more = snapshot_footprint(wide).fixed_bytes - snapshot_footprint(QWEN_7B).fixed_bytes
        assert more == PACKED_COPIES * 2 * 152_064

    def test_a_catalogue_row_and_the_snapshot_it_names_agree(self) -> None:
        found = catalogue().find("Qwen/Qwen2.5-7B-Instruct")
        assert found is not None
        expected = snapshot_footprint(replace(QWEN_7B, name=found[1].id))
        assert catalogue_footprint(*found) == expected

    def test_a_hub_listing_and_the_snapshot_agree(self) -> None:
        config = {
            "architectures": ["Qwen2ForCausalLM"],
            "hidden_size": 3584,
            "num_hidden_layers": 28,
            "num_attention_heads": 28,
            "num_key_value_heads": 4,
            "vocab_size": 152_064,
            "max_position_embeddings": 32_768,
            "torch_dtype": "bfloat16",
        }
        parsed = parse_config(config, "config.json")
        listed = listing_footprint(parsed, QWEN_7B.name, QWEN_7B.weights_bytes)
        assert listed == snapshot_footprint(QWEN_7B)

    def test_the_demo_model_is_as_the_formulas_think(self, demo_snapshot: Path) -> None:
        there = snapshot_footprint(inspect_snapshot(demo_snapshot))
        assert replace(there, name=fit.DEMO_FOOTPRINT.name) == fit.DEMO_FOOTPRINT


class TestAnswers:
    def test_with_room_it_fits_and_the_longest_context_is_the_model_s(self) -> None:
        found = check_fit(snapshot_footprint(QWEN_7B), available_bytes=64 * GIB, chats=4)
        assert (found.answer, found.longest_context) == ("fits", 32_768)
        assert "64.0 GiB" in found.message and "32,768" in found.message

    def test_with_less_room_it_is_tight_and_the_longest_context_is_said(self) -> None:
        footprint = snapshot_footprint(QWEN_7B)
        available = footprint.needed_bytes(4_096)
        found = check_fit(footprint, available_bytes=available)
        assert found.answer == "tight"
        assert found.longest_context == 4_096
        assert "4,096 tokens" in found.message

    def test_many_chats_can_be_tight_where_one_fits(self) -> None:
        footprint = snapshot_footprint(QWEN_7B)
        available = footprint.needed_bytes(DEFAULT_CONTEXT_LENGTH)
        assert check_fit(footprint, available_bytes=available).answer == "fits"
        found = check_fit(footprint, available_bytes=available, chats=4)
        assert found.answer == "tight" and "each of 4 chats" in found.message

    def test_the_1_5b_in_2_gib_does_not_fit_and_a_model_that_does_is_named(self) -> None:
        found = check_fit(snapshot_footprint(QWEN_1_5B), available_bytes=2 * GIB)
        assert (found.answer, found.longest_context) == ("does_not_fit", 0)
        assert f"needs {found.needed_bytes / GIB:.1f} GiB" in found.message
        assert "you have 2.0 GiB" in found.message
        assert "This one fits: the demo model" in found.message

    def test_the_7b_in_4_gib_does_not_fit_and_a_model_of_the_catalogue_is_named(self) -> None:
        found = check_fit(snapshot_footprint(QWEN_7B), available_bytes=4 * GIB)
        named = largest_that_fits(4 * GIB)
        assert named is not None and f"This one fits: {named[1].id}." in found.message
        again = check_fit(catalogue_footprint(*named), available_bytes=4 * GIB)
        assert again.answer == "fits"

    def test_where_nothing_fits_nothing_is_named(self) -> None:
        found = check_fit(snapshot_footprint(QWEN_7B), available_bytes=GIB // 2, known=NONE)
        assert "This one fits" not in found.message and "Close other programs" in found.message

    @pytest.mark.parametrize("gib", [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 64])
    def test_more_memory_never_makes_the_answer_worse(self, gib: int) -> None:
        order = ["does_not_fit", "tight", "fits"]
        for model, variant in catalogue().pairs():
            footprint = catalogue_footprint(model, variant)
            less = check_fit(footprint, available_bytes=gib * GIB)
            more = check_fit(footprint, available_bytes=(gib + 1) * GIB)
            assert order.index(less.answer) <= order.index(more.answer)
            assert less.longest_context <= more.longest_context

    def test_what_it_says_to_need_is_enough(self) -> None:
        for model, variant in catalogue().pairs():
            footprint = catalogue_footprint(model, variant)
            needed = check_fit(footprint, available_bytes=0).needed_bytes
            assert check_fit(footprint, available_bytes=needed + 1).answer != "does_not_fit"

    def test_a_full_disk_is_said_with_both_numbers(self) -> None:
        assert disk_shortage("m", 2 * GIB, 2 * GIB + DISK_RESERVE_BYTES) is None
        message = disk_shortage("m", 2 * GIB, GIB)
        assert message is not None and "2.2 GiB" in message and "1.0 GiB" in message


class TestPlan:
    def test_with_room_the_default_context_is_planned_for_four_chats(self) -> None:
        plan = plan_memory(QWEN_7B, available_bytes=64 * GIB, max_concurrent=8)
        assert plan.context_length == DEFAULT_CONTEXT_LENGTH
        tokens = plan.kv_cache_bytes // kv_bytes_per_token(QWEN_7B)
        most = 4 * DEFAULT_CONTEXT_LENGTH + 2 * BLOCK_TOKENS
        assert 4 * DEFAULT_CONTEXT_LENGTH <= tokens <= most

    @pytest.mark.parametrize("gib", [19, 19.5, 20, 22, 24, 48])
    def test_a_plan_never_takes_more_than_there_is(self, gib: float) -> None:
        available = int(gib * GIB)
        plan = plan_memory(QWEN_7B, available_bytes=available, max_concurrent=8)
        assert snapshot_footprint(QWEN_7B).resident_bytes(plan.kv_cache_bytes) <= available
        tokens = plan.kv_cache_bytes // kv_bytes_per_token(QWEN_7B)
        assert tokens >= plan.context_length + BLOCK_TOKENS

    def test_little_room_shortens_the_context_before_it_refuses(self) -> None:
        available = snapshot_footprint(QWEN_7B).needed_bytes(2_048)
        plan = plan_memory(QWEN_7B, available_bytes=available, max_concurrent=8)
        assert plan.context_length == 2_048

    def test_too_little_is_refused_with_both_numbers_and_a_model_that_fits(self) -> None:
        with pytest.raises(DoesNotFit) as refusal:
            plan_memory(QWEN_1_5B, available_bytes=2 * GIB, max_concurrent=8)
        message = refusal.value.message
        assert "needs 5.0 GiB" in message and "you have 2.0 GiB" in message
        assert "This one fits:" in message

    def test_a_context_asked_for_is_kept_or_refused(self) -> None:
        footprint = snapshot_footprint(QWEN_7B)
        enough = footprint.needed_bytes(30_000)
        plan = plan_memory(QWEN_7B, available_bytes=enough, max_concurrent=8, context_length=30_000)
        assert plan.context_length == 30_000
        with pytest.raises(DoesNotFit, match="30,000 tokens"):
            plan_memory(
                QWEN_7B,
                available_bytes=footprint.needed_bytes(29_000),
                max_concurrent=8,
                context_length=30_000,
            )

    def test_a_context_that_is_too_long_is_answered_with_one_that_fits(self) -> None:
        available = snapshot_footprint(QWEN_7B).needed_bytes(4_096)
        with pytest.raises(DoesNotFit, match="Set --context-length 4096 or less"):
            plan_memory(QWEN_7B, available_bytes=available, max_concurrent=1, context_length=30_000)
        plan_memory(QWEN_7B, available_bytes=available, max_concurrent=1, context_length=4_096)

    def test_where_no_context_would_fit_a_shorter_one_is_not_advised(self) -> None:
        found = check_fit(snapshot_footprint(QWEN_1_5B), available_bytes=2 * GIB)
        assert "--context-length" not in found.message

    def test_no_more_than_the_model_allows(self) -> None:
        plan = plan_memory(
            QWEN_7B, available_bytes=64 * GIB, max_concurrent=1, context_length=10**6
        )
        assert plan.context_length == QWEN_7B.context_length

    def test_the_plan_and_the_answer_before_it_agree(self) -> None:
        footprint = snapshot_footprint(QWEN_7B)
        for gib in (17, 18, 19, 20, 24):
            found = check_fit(footprint, available_bytes=gib * GIB)
            if found.answer == "does_not_fit":
                with pytest.raises(DoesNotFit):
                    plan_memory(QWEN_7B, available_bytes=gib * GIB, max_concurrent=1)
            else:
                plan = plan_memory(QWEN_7B, available_bytes=gib * GIB, max_concurrent=1)
                assert plan.context_length == min(found.longest_context, DEFAULT_CONTEXT_LENGTH)
