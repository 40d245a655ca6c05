"""What the prefix cache answers of a conversation that goes on, and how soon the first
token comes (see ``conversations_child.py``)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from qwenchat.engine.protocol import Delta, Generate
from qwenchat.sampling import SamplingParameters
from qwenchat.types import ChatMessage
from tests.engine.contract_child import SYSTEM, run_all, summary

Messages = tuple[ChatMessage, ...]

HISTORY_TOKENS = 2000
REPETITIONS = 7
INTERRUPTED_AFTER = 80
MESSAGE_WORDS = {"line": 8, "paragraph": 30}
"""Messages of 56 and 188 tokens. Each new token must look at the whole history, cached or
not. In a model this narrow that costs two thirds of all its other work at 2,000 tokens, so
what a pasted page takes longer is arithmetic, not a history read again."""
TURN = SamplingParameters(temperature=0.0, max_tokens=24)
FIRST = SamplingParameters(temperature=0.0, max_tokens=2)


def _numbers(start: int, words: int) -> str:
    """Text that is different for every ``start``, from its first token on."""
    return " ".join(str(number) for number in range(start, start + words))


def _turn(engine: Any, messages: Messages, text: str) -> tuple[Messages, dict[str, Any]]:
    """The conversation with ``text`` and its answer, and the end of that answer."""
    asked = (*messages, ChatMessage("user", text))
    told = summary(run_all(engine, [Generate("t", asked, TURN)])["t"])
    return (*asked, ChatMessage("assistant", told["text"])), told["finished"][0]


def _history(engine: Any) -> Messages:
    """A conversation of 2,000 tokens that the engine has just been led through."""
    engine._llm.reset_prefix_cache()
    messages: Messages = (SYSTEM,)
    while engine.measure(messages) < HISTORY_TOKENS:
        messages, _ = _turn(engine, messages, _numbers(100 * len(messages), 60))
    return messages


def second_turn(engine: Any) -> dict[str, Any]:
    """The usage of one more turn of a 2,000-token conversation."""
    history = _history(engine)
    _, finished = _turn(engine, history, "And what comes next?")
    return {"history_tokens": engine.measure(history), "usage": finished["usage"]}


def interrupted(engine: Any) -> dict[str, Any]:
    """An answer stopped in the middle, and the usage of its continuation."""
    engine._llm.reset_prefix_cache()
    asked = (SYSTEM, ChatMessage("user", "Tell me a long story about a river and an old town."))
    engine.add(Generate("i", asked, replace(TURN, max_tokens=400)))
    text, tokens = "", 0
    while tokens < INTERRUPTED_AFTER:
        for event in engine.step():
            if isinstance(event, Delta):
                text, tokens = text + event.text, tokens + event.tokens
    stopped = engine.abort("i")
    partial = (*asked, ChatMessage("assistant", text))
    goes_on = Generate("g", partial, FIRST, continue_final=True)
    return {
        "stopped": stopped is not None,
        "question_tokens": engine.measure(asked),
        "partial_tokens": engine.measure(partial, True),
        "usage": summary(run_all(engine, [goes_on])["g"])["finished"][0]["usage"],
    }


def first_tokens(engine: Any) -> dict[str, Any]:
    """Seconds to the first token of the same message in a long chat and in an empty one."""
    history = _history(engine)
    result: dict[str, Any] = {}
    for name, words in MESSAGE_WORDS.items():
        seconds: dict[str, list[float]] = {"long chat": [], "empty chat": []}
        for repetition in range(REPETITIONS):
            asked = ChatMessage("user", _numbers(10_000 * (repetition + 1), words))
            for chat, messages in (("long chat", history), ("empty chat", (SYSTEM,))):
                request = Generate("f", (*messages, asked), FIRST)
                (end,) = summary(run_all(engine, [request])["f"])["finished"]
                seconds[chat].append(end["timings"]["time_to_first_token_seconds"])
        result[name] = seconds
    return result
