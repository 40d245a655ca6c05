"""What is offered on a machine of given numbers, and what is here, as pure decisions."""

from __future__ import annotations

from pathlib import Path

import pytest

from qwenchat.errors import ModelNotFound
from qwenchat.hosting.choice import Choice
from qwenchat.hosting.installed import find_by_id, folder_numbers, models_here, require
from qwenchat.hosting.offers import offers
from qwenchat.hosting.revealing import find_opener
from qwenchat.models.catalog import catalogue
from qwenchat.models.library import Library
from qwenchat.models.offer import Machine, best_for
from qwenchat.models.snapshot import inspect_snapshot
from qwenchat.models.speed import expected_speed, speed_of
from qwenchat.settings import Settings
from tests.models.samples import small_snapshot

GIB = 1024**3
DESKTOP = Machine(16 * GIB, 500 * GIB, 40e9, frozenset({"avx2"}))
NOWHERE = {"MODELSCOPE_CACHE": "/nowhere", "HF_HUB_CACHE": "/nowhere"}


def library(data_dir: Path) -> Library:
    return Library(data_dir / "models", environment=NOWHERE)


def test_the_best_is_the_one_the_offer_names(tmp_path: Path) -> None:
    found = offers(DESKTOP, [], None, Settings(data_dir=tmp_path))
    best = best_for(DESKTOP)
    assert best is not None and found.best == best.variant.id
    nothing = Machine(GIB // 4, 500 * GIB, 40e9, frozenset())
    assert offers(nothing, [], None, Settings(data_dir=tmp_path)).best is None


def test_every_variant_is_there_also_those_that_do_not_run(tmp_path: Path) -> None:
    found = offers(DESKTOP, [], None, Settings(data_dir=tmp_path))
    ids = [variant.variant.id for row in found.rows for variant in row.variants]
    assert ids == [variant.id for _, variant in catalogue().pairs()]
    amx = Machine(16 * GIB, 500 * GIB, 40e9, frozenset({"amx_tile"}))
    with_amx = offers(amx, [], None, Settings(data_dir=tmp_path))
    assert not any(variant.reason for row in with_amx.rows for variant in row.variants)


def test_the_context_that_is_set_decides_what_fits(tmp_path: Path) -> None:
    wanted = Settings(data_dir=tmp_path, context_length=32_768)
    long = offers(DESKTOP, [], None, wanted)
    usual = offers(DESKTOP, [], None, Settings(data_dir=tmp_path))
    pairs = zip(
        (variant for row in long.rows for variant in row.variants),
        (variant for row in usual.rows for variant in row.variants),
        strict=True,
    )
    assert any(one.fit.needed_bytes > other.fit.needed_bytes for one, other in pairs)


def test_what_is_in_use_is_known_by_its_folder(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path)
    folder = small_snapshot(tmp_path / "models" / "Qwen--Here")
    link = tmp_path / "link"
    link.symlink_to(folder)
    here = models_here(library(tmp_path), settings, Choice("demo"))
    found = offers(DESKTOP, here, link, settings)
    assert [one.model.id for one in found.installed if one.in_use] == ["Qwen/Here"]


def test_the_demo_and_the_loaded_folder_are_here_once(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path)
    mine = small_snapshot(tmp_path / "mine")
    here = models_here(library(tmp_path), settings, Choice(str(mine)))
    assert [one.id for one in here] == ["demo", str(mine)]
    assert not any(one.deletable for one in here)
    inside = small_snapshot(tmp_path / "models" / "inside")
    here = models_here(library(tmp_path), settings, Choice(str(inside)))
    assert [one.id for one in here] == [str(inside), "demo"]
    gone = models_here(library(tmp_path), settings, Choice(str(tmp_path / "gone")))
    found = find_by_id(gone, str(tmp_path / "gone"))
    assert found is not None and found.problem and found.size_bytes == 0


def test_a_model_that_is_not_here_is_told_with_those_that_are(tmp_path: Path) -> None:
    for number in range(7):
        small_snapshot(tmp_path / "models" / f"Qwen--Model{number}")
    here = models_here(library(tmp_path), Settings(data_dir=tmp_path), Choice("demo"))
    with pytest.raises(ModelNotFound) as refused:
        require(here, "x" * 1000)
    assert len(str(refused.value)) < 400 and "and 3 more" in str(refused.value)


def test_speed_by_configuration_is_that_of_the_catalogue(tmp_path: Path) -> None:
    """The formula is one; where both know a shape they say the same."""
    settings = Settings(data_dir=tmp_path)
    folder = small_snapshot(tmp_path / "m", rows=1000, tie_word_embeddings=True)
    numbers = folder_numbers(folder, "Own/Model", DESKTOP, settings)
    snapshot = inspect_snapshot(folder)
    assert numbers.context == snapshot.context_length and numbers.speed and numbers.fit
    matrix = 2 * snapshot.vocab_size * snapshot.hidden_size
    cache = 1024 * 2 * snapshot.layers * snapshot.kv_heads * snapshot.head_dim * 2
    assert numbers.speed == speed_of(
        snapshot.weights_bytes - matrix, matrix + cache, snapshot.layers, "none", DESKTOP.bandwidth
    )
    listed = catalogue().models[1]
    known = folder_numbers(folder, listed.id, DESKTOP, settings)
    assert known.speed == expected_speed(listed, listed.variants[0], DESKTOP.bandwidth)
    mixture = small_snapshot(tmp_path / "moe", num_experts=8)
    assert folder_numbers(mixture, "Own/Moe", DESKTOP, settings).speed is None


@pytest.mark.parametrize(
    ("platform", "environment", "host", "found"),
    [
        ("linux", {"DISPLAY": ":0"}, "127.0.0.1", "xdg-open"),
        ("linux", {"WAYLAND_DISPLAY": "wayland-0"}, "127.0.0.1", "xdg-open"),
        ("linux", {}, "127.0.0.1", None),
        ("linux", {"DISPLAY": ":0"}, "0.0.0.0", None),
        ("darwin", {}, "localhost", "open"),
        ("win32", {}, "127.0.0.1", "explorer"),
        ("sunos5", {"DISPLAY": ":0"}, "127.0.0.1", None),
    ],
)
def test_where_a_folder_can_be_shown(
    tmp_path: Path, platform: str, environment: dict[str, str], host: str, found: str | None
) -> None:
    for name in ("xdg-open", "open", "explorer"):
        (tmp_path / name).write_text("")
        (tmp_path / name).chmod(0o755)
    settings = Settings(data_dir=tmp_path, host=host)
    opener = find_opener(settings, environment | {"PATH": str(tmp_path)}, platform)
    assert opener == (str(tmp_path / found) if found else None)
    assert find_opener(settings, environment | {"PATH": ""}, platform) is None
