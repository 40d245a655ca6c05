"""A model's folder, looked at before the engine is asked to load it.

What would end in a stack trace minutes later is found here in milliseconds, and said in
one paragraph with the next step. Nothing is imported for it but the standard library.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from qwenchat.errors import ModelDamaged, ModelNotFound, UnsupportedModel
from qwenchat.models.judge import refuse_config
from qwenchat.models.manifest import read_manifest
from qwenchat.models.snapshot_config import read_config, read_json_object
from qwenchat.models.snapshot_shapes import check_shapes, stores_output_layer
from qwenchat.models.snapshot_weights import inspect_weights, refuse_pointer

_DTYPES = {"BF16": "bfloat16", "F16": "float16", "F32": "float32"}
_HUB_ID = "--model with a model's id, such as Qwen/Qwen2.5-0.5B-Instruct"


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A model that looks fit to be loaded.

    Attributes:
        path: The folder.
        name: The model's name to show.
        architecture: vLLM's name of it, such as ``Qwen2ForCausalLM``.
        context_length: The most tokens of prompt and answer together that the model allows.
        layers: Number of layers.
        kv_heads: Key/value heads of a layer.
        head_dim: Numbers in one head's key, and in its value.
        dtype: What the unquantised numbers are: ``bfloat16``, ``float16``, ``float32`` …
        quantization: vLLM's name of the method (``gptq``, ``awq`` …); None for none.
        weights_bytes: Size of all tensors.
        vocab_size: Number of tokens there are.
        hidden_size: Numbers that stand for a token between layers.
        spare_output_layer: Whether the files hold an output layer that equals the embedding,
            which is then not loaded.
    """

    path: Path
    name: str
    architecture: str
    context_length: int
    layers: int
    kv_heads: int
    head_dim: int
    dtype: str
    quantization: str | None
    weights_bytes: int
    vocab_size: int
    hidden_size: int
    spare_output_layer: bool


def inspect_snapshot(folder: Path) -> Snapshot:
    """Look at a model's folder without loading it.

    Raises:
        ModelNotFound: There is no such folder.
        ModelDamaged: Files are missing, cut short, or not what their names say.
        UnsupportedModel: No chat model, or in a format that vLLM's CPU engine does not load.
    """
    _require_folder(folder)
    try:
        config_path = folder / "config.json"
        if not config_path.is_file():
            raise _no_config(folder)
        refuse_pointer(config_path)
        config = read_config(config_path)
        refuse_config(config, _name(folder))
        weights = inspect_weights(folder)
        check_shapes(str(folder), config, weights.shapes)
        _require_tokenizer(folder)
        _require_chat_template(folder)
    except OSError as error:
        raise ModelDamaged(
            f"{error.filename or folder} cannot be read ({error.strerror}). Give this user "
            "the right to read the model's folder."
        ) from error
    return Snapshot(
        path=folder,
        name=_name(folder),
        architecture=config.architecture,
        context_length=config.context_length,
        layers=config.layers,
        kv_heads=config.kv_heads,
        head_dim=config.head_dim,
        dtype=config.dtype or _DTYPES.get(weights.dtype, "bfloat16"),
        quantization=config.quantization,
        weights_bytes=weights.data_bytes,
        vocab_size=config.vocab_size,
        hidden_size=config.hidden_size,
        spare_output_layer=config.tied and stores_output_layer(weights.shapes),
    )


def _require_folder(folder: Path) -> None:
    if folder.is_file():
        advice = (
            "GGUF is llama.cpp's format, which vLLM's CPU engine does not load. Choose the "
            "model it was made from"
            if folder.suffix == ".gguf"
            else "Give the folder that holds config.json"
        )
        raise ModelNotFound(
            f"{folder} is a file, and a model is a folder. {advice}, or use {_HUB_ID}."
        )
    if not folder.is_dir():
        raise ModelNotFound(
            f"There is no folder {folder}. Check the spelling, or use {_HUB_ID}, to download one."
        )


def _no_config(folder: Path) -> ModelDamaged | UnsupportedModel:
    if (folder / "adapter_config.json").is_file():
        return UnsupportedModel(
            f"{folder} holds a LoRA adapter, which is only an addition to a model. Give the "
            "folder of a whole model."
        )
    if any(folder.glob("*.gguf")):
        return UnsupportedModel(
            f"{folder} has only GGUF weights, llama.cpp's format, which vLLM's CPU engine "
            "does not load. Choose the model they were made from: its name without -GGUF."
        )
    inside = next(iter(sorted(folder.glob("*/config.json"))), None)
    hint = f" There is one in {inside.parent}: give that folder." if inside else ""
    return ModelDamaged(
        f"{folder} has no config.json, so it is no model's folder or its download did not "
        f"finish.{hint or ' Give another folder, or get the model again.'}"
    )


def _require_tokenizer(folder: Path) -> None:
    whole = [("tokenizer.json",), ("vocab.json", "merges.txt"), ("tokenizer.model",)]
    for names in whole:
        paths = [folder / name for name in names]
        if all(path.is_file() for path in paths):
            for path in paths:
                refuse_pointer(path)
            if names == ("tokenizer.json",):
                _refuse_cut_json(paths[0])
            return
    raise ModelDamaged(
        f"{folder} has no tokenizer (tokenizer.json, or vocab.json with merges.txt, or "
        "tokenizer.model). Get the model again, with all its files."
    )


def _refuse_cut_json(path: Path) -> None:
    # Parsing all of it takes 0.1 s and more; a cut or foreign file shows at its ends.
    with path.open("rb") as file:
        start = file.read(64)
        file.seek(max(0, path.stat().st_size - 64))
        end = file.read()
    if not (start.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{") and end.rstrip().endswith(b"}")):
        raise ModelDamaged(
            f"{path} is not valid JSON, so it is damaged or was cut short ("
            f"{path.stat().st_size:,} bytes). Get this file, or the whole model, again."
        )


def _require_chat_template(folder: Path) -> None:
    if _is_text(folder / "chat_template.jinja"):
        return
    for name in ("chat_template.json", "tokenizer_config.json"):
        path = folder / name
        if path.is_file() and _is_template(read_json_object(path).get("chat_template")):
            return
    raise UnsupportedModel(
        f"The model in {folder} has no chat template, so it continues text but does not "
        "answer messages; base models are like that. Choose its chat version, whose name "
        "usually ends in -Instruct or -Chat."
    )


def _is_text(path: Path) -> bool:
    return path.is_file() and bool(path.read_text(encoding="utf-8", errors="replace").strip())


def _is_template(value: Any) -> bool:
    """A template is text; several are a list of ``{"name", "template"}``."""
    return (
        bool(value.strip()) if isinstance(value, str) else isinstance(value, list) and value != []
    )


def _name(folder: Path) -> str:
    manifest = read_manifest(folder)
    if manifest is not None:
        return manifest.name
    path = folder.resolve()
    # In the caches of ModelScope and Hugging Face the model's name is two levels up.
    if path.parent.name == "snapshots":
        return path.parent.parent.name.removeprefix("models--").replace("--", "/")
    return path.name or str(folder)
