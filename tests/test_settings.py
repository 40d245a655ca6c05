"""Settings: which source wins, and how every mistake is told."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from qwenchat.errors import InvalidSetting, LoginMissing, SetupError
from qwenchat.settings import OPTIONS, Settings, is_loopback
from qwenchat.settings.sources import load_settings


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A data folder; put a ``config.toml`` into it."""
    return tmp_path


def load(folder: Path, *flags: str, **variables: str) -> Settings:
    environment = {f"QWENCHAT_{name}": value for name, value in variables.items()}
    return load_settings(["--data-dir", str(folder), *flags], environment | {"HOME": "/nowhere"})


def config(folder: Path, text: str) -> None:
    (folder / "config.toml").write_text(text, encoding="utf-8")


def test_the_table_names_every_setting_once() -> None:
    assert [option.name for option in OPTIONS] == [field.name for field in fields(Settings)]


def test_without_any_source_the_defaults_hold(folder: Path) -> None:
    assert load(folder) == Settings(data_dir=folder)


def test_the_nearer_source_wins(folder: Path) -> None:
    config(folder, 'port = 1\nmax_concurrent = 1\nmodel = "from/file"\nno_browser = true')
    settings = load(folder, "--port", "3", PORT="2", MAX_CONCURRENT="2")
    assert (settings.port, settings.max_concurrent) == (3, 2)
    assert (settings.model, settings.no_browser) == ("from/file", True)


VALUES: list[tuple[str, str, str, Any]] = [
    ("host", "::1", '"::1"', "::1"),
    ("port", "8000", "8000", 8000),
    ("data_dir", "/x/y", '"/x/y"', Path("/x/y")),
    ("model", "Qwen/Qwen2.5-0.5B", '"Qwen/Qwen2.5-0.5B"', "Qwen/Qwen2.5-0.5B"),
    ("context_length", "4096", "4096", 4096),
    ("max_concurrent", "4", "4", 4),
    ("dtype", "BFloat16", '"bfloat16"', "bfloat16"),
    ("endpoint", "http://hub.example/", '"http://hub.example"', "http://hub.example"),
    ("auth", "anna:se:cret", '"anna:se:cret"', "anna:se:cret"),
    ("api_key", "sk-0123456", '"sk-0123456"', "sk-0123456"),
    ("allowed_hosts", "A.example, b", '["a.example", "b"]', ("a.example", "b")),
    ("log_level", "debug", '"debug"', "debug"),
]


@pytest.mark.parametrize(("name", "text", "toml", "value"), VALUES)
def test_a_setting_is_the_same_from_every_source(
    tmp_path: Path, name: str, text: str, toml: str, value: Any
) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(f"{name} = {toml}\n", encoding="utf-8")
    flag = "--" + name.replace("_", "-")
    for settings in (
        load_settings([flag, text], {}),
        load_settings([f"{flag}={text}"], {}),
        load_settings([], {f"QWENCHAT_{name.upper()}": text}),
        load_settings(["--config", str(file)], {}),
        load_settings([], {"QWENCHAT_CONFIG": str(file)}),
    ):
        assert getattr(settings, name) == value


@pytest.mark.parametrize(("word", "value"), [("1", True), ("no", False), ("TRUE", True)])
def test_a_switch_can_be_turned_either_way(folder: Path, word: str, value: bool) -> None:
    assert load(folder, NO_BROWSER=word).no_browser is value
    assert load(folder, "--no-browser", NO_BROWSER=word).no_browser is True


@pytest.mark.parametrize(
    ("flags", "variables", "file", "expected"),
    [
        (["--prot", "1"], {}, "", "The flag --prot is not known. Did you mean --port?"),
        (["--bogus"], {}, "", "The flag --bogus is not known. Run with --help"),
        (["--por=1"], {}, "", "The flag --por is not known. Did you mean --port?"),
        (["foo"], {}, "", "The argument foo is not known."),
        (["--port"], {}, "", "Command line: Argument --port: expected one argument."),
        (["--port", "x"], {}, "", "--port must be a whole number from 0 to 65535, not 'x'."),
        (["--port", "65536"], {}, "", "--port must be a whole number from 0 to 65535"),
        (["--host", ""], {}, "", "--host must be a text that is not empty"),
        (["--dtype", "int3"], {}, "", "--dtype must be one of auto, bfloat16"),
        (["--endpoint", "hub"], {}, "", "--endpoint must be an address that begins with http"),
        ([], {"PROT": "1"}, "", "QWENCHAT_PROT is not known. Did you mean QWENCHAT_PORT?"),
        ([], {"NO_BROWSER": "perhaps"}, "", "QWENCHAT_NO_BROWSER must be true or false"),
        ([], {}, "prot = 1", "The setting prot is not known. Did you mean port?"),
        ([], {}, 'port = "x"', "port in {folder}/config.toml must be a whole number"),
        ([], {}, "port = 1.5", "port in {folder}/config.toml must be a whole number"),
        ([], {}, "port = true", "port in {folder}/config.toml must be a whole number"),
        ([], {}, "host = 5", "host in {folder}/config.toml must be a text"),
        ([], {}, "allowed_hosts = [1]", "must be host names with commas"),
        ([], {}, "port = ", "The settings file {folder}/config.toml cannot be read:"),
        (["--config", "/no/such.toml"], {}, "", "The settings file /no/such.toml does not exist."),
    ],
)  # fmt: skip
def test_a_mistake_is_told_with_source_and_way_out(
    folder: Path, flags: list[str], variables: dict[str, str], file: str, expected: str
) -> None:
    if file:
        config(folder, file)
    with pytest.raises(InvalidSetting) as told:
        load(folder, *flags, **variables)
    assert expected.replace("{folder}", str(folder)) in told.value.message
    assert "\n" not in told.value.message.strip()


def test_a_bad_login_is_not_shown(folder: Path) -> None:
    with pytest.raises(InvalidSetting) as told:
        load(folder, AUTH="hunter2")
    assert "hunter2" not in told.value.message
    assert "hunter2" not in repr(load(folder, AUTH="anna:hunter2"))


@pytest.mark.parametrize("key", ["short", "with a space", "schlüssel1"])
def test_a_bad_key_is_not_shown(folder: Path, key: str) -> None:
    with pytest.raises(InvalidSetting) as told:
        load(folder, API_KEY=key)
    assert key not in told.value.message
    assert "sk-0123456" not in repr(load(folder, API_KEY="sk-0123456"))


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.5", "chat.example"])
def test_beyond_this_machine_a_login_is_needed(folder: Path, host: str) -> None:
    with pytest.raises(LoginMissing) as told:
        load(folder, "--host", host)
    assert "QWENCHAT_AUTH" in told.value.message
    assert isinstance(told.value, SetupError)
    assert load(folder, "--host", host, AUTH="anna:secret").host == host


@pytest.mark.parametrize("host", ["127.0.0.1", "127.1.2.3", "localhost", "::1", "[::1]"])
def test_loopback_needs_none(folder: Path, host: str) -> None:
    assert is_loopback(host)
    assert load(folder, "--host", host).host == host


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("127.0.0.1", "http://127.0.0.1:7860"),
        ("localhost", "http://localhost:7860"),
        ("::1", "http://[::1]:7860"),
        ("0.0.0.0", "http://127.0.0.1:7860"),
    ],
)
def test_the_url_is_one_a_browser_here_can_open(host: str, url: str) -> None:
    assert Settings(host=host).url == url
