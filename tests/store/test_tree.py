"""A broken tree becomes a whole one that shows everything."""

from __future__ import annotations

import random
import time
from dataclasses import replace

from qwenchat.store.rows import MessageRow
from qwenchat.store.tree import mend_tree, parents_first, shown_leaf
from tests.store.samples import NOON, chain


def parents(rows: list[MessageRow]) -> dict[str, str | None]:
    return {row.id: row.parent_id for row in rows}


def test_a_whole_tree_stays_as_it_is() -> None:
    rows = chain("c", "a", "b", "c", "d")
    rows.append(replace(rows[1], id="version", created_at=NOON + 9))
    mended, count = mend_tree(rows[::-1])
    assert count == 0 and parents(mended) == parents(rows)


def test_circles_are_cut_at_their_oldest() -> None:
    rows = chain("c", "a", "b", "c", "d")
    rows[0] = replace(rows[0], parent_id="c-2")
    alone = replace(rows[0], id="self", parent_id="self", created_at=NOON + 9)
    mended, count = mend_tree([*rows, alone])
    assert count == 2
    assert parents(mended) == {
        "c-0": None,
        "c-1": "c-0",
        "c-2": "c-1",
        "c-3": "c-2",
        "self": "c-3",
    }


def test_any_tree_is_mended_to_one_with_every_message_and_no_circle() -> None:
    for seed in range(300):
        choose = random.Random(seed)
        count = choose.randint(1, 12)
        ids = [str(number) for number in range(count)]
        rows = [
            MessageRow(
                key,
                "c",
                "user",
                "",
                choose.choice([1.0, 2.0, 3.0, 4.0]),
                choose.choice([*ids, "lost", None]),
            )
            for key in ids
        ]
        mended, changed = mend_tree(rows)
        assert sorted(row.id for row in mended) == sorted(ids)
        seen: set[str | None] = {None}
        for row in mended:
            assert row.parent_id in seen, "parents come first, so there is no circle"
            seen.add(row.id)
        before = parents(rows)
        assert changed == sum(before[row.id] != row.parent_id for row in mended) or changed > 0
        assert shown_leaf(mended, "lost") in ids


def test_a_long_chain_is_mended_quickly() -> None:
    rows = chain("c", *("x" for _ in range(20_000)))
    del rows[::50]
    before = time.perf_counter()
    mended, _ = mend_tree(rows)
    assert len(parents_first(mended)) == len(rows)
    assert time.perf_counter() - before < 2


def test_the_newest_leaf_is_shown_where_the_old_one_is_lost() -> None:
    rows = chain("c", "a", "b")
    rows.append(replace(rows[1], id="version", created_at=NOON + 9))
    assert shown_leaf(rows, "c-1") == "c-1"
    assert shown_leaf(rows, "lost") == "version"
    assert shown_leaf([], "lost") is None
