"""Messages as trees, where the tree may be broken."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import replace

from qwenchat.store.rows import MessageRow


def mend_tree(rows: Sequence[MessageRow]) -> tuple[list[MessageRow], int]:
    """The messages of one conversation as a tree again, parents before children.

    A message whose parent is missing, or that is below itself, goes below the newest one
    that is older than it, most likely what it followed; the first goes to the root.

    Returns:
        The messages, and how many of them got another parent.
    """
    ordered = sorted(rows, key=lambda row: row.created_at)
    position = {row.id: index for index, row in enumerate(ordered)}
    children: dict[str | None, list[int]] = {}
    for index, row in enumerate(ordered):
        parent = row.parent_id if row.parent_id in position else None
        children.setdefault(parent, []).append(index)

    # Each message's topmost one. Those in a circle are below no root; the oldest of each
    # circle becomes one.
    top: dict[int, int] = {}
    roots = children.get(None, [])
    tops: list[int] = []
    for index in [*roots, *range(len(ordered))]:
        if index in top:
            continue
        tops.append(index)
        waiting = [index]
        while waiting:
            at = waiting.pop()
            if at not in top:
                top[at] = index
                waiting += children.get(ordered[at].id, [])

    mended = 0
    for index in tops:
        row = ordered[index]
        if row.parent_id is None:
            continue
        # Only below what an older topmost one leads to: so no new circle can come about.
        above = next((at for at in range(index - 1, -1, -1) if top[at] < index), None)
        parent_id = None if above is None else ordered[above].id
        ordered[index] = replace(row, parent_id=parent_id)
        mended += 1
    return parents_first(ordered), mended


def parents_first(rows: Sequence[MessageRow]) -> list[MessageRow]:
    """The messages that lead up to a root by age, but each after its parent."""
    children: dict[str | None, list[tuple[float, int]]] = {}
    for index, row in enumerate(rows):
        children.setdefault(row.parent_id, []).append((row.created_at, index))
    found: list[MessageRow] = []
    waiting = children.get(None, [])
    heapq.heapify(waiting)
    while waiting:
        _, index = heapq.heappop(waiting)
        found.append(rows[index])
        for child in children.get(rows[index].id, ()):
            heapq.heappush(waiting, child)
    return found


def shown_leaf(rows: Sequence[MessageRow], leaf_id: str | None) -> str | None:
    """``leaf_id`` where it is one of the messages, else the newest that nothing is below."""
    if leaf_id is not None and any(row.id == leaf_id for row in rows):
        return leaf_id
    parents = {row.parent_id for row in rows}
    leaves = [row for row in rows if row.id not in parents]
    # Of equally old ones the last.
    return max(leaves[::-1], key=lambda row: row.created_at).id if leaves else None
