"""The switch of thinking on the real engine: prompts, counts, and going on from thoughts.

No weights of Qwen3 are at hand; the demo model gets its tags, as tokens, and its templates.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.engine.running import run_in_engine
from tests.engine.thinking_child import HISTORY, THOUGHT

pytestmark = [pytest.mark.engine, pytest.mark.slow]

EMPTY = "<think>\n\n</think>\n\n"


@pytest.fixture(scope="module")
def look(demo_snapshot: Path, tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("tagged")

    def looked(kind: str) -> Any:
        module = "tests.engine.thinking_child"
        return run_in_engine(module, str(demo_snapshot), str(folder / kind), kind)

    return looked


@pytest.fixture(scope="module")
def hybrid(look: Any) -> Any:
    return look("QWEN3")


def test_the_engine_tells_the_style_of_its_model(hybrid: Any) -> None:
    assert hybrid["style"] == {"kind": "hybrid", "prompt_opens": False, "on_by_default": True}


def test_the_switch_changes_the_prompt(hybrid: Any) -> None:
    on, off = hybrid["on question"], hybrid["off question"]
    assert off["prompt"] == on["prompt"] + EMPTY
    assert off["ids"][: len(on["ids"])] == on["ids"]
    # The tags are tokens of their own, as in Qwen3.
    assert [key for key in off["ids"] if key in hybrid["tags"]] == hybrid["tags"]


@pytest.mark.parametrize("case", ["question", "history", "partial"])
@pytest.mark.parametrize("switch", ["on", "off"])
def test_what_is_measured_is_what_is_read(hybrid: Any, switch: str, case: str) -> None:
    one = hybrid[f"{switch} {case}"]
    assert one["measured"] == one["ran"] == len(one["ids"])


def test_an_answer_goes_on_from_its_thoughts(hybrid: Any) -> None:
    before, partial = hybrid["on question"], hybrid["on partial"]
    assert partial["prompt"] == before["prompt"] + THOUGHT
    added = partial["ids"][len(before["ids"]) :]
    assert partial["ids"][: len(before["ids"])] == before["ids"]
    assert added[0] == hybrid["tags"][0]  # the very token that the model had written


def test_an_answer_about_the_tags_is_read_whole(hybrid: Any) -> None:
    assert HISTORY[1].content in hybrid["on history"]["prompt"]


def test_a_thinking_only_model(look: Any) -> None:
    seen = look("THINKING_2507")
    assert seen["style"]["kind"] == "thinking_only" and seen["style"]["prompt_opens"]
    assert seen["on question"]["prompt"].endswith("<|im_start|>assistant\n<think>\n")
    assert seen["on question"] == seen["off question"]
