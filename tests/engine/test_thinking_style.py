"""How a model thinks is told by the prompts its template makes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from jinja2.sandbox import ImmutableSandboxedEnvironment

from qwenchat.engine.thinking_style import Render, style_of, template_message
from qwenchat.types import ChatMessage, ThinkingStyle
from tests.engine import qwen_templates as templates

STYLES = {
    "Qwen2.5": (templates.QWEN25, ThinkingStyle("none")),
    "Instruct-2507": (templates.INSTRUCT_2507, ThinkingStyle("none")),
    "Qwen3": (templates.QWEN3, ThinkingStyle("hybrid")),
    "Thinking-2507": (templates.THINKING_2507, ThinkingStyle("thinking_only", prompt_opens=True)),
    "opens or closes": (templates.OPENS_OR_CLOSES, ThinkingStyle("hybrid", prompt_opens=True)),
    "off by default": (templates.OFF_BY_DEFAULT, ThinkingStyle("hybrid", on_by_default=False)),
    # Old answers lose their thoughts, and that is all it says of them.
    "strips alone": (templates.QWEN3.replace("enable_thinking", "other"), ThinkingStyle("none")),
}


def render(template: str, messages: list[Any], values: Mapping[str, Any]) -> str:
    compiled = ImmutableSandboxedEnvironment().from_string(template)
    return compiled.render(messages=messages, add_generation_prompt=True, **values)


def renderer(template: str) -> Render:
    return lambda values: render(template, [{"role": "user", "content": "Hello"}], values)


@pytest.mark.parametrize("name", STYLES)
def test_the_style_of_each_kind_of_template(name: str) -> None:
    template, style = STYLES[name]
    assert style_of(renderer(template)) == style


def test_an_answer_that_explains_the_tags_is_read_whole() -> None:
    about = ChatMessage("assistant", "`</think>` ends thoughts.")
    value = template_message(about)
    assert value == {"role": "assistant", "content": about.content, "reasoning": ""}
    # As vLLM hands it on.
    read = [value | {"reasoning_content": value["reasoning"]}]
    assert about.content in render(templates.QWEN3, read, {})


@pytest.mark.parametrize(
    "message",
    [
        ChatMessage("user", "What is </think>?"),
        ChatMessage("assistant", "Yes."),
        ChatMessage("assistant", "<think>\nHm.\n</think>\n\nYes."),
    ],
)
def test_other_messages_are_left_to_the_template(message: ChatMessage) -> None:
    assert template_message(message) == {"role": message.role, "content": message.content}
