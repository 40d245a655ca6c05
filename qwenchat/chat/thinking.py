"""What a model thought, apart from what it answered.

A thinking model writes ``<think>``, its thoughts, ``</think>`` and the answer, or, where the
prompt itself ends with the opening tag, all but that. An answer is kept as two texts: the
*head*, everything up to the answer with tags and empty lines, and the *content*. Both as the
model wrote them, so that together they are its very output and it can go on from there.

What may be a mention of a tag is taken for text where that can be told: an opening tag that
does not begin the output, a closing one inside quotation marks, and every tag in an answer.
"""

from __future__ import annotations

from typing import Literal

from qwenchat.types import CLOSING_TAG, OPENING_TAG

Format = Literal["plain", "opens", "opened"]
"""``plain``: nothing is thoughts; ``opens``: the model writes both tags; ``opened``: the prompt
ends with the opening one."""

ANSWER_NOW = (
    "\n\n Considering the limited time by the user, I have to give the solution based on the "
    f"thinking directly now.\n{CLOSING_TAG}\n\n"
)
"""Ends thinking at its budget in the words Qwen uses for it (Qwen3 Technical Report, section
4.7; QwenLM/Qwen3, docs/source/getting_started/thinking_budget.md)."""

_QUOTES = {"`": "`", '"': '"', "'": "'", "“": "”", "‘": "’", "「": "」", "『": "』", "«": "»"}


class Splitter:
    """Parts the output of a model as it comes, cut anywhere.

    Args:
        head: What of the head is there already; likewise ``content``.
    """

    def __init__(self, form: Format, head: str = "", content: str = "") -> None:
        self._place: Literal["start", "thoughts", "tag", "gap", "content"]
        self._seen = ""
        """At the start all there is; in thoughts the last of them, which a tag may begin in."""
        self._quote = ""
        """After a tag that may be quoted: what closes the quotation."""
        if form == "plain" or content:
            self._place = "content"
        elif form == "opened" or head:
            self._place = "thoughts"
            self.feed(head)
        else:
            self._place = "start"

    @property
    def is_thinking(self) -> bool:
        """Whether the model is in the midst of its thoughts."""
        return self._place == "thoughts"

    def feed(self, text: str) -> tuple[str, str]:
        """Take in new output; returns what head and content grow by."""
        head = ""
        while text and self._place != "content":
            part, text = self._take(text)
            head += part
        return head, text

    def finish(self) -> str:
        """The output has ended; returns what content grows by."""
        rest, self._seen = self._seen, ""
        return rest if self._place == "start" else ""

    def _take(self, text: str) -> tuple[str, str]:
        """What of ``text`` surely belongs to the head, and what is to be looked at further."""
        match self._place:
            case "start":
                return self._begin(text)
            case "thoughts":
                return self._think(text)
            case "tag":
                quoted = text[0] == self._quote
                self._place = "thoughts" if quoted else "gap"
                return "", text
            case _:
                answer = text.lstrip("\n")
                if answer:
                    self._place = "content"
                return text[: len(text) - len(answer)], answer

    def _begin(self, text: str) -> tuple[str, str]:
        text, self._seen = self._seen + text, ""
        begun = text.lstrip()
        if begun.startswith(OPENING_TAG):
            self._place = "thoughts"
            end = len(text) - len(begun) + len(OPENING_TAG)
            return text[:end], text[end:]
        if OPENING_TAG.startswith(begun):
            self._seen = text
            return "", ""
        self._place = "content"
        return "", text

    def _think(self, text: str) -> tuple[str, str]:
        known, self._seen = self._seen, ""
        together = known + text
        end, quote = find_end(together)
        if end < 0:
            # A mention that was passed over must not be found again without its quotes.
            after = together.rfind(CLOSING_TAG) + 1
            self._seen = together[max(after, len(together) - len(CLOSING_TAG)) :]
            return text, ""
        self._place = "tag" if quote else "gap"
        self._quote = quote
        return text[: end - len(known)], text[end - len(known) :]


def find_end(thoughts: str) -> tuple[int, str]:
    """Where the tag that closes thoughts ends, or -1.

    Returns:
        Also the quotation mark that would make it a mention, were it to come next.
    """
    end = 0
    while (start := thoughts.find(CLOSING_TAG, end)) >= 0:
        end = start + len(CLOSING_TAG)
        quote = _QUOTES.get(thoughts[start - 1 : start], "")
        if not quote or end == len(thoughts):
            return end, quote
        if thoughts[end] != quote:
            return end, ""
    return -1, ""


def shown_thoughts(head: str, *, ended: bool = True) -> str:
    """The thoughts of a head, without tags and the empty lines around.

    Args:
        ended: It grows no more. Otherwise what may turn out to be a tag is left out, so that
            the thoughts of a growing head only grow, too.
    """
    begun = head.lstrip()
    if begun.startswith(OPENING_TAG):
        text = begun[len(OPENING_TAG) :]
    elif not ended and OPENING_TAG.startswith(begun):
        return ""
    else:
        text = head
    text = text.lstrip("\n")
    end, _ = find_end(text)
    if end >= 0:
        text = text[: end - len(CLOSING_TAG)]
    elif not ended:
        text = text[: len(text) - _begun_tag(text)]
    return text.rstrip("\n")


def is_closed(head: str) -> bool:
    """Whether the thoughts of a head came to their end."""
    return find_end(head)[0] >= 0


def raw_output(head: str, content: str, form: Format) -> str:
    """The output that a model of that form has written so far.

    Exactly what it wrote, where the form is still the same; what another model thought is put
    the way this one would have written it.
    """
    if form == "plain":
        return content
    if content and not is_closed(head) and (head or form == "opened"):
        thoughts = head.rstrip("\n")
        head = f"{thoughts}\n{CLOSING_TAG}\n\n"
    if form == "opens" and head and not head.lstrip().startswith(OPENING_TAG):
        head = f"{OPENING_TAG}\n{head}"
    return head + content


def _begun_tag(text: str) -> int:
    """Characters at the end of ``text`` that may be the beginning of a closing tag."""
    for length in range(len(CLOSING_TAG) - 1, 0, -1):
        if text.endswith(CLOSING_TAG[:length]):
            return length
    return 0
