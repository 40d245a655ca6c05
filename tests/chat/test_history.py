"""What the model reads of a conversation."""

from __future__ import annotations

from typing import Literal

import pytest

from qwenchat.chat.conversations import Conversation, Message, title_of
from qwenchat.chat.history import build_prompt
from qwenchat.types import ChatMessage, MessageState


def path(*messages: Message) -> list[Message]:
    conversation = Conversation()
    for message in messages:
        message.parent_id = conversation.leaf_id
        conversation.add(message)
    return conversation.path()


def said(
    role: Literal["user", "assistant"],
    content: str,
    state: MessageState = "done",
    error: str | None = None,
) -> Message:
    return Message(role, content, None, state, error=(error, "why") if error else None)


def contents(prompt: tuple[ChatMessage, ...]) -> list[tuple[str, str]]:
    return [(message.role, message.content) for message in prompt]


def test_everything_said_goes_along_byte_for_byte() -> None:
    messages = path(
        said("user", "  \tHi\n"),
        said("assistant", "Hello 🎉"),
        said("user", "世界"),
        said("assistant", "half an ans", "stopped"),
        said("user", "go on"),
    )
    assert contents(build_prompt("Be kind.\n", messages)) == [
        ("system", "Be kind.\n"),
        ("user", "  \tHi\n"),
        ("assistant", "Hello 🎉"),
        ("user", "世界"),
        ("assistant", "half an ans"),
        ("user", "go on"),
    ]


@pytest.mark.parametrize("system_prompt", ["", " \n\t"])
def test_an_empty_system_prompt_is_none(system_prompt: str) -> None:
    assert contents(build_prompt(system_prompt, path(said("user", "x")))) == [("user", "x")]


@pytest.mark.parametrize("state", ["failed", "stopped", "interrupted"])
def test_an_answer_without_text_is_left_out_and_its_question_kept(state: MessageState) -> None:
    messages = path(
        said("user", "one"), said("assistant", "", state, "engine_died"), said("user", "two")
    )
    assert contents(build_prompt("", messages)) == [("user", "one"), ("user", "two")]


def test_a_failed_answer_with_text_is_kept() -> None:
    messages = path(said("user", "one"), said("assistant", "part", "failed", "engine_died"))
    assert contents(build_prompt("", messages))[1] == ("assistant", "part")


def test_a_question_refused_for_its_length_spoils_no_later_prompt() -> None:
    messages = path(
        said("user", "one"),
        said("assistant", "1"),
        said("user", "far too long"),
        said("assistant", "", "failed", "context_length_exceeded"),
        said("user", "two"),
    )
    assert contents(build_prompt("", messages)) == [
        ("user", "one"),
        ("assistant", "1"),
        ("user", "two"),
    ]


def test_a_path_leaves_out_siblings() -> None:
    conversation = Conversation()
    question = said("user", "q")
    conversation.add(question)
    first, second = said("assistant", "a1"), said("assistant", "a2")
    first.parent_id = second.parent_id = question.id
    conversation.add(first)
    conversation.add(second)
    assert [m.content for m in conversation.path()] == ["q", "a2"]
    assert [m.content for m in conversation.path(first.id)] == ["q", "a1"]


@pytest.mark.parametrize(
    ("content", "title"),
    [
        ("Hello", "Hello"),
        ("\n\n  Hello there \nmore", "Hello there"),
        ("x" * 60, "x" * 60),
        ("x" * 61, "x" * 59 + "…"),
        ("a " * 40, "a " * 29 + "a…"),
    ],
)
def test_a_title_is_the_first_line(content: str, title: str) -> None:
    assert title_of(content) == title
