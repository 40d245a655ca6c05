"""Whether a model runs here, before anything large of it is fetched.

Judged from the content of its ``config.json`` and the names of its files alone, and said in
one paragraph with the nearest model that does run. The weights themselves are looked at by
``snapshot.py`` once they are there.
"""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from qwenchat import hardware
from qwenchat.errors import ModelDamaged, ModelError, UnsupportedModel
from qwenchat.models import quantization
from qwenchat.models.catalog import Catalogue, catalogue
from qwenchat.models.snapshot_config import (
    MAX_JSON_BYTES,
    ModelConfig,
    parse_config,
    parse_json_object,
    read_json_object,
)

KNOWN_ARCHITECTURES = frozenset(
    {
        "Gemma2ForCausalLM",
        "Gemma3ForCausalLM",
        "GemmaForCausalLM",
        "Glm4ForCausalLM",
        "GraniteForCausalLM",
        "InternLM2ForCausalLM",
        "InternLM3ForCausalLM",
        "LlamaForCausalLM",
        "MiniCPM3ForCausalLM",
        "MiniCPMForCausalLM",
        "MistralForCausalLM",
        "Phi3ForCausalLM",
        "Qwen2ForCausalLM",
        "Qwen2MoeForCausalLM",
        "Qwen3ForCausalLM",
        "Qwen3MoeForCausalLM",
        "Qwen3NextForCausalLM",
    }
)
"""Text-generation architectures in vLLM 0.32's registry (``model_executor/models/registry.py``)
that people chat with. vLLM knows others too; those are let through with a word of caution."""
NEEDS_OWN_CODE = frozenset({"InternLM2ForCausalLM", "InternLM3ForCausalLM", "MiniCPMForCausalLM"})
"""Of these vLLM has the model but transformers 5 not the configuration, so the repository's
own Python code would be needed to read ``config.json``."""

_QUANTISED_NAME = re.compile(
    r"[-_.](?:GPTQ|AWQ|GGUF|FP8|INT[48]|MLX|bnb|bitsandbytes|\d-?bit|w\d+a\d+|quantized)\b.*",
    re.IGNORECASE,
)
_SMALLEST = "Qwen/Qwen2.5-0.5B-Instruct"
_WEIGHTS_OF_OTHERS = {
    ".gguf": "It has only GGUF weights, llama.cpp's format, which this vLLM does not load.",
    ".bin": "It has its weights only as PyTorch files, which can run any code when they are "
    "opened, so QwenChat does not load them.",
    ".pt": "It has its weights only as PyTorch files, which can run any code when they are "
    "opened, so QwenChat does not load them.",
    ".onnx": "It has only ONNX weights, which vLLM does not load.",
}


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is known of a model before its weights are there.

    Attributes:
        supported: Whether it runs here, as far as its configuration tells.
        reason: Why not, or a word of caution; empty when there is nothing to say.
        nearest: Id of the nearest model that runs; None for one that does itself.
        config: Its shape, to tell memory and speed from; None where it cannot be read.
    """

    supported: bool
    reason: str
    nearest: str | None
    config: ModelConfig | None


def judge(
    model_id: str,
    config_json: bytes | None,
    files: Sequence[str],
    *,
    cpu_flags: Collection[str] | None = None,
    known: Catalogue | None = None,
) -> Verdict:
    """Judge a model of the hub by what is cheap to fetch.

    Args:
        model_id: Its id, to name it and to find what is near.
        config_json: The content of ``config.json``; None when the model has none.
        files: The names of all its files, as the hub lists them.
        cpu_flags: The processor's flags; None for this one's.
        known: The catalogue; None for the one that comes with QwenChat.
    """
    known = known or catalogue()
    if entry := known.unsupported(model_id):
        return Verdict(False, entry.reason, entry.nearest, None)
    try:
        _refuse_files(files, config_json is not None)
        if config_json is None or len(config_json) > MAX_JSON_BYTES:
            raise ModelDamaged("Its config.json is missing or far too long to be one.")
        where = f"{model_id}/config.json"
        config = parse_config(parse_json_object(config_json, where), where)
    except ModelError as error:
        return Verdict(False, error.message, _nearest(model_id, known, _flags(cpu_flags)), None)
    return _judge_config(config, model_id, cpu_flags, known)


def judge_folder(folder: Path, *, cpu_flags: Collection[str] | None = None) -> Verdict:
    """Judge a folder on this machine, whether its weights are there already or not."""
    path = folder / "config.json"
    try:
        files = [entry.name for entry in folder.iterdir()]
        config = parse_config(read_json_object(path), str(path))
        if any(Path(name).suffix in _WEIGHTS_OF_OTHERS for name in files):
            _refuse_files(files, True)
    except OSError as error:
        reason = f"{folder} cannot be read ({error.strerror}). Give the folder of a model."
        return Verdict(False, reason, None, None)
    except ModelError as error:
        return Verdict(
            False, error.message, _nearest(folder.name, catalogue(), _flags(cpu_flags)), None
        )
    return _judge_config(config, folder.name, cpu_flags, catalogue())


def refuse_config(config: ModelConfig, name: str) -> None:
    """Raise where a model cannot run here.

    Args:
        name: The model's name, to find what is near.

    Raises:
        UnsupportedModel: With the reason and the nearest model that runs.
    """
    verdict = _judge_config(config, name, None, catalogue())
    if not verdict.supported:
        raise UnsupportedModel(f"{verdict.reason} The nearest that runs is {verdict.nearest}.")


def _judge_config(
    config: ModelConfig, name: str, cpu_flags: Collection[str] | None, known: Catalogue
) -> Verdict:
    flags = _flags(cpu_flags)
    reason = _code_or_pictures(config) or quantization.refusal(config, flags)
    if reason:
        return Verdict(False, reason, _nearest(name, known, flags), config)
    caution = ""
    if config.architecture not in KNOWN_ARCHITECTURES:
        caution = (
            f"QwenChat has not been tried with the architecture {config.architecture}; whether it "
            "runs shows when it is loaded."
        )
    return Verdict(True, caution, None, config)


def _flags(cpu_flags: Collection[str] | None) -> Collection[str]:
    return hardware.cpu_flags() if cpu_flags is None else cpu_flags


def _code_or_pictures(config: ModelConfig) -> str | None:
    unknown = config.architecture not in KNOWN_ARCHITECTURES - NEEDS_OWN_CODE
    if config.own_code and unknown:
        return (
            "It brings Python code of its own (auto_map in config.json), which would run with all "
            "your rights; QwenChat never runs such code."
        )
    if config.multimodal and importlib.util.find_spec("torchvision") is None:
        return (
            f"It is made for pictures or sound too ({config.architecture}), and vLLM's code for it "
            "needs the package torchvision, which QwenChat leaves out because the one on PyPI is "
            "built for CUDA."
        )
    return None


def _refuse_files(files: Sequence[str], has_config: bool) -> None:
    suffixes = {Path(name).suffix for name in files}
    if ".safetensors" in suffixes:
        return
    if not has_config and "adapter_config.json" in files:
        raise UnsupportedModel("It is a LoRA adapter, which is only an addition to a model.")
    for suffix, reason in _WEIGHTS_OF_OTHERS.items():
        if suffix in suffixes:
            raise UnsupportedModel(reason)
    raise ModelDamaged("It has no weights (no .safetensors file).")


def _nearest(name: str, known: Catalogue, cpu_flags: Collection[str]) -> str:
    """The model that runs whose name begins the same: its smallest quantised weights where
    the name asks for quantised ones, else its full weights."""
    base = _QUANTISED_NAME.sub("", name.rsplit("/", 1)[-1]).casefold()
    for model in known.models:
        if model.id.rsplit("/", 1)[-1].casefold() == base:
            asked_for_less = base != name.rsplit("/", 1)[-1].casefold()
            running = (
                variant
                for variant in model.variants
                if not quantization.missing_instructions(variant.method, cpu_flags)
            )
            small = min(running, key=model.weights_bytes)
            same = small.id.casefold() == name.casefold()
            return small.id if asked_for_less and not same else model.id
    return _SMALLEST
