"""Which model to load, and which instead when that cannot be loaded."""

from __future__ import annotations

from dataclasses import dataclass

from qwenchat.engine.seam import Prepare
from qwenchat.errors import ModelSwitched, QwenChatError


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """A model to load: its name to show, and what makes it ready."""

    model: str
    prepare: Prepare


class Plans:
    """The plan that is carried out, and the one to go back to until it has been ready once.

    Args:
        current: What to load first.
        good: What to load when that cannot be loaded; None for nothing.
    """

    def __init__(self, current: Plan, good: Plan | None = None) -> None:
        self.current = current
        self._good = good
        self._reason: tuple[str, QwenChatError] | None = None

    def switch(self, plan: Plan, *, has_failed: bool) -> None:
        """Carry out another plan.

        Args:
            has_failed: The one before could not be carried out, so there is no going back to it.
        """
        if self._good is None and not has_failed:
            self._good = self.current
        self.current = plan
        self._reason = None

    def succeeded(self) -> None:
        """The current plan has come to a model that is ready."""
        self._good = self.current
        self._reason = None

    def go_back(self, error: QwenChatError) -> str | None:
        """After a failure, carry out the plan that is known to be good.

        Returns:
            The name of the model that failed; None when there is nothing to go back to.
        """
        if self._good is None or self._good is self.current:
            return None
        failed = self.current.model
        self._reason = failed, error
        self.current = self._good
        return failed

    def final(self, error: QwenChatError) -> QwenChatError:
        """Why nothing could be loaded: ``error``, and before it what made us go back."""
        if self._reason is None:
            return error
        failed, first = self._reason
        return type(error)(
            f"{failed} could not be loaded: {first.message} Nor could {self.current.model}, which "
            f"was to take its place: {error.message}"
        )


def switched() -> ModelSwitched:
    """What becomes of a request that runs while another model takes the place of its own."""
    return ModelSwitched(
        "The model was switched while this answer was being written. The text so far is kept: "
        "Continue goes on from it with the model that is loaded now."
    )
