"""Whether the engine answered."""

from __future__ import annotations

from qwenchat.doctor.outcome import Check, ok, problem
from qwenchat.doctor.token import Token


def check_token(token: Token) -> list[Check]:
    """One line about the one token."""
    name = "token"
    if token.failed:
        what, _, rest = token.failed.partition(". ")
        return [
            problem(
                name,
                what.rstrip("."),
                rest or "See the checks above; docs/cpu-guide.md explains each failure.",
                "; ".join(filter(None, [token.stage, token.last_words])),
            )
        ]
    return [
        ok(
            name,
            f"the demo model said {token.text!r}: loaded in {token.load_seconds:.1f} s, "
            f"first token after {token.first_token_seconds:.2f} s",
        )
    ]
