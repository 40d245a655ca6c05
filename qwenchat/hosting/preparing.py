"""Making a chosen model ready to load: found, looked at, and its memory planned."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from qwenchat import hardware
from qwenchat.engine.protocol import Load
from qwenchat.engine.seam import Prepare, PreparedModel, Progress
from qwenchat.errors import ModelDamaged, ModelError, ModelNotFound
from qwenchat.hosting.choice import Choice
from qwenchat.hosting.machine import is_offline, models_folder
from qwenchat.models.demo import DEMO_FOLDER, DEMO_NAME, DEMO_NOTE, fetch_demo_model
from qwenchat.models.download import model_on_this_machine
from qwenchat.models.downloads import Downloads
from qwenchat.models.fit import DoesNotFit, MemoryPlan, loaded_weights_bytes, plan_memory
from qwenchat.models.library import Library
from qwenchat.models.quantization import AMX, only_avx2
from qwenchat.models.reference import DemoModel, HubModel, ModelFolder
from qwenchat.models.snapshot import Snapshot, inspect_snapshot
from qwenchat.sampling import model_defaults
from qwenchat.settings import Settings

_FOUR_BITS = {"gptq", "awq"}


@dataclass(frozen=True, slots=True)
class _Plan:
    snapshot: Snapshot
    dtype: str
    memory: MemoryPlan


class Preparer:
    """Makes choices ready to load, with the downloads and the library of one data folder."""

    def __init__(self, settings: Settings, downloads: Downloads, library: Library) -> None:
        self.settings = settings
        self.downloads = downloads
        self.library = library
        self._models_dir = models_folder(settings)
        self._folders: dict[Choice, Path] = {}

    @classmethod
    def of(cls, settings: Settings) -> Preparer:
        """One with downloads and a library of its own."""
        models_dir, offline = models_folder(settings), is_offline(settings)
        return cls(
            settings,
            Downloads(models_dir, endpoint=settings.endpoint, offline=offline),
            Library(models_dir, endpoint=settings.endpoint, offline=offline),
        )

    def folder(self, choice: Choice) -> Path | None:
        """The snapshot of a choice, as it was last found; None before that."""
        return self._folders.get(choice)

    def prepare(self, choice: Choice, *, fetch: bool = False) -> Prepare:
        """What makes a choice ready, before every start of the engine.

        Args:
            fetch: Download a model of the hub that is not on this machine.
        """

        async def prepare(progress: Progress) -> PreparedModel:
            reference = choice.reference
            if isinstance(reference, DemoModel):
                folder = await fetch_demo_model(self._models_dir, progress)
            elif isinstance(reference, HubModel) and fetch:
                folder = await self._fetched(reference.model_id, progress)
            else:
                folder = await asyncio.to_thread(self._find, choice, self._is_arriving(choice))
            self._folders[choice] = folder
            plan = await asyncio.to_thread(
                self._plan, choice, folder, hardware.available_memory_bytes()
            )
            await asyncio.to_thread(self.library.mark_used, folder)
            note = DEMO_NOTE if isinstance(reference, DemoModel) else ""
            return PreparedModel(self._load(plan), model_defaults(folder), note)

        return prepare

    async def check(self, choice: Choice, given_back_bytes: int) -> None:
        """Refuse what can be known not to load.

        Args:
            given_back_bytes: What the engine that runs gives back when it ends.

        Raises:
            ModelError: It is not on this machine, damaged, not supported, or does not fit into
                memory.
        """
        available_bytes = hardware.available_memory_bytes() + given_back_bytes
        await asyncio.to_thread(self._check, choice, self._is_arriving(choice), available_bytes)

    def _check(self, choice: Choice, is_arriving: bool, available_bytes: int) -> None:
        folder = self._find(choice, is_arriving)
        if choice.reference == DemoModel():
            try:
                inspect_snapshot(folder)
            except ModelError:
                return  # it is made anew when it is loaded
        self._plan(choice, folder, available_bytes)
        self._folders[choice] = folder

    def _is_arriving(self, choice: Choice) -> bool:
        download = self.downloads.get(choice.model)
        return download is not None and download.active

    def _find(self, choice: Choice, is_arriving: bool) -> Path:
        match choice.reference:
            case DemoModel():
                return self._models_dir / DEMO_FOLDER
            case ModelFolder(path=path):
                return path
            case HubModel(model_id=model_id):
                return self._find_by_id(model_id, is_arriving)

    def _find_by_id(self, model_id: str, is_arriving: bool) -> Path:
        ready = model_on_this_machine(self._models_dir, model_id)
        if ready is not None:
            return ready
        if is_arriving:
            raise ModelNotFound(
                f"{model_id} is still being downloaded. Choose it again when that is done.",
                param="model",
            )
        try:
            found = self.library.find(model_id)
        except ModelNotFound:
            raise ModelNotFound(
                f"{model_id} is not on this machine. Download it first, then choose it.",
                param="model",
            ) from None
        if found.problem is not None:
            raise ModelDamaged(found.problem, param="model")
        return found.path

    async def _fetched(self, model_id: str, progress: Progress) -> Path:
        ready = await asyncio.to_thread(model_on_this_machine, self._models_dir, model_id)
        return ready or await self.downloads.fetch(model_id, progress)

    def _plan(self, choice: Choice, folder: Path, available_bytes: int) -> _Plan:
        snapshot = inspect_snapshot(folder)
        wanted = self.settings.dtype if choice.dtype == "auto" else choice.dtype
        flags = hardware.cpu_flags()

        def planned(dtype: str) -> _Plan:
            memory = plan_memory(
                snapshot,
                available_bytes=available_bytes,
                max_concurrent=self.settings.max_concurrent,
                context_length=choice.context_length or self.settings.context_length,
                dtype=dtype,
            )
            return _Plan(snapshot, dtype, memory)

        plan = planned(dtype_for(snapshot, wanted, flags))
        if wanted == "auto" and is_quicker_in_float32(snapshot, flags):
            # It takes twice the memory: only where that costs no context.
            with contextlib.suppress(DoesNotFit):
                larger = planned("float32")
                if larger.memory.context_length == plan.memory.context_length:
                    return larger
        return plan

    def _load(self, plan: _Plan) -> Load:
        return Load(
            path=str(plan.snapshot.path.resolve()),
            model=plan.snapshot.name,
            weights_bytes=loaded_weights_bytes(plan.snapshot, plan.dtype),
            context_length=plan.memory.context_length,
            kv_cache_bytes=plan.memory.kv_cache_bytes,
            max_concurrent=self.settings.max_concurrent,
            dtype=plan.dtype,
            seed=secrets.randbits(32),
        )


def dtype_for(snapshot: Snapshot, wanted: str, cpu_flags: Collection[str]) -> str:
    """The number format to load a model in.

    ``auto`` is the one its files are in, with one exception: 4-bit GPTQ and AWQ weights are
    mostly stored with float16 scales, and where the processor has AMX, which multiplies
    bfloat16, they answer three times as fast in that (24.0 against 7.7 tokens/s, measured).
    """
    if wanted == "auto" and snapshot.quantization in _FOUR_BITS and AMX in cpu_flags:
        return "bfloat16"
    return wanted


def is_quicker_in_float32(snapshot: Snapshot, cpu_flags: Collection[str]) -> bool:
    """Whether a processor reads prompts several times faster in float32 (docs/performance.md):
    so on x86 with AVX2 alone, which has no instructions for half precision."""
    return snapshot.quantization is None and only_avx2(cpu_flags)


def shown_name(choice: Choice) -> str:
    """The name of a choice's model, before anything of it is read."""
    match choice.reference:
        case DemoModel():
            return DEMO_NAME
        case ModelFolder(path=path):
            return path.resolve().name
        case HubModel(model_id=model_id):
            return model_id
