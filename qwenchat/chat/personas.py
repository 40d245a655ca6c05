"""Personas: who answers, as a system prompt, sampling parameters and opening questions.

Choosing one copies its settings into the conversation, so that changing or deleting it
later changes no chat.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from qwenchat.chat.shelf import Kept, Kind, Shelf
from qwenchat.chat.shelf_values import checked_line, checked_name, checked_text
from qwenchat.errors import InvalidRequest
from qwenchat.sampling import checked_sampling
from qwenchat.store.database import Database

BUILTIN = Path(__file__).resolve().parents[2] / "assets" / "personas.json"
LONGEST_ICON = 16
"""In characters: one emoji may be made of many."""
LONGEST_PROMPT = 20_000
MOST_QUESTIONS = 4
LONGEST_QUESTION = 500
FIELDS = ("name", "icon", "system_prompt", "sampling", "questions")


def open_personas(database: Database, on_change: Callable[[], None]) -> Shelf:
    """The personas of ``database`` and those of the app; reads: not on a busy event loop."""
    return Shelf(
        database,
        Kind("personas", "persona", FIELDS, checked_persona, read_builtin(BUILTIN)),
        on_change,
    )


def checked_persona(value: Mapping[str, Any]) -> dict[str, Any]:
    """A persona as it is kept; what is left out is empty.

    Raises:
        InvalidRequest: A field is wrong; ``param`` names it.
    """
    sampling = value.get("sampling", {})
    if not isinstance(sampling, Mapping):
        raise InvalidRequest("sampling must be a JSON object.", param="sampling")
    return {
        "name": checked_name(value.get("name", "")),
        "icon": checked_line(value.get("icon", ""), "icon", "An icon", LONGEST_ICON),
        "system_prompt": checked_text(
            value.get("system_prompt", ""), "system_prompt", "A system prompt", LONGEST_PROMPT
        ),
        "sampling": checked_sampling(sampling),
        "questions": _checked_questions(value.get("questions", [])),
    }


def _checked_questions(value: Any) -> list[str]:
    if not isinstance(value, list):
        raise InvalidRequest("questions must be a list of texts.", param="questions")
    questions = [
        checked_text(one, "questions", "An opening question", LONGEST_QUESTION).strip()
        for one in value
    ]
    questions = [one for one in questions if one]
    if len(questions) > MOST_QUESTIONS:
        raise InvalidRequest(
            f"A persona has at most {MOST_QUESTIONS} opening questions; this one has "
            f"{len(questions)}. Remove some.",
            param="questions",
        )
    return questions


def read_builtin(file: Path) -> tuple[Kept, ...]:
    """What comes with the app, from its data file, with names and texts by language."""
    loaded = json.loads(file.read_text(encoding="utf-8"))
    return tuple(
        Kept(one["id"], True, {name: part for name, part in one.items() if name != "id"})
        for one in loaded
    )
