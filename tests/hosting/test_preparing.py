"""A chosen model made ready to load: where it is found, what is refused, how it is loaded."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import pytest

from qwenchat import hardware
from qwenchat.engine.seam import PreparedModel
from qwenchat.errors import DownloadFailed, ModelDamaged, ModelNotFound
from qwenchat.hosting.choice import DEMO, Choice
from qwenchat.hosting.preparing import Preparer, dtype_for, is_quicker_in_float32, shown_name
from qwenchat.models.demo import DEMO_FOLDER, DEMO_NOTE
from qwenchat.models.downloads import Downloads
from qwenchat.models.fit import GIB, DoesNotFit
from qwenchat.models.last_used import last_used
from qwenchat.models.snapshot import Snapshot, inspect_snapshot
from qwenchat.settings import Settings
from tests.api.model_worlds import HERE, installed
from tests.models.samples import small_snapshot

T = TypeVar("T")


pytestmark = pytest.mark.usefixtures("machine")


def preparer(tmp_path: Path, **settings: Any) -> Preparer:
    return Preparer.of(Settings(data_dir=tmp_path / "data", **settings))


def prepared(one: Preparer, choice: Choice, **options: Any) -> PreparedModel:
    return asyncio.run(_awaited(one.prepare(choice, **options)(lambda *_: None)))


def checked(one: Preparer, choice: Choice, given_back: int = 0) -> None:
    asyncio.run(one.check(choice, given_back))


async def _awaited(work: Awaitable[T]) -> T:
    return await work


def test_a_folder_is_loaded_from_where_it_is(tmp_path: Path) -> None:
    folder = small_snapshot(tmp_path / "mine")
    one = preparer(tmp_path, max_concurrent=3)
    choice = Choice(str(folder))
    assert one.folder(choice) is None
    load = prepared(one, choice).load
    assert (load.path, load.model, load.max_concurrent) == (str(folder), "mine", 3)
    assert (load.context_length, load.dtype) == (1024, "auto")
    assert load.kv_cache_bytes > 0
    assert one.folder(choice) == folder
    assert list(last_used(tmp_path / "data/models")) == [str(folder)]


def test_the_recommended_sampling_comes_with_it(tmp_path: Path) -> None:
    folder = small_snapshot(tmp_path / "mine")
    (folder / "generation_config.json").write_text(json.dumps({"temperature": 0.25}))
    assert prepared(preparer(tmp_path), Choice(str(folder))).defaults.temperature == 0.25


def test_a_model_of_the_data_folder_by_its_id(tmp_path: Path) -> None:
    folder = installed(tmp_path / "data")
    one = preparer(tmp_path)
    checked(one, Choice(HERE))
    load = prepared(one, Choice(HERE)).load
    assert (load.path, load.model) == (str(folder), HERE)
    assert one.downloads.all() == [], "a model that is here is not downloaded"


@pytest.mark.parametrize(
    "place", ["modelscope/models/Qwen--Qwen-Cached/snapshots/master", "huggingface/models--Qwen--"]
)
def test_a_model_in_another_program_s_cache_is_used_from_there(tmp_path: Path, place: str) -> None:
    if place.startswith("huggingface"):
        place += "Qwen-Cached/snapshots/" + "a" * 40
    folder = small_snapshot(tmp_path / place)
    for fetch in (False, True):
        load = prepared(preparer(tmp_path), Choice("Qwen/Qwen-Cached"), fetch=fetch).load
        assert (load.path, load.model) == (str(folder), "Qwen/Qwen-Cached")
    assert not list((tmp_path / "data/models").glob("Qwen*"))


def test_a_model_that_somebody_put_into_the_data_folder(tmp_path: Path) -> None:
    folder = small_snapshot(tmp_path / "data/models/Qwen--Qwen-Copied")
    assert prepared(preparer(tmp_path), Choice("Qwen/Qwen-Copied")).load.path == str(folder)


def test_an_id_that_is_not_here_is_not_downloaded_unasked(tmp_path: Path) -> None:
    one = preparer(tmp_path)
    for refused in (checked, prepared):
        with pytest.raises(ModelNotFound, match="not on this machine. Download it first"):
            refused(one, Choice("Qwen/Qwen3-4B"))
    assert one.downloads.all() == []


def test_an_id_that_is_not_here_is_downloaded_where_the_settings_name_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = preparer(tmp_path)
    stages: list[tuple[str, int, int]] = []

    async def fetch(self: Downloads, model_id: str, on_progress: Callable[..., None]) -> Path:
        on_progress("Downloading", 1, 2)
        return installed(tmp_path / "data", model_id)

    monkeypatch.setattr(Downloads, "fetch", fetch)
    prepare = one.prepare(Choice("Qwen/Qwen3-4B"), fetch=True)
    load = asyncio.run(_awaited(prepare(lambda *stage: stages.append(stage)))).load
    assert load.model == "Qwen/Qwen3-4B"
    assert stages == [("Downloading", 1, 2)]


def test_the_page_sees_the_download(tmp_path: Path) -> None:
    one = preparer(tmp_path, offline=True)
    with pytest.raises(DownloadFailed, match="offline"):
        prepared(one, Choice("Qwen/Qwen3-4B"), fetch=True)
    (download,) = one.downloads.all()
    assert (download.model_id, download.state) == ("Qwen/Qwen3-4B", "failed")


def test_a_model_that_is_still_arriving_is_refused_with_that_reason(tmp_path: Path) -> None:
    async def story() -> None:
        one = preparer(tmp_path, endpoint="http://127.0.0.1:9")
        one.downloads.start("Qwen/Qwen3-4B")
        with pytest.raises(ModelNotFound, match="still being downloaded"):
            await one.check(Choice("Qwen/Qwen3-4B"), 0)
        await one.downloads.close()

    asyncio.run(story())


def test_a_damaged_model_of_the_data_folder_is_refused_with_what_to_do(tmp_path: Path) -> None:
    folder = installed(tmp_path / "data")
    with (folder / "model.safetensors").open("ab") as file:
        file.write(b"more")
    for refused in (checked, prepared):
        with pytest.raises(ModelDamaged):
            refused(preparer(tmp_path), Choice(HERE))


def test_a_folder_that_is_gone_is_refused(tmp_path: Path) -> None:
    for refused in (checked, prepared):
        with pytest.raises(ModelNotFound, match="There is no folder"):
            refused(preparer(tmp_path), Choice(str(tmp_path / "gone")))


def test_what_the_running_engine_gives_back_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    choice = Choice(str(small_snapshot(tmp_path / "mine")))
    monkeypatch.setattr(hardware, "available_memory_bytes", lambda: 100 * 1024**2)
    with pytest.raises(DoesNotFit, match="GiB"):
        checked(preparer(tmp_path), choice)
    checked(preparer(tmp_path), choice, given_back=4 * GIB)


def test_the_choice_wins_over_the_settings_and_they_over_nothing(tmp_path: Path) -> None:
    folder = str(small_snapshot(tmp_path / "mine"))
    one = preparer(tmp_path, context_length=512, dtype="float16")
    load = prepared(one, Choice(folder)).load
    assert (load.context_length, load.dtype) == (512, "float16")
    load = prepared(one, Choice(folder, 768, "float32")).load
    assert (load.context_length, load.dtype) == (768, "float32")


def test_each_load_has_a_seed_of_its_own(tmp_path: Path) -> None:
    choice = Choice(str(small_snapshot(tmp_path / "mine")))
    one = preparer(tmp_path)
    assert prepared(one, choice).load.seed != prepared(one, choice).load.seed


def test_the_demo_says_what_it_is(tmp_path: Path, demo_snapshot: Path) -> None:
    models = tmp_path / "data/models"
    models.mkdir()
    (models / DEMO_FOLDER).symlink_to(demo_snapshot)
    one = preparer(tmp_path)
    checked(one, DEMO)
    ready = prepared(one, DEMO)
    assert (ready.note, ready.load.model) == (DEMO_NOTE, shown_name(DEMO))
    assert one.folder(DEMO) == models / DEMO_FOLDER


def test_a_demo_that_is_not_there_yet_is_no_reason_to_refuse_it(tmp_path: Path) -> None:
    checked(preparer(tmp_path), DEMO)


def test_names_before_anything_is_read(tmp_path: Path) -> None:
    assert shown_name(Choice("Qwen/Qwen3-4B")) == "Qwen/Qwen3-4B"
    assert shown_name(Choice(str(tmp_path / "mine"))) == "mine"


@pytest.mark.parametrize(
    ("method", "wanted", "flags", "expected"),
    [
        ("gptq", "auto", {"amx_tile"}, "bfloat16"),
        ("awq", "auto", {"avx2", "amx_tile"}, "bfloat16"),
        ("gptq", "auto", {"avx512f"}, "auto"),
        ("awq", "auto", set(), "auto"),
        ("gptq", "float16", {"amx_tile"}, "float16"),
        ("awq", "float32", {"amx_tile"}, "float32"),
        ("compressed-tensors", "auto", {"amx_tile"}, "auto"),
        (None, "auto", {"amx_tile"}, "auto"),
    ],
)
def test_four_bit_weights_compute_in_bfloat16_where_the_processor_has_amx(
    tmp_path: Path, method: str | None, wanted: str, flags: set[str], expected: str
) -> None:
    snapshot: Snapshot = inspect_snapshot(small_snapshot(tmp_path / "mine"))
    assert dtype_for(replace(snapshot, quantization=method), wanted, flags) == expected


ONLY_AVX2 = frozenset({"sse4_2", "avx2", "fma"})
WITH_AVX512 = ONLY_AVX2 | {"avx512f", "avx512bw", "avx512dq", "avx512vl"}


@pytest.mark.parametrize(
    ("flags", "settings", "choice_dtype", "expected"),
    [
        (ONLY_AVX2, {}, "auto", "float32"),
        (ONLY_AVX2, {}, "bfloat16", "bfloat16"),
        (ONLY_AVX2, {"dtype": "float16"}, "auto", "float16"),
        (WITH_AVX512, {}, "auto", "auto"),
        (frozenset({"asimd", "bf16"}), {}, "auto", "auto"),
    ],
)
def test_with_avx2_alone_weights_are_loaded_in_float32_unless_somebody_says_otherwise(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    flags: frozenset[str],
    settings: dict[str, Any],
    choice_dtype: str,
    expected: str,
) -> None:
    monkeypatch.setattr(hardware, "cpu_flags", lambda: flags)
    choice = Choice(str(small_snapshot(tmp_path / "mine")), None, choice_dtype)
    assert prepared(preparer(tmp_path, **settings), choice).load.dtype == expected


def test_with_avx2_alone_context_is_not_given_up_for_float32(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hardware, "cpu_flags", lambda: ONLY_AVX2)
    choice = Choice(str(small_snapshot(tmp_path / "mine", rows=200_000, vocab_size=200_000)))
    one = preparer(tmp_path, max_concurrent=1)
    seen = set()
    for megabytes in range(300, 2_000, 5):
        monkeypatch.setattr(hardware, "available_memory_bytes", lambda m=megabytes: m * 1024**2)
        try:
            load = prepared(one, choice).load
        except DoesNotFit:
            continue
        seen.add((load.dtype, load.context_length))
    contexts = {context for dtype, context in seen if dtype == "float32"}
    assert contexts == {1024}
    assert ("auto", 1024) in seen, "where there is room for half precision only"


def test_quantised_weights_keep_their_format_with_avx2_alone(tmp_path: Path) -> None:
    snapshot = inspect_snapshot(small_snapshot(tmp_path / "mine"))
    assert is_quicker_in_float32(snapshot, ONLY_AVX2)
    assert not is_quicker_in_float32(replace(snapshot, quantization="gptq"), ONLY_AVX2)
