"""What can be set: typed values, and one table that says how people write and read them.

Where values come from is the concern of ``settings.sources``.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import platformdirs

from qwenchat.settings import values

ENVIRONMENT_PREFIX = "QWENCHAT_"
DTYPES = ("auto", "bfloat16", "float16", "float32")
SHORTEST_CONTEXT, LONGEST_CONTEXT = 256, 10_000_000
"""Tokens that can be asked for."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How the app runs; the meaning of each value is in :data:`OPTIONS`."""

    host: str = "127.0.0.1"
    port: int = 7860
    no_browser: bool = False
    demo: bool = False
    data_dir: Path = field(default_factory=lambda: Path(platformdirs.user_data_dir("qwenchat")))
    model: str = ""
    context_length: int | None = None
    max_concurrent: int = 8
    dtype: str = "auto"
    endpoint: str | None = None
    offline: bool = False
    share: bool = False
    auth: str | None = field(default=None, repr=False)
    api_key: str | None = field(default=None, repr=False)
    allowed_hosts: tuple[str, ...] = ()
    log_level: str = "info"

    @property
    def url(self) -> str:
        """Where a browser on this machine finds the page."""
        host = "127.0.0.1" if self.host in ("0.0.0.0", "::", "") else self.host
        return f"http://[{host}]:{self.port}" if ":" in host else f"http://{host}:{self.port}"


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a server that listens on ``host``."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


@dataclass(frozen=True, slots=True)
class Option:
    """One setting as people write it. ``parse`` raises ValueError saying what is wanted."""

    name: str
    parse: Callable[[Any], Any]
    help: str
    metavar: str | None = None

    @property
    def flag(self) -> str:
        return "--" + self.name.replace("_", "-")

    @property
    def variable(self) -> str:
        return ENVIRONMENT_PREFIX + self.name.upper()


OPTIONS: tuple[Option, ...] = (
    Option(
        "host",
        values.text,
        "Address to listen on. Anything but this machine itself (0.0.0.0 is every network) "
        "needs a login.",
        "ADDRESS",
    ),
    Option("port", values.whole(0, 65535), "Port to listen on; 0 picks a free one.", "N"),
    Option("no_browser", values.switch, "Do not open the browser."),
    Option(
        "demo",
        values.switch,
        "For a projector: large type, no list and no settings, nothing is written, and the same "
        "question gets the same answer.",
    ),
    Option("data_dir", values.folder, "Folder for models, conversations and the log.", "DIR"),
    Option(
        "model",
        values.maybe_text,
        "Folder of a model, or a ModelScope id such as Qwen/Qwen2.5-1.5B-Instruct, which is "
        "downloaded once. Left out: the model chosen last on the page, at first the small "
        "English one that comes with QwenChat.",
        "ID_OR_PATH",
    ),
    Option(
        "context_length",
        values.whole(SHORTEST_CONTEXT, LONGEST_CONTEXT),
        "Tokens of prompt and answer together. Left out: as much as the model and the memory "
        "allow.",
        "TOKENS",
    ),
    Option("max_concurrent", values.whole(1, 256), "Answers written side by side; more wait.", "N"),
    Option(
        "dtype",
        values.choice(*DTYPES),
        "Number format of the weights in memory.",
        "NAME",
    ),
    Option(
        "endpoint",
        values.address,
        "Address of the ModelScope server to download from. Left out: modelscope.cn.",
        "URL",
    ),
    Option(
        "offline",
        values.switch,
        "Leave the network alone: use only models that are on this machine.",
    ),
    Option(
        "share",
        values.switch,
        "Give the page a public https address for three days at most, by way of Gradio's servers, "
        "which pass on all that is written. Needs a login.",
    ),
    Option(
        "auth",
        values.login,
        "Ask for this login. Other programs can read flags: prefer the environment variable "
        "or the settings file.",
        "USER:PASSWORD",
    ),
    Option(
        "api_key",
        values.key,
        "Key that programs must send to use the OpenAI-compatible API (/v1). Left out: none is "
        "needed on this machine itself, and beyond it the API is closed. Prefer the environment "
        "variable or the settings file, as for --auth.",
        "KEY",
    ),
    Option(
        "allowed_hosts",
        values.names,
        "More names under which browsers may reach this server, as behind a reverse proxy.",
        "NAME,NAME",
    ),
    Option(
        "log_level",
        values.choice("debug", "info", "warning", "error"),
        "What is written to the log.",
        "LEVEL",
    ),
)
