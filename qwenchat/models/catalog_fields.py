"""Reading the catalogue's fields: each checked, each complaint with row and field."""

from __future__ import annotations

import re
from typing import Any, NoReturn, TypeVar

from qwenchat.models.reference import is_model_id

Choice = TypeVar("Choice", bound=str)

_MONTH = re.compile(r"20\d\d-(0[1-9]|1[0-2])")


class WrongField(ValueError):
    """A field is missing, unknown, or of the wrong kind; the message is a clause."""


class Fields:
    """The fields of one JSON object; each is asked for once, and none may be left over.

    Attributes:
        where: Names the object in complaints.
    """

    def __init__(self, content: Any, where: str) -> None:
        if not isinstance(content, dict):
            raise WrongField(f"{where} is not a JSON object")
        self.where = where
        self._left = dict(content)

    def wrong(self, key: str, what: str) -> NoReturn:
        """Complain about a field."""
        raise WrongField(f"{key} of {self.where} is {what}")

    def end(self) -> None:
        """Nobody has asked for what is left, so it is misspelt or not known."""
        if self._left:
            raise WrongField(f"{self.where} has the unknown field {next(iter(self._left))}")

    def text(self, key: str) -> str:
        value = self._take(key)
        if not isinstance(value, str) or not value.strip():
            self.wrong(key, "no text")
        return value

    def month(self, key: str) -> str:
        value = self.text(key)
        if not _MONTH.fullmatch(value):
            self.wrong(key, f"{value!r}, not year and month")
        return value

    def model_id(self, key: str) -> str:
        value = self.text(key)
        if not is_model_id(value):
            self.wrong(key, f"{value!r}, not an id of the form owner/name")
        return value

    def choice(self, key: str, choices: tuple[Choice, ...]) -> Choice:
        value = self._take(key)
        for choice in choices:
            if value == choice:
                return choice
        self.wrong(key, f"{value!r}, not one of {', '.join(choices)}")

    def texts(self, key: str) -> tuple[str, ...]:
        value = self._take(key)
        if not isinstance(value, list) or not value:
            self.wrong(key, "no list of texts")
        if not all(isinstance(text, str) and text.strip() for text in value):
            self.wrong(key, "no list of texts")
        return tuple(value)

    def flag(self, key: str) -> bool:
        value = self._take(key)
        if not isinstance(value, bool):
            self.wrong(key, "neither true nor false")
        return value

    def number(self, key: str, least: int = 1) -> int:
        value = self._take(key)
        if not isinstance(value, int) or isinstance(value, bool) or value < least:
            self.wrong(key, f"{value!r}, not a whole number from {least}")
        return value

    def number_or_none(self, key: str) -> int | None:
        return None if self._skips(key) else self.number(key)

    def fraction(self, key: str, most: float = 1.0) -> float:
        """A number from 0 to ``most``."""
        value = self._take(key)
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if not is_number or not 0 <= value <= most:
            self.wrong(key, f"{value!r}, not a number from 0 to {most}")
        return float(value)

    def fraction_or_none(self, key: str, most: float = 1.0) -> float | None:
        return self.fraction(key, most) if key in self._left else None

    def part(self, key: str) -> Fields:
        return Fields(self._take(key), f"{key} of {self.where}")

    def part_or_none(self, key: str) -> Fields | None:
        return None if self._skips(key) else self.part(key)

    def rows(self, key: str) -> list[Fields]:
        value = self._take(key)
        if not isinstance(value, list):
            self.wrong(key, "no list")
        return [Fields(row, f"{key} {index} of {self.where}") for index, row in enumerate(value, 1)]

    def _take(self, key: str) -> Any:
        if key not in self._left:
            raise WrongField(f"{self.where} lacks {key}")
        return self._left.pop(key)

    def _skips(self, key: str) -> bool:
        """Whether the field is there and null, which is then its answer."""
        if key in self._left and self._left[key] is None:
            del self._left[key]
            return True
        return False
