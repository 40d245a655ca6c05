"""Whether the network is to be left alone, and how that is said."""

from __future__ import annotations

import os
from collections.abc import Mapping

from qwenchat.errors import DownloadFailed

VARIABLES = ("QWENCHAT_OFFLINE", "HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE")
"""Ours, and Hugging Face's (huggingface_hub 2.4, ``constants.py``). ModelScope's client (1.40.2
with modelscope-hub 0.5.1) reads none, it only has an argument ``local_files_only``."""

_YES = {"1", "true", "yes", "on"}


def asked_offline(environment: Mapping[str, str] | None = None) -> bool:
    """Whether an environment variable asks to leave the network alone."""
    values = os.environ if environment is None else environment
    return any(values.get(name, "").strip().lower() in _YES for name in VARIABLES)


def not_here(model_id: str) -> DownloadFailed:
    """The refusal to fetch a model while offline."""
    return DownloadFailed(
        f"QwenChat is offline, as set, and {model_id} is not on this machine. Choose a model that "
        "is (python -m qwenchat models lists them), or unset QWENCHAT_OFFLINE to download it."
    )
