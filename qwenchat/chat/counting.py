"""How many tokens a prompt has, by the model's own tokenizer and chat template."""

from __future__ import annotations

from collections import OrderedDict

from qwenchat.engine.protocol import Ready
from qwenchat.engine.seam import Engine
from qwenchat.types import ChatMessage

REMEMBERED = 64

_Key = tuple[tuple[ChatMessage, ...], bool]


class TokenCounter:
    """Asks the engine, and remembers the last answers while the model is the same."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._model: Ready | None = None
        self._known: OrderedDict[_Key, int] = OrderedDict()

    async def count(self, messages: tuple[ChatMessage, ...], continue_final: bool = False) -> int:
        """Prompt tokens of ``messages``, more than the context holds included.

        Args:
            continue_final: The last message is an answer that is to go on.

        Raises:
            EngineError: The engine is not ready or ended meanwhile.
            RequestError: The chat template refuses the messages, or they are so long that
                counting would take too long.
        """
        model = self._engine.status.ready
        if model is not self._model:
            self._model = model
            self._known.clear()
        key = messages, continue_final
        if key not in self._known:
            self._known[key] = await self._engine.measure(messages, continue_final)
            while len(self._known) > REMEMBERED:
                self._known.popitem(last=False)
        self._known.move_to_end(key)
        return self._known[key]
