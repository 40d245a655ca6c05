"""What vLLM complains of, in words fit to show."""

from __future__ import annotations

from qwenchat.errors import InvalidRequest

LONGEST = 300
"""Characters of vLLM's own words that are shown."""

FAILED_INSIDE = (
    "The engine could not work on this request; the log has the details. Ask differently, or "
    "with a simpler JSON schema if there is one."
)


def first_sentence(error: Exception) -> str:
    """The first line of an error, or its type where it says nothing."""
    text = str(error).strip()
    return text.splitlines()[0][:LONGEST] if text else type(error).__name__


def unusable_schema(error: Exception) -> InvalidRequest:
    """The refusal of a JSON schema that no answer can be held to."""
    return InvalidRequest(
        f"The JSON schema cannot be used: {first_sentence(error)}. Correct or simplify it.",
        param="response_format",
    )
