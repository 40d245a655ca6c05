"""Models for tests of the app: on a hub of this machine, and in its data folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from qwenchat.models.manifest import Manifest, record_files, write_manifest
from tests.api.serving import Frame, Page, Serving
from tests.models.samples import small_snapshot

HERE = "Qwen/Qwen-Here"
PUBLISHED = "Qwen/Qwen-Test"
WEIGHTS = "model.safetensors"
ROWS = 250_000
"""Weights of four megabytes, which makes 245 chunks of the hub."""


def installed(data_dir: Path, model_id: str = HERE, rows: int = 16) -> Path:
    """A model in the data folder, as a download leaves it."""
    folder = data_dir / "models" / model_id.replace("/", "--")
    small_snapshot(folder, rows=rows)
    write_manifest(folder, Manifest(model_id, model_id, "master", record_files(folder)))
    return folder


def look(server: Serving) -> Frame:
    """The answer of ``GET /api/models``."""
    answer = server.http.get("/api/models")
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def here(server: Serving, model_id: str) -> Frame | None:
    """An installed model as that answer has it."""
    return next((one for one in look(server)["installed"] if one["id"] == model_id), None)


def post(server: Serving, path: str, **body: Any) -> Any:
    return server.http.post(f"/api/{path}", json=body)


def error_of(answer: Any) -> tuple[int, str, str]:
    """Status, code and message of a refusal."""
    error = answer.json()["error"]
    return answer.status_code, error["code"], error["message"]


def download_until(page: Page, *states: str, model_id: str = PUBLISHED, **at_least: int) -> Frame:
    """The next state of a download that is one of these, with numbers of at least these."""
    while True:
        for download in page.until("downloads", 30)["downloads"]:
            if download["id"] != model_id:
                continue
            assert download["state"] != "failed" or "failed" in states, download["error"]
            if download["state"] in states and all(
                download[name] >= number for name, number in at_least.items()
            ):
                return dict(download)
