"""Asking and answering: everything that makes the model write."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from qwenchat.chat.access import Access
from qwenchat.chat.context import Overflow, Planner, reserve_tokens
from qwenchat.chat.conversations import (
    UNTITLED,
    Conversation,
    Message,
    Progress,
    new_id,
    title_of,
)
from qwenchat.chat.counting import TokenCounter
from qwenchat.chat.history import system_prompt_of, told_language
from qwenchat.chat.reply import Task
from qwenchat.chat.thinking import raw_output
from qwenchat.chat.thinking_mode import Mode, Wish, mode_of
from qwenchat.engine.protocol import Generate
from qwenchat.engine.seam import Engine
from qwenchat.errors import (
    ConversationNotFound,
    EngineStarting,
    InvalidRequest,
    MessageNotFound,
    StoreError,
    error_from_code,
)
from qwenchat.sampling import SamplingParameters, parse_sampling
from qwenchat.store.intake import keep_whole
from qwenchat.store.messages import insert_messages, let_grow
from qwenchat.store.rows import Attachment, ConversationChanges, ReplyLanguage
from qwenchat.types import ThinkingStyle

SUMMARY_REQUEST = (
    "Summarize our conversation so far, so that we can go on from the summary alone: what I "
    "want, what we found and decided, names, numbers and code that matter, and what is open."
)


@dataclass(frozen=True, slots=True)
class Reading:
    """How the messages of a turn become a prompt, whether it is sent or only measured.

    Attributes:
        system_prompt: With all that is said in it.
        planner: Fits the prompt into the engine's context.
    """

    system_prompt: str
    sampling: SamplingParameters
    planner: Planner


class Turns:
    """The turns of all conversations, answered by ``engine``."""

    def __init__(self, access: Access, engine: Engine) -> None:
        self._access = access
        self._engine = engine
        self.counter = TokenCounter(engine)

    async def send(
        self,
        conversation_id: str,
        content: str,
        *,
        parent_id: str | None | Literal["leaf"] = "leaf",
        overflow: Overflow = "leave_out",
        attachments: Sequence[Attachment] = (),
    ) -> tuple[Message, Message]:
        """Add a user's message and start answering it.

        Args:
            parent_id: Below which message; ``leaf`` is the one shown last, None begins anew.
            overflow: What to do when the turn does not fit the context.
            attachments: Files to send along.

        Returns:
            The user's message and the assistant's, which fills from now on.

        Raises:
            ConversationNotFound: No conversation has this id.
            MessageNotFound: It has no message ``parent_id``.
            InvalidRequest: There is nothing but white space in ``content``, and no file.
            ReplyRunning: The conversation is still being answered.
            StoreError: It cannot be saved; nothing was added.
        """
        if not content.strip() and not attachments:
            raise InvalidRequest("The message is empty. Write something first.", param="content")
        async with self._access.changing(conversation_id, idle=True) as conversation:
            if parent_id == "leaf":
                parent_id = conversation.leaf_id
            elif parent_id is not None:
                conversation.message(parent_id)
            user = Message("user", content, parent_id, attachments=tuple(attachments))
            answer = _new_answer(user)
            changes = ConversationChanges(leaf_id=answer.id, updated_at=user.created_at)
            is_first = not conversation.messages and not conversation.title_is_own
            if is_first and conversation.title == UNTITLED:
                changes["title"] = title_of(content if content.strip() else attachments[0].name)
            await self._add(conversation, changes, user, answer)
            self._answer(conversation, answer, overflow)
        return user, answer

    async def regenerate(
        self,
        conversation_id: str,
        message_id: str | None = None,
        overflow: Overflow = "leave_out",
    ) -> Message:
        """Answer a user's message again; the earlier answer is kept beside it.

        Args:
            message_id: That message, or an answer to it; None is the last one shown.

        Raises:
            ConversationNotFound: No conversation has this id.
            MessageNotFound: There is no such message, or nothing to answer.
            ReplyRunning: The conversation is still being answered.
            StoreError: It cannot be saved; nothing was added.
        """
        async with self._access.changing(conversation_id, idle=True) as conversation:
            leaf_id = conversation.message(message_id).id if message_id else None
            path = conversation.path(leaf_id)
            user = next((m for m in reversed(path) if m.role == "user"), None)
            if user is None:
                raise MessageNotFound("There is nothing to answer yet. Send a message first.")
            answer = _new_answer(user)
            changes = ConversationChanges(leaf_id=answer.id, updated_at=answer.created_at)
            await self._add(conversation, changes, answer)
            self._answer(conversation, answer, overflow)
        return answer

    async def continue_(self, conversation_id: str, message_id: str) -> Message:
        """Let an answer go on from where its text ends.

        Raises:
            ConversationNotFound: No conversation has this id.
            MessageNotFound: It has no such message.
            InvalidRequest: It is no answer, has no text, or is not the end of its branch.
            ReplyRunning: The conversation is still being answered.
            StoreError: It cannot be saved; the answer stays as it was.
        """
        async with self._access.changing(conversation_id, idle=True) as conversation:
            message = conversation.message(message_id)
            if message.role != "assistant" or not (message.content or message.thoughts):
                raise InvalidRequest(
                    "Only an answer with text can go on. Regenerate this one instead.",
                    param="message_id",
                )
            if conversation.newest_leaf(message.id) != message.id:
                raise InvalidRequest(
                    "Only the last answer can go on. Branch into a new chat to go on from here.",
                    param="message_id",
                )
            await self._access.replies.settle(message)
            changes = ConversationChanges(leaf_id=message.id, updated_at=time.time())
            await self._access.conversations.write(
                let_grow, conversation, conversation.id, message.id, changes
            )
            message.state, message.progress = "streaming", Progress("waiting")
            message.finish_reason, message.error = None, None
            message.context_full = False
            self._access.applied(conversation, changes)
            self._answer(conversation, message, "leave_out")
        return message

    async def stop(self, conversation_id: str) -> None:
        """End the running reply, if there is one, and return when it has ended."""
        await self._access.replies.stop(conversation_id)

    async def summarize(self, conversation_id: str) -> Conversation:
        """Begin a conversation with a summary, which is being written, of another one.

        Raises:
            ConversationNotFound: No conversation has this id.
            MessageNotFound: There is nothing to sum up.
            StoreError: It cannot be saved.
        """
        source = await self._access.conversations.get(conversation_id)
        if not source.path():
            raise MessageNotFound("There is nothing to sum up yet. Send a message first.")
        fresh = source.begun_anew()
        user = Message("user", SUMMARY_REQUEST, None, summary_of=source.id)
        answer = _new_answer(user)
        fresh.add(user, answer)
        rows = [message.row(fresh.id) for message in (user, answer)]
        await self._access.conversations.write(keep_whole, fresh, fresh.row(), rows)
        self._access.appeared(fresh)
        self._answer(fresh, answer, "leave_out")
        return fresh

    def reading(
        self,
        mode: Mode,
        sampling: Mapping[str, Any],
        system_prompt: str,
        reply_language: ReplyLanguage,
        path: Sequence[Message],
    ) -> Reading:
        """How a path is read with these settings by the engine, which must be ready.

        Raises:
            InvalidRequest: A sampling parameter is unknown or out of range.
            EngineError: The engine is not ready.
        """
        parsed = parse_sampling(sampling, mode.defaults)
        words = told_language(system_prompt_of(system_prompt, path), reply_language)
        return Reading(words, parsed, self._planner(parsed, mode.template_values))

    def _planner(self, sampling: SamplingParameters, template_values: Mapping[str, Any]) -> Planner:
        status = self._engine.status
        if status.ready is None:
            if status.error:
                raise error_from_code(*status.error)
            raise EngineStarting("The model is still loading. Wait a moment.")
        context_length = status.ready.context_length
        reserve = reserve_tokens(sampling, context_length)
        return Planner(self.counter, context_length, reserve, template_values)

    async def _add(
        self, conversation: Conversation, changes: ConversationChanges, *messages: Message
    ) -> None:
        rows = [message.row(conversation.id) for message in messages]
        await self._access.conversations.write(insert_messages, conversation, rows, changes)
        conversation.add(*messages)
        self._access.applied(conversation, changes)

    def _answer(self, conversation: Conversation, message: Message, overflow: Overflow) -> None:
        async def build_task() -> Task:
            mode = self._mode_of(conversation, message)
            so_far = raw_output(message.thoughts, message.content, mode.form)
            is_continued = bool(so_far)
            path = await self._path_to_read(conversation, message, is_continued)
            if is_continued:
                path[-1] = replace(message, content=so_far)
            reading = self.reading(
                mode,
                conversation.sampling,
                conversation.system_prompt,
                conversation.reply_language,
                path,
            )
            plan = await reading.planner.plan(reading.system_prompt, path, overflow, is_continued)
            first_read_id = path[plan.start].id if plan.start else None
            if first_read_id in conversation.messages and first_read_id != message.first_read_id:
                message.first_read_id = first_read_id
                conversation.revision += 1
            request = Generate(
                f"reply-{message.id}-{new_id()}",
                plan.messages,
                reading.sampling,
                continue_final=is_continued,
                template_values=mode.template_values,
            )
            return Task(request, mode.form, mode.wish, conversation.thinking_budget)

        self._access.replies.start(conversation, message, build_task)

    def _mode_of(self, conversation: Conversation, message: Message) -> Mode:
        """How an answer is made; one that goes on as it was begun."""
        wish = conversation.thinking
        if message.thoughts:
            wish = "on"
        elif message.content:
            wish = "on" if message.thinking == "on" else "off"
        return self.mode(wish)

    def mode(self, wish: Wish) -> Mode:
        """How the model that is loaded answers."""
        ready = self._engine.status.ready
        return mode_of(ready.thinking if ready else ThinkingStyle(), wish, self._engine.defaults)

    async def _path_to_read(
        self, conversation: Conversation, message: Message, is_continued: bool
    ) -> list[Message]:
        """What the model is to read before (or, to continue, up to) an answer."""
        own = conversation.path(message.id if is_continued else message.parent_id)
        if own[0].summary_of is None:
            return own
        try:
            source = await self._access.conversations.get(own[0].summary_of)
        except (ConversationNotFound, StoreError):
            return own
        return [*source.path(), *own] if len(own) <= 2 else own


def _new_answer(user: Message) -> Message:
    return Message("assistant", "", user.id, "streaming", Progress("waiting"))
