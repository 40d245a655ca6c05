"""``--share``: the tunnel itself is a service on the internet; what is ours is all around it."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from qwenchat.api.app import create_app
from qwenchat.engine.fake import FakeEngine
from qwenchat.errors import InvalidSetting, LoginMissing
from qwenchat.server import serve, sharing
from qwenchat.settings import Settings
from qwenchat.settings.sources import load_settings
from qwenchat.store.opening import open_store

ADDRESS = "https://0123456789abcdef.gradio.live"


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(data_dir=tmp_path, auth="anna:secret", share=True)


def test_sharing_without_a_login_is_refused(tmp_path):
    with pytest.raises(LoginMissing, match="QWENCHAT_AUTH"):
        load_settings(["--data-dir", str(tmp_path), "--share"], {"HOME": "/nowhere"})


def test_sharing_and_offline_contradict_each_other(tmp_path):
    flags = ["--data-dir", str(tmp_path), "--share", "--offline", "--auth", "anna:secret"]
    with pytest.raises(InvalidSetting, match="--offline"):
        load_settings(flags, {"HOME": "/nowhere"})


def test_the_public_name_is_let_in_once_it_is_known_and_asks_for_the_login(
    settings, tmp_path, monkeypatch, capsys
):
    monkeypatch.setattr(serve, "open_tunnel", lambda _: ADDRESS)

    async def run() -> list[int]:
        app = create_app(settings, FakeEngine(), open_store(tmp_path), with_page=False)
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url=ADDRESS) as http:
            before = await http.get("/api/conversations")
            await serve._share(settings, app)
            after = await http.get("/api/conversations")
            foreign = await http.get("/api/conversations", headers={"host": "x.gradio.live"})
        app.chat.database.close()
        return [before.status_code, after.status_code, foreign.status_code]

    assert asyncio.run(run()) == [403, 401, 403]
    said = " ".join(capsys.readouterr().out.split())
    assert ADDRESS in said and "through Gradio's servers" in said


def test_without_an_address_the_app_goes_on_and_says_so(settings, tmp_path, monkeypatch, capsys):
    def refuse(*_: object, **__: object) -> str:
        raise RuntimeError("Could not get share link from Gradio API Server.")

    monkeypatch.setattr("gradio.networking.setup_tunnel", refuse)

    async def run() -> None:
        app = create_app(settings, FakeEngine(), open_store(tmp_path), with_page=False)
        await serve._share(settings, app)
        app.chat.database.close()

    asyncio.run(run())
    assert "no public address" in capsys.readouterr().out


def test_the_tunnel_ends_with_the_app(monkeypatch):
    from gradio import tunneling

    tunnel = tunneling.Tunnel("example.org", 1, "127.0.0.1", 7860, "token", None)
    program = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    monkeypatch.setattr(tunnel, "proc", program)
    monkeypatch.setattr(tunneling, "CURRENT_TUNNELS", [tunnel])
    sharing.close_tunnels()
    assert program.wait(5) != 0
