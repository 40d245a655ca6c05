"""Which requests are refused before any route sees them, and why: pure decisions.

QwenChat listens on loopback, where every page a browser shows can send requests. A foreign
page must neither act (Origin, Sec-Fetch-Site) nor read by pointing a name of its own at
this machine (Host).
"""

from __future__ import annotations

import ipaddress
from collections.abc import Collection
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import Scope

from qwenchat.errors import HostRefused, OriginRefused
from qwenchat.settings import Settings, is_loopback

_OWN_SITES = frozenset({"same-origin", "none"})
_DEFAULT_PORTS = {"http": 80, "https": 443, "ws": 80, "wss": 443}


def known_hosts(settings: Settings) -> frozenset[str]:
    """The names a browser may know this server by."""
    names = {"localhost", settings.host.strip("[]").lower(), *settings.allowed_hosts}
    return frozenset(name.rstrip(".") for name in names)


def check_host(scope: Scope, known: Collection[str]) -> None:
    """Refuse a request that was meant for a server of another name.

    A loopback address, or the very address the connection was made to, is no name that
    somebody else could point here.

    Raises:
        HostRefused: The Host header is missing, doubled, malformed or foreign.
    """
    given = Headers(scope=scope).getlist("host")
    name = _host_and_port(given[0], None)[0] if len(given) == 1 else ""
    if name in known or (name and is_loopback(name)):
        return
    server = scope.get("server")
    if name and server and _same_address(name, server[0]):
        return
    raise HostRefused(
        f"This server does not answer to the name {name or '(none)'}. If the name is right, "
        "add it with --allowed-hosts.",
        param="host",
    )


def check_origin(scope: Scope) -> None:
    """Refuse what a page of another site asks for, except to be shown here as a whole page.

    Raises:
        OriginRefused: Origin or Sec-Fetch-Site name another site.
    """
    headers = Headers(scope=scope)
    refused = OriginRefused(
        "This request comes from a page of another site. Open QwenChat in a tab of its own.",
        param="origin",
    )
    origins = headers.getlist("origin")
    if origins:
        parts = urlsplit(origins[0])
        default = _DEFAULT_PORTS.get(parts.scheme)
        own = _host_and_port(headers.get("host", ""), default)
        if len(origins) > 1 or not default or _host_and_port(parts.netloc, default) != own:
            raise refused
    site = headers.get("sec-fetch-site", "none")
    is_link = (
        scope.get("method") in ("GET", "HEAD")
        and headers.get("sec-fetch-mode") == "navigate"
        and headers.get("sec-fetch-dest") == "document"
    )
    if site not in _OWN_SITES and not is_link:
        raise refused


def _host_and_port(netloc: str, default_port: int | None) -> tuple[str, int | None]:
    """The name in lower case without brackets or final dot; empty when malformed."""
    try:
        parts = urlsplit(f"//{netloc}")
        if parts.path or parts.query or parts.fragment or "@" in netloc:
            return "", None
        return (parts.hostname or "").rstrip("."), parts.port or default_port
    except ValueError:
        return "", None


def _same_address(one: str, other: str) -> bool:
    try:
        return ipaddress.ip_address(one) == ipaddress.ip_address(other)
    except ValueError:
        return False
