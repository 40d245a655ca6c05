"""Runs inside an engine's environment: what only the API asks of the engine, as JSON.

``python -m tests.engine.api_child SNAPSHOT`` loads the model once and prints one JSON
object on its last line; ``test_api_requests.py`` looks at it from many sides.
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from qwenchat.engine.protocol import Delta, Generate, Load
from qwenchat.sampling import SamplingParameters
from qwenchat.types import ChatMessage
from tests.engine.contract_child import run_all, summary

QUESTION = (ChatMessage("user", "Describe a person as JSON."),)
GREEDY = SamplingParameters(temperature=0.0, max_tokens=40)
SCHEMA = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "maxLength": 20},
        "age": {"type": "integer", "minimum": 0, "maximum": 150},
    },
    "required": ["name", "age"],
    "additionalProperties": False,
}
TEXT = "The capital of France is"
SWITCHED = "{% if shout is defined and shout %}LOUD{% endif %}{{ messages[0].content }}"


def answer(engine: Any, **wishes: Any) -> dict[str, Any]:
    request = Generate("r", **({"messages": QUESTION, "sampling": GREEDY} | wishes))
    events = run_all(engine, [request])["r"]
    logprobs = [asdict(o) for e in events if isinstance(e, Delta) for o in e.logprobs]
    return summary(events) | {"logprobs": logprobs}


def refused(engine: Any, **wishes: Any) -> dict[str, Any]:
    try:
        engine.add(Generate("x", **({"messages": QUESTION, "sampling": GREEDY} | wishes)))
    except Exception as error:
        told = {"param": getattr(error, "param", None), "message": str(error)}
        return {"code": getattr(error, "code", type(error).__name__)} | told
    engine.abort("x")
    return {}


def template_prompts(engine: Any) -> list[str]:
    """Prompts without and with a value for the template, by a template that looks at it."""
    kept, engine._llm.chat_template = engine._llm.chat_template, SWITCHED
    try:
        requests = [Generate("t", QUESTION, GREEDY, template_values=v) for v in ({}, {"shout": 1})]
        return [engine._prompt(request)["prompt"] for request in requests]
    finally:
        engine._llm.chat_template = kept


def main(snapshot: Path) -> None:
    from vllm import SamplingParams

    from qwenchat.engine.vllm_engine import load_engine

    weights = (snapshot / "model.safetensors").stat().st_size
    load = Load(str(snapshot), "demo", weights, 4096, 400 * 1024**2, 4, "auto", 7)
    engine, _ = load_engine(load, lambda stage: None)
    short = SamplingParameters(temperature=0.0, max_tokens=8)
    raw = answer(engine, messages=(), prompt=TEXT, sampling=short)
    whole = SamplingParams(temperature=0.0, max_tokens=8)
    theirs = engine._llm.generate(TEXT, whole, use_tqdm=False)[0]
    result = {
        "schema": answer(engine, json_schema=json.dumps(SCHEMA)),
        "object": answer(engine, json_schema='{"type": "object"}'),
        "bad schemas": [
            refused(engine, json_schema=json.dumps(bad))
            for bad in ({"type": "nonsense"}, {"$ref": "#/nowhere"}, {"properties": 5})
        ],
        "logprobs": answer(engine, logprobs=3),
        "chosen only": answer(engine, logprobs=0),
        "unlikely": answer(
            engine,
            logprobs=2,
            sampling=SamplingParameters(temperature=2.0, seed=5, max_tokens=30),
        ),
        "no logprobs": answer(engine),
        "raw": raw,
        "their raw": theirs.outputs[0].text,
        "raw too long": refused(engine, messages=(), prompt="word " * 5000),
        "raw far too long": refused(engine, messages=(), prompt="word " * 400_000),
        "template": template_prompts(engine),
    }
    print(json.dumps(result))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
