"""What a turn would take of the context, before it is sent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from qwenchat.chat.attachments import block_of
from qwenchat.chat.context import Planner, PromptPlan, reserve_tokens, start_of
from qwenchat.chat.conversations import Message
from qwenchat.chat.history import build_prompt
from qwenchat.chat.service import Chat
from qwenchat.chat.thinking_mode import Wish
from qwenchat.chat.turns import Reading
from qwenchat.errors import ContextLengthExceeded, EngineError
from qwenchat.files.sections import checked_range
from qwenchat.store.rows import Attachment, ReplyLanguage
from qwenchat.types import ChatMessage


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


@dataclass(frozen=True, slots=True)
class NextTurn:
    """A turn that is not sent yet.

    Attributes:
        content: The person's words.
        conversation_id: Where it would be sent; None is a new chat.
        parent_id: Below which message; ``leaf`` is the one shown last.
        system_prompt: In place of the conversation's.
        sampling: Likewise.
        reply_language: Likewise.
        attachments: Files that go along.
        thinking: In place of the conversation's; ``same`` is that.
    """

    content: str
    conversation_id: str | None = None
    parent_id: str | None | Literal["leaf"] = "leaf"
    system_prompt: str | None = None
    sampling: Mapping[str, Any] | None = None
    attachments: Sequence[Attachment] = ()
    reply_language: ReplyLanguage | None = None
    thinking: Wish | Literal["same"] = "same"

    def message(self, history: Sequence[Message]) -> Message:
        """It as a message after ``history``."""
        parent_id = history[-1].id if history else None
        return Message("user", self.content, parent_id, attachments=tuple(self.attachments))


async def measure_turn(chat: Chat, turn: NextTurn) -> Measurement:
    """Measure a turn as it would be sent now.

    Raises:
        ConversationNotFound: No conversation has its id.
        MessageNotFound: It has no message ``parent_id``.
        InvalidRequest: A sampling parameter is unknown or out of range.
        EngineError: The engine is not ready.
    """
    history, reading = await _place(chat, turn)
    system_prompt, planner = reading.system_prompt, reading.planner
    count = planner.count
    message = turn.message(history)
    nothing = Message("user", "", message.parent_id)
    read = history[start_of(history) :]
    whole = await planner.whole(system_prompt, [*history, message])
    # Never more than the whole, of which an estimate may be all there is.
    before = min(await count(build_prompt(system_prompt, [*read, nothing])), whole.prompt_tokens)
    only_system = min(await count(build_prompt(system_prompt, [nothing])), before)
    kept = await _kept(planner, system_prompt, [*history, message])
    return Measurement(
        context_length=planner.context_length,
        system_tokens=only_system,
        history_tokens=before - only_system,
        message_tokens=whole.prompt_tokens - before,
        prompt_tokens=whole.prompt_tokens,
        reserve_tokens=reserve_tokens(reading.sampling, planner.context_length),
        fits=planner.fits(whole),
        left_out=kept.start - whole.start if kept else 0,
        kept_tokens=kept.prompt_tokens if kept else whole.prompt_tokens,
        can_leave_out=kept is not None and kept.start > whole.start,
        can_shorten=planner.fits_shortened(whole),
        short_answer_tokens=max(0, planner.context_length - whole.prompt_tokens),
    )


async def tokens_of_file(chat: Chat, file: Attachment) -> int | None:
    """What a file, or the range that is chosen of it, adds to a prompt, in tokens.

    None while the engine cannot count; an estimate where that is far more than it can.

    Raises:
        InvalidRequest: The chat template refuses any message.
    """
    count = chat.turns.counter.count
    try:
        with_file = await count((ChatMessage("user", block_of(file)),))
        return max(0, with_file - await count((ChatMessage("user", ""),)))
    except EngineError:
        return None


async def fit_file(chat: Chat, turn: NextTurn, file_id: str) -> int | None:
    """The end of the longest range of a file, from its first one on, with which a turn fits.

    What else the turn has stays as it is. Where not even the smallest range fits beside what
    was said before, the earlier turns count as left out.

    Returns:
        The last page, line or character; None when nothing of the file fits.

    Raises:
        As :func:`measure_turn`.
    """
    before, reading = await _place(chat, turn)
    file = next(one for one in turn.attachments if one.id == file_id)
    start = file.first or 1

    async def fits(last: int, history: Sequence[Message]) -> bool:
        first, end = checked_range(start, last, file.count)
        chosen = [
            replace(one, first=first, last=end) if one is file else one for one in turn.attachments
        ]
        message = replace(turn, attachments=chosen).message(history)
        plan = await reading.planner.whole(reading.system_prompt, [*history, message])
        return reading.planner.fits(plan)

    for history in (before, []):
        if not await fits(start, history):
            continue
        low, high = start, file.count
        while low < high:
            middle = (low + high + 1) // 2
            if await fits(middle, history):
                low = middle
            else:
                high = middle - 1
        return low
    return None


async def _place(chat: Chat, turn: NextTurn) -> tuple[list[Message], Reading]:
    """What was said before a turn, and how it would be read."""
    history: list[Message] = []
    system_prompt, sampling = turn.system_prompt, turn.sampling
    reply_language = turn.reply_language or "auto"
    thinking = None if turn.thinking == "same" else turn.thinking
    if turn.conversation_id is not None:
        conversation = await chat.conversations.get(turn.conversation_id)
        if turn.parent_id == "leaf":
            history = conversation.path()
        elif turn.parent_id is not None:
            history = conversation.path(conversation.message(turn.parent_id).id)
        system_prompt = conversation.system_prompt if system_prompt is None else system_prompt
        sampling = conversation.sampling if sampling is None else sampling
        reply_language = turn.reply_language or conversation.reply_language
        thinking = conversation.thinking if turn.thinking == "same" else turn.thinking
    mode = chat.turns.mode(thinking)
    reading = chat.turns.reading(mode, sampling or {}, system_prompt or "", reply_language, history)
    return history, reading


async def _kept(planner: Planner, system_prompt: str, path: list[Message]) -> PromptPlan | None:
    try:
        return await planner.plan(system_prompt, path)
    except ContextLengthExceeded:
        return None
