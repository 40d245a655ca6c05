"""How files stand in a prompt: before the person's words, each under its name and in a fence.

    File: report.pdf (pages 2 to 5 of 12)
    ```
    ...
    ```

    What does the report say about next year?

A fence is longer than any run of backticks in the text, so the text cannot end it. What the
person wrote is kept apart from it (``Message.attachments``) and stays what they wrote.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import cast

from qwenchat.files.sections import Unit, section
from qwenchat.store.rows import Attachment

_LANGUAGE = re.compile(r"[a-z0-9+#]{1,10}")


def text_to_read(content: str, attachments: Sequence[Attachment]) -> str:
    """What the model reads of a message: its files and then its words."""
    if not attachments:
        return content
    blocks = [block_of(attachment) for attachment in attachments]
    return "\n\n".join([*blocks, content] if content.strip() else blocks)


def block_of(attachment: Attachment) -> str:
    """A file, or the range of it that was chosen, under its name."""
    text = chosen_text(attachment)
    longest = max(map(len, re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    end = "" if text.endswith("\n") else "\n"
    return f"File: {heading_of(attachment)}\n{fence}{_language(attachment)}\n{text}{end}{fence}"


def chosen_text(attachment: Attachment) -> str:
    """The text of the range that the model reads."""
    unit = cast(Unit, attachment.unit)
    return section(attachment.text, unit, attachment.first, attachment.last)


def heading_of(attachment: Attachment) -> str:
    """The name of a file, and which part of it this is."""
    first, last = attachment.first, attachment.last
    if first is None and last is None:
        if not attachment.cut:
            return attachment.name
        return f"{attachment.name} (only its beginning)"
    first, last = first or 1, last or attachment.count
    which = f"{attachment.unit} {first:,}"
    if last != first:
        which = f"{attachment.unit}s {first:,} to {last:,}"
    return f"{attachment.name} ({which} of {attachment.count:,})"


def _language(attachment: Attachment) -> str:
    """What a code file's fence says its language is."""
    ending = attachment.name.rpartition(".")[2].lower()
    return ending if attachment.kind == "code" and _LANGUAGE.fullmatch(ending) else ""
