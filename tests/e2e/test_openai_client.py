"""The official ``openai`` client against the real app on the demo model."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import openai
import pytest

from tests.e2e.running import RunningApp

pytestmark = [pytest.mark.engine, pytest.mark.slow, pytest.mark.accept]

QUESTION = "What is the capital of France?"
MESSAGES: Any = [{"role": "user", "content": QUESTION}]
GREEDY: Any = {"messages": MESSAGES, "temperature": 0, "max_tokens": 24}
SCHEMA = {
    "type": "object",
    "properties": {"city": {"type": "string", "maxLength": 30}, "large": {"type": "boolean"}},
    "required": ["city", "large"],
    "additionalProperties": False,
}


@pytest.fixture(scope="module")
def client(app: RunningApp) -> Iterator[openai.OpenAI]:
    with openai.OpenAI(
        base_url=f"{app.url}/v1",
        api_key="none",
        max_retries=0,
        http_client=httpx.Client(trust_env=False),  # no proxy between the two
    ) as opened:
        yield opened


@pytest.fixture(scope="module")
def model(client: openai.OpenAI) -> str:
    (only,) = client.models.list().data
    assert client.models.retrieve(only.id) == only
    return only.id


@pytest.fixture(scope="module")
def on_the_page(app: RunningApp) -> str:
    """What the page's own chat answers at temperature 0."""
    conversation, message = app.ask(QUESTION, temperature=0, max_tokens=24)
    return str(app.until_done(conversation, message)["content"])


def test_a_plain_answer_equals_the_pages(
    client: openai.OpenAI, model: str, on_the_page: str
) -> None:
    answer = client.chat.completions.create(model=model, **GREEDY)
    assert answer.choices[0].message.content == on_the_page
    assert on_the_page
    assert answer.usage
    assert answer.usage.total_tokens == answer.usage.prompt_tokens + answer.usage.completion_tokens


def test_a_stream_equals_the_pages(client: openai.OpenAI, model: str, on_the_page: str) -> None:
    stream = client.chat.completions.create(
        model=model, stream=True, stream_options={"include_usage": True}, **GREEDY
    )
    chunks = list(stream)
    assert "".join(c.choices[0].delta.content or "" for c in chunks if c.choices) == on_the_page
    assert chunks[-1].usage
    assert chunks[-2].choices[0].finish_reason in ("stop", "length")


def test_async_answers_run_side_by_side(app: RunningApp, model: str, on_the_page: str) -> None:
    async def ask() -> list[str]:
        async with openai.AsyncOpenAI(
            base_url=f"{app.url}/v1",
            api_key="none",
            http_client=httpx.AsyncClient(trust_env=False),
        ) as asynchronous:

            async def one() -> str:
                stream = await asynchronous.chat.completions.create(
                    model=model, stream=True, **GREEDY
                )
                return "".join([c.choices[0].delta.content or "" async for c in stream])

            return await asyncio.gather(*(one() for _ in range(3)))

    assert all(text for text in asyncio.run(ask()))


def test_a_repeated_prompt_is_reused(client: openai.OpenAI, model: str) -> None:
    long: Any = [{"role": "user", "content": "Count: " + " ".join(map(str, range(100)))}]
    for _ in range(2):
        answer = client.chat.completions.create(model=model, messages=long, max_tokens=2)
    assert answer.usage
    assert answer.usage.prompt_tokens_details
    assert (answer.usage.prompt_tokens_details.cached_tokens or 0) > 100


def test_json_follows_its_schema(client: openai.OpenAI, model: str) -> None:
    wanted: Any = {"type": "json_schema", "json_schema": {"name": "city", "schema": SCHEMA}}
    given = GREEDY | {"max_tokens": 60}
    answer = client.chat.completions.create(model=model, response_format=wanted, **given)
    value = json.loads(answer.choices[0].message.content or "")
    assert value.keys() == {"city", "large"}
    assert isinstance(value["large"], bool)


def test_logprobs(client: openai.OpenAI, model: str) -> None:
    answer = client.chat.completions.create(model=model, logprobs=True, top_logprobs=2, **GREEDY)
    told = answer.choices[0].logprobs
    assert told
    assert told.content
    assert all(len(one.top_logprobs) == 2 for one in told.content)
    joined = "".join(one.token for one in told.content)
    assert joined.startswith(answer.choices[0].message.content or "-")


def test_seeds_and_several_answers(client: openai.OpenAI, model: str) -> None:
    given: Any = {"messages": MESSAGES, "max_tokens": 12, "temperature": 1.5, "seed": 3, "n": 3}
    first, second = (
        [c.message.content for c in client.chat.completions.create(model=model, **given).choices]
        for _ in range(2)
    )
    assert len(set(first)) > 1
    assert len(second) == 3


def test_a_raw_completion(client: openai.OpenAI, model: str) -> None:
    given: Any = {"model": model, "prompt": "The capital of France is", "temperature": 0}
    answer = client.completions.create(max_tokens=8, logprobs=1, **given)
    streamed = client.completions.create(max_tokens=8, stream=True, **given)
    assert answer.choices[0].text == "".join(chunk.choices[0].text for chunk in streamed)
    assert answer.choices[0].text


def test_what_the_client_makes_of_our_errors(client: openai.OpenAI, model: str) -> None:
    wrong_type = {"name": "x", "schema": {"type": "no"}}
    unusable = {"type": "json_schema", "json_schema": wrong_type}
    cases: list[tuple[type[openai.APIStatusError], str | None, dict[str, Any]]] = [
        (openai.NotFoundError, "model_not_found", {"model": "gpt-4o"}),
        (openai.BadRequestError, "invalid_request", {"temperature": 9}),
        (openai.BadRequestError, "invalid_request", {"messages": []}),
        (
            openai.BadRequestError,
            "context_length_exceeded",
            {"messages": [{"role": "user", "content": "word " * 20_000}]},
        ),
        (
            openai.BadRequestError,
            "invalid_request",
            {"response_format": unusable},
        ),
    ]  # fmt: skip
    for kind, code, given in cases:
        for stream in (False, True):
            with pytest.raises(kind) as told:
                client.chat.completions.create(
                    **({"model": model, "stream": stream} | GREEDY | given)
                )
            assert told.value.code == code


def test_a_stream_that_is_left_frees_the_engine(client: openai.OpenAI, model: str) -> None:
    given: Any = GREEDY | {"max_tokens": 2000, "temperature": 1.5}
    for _ in range(20):  # more than run side by side
        with client.chat.completions.create(model=model, stream=True, n=2, **given) as stream:
            next(iter(stream))
    answer = client.chat.completions.create(model=model, timeout=20, **GREEDY)
    assert answer.choices[0].message.content


def test_a_key_is_sent_as_the_client_does(start_app: Callable[..., RunningApp]) -> None:
    app = start_app(environment={"QWENCHAT_API_KEY": "sk-0123456789"})
    app.until_ready()
    for key, is_right in (("sk-0123456789", True), ("sk-wrong-key", False)):
        with openai.OpenAI(
            base_url=f"{app.url}/v1",
            api_key=key,
            max_retries=0,
            http_client=httpx.Client(trust_env=False),
        ) as client:
            if is_right:
                assert client.models.list().data
            else:
                with pytest.raises(openai.AuthenticationError):
                    client.models.list()
