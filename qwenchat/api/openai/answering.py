"""Having the engine answer, for as long as the client waits for it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Coroutine, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any, TypeVar

from starlette.types import Receive

from qwenchat.engine.protocol import Delta, Finished, Generate, RequestEvent, TokenLogprob
from qwenchat.engine.seam import Engine
from qwenchat.types import Usage

Event = tuple[int, RequestEvent]
"""The index of a choice, and what happened to it."""
Events = AsyncGenerator[Event, None]

_Result = TypeVar("_Result")


class ClientGone(Exception):
    """The client has closed the connection; nobody reads what would be answered."""


@dataclass(slots=True)
class Choice:
    """One whole answer."""

    text: str = ""
    logprobs: list[TokenLogprob] = field(default_factory=list)
    finish_reason: str = "stop"
    usage: Usage = Usage(0, 0, 0)


async def while_there(receive: Receive, work: Coroutine[Any, Any, _Result]) -> _Result:
    """The result of ``work``, which is cancelled when the client goes.

    Raises:
        ClientGone: It went first.
        Exception: What ``work`` raises.
    """
    task = asyncio.create_task(work)
    gone = asyncio.create_task(_gone(receive))
    try:
        await asyncio.wait({task, gone}, return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            raise ClientGone
        return task.result()
    finally:
        task.cancel()
        gone.cancel()
        await asyncio.gather(task, gone, return_exceptions=True)


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def side_by_side(engine: Engine, requests: Sequence[Generate]) -> Events:
    """The events of several requests as they come. Closing the generator aborts them all.

    Raises:
        QwenChatError: One of them failed; the others are aborted.
    """
    arrived: asyncio.Queue[tuple[int, RequestEvent | Exception | None]] = asyncio.Queue()

    async def pump(index: int, request: Generate) -> None:
        try:
            async for event in engine.generate(request):
                arrived.put_nowait((index, event))
            arrived.put_nowait((index, None))
        except Exception as error:  # whatever it is, it is the reader's to know
            arrived.put_nowait((index, error))

    tasks = [asyncio.create_task(pump(*numbered)) for numbered in enumerate(requests)]
    left = len(tasks)
    try:
        while left:
            index, event = await arrived.get()
            if isinstance(event, Exception):
                raise event
            if event is None:
                left -= 1
            else:
                yield index, event
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def accepted(events: Events, count: int) -> list[Event]:
    """The first events, until all ``count`` requests have been taken in.

    So a refusal is known before the status of the answer must be.

    Raises:
        QwenChatError: One of them was refused.
    """
    first: list[Event] = []
    seen: set[int] = set()
    while len(seen) < count:
        event = await anext(events)
        seen.add(event[0])
        first.append(event)
    return first


async def collect(events: Events, count: int) -> list[Choice]:
    """The whole answers of ``count`` requests.

    Raises:
        QwenChatError: One of them failed.
    """
    choices = [Choice() for _ in range(count)]
    async with aclosing(events):
        async for index, event in events:
            choice = choices[index]
            if isinstance(event, Delta):
                choice.text += event.text
                choice.logprobs += event.logprobs
            elif isinstance(event, Finished):
                choice.finish_reason = finish_reason(event)
                choice.usage = event.usage
    return choices


def finish_reason(event: Finished) -> str:
    """Why an answer ended, in OpenAI's words."""
    return "length" if event.finish_reason == "length" else "stop"


def usage_value(usages: Sequence[Usage], choices: int) -> dict[str, Any]:
    """The tokens of all answers together; a prompt with several ``choices`` counts once."""
    prompts = usages[::choices]
    prompt = sum(usage.prompt_tokens for usage in prompts)
    completion = sum(usage.completion_tokens for usage in usages)
    cached = sum(usage.cached_tokens for usage in prompts)
    return {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
        "prompt_tokens_details": {"cached_tokens": cached},
    }
