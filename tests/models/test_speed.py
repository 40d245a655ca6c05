"""The expected speed follows from bytes and bandwidth, and so does what is offered."""

from __future__ import annotations

import time

import pytest

from qwenchat.models.catalog import Model, Variant, catalogue
from qwenchat.models.speed import (
    LAYER_SECONDS,
    READ_SHARE,
    UNCERTAINTY,
    bytes_per_token,
    expected_speed,
    memory_bandwidth,
    speed_of,
)

GB = 1e9


def find(model_id: str) -> tuple[Model, Variant]:
    found = catalogue().find(model_id)
    assert found is not None
    return found


def test_a_token_reads_every_matrix_once_and_the_embedding_not() -> None:
    model, full = find("Qwen/Qwen2.5-7B-Instruct")
    matrices, rest = bytes_per_token(model, full)
    cache = 57_344 * 1_024
    assert rest == 2 * 152_064 * 3_584 + cache
    assert matrices == pytest.approx(2 * model.shape.linear_parameters, rel=0.001)


def test_of_many_experts_a_token_reads_the_few_it_uses() -> None:
    model, full = find("Qwen/Qwen3-30B-A3B-Instruct-2507")
    assert bytes_per_token(model, full)[0] < 6e9 < model.weights_bytes(full) / 10


def test_twice_the_bandwidth_is_nearly_twice_the_speed_of_a_large_model() -> None:
    pair = find("Qwen/Qwen2.5-14B-Instruct")
    ratio = expected_speed(*pair, 40 * GB).expected / expected_speed(*pair, 20 * GB).expected
    assert 1.9 < ratio < 2.0


def test_layers_alone_bound_the_speed_of_a_small_one() -> None:
    assert speed_of(0, 0, 30, "none", GB).expected == pytest.approx(1 / (30 * LAYER_SECONDS))


def test_the_bounds_are_the_stated_factor_away() -> None:
    speed = speed_of(10**9, 10**8, 28, "none", 20 * GB)
    assert speed.most / speed.expected == speed.expected / speed.least == UNCERTAINTY


@pytest.mark.parametrize(
    ("matrices", "rest", "layers", "method", "measured"),
    [  # measured on the machine the constants are from, at 22 GB/s
        (716_000_000, 272_000_000, 24, "none", 18.6),
        (186_000_000, 272_000_000, 24, "gptq-int4", 16.8),
        (358_000_000, 272_000_000, 24, "int8-w8a8", 15.2),
        (212_000_000, 57_000_000, 30, "none", 33.0),
    ],
)
def test_rates_measured_on_a_quiet_machine_are_within_the_bounds(
    matrices: int, rest: int, layers: int, method: str, measured: float
) -> None:
    speed = speed_of(matrices, rest, layers, method, 22 * GB)
    assert speed.least < measured < speed.most, speed


def test_every_method_of_the_catalogue_has_its_share() -> None:
    assert {variant.method for _, variant in catalogue().pairs()} <= READ_SHARE.keys()


def test_the_bandwidth_is_measured_once_and_soon() -> None:
    memory_bandwidth.cache_clear()
    first = memory_bandwidth()
    begun = time.perf_counter()
    assert memory_bandwidth() == first
    assert time.perf_counter() - begun < 0.01
    assert 0.5 * GB < first < 2_000 * GB
