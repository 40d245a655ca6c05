"""Every way in which a folder is not a model, and what is said about it."""

from __future__ import annotations

import json
import os
import shutil
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from qwenchat.errors import ModelDamaged, ModelError, ModelNotFound, UnsupportedModel
from qwenchat.models.manifest import Manifest, write_manifest
from qwenchat.models.snapshot import inspect_snapshot
from qwenchat.models.snapshot_config import parse_config
from qwenchat.models.snapshot_shapes import check_shapes
from tests.models.samples import (
    CONFIG,
    sharded_snapshot,
    small_snapshot,
    write_json,
    write_weights,
)

POINTER = (
    "version https://git-lfs.github.com/spec/v1\n"
    "oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\n"
    "size 988097824\n"
)


@pytest.fixture
def snapshot(tmp_path: Path) -> Path:
    return small_snapshot(tmp_path / "model")


def refused(folder: Path, kind: type[ModelError]) -> str:
    """The message with which ``folder`` is refused: one paragraph with a next step."""
    with pytest.raises(kind) as caught:
        inspect_snapshot(folder)
    message = caught.value.message
    assert "\n" not in message and message.endswith((".", ")")), message
    return message


def test_the_demo_model(demo_snapshot: Path) -> None:
    found = inspect_snapshot(demo_snapshot)
    assert found.path == demo_snapshot
    assert found.name == "SmolLM2-135M demo"
    assert found.architecture == "Qwen2ForCausalLM"
    assert found.context_length == 8192
    assert (found.layers, found.kv_heads, found.head_dim) == (30, 3, 64)
    assert (found.dtype, found.quantization) == ("bfloat16", None)
    assert (found.weights_bytes, found.vocab_size) == (269_087_616, 49152)


def test_a_small_model(snapshot: Path) -> None:
    found = inspect_snapshot(snapshot)
    assert found.name == "model"
    assert found.head_dim == 2, "hidden_size over heads where head_dim is not given"
    assert found.weights_bytes == 16 * 8 * 2


def test_shards_are_added_up(tmp_path: Path) -> None:
    assert inspect_snapshot(sharded_snapshot(tmp_path / "m")).weights_bytes == 3 * 4 * 8 * 2


class TestNames:
    def test_of_a_downloaded_model(self, snapshot: Path) -> None:
        write_manifest(snapshot, Manifest("Qwen/Qwen2.5", "Qwen/Qwen2.5", "master", ()))
        assert inspect_snapshot(snapshot).name == "Qwen/Qwen2.5"

    @pytest.mark.parametrize("folder", ["Qwen--Qwen3-0.6B", "models--Qwen--Qwen3-0.6B"])
    def test_of_one_in_a_hub_cache(self, tmp_path: Path, folder: str) -> None:
        path = small_snapshot(tmp_path / folder / "snapshots" / "master")
        assert inspect_snapshot(path).name == "Qwen/Qwen3-0.6B"

    def test_of_the_current_folder(self, snapshot: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(snapshot)
        assert inspect_snapshot(Path(".")).name == "model"


class TestConfiguration:
    def test_head_dim_given(self, tmp_path: Path) -> None:
        assert inspect_snapshot(small_snapshot(tmp_path / "m", head_dim=128)).head_dim == 128

    def test_no_kv_heads_means_as_many_as_heads(self, tmp_path: Path) -> None:
        path = small_snapshot(tmp_path / "m", num_key_value_heads=None)
        assert inspect_snapshot(path).kv_heads == 4

    @pytest.mark.parametrize(
        ("rope", "expected"),
        [
            ({"rope_scaling": None}, 1024),
            ({"rope_scaling": {"type": "linear", "factor": 4.0}}, 4096),
            ({"rope_scaling": {"rope_type": "dynamic", "factor": 2}}, 2048),
            ({"rope_scaling": {"rope_type": "yarn", "factor": 4.0}}, 1024),
            ({"rope_parameters": {"rope_type": "llama3", "factor": 8.0}}, 1024),
            ({"rope_parameters": {"full": {"rope_type": "linear", "factor": 2.0}}}, 2048),
        ],
    )
    def test_context_length_with_scaled_rope(
        self, tmp_path: Path, rope: dict[str, Any], expected: int
    ) -> None:
        assert inspect_snapshot(small_snapshot(tmp_path / "m", **rope)).context_length == expected

    def test_context_length_not_given(self, tmp_path: Path) -> None:
        path = small_snapshot(tmp_path / "m", max_position_embeddings=None)
        assert inspect_snapshot(path).context_length == 2048

    def test_quantized(self, tmp_path: Path) -> None:
        four_bits = {"quant_method": "gptq", "bits": 4, "group_size": 32, "sym": True}
        path = small_snapshot(
            tmp_path / "m", hidden_size=32, head_dim=8, quantization_config=four_bits
        )
        write_weights(path / "model.safetensors", {"model.embed_tokens.weight": (16, 32)})
        assert inspect_snapshot(path).quantization == "gptq"

    def test_quantized_in_a_way_that_does_not_run_here(self, tmp_path: Path) -> None:
        eight_bits = {"quant_method": "gptq", "bits": 8, "group_size": 128, "sym": True}
        path = small_snapshot(
            tmp_path / "Qwen2.5-7B-Instruct-GPTQ-Int8", quantization_config=eight_bits
        )
        message = refused(path, UnsupportedModel)
        assert "8 bits" in message
        assert "The nearest that runs is Qwen/Qwen2.5-7B-Instruct-GPTQ-Int4." in message

    def test_dtype_from_the_weights_where_config_is_silent(self, tmp_path: Path) -> None:
        path = small_snapshot(tmp_path / "m", torch_dtype=None)
        assert inspect_snapshot(path).dtype == "bfloat16"

    def test_newer_name_of_dtype(self, tmp_path: Path) -> None:
        assert inspect_snapshot(small_snapshot(tmp_path / "m", dtype="float16")).dtype == "float16"

    def test_numbers_one_level_down(self, tmp_path: Path) -> None:
        path = small_snapshot(tmp_path / "m")
        outer = {
            "architectures": ["OtherForConditionalGeneration"],
            "text_config": {key: CONFIG[key] for key in CONFIG if key != "architectures"},
        }
        write_json(path / "config.json", outer)
        assert inspect_snapshot(path).layers == 2

    def test_a_model_for_pictures_is_refused_where_their_package_is_missing(
        self, tmp_path: Path
    ) -> None:
        path = small_snapshot(tmp_path / "m", vision_config={"depth": 2})
        assert "torchvision" in refused(path, UnsupportedModel)

    @pytest.mark.parametrize(
        "key", ["hidden_size", "num_hidden_layers", "num_attention_heads", "vocab_size"]
    )
    @pytest.mark.parametrize("value", [None, 0, -1, "many", True, 1.5])
    def test_a_number_is_no_number(self, tmp_path: Path, key: str, value: object) -> None:
        path = small_snapshot(tmp_path / "m")
        write_json(path / "config.json", CONFIG | {key: value})
        assert key in refused(path, ModelDamaged)

    @pytest.mark.parametrize(
        "wrong",
        [
            {"num_hidden_layers": 10**12},
            {"intermediate_size": -1},
            {"intermediate_size": 0},
            {"num_key_value_heads": 3},
            {"num_attention_heads": 16, "num_key_value_heads": 16},
            {"hidden_size": "8" * 5000},
        ],
    )
    def test_a_number_no_model_can_have(self, tmp_path: Path, wrong: dict[str, Any]) -> None:
        message = refused(small_snapshot(tmp_path / "m", **wrong), ModelDamaged)
        assert "which no model can have" in message and len(message) < 400

    def test_a_config_of_3_gb_stays_unread(self, tmp_path: Path) -> None:
        path = small_snapshot(tmp_path / "m")
        with (path / "config.json").open("wb") as file:
            file.truncate(3 * 10**9)  # a hole: no disk, and zeros to whoever reads it
        assert "3,000,000,000 bytes" in refused(path, ModelDamaged)


class TestFolder:
    def test_does_not_exist(self, tmp_path: Path) -> None:
        assert "There is no folder" in refused(tmp_path / "nothing", ModelNotFound)

    def test_is_a_file(self, tmp_path: Path) -> None:
        (tmp_path / "model.safetensors").write_bytes(b"")
        message = refused(tmp_path / "model.safetensors", ModelNotFound)
        assert "is a file" in message and "config.json" in message

    def test_is_a_gguf_file(self, tmp_path: Path) -> None:
        (tmp_path / "qwen.gguf").write_bytes(b"GGUF")
        assert "llama.cpp" in refused(tmp_path / "qwen.gguf", ModelNotFound)

    def test_is_empty(self, tmp_path: Path) -> None:
        assert "no config.json" in refused(tmp_path, ModelDamaged)

    def test_is_the_one_above(self, snapshot: Path) -> None:
        assert f"There is one in {snapshot}" in refused(snapshot.parent, ModelDamaged)

    @pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
    def test_may_not_be_read(self, snapshot: Path) -> None:
        (snapshot / "config.json").chmod(0)
        assert "right to read" in refused(snapshot, ModelDamaged)


class TestConfigFile:
    @pytest.mark.parametrize(
        "content", [b"", b"{", b"<html>not found</html>", b"\xff\xfe\x00", b"[" * 100_000]
    )
    def test_is_not_json(self, snapshot: Path, content: bytes) -> None:
        (snapshot / "config.json").write_bytes(content)
        assert "not valid JSON" in refused(snapshot, ModelDamaged)

    @pytest.mark.parametrize("content", ["[]", "null", '"config"', "3"])
    def test_is_not_an_object(self, snapshot: Path, content: str) -> None:
        (snapshot / "config.json").write_text(content)
        assert "JSON object" in refused(snapshot, ModelDamaged)

    def test_is_a_git_lfs_pointer(self, snapshot: Path) -> None:
        (snapshot / "config.json").write_text(POINTER)
        assert "git-lfs pointer" in refused(snapshot, ModelDamaged)

    @pytest.mark.parametrize("value", [None, [], "Qwen2ForCausalLM", [3]])
    def test_has_no_architecture(self, tmp_path: Path, value: object) -> None:
        path = small_snapshot(tmp_path / "m", architectures=value)
        assert "architecture" in refused(path, UnsupportedModel)

    @pytest.mark.parametrize(
        "name", ["BertModel", "Qwen2ForSequenceClassification", "Qwen2ForRewardModel", "CLIPModel"]
    )
    def test_has_an_architecture_that_does_not_chat(self, tmp_path: Path, name: str) -> None:
        path = small_snapshot(tmp_path / "m", architectures=[name])
        message = refused(path, UnsupportedModel)
        assert name in message and "chat" in message

    def test_is_of_an_encoder_decoder(self, tmp_path: Path) -> None:
        path = small_snapshot(
            tmp_path / "m", architectures=["T5ForConditionalGeneration"], is_encoder_decoder=True
        )
        assert "T5ForConditionalGeneration" in refused(path, UnsupportedModel)

    def test_is_an_adapter_s(self, snapshot: Path) -> None:
        (snapshot / "config.json").rename(snapshot / "adapter_config.json")
        assert "LoRA" in refused(snapshot, UnsupportedModel)


class TestWeights:
    def test_none(self, snapshot: Path) -> None:
        (snapshot / "model.safetensors").unlink()
        assert "no weights" in refused(snapshot, ModelDamaged)

    def test_only_gguf(self, snapshot: Path) -> None:
        (snapshot / "model.safetensors").rename(snapshot / "model.gguf")
        assert "without -GGUF" in refused(snapshot, UnsupportedModel)

    def test_only_gguf_and_no_config(self, tmp_path: Path) -> None:
        (tmp_path / "model.gguf").write_bytes(b"GGUF")
        assert "without -GGUF" in refused(tmp_path, UnsupportedModel)

    @pytest.mark.parametrize("name", ["pytorch_model.bin", "model.pt", "model.pth"])
    def test_only_pytorch_files(self, snapshot: Path, name: str) -> None:
        (snapshot / "model.safetensors").rename(snapshot / name)
        assert ".safetensors" in refused(snapshot, UnsupportedModel)

    def test_a_shard_is_missing(self, tmp_path: Path) -> None:
        path = sharded_snapshot(tmp_path / "m")
        (path / "model-00002-of-00003.safetensors").unlink()
        message = refused(path, ModelDamaged)
        assert "model-00002-of-00003.safetensors missing" in message
        assert "00001-of" not in message

    def test_many_shards_are_missing(self, tmp_path: Path) -> None:
        path = sharded_snapshot(tmp_path / "m", shards=9)
        for shard in path.glob("*-of-*"):
            shard.unlink()
        assert "and 4 more missing" in refused(path, ModelDamaged)

    def test_a_shard_is_missing_and_so_is_the_index(self, tmp_path: Path) -> None:
        path = sharded_snapshot(tmp_path / "m")
        (path / "model.safetensors.index.json").unlink()
        assert inspect_snapshot(path).weights_bytes == 3 * 64
        (path / "model-00003-of-00003.safetensors").unlink()
        assert "model-00003-of-00003.safetensors missing" in refused(path, ModelDamaged)

    @pytest.mark.parametrize("content", [{}, {"weight_map": []}, {"weight_map": {}}])
    def test_the_index_is_empty(self, tmp_path: Path, content: object) -> None:
        path = sharded_snapshot(tmp_path / "m")
        write_json(path / "model.safetensors.index.json", content)
        assert "model.safetensors.index.json" in refused(path, ModelDamaged)

    def test_the_index_is_of_another_version(self, tmp_path: Path) -> None:
        path = sharded_snapshot(tmp_path / "m")
        write_weights(path / "model-00001-of-00003.safetensors", {"another": (4, 8)})
        assert "different versions" in refused(path, ModelDamaged)


def cut(content: bytes) -> bytes:
    return content[:-10]


def in_header(content: bytes) -> bytes:
    return content[:40]


def longer(content: bytes) -> bytes:
    return content + b"more"


def web_page(content: bytes) -> bytes:
    return b"<!DOCTYPE html><html><body>Please log in</body></html>"


def pointer(content: bytes) -> bytes:
    return POINTER.encode()


def empty(content: bytes) -> bytes:
    return b""


def no_tensors(content: bytes) -> bytes:
    return struct.pack("<Q", 2) + b"{}"


def header(entry: object) -> Callable[[bytes], bytes]:
    def spoil(content: bytes) -> bytes:
        encoded = json.dumps(entry).encode()
        return struct.pack("<Q", len(encoded)) + encoded

    return spoil


class TestDamagedWeights:
    @pytest.mark.parametrize(
        ("spoil", "said"),
        [
            (cut, ("by its header should be",)),
            (in_header, ("40 bytes long", "header")),
            (longer, ("by its header should be",)),
            (web_page, ("web page",)),
            (pointer, ("git-lfs pointer of 134 bytes", "988,097,824 bytes", "git lfs pull")),
            (empty, ("0 bytes",)),
            (no_tensors, ("no tensors",)),
            (header([]), ("not the JSON",)),
            (header({"a": 3}), ("not the JSON",)),
            (header({"a": {"dtype": "F32", "shape": [1]}}), ("not the JSON",)),
            (header({"a": {"dtype": "F32", "shape": [1], "data_offsets": [4, 0]}}), ("JSON",)),
            (header({"a": {"dtype": "F32", "shape": "1", "data_offsets": [0, "x"]}}), ("JSON",)),
        ],
    )
    def test_are_named(
        self, snapshot: Path, spoil: Callable[[bytes], bytes], said: tuple[str, ...]
    ) -> None:
        path = snapshot / "model.safetensors"
        path.write_bytes(spoil(path.read_bytes()))
        message = refused(snapshot, ModelDamaged)
        assert str(path) in message
        assert all(part in message for part in said), message

    def test_real_and_expected_size_are_said(self, snapshot: Path) -> None:
        path = snapshot / "model.safetensors"
        whole = path.stat().st_size
        path.write_bytes(path.read_bytes()[:-10])
        message = refused(snapshot, ModelDamaged)
        assert f"{whole - 10:,} bytes" in message and f"{whole:,}" in message

    def test_a_gigantic_header_is_not_read(self, snapshot: Path) -> None:
        path = snapshot / "model.safetensors"
        path.write_bytes(struct.pack("<Q", 2**62) + b"{}")
        assert "does not begin as a safetensors file" in refused(snapshot, ModelDamaged)

    def test_the_demo_model_s(self, demo_snapshot: Path, tmp_path: Path) -> None:
        copy = tmp_path / "demo"
        shutil.copytree(demo_snapshot, copy, copy_function=os.link)
        weights = copy / "model.safetensors"
        weights.unlink()
        with (demo_snapshot / "model.safetensors").open("rb") as source:
            weights.write_bytes(source.read(1_000_000))
        message = refused(copy, ModelDamaged)
        assert "1,000,000 bytes" in message and "269,127,800" in message


class TestTokenizer:
    def test_none(self, snapshot: Path) -> None:
        (snapshot / "tokenizer.json").unlink()
        assert "no tokenizer" in refused(snapshot, ModelDamaged)

    def test_only_half_of_one(self, snapshot: Path) -> None:
        (snapshot / "tokenizer.json").rename(snapshot / "vocab.json")
        assert "merges.txt" in refused(snapshot, ModelDamaged)

    @pytest.mark.parametrize("names", [("vocab.json", "merges.txt"), ("tokenizer.model",)])
    def test_of_another_kind(self, snapshot: Path, names: tuple[str, ...]) -> None:
        (snapshot / "tokenizer.json").unlink()
        for name in names:
            (snapshot / name).write_text("x")
        inspect_snapshot(snapshot)

    @pytest.mark.parametrize("content", [b"", b'{"version": "1.0", "mod', b"<html></html>"])
    def test_cut_short(self, snapshot: Path, content: bytes) -> None:
        (snapshot / "tokenizer.json").write_bytes(content)
        assert "not valid JSON" in refused(snapshot, ModelDamaged)

    def test_git_lfs_pointer(self, snapshot: Path) -> None:
        (snapshot / "tokenizer.json").write_text(POINTER)
        assert "git-lfs pointer" in refused(snapshot, ModelDamaged)


class TestChatTemplate:
    @pytest.mark.parametrize("value", [None, "", "  ", []])
    def test_none(self, snapshot: Path, value: object) -> None:
        write_json(snapshot / "tokenizer_config.json", {"chat_template": value})
        message = refused(snapshot, UnsupportedModel)
        assert "chat template" in message and "-Instruct" in message

    def test_no_tokenizer_config_at_all(self, snapshot: Path) -> None:
        (snapshot / "tokenizer_config.json").unlink()
        assert "chat template" in refused(snapshot, UnsupportedModel)

    def test_damaged_tokenizer_config(self, snapshot: Path) -> None:
        (snapshot / "tokenizer_config.json").write_text("{")
        assert "tokenizer_config.json is not valid JSON" in refused(snapshot, ModelDamaged)

    def test_in_a_jinja_file(self, snapshot: Path) -> None:
        (snapshot / "tokenizer_config.json").unlink()
        (snapshot / "chat_template.jinja").write_text("{{ messages }}")
        inspect_snapshot(snapshot)

    def test_in_a_json_file(self, snapshot: Path) -> None:
        (snapshot / "tokenizer_config.json").unlink()
        write_json(snapshot / "chat_template.json", {"chat_template": "{{ messages }}"})
        inspect_snapshot(snapshot)

    def test_several(self, snapshot: Path) -> None:
        templates = [{"name": "default", "template": "{{ messages }}"}]
        write_json(snapshot / "tokenizer_config.json", {"chat_template": templates})
        inspect_snapshot(snapshot)


FULL = {"intermediate_size": 12, "tie_word_embeddings": True}


def full_tensors(**changed: tuple[int, ...]) -> dict[str, tuple[int, ...]]:
    """All matrices of a two-layer Qwen2 of ``CONFIG``'s shape; ``changed`` by short name,
    those of layer 1."""
    tensors: dict[str, tuple[int, ...]] = {"model.embed_tokens.weight": (16, 8)}
    for layer in range(2):
        shapes = {
            "self_attn.q_proj": (8, 8),
            "self_attn.k_proj": (4, 8),
            "self_attn.v_proj": (4, 8),
            "self_attn.o_proj": (8, 8),
            "mlp.gate_proj": (12, 8),
            "mlp.up_proj": (12, 8),
            "mlp.down_proj": (8, 12),
        }
        for name, shape in shapes.items():
            short = name.split(".")[1]
            wanted = changed.get(short, shape) if layer == 1 else shape
            tensors[f"model.layers.{layer}.{name}.weight"] = wanted
    return tensors


class TestShapes:
    def whole(self, folder: Path, tensors: dict[str, tuple[int, ...]], **config: Any) -> Path:
        path = small_snapshot(folder, **(FULL | config))
        write_weights(path / "model.safetensors", tensors)
        return path

    def test_weights_and_configuration_of_one_model_are_accepted(self, tmp_path: Path) -> None:
        found = inspect_snapshot(self.whole(tmp_path / "m", full_tensors()))
        assert (found.hidden_size, found.spare_output_layer) == (8, False)

    @pytest.mark.parametrize(
        ("name", "found", "key"),
        [
            ("gate_proj", (10, 8), "intermediate_size"),
            ("up_proj", (14, 8), "intermediate_size"),
            ("down_proj", (8, 10), "intermediate_size"),
            ("q_proj", (16, 8), "num_attention_heads"),
            ("k_proj", (8, 8), "num_key_value_heads"),
            ("v_proj", (2, 8), "num_key_value_heads"),
            ("o_proj", (8, 16), "num_attention_heads"),
        ],
    )
    def test_a_tensor_of_another_shape_is_named_with_both_shapes(
        self, tmp_path: Path, name: str, found: tuple[int, int], key: str
    ) -> None:
        path = self.whole(tmp_path / "m", full_tensors(**{name: found}))
        message = refused(path, ModelDamaged)
        assert f"{name}.weight" in message and "model.layers.1." in message and key in message
        right = next(
            shape for tensor, shape in full_tensors().items() if tensor.endswith(f"{name}.weight")
        )
        assert " × ".join(map(str, right)) in message and " × ".join(map(str, found)) in message

    @pytest.mark.parametrize("shape", [(15, 8), (17, 8), (16, 4)])
    def test_an_embedding_of_another_vocabulary_or_width(
        self, tmp_path: Path, shape: tuple[int, int]
    ) -> None:
        tensors = full_tensors() | {"model.embed_tokens.weight": shape}
        message = refused(self.whole(tmp_path / "m", tensors), ModelDamaged)
        assert "embed_tokens" in message and "vocab_size" in message

    def test_a_layer_is_missing(self, tmp_path: Path) -> None:
        path = self.whole(tmp_path / "m", full_tensors(), num_hidden_layers=3)
        assert "layer 2 is missing" in refused(path, ModelDamaged)

    def test_a_layer_is_one_too_many(self, tmp_path: Path) -> None:
        path = self.whole(tmp_path / "m", full_tensors(), num_hidden_layers=1)
        assert "there is a layer 1" in refused(path, ModelDamaged)

    def test_an_output_layer_of_its_own_is_missing(self, tmp_path: Path) -> None:
        path = self.whole(tmp_path / "m", full_tensors(), tie_word_embeddings=False)
        assert "lm_head.weight" in refused(path, ModelDamaged)

    def test_an_output_layer_beside_a_shared_one_is_not_counted_twice(self, tmp_path: Path) -> None:
        tensors = full_tensors() | {"lm_head.weight": (16, 8)}
        assert inspect_snapshot(self.whole(tmp_path / "m", tensors)).spare_output_layer

    @pytest.mark.parametrize(
        ("method", "kind", "right", "wrong"),
        [
            ("gptq", "qweight", (8, 96), (8, 64)),
            ("awq", "qweight", (64, 12), (64, 8)),
            ("compressed-tensors", "weight_packed", (96, 8), (64, 8)),
        ],
    )
    def test_packed_tensors_are_unpacked_in_thought(
        self, tmp_path: Path, method: str, kind: str, right: tuple[int, ...], wrong: tuple[int, ...]
    ) -> None:
        config = parse_config(
            CONFIG
            | {"hidden_size": 64, "intermediate_size": 96, "tie_word_embeddings": True}
            | {"num_hidden_layers": 1, "quantization_config": {"quant_method": method}},
            "config.json",
        )
        name = f"model.layers.0.mlp.gate_proj.{kind}"
        check_shapes("m", config, {name: right})
        with pytest.raises(ModelDamaged, match="gate_proj"):
            check_shapes("m", config, {name: wrong})

    def test_an_architecture_with_other_names_is_judged_by_its_embedding_alone(
        self, tmp_path: Path
    ) -> None:
        path = self.whole(
            tmp_path / "m", full_tensors(q_proj=(16, 8)), architectures=["OtherForCausalLM"]
        )
        inspect_snapshot(path)
