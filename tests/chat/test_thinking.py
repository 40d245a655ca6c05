"""Thoughts and answers are parted byte for byte, whatever way the output is cut."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qwenchat.chat.thinking import (
    ANSWER_NOW,
    Format,
    Splitter,
    is_closed,
    raw_output,
    shown_thoughts,
)
from qwenchat.types import CLOSING_TAG, OPENING_TAG
from tests.chat.transcripts import TRANSCRIPTS, Transcript

settings.register_profile("here", database=None, deadline=None)
settings.load_profile("here")

FORMS: tuple[Format, ...] = ("plain", "opens", "opened")
EACH = pytest.mark.parametrize("transcript", TRANSCRIPTS, ids=lambda one: one.name)

# Much that is nearly a tag: what random text would hardly ever hit.
PIECES = st.sampled_from(
    [OPENING_TAG, CLOSING_TAG, "<think", "</thin", "<", "/", ">", "`", '"', "“", "”", "\n", " "]
)
OUTPUTS = st.lists(PIECES | st.text(max_size=4), max_size=25).map("".join)
CUTS = st.lists(st.integers(1, 9), min_size=1, max_size=40)


def cut(text: str, sizes: list[int]) -> list[str]:
    """``text`` in pieces of these sizes, over and over."""
    pieces: list[str] = []
    at = turn = 0
    while at < len(text):
        size = sizes[turn % len(sizes)]
        pieces.append(text[at : at + size])
        at, turn = at + size, turn + 1
    return pieces


def parted(pieces: list[str], form: Format) -> tuple[str, str]:
    splitter = Splitter(form)
    head = content = ""
    for piece in pieces:
        more_head, more_content = splitter.feed(piece)
        head, content = head + more_head, content + more_content
    return head, content + splitter.finish()


@EACH
@given(sizes=CUTS)
def test_every_format_is_parted_byte_for_byte(transcript: Transcript, sizes: list[int]) -> None:
    head, content = parted(cut(transcript.output, sizes), transcript.form)
    assert (head, content) == (transcript.head, transcript.content)
    assert shown_thoughts(head) == transcript.shown


@settings(max_examples=500)
@given(output=OUTPUTS, sizes=CUTS, form=st.sampled_from(FORMS))
def test_any_output_is_parted_alike_whatever_way_it_is_cut(
    output: str, sizes: list[int], form: Format
) -> None:
    head, content = parted(cut(output, sizes), form)
    assert head + content == output
    assert (head, content) == parted([output], form)


@settings(max_examples=500)
@given(output=OUTPUTS, sizes=CUTS, form=st.sampled_from(FORMS))
def test_what_is_shown_of_growing_thoughts_only_grows(
    output: str, sizes: list[int], form: Format
) -> None:
    splitter = Splitter(form)
    head = shown = ""
    for piece in cut(output, sizes):
        head += splitter.feed(piece)[0]
        now = shown_thoughts(head, ended=False)
        assert now.startswith(shown)
        shown = now
    assert shown_thoughts(head).startswith(shown)


@settings(max_examples=500)
@given(output=OUTPUTS, at=st.integers(0, 200), form=st.sampled_from(FORMS))
def test_a_killed_answer_goes_on_as_if_nothing_had_been(output: str, at: int, form: Format) -> None:
    before, after = output[:at], output[at:]
    first = Splitter(form)
    head, content = first.feed(before)
    undecided = before[len(head) + len(content) :]  # the beginning of an opening tag
    assert not undecided.strip() or OPENING_TAG.startswith(undecided.strip())
    second = Splitter(form, head, content)
    more_head, more_content = second.feed(undecided + after)
    more_content += second.finish()
    assert (head + more_head, content + more_content) == parted([output], form)


@EACH
def test_the_engine_gets_the_very_output_to_go_on_from(transcript: Transcript) -> None:
    assert raw_output(transcript.head, transcript.content, transcript.form) == transcript.output


@settings(max_examples=500)
@given(output=OUTPUTS, form=st.sampled_from(FORMS))
def test_any_output_can_be_put_together_again(output: str, form: Format) -> None:
    head, content = parted([output], form)
    assert raw_output(head, content, form) == output


def test_what_another_model_thought_is_put_as_this_one_would_have_written_it() -> None:
    hybrid, opened = "<think>\nHm.\n</think>\n\n", "Hm.\n</think>\n\n"
    assert raw_output(opened, "Yes", "opens") == f"{hybrid}Yes"
    assert raw_output("Hm", "", "opens") == "<think>\nHm"
    assert raw_output(hybrid, "Yes", "plain") == "Yes"
    assert raw_output(hybrid, "", "plain") == ""
    assert raw_output("", "Yes", "opens") == "Yes"
    # An answer without thoughts must not look like thoughts where the prompt has the tag.
    assert raw_output("", "Yes", "opened") == "\n</think>\n\nYes"
    # A person wrote an answer to thoughts that never ended.
    assert raw_output("<think>\nHm", "Yes", "opens") == f"{hybrid}Yes".replace("Hm.", "Hm")


@pytest.mark.parametrize("form", ["opens", "opened"])
@given(thoughts=st.text(max_size=40).filter(lambda text: CLOSING_TAG not in text))
def test_the_words_that_end_thinking_do_end_it(form: Format, thoughts: str) -> None:
    splitter = Splitter(form)
    opening = f"{OPENING_TAG}\n" if form == "opens" else ""
    head, _ = splitter.feed(opening + thoughts)
    if not splitter.is_thinking:
        return
    more, content = splitter.feed(ANSWER_NOW + "So: 4.")
    assert content == "So: 4."
    assert is_closed(head + more)
    assert shown_thoughts(head + more).endswith("based on the thinking directly now.")
    assert not splitter.is_thinking


def test_a_long_output_is_parted_in_a_moment() -> None:
    splitter = Splitter("opens")
    head = "".join(splitter.feed(piece)[0] for piece in ["<think>\n", *["word "] * 100_000])
    assert len(head) == 500_008
    assert splitter.feed("\n</think>\n\nYes")[1] == "Yes"
