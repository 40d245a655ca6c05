"""Everything the web process and the engine process say to each other.

Plain frozen dataclasses over a pipe. Commands go down, events come up; an event names
the request it belongs to, or ``None`` for the engine as a whole. Errors cross as
``(code, message)`` and become exceptions on the other side.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from qwenchat.sampling import SamplingParameters
from qwenchat.types import ChatMessage, FinishReason, ThinkingStyle, Timings, Usage

# ---- commands: web process -> engine process


@dataclass(frozen=True, slots=True)
class Load:
    """Load a model; the first command, sent once.

    Attributes:
        path: Folder of the snapshot.
        model: Name to show.
        weights_bytes: Size of the weights on disk, for progress.
        context_length: Tokens of prompt and answer together.
        kv_cache_bytes: Memory of the KV cache.
        max_concurrent: Requests that decode side by side.
        dtype: A vLLM dtype name, or ``auto``.
        seed: Seed of the engine's random numbers, new for every start.
    """

    path: str
    model: str
    weights_bytes: int
    context_length: int
    kv_cache_bytes: int
    max_concurrent: int
    dtype: str
    seed: int


@dataclass(frozen=True, slots=True)
class Generate:
    """Answer ``messages``, or go on from ``prompt``.

    Attributes:
        priority: A lower one goes first; interactive chats use 0.
        continue_final: The last message is an answer so far, and the model goes on from its
            exact text; an empty one is a new answer.
        prompt: Raw text to go on from, read without the chat template; ``messages`` is empty
            then.
        logprobs: How many of the likeliest tokens to tell at each place, besides the chosen
            one; None tells nothing of the kind.
        json_schema: JSON text of a schema the answer is to follow; None leaves it free.
        template_values: More for the chat template to know, such as ``enable_thinking``.
    """

    request_id: str
    messages: tuple[ChatMessage, ...]
    sampling: SamplingParameters
    priority: int = 0
    continue_final: bool = False
    prompt: str | None = None
    logprobs: int | None = None
    json_schema: str | None = None
    template_values: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Abort:
    """Stop working on a request; answered by ``Finished("abort")`` if it was alive."""

    request_id: str


@dataclass(frozen=True, slots=True)
class Measure:
    """Count the prompt tokens of ``messages`` by the model's tokenizer and chat template;
    ``continue_final`` and ``template_values`` as in :class:`Generate`."""

    request_id: str
    messages: tuple[ChatMessage, ...]
    continue_final: bool = False
    template_values: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Shutdown:
    """Leave the loop and end the process."""


Command = Load | Generate | Abort | Measure | Shutdown

# ---- events: engine process -> web process


READING_WEIGHTS = "Reading the weights"


@dataclass(frozen=True, slots=True)
class Loading:
    """Progress of getting ready: ``stage`` in words to show, ``done`` of ``total`` in bytes;
    ``total`` is 0 where there is nothing to count."""

    stage: str
    done: int
    total: int


@dataclass(frozen=True, slots=True)
class Ready:
    """The engine takes requests.

    Attributes:
        model: Name to show.
        context_length: Tokens of prompt and answer together.
        max_concurrent: Requests that decode side by side; more wait.
        kv_cache_tokens: Tokens the KV cache holds for all requests together.
        prefill_tokens_per_second: Measured in the warm-up.
        prefill_chunk_tokens: Prompt tokens of one step at most, chosen from that rate.
        weights: What the weights are and which kernel multiplies them, in words to show, such
            as ``bfloat16`` or ``GPTQ 4-bit (CPUWNA16LinearKernel, W4A8)``; "" where not told.
        thinking: Whether and how the model thinks before it answers.
    """

    model: str
    context_length: int
    max_concurrent: int
    kv_cache_tokens: int
    prefill_tokens_per_second: float
    prefill_chunk_tokens: int
    weights: str = ""
    thinking: ThinkingStyle = ThinkingStyle()


@dataclass(frozen=True, slots=True)
class Queued:
    """The request waits for a place; ``position`` 1 is next."""

    request_id: str
    position: int


@dataclass(frozen=True, slots=True)
class Prefill:
    """The prompt is being read: ``done`` of ``total`` tokens, ``cached`` of them reused."""

    request_id: str
    done: int
    total: int
    cached: int


@dataclass(frozen=True, slots=True)
class TokenChance:
    """A token's text (empty while a character is incomplete) and the natural logarithm of
    its probability."""

    text: str
    logprob: float


@dataclass(frozen=True, slots=True)
class TokenLogprob:
    """The token that was chosen, and the likeliest ones at its place, the likeliest first."""

    chosen: TokenChance
    likeliest: tuple[TokenChance, ...]


@dataclass(frozen=True, slots=True)
class Delta:
    """New text of the answer and the number of tokens it took (text may be empty while a
    character or a stop string is incomplete).

    Attributes:
        logprobs: One for each token, where the request asked for them.
    """

    request_id: str
    text: str
    tokens: int
    logprobs: tuple[TokenLogprob, ...] = ()


@dataclass(frozen=True, slots=True)
class Finished:
    """The last event of a request that ran."""

    request_id: str
    finish_reason: FinishReason
    usage: Usage
    timings: Timings


@dataclass(frozen=True, slots=True)
class Measured:
    """The answer to :class:`Measure`."""

    request_id: str
    prompt_tokens: int


@dataclass(frozen=True, slots=True)
class Failed:
    """A request that cannot be answered, or with ``request_id`` None the engine itself,
    which ends its process after saying so."""

    request_id: str | None
    code: str
    message: str
    param: str | None = None


RequestEvent = Queued | Prefill | Delta | Finished | Measured | Failed
Event = Loading | Ready | RequestEvent
