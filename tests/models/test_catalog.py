"""The catalogue: its data is right, what is wrong in it is said, and ids are found."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from qwenchat.models.catalog import (
    CATALOGUE,
    CatalogueDamaged,
    Model,
    Variant,
    catalogue,
    read_catalogue,
)

DATA = json.loads(CATALOGUE.read_text(encoding="utf-8"))


def find(model_id: str) -> tuple[Model, Variant]:
    found = catalogue().find(model_id)
    assert found is not None, model_id
    return found


class TestData:
    @pytest.mark.parametrize(
        "model_id",
        [
            "Qwen/Qwen2-7B-Instruct",
            *(f"Qwen/Qwen2.5-{size}-Instruct" for size in ("0.5B", "1.5B", "3B", "7B", "14B")),
            *(f"Qwen/Qwen3-{size}" for size in ("0.6B", "1.7B", "4B", "8B", "14B")),
            "Qwen/Qwen3-4B-Instruct-2507",
            "Qwen/Qwen3-4B-Thinking-2507",
        ],
    )
    def test_every_model_that_was_asked_for_is_there(self, model_id: str) -> None:
        assert find(model_id)[1].method == "none"

    @pytest.mark.parametrize(
        ("model_id", "parameters"),
        [  # safetensors totals on the hub, as quoted in the catalogue's sources
            ("Qwen/Qwen2.5-0.5B-Instruct", 494_032_768),
            ("Qwen/Qwen2.5-3B-Instruct", 3_085_938_688),
            ("Qwen/Qwen2.5-7B-Instruct", 7_615_616_512),
        ],
    )
    def test_parameters_are_those_of_the_published_files(
        self, model_id: str, parameters: int
    ) -> None:
        model, full = find(model_id)
        assert model.parameters == parameters
        assert model.weights_bytes(full) == 2 * parameters

    @pytest.mark.parametrize(
        ("model_id", "billions"),
        [  # model cards: "Number of Parameters (Non-Embedding)"
            ("Qwen/Qwen2.5-0.5B-Instruct", 0.36),
            ("Qwen/Qwen2.5-1.5B-Instruct", 1.31),
            ("Qwen/Qwen2.5-3B-Instruct", 2.77),
            ("Qwen/Qwen2.5-7B-Instruct", 6.53),
            ("Qwen/Qwen3-0.6B", 0.44),
            ("Qwen/Qwen3-4B", 3.63),
            ("Qwen/Qwen3-30B-A3B-Instruct-2507", 29.9),
        ],
    )
    def test_non_embedding_parameters_are_those_of_the_cards(
        self, model_id: str, billions: float
    ) -> None:
        assert find(model_id)[0].non_embedding_parameters / 1e9 == pytest.approx(billions, abs=0.01)

    def test_four_bits_take_less_than_half_of_sixteen_in_a_large_model(self) -> None:
        model, full = find("Qwen/Qwen2.5-7B-Instruct")
        _, packed = find("Qwen/Qwen2.5-7B-Instruct-GPTQ-Int4")
        assert 0.35 < model.weights_bytes(packed) / model.weights_bytes(full) < 0.40

    def test_an_output_layer_stored_twice_is_in_the_file_but_not_in_the_count(self) -> None:
        model, full = find("Qwen/Qwen3-0.6B")
        assert model.shape.tied and model.output_layer_stored
        assert model.weights_bytes(full) == 1_503_264_768  # the file has 1,503,300,328 bytes
        assert model.parameters == 596_049_920

    def test_a_token_goes_through_few_of_the_experts(self) -> None:
        shape = find("Qwen/Qwen3-30B-A3B-Instruct-2507")[0].shape
        assert 2.5e9 < shape.linear_parameters_per_token < 3.0e9

    def test_no_row_claims_to_be_verified_while_no_hub_could_be_reached(self) -> None:
        assert not any(model.verified for model in catalogue().models)
        assert all(model.sources and model.verified_how for model in catalogue().models)

    def test_what_cannot_run_has_a_reason_and_a_way_on(self) -> None:
        for model_id in ("Qwen/Qwen2.5-7B-Instruct-GPTQ-Int8", "Qwen/Qwen3.5-4B"):
            entry = catalogue().unsupported(model_id)
            assert entry is not None and len(entry.reason) > 20
            assert find(entry.nearest)


class TestFind:
    @pytest.mark.parametrize(
        "written", ["qwen/qwen2.5-7b-instruct-AWQ", " Qwen/Qwen2.5-7B-Instruct-awq "]
    )
    def test_case_and_spaces_do_not_matter(self, written: str) -> None:
        model, variant = find(written)
        assert (model.id, variant.method) == ("Qwen/Qwen2.5-7B-Instruct", "awq-int4")

    @pytest.mark.parametrize("written", ["", "Qwen", "../etc/passwd", "Qwen/🙂", "a/b"])
    def test_what_is_in_no_row_is_not_found(self, written: str) -> None:
        assert catalogue().find(written) is None
        assert catalogue().unsupported(written) is None


def set_to(*path: str | int, value: Any) -> Callable[[Any], None]:
    def spoil(data: Any) -> None:
        for key in path[:-1]:
            data = data[key]
        data[path[-1]] = value

    return spoil


def without(*path: str | int) -> Callable[[Any], None]:
    def spoil(data: Any) -> None:
        for key in path[:-1]:
            data = data[key]
        del data[path[-1]]

    return spoil


ROW = ("models", 1)
FIRST = "Qwen/Qwen2.5-0.5B-Instruct"


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (set_to("format", value=2), ("format",)),
        (without("models"), ("models",)),
        (set_to("models", value={}), ("models",)),
        (set_to("models", 1, value=[]), ("models 2",)),
        (without(*ROW, "id"), ("models 2", "id")),
        (set_to(*ROW, "id", value="../x"), ("../x", "owner/name")),
        (set_to(*ROW, "id", value="Qwen/Qwen2-7B-Instruct"), ("twice", "Qwen2-7B")),
        (set_to(*ROW, "parameters", value=494_032_769), (FIRST, "parameters", "494,032,768")),
        (set_to(*ROW, "non_embedding_parameters", value=1), (FIRST, "non_embedding")),
        (set_to(*ROW, "shape", "layers", value=25), (FIRST, "parameters")),
        (set_to(*ROW, "shape", "layers", value=0), ("layers", FIRST)),
        (set_to(*ROW, "shape", "heads", value=True), ("heads",)),
        (set_to(*ROW, "shape", "tied", value="yes"), ("tied",)),
        (set_to(*ROW, "thinking", value="sometimes"), ("sometimes", "hybrid")),
        (set_to(*ROW, "thinking", value="hybrid"), ("sampling", "thinking")),
        (set_to(*ROW, "sampling", "plain", value=None), ("sampling",)),
        (set_to(*ROW, "sampling", "plain", "top_p", value=1.5), ("top_p", "1.5")),
        (set_to(*ROW, "sampling", "plain", "tempreature", value=1), ("tempreature",)),
        (set_to(*ROW, "released", value="September"), ("September",)),
        (set_to(*ROW, "context", value=-1), ("context",)),
        (set_to(*ROW, "context_yarn", value=100), ("context_yarn",)),
        (set_to(*ROW, "verified", value=1), ("verified",)),
        (set_to(*ROW, "sources", value=[]), ("sources",)),
        (set_to(*ROW, "licence", value=" "), ("licence",)),
        (set_to(*ROW, "colour", value="red"), ("colour", FIRST)),
        (set_to(*ROW, "variants", 0, "method", value="gptq-int8"), ("gptq-int8",)),
        (set_to(*ROW, "variants", 0, "group_size", value=-1), ("group_size",)),
        (set_to(*ROW, "cannot", 0, "nearest", value="a/b"), ("nearest", "a/b")),
        (set_to("others", 0, "nearest", value="Qwen/Qwen9"), ("Qwen9",)),
    ],
)
def test_a_slip_in_the_data_is_named_by_row_and_field(
    tmp_path: Path, spoil: Callable[[Any], None], said: tuple[str, ...]
) -> None:
    data = copy.deepcopy(DATA)
    spoil(data)
    path = tmp_path / "models.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(CatalogueDamaged) as caught:
        read_catalogue(path)
    assert all(part in caught.value.message for part in said), caught.value.message


@pytest.mark.parametrize("content", ["", "{", "[]"])
def test_a_file_that_is_no_json_object_is_refused(tmp_path: Path, content: str) -> None:
    path = tmp_path / "models.json"
    path.write_text(content)
    with pytest.raises(CatalogueDamaged, match=r"models\.json"):
        read_catalogue(path)


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CatalogueDamaged, match="cannot be read"):
        read_catalogue(tmp_path / "models.json")
