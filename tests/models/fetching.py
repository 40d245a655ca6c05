"""A model fetched as the app fetches it, with a manager of downloads of its own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from qwenchat.models.downloads import Downloads


async def fetch_model(
    model_id: str,
    models_dir: Path,
    on_progress: Callable[[str, int, int], None] | None = None,
    *,
    endpoint: str | None = None,
    offline: bool = False,
) -> Path:
    """The model's folder; cancelling ends the download, as the end of the app does."""
    downloads = Downloads(models_dir, endpoint=endpoint, offline=offline)
    try:
        return await downloads.fetch(model_id, on_progress)
    finally:
        await downloads.close()
