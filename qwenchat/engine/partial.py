"""An answer so far that is to go on, apart from what the model reads before it."""

from __future__ import annotations

from qwenchat.errors import InvalidRequest
from qwenchat.types import ChatMessage


def split_partial(
    messages: tuple[ChatMessage, ...], continue_final: bool
) -> tuple[tuple[ChatMessage, ...], str]:
    """The messages to answer, and the text with which the answer already begins.

    Args:
        continue_final: As in ``protocol.Generate``; otherwise the text is empty.

    Raises:
        InvalidRequest: The last message is not an assistant's.
    """
    if not continue_final:
        return messages, ""
    if not messages or messages[-1].role != "assistant":
        raise InvalidRequest(
            "Only an answer can go on, and the last message is not one. Send it as a new message.",
            param="messages",
        )
    return messages[:-1], messages[-1].content
