"""Which kernel is in use, told from objects shaped as vLLM's are."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from qwenchat.engine.kernels import describe_weights


def named(name: str, **attributes: Any) -> Any:
    """An object of a class of that name."""
    made = type(name, (), {})()
    vars(made).update(attributes)
    return made


def linear(**attributes: Any) -> Any:
    return SimpleNamespace(input_size=896, **attributes)


def four_bit_kernel() -> Any:
    config = SimpleNamespace(weight_type=SimpleNamespace(size_bits=4))
    return named("CPUWNA16LinearKernel", config=config)


def int8_scheme(way: str) -> Any:
    def linear_method() -> None: ...

    linear_method.__name__ = way
    kernel = named("CPUInt8ScaledMMLinearKernel", linear_method=linear_method)
    return named("CompressedTensorsW8A8Int8", kernel=kernel)


EMBEDDING = linear(quant_method=named("UnquantizedEmbeddingMethod"))
ATTENTION = SimpleNamespace(quant_method=named("CompressedTensorsKVCacheMethod"))
PLAIN = linear(quant_method=named("UnquantizedLinearMethod"))
GPTQ = linear(quant_method=named("AutoGPTQLinearMethod", kernel=four_bit_kernel()), use_w4a8=True)
AWQ = linear(quant_method=named("AutoAWQLinearMethod", kernel=four_bit_kernel()), use_w4a8=False)
SCHEMES = named("CompressedTensorsLinearMethod")
W4A16 = named("CompressedTensorsWNA16", kernel=four_bit_kernel())


@pytest.mark.parametrize(
    ("layer", "quantization", "words"),
    [
        (PLAIN, None, "bfloat16"),
        (GPTQ, "auto_gptq", "GPTQ 4-bit (CPUWNA16LinearKernel, W4A8)"),
        (AWQ, "auto_awq", "AWQ 4-bit (CPUWNA16LinearKernel, W4A16)"),
        (
            linear(quant_method=SCHEMES, scheme=int8_scheme("_apply_weights_sgl")),
            "compressed-tensors",
            "W8A8 8-bit (CPUInt8ScaledMMLinearKernel, AMX)",
        ),
        (
            linear(quant_method=SCHEMES, scheme=int8_scheme("_apply_weights_onednn")),
            "compressed-tensors",
            "W8A8 8-bit (CPUInt8ScaledMMLinearKernel, oneDNN)",
        ),
        (
            linear(quant_method=SCHEMES, scheme=W4A16),
            "compressed-tensors",
            "compressed-tensors 4-bit (CPUWNA16LinearKernel)",
        ),
        (linear(quant_method=named("Fp8LinearMethod")), "fp8", "FP8 (Fp8LinearMethod)"),
    ],
)
def test_the_first_quantised_linear_layer_decides(
    layer: Any, quantization: str | None, words: str
) -> None:
    layers = [SimpleNamespace(), EMBEDDING, ATTENTION, PLAIN, layer, PLAIN]
    assert describe_weights(layers, "bfloat16", quantization) == words
