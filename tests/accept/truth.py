"""Whether a database holds what was asked and what the engine emitted, and nothing else."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from qwenchat.store.connections import DATABASE_NAME
from tests.accept.disorder import Kill
from tests.accept.observed import Accepted, Shown, letters_of
from tests.accept.record import Run

LOST_SECONDS = 1.0
"""Text emitted longer than this before a kill must have survived it."""


@dataclass(frozen=True)
class Stored:
    """A message as the database has it."""

    id: str
    conversation: str
    parent: str | None
    role: str
    state: str
    content: str


@dataclass
class Kept:
    """All that the database has: messages by id, and the leaf of each conversation."""

    messages: dict[str, Stored]
    leaves: dict[str, str | None]

    def path(self, conversation: str) -> list[Stored]:
        found: list[Stored] = []
        step = self.leaves[conversation]
        while step is not None:
            found.append(self.messages[step])
            step = found[-1].parent
        return found[::-1]


def read_database(folder: Path) -> Kept:
    """Read-only, when nothing of the app runs any more."""
    address = f"file:{folder / DATABASE_NAME}?mode=ro"
    with contextlib.closing(sqlite3.connect(address, uri=True)) as database:
        assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        rows = database.execute(
            "SELECT id, conversation_id, parent_id, role, state, content FROM messages"
        )
        messages = {row[0]: Stored(*row) for row in rows}
        leaves = dict(database.execute("SELECT id, leaf_id FROM conversations").fetchall())
    return Kept(messages, leaves)


@dataclass
class Losses:
    """Seconds before its kill at which the oldest lost character had been emitted."""

    by_kill_of: dict[str, list[float]] = field(default_factory=dict)


def check_answers(kept: Kept, runs: Mapping[str, Sequence[Run]], kills: Sequence[Kill]) -> Losses:
    """Every stored answer is what the engine emitted for it, cut by kills alone."""
    losses = Losses()
    assert runs.keys() <= kept.messages.keys()
    for message in kept.messages.values():
        if message.role != "assistant":
            continue
        assert message.state != "streaming", message
        mine = runs.get(message.id, ())
        if not mine:
            assert message.content == "", f"nobody wrote this: {message}"
        befores = [*(run.before for run in mine), message.content]
        assert befores[0] == "", "the first run goes on from nothing"
        for run, after in zip(mine, befores[1:], strict=True):
            assert after.startswith(run.before), (message.id, "a run went on from another text")
            part = after[len(run.before) :]
            assert run.text.startswith(part), (message.id, part, run.text)
            if part != run.text:
                _explain(run, len(part), kills, losses)
    return losses


def _explain(run: Run, stored: int, kills: Sequence[Kill], losses: Losses) -> None:
    """Only a kill may have cut an answer, and only its last moment."""
    kill = next((kill for kill in kills if kill.at > run.asked_at), None)
    assert kill, f"text is lost and nothing was killed: {run.text[stored:]!r} of {run}"
    first_lost = run.piece_of(stored)
    seconds = max(0.0, kill.at - run.pieces[first_lost][0])
    losses.by_kill_of.setdefault(kill.of, []).append(seconds)
    assert seconds <= LOST_SECONDS, (kill, seconds, run.text[stored:])
    if kill.of == "engine":
        # The web process goes on: what reached the pipe arrives.
        assert first_lost == len(run.pieces) - 1, run.text[stored:]


def check_questions(
    kept: Kept,
    questions: Mapping[str, Sequence[str]],
    accepted: Iterable[Accepted],
    shown: Iterable[Shown],
) -> None:
    """Nothing that was sent is lost, doubled, out of order or elsewhere."""
    assert kept.leaves.keys() == questions.keys()
    for conversation, asked in questions.items():
        path = [one for one in kept.path(conversation) if one.role == "user"]
        assert [one.content for one in path] == list(asked)
        in_database = [one for one in kept.messages.values() if one.conversation == conversation]
        assert len(in_database) == 2 * len(asked), "a question and an answer each"
    for sent in accepted:
        user, assistant = kept.messages[sent.user_id], kept.messages[sent.assistant_id]
        assert user.conversation == assistant.conversation == sent.conversation
        assert assistant.parent == user.id
    for one in shown:
        assert kept.messages[one.message_id].conversation == one.conversation, one


def check_prompts(
    kept: Kept, runs: Mapping[str, Sequence[Run]], markers: Mapping[str, str]
) -> None:
    """No model ever read a word of another conversation."""
    for message_id, mine in runs.items():
        answer = kept.messages[message_id]
        own = markers[answer.conversation]
        for run in mine:
            for role, content in run.prompt:
                if role == "user":
                    assert [one for one in markers.values() if one in content] == [own], content
            assert run.prompt[-1] == ("user", kept.messages[answer.parent or ""].content)


def check_shown(kept: Kept, runs: Mapping[str, Sequence[Run]], shown: Iterable[Shown]) -> None:
    """Every text that a page ever showed was the beginning of what was written there."""
    whole = {
        message_id: [letters_of(run.before + run.text) for run in mine]
        for message_id, mine in runs.items()
    }
    for one in shown:
        if one.role == "user":
            assert one.letters == letters_of(kept.messages[one.message_id].content), one
        elif one.letters:
            texts = whole[one.message_id]
            assert any(text.startswith(one.letters) for text in texts), (one, texts)
