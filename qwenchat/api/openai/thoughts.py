"""Thoughts and answer as the API tells them apart: ``reasoning_content`` and ``content``."""

from __future__ import annotations

from typing import Any

from qwenchat.api.bodies import switch_field
from qwenchat.chat.thinking import Format, Splitter, shown_thoughts
from qwenchat.chat.thinking_mode import Mode, mode_of
from qwenchat.engine.seam import Engine
from qwenchat.types import THINKING_SWITCH, ThinkingStyle


class Parts:
    """Parts the text of one answer, in pieces or whole."""

    def __init__(self, form: Format) -> None:
        self._splitter = Splitter(form)
        self._is_plain = form == "plain"
        self._head = ""
        self._told = 0

    def add(self, text: str) -> dict[str, str]:
        """The fields of a delta for new text."""
        if self._is_plain:
            return {"content": text}
        head, content = self._splitter.feed(text)
        self._head += head
        return self._fields(content, ended=False)

    def end(self) -> dict[str, str]:
        """The fields for what was not told yet, at the end."""
        return {} if self._is_plain else self._fields(self._splitter.finish(), ended=True)

    def whole(self, text: str) -> dict[str, str | None]:
        """The fields of a message with all of the text."""
        if self._is_plain:
            return {"content": text}
        first, last = self.add(text), self.end()
        thoughts = first.get("reasoning_content", "") + last.get("reasoning_content", "")
        content = first.get("content", "") + last.get("content", "")
        return {"content": content, "reasoning_content": thoughts or None}

    def _fields(self, content: str, *, ended: bool) -> dict[str, str]:
        shown = shown_thoughts(self._head, ended=ended)
        thoughts, self._told = shown[self._told :], len(shown)
        fields = {"reasoning_content": thoughts, "content": content}
        return {name: value for name, value in fields.items() if value}


def mode_for(engine: Engine, template_values: dict[str, Any], has_schema: bool) -> Mode:
    """How a request is answered.

    Args:
        template_values: What the request says to the chat template.
        has_schema: The output must follow a schema from its first character on, so there is
            no room for thoughts.

    Raises:
        InvalidRequest: The switch is neither true nor false.
    """
    ready = engine.status.ready
    style = ready.thinking if ready else ThinkingStyle()
    wanted = switch_field(template_values, THINKING_SWITCH)
    if wanted is None:
        return mode_of(style, "off" if has_schema else None, engine.defaults)
    return mode_of(style, "on" if wanted else "off", engine.defaults)
