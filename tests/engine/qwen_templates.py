"""Chat templates that do what those of Qwen's models do with thoughts, in fewer words.

Qwen3's leaves the thoughts of answers before the last question out, puts an empty block into
the prompt where ``enable_thinking`` is false, and reads ``reasoning_content`` where it is
given. The Thinking-2507 one ends the prompt with the opening tag, the others have no such
thing. Left out is what they do with tools.
"""

from __future__ import annotations

_MESSAGES = """\
{%- for message in messages %}
    {%- set content = message.content %}
    {%- if message.role == 'assistant' and THINKS %}
        {%- if message.reasoning_content is not string and '</think>' in content %}
            {%- set content = content.split('</think>')[-1].lstrip('\\n') %}
        {%- endif %}
    {%- endif %}
    {{- '<|im_start|>' + message.role + '\\n' + content + '<|im_end|>\\n' }}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|im_start|>assistant\\n' }}
"""
_SWITCH = """\
    {%- if enable_thinking is defined and enable_thinking is false %}
        {{- '<think>\\n\\n</think>\\n\\n' }}
    {%- endif %}
"""
_END = "{%- endif %}"

QWEN25 = _MESSAGES.replace("THINKS", "false") + _END
INSTRUCT_2507 = QWEN25
QWEN3 = _MESSAGES.replace("THINKS", "true") + _SWITCH + _END
THINKING_2507 = _MESSAGES.replace("THINKS", "true") + "    {{- '<think>\\n' }}\n" + _END
OPENS_OR_CLOSES = (
    _MESSAGES.replace("THINKS", "true")
    + _SWITCH.replace("{%- endif", "{%- else %}\n        {{- '<think>\\n' }}\n    {%- endif")
    + _END
)
"""As Qwen3, but thinking is switched on by the tag in the prompt."""
OFF_BY_DEFAULT = QWEN3.replace(
    "enable_thinking is defined and enable_thinking is false",
    "enable_thinking is not defined or enable_thinking is false",
)
