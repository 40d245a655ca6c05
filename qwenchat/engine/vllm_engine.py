"""The only module that imports vLLM.

``vllm.LLM`` is loaded with its engine core in this process and driven step by step, the
way ``LLM.chat`` drives it, so that tokens can be streamed, requests join and leave
between steps, and a Stop takes effect at the next step. ``LLM.chat`` itself is used once,
for the warm-up after loading; calling it later would step everybody's requests and drop
their output. Foreign exceptions become QwenChat's errors here and nowhere else.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import vllm
from tokenizers.decoders import DecodeStream
from vllm.exceptions import VLLMClientError, VLLMValidationError
from vllm.renderers.params import ChatParams, TokenizeParams
from vllm.sampling_params import RequestOutputKind, StructuredOutputsParams

from qwenchat.engine.complaints import FAILED_INSIDE, first_sentence, unusable_schema
from qwenchat.engine.kernels import describe_weights
from qwenchat.engine.logprobs import token_logprobs
from qwenchat.engine.partial import split_partial
from qwenchat.engine.protocol import (
    READING_WEIGHTS,
    Delta,
    Event,
    Failed,
    Finished,
    Generate,
    Load,
    Prefill,
    Queued,
    Ready,
)
from qwenchat.engine.seam import NO_VALUES
from qwenchat.engine.thinking_style import style_of, template_message
from qwenchat.engine.tracking import TrackedRequest
from qwenchat.errors import ContextLengthExceeded, EngineInternal, InvalidRequest
from qwenchat.sampling import SamplingParameters
from qwenchat.types import ChatMessage, FinishReason, ThinkingStyle

BLOCK_TOKENS = 32
"""KV blocks of 32 tokens: the prefix cache reuses history in steps of a block, and 32 is
the smallest size vLLM's CPU attention kernels are tuned for (``platforms/cpu.py``)."""
LARGEST_CHUNK_TOKENS = 2048
SMALLEST_CHUNK_TOKENS = 64
STEP_SECONDS = 0.25
"""How long one step may take. A step cannot be interrupted, so this bounds how long a Stop
and every other chat wait for somebody's long prompt."""
WARM_UP_TOKENS = 256
MEASURED_CHARACTERS = 64
"""Characters for each token of the context that are counted at least. A token of text has
about four, so this is far beyond the ten contexts whose exact length is worth showing; it
bounds the time (a second for a million tokens) and the memory (200 bytes a token)."""


def to_vllm(
    sampling: SamplingParameters, logprobs: int | None = None, json_schema: str | None = None
) -> vllm.SamplingParams:
    """The same parameters as vLLM's type, set to yield only what is new at every step.

    Args:
        logprobs: As in ``protocol.Generate``, and so ``json_schema``.
    """
    structure = StructuredOutputsParams(json=json_schema) if json_schema is not None else None
    return vllm.SamplingParams(
        temperature=sampling.temperature,
        top_p=sampling.top_p,
        top_k=sampling.top_k,
        min_p=sampling.min_p,
        repetition_penalty=sampling.repetition_penalty,
        presence_penalty=sampling.presence_penalty,
        frequency_penalty=sampling.frequency_penalty,
        max_tokens=sampling.max_tokens,
        seed=sampling.seed,
        stop=list(sampling.stop),
        logprobs=logprobs,
        structured_outputs=structure,
        output_kind=RequestOutputKind.DELTA,
    )


class VllmEngine:
    """A loaded model that answers many requests side by side, one step at a time.

    Not thread-safe: one loop owns it. Only :meth:`measure` may run beside the rest: vLLM's
    renderer lends every thread a tokenizer of its own.
    """

    def __init__(self, load: Load) -> None:
        """Load the model. Takes seconds to minutes.

        Raises:
            Exception: Whatever vLLM raises; the process is of no use afterwards.
        """
        self._name = load.model
        self._context_length = load.context_length
        self._llm = vllm.LLM(
            model=load.path,
            served_model_name=load.model,
            dtype=load.dtype,  # type: ignore[arg-type]  # settings.py checks the name
            max_model_len=load.context_length,
            kv_cache_memory_bytes=load.kv_cache_bytes,
            max_num_seqs=load.max_concurrent,
            max_num_batched_tokens=max(LARGEST_CHUNK_TOKENS, load.max_concurrent),
            block_size=BLOCK_TOKENS,
            enforce_eager=True,
            enable_prefix_caching=True,
            scheduling_policy="priority",
            # vLLM's own choice would be made by the first schema, for all that come later. A
            # small model that may write white space between values tends not to stop.
            structured_outputs_config={"backend": "guidance", "disable_any_whitespace": True},
            seed=load.seed,
            disable_log_stats=True,
            trust_remote_code=False,
        )
        self._core = self._llm.llm_engine
        self._scheduler: Any = self._core.engine_core.engine_core.scheduler  # type: ignore[attr-defined]
        self._renderer = self._llm.renderer
        self._limited = self._renderer.default_chat_tok_params
        longest = self._renderer.get_tokenizer().max_chars_per_token
        self._most_characters = load.context_length * max(longest, MEASURED_CHARACTERS)
        self._requests: dict[str, TrackedRequest] = {}

    # ---- getting ready

    def warm_up(self) -> Ready:
        """Run one prompt twice, measure the better reading, and choose the prefill chunk.

        The first run makes the kernels pack their weights, so usually the second is the
        better one; when another program slows that one down, the chunk, which stays as
        long as the process does, need not be small for it.
        """
        text = "the " * WARM_UP_TOKENS
        conversation: Any = [{"role": "user", "content": text}]
        once = vllm.SamplingParams(max_tokens=1, temperature=0.0)
        rate = 1.0
        for _ in range(2):
            self._llm.reset_prefix_cache()
            begun = time.perf_counter()
            output = self._llm.chat(conversation, once, use_tqdm=False)[0]
            tokens = len(output.prompt_token_ids or ())
            rate = max(rate, tokens / (time.perf_counter() - begun))
        self._llm.reset_prefix_cache()
        chunk = int(rate * STEP_SECONDS) // BLOCK_TOKENS * BLOCK_TOKENS
        chunk = min(LARGEST_CHUNK_TOKENS, max(SMALLEST_CHUNK_TOKENS, chunk))
        # The scheduler reads this at every step, so it can be set to what was measured.
        self._scheduler.max_num_scheduled_tokens = chunk
        config = self._core.vllm_config
        return Ready(
            model=self._name,
            context_length=self._context_length,
            max_concurrent=config.scheduler_config.max_num_seqs,
            kv_cache_tokens=(config.cache_config.num_gpu_blocks or 0) * BLOCK_TOKENS,
            prefill_tokens_per_second=rate,
            prefill_chunk_tokens=chunk,
            weights=self._describe_weights(),
            thinking=self._thinking_style(),
        )

    def _thinking_style(self) -> ThinkingStyle:
        hello = (ChatMessage("user", "Hello"),)

        def prompt(values: Mapping[str, Any]) -> str:
            return str(self._render(hello, False, self._limited, values)["prompt"])

        return style_of(prompt)

    def _describe_weights(self) -> str:
        model = self._core.vllm_config.model_config
        dtype = str(model.dtype).removeprefix("torch.")
        (words,) = self._llm.apply_model(
            lambda loaded: describe_weights(loaded.modules(), dtype, model.quantization)
        )
        return words

    # ---- requests

    def render(self, messages: tuple[ChatMessage, ...], continue_final: bool = False) -> Any:
        """The engine prompt of ``messages``, rendered exactly as ``LLM.chat`` does.

        Args:
            continue_final: As in ``protocol.Generate``.

        Raises:
            ContextLengthExceeded: It has more tokens than the context holds.
            InvalidRequest: The chat template refuses these messages.
        """
        return self._render(messages, continue_final, self._limited)

    def measure(
        self,
        messages: tuple[ChatMessage, ...],
        continue_final: bool = False,
        template_values: Mapping[str, Any] = NO_VALUES,
    ) -> int:
        """Prompt tokens of ``messages``, also when the context does not hold them.

        Raises:
            ContextLengthExceeded: So many characters that they cannot fit, uncounted.
            InvalidRequest: As in :meth:`render`.
        """
        unlimited = replace(self._limited, max_total_tokens=None)
        prompt = self._render(messages, continue_final, unlimited, template_values)
        return len(prompt["prompt_token_ids"])

    def _render(
        self,
        messages: tuple[ChatMessage, ...],
        continue_final: bool,
        limits: TokenizeParams,
        template_values: Mapping[str, Any] = NO_VALUES,
    ) -> Any:
        before, partial = split_partial(messages, continue_final)
        characters = sum(len(message.content) for message in messages)
        if characters > self._most_characters:
            raise self._too_long(f"{characters:,} characters")
        conversation: Any = [template_message(message) for message in before]
        kwargs = {**template_values, "add_generation_prompt": True, "tokenize": False}
        parameters = ChatParams(chat_template=self._llm.chat_template, chat_template_kwargs=kwargs)
        with self._client_errors():
            rendered = self._renderer.render_chat([conversation], parameters, limits)
        prompt: Any = rendered[1][0]
        if partial:
            # Token ids, not text: a template would strip the text and close the message.
            # These are also the ids that the prefix cache knows from the first run.
            prompt["prompt_token_ids"] += self._tokenize_partial(partial)
            prompt["prompt"] += partial
        return prompt

    def _tokenize_partial(self, text: str) -> list[int]:
        """``text`` as the model would have written it: what only looks like a control token
        is text, for control tokens never get into an answer's text."""
        tokenizer: Any = self._renderer.get_tokenizer()
        encoded = tokenizer(text, add_special_tokens=False, split_special_tokens=True)
        return list(encoded["input_ids"])

    def add(self, request: Generate) -> None:
        """Take a request in; its events come out of :meth:`step`.

        Raises:
            ContextLengthExceeded: The prompt leaves no room for an answer.
            InvalidRequest: The chat template or vLLM refuses it.
        """
        arrived = time.perf_counter()
        prompt = self._prompt(request)
        prompt_tokens = len(prompt["prompt_token_ids"])
        if prompt_tokens >= self._context_length:
            raise self._too_long(f"{prompt_tokens:,} tokens")
        wanted = to_vllm(request.sampling, request.logprobs, request.json_schema)
        with self._client_errors(has_schema=request.json_schema is not None):
            core_id = self._core.add_request(
                request.request_id, prompt, wanted, priority=request.priority
            )
        if prompt["prompt"].endswith("\ufffd"):
            self._forget_prompt_text(core_id)
        self._requests[request.request_id] = TrackedRequest(
            core_id, prompt_tokens, arrived, request.logprobs or 0
        )

    def _prompt(self, request: Generate) -> Any:
        if request.prompt is None:
            return self._render(
                request.messages, request.continue_final, self._limited, request.template_values
            )
        if len(request.prompt) > self._most_characters:
            raise self._too_long(f"{len(request.prompt):,} characters")
        with self._client_errors():
            return self._renderer.render_cmpl([{"prompt": request.prompt}])[0]

    def _forget_prompt_text(self, core_id: str) -> None:
        """Let an answer's text begin with its own tokens.

        vLLM begins with the prompt's. When that ends in U+FFFD, it takes it for half a
        character and, once that is whole, yields the entire prompt as text of the answer.
        """
        states: Any = self._core.output_processor.request_states
        states[core_id].detokenizer.stream = DecodeStream(skip_special_tokens=True)

    def abort(self, request_id: str) -> Finished | None:
        """Stop a request at once; None when it is not (or no longer) known.

        vLLM gives no last output for an aborted request, so the end is made here.
        """
        request = self._requests.pop(request_id, None)
        if request is None:
            return None
        self._core.abort_request([request_id])
        now = time.perf_counter()
        return Finished(request_id, "abort", request.usage(), request.timings(now))

    @property
    def has_work(self) -> bool:
        """Whether a step would do anything; :meth:`step` must not be called otherwise."""
        return bool(self._requests)

    def step(self) -> list[Event]:
        """One forward pass for every running request.

        Raises:
            Exception: The engine is not to be trusted any more; end the process.
        """
        begun = time.perf_counter()
        outputs = self._core.step()
        now = time.perf_counter()
        events: list[Event] = []
        for output in outputs:
            events += self._events_of(output, begun, now)
        events += self._progress(begun)
        return events

    def _events_of(self, output: Any, begun: float, now: float) -> Iterator[Event]:
        request = self._requests.get(output.request_id)
        if request is None:
            return
        choice = output.outputs[0]
        tokens = len(choice.token_ids)
        if tokens:
            request.started = request.started or begun
            if request.first_token is None:
                request.first_token = now
                request.cached_tokens = output.num_cached_tokens or 0
            request.last_token = now
            request.completion_tokens += tokens
        if tokens or choice.text:
            chances = token_logprobs(choice.token_ids, choice.logprobs, request.logprobs)
            yield Delta(output.request_id, choice.text, tokens, chances)
        if output.finished:
            del self._requests[output.request_id]
            if choice.finish_reason == "error":
                yield Failed(output.request_id, EngineInternal.code, FAILED_INSIDE)
                return
            reason: FinishReason = "length" if choice.finish_reason == "length" else "stop"
            yield Finished(output.request_id, reason, request.usage(), request.timings(now))

    def _progress(self, begun: float) -> Iterator[Event]:
        """Queue positions and prefill progress of requests without a token yet."""
        silent = {r.core_id: (k, r) for k, r in self._requests.items() if r.first_token is None}
        if not silent:
            return
        waiting = [w.request_id for w in self._scheduler.waiting if w.request_id in silent]
        for position, core_id in enumerate(waiting, start=1):
            request_id, request = silent.pop(core_id)
            if request.started is None:
                yield from request.unless_said(Queued(request_id, position))
        for core_id, (request_id, request) in silent.items():
            core = self._scheduler.requests.get(core_id)
            if core is None:
                continue
            request.started = request.started or begun
            if core.prefill_stats is not None:
                request.cached_tokens = core.prefill_stats.num_cached_tokens
            done = min(core.num_computed_tokens, request.prompt_tokens)
            said = Prefill(request_id, done, request.prompt_tokens, request.cached_tokens)
            yield from request.unless_said(said)

    # ---- vLLM's errors

    @contextmanager
    def _client_errors(self, has_schema: bool = False) -> Iterator[None]:
        try:
            yield
        except VLLMValidationError as error:
            if error.parameter in ("input_tokens", "input_text"):
                unit = "tokens" if error.parameter == "input_tokens" else "characters"
                raise self._too_long(f"at least {error.value:,} {unit}") from error
            if has_schema and error.parameter is None:
                raise unusable_schema(error) from error
            raise InvalidRequest(first_sentence(error), param=error.parameter) from error
        except VLLMClientError as error:
            raise InvalidRequest(first_sentence(error)) from error
        except (ValueError, TypeError, KeyError) as error:
            if has_schema:
                raise unusable_schema(error) from error
            raise InvalidRequest(
                f"The model's chat template does not accept these messages "
                f"({first_sentence(error)}). Remove the system prompt, or start a new chat."
            ) from error

    def _too_long(self, size: str) -> ContextLengthExceeded:
        return ContextLengthExceeded(
            f"This conversation is too long for the model: the prompt has {size}, and "
            f"the context holds {self._context_length:,} tokens of prompt and answer together. "
            "Shorten the message, or start a new chat."
        )


def load_engine(load: Load, stage: Callable[[str], None]) -> tuple[VllmEngine, Ready]:
    """Load and warm up, saying each ``stage``.

    Raises:
        Exception: Whatever vLLM raises.
    """
    stage(READING_WEIGHTS)
    engine = VllmEngine(load)
    stage("Warming up")
    return engine, engine.warm_up()
