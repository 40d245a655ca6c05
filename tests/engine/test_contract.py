"""The contract with vLLM, on the real engine and real weights.

One process loads the model and tries everything (``contract_child.py``); each test looks
at one promise.
"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from tests.engine.contract_child import CONVERSATIONS, EVERY_PARAMETER, WILD_CONVERSATIONS
from tests.engine.running import run_in_engine

pytestmark = [pytest.mark.engine, pytest.mark.slow]


@pytest.fixture(scope="module")
def seen(demo_snapshot: Path) -> Any:
    return run_in_engine("tests.engine.contract_child", str(demo_snapshot))


@pytest.mark.parametrize("name", CONVERSATIONS)
def test_greedy_text_equals_llm_chat(seen: Any, name: str) -> None:
    one = seen["greedy"][name]
    assert one["text"] == one["their_text"]
    assert one["tokens"] == one["their_tokens"]


@pytest.mark.parametrize("name", CONVERSATIONS)
def test_prompt_token_ids_equal_llm_chat(seen: Any, name: str) -> None:
    one = seen["greedy"][name]
    assert one["prompt_ids"] == one["their_prompt_ids"]


@pytest.mark.parametrize("name", WILD_CONVERSATIONS)
def test_joined_deltas_equal_the_final_text_of_a_wild_sampling(seen: Any, name: str) -> None:
    one = seen["wild"][name]
    assert one["text"] == one["their_text"]


def test_the_wild_samplings_hold_text_beyond_ascii(seen: Any) -> None:
    texts = [one["text"] for one in seen["wild"].values()]
    assert any(ord(character) > 0x2E80 for text in texts for character in text)


@pytest.mark.parametrize("name", CONVERSATIONS)
def test_system_prompt_and_whole_history_are_in_the_prompt(seen: Any, name: str) -> None:
    prompt = seen["greedy"][name]["prompt_text"]
    position = 0
    for message in CONVERSATIONS[name]:
        position = prompt.find(message.content, position)
        assert position >= 0, message
        position += len(message.content)


@pytest.mark.parametrize("name", CONVERSATIONS)
def test_measure_counts_the_prompt_exactly(seen: Any, name: str) -> None:
    one = seen["greedy"][name]
    assert one["measured"] == len(one["their_prompt_ids"])


def test_every_sampling_parameter_arrives_in_vllm(seen: Any) -> None:
    assert seen["parameters"] == asdict(EVERY_PARAMETER) | {"stop": list(EVERY_PARAMETER.stop)}


def test_every_stream_ends_with_one_finished(seen: Any) -> None:
    for one in [*seen["greedy"].values(), *seen["crowd"].values()]:
        assert one["last_is_finished"]
        assert len(one["finished"]) == 1
        assert one["finished"][0]["usage"]["completion_tokens"] == one["tokens"]


def test_abort_before_the_first_step(seen: Any) -> None:
    early = seen["aborts"]["early"]
    assert early["finish_reason"] == "abort"
    assert early["usage"]["completion_tokens"] == 0


def test_abort_mid_answer_keeps_counts_and_spares_the_others(seen: Any) -> None:
    aborts = seen["aborts"]
    assert aborts["late"]["finish_reason"] == "abort"
    assert aborts["late"]["usage"]["completion_tokens"] > 0
    assert aborts["again"] is None
    assert aborts["other"]["last_is_finished"]
    assert aborts["left"] == 0


def test_a_prompt_beyond_the_context_is_refused_by_name(seen: Any) -> None:
    for name in ("too long", "far too long"):
        refusal = seen["refusals"][name]
        assert refusal["code"] == "context_length_exceeded"
        assert "4,096" in refusal["message"]
    assert seen["refusals"]["still works"]["last_is_finished"]


def test_a_long_prompt_is_read_in_chunks_that_are_told(seen: Any) -> None:
    prefill = seen["long"]["prefill"]
    chunk = seen["ready"]["prefill_chunk_tokens"]
    done = [0, *[step["done"] for step in prefill]]
    assert len(prefill) >= 2
    assert all(0 < later - earlier <= chunk for earlier, later in zip(done, done[1:], strict=False))
    assert {step["total"] for step in prefill} == {
        seen["long"]["finished"][0]["usage"]["prompt_tokens"]
    }


def test_a_repeated_prompt_is_reused_from_the_prefix_cache(seen: Any) -> None:
    usage = seen["long again"]["finished"][0]["usage"]
    assert usage["cached_tokens"] >= 0.95 * usage["prompt_tokens"]
    assert seen["long"]["finished"][0]["usage"]["cached_tokens"] < 32
    assert seen["long again"]["text"] == seen["long"]["text"]


def test_more_requests_than_places_wait_and_are_told_their_position(seen: Any) -> None:
    positions = [one["queued"] for one in seen["crowd"].values()]
    assert sum(bool(queued) for queued in positions) == 2  # six requests, four places
    assert sorted(queued[0] for queued in positions if queued) == [1, 2]


def test_a_stop_string_ends_the_answer_before_it(seen: Any) -> None:
    stopped = seen["stop string"]
    assert "Paris" not in stopped["text"]
    assert "capital" in stopped["text"]
    assert stopped["finished"][0]["finish_reason"] == "stop"


def test_timings_are_in_order(seen: Any) -> None:
    for one in seen["greedy"].values():
        timings = one["finished"][0]["timings"]
        assert 0 <= timings["queue_seconds"] <= timings["time_to_first_token_seconds"] < 60
        assert timings["decode_seconds"] >= 0


def test_the_chunk_is_chosen_from_the_measured_rate(seen: Any) -> None:
    ready = seen["ready"]
    assert ready["prefill_tokens_per_second"] > 1
    seconds = ready["prefill_chunk_tokens"] / ready["prefill_tokens_per_second"]
    assert ready["prefill_chunk_tokens"] in (64, 2048) or 0.2 <= seconds <= 0.3
