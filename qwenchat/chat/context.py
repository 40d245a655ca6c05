"""Fitting a turn into the context: what the model reads when there is more than it can.

Turns are left out from the oldest on and in large steps, so that the prompts of the next
turns begin alike and the prefix cache answers for them. The system prompt always stays.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from qwenchat.chat.conversations import Message
from qwenchat.chat.counting import TokenCounter
from qwenchat.chat.history import build_prompt, system_prompt_of, turn_starts
from qwenchat.engine.seam import NO_VALUES
from qwenchat.errors import ContextLengthExceeded
from qwenchat.sampling import SamplingParameters
from qwenchat.types import ChatMessage

Overflow = Literal["leave_out", "shorten"]
OVERFLOWS: tuple[Overflow, ...] = ("leave_out", "shorten")

RESERVE_SHARE = 4
"""Of the context, at most the fourth part is kept free for an answer."""
KEPT_SHARE = 0.6
"""What is left of the room for the prompt when turns are left out: then several turns fit
before it has to happen again."""
SHORTEST_ANSWER_TOKENS = 16


@dataclass(frozen=True, slots=True)
class PromptPlan:
    """What the model reads.

    Attributes:
        prompt_tokens: Of ``messages``.
        start: Where in the path it begins; what is before is left out.
    """

    messages: tuple[ChatMessage, ...]
    prompt_tokens: int
    start: int


def reserve_tokens(sampling: SamplingParameters, context_length: int) -> int:
    """Tokens kept free for the answer."""
    return min(sampling.max_tokens, context_length // RESERVE_SHARE)


def start_of(path: Sequence[Message]) -> int:
    """Where in ``path`` the model began to read for the last answer in it."""
    for message in reversed(path):
        if message.role == "assistant" and (message.content or message.first_read_id):
            positions = (at for at, one in enumerate(path) if one.id == message.first_read_id)
            return next(positions, 0)
    return 0


class Planner:
    """Plans prompts for a context of ``context_length`` tokens.

    Args:
        reserve: Tokens kept free for the answer.
        template_values: As in ``Generate``.
    """

    def __init__(
        self,
        counter: TokenCounter,
        context_length: int,
        reserve: int,
        template_values: Mapping[str, Any] = NO_VALUES,
    ) -> None:
        self._counter = counter
        self._template_values = template_values
        self.context_length = context_length
        self._reserve = reserve

    def fits(self, plan: PromptPlan) -> bool:
        """Whether a whole answer fits behind the prompt."""
        return plan.prompt_tokens + self._reserve <= self.context_length

    def fits_shortened(self, plan: PromptPlan) -> bool:
        """Whether at least a few words of an answer fit."""
        return plan.prompt_tokens + SHORTEST_ANSWER_TOKENS <= self.context_length

    async def whole(
        self, system_prompt: str, path: Sequence[Message], continue_final: bool = False
    ) -> PromptPlan:
        """Everything that is not left out already.

        Raises:
            EngineError: The engine cannot count now.
            RequestError: It cannot be counted.
        """
        return await self._from(start_of(path), system_prompt, path, continue_final)

    async def plan(
        self,
        system_prompt: str,
        path: Sequence[Message],
        overflow: Overflow = "leave_out",
        continue_final: bool = False,
    ) -> PromptPlan:
        """What the model is to read of ``path``.

        Raises:
            ContextLengthExceeded: The system prompt and the last turn alone are too long.
            EngineError: The engine cannot count now.
            RequestError: It cannot be counted.
        """
        whole = await self.whole(system_prompt, path, continue_final)
        if self.fits(whole) or (overflow == "shorten" and self.fits_shortened(whole)):
            return whole
        starts = [at for at in turn_starts(path) if at > whole.start]
        roomy = int((self.context_length - self._reserve) * KEPT_SHARE)
        found = await self._earliest(starts, roomy, system_prompt, path, continue_final)
        if found is None:
            least = self.context_length - self._reserve
            found = await self._earliest(starts, least, system_prompt, path, continue_final)
        if found is not None:
            return found
        last = whole
        if starts:
            last = await self._from(starts[-1], system_prompt, path, continue_final)
        if self.fits_shortened(last):
            return last
        raise ContextLengthExceeded(
            f"The message is too long for the model: with the system prompt it has "
            f"{last.prompt_tokens:,} tokens, and the context holds {self.context_length:,} "
            "tokens of prompt and answer together. Shorten the message, or send it in parts."
        )

    async def _earliest(
        self,
        starts: Sequence[int],
        limit: int,
        system_prompt: str,
        path: Sequence[Message],
        continue_final: bool,
    ) -> PromptPlan | None:
        """The plan that leaves out the fewest turns and has at most ``limit`` tokens."""
        low, high = 0, len(starts)
        found: PromptPlan | None = None
        while low < high:
            middle = (low + high) // 2
            plan = await self._from(starts[middle], system_prompt, path, continue_final)
            if plan.prompt_tokens <= limit:
                found, high = plan, middle
            else:
                low = middle + 1
        return found

    async def _from(
        self, start: int, system_prompt: str, path: Sequence[Message], continue_final: bool
    ) -> PromptPlan:
        messages = build_prompt(system_prompt_of(system_prompt, path), path[start:])
        return PromptPlan(messages, await self.count(messages, continue_final), start)

    async def count(self, messages: tuple[ChatMessage, ...], continue_final: bool = False) -> int:
        """Prompt tokens of ``messages``, as ``TokenCounter.count`` tells them."""
        return await self._counter.count(messages, continue_final, self._template_values)
