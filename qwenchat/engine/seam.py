"""The seam everything above the engine is written against.

``client.EngineClient`` (a local engine process) and ``fake.FakeEngine`` (scripted, for
fast tests) are its two ends; chat, API and page know only this file.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal, Protocol

from qwenchat.engine.protocol import Generate, Load, Ready, RequestEvent
from qwenchat.errors import QwenChatError
from qwenchat.sampling import SamplingParameters
from qwenchat.types import ChatMessage

EngineState = Literal["starting", "loading", "ready", "restarting", "failed"]

NO_VALUES: Mapping[str, Any] = MappingProxyType({})
"""Nothing more for the chat template to know."""

Progress = Callable[[str, int, int], None]
"""Called with a stage, and how much of how much of it is done (0 of 0: not counted)."""


@dataclass(frozen=True, slots=True)
class PreparedModel:
    """A model that is on disk and has been found fit to load."""

    load: Load
    defaults: SamplingParameters
    note: str = ""


Prepare = Callable[[Progress], Awaitable[PreparedModel]]
"""Finds or fetches the model. Called before every start; raises QwenChatError."""


@dataclass(frozen=True, slots=True)
class EngineStatus:
    """What can be said of the engine now.

    Attributes:
        model: Name to show, known from the start.
        model_note: A sentence about the model, or empty.
        stage: What the engine is doing while it loads, in words.
        done: Progress of the stage, of ``total``; 0 of 0 where there is nothing to count.
        ready: What the engine said when it became ready; None before.
        error: ``(code, message)`` of why it is restarting or failed.
        retry_in_seconds: Until the next try, while restarting.
    """

    state: EngineState
    model: str
    model_note: str = ""
    stage: str = ""
    done: int = 0
    total: int = 0
    ready: Ready | None = None
    error: tuple[str, str] | None = None
    retry_in_seconds: float | None = None


OnFallback = Callable[[str, QwenChatError], None]
"""Called with the name of a model that could not be loaded, and why."""


class Engine(Protocol):
    """An engine as the event loop of the web process uses it.

    Every method is called from that loop.
    """

    @property
    def status(self) -> EngineStatus:
        """The current status; a new value at every change."""

    @property
    def defaults(self) -> SamplingParameters:
        """The recommended sampling parameters of the model that was prepared last."""

    @property
    def resident_bytes(self) -> int:
        """Memory the engine would give back if it ended now; 0 where that is not known."""

    def watch(self, on_change: Callable[[EngineStatus], None]) -> Callable[[], None]:
        """Call ``on_change`` at every change of status; returns what ends that."""

    def watch_fallbacks(self, on_fallback: OnFallback) -> Callable[[], None]:
        """Call ``on_fallback`` when a model could not be loaded and the engine has gone back
        to another, which ``status.model`` then names; returns what ends that."""

    async def start(self) -> None:
        """Begin loading; returns at once."""

    async def restart(self) -> None:
        """Begin again after the engine gave up (state ``failed``)."""

    async def switch(self, prepare: Prepare, model: str) -> None:
        """Load another model, or the same one differently; returns at once.

        What runs fails with ``ModelSwitched``; what waits goes on waiting and is answered by
        the model that comes up. When this one cannot be loaded, the engine goes back to the
        last that was ready; where none was yet, to the one before.

        Args:
            model: Its name, to show before it is ready.
        """

    async def close(self) -> None:
        """End the engine and everything it started."""

    def generate(self, request: Generate) -> AsyncIterator[RequestEvent]:
        """Events of one request, the last one ``Finished``.

        Waits while the engine loads or restarts. Ceasing to iterate (``aclose`` or
        cancellation) aborts the request.

        Raises:
            QwenChatError: The request or the engine failed.
        """

    async def abort(self, request_id: str) -> None:
        """Stop a request; its iterator then ends with ``Finished("abort")``."""

    async def measure(
        self,
        messages: tuple[ChatMessage, ...],
        continue_final: bool = False,
        template_values: Mapping[str, Any] = NO_VALUES,
    ) -> int:
        """Exact prompt tokens of ``messages``, also when the context does not hold them.

        Args:
            continue_final: As in ``Generate``, and so ``template_values``.

        Raises:
            EngineError: The engine is not ready or ended meanwhile.
            ContextLengthExceeded: So many characters that they cannot fit, uncounted.
            InvalidRequest: The chat template refuses the messages.
        """
