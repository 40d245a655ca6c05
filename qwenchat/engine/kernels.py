"""Which kernels multiply a loaded model's weights, in words to show.

Asked of the model that vLLM has loaded and not of its ``config.json``: vLLM chooses by the
weights, the dtype it computes in and the processor's instructions. Nothing of vLLM is
imported; the names of its attributes are those of vLLM 0.32
(``model_executor/kernels/linear/``), and what is not there is left out of the words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

_METHODS = {"gptq": "GPTQ", "awq": "AWQ", "fp8": "FP8"}
_SCHEME = re.compile(r"W(\d+)A\d+")
_INT8_WAYS = {"_apply_weights_sgl": "AMX", "_apply_weights_onednn": "oneDNN"}
"""What the kernel for 8-bit integers (``scaled_mm/cpu.py``) may have set to compute with."""


def describe_weights(layers: Iterable[Any], dtype: str, quantization: str | None) -> str:
    """Such as ``bfloat16`` or ``GPTQ 4-bit (CPUWNA16LinearKernel, W4A8)``.

    Args:
        layers: The model's parts in order; the first linear one that is quantised decides.
        dtype: What the model computes in.
        quantization: vLLM's name of the method; None for none.
    """
    for layer in layers:
        method = getattr(layer, "quant_method", None)
        # An attention's cache has a method too, but only what is multiplied has an input size.
        linear = method is not None and hasattr(layer, "input_size")
        if linear and not type(method).__name__.startswith("Unquantized"):
            # compressed-tensors has one method for all layers and a scheme for each.
            return _quantised(layer, getattr(layer, "scheme", None) or method, quantization or "")
    return dtype


def _quantised(layer: Any, chosen: Any, quantization: str) -> str:
    kernel = getattr(chosen, "kernel", None)
    scheme = _SCHEME.search(type(chosen).__name__)
    weight_type = getattr(getattr(kernel, "config", None), "weight_type", None)
    bits = int(scheme[1]) if scheme else getattr(weight_type, "size_bits", None)
    # vLLM calls its own readers of two formats "auto_gptq" and "auto_awq".
    name = _METHODS.get(quantization.removeprefix("auto_"), scheme[0] if scheme else quantization)
    inside = ", ".join(filter(None, [type(kernel or chosen).__name__, _way(layer, kernel)]))
    return f"{name} {bits}-bit ({inside})" if bits else f"{name} ({inside})"


def _way(layer: Any, kernel: Any) -> str:
    """Where a kernel can compute in several ways, the one it took; "" elsewhere."""
    eight_bit_activations = getattr(layer, "use_w4a8", None)
    if eight_bit_activations is not None:
        return "W4A8" if eight_bit_activations else "W4A16"
    return _INT8_WAYS.get(getattr(getattr(kernel, "linear_method", None), "__name__", ""), "")
