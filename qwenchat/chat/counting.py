"""How many tokens a prompt has, by the model's own tokenizer and chat template."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

from qwenchat.engine.protocol import Ready
from qwenchat.engine.seam import NO_VALUES, Engine
from qwenchat.errors import ContextLengthExceeded
from qwenchat.types import ChatMessage

REMEMBERED = 64
CHARACTERS_PER_TOKEN = 4
"""Of English text, about; where nobody counts."""

_Key = tuple[tuple[ChatMessage, ...], bool, tuple[tuple[str, Any], ...]]


class TokenCounter:
    """Asks the engine, and remembers the last answers while the model is the same."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._model: Ready | None = None
        self._known: OrderedDict[_Key, int] = OrderedDict()

    async def count(
        self,
        messages: tuple[ChatMessage, ...],
        continue_final: bool = False,
        template_values: Mapping[str, Any] = NO_VALUES,
    ) -> int:
        """Prompt tokens of ``messages``, more than the context holds included.

        So many characters that the engine would be long about counting them are estimated,
        always at more than the context holds.

        Args:
            continue_final: The last message is an answer that is to go on.
            template_values: As in ``Generate``; hashable ones.

        Raises:
            EngineError: The engine is not ready or ended meanwhile.
            InvalidRequest: The chat template refuses the messages.
        """
        model = self._engine.status.ready
        if model is not self._model:
            self._model = model
            self._known.clear()
        key = messages, continue_final, tuple(sorted(template_values.items()))
        if key not in self._known:
            try:
                tokens = await self._engine.measure(messages, continue_final, template_values)
            except ContextLengthExceeded:
                characters = sum(len(message.content) for message in messages)
                context_length = model.context_length if model else 0
                tokens = max(context_length + 1, characters // CHARACTERS_PER_TOKEN)
            self._known[key] = tokens
            while len(self._known) > REMEMBERED:
                self._known.popitem(last=False)
        self._known.move_to_end(key)
        return self._known[key]
