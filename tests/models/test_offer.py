"""What is offered on a machine: the best that fits, runs here and answers fast enough."""

from __future__ import annotations

from dataclasses import replace

import pytest

from qwenchat.models.catalog import Catalogue, catalogue
from qwenchat.models.fit import GIB
from qwenchat.models.offer import READING_SPEED, Machine, best_for, offers
from qwenchat.models.quantization import AVX512

DESKTOP = Machine(32 * GIB, 500 * GIB, 60e9, frozenset({"avx2"}))


@pytest.mark.parametrize("gib", [3, 4, 6, 8, 16, 32, 64, 128])
@pytest.mark.parametrize("bandwidth", [10e9, 40e9, 200e9])
def test_what_is_offered_fits_and_is_fast_enough(gib: int, bandwidth: float) -> None:
    machine = replace(DESKTOP, memory_bytes=gib * GIB, bandwidth=bandwidth)
    offer = best_for(machine)
    assert offer is not None
    assert offer.fit.answer == "fits" and offer.fit.needed_bytes <= machine.memory_bytes
    assert offer.speed.expected >= READING_SPEED


def test_more_memory_and_bandwidth_never_lead_to_a_smaller_model() -> None:
    sizes = []
    for scale in (1, 2, 4, 8, 16):
        offer = best_for(replace(DESKTOP, memory_bytes=3 * scale * GIB, bandwidth=10e9 * scale))
        assert offer is not None
        sizes.append(offer.model.non_embedding_parameters)
    assert sizes == sorted(sizes) and sizes[0] < sizes[-1]


def test_on_a_slow_machine_with_much_memory_a_small_model_is_offered() -> None:
    offer = best_for(replace(DESKTOP, memory_bytes=128 * GIB, bandwidth=8e9))
    assert offer is not None and offer.model.parameters < 2e9


def test_where_nothing_is_fast_enough_the_fastest_is_offered() -> None:
    offer = best_for(replace(DESKTOP, bandwidth=1e9))
    assert offer is not None and offer.model.id == "Qwen/Qwen2.5-0.5B-Instruct"


def test_where_nothing_fits_nothing_is_offered() -> None:
    assert best_for(replace(DESKTOP, memory_bytes=GIB)) is None


def test_a_full_disk_leaves_only_what_it_can_hold() -> None:
    offer = best_for(replace(DESKTOP, disk_bytes=2 * GIB))
    assert offer is not None and offer.download_bytes < 2 * GIB


def test_models_that_always_think_and_restricted_licences_are_not_the_first_offer() -> None:
    odd = {"Qwen/Qwen3-4B-Thinking-2507", "Qwen/Qwen2.5-3B-Instruct"}
    only = Catalogue(tuple(m for m in catalogue().models if m.id in odd), ())
    assert best_for(DESKTOP, only) is None


def test_fp8_is_for_processors_with_amx() -> None:
    assert not any(offer.variant.method == "fp8" for offer in offers(DESKTOP))
    amx = replace(DESKTOP, cpu_flags=frozenset({"amx_tile"}))
    assert any(offer.variant.method == "fp8" for offer in offers(amx))


def test_four_bits_are_for_x86_processors_with_avx_512() -> None:
    def has_four_bits(machine: Machine) -> bool:
        return any(offer.variant.method in ("gptq-int4", "awq-int4") for offer in offers(machine))

    assert not has_four_bits(DESKTOP)
    assert has_four_bits(replace(DESKTOP, cpu_flags=AVX512 | {"avx2"}))
    arm = replace(DESKTOP, cpu_flags=frozenset({"asimd", "bf16"}))
    assert has_four_bits(arm)


def test_of_one_size_the_newer_is_offered() -> None:
    fast = replace(DESKTOP, memory_bytes=64 * GIB, bandwidth=400e9)
    wanted = {"Qwen/Qwen2.5-14B-Instruct", "Qwen/Qwen3-14B"}
    only = Catalogue(tuple(m for m in catalogue().models if m.id in wanted), ())
    offer = best_for(fast, only)
    assert offer is not None and offer.model.generation == "Qwen3"


def test_what_has_not_been_compared_with_the_hub_says_so() -> None:
    offer = best_for(DESKTOP)
    assert offer is not None and offer.needs_hub_check
    checked = replace(offer.model, verified=True)
    again = best_for(DESKTOP, Catalogue((checked,), ()))
    assert again is not None and not again.needs_hub_check
