"""A model that could not be loaded, as every page is told of it."""

from __future__ import annotations

from pathlib import Path

from qwenchat.engine.fake import FakeEngine
from qwenchat.errors import EngineStartFailed
from tests.api.model_worlds import HERE, installed
from tests.api.serving import serving, wait_until


def test_going_back_is_a_notice_until_the_next_switch(tmp_path: Path) -> None:
    installed(tmp_path)
    engine = FakeEngine()
    with serving(tmp_path, engine) as server, server.page() as page:
        page.until("engine")
        server.on_loop(engine.fail_next_load, EngineStartFailed("It was killed."))
        assert server.http.put("/api/model", json={"model": HERE}).status_code == 202
        (notice,) = page.until("notices")["notices"]
        assert notice == {
            "id": "model",
            "kind": "model",
            "message": f"{HERE} could not be loaded: It was killed. QwenChat went back to "
            "Fake-0.1B.",
        }
        with server.page() as another:
            assert another.until("notices")["notices"] == [notice]
        assert server.http.put("/api/model", json={"model": HERE}).status_code == 202
        assert page.until("notices")["notices"] == []
        wait_until(lambda: server.http.get("/healthz").json()["model"] == HERE)
