"""An import that goes on beside everything else: progress, its ends, and what is left."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import orjson
import pytest

from qwenchat.api.values import conversation_value
from qwenchat.chat import imports as imports_module
from qwenchat.chat.conversations import Conversation, Message
from qwenchat.chat.export import export_json
from qwenchat.chat.imports import Import, Imports
from qwenchat.errors import ImportRunning, StoreFull
from qwenchat.store.intake import take_in
from tests.chat.running import Running, held, run, shown

Story = Callable[[Running, Imports, list[Import]], Awaitable[None]]


def importing(folder: Path, story: Story) -> None:
    """A story with imports, and every state they were seen in."""

    async def whole(here: Running) -> None:
        seen: list[Import] = []

        def look() -> None:
            if imports.current:
                seen.append(imports.current)

        imports = Imports(here.chat.database, here.chat.conversations, look)
        await story(here, imports, seen)
        await imports.close()

    run(folder, whole)


async def ended(imports: Imports) -> Import:
    while imports.current and imports.current.state == "running":
        await asyncio.sleep(0.005)
    assert imports.current
    return imports.current


def upload(folder: Path, content: str | bytes) -> Path:
    path = folder / "upload"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def one(number: int, text: str = "hello") -> Conversation:
    chat = Conversation(title=f"Chat {number}", pinned=number == 0)
    chat.add(Message("user", f"{number} {text}", None))
    chat.add(Message("assistant", "answer", chat.leaf_id, model="m"))
    return chat


def as_file(*chats: Conversation) -> str:
    return "".join(export_json([(c.row(), held(c)[1].values()) for c in chats], 0.0))


def test_what_is_imported_is_listed_and_can_be_opened(tmp_path: Path) -> None:
    chats = [one(number) for number in range(30)]

    async def story(here: Running, imports: Imports, seen: list[Import]) -> None:
        path = upload(here.folder, as_file(*chats))
        begun = imports.start(path, "mine.json")
        assert (begun.state, begun.name) == ("running", "mine.json")
        end = await ended(imports)
        assert (end.state, end.imported, end.skipped, end.failed) == ("done", 30, 0, 0)
        assert end.done == end.total == len(as_file(*chats).encode())
        assert not path.exists()
        assert [one.done for one in seen] == sorted(one.done for one in seen)
        assert len(here.chat.conversations.summaries) == 30
        assert here.chat.conversations.summaries.in_order()[0].id == chats[0].id
        for chat in chats[:3]:
            found = await here.chat.conversations.get(chat.id)
            assert held(found) == held(chat)
        await here.chat.turns.send(chats[0].id, "go on")
        await here.ended(chats[0].id)
        imports.start(upload(here.folder, as_file(*chats)), "again.json")
        end = await ended(imports)
        assert (end.state, end.imported, end.skipped) == ("done", 0, 30)
        assert "go on" in shown(await here.chat.conversations.get(chats[0].id))

    importing(tmp_path, story)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("{", "mine.json"),
        ("nonsense", "mine.json"),
        ('{"a": 1}', "neither a JSON export of QwenChat nor ChatGPT"),
        ("[]x", "mine.json"),
        (b"\xff\xfe\x00", "mine.json"),
        (b"PK\x03\x04 not a zip", "mine.json"),
        ('[{"messages": 5}]', "messages is no list"),
        (
            '[{"id": "c", "messages": [{"id": "a", "role": "user", "content": "x", '
            '"parent_id": "a"}]}]',
            "below themselves",
        ),
    ],
)
def test_a_file_that_is_none_of_ours_fails_with_its_name_and_the_reason(
    tmp_path: Path, content: str | bytes, reason: str
) -> None:
    async def story(here: Running, imports: Imports, seen: list[Import]) -> None:
        path = upload(here.folder, content)
        imports.start(path, "mine.json")
        end = await ended(imports)
        if end.state == "done":
            assert (content, end.imported) == ("[]x", 0)
            return
        assert end.state == "failed"
        assert end.error and end.error[0] == "invalid_request"
        assert reason in end.error[1]
        assert "mine.json" in end.error[1], "the person's name of the file, not ours"
        assert "upload" not in end.error[1]
        assert not path.exists()
        assert len(here.chat.conversations.summaries) == 0

    importing(tmp_path, story)


def hostile(value: str) -> str:
    """A good conversation, one with ``value`` for every number, and another good one."""
    bad = (
        f'{{"id": "bad", "created_at": {value}, "updated_at": {value}, "messages": [{{'
        f'"id": "m", "role": "assistant", "content": "kept", "created_at": {value}, '
        f'"usage": {{"prompt_tokens": {value}, "cached_tokens": 0, "completion_tokens": {value}}},'
        f'"timings": {{"queue_seconds": {value}, "time_to_first_token_seconds": 0, '
        f'"decode_seconds": {value}}}, "sampling": {{"top_p": {value}}}, '
        f'"extra": {{"first_read_id": {value}, "x": [{value}]}}}}]}}'
    )
    ours = as_file(one(1), one(2)).replace('"conversations": [\n', f'"conversations": [\n{bad},', 1)
    json.loads(ours)
    return ours


@pytest.mark.parametrize(
    "value", ["1e308", "9223372036854775807", "-1", "true", "null", '"x"', "[]"]
)
def test_impossible_numbers_cost_no_other_conversation_and_can_be_shown(
    tmp_path: Path, value: str
) -> None:
    async def story(here: Running, imports: Imports, seen: list[Import]) -> None:
        imports.start(upload(here.folder, hostile(value)), "mine.json")
        end = await ended(imports)
        assert end.state == "done", end
        assert end.imported + end.failed == 3
        assert end.imported >= 2
        for summary in here.chat.conversations.summaries.in_order():
            found = await here.chat.conversations.get(summary.id)
            orjson.dumps(conversation_value(here.chat, found))

    importing(tmp_path, story)


def test_one_import_at_a_time_and_one_that_ended_can_be_cleared_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    going = threading.Event()

    async def story(here: Running, imports: Imports, seen: list[Import]) -> None:

        def slow(*arguments: Any) -> bool:
            going.wait(5)
            return take_in(*arguments)

        monkeypatch.setattr(imports_module, "take_in", slow)
        imports.start(upload(here.folder, as_file(one(1))), "one.json")
        with pytest.raises(ImportRunning):
            imports.start(Path("other"), "two.json")
        assert imports.current and imports.current.name == "one.json"
        going.set()
        await ended(imports)
        await imports.cancel()
        assert imports.current is None
        await imports.cancel()
        imports.start(upload(here.folder, as_file(one(2))), "two.json")
        assert (await ended(imports)).imported == 1

    importing(tmp_path, story)


def test_a_cancelled_import_keeps_and_counts_what_it_had(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chats = [one(number, "x" * 5000) for number in range(200)]
    reached, go_on = threading.Event(), threading.Event()

    async def story(here: Running, imports: Imports, seen: list[Import]) -> None:
        taken = 0

        def counting(*arguments: Any) -> bool:
            nonlocal taken
            taken += 1
            if taken == 20:
                reached.set()
                go_on.wait(5)
            return take_in(*arguments)

        monkeypatch.setattr(imports_module, "take_in", counting)
        path = upload(here.folder, as_file(*chats))
        imports.start(path, "mine.json")
        await asyncio.to_thread(reached.wait, 5)
        cancelling = asyncio.create_task(imports.cancel())
        await asyncio.sleep(0)
        go_on.set()
        await cancelling
        end = imports.current
        assert end and (end.state, end.imported) == ("cancelled", 20)
        assert len(here.chat.conversations.summaries) == 20 == taken
        assert not path.exists()

    importing(tmp_path, story)


def test_a_store_that_fails_ends_the_import_with_its_reason_and_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def story(here: Running, imports: Imports, seen: list[Import]) -> None:
        taken = 0

        def filling(*arguments: Any) -> bool:
            nonlocal taken
            taken += 1
            if taken > 3:
                raise StoreFull("There is no room left. Free some space.")
            return take_in(*arguments)

        monkeypatch.setattr(imports_module, "take_in", filling)
        path = upload(here.folder, as_file(*(one(number) for number in range(10))))
        imports.start(path, "mine.json")
        end = await ended(imports)
        assert (end.state, end.imported) == ("failed", 3)
        assert end.error == ("store_full", "There is no room left. Free some space.")
        assert not path.exists()

    importing(tmp_path, story)


def test_an_error_of_our_own_ends_the_import_in_plain_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: object) -> bool:
        raise RuntimeError("secret")

    async def story(here: Running, imports: Imports, seen: list[Import]) -> None:
        monkeypatch.setattr(imports_module, "take_in", broken)
        imports.start(upload(here.folder, as_file(one(1))), "mine.json")
        end = await ended(imports)
        assert end.state == "failed"
        assert end.error and end.error[0] == "internal_error"
        assert "secret" not in end.error[1]

    importing(tmp_path, story)
    assert "secret" in caplog.text


def test_an_app_that_ends_ends_its_import(tmp_path: Path) -> None:
    chats = [one(number, "x" * 5000) for number in range(300)]

    async def story(here: Running, imports: Imports, seen: list[Import]) -> None:
        imports.start(upload(here.folder, as_file(*chats)), "mine.json")
        while not (imports.current and imports.current.imported):
            await asyncio.sleep(0.001)
        await imports.close()
        assert imports.current.state in ("cancelled", "done")
        assert not (here.folder / "upload").exists()

    importing(tmp_path, story)
