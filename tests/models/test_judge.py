"""What runs here is known from config.json and a list of names, and why the rest does not."""

from __future__ import annotations

import importlib.util
import json
import os
import platform
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from qwenchat import hardware
from qwenchat.engine.environment import engine_environment
from qwenchat.models.catalog import catalogue
from qwenchat.models.judge import (
    KNOWN_ARCHITECTURES,
    NEEDS_OWN_CODE,
    Verdict,
    judge,
    judge_folder,
)
from qwenchat.models.quantization import AVX512, GPTQ_GROUPS
from qwenchat.models.snapshot_config import MAX_JSON_BYTES

CONFIG: dict[str, Any] = {
    "architectures": ["Qwen2ForCausalLM"],
    "model_type": "qwen2",
    "hidden_size": 896,
    "intermediate_size": 4864,
    "num_hidden_layers": 24,
    "num_attention_heads": 14,
    "num_key_value_heads": 2,
    "max_position_embeddings": 32_768,
    "vocab_size": 151_936,
    "tie_word_embeddings": True,
    "torch_dtype": "bfloat16",
}
FILES = ["config.json", "tokenizer.json", "model.safetensors"]
GPTQ = {"quant_method": "gptq", "bits": 4, "group_size": 128, "sym": True, "desc_act": False}
AWQ = {
    "quant_method": "awq",
    "bits": 4,
    "group_size": 128,
    "zero_point": True,
    "version": "gemm",
}
FP8 = {"quant_method": "fp8", "weight_block_size": [128, 128], "activation_scheme": "dynamic"}


def compressed(
    bits: int, activation_bits: int | None, kind: str = "int", **config: Any
) -> dict[str, Any]:
    activations = {"num_bits": activation_bits, "type": kind} if activation_bits else None
    weights = {"num_bits": bits, "type": kind}
    group = {"weights": weights, "input_activations": activations, "targets": ["Linear"]}
    return {"quant_method": "compressed-tensors", "config_groups": {"group_0": group}}


def verdict(
    quantization: dict[str, Any] | None = None,
    *,
    model_id: str = "somebody/some-model",
    files: list[str] = FILES,
    flags: frozenset[str] = frozenset(),
    **changed: Any,
) -> Verdict:
    config = CONFIG | changed
    if quantization is not None:
        config["quantization_config"] = quantization
    return judge(model_id, json.dumps(config).encode(), files, cpu_flags=flags)


class TestQuantisation:
    @pytest.mark.parametrize(
        "quantization",
        [
            None,
            GPTQ,
            GPTQ | {"group_size": 32},
            GPTQ | {"group_size": -1, "desc_act": True},
            AWQ,
            compressed(8, 8),
            compressed(4, None),
        ],
    )
    def test_what_the_cpu_backend_runs_is_accepted(self, quantization: dict[str, Any]) -> None:
        found = verdict(quantization)
        assert found.supported and found.nearest is None, found.reason

    @pytest.mark.parametrize(
        ("quantization", "said"),
        [
            (GPTQ | {"bits": 8}, "8 bits"),
            (GPTQ | {"bits": 3}, "3 bits"),
            (GPTQ | {"sym": False}, "asymmetric"),
            (GPTQ | {"group_size": 16}, "groups of 16"),
            (GPTQ | {"desc_act": True}, "desc_act"),
            ({"quant_method": "gptq"}, "None bits"),
            (AWQ | {"bits": 8}, "8 bits"),
            (AWQ | {"version": "gemv"}, "gemv"),
            (AWQ | {"zero_point": False}, "zero points"),
            (compressed(8, None), "W8A16"),
            (compressed(4, 8), "W4A8"),
            (compressed(8, 8, "float"), "float"),
            ({"quant_method": "compressed-tensors"}, "how its weights are compressed"),
            ({"quant_method": "bitsandbytes", "load_in_4bit": True}, "bitsandbytes"),
            ({"quant_method": "hqq"}, "hqq"),
            ({"quant_method": "gguf"}, "gguf"),
            (FP8 | {"weight_block_size": None}, "blocks of 128"),
            (FP8, "AMX"),
        ],
    )
    def test_what_it_does_not_run_is_refused_with_the_reason(
        self, quantization: dict[str, Any], said: str
    ) -> None:
        found = verdict(quantization)
        assert not found.supported and said in found.reason
        assert found.nearest is not None and catalogue().find(found.nearest)

    def test_fp8_runs_where_there_is_amx(self) -> None:
        assert verdict(FP8, flags=frozenset({"amx_tile"})).supported

    @pytest.mark.parametrize("quantization", [GPTQ, AWQ, compressed(4, None)])
    def test_four_bits_need_avx_512_on_x86(self, quantization: dict[str, Any]) -> None:
        found = verdict(quantization, flags=frozenset({"avx2"}))
        assert not found.supported and "AVX-512" in found.reason
        assert found.nearest == "Qwen/Qwen2.5-0.5B-Instruct"
        assert verdict(quantization, flags=AVX512 | {"avx2"}).supported

    def test_eight_bit_integers_run_with_avx2(self) -> None:
        assert verdict(compressed(8, 8), flags=frozenset({"avx2"})).supported

    @pytest.mark.parametrize("quantization", [GPTQ, AWQ, compressed(4, None), compressed(8, 8)])
    def test_quantised_experts_are_refused(self, quantization: dict[str, Any]) -> None:
        found = verdict(quantization, num_experts=128, architectures=["Qwen3MoeForCausalLM"])
        assert not found.supported and "mixture of experts" in found.reason

    def test_sizes_the_four_bit_kernel_cannot_take_are_refused(self) -> None:
        assert "multiples of 32" in verdict(GPTQ, intermediate_size=4_860).reason


class TestNearest:
    @pytest.mark.parametrize(
        ("model_id", "nearest"),
        [
            ("Qwen/Qwen2.5-7B-Instruct-GPTQ-Int8", "Qwen/Qwen2.5-7B-Instruct-GPTQ-Int4"),
            ("qwen/qwen2.5-7b-instruct-gptq-int8", "Qwen/Qwen2.5-7B-Instruct-GPTQ-Int4"),
            ("unsloth/Qwen2.5-7B-Instruct-bnb-4bit", "Qwen/Qwen2.5-7B-Instruct-GPTQ-Int4"),
            ("somebody/Qwen3-4B-bitsandbytes", "Qwen/Qwen3-4B-AWQ"),
            ("Qwen/Qwen3.5-4B", "Qwen/Qwen3-4B-Instruct-2507"),
            ("somebody/quite-another", "Qwen/Qwen2.5-0.5B-Instruct"),
        ],
    )
    def test_is_the_same_model_in_a_form_that_runs(self, model_id: str, nearest: str) -> None:
        bits8 = {"quant_method": "bitsandbytes"}
        found = verdict(bits8, model_id=model_id)
        assert not found.supported and found.nearest == nearest

    def test_on_a_processor_with_avx2_alone_it_has_eight_bits(self) -> None:
        bits8 = {"quant_method": "bitsandbytes"}
        model_id = "unsloth/Qwen2.5-7B-Instruct-bnb-4bit"
        found = verdict(bits8, model_id=model_id, flags=frozenset({"avx2"}))
        assert found.nearest == "RedHatAI/Qwen2.5-7B-Instruct-quantized.w8a8"


class TestConfiguration:
    def test_the_shape_is_handed_on_for_the_fit(self) -> None:
        config = verdict().config
        assert config is not None
        assert (config.layers, config.kv_heads, config.head_dim) == (24, 2, 64)
        assert (config.intermediate_size, config.tied) == (4864, True)

    def test_custom_code_is_refused_with_the_risk_in_plain_words(self) -> None:
        auto_map = {"AutoConfig": "configuration_own.OwnConfig"}
        found = verdict(architectures=["OwnForCausalLM"], auto_map=auto_map)
        assert not found.supported
        assert "all your rights" in found.reason and "never runs" in found.reason

    def test_custom_code_beside_an_architecture_of_vllm_s_own_is_not_needed(self) -> None:
        auto_map = {"AutoModelForCausalLM": "modeling_qwen2.Qwen2ForCausalLM"}
        assert verdict(auto_map=auto_map).supported

    @pytest.mark.parametrize("key", ["vision_config", "audio_config"])
    def test_models_for_pictures_and_sound_need_a_package_that_is_left_out(self, key: str) -> None:
        assert "torchvision" in verdict(**{key: {"depth": 2}}).reason

    def test_qwen3_5_is_such_a_model_even_without_pictures(self) -> None:
        assert "torchvision" in verdict(architectures=["Qwen3_5ForCausalLM"]).reason

    def test_with_that_package_they_are_let_through(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("importlib.util.find_spec", lambda name: object())
        assert verdict(vision_config={"depth": 2}).supported

    def test_an_encoder_is_refused(self) -> None:
        assert "no chat model" in verdict(architectures=["BertModel"]).reason

    def test_an_architecture_that_has_not_been_tried_gets_a_word_of_caution(self) -> None:
        found = verdict(architectures=["NewestForCausalLM"])
        assert found.supported and "NewestForCausalLM" in found.reason

    @pytest.mark.parametrize(
        ("content", "said"),
        [
            (None, "config.json"),
            (b"<html>", "not valid JSON"),
            (b"[]", "JSON object"),
            (b"{}", "architecture"),
            (b" " * (MAX_JSON_BYTES + 1), "too long"),
            (json.dumps(CONFIG | {"num_hidden_layers": 0}).encode(), "num_hidden_layers is 0"),
            (json.dumps(CONFIG | {"hidden_size": -896}).encode(), "hidden_size is -896"),
            (json.dumps(CONFIG | {"vocab_size": None}).encode(), "lacks vocab_size"),
        ],
    )
    def test_a_configuration_that_is_none_is_refused(
        self, content: bytes | None, said: str
    ) -> None:
        found = judge("a/b", content, FILES)
        assert not found.supported and said in found.reason and found.config is None

    def test_numbers_one_level_down_are_read(self) -> None:
        inner = {key: value for key, value in CONFIG.items() if key != "architectures"}
        outer = {"architectures": ["OtherForConditionalGeneration"], "text_config": inner}
        found = judge("a/b", json.dumps(outer).encode(), FILES)
        assert found.config is not None and found.config.layers == 24


class TestFiles:
    @pytest.mark.parametrize(
        ("files", "said"),
        [
            (["config.json", "model-q4.gguf"], "GGUF"),
            (["config.json", "pytorch_model.bin"], "PyTorch"),
            (["config.json", "model.onnx"], "ONNX"),
            (["config.json"], "no weights"),
            (["adapter_config.json", "adapter_model.bin"], "PyTorch"),
        ],
    )
    def test_weights_of_another_format_are_refused(self, files: list[str], said: str) -> None:
        assert said in verdict(files=files).reason

    def test_an_adapter_is_refused(self) -> None:
        assert "LoRA" in judge("a/b", None, ["adapter_config.json", "x.bin"]).reason

    def test_a_folder_without_weights_yet_is_judged_by_its_configuration(
        self, tmp_path: Path
    ) -> None:
        (tmp_path / "config.json").write_text(json.dumps(CONFIG))
        assert judge_folder(tmp_path).supported

    def test_a_folder_of_eight_bits_is_refused(self, tmp_path: Path) -> None:
        quantized = CONFIG | {"quantization_config": GPTQ | {"bits": 8}}
        (tmp_path / "config.json").write_text(json.dumps(quantized))
        assert "8 bits" in judge_folder(tmp_path).reason

    @pytest.mark.parametrize("name", ["nothing", "file"])
    def test_what_is_no_folder_is_said(self, tmp_path: Path, name: str) -> None:
        (tmp_path / "file").write_text("x")
        found = judge_folder(tmp_path / name)
        assert not found.supported and "Give the folder of a model" in found.reason


ASK_VLLM = """
import json
from vllm.model_executor.kernels.linear import MPLinearLayerConfig, choose_mp_linear_kernel
from vllm.model_executor.kernels.linear.scaled_mm import cpu
from vllm.model_executor.layers.quantization import QUANTIZATION_METHODS, get_quantization_config
from vllm.model_executor.layers.quantization.utils.marlin_utils import verify_marlin_supported
from vllm.model_executor.models.registry import _TEXT_GENERATION_MODELS
from vllm.scalar_type import scalar_types as types
from transformers.models.auto.configuration_auto import CONFIG_MAPPING_NAMES
import torch

def runs(ask):
    try:
        ask()
    except (ValueError, NotImplementedError):
        return False
    return True

def gptq(bits, group, sym=True, desc_act=False):
    kind = {4: types.uint4b8, 8: types.uint8b128}[bits]
    def ask():
        get_quantization_config("gptq").from_config(
            {"bits": bits, "group_size": group, "sym": sym, "desc_act": desc_act})
        verify_marlin_supported(kind, group)
    return runs(ask)

def packed(kind, group, zero_points, size=896):
    return runs(lambda: choose_mp_linear_kernel(MPLinearLayerConfig(
        (size, size), (size, size), kind, torch.bfloat16, group, zero_points)))

groups = (-1, 16, 32, 64, 96, 128, 256)
print(json.dumps({
    "groups": [group for group in groups if gptq(4, group)],
    "eight bits": [group for group in groups if gptq(8, group)],
    "asymmetric": gptq(4, 128, sym=False),
    "desc_act": gptq(4, 128, desc_act=True),
    "one group, desc_act": gptq(4, -1, desc_act=True),
    "awq": packed(types.uint4, 128, True),
    "awq 8": runs(lambda: get_quantization_config("awq").from_config(
        {"bits": 8, "group_size": 128, "zero_point": True})),
    "w4a16": packed(types.uint4b8, 128, False),
    "w8a16": packed(types.uint8b128, 128, False),
    "odd sizes": packed(types.uint4b8, 128, False, 900),
    "int8": cpu.CPUInt8ScaledMMLinearKernel.is_supported()[0],
    "fp8": cpu.CPUFp8BlockScaledMMKernel.is_supported()[0],
    "methods": QUANTIZATION_METHODS,
    "architectures": list(_TEXT_GENERATION_MODELS),
    "configurations": list(CONFIG_MAPPING_NAMES),
}))
"""


@pytest.fixture(scope="module")
def vllm_says() -> Any:
    done = subprocess.run(
        [sys.executable, "-c", ASK_VLLM],
        env=engine_environment(os.environ, 1, []),
        capture_output=True,
        text=True,
        timeout=150,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.accept
@pytest.mark.engine
class TestAgainstVllm:
    """The table of ``quantization.py`` is that of the vLLM installed here."""

    def test_gptq(self, vllm_says: Any) -> None:
        assert vllm_says["groups"] == list(GPTQ_GROUPS)
        assert vllm_says["eight bits"] == []
        assert not vllm_says["asymmetric"] and not vllm_says["desc_act"]
        assert vllm_says["one group, desc_act"]

    def test_awq(self, vllm_says: Any) -> None:
        assert vllm_says["awq"] and not vllm_says["awq 8"]

    def test_compressed_tensors(self, vllm_says: Any) -> None:
        assert vllm_says["int8"] and vllm_says["w4a16"] and not vllm_says["w8a16"]

    @pytest.mark.skipif(platform.machine() != "x86_64", reason="one library for all processors")
    def test_four_bits_have_no_kernel_in_the_library_for_avx2(self) -> None:
        spec = importlib.util.find_spec("vllm")
        assert spec is not None and spec.origin is not None
        folder = Path(spec.origin).parent
        assert b"cpu_gemm_wna16" in (folder / "_C_AVX512.abi3.so").read_bytes()
        assert b"cpu_gemm_wna16" not in (folder / "_C_AVX2.abi3.so").read_bytes()

    def test_sizes(self, vllm_says: Any) -> None:
        assert not vllm_says["odd sizes"]

    def test_fp8_needs_amx(self, vllm_says: Any) -> None:
        assert vllm_says["fp8"] == ("amx_tile" in hardware.cpu_flags())

    def test_methods(self, vllm_says: Any) -> None:
        methods = set(vllm_says["methods"])
        assert methods >= {"gptq", "awq", "compressed-tensors", "fp8"}
        assert not methods & {"bitsandbytes", "gguf", "hqq"}

    def test_architectures(self, vllm_says: Any) -> None:
        assert set(vllm_says["architectures"]) >= KNOWN_ARCHITECTURES

    def test_whose_configuration_needs_the_repository_s_code(self, vllm_says: Any) -> None:
        known = {name.replace("_", "") for name in vllm_says["configurations"]}
        without = {
            name
            for name in KNOWN_ARCHITECTURES
            if name.removesuffix("ForCausalLM").lower() not in known
        }
        assert without == NEEDS_OWN_CODE
