"""Which quantised weights vLLM's CPU backend runs on x86, and why not the others.

Read in vLLM 0.32 (paths below ``vllm/model_executor/``) and held to it by
``tests/models/test_judge.py``, which asks the installed vLLM:

- GPTQ: 4 bits, symmetric, groups of 32, 64 or 128 or one group for each output. The types
  come from ``layers/quantization/utils/marlin_utils.py:92-116`` (8 bits are for CUDA), the
  groups from its line 36, the refusal of ``desc_act`` from ``gptq_utils.py:27-41``.
- AWQ: 4 bits with zero points (``layers/quantization/auto_awq.py:307``, always the type
  ``uint4``), in the ``gemm`` layout, the only one the loader undoes.
- All weights of 4 bits: on x86 only with AVX-512. vLLM's library for processors without
  (``vllm/_C_AVX2.abi3.so``) has no ``cpu_gemm_wna16``, which that kernel calls.
- compressed-tensors: 4-bit weights alone (kernel ``kernels/linear/mixed_precision/cpu.py``),
  or 8-bit integer weights with 8-bit integer activations
  (``kernels/linear/scaled_mm/cpu.py:31``).
- FP8 in blocks of 128: only with AMX (``kernels/linear/scaled_mm/cpu.py:235-246``).
- Experts in 4 bits run on ARM only (``layers/fused_moe/experts/cpu_int4_moe.py:60-64``).
- bitsandbytes, GGUF, HQQ and others are no methods of this vLLM at all
  (``layers/quantization/__init__.py:14``).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from qwenchat.models.snapshot_config import ModelConfig

GPTQ_GROUPS = (-1, 32, 64, 128)
"""Numbers that share a scale; -1 is one scale for each output."""
MULTIPLE = 32
"""Inputs and outputs of a 4-bit matrix come in multiples of this
(``kernels/linear/mixed_precision/cpu.py:46-58``)."""
FP8_BLOCK = 128
AMX = "amx_tile"
"""The processor flag of Advanced Matrix Extensions, from Sapphire Rapids on."""

AVX512 = frozenset({"avx512f", "avx512bw", "avx512dq", "avx512vl"})
"""The processor flags by which torch tells AVX-512, and vLLM chooses its library."""

NEEDS_AVX512 = (
    "Its weights have 4 bits, which on an x86 processor need AVX-512 instructions, and this one "
    "has only AVX2."
)
NEEDS_AMX = (
    "Its weights are FP8, which on a CPU needs AMX instructions (Intel Xeon from Sapphire "
    "Rapids on), and this processor has none."
)

_FOR_GPU = "is made for graphics cards, and vLLM has no CPU kernel for it"


def refusal(config: ModelConfig, cpu_flags: Collection[str]) -> str | None:
    """Why this quantisation does not run on this processor, as a sentence; None when it does.

    Args:
        cpu_flags: The processor's flags as ``/proc/cpuinfo`` names them.
    """
    method, details = config.quantization, config.quantization_config
    if method is None:
        return None
    match method:
        case "gptq":
            return _gptq(details) or _four_bits(config, cpu_flags)
        case "awq":
            return _awq(details) or _four_bits(config, cpu_flags)
        case "compressed-tensors":
            return _compressed_tensors(config, details, cpu_flags)
        case "fp8":
            return _fp8(details, cpu_flags)
        case "bitsandbytes":
            return f"Its weights are in bitsandbytes format, which {_FOR_GPU}."
        case _:
            return f"Its weights are quantised with {method!r}, which vLLM's CPU backend lacks."


def missing_instructions(method: str, cpu_flags: Collection[str]) -> str:
    """What a processor lacks for a catalogue's method (``catalog.Method``), as a sentence; ""
    when it has all."""
    if method == "fp8" and AMX not in cpu_flags:
        return NEEDS_AMX
    if method in ("gptq-int4", "awq-int4") and only_avx2(cpu_flags):
        return NEEDS_AVX512
    return ""


def only_avx2(cpu_flags: Collection[str]) -> bool:
    """Whether this is an x86 processor, and one without AVX-512."""
    return "avx2" in cpu_flags and not set(cpu_flags) >= AVX512


def _gptq(details: Mapping[str, Any]) -> str | None:
    bits, group = details.get("bits"), details.get("group_size")
    if bits != 4:
        return f"Its weights are GPTQ with {bits} bits; on a CPU vLLM runs GPTQ with 4 bits only."
    if details.get("sym") is not True:
        return "Its weights are asymmetric GPTQ; on a CPU vLLM runs the symmetric kind only."
    if group not in GPTQ_GROUPS:
        return f"Its weights are GPTQ in groups of {group}; on a CPU vLLM runs 32, 64 and 128."
    if details.get("desc_act") is True and group != -1:
        return (
            "Its weights are GPTQ in the order of activations (desc_act), which vLLM no longer "
            "runs."
        )
    return None


def _awq(details: Mapping[str, Any]) -> str | None:
    bits = details.get("bits", details.get("w_bit"))
    if bits != 4:
        return f"Its weights are AWQ with {bits} bits; on a CPU vLLM runs AWQ with 4 bits only."
    if str(details.get("version", "gemm")).lower() != "gemm":
        return f"Its weights are AWQ in the layout {details['version']!r}; vLLM reads gemm only."
    if details.get("zero_point") is not True:
        return "Its weights are AWQ without zero points, which vLLM's CPU kernel expects."
    return None


def _four_bits(config: ModelConfig, cpu_flags: Collection[str]) -> str | None:
    if only_avx2(cpu_flags):
        return NEEDS_AVX512
    if config.experts:
        return "It is a mixture of experts in 4 bits, which vLLM runs on ARM processors only."
    sizes = {
        "hidden_size": config.hidden_size,
        "intermediate_size": config.intermediate_size or 0,
        "attention width": config.heads * config.head_dim,
    }
    for name, size in sizes.items():
        if size % MULTIPLE:
            return (
                f"Its {name} is {size:,}; vLLM's CPU kernel for 4-bit weights needs multiples of "
                f"{MULTIPLE}."
            )
    return None


def _compressed_tensors(
    config: ModelConfig, details: Mapping[str, Any], cpu_flags: Collection[str]
) -> str | None:
    groups = list(_groups(details))
    if not groups:
        return "Its config.json does not say how its weights are compressed."
    for weights, activations in groups:
        if _is(weights, "int", 4) and not activations:
            if reason := _four_bits(config, cpu_flags):
                return reason
        elif _is(weights, "int", 8) and _is(activations, "int", 8):
            if config.experts:
                return "It is a mixture of experts in 8-bit integers, which has no CPU kernel."
        else:
            scheme = f"W{weights.get('num_bits')}A{activations.get('num_bits', 16)}"
            return (
                f"Its weights are compressed as {scheme} of type {weights.get('type', 'int')!r}, "
                f"which {_FOR_GPU}; integer W8A8 and W4A16 run."
            )
    return None


def has_four_bits(config: ModelConfig) -> bool:
    """Whether any weights of a model in compressed-tensors have four bits."""
    groups = _groups(config.quantization_config)
    return any(weights.get("num_bits") == 4 for weights, _ in groups)


def _groups(details: Mapping[str, Any]) -> Iterator[tuple[Mapping[str, Any], Mapping[str, Any]]]:
    """What each group of compressed-tensors says of weights and of activations."""
    groups = details.get("config_groups")
    for group in groups.values() if isinstance(groups, Mapping) else ():
        if isinstance(group, Mapping) and isinstance(group.get("weights"), Mapping):
            activations = group.get("input_activations")
            yield group["weights"], activations if isinstance(activations, Mapping) else {}


def _is(numbers: Mapping[str, Any], kind: str, bits: int) -> bool:
    return bool(numbers) and numbers.get("type", "int") == kind and numbers.get("num_bits") == bits


def _fp8(details: Mapping[str, Any], cpu_flags: Collection[str]) -> str | None:
    if details.get("weight_block_size") != [FP8_BLOCK, FP8_BLOCK]:
        return f"Its weights are FP8, but not in blocks of {FP8_BLOCK} as vLLM's CPU kernel needs."
    if AMX not in cpu_flags:
        return NEEDS_AMX
    return None
