"""Runs inside an engine's environment: our streamed path beside ``LLM.chat``, as JSON.

``python -m tests.engine.contract_child SNAPSHOT`` loads the model once and prints one
JSON object on its last line; ``test_contract.py`` looks at it from many sides.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from qwenchat.engine.protocol import Delta, Event, Finished, Generate, Load, Prefill, Queued
from qwenchat.sampling import SamplingParameters
from qwenchat.types import ChatMessage

SYSTEM = ChatMessage("system", "You are a helpful assistant who answers briefly.")
CONVERSATIONS: dict[str, tuple[ChatMessage, ...]] = {
    "one turn": (ChatMessage("user", "What is the capital of France?"),),
    "system prompt": (SYSTEM, ChatMessage("user", "Name three fruits.")),
    "history": (
        SYSTEM,
        ChatMessage("user", "My name is Ada."),
        ChatMessage("assistant", "Nice to meet you, Ada!"),
        ChatMessage("user", "Write a sentence with my name."),
    ),
    "chinese": (ChatMessage("user", "请重复:你好,世界。广州是一座城市。"),),
    "emoji": (ChatMessage("user", "Repeat exactly: 😀 👩‍👩‍👧 🇨🇳 naïve café"),),
    "code": (ChatMessage("user", "Repeat:\n```python\ndef f(x):\n\treturn x\n```"),),
    "spaces": (ChatMessage("user", "  a\n\n\n  b\t\tc   "),),
}
GREEDY = SamplingParameters(temperature=0.0, max_tokens=20)
WILD = SamplingParameters(temperature=2.0, top_p=1.0, max_tokens=60, seed=11)
WILD_CONVERSATIONS = ("one turn", "chinese", "emoji")
EVERY_PARAMETER = SamplingParameters(
    temperature=0.7,
    top_p=0.8,
    top_k=17,
    min_p=0.05,
    repetition_penalty=1.1,
    presence_penalty=0.2,
    frequency_penalty=0.3,
    max_tokens=9,
    seed=1234,
    stop=("STOP", "停"),
)


def run_all(engine: Any, requests: list[Generate]) -> dict[str, list[Event]]:
    events: dict[str, list[Event]] = {request.request_id: [] for request in requests}
    for request in requests:
        engine.add(request)
    while engine.has_work:
        for event in engine.step():
            events[event.request_id].append(event)
    return events


def summary(events: list[Event]) -> dict[str, Any]:
    deltas = [event for event in events if isinstance(event, Delta)]
    finished = [event for event in events if isinstance(event, Finished)]
    return {
        "text": "".join(delta.text for delta in deltas),
        "pieces": [delta.text for delta in deltas],
        "tokens": sum(delta.tokens for delta in deltas),
        "finished": [asdict(event) for event in finished],
        "last_is_finished": bool(events) and isinstance(events[-1], Finished),
        "prefill": [asdict(event) for event in events if isinstance(event, Prefill)],
        "queued": [event.position for event in events if isinstance(event, Queued)],
    }


def compare(engine: Any, sampling: SamplingParameters, names: Iterable[str]) -> dict[str, Any]:
    from vllm.sampling_params import RequestOutputKind

    from qwenchat.engine.vllm_engine import to_vllm

    result = {}
    for name in names:
        messages = CONVERSATIONS[name]
        # Reused and freshly computed history round differently in bfloat16: start both alike.
        engine._llm.reset_prefix_cache()
        ours = summary(run_all(engine, [Generate("r", messages, sampling)])["r"])
        whole = to_vllm(sampling)
        whole.output_kind = RequestOutputKind.FINAL_ONLY
        engine._llm.reset_prefix_cache()
        conversation = [{"role": m.role, "content": m.content} for m in messages]
        theirs = engine._llm.chat(conversation, whole, use_tqdm=False)[0]
        prompt = engine.render(messages)
        result[name] = ours | {
            "their_text": theirs.outputs[0].text,
            "their_tokens": len(theirs.outputs[0].token_ids),
            "prompt_ids": list(prompt["prompt_token_ids"]),
            "their_prompt_ids": list(theirs.prompt_token_ids),
            "prompt_text": engine._llm.get_tokenizer().decode(prompt["prompt_token_ids"]),
            "measured": engine.measure(messages),
        }
    return result


def seen_parameters(engine: Any) -> dict[str, Any]:
    """The sampling parameters as vLLM's engine core holds them for a running request."""
    engine.add(Generate("p", CONVERSATIONS["one turn"], EVERY_PARAMETER))
    (core,) = engine._scheduler.requests.values()
    held = core.sampling_params
    names = [name for name in asdict(EVERY_PARAMETER) if name != "stop"]
    seen = {name: getattr(held, name) for name in names} | {"stop": list(held.stop)}
    engine.abort("p")
    return seen


def aborts(engine: Any) -> dict[str, Any]:
    """One request aborted before its first step, one mid-answer, beside one that goes on."""
    long = SamplingParameters(temperature=0.0, max_tokens=24)
    for name in ("early", "late", "other"):
        engine.add(Generate(name, CONVERSATIONS["system prompt"], long))
    early = engine.abort("early")
    events = []
    for _ in range(6):
        events += engine.step()
    late = engine.abort("late")
    again = engine.abort("late")
    while engine.has_work:
        events += engine.step()
    return {
        "early": asdict(early),
        "late": asdict(late),
        "again": again,
        "other": summary([e for e in events if e.request_id == "other"]),
        "left": len(engine._scheduler.requests),
    }


def refusals(engine: Any) -> dict[str, Any]:
    def refused(messages: tuple[ChatMessage, ...]) -> dict[str, str]:
        try:
            engine.add(Generate("x", messages, GREEDY))
        except Exception as error:
            code, message = getattr(error, "code", ""), str(error)
            return {"type": type(error).__name__, "code": code, "message": message}
        engine.abort("x")
        return {}

    return {
        "too long": refused((ChatMessage("user", "word " * 5000),)),
        "far too long": refused((ChatMessage("user", "word " * 400_000),)),
        "still works": summary(
            run_all(engine, [Generate("y", CONVERSATIONS["one turn"], GREEDY)])["y"]
        ),
    }


def main(snapshot: Path) -> None:
    from qwenchat.engine.vllm_engine import load_engine

    weights = (snapshot / "model.safetensors").stat().st_size
    load = Load(str(snapshot), "demo", weights, 4096, 400 * 1024**2, 4, "auto", 7)
    engine, ready = load_engine(load, lambda stage: None)
    numbers = " ".join(str(number) for number in range(600))
    long_prompt = (ChatMessage("user", numbers),)
    first = summary(run_all(engine, [Generate("l", long_prompt, GREEDY)])["l"])
    second = summary(run_all(engine, [Generate("l", long_prompt, GREEDY)])["l"])
    crowd = [Generate(f"c{i}", CONVERSATIONS["one turn"], GREEDY) for i in range(6)]
    stopped = SamplingParameters(temperature=0.0, max_tokens=32, stop=("Paris",))
    result = {
        "ready": asdict(ready),
        "greedy": compare(engine, GREEDY, CONVERSATIONS),
        "wild": compare(engine, WILD, WILD_CONVERSATIONS),
        "parameters": seen_parameters(engine),
        "aborts": aborts(engine),
        "refusals": refusals(engine),
        "long": first,
        "long again": second,
        "crowd": {name: summary(events) for name, events in run_all(engine, crowd).items()},
        "stop string": summary(
            run_all(engine, [Generate("s", CONVERSATIONS["one turn"], stopped)])["s"]
        ),
    }
    print(json.dumps(result))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
