"""Why an engine process ended, in words a person can act on.

The evidence: its exit status, whether the kernel's out-of-memory counter rose, what it
said last over the pipe, and the last lines it wrote.
"""

from __future__ import annotations

import re
import signal
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Evidence:
    """What is known of the end of an engine process.

    Attributes:
        exit_code: As ``subprocess`` tells it: negative is the signal that killed it.
        out_of_memory: The kernel's counter of out-of-memory kills rose while it ran.
        last_words: The message of its own ``Failed`` event, or "".
        lines: The last lines of its output.
    """

    exit_code: int | None
    out_of_memory: bool
    last_words: str
    lines: Sequence[str]


OUT_OF_MEMORY = (
    "the system ran out of memory and ended it. Close other programs, choose a smaller "
    "model, or set a shorter --context-length."
)

ILLEGAL_INSTRUCTION = (
    "the processor lacks an instruction set this build of vLLM needs (AVX2 at least, which Intel's "
    "have since 2013 and AMD's since 2015). Run QwenChat on a newer machine."
)
_LOOK = "Run `python -m qwenchat doctor` to look for the cause; details are in the log."

# Looked for in this order in the last words, then in the last lines, newest first.
_KNOWN: tuple[tuple[str, str], ...] = (
    (
        r"Failed to infer device type|Device string must not be empty|"
        r"has no attribute 'init_cpu_memory_env'",
        "vLLM found no device it can run on: a vLLM for CUDA is installed instead of the CPU "
        "build. Install the pinned requirements again (README, set-up).",
    ),
    (
        r"operator torchvision::nms does not exist|libc10_cuda|libtorchcodec|undefined symbol",
        "an installed library does not fit the CPU build of torch. Install the pinned "
        "requirements in a fresh environment (README, set-up).",
    ),
    (
        r"libcudart|libcuda\.so|libnvrtc\.so|CUDA error|Found no NVIDIA driver",
        "a CUDA build of torch or vLLM is installed. Install the pinned requirements in a "
        "fresh environment (README, set-up).",
    ),
    (
        r"has no attribute 'cpu_gemm_wna16'",
        "the model's weights have 4 bits, which vLLM multiplies with AVX-512 instructions only, "
        "and this processor has none. Choose its unquantised or W8A8 variant.",
    ),
    (
        r"(?i)illegal instruction",
        ILLEGAL_INSTRUCTION,
    ),
    (
        r"(?i)bfloat16.{0,60}not supported|dtype.{0,40}not supported|"
        r"(unknown|unsupported|invalid) (data ?type|dtype)|dtype\.literal|"
        r"not implemented for '(Half|BFloat16)'|"
        r"Input should be 'auto', 'half'",
        "this processor or vLLM build cannot compute in the chosen dtype. Start with "
        "--dtype float32, which always runs and takes twice the memory.",
    ),
    (
        r"(?i)less than requested memory for kv|Cannot allocate memory|std::bad_alloc|MemoryError|"
        r"DefaultCPUAllocator: (can't|not enough) |could not create a primitive(?! descriptor)|"
        r"larger than the maximum number of tokens "
        r"that can be stored in KV cache|No available memory for the cache blocks|"
        r"failed to map segment from shared object",
        OUT_OF_MEMORY.replace("the system ran out of memory and ended it", "memory ran out"),
    ),
    (
        r"larger than the available KV cache memory|User-specified max_model_len",
        "the context is longer than the model or the memory allows. Set a shorter "
        "--context-length.",
    ),
    (
        r"contains custom code",
        "the model needs program code of its own, which QwenChat never runs. Choose another model.",
    ),
    (
        r"SafetensorError|safetensors_rust|InvalidHeaderDeserialization|MetadataIncompleteBuffer|"
        r"not initialized from checkpoint|size mismatch|Cannot find any model weights|"
        r"The size of tensor a .{0,40} must match|"
        r"Attempted to load weight .{0,80} into parameter",
        "the model's weights are damaged or do not belong to its config.json. Fetch the model "
        "again, or choose another.",
    ),
    (
        r"Model architectures? .{0,200}(not supported|failed to be inspected)|"
        r"does not recognize this architecture",
        "this vLLM does not know the model's architecture. Choose another model.",
    ),
    (
        r"(?i)quantization.{0,80}not supported|not supported.{0,60}quantization|"
        r"Unknown quantization method|Marlin does not support",
        "the model is quantised in a way that does not run on CPUs. Choose its unquantised, "
        "GPTQ-Int4 or AWQ variant.",
    ),
    (
        r"Can't load tokenizer|Tokenizer class .{0,80} does not exist|tokenizer.{0,40}corrupt|"
        r"ChatTemplateResolutionError|JSONDecodeError|untagged enum ModelUntagged",
        "the model's tokenizer files are missing or damaged. Fetch the model again.",
    ),
    (
        r"No space left on device",
        "the disk is full. Free some space and start again.",
    ),
)


def explain(evidence: Evidence) -> str:
    """One or two sentences: the cause as far as it can be told, and what to do next.

    Fits after "The engine stopped: ".
    """
    if evidence.out_of_memory:
        return OUT_OF_MEMORY
    for text in [evidence.last_words, *reversed(evidence.lines)]:
        for pattern, words in _KNOWN:
            if text and re.search(pattern, text):
                return words
    return _by_exit(evidence)


def _by_exit(evidence: Evidence) -> str:
    code = evidence.exit_code
    if code is not None and code < 0:
        return _by_signal(-code)
    if evidence.last_words:
        return f"{evidence.last_words.splitlines()[0][:300].rstrip('.')}. {_LOOK}"
    if code == 0:
        return f"it ended without giving a reason. {_LOOK}"
    return f"it ended with exit code {code}. {_LOOK}"


def _by_signal(number: int) -> str:
    if number == signal.SIGKILL:
        return (
            "it was killed (signal 9), by a person, a program or the system. If memory was "
            "short, close other programs or choose a smaller model."
        )
    if number == signal.SIGILL:
        return ILLEGAL_INSTRUCTION
    try:
        name = signal.Signals(number).name
    except ValueError:
        name = "unknown"
    return f"it crashed (signal {number}, {name}). {_LOOK}"
