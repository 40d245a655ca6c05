"""Which of the page's JavaScript modules a module needs, so that they are fetched at once.

A browser learns of an import only when it has read the file before it: a chain of eight
modules is eight answers, one after the other.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path

_STATIC_IMPORT = re.compile(
    r"""^(?:import|export)\b[^;'"]*?from\s*["'](\.[^"']+)["']|^import\s*["'](\.[^"']+)["']""",
    re.MULTILINE,
)


def module_graph(folder: Path, entry: str) -> list[str]:
    """The module ``entry`` and all it imports statically, nearest first.

    Args:
        folder: What the names are relative to.
        entry: As ``js/main.js``.

    Raises:
        FileNotFoundError: One of them does not exist.
    """
    found = [entry]
    for name in found:
        text = (folder / name).read_text(encoding="utf-8")
        for plain, bare in _STATIC_IMPORT.findall(text):
            target = posixpath.normpath(posixpath.join(posixpath.dirname(name), plain or bare))
            if target not in found:
                found.append(target)
    return found
