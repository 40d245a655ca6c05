"""What of this machine decides which models it runs, as it is now."""

from __future__ import annotations

import shutil
from pathlib import Path

from qwenchat import hardware
from qwenchat.models.fit import Fit, Footprint, check_fit
from qwenchat.models.offer import Machine
from qwenchat.models.offline import asked_offline
from qwenchat.models.speed import memory_bandwidth
from qwenchat.settings import Settings


def models_folder(settings: Settings) -> Path:
    """The folder of all models."""
    return settings.data_dir / "models"


def is_offline(settings: Settings) -> bool:
    """Whether the network is to be left alone, by the settings or by an environment variable."""
    return settings.offline or asked_offline()


def machine_now(settings: Settings, given_back_bytes: int) -> Machine:
    """Not for the event loop: the first call measures the memory for 0.3 s.

    Args:
        given_back_bytes: Memory that the model which is loaded would give back.
    """
    return Machine(
        memory_bytes=hardware.available_memory_bytes() + given_back_bytes,
        disk_bytes=free_disk_bytes(models_folder(settings)),
        bandwidth=memory_bandwidth(),
        cpu_flags=hardware.cpu_flags(),
    )


def fit_here(footprint: Footprint, machine: Machine, settings: Settings) -> Fit:
    """Whether a model fits, with the context that the settings ask for."""
    return check_fit(
        footprint,
        available_bytes=machine.memory_bytes,
        context_length=settings.context_length,
    )


def free_disk_bytes(folder: Path) -> int:
    """Free for ``folder``, which need not exist yet; 0 where that cannot be read."""
    for there in (folder, *folder.parents):
        try:
            return shutil.disk_usage(there).free
        except FileNotFoundError:
            continue
        except OSError:
            break
    return 0
