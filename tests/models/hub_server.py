"""A hub on this machine that speaks ModelScope's protocol, as far as downloads go.

Written from what modelscope-hub 0.5.1 requests (``_legacy_api.py``, ``_download.py``):

- ``GET /api/v1/models/{owner}/{name}/repo/files?Revision=…&Recursive=True`` → the list,
- ``GET /api/v1/models/{owner}/{name}/repo?Revision=…&FilePath=…`` → a file, large ones by a
  redirect to a storage server, which honours ``Range``,
- ``GET /api/v1/repos/internalAccelerationInfo`` → ignored by anyone outside Alibaba Cloud.

It also answers as a proxy, for whoever asks it for ``http://another.host/api/…``.
"""

from __future__ import annotations

import hashlib
import json
import socket
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from socketserver import BaseRequestHandler, ThreadingTCPServer
from typing import Any
from urllib.parse import parse_qs, quote, unquote, urlsplit

import pytest

REDIRECTED_FROM = 10_000
"""Files of this size in bytes and more are served by the storage server."""

_CHUNK = 16_384


@dataclass
class Request:
    """What was asked: the file, or the whole path for anything else, and the Range header."""

    what: str
    range: str | None
    host: str | None = None


@dataclass
class LocalHub:
    """The hub's models and its faults; tests change both while it runs.

    Attributes:
        models: Files by model id.
        listed: List entries to send in place of the true ones, by file path.
        replaced: Content to send in place of the true one, by file path.
        cut_once: Close the connection after so many bytes of a file, the first time.
        stalled_at: Send nothing more after so many bytes of a file, and keep the line open.
        refused: Status to answer with in place of a file, by its path.
        seconds_per_chunk: Wait before each 16 KB.
        down: Close every connection, those that run included.
        list_answer: Status, content type and body in place of the list.
        requests: Everything asked so far, oldest first.
        served: Bytes of content sent, by file path.
    """

    models: dict[str, dict[str, bytes]] = field(default_factory=dict)
    listed: dict[str, dict[str, Any]] = field(default_factory=dict)
    replaced: dict[str, bytes] = field(default_factory=dict)
    cut_once: dict[str, int] = field(default_factory=dict)
    stalled_at: dict[str, int] = field(default_factory=dict)
    refused: dict[str, int] = field(default_factory=dict)
    seconds_per_chunk: float = 0.0
    down: bool = False
    list_answer: tuple[int, str, bytes] | None = None
    requests: list[Request] = field(default_factory=list)
    served: Counter[str] = field(default_factory=Counter)
    endpoint: str = ""

    def add(self, model_id: str, folder: Path) -> None:
        """Publish the files of a folder."""
        self.models[model_id] = {
            path.relative_to(folder).as_posix(): path.read_bytes()
            for path in folder.rglob("*")
            if path.is_file()
        }

    def hold(self, path: str, share: float) -> None:
        """Send nothing more of a file after this share of it, until :meth:`let_go`."""
        contents = (files[path] for files in self.models.values() if path in files)
        self.stalled_at[path] = int(share * max(map(len, contents)))

    def let_go(self) -> None:
        """Send on."""
        self.stalled_at.clear()

    def asked_for(self, path: str) -> list[Request]:
        """The requests for one file."""
        return [request for request in self.requests if request.what == path]

    def entries(self, model_id: str) -> list[dict[str, Any]]:
        """The list of files as ModelScope sends it (fields the client does not read left out)."""
        true = {
            path: {
                "Name": path.rsplit("/", 1)[-1],
                "Path": path,
                "Type": "blob",
                "Size": len(content),
                "Sha256": hashlib.sha256(content).hexdigest(),
                "IsLFS": len(content) >= REDIRECTED_FROM,
                "CommittedDate": 1733000000,
            }
            for path, content in self.models[model_id].items()
        }
        folders = {path.rsplit("/", 1)[0] for path in true if "/" in path}
        trees = [{"Name": name, "Path": name, "Type": "tree", "Size": 0} for name in folders]
        return trees + list((true | self.listed).values())


@contextmanager
def running_hub() -> Iterator[LocalHub]:
    """A hub on a free port of 127.0.0.1."""
    hub = LocalHub()

    class Handler(_Handler):
        pass

    Handler.hub = hub
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    hub.endpoint = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield hub
    finally:
        hub.down = True
        server.shutdown()
        server.server_close()
        thread.join()


@contextmanager
def client_of_its_own(home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The client with settings of its own, and with every way out of the machine watched.

    What is meant for another machine goes to a proxy that only notes it; at the end there
    must have been nothing.
    """
    seen: list[str] = []

    class Proxy(BaseRequestHandler):
        def handle(self) -> None:
            seen.append(self.request.recv(300).decode("latin-1"))

    with ThreadingTCPServer(("127.0.0.1", 0), Proxy) as server:
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        proxy = f"http://127.0.0.1:{server.server_address[1]}"
        for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
            monkeypatch.setenv(name, proxy)
            monkeypatch.setenv(name.lower(), proxy)
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        monkeypatch.setenv("no_proxy", "127.0.0.1")
        monkeypatch.setenv("MODELSCOPE_HOME", str(home / "home"))
        monkeypatch.setenv("MODELSCOPE_CACHE", str(home / "cache"))
        monkeypatch.setenv("HF_HOME", str(home / "huggingface"))
        monkeypatch.setenv("MODELSCOPE_REPO_TREE_PAGE_MAX_ATTEMPTS", "1")
        monkeypatch.setenv("MODELSCOPE_DOWNLOAD_MAX_RETRIES", "1")
        for name in ("HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "QWENCHAT_OFFLINE"):
            monkeypatch.delenv(name, raising=False)
        for name in ("MODELSCOPE_ENDPOINT", "MODELSCOPE_API_TOKEN"):
            monkeypatch.delenv(name, raising=False)
        yield
        server.shutdown()
    assert seen == [], "something left the machine"


class _Handler(BaseHTTPRequestHandler):
    hub: LocalHub
    protocol_version = "HTTP/1.1"

    def setup(self) -> None:
        super().setup()
        # What has been written has then all but arrived, so that bytes served can be compared.
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 32_768)
        self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def do_GET(self) -> None:
        if self.hub.down:
            self.close_connection = True
            return
        url = urlsplit(self.path)
        query = {name: values[0] for name, values in parse_qs(url.query).items()}
        parts = [unquote(part) for part in url.path.strip("/").split("/")]
        try:
            match parts:
                case ["api", "v1", "models", owner, name, "repo", "files"]:
                    self._note(url.path)
                    self._list(f"{owner}/{name}")
                case ["api", "v1", "models", owner, name, "repo"]:
                    self._file(f"{owner}/{name}", query["FilePath"])
                case ["storage", owner, name, *path]:
                    self._note("/".join(path))
                    self._content(f"{owner}/{name}", "/".join(path))
                case _:
                    self._note(self.path)
                    self._refuse()
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def _note(self, what: str) -> None:
        self.hub.requests.append(Request(what, self.headers.get("Range"), self.headers.get("Host")))

    def _list(self, model_id: str) -> None:
        if self.hub.list_answer is not None:
            self._send(*self.hub.list_answer)
        elif model_id not in self.hub.models:
            self._refuse()
        else:
            data = {"Files": self.hub.entries(model_id), "IsVisual": 0}
            body = {"Code": 200, "Data": data, "Message": "success", "Success": True}
            self._send(200, "application/json", json.dumps(body).encode())

    def _file(self, model_id: str, path: str) -> None:
        content = self.hub.models.get(model_id, {}).get(path)
        if path in self.hub.refused:
            self._note(path)
            self._send(self.hub.refused[path], "application/json", b"{}")
        elif content is None:
            self._note(path)
            self._refuse()
        elif len(content) >= REDIRECTED_FROM:
            self.send_response(302)
            self.send_header("Location", f"/storage/{model_id}/{quote(path)}")
            self.send_header("Content-Length", "0")
            self.end_headers()
        else:
            self._note(path)
            # The hub itself, unlike its storage, ignores Range.
            body = self.hub.replaced.get(path, content)
            self._send(200, "application/octet-stream", body)
            self.hub.served[path] += len(body)

    def _content(self, model_id: str, path: str) -> None:
        content = self.hub.replaced.get(path, self.hub.models[model_id][path])
        start, end = 0, len(content)
        if wanted := self.headers.get("Range"):
            first, _, last = wanted.removeprefix("bytes=").partition("-")
            start, end = int(first), int(last) + 1 if last else len(content)
            if start >= len(content):
                self._send(416, "text/plain", b"")
                return
        self.send_response(206 if wanted else 200)
        if wanted:
            self.send_header("Content-Range", f"bytes {start}-{end - 1}/{len(content)}")
        self.send_header("Content-Length", str(end - start))
        self.end_headers()
        stop = min(end, self.hub.cut_once.pop(path, end))
        for offset in range(start, stop, _CHUNK):
            if self.hub.seconds_per_chunk:
                time.sleep(self.hub.seconds_per_chunk)
            while offset >= self.hub.stalled_at.get(path, stop) and not self.hub.down:
                time.sleep(0.05)
            if self.hub.down:
                self.close_connection = True
                return
            block = content[offset : min(offset + _CHUNK, stop)]
            self.wfile.write(block)
            self.hub.served[path] += len(block)
        if stop < end:
            self.close_connection = True

    def _refuse(self) -> None:
        body = {"Code": 10010205001, "Message": "record not found", "Success": False}
        self._send(404, "application/json", json.dumps(body).encode())

    def _send(self, status: int, content_type: str, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
