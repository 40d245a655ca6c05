"""Every known way an engine dies is named."""

from __future__ import annotations

import signal

import pytest

from qwenchat.engine.causes import Evidence, explain


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("RuntimeError: Failed to infer device type", "CPU build"),
        ("RuntimeError: operator torchvision::nms does not exist", "does not fit the CPU build"),
        ("OSError: libc10_cuda.so: cannot open shared object file", "does not fit the CPU build"),
        ("ImportError: libcudart.so.13: cannot open shared object file", "CUDA build"),
        ("ValueError: bfloat16 is not supported on this device", "--dtype float32"),
        ("RuntimeError: \"cholesky_cpu\" not implemented for 'Half'", "--dtype float32"),
        ("safetensors_rust.SafetensorError: Error while deserializing header", "damaged"),
        ("ValueError: Following weights were not initialized from checkpoint: {'a'}", "damaged"),
        ("ValueError: Model architectures ['Foo'] are not supported for now", "architecture"),
        ("ValueError: gptq_marlin quantization is currently not supported", "quantised"),
        ("OSError: [Errno 28] No space left on device", "disk is full"),
        ("DefaultCPUAllocator: can't allocate memory: you tried to allocate", "memory ran out"),
        ("AttributeError: '_OpNamespace' '_C' object has no attribute 'cpu_gemm_wna16'", "AVX-512"),
        ("RuntimeError: could not create a primitive", "memory ran out"),
        ("ValueError: Available memory on node 0 (1/2 GiB) on kv cache allocation is less than "
         "requested memory for kv (3 GiB)", "memory ran out"),
        ("RuntimeError: Device string must not be empty", "CPU build"),
        ("AttributeError: '_OpNamespace' '_C' object has no attribute 'init_cpu_memory_env'",
         "CPU build"),
        ("OSError: libnvrtc.so.13: cannot open shared object file", "CUDA build"),
        ("ValueError: larger than the available KV cache memory (0.1 GiB)", "--context-length"),
        ("ValueError: User-specified max_model_len (99999) is greater", "--context-length"),
        ("ValueError: The repository m contains custom code which must be", "never runs"),
        ("RuntimeError: Cannot find any model weights with `m`", "damaged"),
        ("RuntimeError: The size of tensor a (64) must match the size of tensor b (63)", "damaged"),
        ("ValueError: Unknown quantization method: bitsandbytes", "quantised"),
        ("vllm.entrypoints.ChatTemplateResolutionError: no chat template", "tokenizer"),
        ("json.decoder.JSONDecodeError: Expecting value", "tokenizer"),
        ("Exception: data did not match any variant of untagged enum ModelUntagged", "tokenizer"),
        ("ImportError: libtorch.so: failed to map segment from shared object", "memory ran out"),
        ("Input should be 'auto', 'half', 'float16'", "--dtype float32"),
    ],
)  # fmt: skip
def test_known_lines_are_explained(line: str, words: str) -> None:
    assert words in explain(Evidence(1, False, "", ["INFO loading", line, "later noise"]))
    assert words in explain(Evidence(1, False, line, []))


def test_the_kernels_out_of_memory_counter_names_the_cause() -> None:
    assert "ran out of memory" in explain(Evidence(-9, True, "", []))


def test_a_kill_without_the_counter_does_not_claim_to_know() -> None:
    text = explain(Evidence(-9, False, "", []))
    assert "signal 9" in text
    assert "killed" in text


def test_a_segmentation_fault_is_named() -> None:
    assert "SIGSEGV" in explain(Evidence(-11, False, "", []))


def test_an_unknown_exception_is_shown_in_one_line() -> None:
    text = explain(Evidence(1, False, "OddError: something odd\nmore", []))
    assert text.startswith("OddError: something odd")
    assert "\n" not in text


def test_nothing_known_still_points_to_the_doctor_and_the_log() -> None:
    for evidence in (
        Evidence(3, False, "", []),
        Evidence(0, False, "", []),
        Evidence(-11, False, "", []),
        Evidence(1, False, "OddError: something odd", []),
    ):
        words = explain(evidence)
        assert "log" in words and "python -m qwenchat doctor" in words


def test_a_processor_that_is_too_old_is_named_by_its_signal() -> None:
    assert "AVX2" in explain(Evidence(-signal.SIGILL, False, "", []))
