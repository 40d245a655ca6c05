"""Whom the doctor looks at: the few settings that matter to it.

A class of its own, so that the doctor also works where the settings cannot be read.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from qwenchat.settings import Settings


@dataclass(frozen=True, slots=True)
class Subject:
    """The settings the doctor reads, of the same names and meanings as in ``Settings``."""

    data_dir: Path
    host: str = "127.0.0.1"
    port: int = 7860
    model: str = ""

    @classmethod
    def of(cls, settings: Settings) -> Subject:
        """The subject that ``settings`` describe."""
        return cls(settings.data_dir, settings.host, settings.port, settings.model)

    @property
    def models_dir(self) -> Path:
        """Where QwenChat keeps models."""
        return self.data_dir / "models"
