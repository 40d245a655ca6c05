"""How much memory a model takes, and how that is divided.

What the engine process holds once a model is loaded is the sum of

- the weights, at the dtype they are loaded in. The kernels keep them in an order of their
  own, and vLLM lets go of the first copy (``model_executor/layers/utils.py``,
  ``dispatch_cpu_unquantized_gemm(remove_weight=True)``; the 4-bit and 8-bit kernels in
  ``kernels/linear`` do the same), so they count once;
- two packed copies of a matrix of the vocabulary's size: for the embedding and for the
  output layer vLLM keeps the first one too (``vocab_parallel_embedding.py:67-71``,
  ``remove_weight=False``), shared weights or not;
- the KV cache, all of it resident from the start: a key and a value of ``head_dim`` numbers
  for every KV head of every layer and every token, ``2 * layers * kv_heads * head_dim * bytes
  per number`` (vLLM's ``FullAttentionSpec`` counts the same);
- working memory: Python and libraries, the tokenizer and the sampler, which grow with the
  vocabulary, and what kernels keep for each layer.

The three numbers of the last point are a least-squares fit to resident memory measured by
``benchmarks/memory.py`` on six invented shapes; the same script compares the prediction with
real Qwen shapes, which the fit has not seen.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from qwenchat import hardware
from qwenchat.errors import UnsupportedModel
from qwenchat.models.catalog import Catalogue, Model, Variant, catalogue
from qwenchat.models.quantization import missing_instructions
from qwenchat.models.snapshot import Snapshot
from qwenchat.models.snapshot_config import ModelConfig

GIB = 1024**3
MIB = 1024**2
DEFAULT_CONTEXT_LENGTH = 16_384
"""Tokens. Enough for long chats, and read in a minute or two on a small machine."""
MINIMUM_CONTEXT_LENGTH = 1_024
PROCESS_BYTES = 589 * MIB
"""An engine process with a model of no size."""
BYTES_PER_VOCABULARY_ENTRY = 2_586
BYTES_PER_LAYER = int(1.77 * MIB)
PACKED_COPIES = 2
UNCERTAINTY = 0.05
"""Of everything but the cache, kept free: predictions have been up to 3 % too low."""
SHARE_OF_ROOM = 0.9
"""Of what all that leaves, for the cache; the rest stays free for the system."""
BLOCK_TOKENS = 128
"""The cache is planned in blocks of vLLM's CPU default, a multiple of the size we use."""
SPARE_BLOCKS = 1
"""vLLM keeps one block for itself."""
FULL_CONTEXTS = 4
"""The cache holds this many full contexts where memory allows: rarely are more chats long."""
DISK_RESERVE_BYTES = 256 * MIB
"""Left free on the disk for the database and everybody else."""

_NUMBER_BYTES = {"bfloat16": 2, "float16": 2, "float32": 4}


class DoesNotFit(UnsupportedModel):
    """The model needs more memory than this process may use."""

    code = "does_not_fit"


@dataclass(frozen=True, slots=True)
class MemoryPlan:
    """Context length in tokens, KV cache in bytes."""

    context_length: int
    kv_cache_bytes: int


@dataclass(frozen=True, slots=True)
class Footprint:
    """What of a model decides its memory.

    Attributes:
        context_length: The most tokens the model allows.
        weights_bytes: Its weights as they are loaded.
        matrix_bytes: One matrix of vocabulary size as it is loaded.
        cache_bytes_per_token: KV cache of one token.
    """

    name: str
    context_length: int
    weights_bytes: int
    matrix_bytes: int
    vocab_size: int
    layers: int
    cache_bytes_per_token: int

    @property
    def fixed_bytes(self) -> int:
        """Resident memory of the engine process without a KV cache."""
        working = PROCESS_BYTES + BYTES_PER_VOCABULARY_ENTRY * self.vocab_size
        working += BYTES_PER_LAYER * self.layers
        return self.weights_bytes + PACKED_COPIES * self.matrix_bytes + working

    def resident_bytes(self, kv_cache_bytes: int) -> int:
        """Resident memory of the engine process that has loaded the model."""
        return self.fixed_bytes + kv_cache_bytes

    def needed_bytes(self, tokens: int) -> int:
        """Memory to have free for a cache of so many tokens."""
        blocks = -(-tokens // BLOCK_TOKENS) + SPARE_BLOCKS
        cache = blocks * BLOCK_TOKENS * self.cache_bytes_per_token
        return self._reserved_bytes + int(cache / SHARE_OF_ROOM) + 2

    def tokens_within(self, available_bytes: int) -> int:
        """How many tokens of cache so much memory has room for; not above 0 for none."""
        room = int((available_bytes - self._reserved_bytes) * SHARE_OF_ROOM)
        blocks = room // (self.cache_bytes_per_token * BLOCK_TOKENS) - SPARE_BLOCKS
        return blocks * BLOCK_TOKENS

    @property
    def _reserved_bytes(self) -> int:
        return self.fixed_bytes + int(self.fixed_bytes * UNCERTAINTY)


@dataclass(frozen=True, slots=True)
class Fit:
    """Whether a model fits into this machine.

    Attributes:
        answer: ``fits``; ``tight``: only with a shorter context than wanted; or
            ``does_not_fit``.
        longest_context: Tokens one chat can have; 0 when the model does not fit.
        needed_bytes: Memory to have free for what was asked (for the smallest context where
            it does not fit).
        message: The answer in words fit to show.
    """

    answer: Literal["fits", "tight", "does_not_fit"]
    longest_context: int
    needed_bytes: int
    available_bytes: int
    message: str


# ---- footprints

DEMO_FOOTPRINT = Footprint(
    name="the demo model",
    context_length=8_192,
    weights_bytes=269_087_616,
    matrix_bytes=2 * 49_152 * 576,
    vocab_size=49_152,
    layers=30,
    cache_bytes_per_token=2 * 30 * 3 * 64 * 2,
)
"""As ``demo_convert.py`` writes it; a test compares the two."""


def snapshot_footprint(snapshot: Snapshot, dtype: str = "auto") -> Footprint:
    """Of a snapshot that is here, by its files' headers."""
    number_bytes = _NUMBER_BYTES[_loaded_dtype(snapshot.dtype, dtype)]
    matrix = snapshot.vocab_size * snapshot.hidden_size * number_bytes
    return Footprint(
        name=snapshot.name,
        context_length=snapshot.context_length,
        weights_bytes=loaded_weights_bytes(snapshot, dtype),
        matrix_bytes=matrix,
        vocab_size=snapshot.vocab_size,
        layers=snapshot.layers,
        cache_bytes_per_token=kv_bytes_per_token(snapshot, dtype),
    )


def catalogue_footprint(model: Model, variant: Variant) -> Footprint:
    """Of a model of the catalogue, in bfloat16 where it is not quantised."""
    shape = model.shape
    matrix = 2 * shape.embedding_parameters
    spare = matrix if shape.tied and model.output_layer_stored else 0
    return Footprint(
        name=variant.id,
        context_length=model.context,
        weights_bytes=model.weights_bytes(variant) - spare,
        matrix_bytes=matrix,
        vocab_size=shape.vocab_size,
        layers=shape.layers,
        cache_bytes_per_token=2 * shape.layers * shape.kv_heads * shape.head_dim * 2,
    )


def listing_footprint(config: ModelConfig, name: str, safetensors_bytes: int) -> Footprint:
    """Of a model of the hub, by its ``config.json`` and the sizes of its weight files."""
    number_bytes = _NUMBER_BYTES[_loaded_dtype(config.dtype or "", "auto")]
    stored_bytes = _NUMBER_BYTES.get(config.dtype or "", 2)
    weights = safetensors_bytes
    if config.quantization is None:
        weights = weights * number_bytes // stored_bytes
    return Footprint(
        name=name,
        context_length=config.context_length,
        weights_bytes=weights,
        matrix_bytes=config.vocab_size * config.hidden_size * number_bytes,
        vocab_size=config.vocab_size,
        layers=config.layers,
        cache_bytes_per_token=2 * config.layers * config.kv_heads * config.head_dim * number_bytes,
    )


def kv_bytes_per_token(snapshot: Snapshot, dtype: str = "auto") -> int:
    """Bytes of KV cache of one token, with weights loaded as ``dtype``."""
    number_bytes = _NUMBER_BYTES[_loaded_dtype(snapshot.dtype, dtype)]
    return 2 * snapshot.layers * snapshot.kv_heads * snapshot.head_dim * number_bytes


def loaded_weights_bytes(snapshot: Snapshot, dtype: str = "auto") -> int:
    """Bytes of the weights in memory: as on disk, unless ``dtype`` asks for other numbers.

    Quantised weights keep their size; only what is not quantised would change. An output
    layer that equals the embedding is not loaded.
    """
    on_disk = _NUMBER_BYTES.get(snapshot.dtype, 2)
    stored = snapshot.weights_bytes
    if snapshot.spare_output_layer:
        stored -= snapshot.vocab_size * snapshot.hidden_size * on_disk
    if snapshot.quantization:
        return stored
    return stored * _NUMBER_BYTES[_loaded_dtype(snapshot.dtype, dtype)] // on_disk


def _loaded_dtype(stored: str, dtype: str) -> str:
    # vLLM's "auto" loads float32 weights in half precision.
    own = stored if stored in ("bfloat16", "float16") else "bfloat16"
    return own if dtype == "auto" else dtype


# ---- answers


def check_fit(
    footprint: Footprint,
    *,
    available_bytes: int,
    context_length: int | None = None,
    chats: int = 1,
    known: Catalogue | None = None,
) -> Fit:
    """Whether a model fits into memory with a context for each of some chats.

    Args:
        available_bytes: Memory this process may still take (``hardware.py``).
        context_length: Tokens wanted; None for the default.
        chats: How many chats have a full context at the same time.
        known: Where to look for a model that fits; None for our own catalogue.
    """
    wanted = min(footprint.context_length, context_length or DEFAULT_CONTEXT_LENGTH)
    smallest = min(wanted, MINIMUM_CONTEXT_LENGTH)
    possible = footprint.tokens_within(available_bytes)
    longest = min(possible, footprint.context_length)
    if possible < smallest:
        needed = footprint.needed_bytes(smallest)
        message = _too_large(footprint, available_bytes, smallest, known)
        return Fit("does_not_fit", 0, needed, available_bytes, message)
    needed = footprint.needed_bytes(wanted * chats)
    if possible < wanted * chats:
        message = (
            f"{footprint.name} fits, but tightly: for {_contexts(wanted, chats)} it needs "
            f"{_gib(needed)}, and {_gib(available_bytes)} are free. The longest context of one "
            f"chat is {longest:,} tokens."
        )
        return Fit("tight", longest, needed, available_bytes, message)
    message = (
        f"{footprint.name} fits: it needs {_gib(needed)} for {_contexts(wanted, chats)}, and "
        f"{_gib(available_bytes)} are free. The longest context is {longest:,} tokens."
    )
    return Fit("fits", longest, needed, available_bytes, message)


def disk_shortage(name: str, download_bytes: int, free_bytes: int) -> str | None:
    """Why a download does not fit on the disk, in words; None when it does."""
    needed = download_bytes + DISK_RESERVE_BYTES
    if needed <= free_bytes:
        return None
    return (
        f"{name} needs {_gib(needed)} of disk, and {_gib(free_bytes)} are free. Free some, or "
        "choose a smaller model."
    )


def largest_that_fits(
    available_bytes: int, known: Catalogue | None = None
) -> tuple[Model, Variant] | None:
    """The model of the catalogue with the most parameters that fits with the default context,
    and of its variants the one with the most bytes; None when none fits.

    Of each only memory and this processor are asked here; ``offer.py`` asks for speed too.
    """
    flags = hardware.cpu_flags()
    fitting = [
        (model, variant)
        for model, variant in (known or catalogue()).pairs()
        if variant.method != "fp8"  # which hardly any processor runs
        and not missing_instructions(variant.method, flags)
        and (footprint := catalogue_footprint(model, variant)).tokens_within(available_bytes)
        >= min(footprint.context_length, DEFAULT_CONTEXT_LENGTH)
    ]
    return max(
        fitting,
        key=lambda pair: (pair[0].non_embedding_parameters, pair[0].weights_bytes(pair[1])),
        default=None,
    )


def plan_memory(
    snapshot: Snapshot,
    *,
    available_bytes: int,
    max_concurrent: int,
    context_length: int | None = None,
    dtype: str = "auto",
) -> MemoryPlan:
    """Divide ``available_bytes`` into what the model needs and the KV cache.

    Args:
        max_concurrent: Requests that decode side by side.
        context_length: Tokens asked for by the person; None lets the plan choose.
        dtype: A vLLM dtype name, or ``auto``.

    Raises:
        DoesNotFit: Not even the smallest context fits, or the one asked for does not.
    """
    footprint = snapshot_footprint(snapshot, dtype)
    wanted = min(snapshot.context_length, context_length or DEFAULT_CONTEXT_LENGTH)
    smallest = wanted if context_length else min(wanted, MINIMUM_CONTEXT_LENGTH)
    possible = footprint.tokens_within(available_bytes)
    if possible < smallest:
        raise DoesNotFit(_too_large(footprint, available_bytes, smallest, None))
    chosen = min(wanted, possible)
    tokens = min(possible, chosen * min(max_concurrent, FULL_CONTEXTS))
    blocks = -(-tokens // BLOCK_TOKENS) + SPARE_BLOCKS
    return MemoryPlan(chosen, blocks * BLOCK_TOKENS * footprint.cache_bytes_per_token)


def _too_large(footprint: Footprint, available: int, tokens: int, known: Catalogue | None) -> str:
    smaller = largest_that_fits(available, known)
    possible = footprint.tokens_within(available)
    if possible >= MINIMUM_CONTEXT_LENGTH:
        way_out = f"Set --context-length {possible} or less, or close other programs."
    elif smaller:
        way_out = f"This one fits: {smaller[1].id}. Or close other programs."
    elif DEMO_FOOTPRINT.tokens_within(available) >= MINIMUM_CONTEXT_LENGTH:
        way_out = f"This one fits: {DEMO_FOOTPRINT.name} (--model demo). Or close other programs."
    else:
        way_out = "No model fits. Close other programs."
    return (
        f"{footprint.name} needs {_gib(footprint.needed_bytes(tokens))} of memory for a context of "
        f"{tokens:,} tokens, and you have {_gib(available)} free. {way_out}"
    )


def _contexts(tokens: int, chats: int) -> str:
    return f"a context of {tokens:,} tokens" + (f" in each of {chats} chats" if chats > 1 else "")


def _gib(size: int) -> str:
    return f"{size / GIB:.1f} GiB"
