"""How much memory a model takes, and how that is divided.

The KV cache holds a key and a value of ``head_dim`` numbers for every KV head of every
layer and every token: ``2 * layers * kv_heads * head_dim * bytes per number``
(vLLM's ``FullAttentionSpec`` counts the same).
"""

from __future__ import annotations

from dataclasses import dataclass

from qwenchat.errors import UnsupportedModel
from qwenchat.models.snapshot import Snapshot

GIB = 1024**3
DEFAULT_CONTEXT_LENGTH = 16_384
"""Tokens. Enough for long chats, and read in a minute or two on a small machine."""
MINIMUM_CONTEXT_LENGTH = 1_024
WORKING_MEMORY_BYTES = int(1.2 * GIB)
"""Libraries, activations and scratch space of the engine process: measured resident memory
of a loaded engine minus weights and KV cache, rounded up (docs/performance.md)."""
SHARE_OF_ROOM = 0.9
"""Of what weights and working memory leave; the rest stays free for the system."""
BLOCK_TOKENS = 128
"""The cache is planned in blocks of vLLM's CPU default, a multiple of the size we use."""
SPARE_BLOCKS = 1
"""vLLM keeps one block for itself."""
FULL_CONTEXTS = 4
"""The cache holds this many full contexts where memory allows: rarely are more chats long."""


class DoesNotFit(UnsupportedModel):
    """The model needs more memory than this process may use."""

    code = "does_not_fit"


@dataclass(frozen=True, slots=True)
class MemoryPlan:
    """Context length in tokens, KV cache in bytes."""

    context_length: int
    kv_cache_bytes: int


_NUMBER_BYTES = {"bfloat16": 2, "float16": 2, "float32": 4}


def kv_bytes_per_token(snapshot: Snapshot, dtype: str = "auto") -> int:
    """Bytes of KV cache of one token, with weights loaded as ``dtype``."""
    number_bytes = _NUMBER_BYTES[_loaded_dtype(snapshot, dtype)]
    return 2 * snapshot.layers * snapshot.kv_heads * snapshot.head_dim * number_bytes


def loaded_weights_bytes(snapshot: Snapshot, dtype: str = "auto") -> int:
    """Bytes of the weights in memory: as on disk, unless ``dtype`` asks for other numbers.

    Quantised weights keep their size; only what is not quantised would change.
    """
    if snapshot.quantization:
        return snapshot.weights_bytes
    on_disk = _NUMBER_BYTES.get(snapshot.dtype, 2)
    return snapshot.weights_bytes * _NUMBER_BYTES[_loaded_dtype(snapshot, dtype)] // on_disk


def _loaded_dtype(snapshot: Snapshot, dtype: str) -> str:
    # vLLM's "auto" loads float32 weights in half precision.
    own = snapshot.dtype if snapshot.dtype in ("bfloat16", "float16") else "bfloat16"
    return own if dtype == "auto" else dtype


def plan_memory(
    snapshot: Snapshot,
    *,
    available_bytes: int,
    max_concurrent: int,
    context_length: int | None = None,
    dtype: str = "auto",
) -> MemoryPlan:
    """Divide ``available_bytes`` into weights, working memory and KV cache.

    Args:
        max_concurrent: Requests that decode side by side.
        context_length: Tokens asked for by the person; None lets the plan choose.
        dtype: A vLLM dtype name, or ``auto``.

    Raises:
        DoesNotFit: Not even the smallest context fits, or the one asked for does not.
    """
    wanted = min(snapshot.context_length, context_length or DEFAULT_CONTEXT_LENGTH)
    smallest = wanted if context_length else min(wanted, MINIMUM_CONTEXT_LENGTH)
    weights = loaded_weights_bytes(snapshot, dtype)
    per_token = kv_bytes_per_token(snapshot, dtype)
    room = int((available_bytes - weights - WORKING_MEMORY_BYTES) * SHARE_OF_ROOM)
    possible_blocks = room // (per_token * BLOCK_TOKENS) - SPARE_BLOCKS
    possible = possible_blocks * BLOCK_TOKENS
    if possible < smallest:
        cache = (smallest + (1 + SPARE_BLOCKS) * BLOCK_TOKENS) * per_token / SHARE_OF_ROOM
        raise DoesNotFit(
            f"{snapshot.name} needs about {(weights + WORKING_MEMORY_BYTES + cache) / GIB:.1f} "
            f"GiB of memory for a context of {smallest:,} tokens; {available_bytes / GIB:.1f} GiB "
            "are free here. Close other programs, choose a smaller model, or set a shorter "
            "--context-length."
        )
    chosen = min(wanted, possible)
    tokens = min(possible, chosen * min(max_concurrent, FULL_CONTEXTS))
    blocks = -(-tokens // BLOCK_TOKENS) + SPARE_BLOCKS
    return MemoryPlan(chosen, blocks * BLOCK_TOKENS * per_token)
