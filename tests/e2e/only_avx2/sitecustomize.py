"""Python runs this at its start when the folder is on ``PYTHONPATH``.

torch answers as on a processor with AVX2 and nothing beyond, so vLLM loads ``_C_AVX2`` and
takes none of the ways that need AVX-512 or AMX (``platforms/cpu.py``, ``layers/utils.py``).
``ATEN_CPU_CAPABILITY`` and ``ONEDNN_MAX_CPU_ISA`` limit what torch and oneDNN compute with,
and leave these answers as they are.
"""

from __future__ import annotations

import sys
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any

BEYOND_AVX2 = (
    "_is_avx512_supported",
    "_is_avx512_bf16_supported",
    "_is_vnni_supported",
    "_is_amx_tile_supported",
    "_is_amx_fp16_supported",
)


class Finder(MetaPathFinder):
    """Changes ``torch.cpu`` as soon as it is imported, and is gone after that."""

    def find_spec(self, name: str, path: Any, target: ModuleType | None = None) -> Any:
        if name != "torch.cpu":
            return None
        sys.meta_path.remove(self)
        spec = PathFinder.find_spec(name, path)
        assert isinstance(spec, ModuleSpec) and spec.loader is not None
        execute = spec.loader.exec_module

        def execute_and_change(module: ModuleType) -> None:
            execute(module)
            for question in BEYOND_AVX2:
                assert callable(getattr(module, question)), question
                setattr(module, question, lambda: False)

        spec.loader.exec_module = execute_and_change  # type: ignore[method-assign]
        return spec


sys.meta_path.insert(0, Finder())
