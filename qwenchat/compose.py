"""Where the parts of a local engine come together: model, memory plan, process."""

from __future__ import annotations

import asyncio
import secrets
from pathlib import Path

from qwenchat import hardware
from qwenchat.engine.client import EngineClient
from qwenchat.engine.protocol import Load
from qwenchat.engine.supervisor import PreparedModel, Progress
from qwenchat.models.demo import DEMO_NAME, DEMO_NOTE, fetch_demo_model
from qwenchat.models.download import fetch_model
from qwenchat.models.fit import loaded_weights_bytes, plan_memory
from qwenchat.models.offline import asked_offline
from qwenchat.models.reference import DemoModel, HubModel, ModelFolder, resolve_model
from qwenchat.models.snapshot import inspect_snapshot
from qwenchat.sampling import model_defaults
from qwenchat.settings import Settings


def build_engine(settings: Settings) -> EngineClient:
    """The engine of ``settings.model``, not started yet.

    Raises:
        ModelError: ``settings.model`` names neither a model id nor the folder of a model
            that can be loaded.
    """
    reference = resolve_model(settings.model)
    models_dir = settings.data_dir / "models"

    if isinstance(reference, ModelFolder):
        # Whoever names a folder that is no model is told at once, not after a start.
        inspect_snapshot(reference.path)

    async def snapshot_folder(progress: Progress) -> Path:
        match reference:
            case DemoModel():
                return await fetch_demo_model(models_dir, progress)
            case ModelFolder(path=path):
                return path
            case HubModel(model_id=model_id):
                return await fetch_model(
                    model_id,
                    models_dir,
                    progress,
                    endpoint=settings.endpoint,
                    offline=settings.offline or asked_offline(),
                )

    async def prepare(progress: Progress) -> PreparedModel:
        folder = await snapshot_folder(progress)
        snapshot = await asyncio.to_thread(inspect_snapshot, folder)
        plan = plan_memory(
            snapshot,
            available_bytes=hardware.available_memory_bytes(),
            max_concurrent=settings.max_concurrent,
            context_length=settings.context_length,
            dtype=settings.dtype,
        )
        load = Load(
            path=str(snapshot.path.resolve()),
            model=snapshot.name,
            weights_bytes=loaded_weights_bytes(snapshot, settings.dtype),
            context_length=plan.context_length,
            kv_cache_bytes=plan.kv_cache_bytes,
            max_concurrent=settings.max_concurrent,
            dtype=settings.dtype,
            seed=secrets.randbits(32),
        )
        note = DEMO_NOTE if isinstance(reference, DemoModel) else ""
        return PreparedModel(load, model_defaults(snapshot.path), note)

    return EngineClient(prepare, _shown_name(reference))


def _shown_name(reference: DemoModel | ModelFolder | HubModel) -> str:
    match reference:
        case DemoModel():
            return DEMO_NAME
        case ModelFolder(path=path):
            return path.resolve().name
        case HubModel(model_id=model_id):
            return model_id
