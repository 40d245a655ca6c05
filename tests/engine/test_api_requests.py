"""What only the API asks of the engine, on the real engine and real weights.

One process loads the model and tries everything (``api_child.py``).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.engine.running import run_in_engine

pytestmark = [pytest.mark.engine, pytest.mark.slow, pytest.mark.accept]


@pytest.fixture(scope="module")
def seen(demo_snapshot: Path) -> Any:
    return run_in_engine("tests.engine.api_child", str(demo_snapshot))


def test_a_schema_is_followed(seen: Any) -> None:
    value = json.loads(seen["schema"]["text"])
    assert value.keys() == {"name", "age"}
    assert isinstance(value["name"], str)
    assert 0 <= value["age"] <= 150
    assert seen["schema"]["finished"][0]["finish_reason"] == "stop"


def test_any_object_begins_as_one(seen: Any) -> None:
    assert seen["object"]["text"].startswith("{")


def test_a_bad_schema_is_refused_by_name(seen: Any) -> None:
    for refusal in seen["bad schemas"]:
        assert refusal.get("code") == "invalid_request", refusal
        assert refusal["param"] == "response_format"
        assert "JSON schema" in refusal["message"]


def test_logprobs_tell_the_chosen_token_and_the_likeliest(seen: Any) -> None:
    one = seen["logprobs"]
    assert len(one["logprobs"]) == one["tokens"]
    for place in one["logprobs"]:
        likeliest = [chance["logprob"] for chance in place["likeliest"]]
        assert len(likeliest) == 3
        assert likeliest == sorted(likeliest, reverse=True)
        # At temperature 0 the likeliest; tokens can be equally likely in bfloat16.
        assert place["chosen"]["logprob"] == likeliest[0]
        assert place["chosen"] in place["likeliest"]
    joined = "".join(place["chosen"]["text"] for place in one["logprobs"])
    assert joined.startswith(one["text"])


def test_logprobs_change_nothing_else(seen: Any) -> None:
    assert seen["logprobs"]["text"] == seen["no logprobs"]["text"]
    assert seen["no logprobs"]["logprobs"] == []


def test_the_first_logprobs_need_no_compiling(seen: Any) -> None:
    timings = seen["logprobs"]["finished"][0]["timings"]
    assert timings["time_to_first_token_seconds"] < 5


def test_none_of_the_likeliest_can_be_asked_for(seen: Any) -> None:
    places = seen["chosen only"]["logprobs"]
    assert places
    assert all(place["likeliest"] == [] for place in places)
    assert all(place["chosen"]["logprob"] <= 0 for place in places)


def test_an_unlikely_choice_is_not_among_the_likeliest(seen: Any) -> None:
    places = seen["unlikely"]["logprobs"]
    assert all(len(place["likeliest"]) == 2 for place in places)
    assert any(place["chosen"] not in place["likeliest"] for place in places)


def test_raw_text_is_gone_on_from_as_llm_generate_does(seen: Any) -> None:
    assert seen["raw"]["text"] == seen["their raw"]
    assert seen["raw"]["text"]


def test_raw_text_beyond_the_context_is_refused_by_name(seen: Any) -> None:
    for name in ("raw too long", "raw far too long"):
        assert seen[name]["code"] == "context_length_exceeded"


def test_values_reach_the_chat_template(seen: Any) -> None:
    without, with_value = seen["template"]
    assert without == "Describe a person as JSON."
    assert with_value == "LOUD" + without
