"""Outputs in the formats of real models, and how each is to be parted.

The texts are made up. The formats are those of the model cards and chat templates: Qwen2.5 and
the 2507 Instruct models write no tags; Qwen3 writes ``<think>\\n`` thoughts ``\\n</think>\\n\\n``
answer, an empty block on ``/no_think``, and nothing of it where the template put the empty block
into the prompt; the 2507 Thinking models find the opening tag in the prompt.
"""

from __future__ import annotations

from dataclasses import dataclass

from qwenchat.chat.thinking import Format


@dataclass(frozen=True, slots=True)
class Transcript:
    """One output: how it is parted, and what a person sees of its thoughts."""

    name: str
    form: Format
    head: str
    content: str
    shown: str = ""

    @property
    def output(self) -> str:
        return self.head + self.content


ANSWER = "广州塔高 **604** 米。\n\n```python\nprint('<think>')\n```\n"
ABOUT_TAGS = "Models write `<think>` and `</think>`:\n\n```\n<think>\nthoughts\n</think>\n```\n"
THOUGHTS = "Okay, the user asks about 广州塔 🗼.\n\nLet me think…\n- 600 m?\n- 604 m."

TRANSCRIPTS = (
    Transcript("Qwen2.5", "plain", "", ANSWER),
    Transcript("Qwen2.5 about the tags", "plain", "", ABOUT_TAGS),
    Transcript(
        "Qwen2.5 begins with a tag", "plain", "", "<think>\nis how it begins\n</think>\n\n?"
    ),
    Transcript("Qwen3-4B-Instruct-2507", "plain", "", "\n\n" + ANSWER),
    Transcript("Qwen3 off", "plain", "", ANSWER),
    Transcript("Qwen3 off about the tags", "plain", "", ABOUT_TAGS),
    Transcript("Qwen3 on", "opens", f"<think>\n{THOUGHTS}\n</think>\n\n", ANSWER, THOUGHTS),
    Transcript("Qwen3 on, /no_think", "opens", "<think>\n\n</think>\n\n", ANSWER),
    Transcript("Qwen3 on about the tags", "opens", "<think>\nHm.\n</think>\n\n", ABOUT_TAGS, "Hm."),
    Transcript(
        "Qwen3 on, a mention in the thoughts",
        "opens",
        "<think>\nThey ask what `</think>` or “</think>” does; <think> opens.\n</think>\n\n",
        ANSWER,
        "They ask what `</think>` or “</think>” does; <think> opens.",
    ),
    Transcript("Qwen3 on without thoughts", "opens", "", ANSWER),
    Transcript("Qwen3 on, cut while thinking", "opens", "<think>\nOkay, th", "", "Okay, th"),
    Transcript(
        "Qwen3 on, cut in the closing tag", "opens", "<think>\nOkay\n</thi", "", "Okay\n</thi"
    ),
    Transcript("Qwen3 on, cut in the opening tag", "opens", "", "<thi"),
    Transcript("Qwen3 on, cut after the tag", "opens", "<think>\nOkay\n</think>\n", "", "Okay"),
    Transcript(
        "no empty lines around the tags", "opens", "<think>Quick.</think>", "Yes.", "Quick."
    ),
    Transcript("2507-thinking", "opened", f"{THOUGHTS}\n</think>\n\n", ANSWER, THOUGHTS),
    Transcript("2507-thinking about the tags", "opened", "Hm.\n</think>\n\n", ABOUT_TAGS, "Hm."),
    Transcript("2507-thinking, cut while thinking", "opened", "Okay, the us", "", "Okay, the us"),
    Transcript("2507-thinking, no thoughts", "opened", "\n</think>\n\n", ANSWER),
    Transcript("2507-thinking, opens again", "opened", "<think>\nHm.\n</think>\n\n", ANSWER, "Hm."),
)
