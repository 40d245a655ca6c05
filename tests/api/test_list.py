"""The list of conversations as pages and the REST route tell it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from qwenchat.engine.fake import FakeEngine, Script
from qwenchat.store.conversations import insert_conversation
from qwenchat.store.opening import open_store
from qwenchat.store.rows import ConversationRow
from tests.api.conftest import Serve
from tests.api.serving import Frame, Page, Serving, serving
from tests.store.samples import NOON

MANY = 5000


class Listener:
    """What a page knows of the list from its frames."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.listed: dict[str, Frame] = {}
        self.total = -1
        self.sizes: list[int] = []

    def hear(self) -> Frame:
        """The next frame about the list."""
        while True:
            frame = self.page.next()
            if frame["type"] == "conversations":
                self.listed = {one["id"]: one for one in frame["conversations"]}
                self.total = frame["total"]
                self.sizes = [len(self.listed)]
                return frame
            if frame["type"] == "summaries":
                self.listed |= {one["id"]: one for one in frame["changed"]}
                for key in frame["removed"]:
                    self.listed.pop(key, None)
                self.sizes.append(len(frame["changed"]))
                return frame

    def hear_all(self) -> None:
        """Everything after connect."""
        self.hear()
        while len(self.listed) < self.total:
            self.hear()

    def in_order(self) -> list[str]:
        """As the page sorts them."""
        ordered = sorted(
            self.listed.values(), key=lambda s: (s["pinned"], s["updated_at"]), reverse=True
        )
        return [one["id"] for one in ordered]


@pytest.fixture(scope="module")
def crowded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    """A server with thousands of conversations."""
    folder: Path = tmp_path_factory.mktemp("crowded")
    database = open_store(folder).database

    def fill(connection: object) -> None:
        for n in range(MANY):
            row = ConversationRow(f"c{n}", f"Chat {n}", NOON, NOON + n, pinned=n % 1000 == 0)
            insert_conversation(connection, row)

    database.write(fill).result()
    database.close()
    with serving(folder) as server:
        yield server


def test_a_long_list_comes_whole_in_pieces_and_its_top_first(crowded: Serving) -> None:
    with crowded.page() as page:
        listener = Listener(page)
        began = time.monotonic()
        listener.hear_all()
        seconds = time.monotonic() - began
    assert listener.total == MANY == len(listener.listed)
    assert listener.sizes[0] == 200
    assert max(listener.sizes) <= 1000
    assert seconds < 5
    first = page.frames[[f["type"] for f in page.frames].index("conversations")]
    top = [one["id"] for one in first["conversations"]]
    assert top == listener.in_order()[:200]
    assert top[:6] == ["c4000", "c3000", "c2000", "c1000", "c0", "c4999"]


def test_what_changes_while_the_list_still_comes_is_told_as_it_is_in_the_end(
    crowded: Serving,
) -> None:
    made = crowded.conversation()
    with crowded.page() as page:
        listener = Listener(page)
        listener.hear()
        renamed = crowded.http.patch("/api/conversations/c17", json={"title": "Renamed"})
        assert renamed.status_code == 200
        assert crowded.http.delete(f"/api/conversations/{made}").status_code == 204
        while len(listener.listed) != MANY or made in listener.listed:
            listener.hear()
        assert listener.listed["c17"]["title"] == "Renamed"
    with crowded.page() as page:
        again = Listener(page)
        again.hear_all()
    assert again.listed == listener.listed


def test_the_list_over_http_can_be_paged_through(crowded: Serving) -> None:
    ids: list[str] = []
    cursor: str | None = None
    while True:
        query = {"limit": "999"} | ({"cursor": cursor} if cursor else {})
        answer = crowded.http.get("/api/conversations", params=query).json()
        ids += [one["id"] for one in answer["conversations"]]
        assert answer["total"] == MANY
        cursor = answer["cursor"]
        if cursor is None:
            break
    assert len(ids) == MANY == len(set(ids))
    assert ids[:6] == ["c4000", "c3000", "c2000", "c1000", "c0", "c4999"]
    refused = crowded.http.get("/api/conversations", params={"cursor": "nonsense"})
    assert refused.json()["error"]["param"] == "cursor"


def test_only_what_changed_is_told_and_two_pages_agree(serve: Serve) -> None:
    server = serve(FakeEngine(lambda _: Script(["x"] * 20, 0.01)))
    one, two, three = (server.conversation() for _ in range(3))
    with server.page() as a, server.page() as b:
        pages = [Listener(a), Listener(b)]
        for listener in pages:
            listener.hear_all()

        def told() -> Frame:
            frames = [listener.hear() for listener in pages]
            assert frames[0] == frames[1]
            return frames[0]

        server.http.patch(f"/api/conversations/{two}", json={"pinned": True})
        (changed,), removed = (frame := told())["changed"], frame["removed"]
        assert (changed["id"], changed["pinned"], removed) == (two, True, [])
        server.conversation(temporary=True)
        server.http.delete(f"/api/conversations/{one}")
        frame = told()
        assert (frame["changed"], frame["removed"]) == ([], [one])
        server.http.post(f"/api/conversations/{one}/restore")
        assert [s["id"] for s in told()["changed"]] == [one]
        server.send(three, "go")
        running = told()["changed"][0]
        assert (running["id"], running["running"], running["title"]) == (three, True, "go")
        ended = told()["changed"][0]
        assert (ended["id"], ended["running"]) == (three, False)
        assert pages[0].listed == pages[1].listed
        assert pages[0].in_order() == [two, three, one]
    with server.page() as page:
        again = Listener(page)
        again.hear_all()
        assert again.listed == pages[0].listed
