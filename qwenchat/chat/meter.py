"""What a turn would take of the context, before it is sent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from qwenchat.chat.context import Planner, PromptPlan, reserve_tokens, start_of
from qwenchat.chat.conversations import Message
from qwenchat.chat.history import build_prompt, system_prompt_of
from qwenchat.chat.service import Chat
from qwenchat.errors import ContextLengthExceeded
from qwenchat.sampling import parse_sampling


@dataclass(frozen=True, slots=True)
class Measurement:
    """Tokens of the next turn. The first three add up to ``prompt_tokens``.

    Attributes:
        system_tokens: Of the system prompt and what the chat template puts around.
        history_tokens: Of the earlier messages that are not left out already.
        message_tokens: Of the message that is being written.
        prompt_tokens: What the engine would count.
        reserve_tokens: Kept free for the answer.
        fits: Prompt and reserve fit the context.
        left_out: Messages that leaving out the oldest turns leaves out.
        kept_tokens: Of the prompt without them.
        can_leave_out: Leaving out turns makes it fit.
        can_shorten: A shorter answer makes it fit.
        short_answer_tokens: What is left for that answer.
    """

    context_length: int
    system_tokens: int
    history_tokens: int
    message_tokens: int
    prompt_tokens: int
    reserve_tokens: int
    fits: bool
    left_out: int
    kept_tokens: int
    can_leave_out: bool
    can_shorten: bool
    short_answer_tokens: int


async def measure_turn(
    chat: Chat,
    content: str,
    *,
    conversation_id: str | None = None,
    parent_id: str | None | Literal["leaf"] = "leaf",
    system_prompt: str | None = None,
    sampling: Mapping[str, Any] | None = None,
) -> Measurement:
    """Measure the turn that sending ``content`` would make.

    Args:
        conversation_id: Where it would be sent; None is a new chat.
        parent_id: Below which message; ``leaf`` is the one shown last.
        system_prompt: In place of the conversation's.
        sampling: Likewise.

    Raises:
        ConversationNotFound: No conversation has this id.
        MessageNotFound: It has no message ``parent_id``.
        InvalidRequest: A sampling parameter is unknown or out of range.
        EngineError: The engine is not ready.
    """
    history: list[Message] = []
    if conversation_id is not None:
        conversation = await chat.conversations.get(conversation_id)
        if parent_id == "leaf":
            history = conversation.path()
        elif parent_id is not None:
            history = conversation.path(conversation.message(parent_id).id)
        system_prompt = conversation.system_prompt if system_prompt is None else system_prompt
        sampling = conversation.sampling if sampling is None else sampling
    system_prompt = system_prompt_of(system_prompt or "", history)
    parsed = parse_sampling(sampling or {}, chat.engine.defaults)
    planner = chat.turns.planner(parsed)

    count = chat.turns.counter.count
    turn = Message("user", content, history[-1].id if history else None)
    nothing = Message("user", "", turn.parent_id)
    read = history[start_of(history) :]
    whole = await planner.whole(system_prompt, [*history, turn])
    # Never more than the whole, of which an estimate may be all there is.
    before = min(await count(build_prompt(system_prompt, [*read, nothing])), whole.prompt_tokens)
    only_system = min(await count(build_prompt(system_prompt, [nothing])), before)
    kept = await _kept(planner, system_prompt, [*history, turn])
    return Measurement(
        context_length=planner.context_length,
        system_tokens=only_system,
        history_tokens=before - only_system,
        message_tokens=whole.prompt_tokens - before,
        prompt_tokens=whole.prompt_tokens,
        reserve_tokens=reserve_tokens(parsed, planner.context_length),
        fits=planner.fits(whole),
        left_out=kept.start - whole.start if kept else 0,
        kept_tokens=kept.prompt_tokens if kept else whole.prompt_tokens,
        can_leave_out=kept is not None and kept.start > whole.start,
        can_shorten=planner.fits_shortened(whole),
        short_answer_tokens=max(0, planner.context_length - whole.prompt_tokens),
    )


async def _kept(planner: Planner, system_prompt: str, path: list[Message]) -> PromptPlan | None:
    try:
        return await planner.plan(system_prompt, path)
    except ContextLengthExceeded:
        return None
