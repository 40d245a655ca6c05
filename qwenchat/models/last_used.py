"""When each model was loaded last: one small file in the models folder.

It is not kept beside the models, because those in other programs' caches are not ours to
write to.
"""

from __future__ import annotations

import json
import time
from logging import getLogger
from pathlib import Path

FILE_NAME = ".last-used.json"

_log = getLogger(__name__)


def mark_used(models_dir: Path, snapshot: Path) -> None:
    """Note that a model is loaded now. A folder that cannot be written is no reason to fail."""
    used = last_used(models_dir)
    used[_key(snapshot)] = time.time()
    # What has been deleted meanwhile is forgotten.
    kept = {key: when for key, when in used.items() if Path(key).is_dir()}
    file = models_dir / FILE_NAME
    new = file.with_name(f"{FILE_NAME}.new")
    try:
        models_dir.mkdir(parents=True, exist_ok=True)
        new.write_text(json.dumps(kept, indent=1, ensure_ascii=False), encoding="utf-8")
        new.replace(file)
    except (OSError, UnicodeError) as error:
        _log.warning("when %s was used cannot be noted: %s", snapshot, error)


def last_used(models_dir: Path) -> dict[str, float]:
    """Seconds since 1970 by a snapshot's real path."""
    try:
        loaded = json.loads((models_dir / FILE_NAME).read_text(encoding="utf-8"))
        return {str(path): float(when) for path, when in loaded.items()}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}


def when_used(used: dict[str, float], snapshot: Path) -> float | None:
    """When a snapshot was used last; None when that is not known."""
    return used.get(_key(snapshot))


def _key(snapshot: Path) -> str:
    return str(snapshot.resolve())
