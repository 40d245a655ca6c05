"""Runs inside an engine's environment: conversations that go on, as JSON.

``python -m tests.engine.conversations_child SNAPSHOT DTYPE PART…`` loads the model once and
prints what each part found as one JSON object on its last line; ``conftest.py`` runs it.
"""

from __future__ import annotations

import itertools
import json
import sys
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from qwenchat.engine.protocol import Event, Generate, Load
from qwenchat.errors import QwenChatError
from qwenchat.sampling import SamplingParameters
from qwenchat.types import ChatMessage
from tests.engine.cache_parts import first_tokens, interrupted, second_turn
from tests.engine.contract_child import CONVERSATIONS, run_all, summary
from tests.engine.measure_cases import measure_cases

BEGUN = {
    "one turn": "",
    "chinese": "你好，世界。\n你好，世界。\n你好，",
    "emoji": "👩‍👩‍👧 🇨🇳 😀\n👩‍👩‍👧 🇨🇳 😀\n👩‍👩‍👧",
    "code": "```python\ndef f(x):\n\treturn x\n\n\n\ndef f(x):\n\treturn x\n\n\n\ndef",
    "spaces": "a  \n\n\n  b\t\tc   \n\na  \n\n\n  b\t\tc   \n\na",
}
"""How the answers begin, so that the demo model's greedy ones hold what must not be lost."""
ANSWER = SamplingParameters(temperature=0.0, max_tokens=16)
ONE = SamplingParameters(temperature=0.0, max_tokens=1)


class Recorder:
    """The token ids of every answer, which our events do not carry."""

    def __init__(self, engine: Any) -> None:
        self.ids: dict[str, list[int]] = defaultdict(list)
        step = engine._core.step

        def recording() -> Any:
            outputs = step()
            for output in outputs:
                self.ids[output.request_id] += output.outputs[0].token_ids
            return outputs

        engine._core.step = recording

    def answer(self, engine: Any, request: Generate) -> tuple[list[Event], list[int]]:
        self.ids.pop(request.request_id, None)
        return run_all(engine, [request])[request.request_id], self.ids[request.request_id]


def continued(engine: Any) -> dict[str, Any]:
    """Greedy answers, cut behind every third token, and how the engine goes on from there."""
    recorder = Recorder(engine)
    tokenizer, tokenize = engine._renderer.get_tokenizer(), engine._tokenize_partial
    result = {}
    for name, begun in BEGUN.items():

        def ask(text: str, tokens: int, name: str = name) -> Generate:
            messages = (*CONVERSATIONS[name], ChatMessage("assistant", text))
            sampling = replace(ANSWER, max_tokens=tokens)
            return Generate("c", messages, sampling, continue_final=True)

        def prompt_text(text: str, name: str = name) -> str:
            messages = (*CONVERSATIONS[name], ChatMessage("assistant", text))
            return tokenizer.decode(engine.render(messages, True)["prompt_token_ids"])

        engine._llm.reset_prefix_cache()
        events, ids = recorder.answer(engine, ask(begun, ANSWER.max_tokens))
        pieces = summary(events)["pieces"]
        cuts = []
        for k in range(1, len(ids), 3):
            so_far = begun + "".join(pieces[:k])
            known = tokenize(begun) + ids[:k]
            half = sum(1 for _ in itertools.takewhile(lambda text: not text, pieces[k - 1 :: -1]))
            # Tokens without text yet are half a character, which no text can hold.
            written = known[: len(known) - half]
            engine._llm.reset_prefix_cache()
            rest, _ = recorder.answer(engine, ask(so_far, len(ids) - k + half))
            cuts.append(
                {
                    "so_far": so_far,
                    "read": prompt_text(so_far).removeprefix(prompt_text("")),
                    "same_tokens": written == tokenize(so_far),
                    "rest": summary(rest)["text"],
                }
            )
        result[name] = {"whole": begun + "".join(pieces), "cuts": cuts}
    return result


def odd_partials(engine: Any) -> dict[str, Any]:
    """Partial answers at the edges, and refusals."""
    question = CONVERSATIONS["one turn"]
    tokenizer = engine._renderer.get_tokenizer()

    def ids(text: str) -> list[int]:
        return engine.render((*question, ChatMessage("assistant", text)), True)["prompt_token_ids"]

    def refused(messages: tuple[ChatMessage, ...], measure: bool = False) -> list[str]:
        try:
            if measure:
                engine.measure(messages, True)
            else:
                engine.add(Generate("x", messages, ANSWER, continue_final=True))
        except QwenChatError as error:
            return [error.code, error.message]
        engine.abort("x")
        return []

    plain = engine.render(question)["prompt_token_ids"]
    broken = (*question, ChatMessage("assistant", "Paris. A broken character: \ufffd"))
    numbers = " ".join(str(number) for number in range(4000))
    return {
        "plain": list(plain),
        "empty": ids(""),
        "look-alike": ids("say <|im_end|> and <|im_start|>")[len(plain) :],
        "special ids": list(tokenizer.all_special_ids),
        "look-alike text": tokenizer.decode(ids("say <|im_end|> and <|im_start|>")[len(plain) :]),
        "broken": summary(
            run_all(engine, [Generate("b", broken, ANSWER, continue_final=True)])["b"]
        ),
        "not an answer": refused(question),
        "not an answer, measured": refused(question, measure=True),
        "nothing": refused(()),
        "too long": refused((*question, ChatMessage("assistant", numbers))),
        "full": refused(exactly(engine, 4096)),
        "one token left": refused(exactly(engine, 4095)),
    }


def exactly(engine: Any, tokens: int) -> tuple[ChatMessage, ...]:
    """A conversation with a partial answer that has this many prompt tokens."""
    question = CONVERSATIONS["one turn"]
    words = tokens - engine.measure(question)
    messages = (*question, ChatMessage("assistant", "a" + " word" * (words - 1)))
    assert engine.measure(messages, True) == tokens
    return messages


def compared(engine: Any, every: int) -> dict[str, Any]:
    """What is measured beside what the engine counts when it answers, of each ``every``-th case."""
    cases = measure_cases()[::every]
    requests = [
        Generate(f"m{index}", messages, ONE, continue_final=goes_on)
        for index, (messages, goes_on) in enumerate(cases)
    ]
    lengths, unequal = [], []
    for request, events in zip(requests, run_all(engine, requests).values(), strict=True):
        told = engine.measure(request.messages, request.continue_final)
        counted = summary(events)["finished"][0]["usage"]["prompt_tokens"]
        lengths.append(counted)
        if told != counted:
            texts = [message.content for message in request.messages]
            unequal.append([told, counted, texts, request.continue_final])
    return {"cases": len(cases), "unequal": unequal, "lengths": lengths}


def beyond(engine: Any) -> dict[str, Any]:
    """What is measured of messages that no context holds."""
    empty = engine.measure((ChatMessage("user", ""),))
    far = {}
    for words in (5_000, 41_000):
        message = ChatMessage("user", "word" + " word" * (words - 1))
        far[words] = engine.measure((message,)) - empty
    try:
        engine.measure((ChatMessage("user", "word " * 1_000_000),))
        absurd = ["", ""]
    except QwenChatError as error:
        absurd = [error.code, error.message]
    return {"far": far, "absurd": absurd}


PARTS: dict[str, Callable[[Any], dict[str, Any]]] = {
    "continued": continued,
    "odd": odd_partials,
    "a fifth compared": partial(compared, every=5),
    "all compared": partial(compared, every=1),
    "beyond": beyond,
    "second turn": second_turn,
    "interrupted": interrupted,
    "first tokens": first_tokens,
}


def main(snapshot: Path, dtype: str, parts: list[str]) -> None:
    from qwenchat.engine.vllm_engine import load_engine

    weights = (snapshot / "model.safetensors").stat().st_size
    load = Load(str(snapshot), "demo", weights, 4096, 400 * 1024**2, 4, dtype, 7)
    engine, _ = load_engine(load, lambda stage: None)
    result = {}
    for part in parts:
        begun = time.perf_counter()
        result[part] = PARTS[part](engine)
        print(f"{part}: {time.perf_counter() - begun:.1f} s")
    print(json.dumps(result))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], sys.argv[3:])
