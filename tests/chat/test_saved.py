"""What was answered with success is in the database, and comes back at the next start."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from qwenchat.chat.conversations import Conversation
from qwenchat.errors import ConversationNotFound
from tests.chat.running import Running, echo, held, run, shown

Step = Callable[[Running, Conversation], Awaitable[object]]


async def branch_off(here: Running, chat: Conversation) -> None:
    await here.chat.turns.send(chat.id, "other one", parent_id=None)
    await here.ended(chat.id)
    await here.chat.edits.show(chat.id, chat.versions(chat.path()[0])[0])


async def delete_and_restore_message(here: Running, chat: Conversation) -> None:
    answer = chat.path()[1].id
    await here.chat.edits.delete(chat.id, answer)
    assert len(here.stored(chat.id)[1]) == 1
    await here.chat.edits.restore(chat.id, answer)


async def delete_and_restore(here: Running, chat: Conversation) -> None:
    await here.chat.delete(chat.id)
    with pytest.raises(ConversationNotFound):
        here.stored(chat.id)
    await here.chat.restore(chat.id)


STEPS: dict[str, Step] = {
    "create": lambda here, chat: here.chat.create("Be brief.", {"top_k": 3, "stop": ["\n"]}),
    "rename": lambda here, chat: here.chat.update(chat.id, title="  Mine \n own "),
    "pin": lambda here, chat: here.chat.update(chat.id, pinned=True),
    "set up": lambda here, chat: here.chat.update(
        chat.id, system_prompt="Be kind.\t", sampling={"temperature": 0.5, "seed": 7}
    ),
    "send": lambda here, chat: here.chat.turns.send(chat.id, "two \t中文🎉\r\n"),
    "send below": lambda here, chat: here.chat.turns.send(
        chat.id, "one again", parent_id=chat.path()[1].id
    ),
    "regenerate": lambda here, chat: here.chat.turns.regenerate(chat.id),
    "continue": lambda here, chat: here.chat.turns.continue_(chat.id, chat.path()[-1].id),
    "edit": lambda here, chat: here.chat.edits.edit_answer(chat.id, chat.path()[1].id, "better"),
    "show": branch_off,
    "delete a message": lambda here, chat: here.chat.edits.delete(chat.id, chat.path()[3].id),
    "restore a message": delete_and_restore_message,
    "restore": delete_and_restore,
    "fork": lambda here, chat: here.chat.fork(chat.id, chat.path()[1].id),
    "summarize": lambda here, chat: here.chat.turns.summarize(chat.id),
}


@pytest.mark.parametrize("step", STEPS.values(), ids=STEPS)
def test_what_a_step_did_is_there_for_others_at_once_and_after_a_restart(
    tmp_path: Path, step: Step
) -> None:
    before: dict[str, tuple[object, list[str]]] = {}

    async def story(here: Running) -> None:
        two = step is STEPS["delete a message"]
        chat = await here.begin("one", *(["two"] if two else []))
        await step(here, chat)
        for summary in here.chat.conversations.summaries.in_order():
            conversation = await here.chat.conversations.get(summary.id)
            if not here.chat.is_running(summary.id):
                assert here.stored(summary.id) == held(conversation)
            await here.settled(summary.id)
            assert here.stored(summary.id) == held(conversation)
            before[summary.id] = held(conversation), shown(conversation)

    async def again(here: Running) -> None:
        for key, (rows, texts) in before.items():
            conversation = await here.chat.conversations.get(key)
            assert (held(conversation), shown(conversation)) == (rows, texts)
        assert {one.id for one in here.chat.conversations.summaries.in_order()} == set(before)

    run(tmp_path, story, echo())
    run(tmp_path, again)
    assert before


def test_a_question_is_in_the_database_before_its_answer_begins(tmp_path: Path) -> None:
    async def story(here: Running) -> None:
        chat = await here.chat.create()
        user, answer = await here.chat.turns.send(chat.id, "hi")
        row, rows = here.stored(chat.id)
        assert (rows[user.id].content, rows[answer.id].state) == ("hi", "streaming")
        assert (row.leaf_id, row.title) == (answer.id, "hi")
        await here.ended(chat.id)

    run(tmp_path, story)


async def _some_change(here: Running, chat: Conversation, choose: random.Random) -> None:
    some = choose.choice(list(chat.messages.values()))
    match choose.randrange(8):
        case 0 | 1:
            await here.chat.turns.send(chat.id, f"q{choose.random()}")
        case 2:
            await here.chat.turns.send(chat.id, "branch", parent_id=some.parent_id)
        case 3:
            await here.chat.turns.regenerate(chat.id, some.id)
        case 4 if some.role == "assistant":
            await here.chat.edits.edit_answer(chat.id, some.id, f"edited {choose.random()}")
        case 5:
            await here.chat.edits.show(chat.id, some.id)
        case 6 if some.parent_id:
            gone = await here.chat.edits.delete(chat.id, some.id)
            if choose.random() < 0.5:
                await here.chat.edits.restore(chat.id, some.id)
                assert gone > 0
        case 7 if some.role == "assistant" and chat.newest_leaf(some.id) == some.id:
            await here.chat.turns.continue_(chat.id, some.id)
    await here.settled(chat.id)


@pytest.mark.parametrize("seed", range(3))
def test_after_any_changes_memory_and_database_tell_the_same_tree(
    tmp_path: Path, seed: int
) -> None:
    async def story(here: Running) -> None:
        choose = random.Random(seed)
        chat = await here.begin("first")
        for _ in range(60):
            await _some_change(here, chat, choose)
            assert chat.path()[-1].id == chat.leaf_id
            row, rows = here.stored(chat.id)
            assert (row, rows) == held(chat)
        anew = Conversation.of_rows(row, sorted(rows.values(), key=lambda r: r.created_at))
        for message in chat.messages.values():
            assert chat.versions(message) == anew.versions(message), "versions keep their order"
            assert chat.newest_leaf(message.id) == anew.newest_leaf(message.id)

    run(tmp_path, story, echo())
