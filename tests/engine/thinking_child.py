"""Runs inside an engine's environment: a model with Qwen3's tags and template, as JSON.

``python -m tests.engine.thinking_child SNAPSHOT FOLDER KIND`` gives the demo model the
template of that kind and, as two of its unused tokens, the tags. What it says is its own;
prompts, counts and tokens are what is looked at.
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from qwenchat.engine.protocol import Delta, Event, Finished, Generate, Load
from qwenchat.sampling import SamplingParameters
from qwenchat.types import ChatMessage
from tests.engine import qwen_templates

TAGS = {"<jupyter_text>": "<think>", "<jupyter_code>": "</think>"}
QUESTION = (ChatMessage("user", "What is 2 + 2?"),)
HISTORY = (
    *QUESTION,
    ChatMessage("assistant", "It is 4; `</think>` is a tag."),
    ChatMessage("user", "And 3 + 3?"),
)
THOUGHT = "<think>\nTwo and two, 二加二"
SHORT = SamplingParameters(temperature=0.0, max_tokens=3)


def tagged_snapshot(demo: Path, folder: Path, template: str) -> Path:
    """The demo model with tags and another chat template; its weights are linked to."""
    folder.mkdir()
    for file in demo.iterdir():
        if file.suffix != ".json":
            (folder / file.name).symlink_to(file)
            continue
        text = file.read_text(encoding="utf-8")
        for old, new in TAGS.items():
            text = text.replace(old, new)
        loaded = json.loads(text)
        if file.name == "tokenizer.json":
            for token in loaded["added_tokens"]:
                token["special"] = token["special"] and token["content"] not in TAGS.values()
        if file.name == "tokenizer_config.json":
            loaded["chat_template"] = template
        (folder / file.name).write_text(json.dumps(loaded), encoding="utf-8")
    return folder


def run(engine: Any, request: Generate) -> dict[str, Any]:
    engine.add(request)
    events: list[Event] = []
    while engine.has_work:
        events += engine.step()
    (finished,) = (event for event in events if isinstance(event, Finished))
    text = "".join(event.text for event in events if isinstance(event, Delta))
    return {"text": text, "prompt_tokens": finished.usage.prompt_tokens}


def look(engine: Any) -> dict[str, Any]:
    tokenizer = engine._renderer.get_tokenizer()
    found: dict[str, Any] = {"tags": tokenizer.convert_tokens_to_ids(["<think>", "</think>"])}
    for name, values in (("on", {"enable_thinking": True}), ("off", {"enable_thinking": False})):
        partial = (*QUESTION, ChatMessage("assistant", THOUGHT))
        cases = {
            "question": (QUESTION, False),
            "history": (HISTORY, False),
            "partial": (partial, True),
        }
        for case, (messages, goes_on) in cases.items():
            prompt = engine._render(messages, goes_on, engine._limited, values)
            request = Generate(
                f"{name}-{case}", messages, SHORT, continue_final=goes_on, template_values=values
            )
            found[f"{name} {case}"] = {
                "prompt": prompt["prompt"],
                "ids": list(prompt["prompt_token_ids"]),
                "measured": engine.measure(messages, goes_on, values),
                "ran": run(engine, request)["prompt_tokens"],
            }
    return found


def main(snapshot: Path, folder: Path, kind: str) -> None:
    from qwenchat.engine.vllm_engine import load_engine

    model = tagged_snapshot(snapshot, folder, getattr(qwen_templates, kind))
    weights = (model / "model.safetensors").stat().st_size
    load = Load(str(model), "tagged", weights, 1024, 64 * 1024**2, 2, "auto", 7)
    engine, ready = load_engine(load, lambda stage: None)
    print(json.dumps({"style": asdict(ready.thinking), **look(engine)}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3])
