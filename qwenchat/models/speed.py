"""How fast a model will answer on this machine, before it is downloaded.

To decode one token, every matrix the token goes through is read from memory once, and on a
CPU that reading is what takes the time, with a share for each layer that does not depend on
size (starting kernels, attention, norms). So

    seconds per token = bytes per token / bandwidth + layers * LAYER_SECONDS

where bytes that have to be unpacked before they are multiplied count more than once.

Prompts are read many tokens at a time and follow other rules; this is about answers.
"""

from __future__ import annotations

import functools
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from qwenchat.hardware import compute_threads
from qwenchat.models import quantization
from qwenchat.models.catalog import Method, Model, Variant
from qwenchat.models.fit import Footprint
from qwenchat.models.snapshot_config import ModelConfig

if TYPE_CHECKING:
    import numpy as np

LAYER_SECONDS = 0.0005
"""Of one layer besides its matrices, with two threads of a Sapphire Rapids: what is left of a
step of the demo model (30 layers, 30 ms) and of the real 0.5B shape (24 layers, 54 ms) when
their bytes are read at 22 GB/s, between 0.4 and 0.6 ms."""
READ_SHARE: dict[Method, float] = {
    "none": 1.0,
    "int8-w8a8": 0.6,
    "fp8": 0.5,
    "gptq-int4": 0.35,
    "awq-int4": 0.35,
}
"""Share of the bandwidth at which matrices are read: quantised ones keep the cores busy.
Measured on the 0.5B shape and on invented ones: 0.3 to 0.5 for 4 bits, 0.4 to 0.75 for W8A8.
FP8 is an assumption. For 4 bits it holds in bfloat16 with AMX; in float16, the dtype that
GPTQ snapshots ask for, the same model was three times slower."""
UNCERTAINTY = 1.6
"""On a machine with nothing else to do the true rate has been within this factor of the
expected one, either way. Beside busy programs it is as much lower as they take of the cores."""
CONTEXT_TOKENS = 1_024
"""Of the chat whose speed is told: its cache is read for every token too."""

_ARRAY_BYTES = 48 * 1024**2
_MEASURE_SECONDS = 0.12


@dataclass(frozen=True, slots=True)
class Speed:
    """Tokens per second of one chat: expected, and the bounds it will be within."""

    expected: float
    least: float
    most: float


def expected_speed(model: Model, variant: Variant, bandwidth: float | None = None) -> Speed:
    """Decode speed of a model of the catalogue.

    Args:
        bandwidth: Bytes per second; None to measure this machine's, once.
    """
    matrices, rest = bytes_per_token(model, variant)
    bandwidth = bandwidth or memory_bandwidth()
    return speed_of(matrices, rest, model.shape.layers, variant.method, bandwidth)


def config_speed(config: ModelConfig, footprint: Footprint, bandwidth: float) -> Speed | None:
    """Decode speed of any model, by its ``config.json`` and what it takes of memory.

    None for a mixture of experts: how much of it a token goes through is told by each
    architecture in a way of its own.

    Args:
        bandwidth: Bytes per second.
    """
    if config.experts:
        return None
    copies = 1 if config.tied else 2
    matrices = max(0, footprint.weights_bytes - copies * footprint.matrix_bytes)
    rest = footprint.matrix_bytes + footprint.cache_bytes_per_token * CONTEXT_TOKENS
    return speed_of(matrices, rest, footprint.layers, _method(config), bandwidth)


def _method(config: ModelConfig) -> Method:
    match config.quantization:
        case None:
            return "none"
        case "fp8":
            return "fp8"
        case "compressed-tensors" if not quantization.has_four_bits(config):
            return "int8-w8a8"
        case _:
            return "gptq-int4"


def speed_of(matrices: int, rest: int, layers: int, method: Method, bandwidth: float) -> Speed:
    """Decode speed by the formula above.

    Args:
        matrices: Bytes of the layers' matrices that a token goes through.
        rest: Other bytes read for a token, none of them quantised.
        bandwidth: Bytes per second.
    """
    counted = matrices / READ_SHARE[method] + rest
    rate = 1.0 / (counted / bandwidth + layers * LAYER_SECONDS)
    return Speed(rate, rate / UNCERTAINTY, rate * UNCERTAINTY)


def bytes_per_token(model: Model, variant: Variant) -> tuple[int, int]:
    """Bytes read to decode one token: those of the layers' matrices that it goes through, and
    the rest, which is the output layer and the cache of a short chat. Of the embedding only
    one row is read."""
    shape = model.shape
    matrix = 2 * shape.embedding_parameters
    stored = model.weights_bytes(variant) - matrix * (2 if model.output_layer_stored else 1)
    matrices = stored * shape.linear_parameters_per_token // shape.linear_parameters
    cache = 2 * shape.layers * shape.kv_heads * shape.head_dim * 2 * CONTEXT_TOKENS
    return matrices, matrix + cache


@functools.cache
def memory_bandwidth() -> float:
    """Bytes per second that all computing threads together read; takes 0.3 s, once.

    The maximum over short pieces of time, since a neighbour can only make it look slower.
    """
    # Here, because it takes time that the start of the app does not have.
    import numpy as np

    threads = compute_threads()
    arrays = [np.ones(_ARRAY_BYTES // 4, np.float32) for _ in range(threads)]
    start = threading.Barrier(threads)
    rates: list[float] = []

    def read(array: np.ndarray[tuple[int], np.dtype[np.float32]]) -> None:
        start.wait()
        best, until = 0.0, time.perf_counter() + _MEASURE_SECONDS
        while (begun := time.perf_counter()) < until:
            np.dot(array, array)
            best = max(best, _ARRAY_BYTES / (time.perf_counter() - begun))
        rates.append(best)

    readers = [threading.Thread(target=read, args=(array,)) for array in arrays]
    for reader in readers:
        reader.start()
    for reader in readers:
        reader.join()
    return sum(rates)
