"""Personas and presets: what comes with the app, what is refused, what is shared; languages."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import pytest

from qwenchat.chat.history import LANGUAGE_SENTENCES, told_language
from qwenchat.chat.meter import NextTurn, measure_turn
from qwenchat.chat.personas import checked_persona, open_personas
from qwenchat.chat.presets import checked_preset, open_presets
from qwenchat.chat.shelf import MOST
from qwenchat.chat.shelf_values import LONGEST_NAME, free_name
from qwenchat.errors import InvalidRequest, NotOnShelf
from qwenchat.store.database import Database
from qwenchat.store.shelves import keep
from tests.chat.running import Running, run

PROJECT = Path(__file__).resolve().parents[2]
PERSONA = {
    "name": "Captain",
    "icon": "⚓",
    "system_prompt": "Speak like a captain.\n",
    "sampling": {"temperature": 0.5},
    "questions": ["Where to?", "What is a knot?"],
}


def do(work: Coroutine[Any, Any, Any]) -> Any:
    return asyncio.run(work)


def silent() -> None:
    """Nobody listens."""


# ---- what comes with the app


def test_the_apps_personas_are_valid_in_both_languages(database: Database) -> None:
    personas = open_personas(database, silent).all()
    assert [kept.id for kept in personas] == [
        "assistant",
        "guide",
        "service",
        "teacher",
        "translator",
        "programmer",
        "writer",
    ]
    drawn = (PROJECT / "assets/js/personas/icons.js").read_text(encoding="utf-8")
    for kept in personas:
        value = kept.value
        assert kept.builtin and f"  {value['icon']}: " in drawn
        for language in ("en", "zh"):
            one = {"name": value["name"][language], "icon": value["icon"]} | {
                "system_prompt": value["system_prompt"][language],
                "sampling": value["sampling"],
                "questions": value["questions"][language],
            }
            assert checked_persona(one) == one
            assert len(one["questions"]) == 4
            # Short: a small model on a CPU reads it before every first answer.
            assert len(one["system_prompt"]) <= 400
            assert bool(one["system_prompt"]) == (kept.id != "assistant")


def test_the_apps_presets_are_valid_in_both_languages(database: Database) -> None:
    presets = open_presets(database, silent).all()
    assert [kept.id for kept in presets] == ["precise", "balanced", "creative", "code"]
    for kept in presets:
        for language in ("en", "zh"):
            one = {"name": kept.value["name"][language], "sampling": kept.value["sampling"]}
            assert checked_preset(one) == one
        # Greedy decoding makes thinking models repeat themselves.
        assert kept.value["sampling"]["temperature"] >= 0.2


# ---- own ones


def test_own_personas_are_kept_changed_deleted_and_restored(database: Database) -> None:
    rung: list[int] = []
    shelf = open_personas(database, lambda: rung.append(1))
    first = do(shelf.add(PERSONA))
    second = do(shelf.add({"name": "  Cook \n two "}))
    assert second.value == {
        "name": "Cook two",
        "icon": "",
        "system_prompt": "",
        "sampling": {},
        "questions": [],
    }
    do(shelf.replace(first.id, PERSONA | {"name": "Admiral"}))
    do(shelf.delete(first.id))
    assert [kept.id for kept in shelf.all() if not kept.builtin] == [second.id]
    back = do(shelf.restore(first.id))
    assert back.value == PERSONA | {"name": "Admiral"}
    assert do(shelf.restore(first.id)) == back
    again = open_personas(database, silent)
    assert again.all() == shelf.all()
    assert [kept.id for kept in again.all() if not kept.builtin] == [first.id, second.id]
    assert len(rung) == 5 == shelf.revision - 1


def test_what_was_purged_does_not_come_back(database: Database) -> None:
    shelf = open_personas(database, silent)
    kept = do(shelf.add(PERSONA))
    do(shelf.delete(kept.id))
    do(shelf.purge(-1))
    with pytest.raises(NotOnShelf, match="deleted too long ago"):
        do(shelf.restore(kept.id))


@pytest.mark.parametrize(
    ("change", "param", "message"),
    [
        ({"name": ""}, "name", "at least one character"),
        ({"name": " \n "}, "name", "at least one character"),
        ({"name": 7}, "name", "must be text"),
        ({"name": "n" * 61}, "name", "at most 60 characters; this one has 61"),
        ({"name": "n" * 10_000}, "name", "at most"),
        ({"icon": "x" * 17}, "icon", "at most 16"),
        ({"icon": None}, "icon", "must be text"),
        ({"system_prompt": "p" * 20_001}, "system_prompt", "at most 20,000.*Shorten"),
        ({"system_prompt": ["p"]}, "system_prompt", "must be text"),
        ({"sampling": [1]}, "sampling", "JSON object"),
        ({"sampling": {"temperature": 9}}, "temperature", "from 0 to 2"),
        ({"sampling": {"__import__": "os"}}, "__import__", "no sampling parameter"),
        ({"questions": "one"}, "questions", "list of texts"),
        ({"questions": ["a"] * 5}, "questions", "at most 4 opening questions"),
        ({"questions": [None]}, "questions", "must be text"),
        ({"questions": ["q" * 501]}, "questions", "at most 500"),
    ],
)
def test_a_bad_persona_is_refused_with_the_field_and_nothing_is_kept(
    database: Database, change: dict[str, Any], param: str, message: str
) -> None:
    shelf = open_personas(database, silent)
    own = do(shelf.add(PERSONA))
    before = shelf.all()
    for attempt in (shelf.add(PERSONA | change), shelf.replace(own.id, PERSONA | change)):
        with pytest.raises(InvalidRequest, match=message) as problem:
            do(attempt)
        assert problem.value.param == param
    assert shelf.all() == before == open_personas(database, silent).all()


@pytest.mark.parametrize("sampling", [None, {}, [], "hot"])
def test_a_preset_without_parameters_is_refused(database: Database, sampling: Any) -> None:
    with pytest.raises(InvalidRequest, match="at least one sampling parameter"):
        do(open_presets(database, silent).add({"name": "x", "sampling": sampling}))


def test_the_apps_own_cannot_be_changed_and_the_unknown_is_not_found(database: Database) -> None:
    shelf = open_personas(database, silent)
    for attempt in (shelf.replace("guide", PERSONA), shelf.delete("guide")):
        with pytest.raises(InvalidRequest, match="Duplicate it"):
            do(attempt)
    for attempt in (shelf.replace("nope", PERSONA), shelf.delete("nope"), shelf.restore("nope")):
        with pytest.raises(NotOnShelf):
            do(attempt)


def test_there_is_an_end_to_how_many(database: Database) -> None:
    database.write(
        keep,
        "presets",
        [(f"p{n}", {"name": f"{n}", "sampling": {"top_k": 1}}) for n in range(MOST)],
    ).result()
    shelf = open_presets(database, silent)
    with pytest.raises(InvalidRequest, match=f"At most {MOST} presets.*Delete one"):
        do(shelf.add({"name": "one more", "sampling": {"top_k": 1}}))
    do(shelf.delete("p0"))
    do(shelf.add({"name": "one more", "sampling": {"top_k": 1}}))


def test_one_that_this_version_cannot_use_is_left_in_the_database(database: Database) -> None:
    strange = {"name": "x", "sampling": {"from_the_future": 1}}
    database.write(keep, "presets", [("f", strange)]).result()
    assert all(kept.builtin for kept in open_presets(database, silent).all())
    rows = database.read(
        lambda connection: connection.execute("SELECT id FROM presets").fetchall()
    ).result()
    assert rows == [("f",)]


# ---- shared as files


def test_what_is_exported_comes_back_equal_under_a_free_name(database: Database) -> None:
    shelf = open_personas(database, silent)
    first = do(shelf.add(PERSONA))
    do(shelf.add({"name": "Cook"}))
    file = json.loads(json.dumps(shelf.export()))
    assert [one["name"] for one in file["personas"]] == ["Captain", "Cook"]
    assert len(shelf.export([first.id])["personas"]) == 1
    back = do(shelf.import_(file))
    assert [kept.value["name"] for kept in back] == ["Captain 2", "Cook 2"]
    assert back[0].value == PERSONA | {"name": "Captain 2"}
    assert back[0].id != first.id
    (third, _) = do(shelf.import_(file))
    assert third.value["name"] == "Captain 3"
    guide = {"format": "qwenchat-personas", "version": 1, "personas": [{"name": "导游"}]}
    assert do(shelf.import_(guide))[0].value["name"] == "导游 2"


def test_a_free_name_is_never_too_long() -> None:
    name = "n" * LONGEST_NAME
    assert free_name(name, {name}) == "n" * (LONGEST_NAME - 2) + " 2"
    assert free_name("new", {name}) == "new"


def test_there_must_be_something_to_export(database: Database) -> None:
    shelf = open_personas(database, silent)
    with pytest.raises(NotOnShelf, match="Make one first"):
        shelf.export()
    with pytest.raises(NotOnShelf):
        shelf.export(["nope"])
    with pytest.raises(InvalidRequest, match="Duplicate it"):
        shelf.export(["guide"])


FILE = {"format": "qwenchat-personas", "version": 1, "personas": [PERSONA]}


@pytest.mark.parametrize(
    ("file", "message"),
    [
        ({}, "holds no personas"),
        (FILE | {"format": "qwenchat-conversations"}, "holds no personas"),
        (FILE | {"version": 2}, r"another version of QwenChat \(format 2;"),
        (FILE | {"version": None}, "another version"),
        (FILE | {"personas": []}, "no persona in this file"),
        (FILE | {"personas": {"name": "x"}}, "no persona in this file"),
        (FILE | {"personas": [PERSONA, 7]}, "persona 2 of the file is no object"),
        (FILE | {"personas": [PERSONA, {"icon": "x"}]}, "persona 2 of the file is wrong"),
        (
            FILE | {"personas": [PERSONA, PERSONA | {"sampling": {"top_p": 7}}]},
            "persona 2 of the file is wrong. Top P must be",
        ),
        (FILE | {"personas": [PERSONA] * (MOST + 1)}, "At most 200 personas"),
    ],
)
def test_of_a_wrong_file_nothing_is_imported(
    database: Database, file: dict[str, Any], message: str
) -> None:
    shelf = open_personas(database, silent)
    with pytest.raises(InvalidRequest, match=message):
        do(shelf.import_(file))
    assert all(kept.builtin for kept in shelf.all())


def test_unknown_fields_of_a_file_are_left_out(database: Database) -> None:
    (kept,) = do(
        open_personas(database, silent).import_(
            FILE | {"personas": [PERSONA | {"id": "guide", "builtin": True, "script": "alert(1)"}]}
        )
    )
    assert kept.value == PERSONA and kept.id != "guide" and not kept.builtin


# ---- conversations


def test_a_conversation_keeps_its_settings_when_its_persona_is_deleted(tmp_path: Path) -> None:
    async def story(here: Running) -> None:
        persona = await here.chat.personas.add(PERSONA)
        chat = await here.begin(
            "Ahoy",
            system_prompt=PERSONA["system_prompt"],
            sampling=PERSONA["sampling"],
            persona=persona.id,
            reply_language="zh",
        )
        await here.chat.personas.delete(persona.id)
        row, _ = here.stored(chat.id)
        assert (row.persona, row.reply_language) == (persona.id, "zh")
        assert (row.system_prompt, row.sampling) == (
            PERSONA["system_prompt"],
            PERSONA["sampling"],
        )
        await here.chat.update(chat.id, persona="", reply_language="auto")
        row, _ = here.stored(chat.id)
        assert (row.persona, row.reply_language) == (None, "auto")
        assert row.system_prompt == PERSONA["system_prompt"]

    run(tmp_path, story)


def test_copies_of_a_conversation_have_its_persona_and_language(tmp_path: Path) -> None:
    async def story(here: Running) -> None:
        chat = await here.begin("One", persona="guide", reply_language="en")
        copies = [
            await here.chat.fork(chat.id, chat.path()[-1].id),
            await here.chat.turns.summarize(chat.id),
        ]
        for copy in copies:
            await here.ended(copy.id)
            row, _ = here.stored(copy.id)
            assert (row.persona, row.reply_language) == ("guide", "en")

    run(tmp_path, story)


# ---- the reply language


def test_the_language_is_asked_for_behind_the_system_prompt() -> None:
    assert told_language("Be kind.\n", "auto") == "Be kind.\n"
    assert told_language("", "auto") == ""
    assert told_language("Be kind.\n", "zh") == "Be kind.\n\n请始终用中文回答。"
    assert told_language(" ", "en") == "Always answer in English."


@pytest.mark.parametrize("language", LANGUAGE_SENTENCES)
@pytest.mark.parametrize("system_prompt", ["", "Be kind."])
def test_the_sentence_is_read_and_counted_but_not_stored(
    tmp_path: Path, language: Any, system_prompt: str
) -> None:
    async def story(here: Running) -> None:
        chat = await here.begin("One", system_prompt=system_prompt, reply_language=language)
        found = await measure_turn(here.chat, NextTurn("Two", conversation_id=chat.id))
        await here.chat.turns.send(chat.id, "Two")
        await here.ended(chat.id)
        request = here.engine.requests[-1]
        assert request.messages[0].role == "system"
        assert request.messages[0].content == told_language(system_prompt, language)
        assert await here.engine.measure(request.messages) == found.prompt_tokens
        plain = await measure_turn(
            here.chat, NextTurn("Two", system_prompt=system_prompt, reply_language="auto")
        )
        tried = await measure_turn(
            here.chat, NextTurn("Two", system_prompt=system_prompt, reply_language=language)
        )
        assert tried.system_tokens > plain.system_tokens
        assert here.stored(chat.id)[0].system_prompt == system_prompt

    run(tmp_path, story)


def test_a_change_of_language_counts_from_the_next_answer(tmp_path: Path) -> None:
    async def story(here: Running) -> None:
        chat = await here.begin("One")
        assert here.engine.requests[-1].messages[0].role == "user"
        await here.chat.update(chat.id, reply_language="zh")
        await here.chat.turns.send(chat.id, "Two")
        await here.ended(chat.id)
        assert here.engine.requests[-1].messages[0].content == LANGUAGE_SENTENCES["zh"]

    run(tmp_path, story)
