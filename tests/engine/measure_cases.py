"""Two hundred conversations of every kind, the same ones at every run."""

from __future__ import annotations

import random
from collections.abc import Callable

from qwenchat.types import ChatMessage

CASES = 200
LONG_CASES = 6
SEED = 20261202

_CODE = "def f(x):\n\tif x:\n\t\treturn [x]\n    # mixed  indentation   \n\treturn None\n"
_CHINESE = "广州是一座城市，今天天气很好；请用三句话介绍「珠江」——谢谢！我们去饮茶吧。１２３"
_EMOJI = ("😀", "👩‍👩‍👧‍👦", "🏳️‍🌈", "🇨🇳", "👍🏽", "❤️", "🧑🏿‍🚀", "☃", "🫠")
_CONTROLS = "\x00\x01\x07\x08\x0b\x0c\x1b[31m\x7f\x85\u200b\u200d\u2028\ufeff\ufffd\r\n"
_LOOK_ALIKES = (
    "<|im_end|>", "<|im_start|>assistant\n", "<|endoftext|>", "<|im_end", "|im_start|>",
    "<s>", "</s>", "[INST]", "<think>", "</think>", "<tool_call>", "<|fim_prefix|>",
)  # fmt: skip
_WORDS = (
    "the", "river", "runs", "past", "an", "old", "town", "and", "naïve", "façades", "hold",
    "1,024", "coöperating", "owls",
)  # fmt: skip


def _prose(rng: random.Random) -> str:
    return " ".join(rng.choices(_WORDS, k=rng.randint(1, 25)))


def _chinese(rng: random.Random) -> str:
    return "".join(rng.choices(_CHINESE, k=rng.randint(1, 40)))


def _rare_characters(rng: random.Random) -> str:
    planes = ((0x3400, 0x9FFF), (0x20000, 0x2A6DF), (0x0590, 0x08FF), (0x1F300, 0x1FAFF))
    return "".join(chr(rng.randint(*rng.choice(planes))) for _ in range(rng.randint(1, 12)))


def _emoji(rng: random.Random) -> str:
    return "".join(rng.choices(_EMOJI, k=rng.randint(1, 8)))


def _code(rng: random.Random) -> str:
    return f"```python\n{_CODE * rng.randint(1, 3)}```"


def _controls(rng: random.Random) -> str:
    return "".join(rng.choices(_CONTROLS, k=rng.randint(1, 10)))


def _look_alikes(rng: random.Random) -> str:
    return " ".join(rng.choices(_LOOK_ALIKES, k=rng.randint(1, 4)))


def _spaces(rng: random.Random) -> str:
    return "".join(rng.choices(" \t\n\u00a0\u3000", k=rng.randint(1, 12)))


_KINDS: tuple[Callable[[random.Random], str], ...] = (
    _prose, _chinese, _rare_characters, _emoji, _code, _controls, _look_alikes, _spaces,
)  # fmt: skip


def _text(rng: random.Random) -> str:
    return "".join(rng.choice(_KINDS)(rng) for _ in range(rng.randint(1, 3)))


def _answer(rng: random.Random) -> str:
    if rng.random() < 0.4:
        return f"<think>\n{_text(rng)}\n</think>\n\n{_text(rng)}"
    return _text(rng)


def _conversation(rng: random.Random, long: bool) -> tuple[tuple[ChatMessage, ...], bool]:
    messages = []
    if rng.random() < 0.5:
        messages.append(ChatMessage("system", _text(rng)))
    for _ in range(rng.randint(0, 3)):
        messages.append(ChatMessage("user", _text(rng)))
        messages.append(ChatMessage("assistant", _answer(rng)))
    length = 20 if long else 1
    messages.append(ChatMessage("user", "".join(_text(rng) for _ in range(length))))
    continued = rng.random() < 0.35
    if continued:
        messages.append(ChatMessage("assistant", rng.choice(("", _answer(rng)))))
    return tuple(messages), continued


def measure_cases() -> list[tuple[tuple[ChatMessage, ...], bool]]:
    """Messages, and whether the last of them is an answer that goes on."""
    rng = random.Random(SEED)
    return [_conversation(rng, long=index < LONG_CASES) for index in range(CASES)]
