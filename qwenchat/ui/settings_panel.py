"""The settings panel: one ordinary Gradio component for each setting of a conversation.

Nothing here runs in Python after the page is built. The page's own JavaScript listens to
what a person does in the fields (Gradio's ``input`` event of a text box comes only with
key presses: pasting and input methods would go unnoticed), keeps the values, sends them,
and puts them back into the components through the bridge: an empty component whose
``apply`` event has every setting as output.
"""

from __future__ import annotations

import json
from typing import Any

import gradio as gr

from qwenchat.errors import InvalidRequest
from qwenchat.sampling import (
    PARAMETERS,
    STOP_EXPLANATION,
    STOP_LABEL,
    Parameter,
    SamplingParameters,
    parse_sampling,
)

Field = gr.Slider | gr.Number | gr.Textbox | gr.Radio

SYSTEM_PROMPT_LABEL = "System prompt"
SYSTEM_PROMPT_EXPLANATION = "What the model is told before the conversation."
CREATIVITY_EXPLANATION = "How freely words are chosen, from the likeliest to surprising ones."
LENGTH_EXPLANATION = "Where an answer ends at the latest; Continue lets it go on."
LANGUAGE_EXPLANATION = "What the model is asked to answer in, whatever you write."
LEVELS = {"creativity": 5, "answer_length": 4}
"""Steps of the sliders of the simple level; what they mean is in
``assets/js/personas/levels.js``."""
SIMPLE = ("system_prompt", *LEVELS, "reply_language")
_REFUSED_VALUE = "{value}"


def refusal(parameter: Parameter) -> str:
    """What the server says of a value out of range, with ``{value}`` where it was."""
    try:
        parse_sampling({parameter.name: _REFUSED_VALUE}, SamplingParameters())
    except InvalidRequest as problem:
        return problem.message.replace(repr(_REFUSED_VALUE), _REFUSED_VALUE)
    raise AssertionError(f"{parameter.name} takes text")


def settings_config() -> dict[str, Any]:
    """What the page's JavaScript knows of the settings, in the order of the outputs."""
    numbers = {
        parameter.name: {
            "minimum": parameter.minimum,
            "maximum": parameter.maximum,
            "exclusive": parameter.exclusive,
            "integer": parameter.integer,
            "optional": parameter.optional,
            "refusal": refusal(parameter),
        }
        for parameter in PARAMETERS
    }
    return {
        "order": [*SIMPLE, *numbers, "stop"],
        "numbers": numbers,
        "defaults": SamplingParameters().as_dict(),
    }


def _number(parameter: Parameter) -> Field:
    default = getattr(SamplingParameters(), parameter.name)
    if parameter.optional or parameter.soft_maximum is not None:
        # A slider would cut off what is typed beyond its end.
        return gr.Number(
            value=default,
            label=parameter.label,
            info=parameter.explanation,
            step=parameter.step,
            placeholder="random" if parameter.optional else None,
            elem_id=f"setting-{parameter.name}",
            elem_classes=["qc-setting", "qc-setting-number"],
            interactive=True,
        )
    return gr.Slider(
        parameter.minimum,
        parameter.maximum,
        value=default,
        step=parameter.step,
        label=parameter.label,
        info=parameter.explanation,
        buttons=[],
        elem_id=f"setting-{parameter.name}",
        elem_classes=["qc-setting", "qc-setting-slider"],
        interactive=True,
    )


def _text(name: str, label: str, explanation: str, lines: int, placeholder: str) -> Field:
    return gr.Textbox(
        value="",
        label=label,
        info=explanation,
        lines=lines,
        max_lines=12,
        placeholder=placeholder,
        elem_id=f"setting-{name}",
        elem_classes=["qc-setting", "qc-setting-text"],
        interactive=True,
    )


def _level(name: str, label: str, explanation: str) -> Field:
    return gr.Slider(
        0,
        LEVELS[name] - 1,
        value=0,
        step=1,
        label=label,
        info=explanation,
        buttons=[],
        elem_id=f"setting-{name}",
        elem_classes=["qc-setting", "qc-setting-slider", "qc-setting-level"],
        interactive=True,
    )


def _simple_fields() -> dict[str, Field]:
    """The fields that everybody sees; those of :data:`SIMPLE` in their order."""
    _part("persona-row")
    fields = {
        "system_prompt": _text(
            "system_prompt",
            SYSTEM_PROMPT_LABEL,
            SYSTEM_PROMPT_EXPLANATION,
            3,
            "You are a helpful assistant.",
        )
    }
    _part("preset-row")
    fields["creativity"] = _level("creativity", "Creativity", CREATIVITY_EXPLANATION)
    fields["answer_length"] = _level("answer_length", "Answer length", LENGTH_EXPLANATION)
    _part("thinking-row")
    fields["reply_language"] = gr.Radio(
        [("Auto", "auto"), ("中文", "zh"), ("English", "en")],
        value="auto",
        label="Reply language",
        info=LANGUAGE_EXPLANATION,
        elem_id="setting-reply_language",
        elem_classes=["qc-setting", "qc-setting-radio"],
        interactive=True,
    )
    return fields


def _part(name: str) -> None:
    gr.HTML(
        elem_id=f"settings-{name}",
        elem_classes=["qc-settings-part"],
        js_on_load=mount_script(name),
        apply_default_css=False,
    )


def build_settings_panel() -> None:
    """Put the panel into the current Blocks."""
    with gr.Column(elem_id="settings-panel"):
        gr.HTML(js_on_load=mount_script("settings-head"), apply_default_css=False)
        with gr.Column(elem_id="settings-fields"):
            fields = _simple_fields()
            _part("expert-switch")
            with gr.Column(elem_id="settings-expert"):
                fields |= {parameter.name: _number(parameter) for parameter in PARAMETERS}
                fields["stop"] = _text("stop", STOP_LABEL, STOP_EXPLANATION, 2, "")
        gr.HTML(js_on_load=mount_script("settings-foot"), apply_default_css=False)
        bridge = gr.HTML(
            elem_id="settings-bridge",
            elem_classes=["qc-bridge"],
            js_on_load=_BRIDGE_SCRIPT % json.dumps(settings_config()),
            apply_default_css=False,
        )
    bridge.apply(
        fn=None,
        js="() => window.qwenchat.settingValues()",
        outputs=list(fields.values()),
        show_progress="hidden",
        api_visibility="private",
    )


_BRIDGE_SCRIPT = (
    "import('/assets/js/main.js').then("
    "({ connectSettings }) => connectSettings(() => trigger('apply'), %s));"
)


def mount_script(part: str) -> str:
    """JavaScript that puts a part of the page's own into the component it runs in."""
    return f"import('/assets/js/main.js').then(({{ mount }}) => mount({part!r}, element));"
