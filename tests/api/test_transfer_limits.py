"""Imports and exports at their limits: large files, full disks, lost clients, leftovers."""

from __future__ import annotations

import errno
import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import pytest

from qwenchat.api import transfer
from qwenchat.api.guard import MAX_BODY_BYTES
from qwenchat.chat import imports
from qwenchat.chat.export import export_json
from qwenchat.store.intake import take_in
from qwenchat.store.opening import open_store
from tests.api.conftest import Serve
from tests.api.serving import Frame, Page, Serving, serving, wait_until
from tests.chat.import_samples import everything
from tests.chat.test_importing import random_conversation
from tests.store.samples import chain, conversation

MEGABYTE = 2**20


def upload(server: Serving, content: bytes | Iterator[bytes], name: str = "chats.json") -> Any:
    return server.http.post("/api/import", params={"name": name}, content=content)


def imported(page: Page) -> Frame:
    """How the import ended."""
    while (found := page.until("import")["import"])["state"] == "running":
        pass
    return dict(found)


def leftovers(folder: Path) -> list[Path]:
    return list((folder / transfer.UPLOADS).glob("*"))


def memory(field: str) -> int:
    """Of this process, in bytes: VmRSS now, VmHWM at its highest."""
    status = Path("/proc/self/status").read_text()
    return int(status.split(f"{field}:")[1].split()[0]) * 1024


def test_a_large_file_is_received_and_read_in_little_memory_and_shows_how_far_it_is(
    serve: Serve, tmp_path: Path
) -> None:
    server = serve()
    one, two = (
        "".join(export_json([(conversation(key), chain(key, f"question {key}", "answer"))], 0.0))
        for key in "ab"
    )
    body = (json.dumps(json.loads(text)["conversations"][0]) for text in (one, two))

    def content() -> Iterator[bytes]:
        yield b"["
        yield next(body).encode() + b","
        for _ in range(60):
            yield b" " * MEGABYTE
        yield next(body).encode() + b"]"

    Path("/proc/self/clear_refs").write_text("5")
    before = memory("VmRSS")
    with server.page() as page:
        page.until("conversations")
        assert upload(server, content()).status_code == 202
        began = time.monotonic()
        end = imported(page)
        seconds = time.monotonic() - began
        told = [frame["import"] for frame in page.frames if frame["type"] == "import"]
    assert (end["state"], end["imported"]) == ("done", 2)
    assert end["done"] == end["total"] > 60 * MEGABYTE
    assert [one["done"] for one in told] == sorted(one["done"] for one in told)
    assert told[0]["done"] < told[0]["total"]
    assert len(told) <= seconds / 0.1 + 4, "at most ten times a second"
    assert memory("VmHWM") - before < 30 * MEGABYTE
    assert leftovers(tmp_path) == []


def test_only_the_import_may_be_that_large(serve: Serve) -> None:
    server = serve()
    body = b" " * (MAX_BODY_BYTES + 1)
    for path in ("/api/measure", "/api/import/", "/api/imports", "/api/conversations"):
        refused = server.http.post(path, content=body)
        assert (path, refused.status_code) == (path, 413)


class FullDisk:
    """A file that has room for a little."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._room = 100_000

    def __enter__(self) -> FullDisk:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def write(self, data: bytes) -> int:
        self._room -= len(data)
        if self._room < 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        return self._file.write(data)


def test_a_disk_that_fills_up_is_told_and_nothing_is_left(
    serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = serve()
    opened = Path.open

    def full(path: Path, *arguments: Any, **options: Any) -> Any:
        file = opened(path, *arguments, **options)
        return FullDisk(file) if path.parent.name == transfer.UPLOADS else file

    with monkeypatch.context() as patch:
        patch.setattr(Path, "open", full)
        refused = upload(server, b" " * 400_000)
    assert refused.status_code == 507
    error = refused.json()["error"]
    assert error["code"] == "disk_full"
    assert "No space left" in error["message"] and "Make room" in error["message"]
    assert leftovers(tmp_path) == []
    assert server.http.get("/healthz").status_code == 200
    assert upload(server, b"[]").status_code == 202


def test_a_second_import_is_refused_before_and_after_its_upload(
    serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = serve()
    go_on = threading.Event()
    small = "".join(export_json([(conversation("a"), chain("a", "question"))], 0.0)).encode()

    def slow(*arguments: Any) -> bool:
        go_on.wait(10)
        return take_in(*arguments)

    def content() -> Iterator[bytes]:
        yield b"["
        wait_until(lambda: len(leftovers(tmp_path)) == 1)
        assert upload(server, small).status_code == 202
        yield b" " * MEGABYTE
        yield b"]"

    monkeypatch.setattr(imports, "take_in", slow)
    for refused in (upload(server, content()), upload(server, b" " * 20 * MEGABYTE)):
        assert refused.status_code == 409
        assert refused.json()["error"]["code"] == "import_running"
        assert len(leftovers(tmp_path)) == 1, "only the one that is imported"
    with server.page() as page:
        assert page.until("import")["import"]["state"] == "running"
        go_on.set()
        assert imported(page)["imported"] == 1
    wait_until(lambda: leftovers(tmp_path) == [])


def test_what_a_killed_import_left_is_removed_at_the_start(serve: Serve, tmp_path: Path) -> None:
    folder = tmp_path / transfer.UPLOADS
    folder.mkdir()
    (folder / "0123456789abcdef").write_bytes(b"x" * 1000)
    server = serve()
    assert leftovers(tmp_path) == []
    assert server.http.delete("/api/import").status_code == 204
    assert upload(server, b"[]").status_code == 202


def test_rows_that_go_out_over_http_come_in_elsewhere_as_they_were(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    one.mkdir()
    two.mkdir()
    originals = [random_conversation(seed) for seed in range(15)]
    text = "".join(export_json(originals, 0.0)).encode()
    with serving(one) as server, server.page() as page:
        assert upload(server, text, "seed.json").status_code == 202
        assert imported(page)["imported"] == 15
        exported = server.http.get("/api/export").content
        twice = {"format": "json", "id": ["c3", "c3", "gone"]}
        some = server.http.get("/api/export", params=twice).json()["conversations"]
        assert [value["id"] for value in some] == ["c3"]
    with serving(two) as server, server.page() as page:
        assert upload(server, exported).status_code == 202
        assert (imported(page)["failed"]) == 0
    database = open_store(two).database
    assert everything(database) == {row.id: (row, rows) for row, rows in originals}
    database.close()


@pytest.mark.parametrize("kind", ["json", "markdown"])
def test_an_export_of_nothing_is_an_error_in_every_format(serve: Serve, kind: str) -> None:
    server = serve()
    for ids in ([], ["nope"]):
        missing = server.http.get("/api/export", params={"format": kind, "id": ids})
        assert missing.status_code == 404
        assert missing.json()["error"]["code"] == "conversation_not_found"


def test_failures_name_the_persons_file_and_markup_in_it_is_text(serve: Serve) -> None:
    server = serve()
    title = '<img src=x onerror="alert(1)">\x01'
    values = [{"title": title, "messages": 5}, {"id": "ok", "title": title, "messages": []}]
    with server.page() as page:
        assert upload(server, json.dumps(values).encode(), "my <b>.json").status_code == 202
        end = imported(page)
        assert (end["state"], end["imported"], end["failed"]) == ("done", 1, 1)
        (failure,) = end["failures"]
        assert failure["where"].startswith("my <b>.json, conversation 1 “<img")
        assert server.http.delete("/api/import").status_code == 204
        assert page.until("import")["import"] is None
    with server.page() as later:
        later.until("conversations")
        server.conversation()
        later.until("summaries")
        assert "import" not in {frame["type"] for frame in later.frames}
