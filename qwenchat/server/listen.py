"""Taking the port, before anything slow begins."""

from __future__ import annotations

import errno
import http.client
import json
import os
import socket
from dataclasses import replace

from qwenchat.errors import InvalidSetting, PortInUse
from qwenchat.settings import Settings

PEER_SECONDS = 1.0
"""How long whoever holds the port may take to say whether it is a QwenChat."""


def listen(settings: Settings) -> socket.socket:
    """A socket that listens where the settings say; connections wait until it is served.

    Raises:
        PortInUse: Another program listens there.
        InvalidSetting: The address is none of this machine, or the port is not for us.
    """
    host, port = settings.host.strip("[]"), settings.port
    no_address = InvalidSetting(
        f"{settings.host} is no address of this machine. Leave out --host to serve this "
        "machine only, or use 0.0.0.0 for every network.",
        param="host",
    )
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except OSError:
        raise no_address from None
    # "localhost" may name ::1 first, where http://127.0.0.1 would not be answered.
    family, kind, protocol, _, address = min(found, key=lambda info: info[0] != socket.AF_INET)
    listener = socket.socket(family, kind, protocol)
    try:
        if os.name == "posix":
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen()
    except OSError as error:
        listener.close()
        if error.errno == errno.EADDRINUSE:
            raise _port_in_use(settings) from None
        if error.errno == errno.EACCES:
            raise InvalidSetting(
                f"Port {port} is reserved for the system. Choose another one, as in --port 7860.",
                param="port",
            ) from None
        raise no_address from None
    return listener


def _port_in_use(settings: Settings) -> PortInUse:
    port = settings.port
    other = f"--port {port + 1 if port < 65535 else port - 1}"
    if _is_qwenchat(settings):
        return PortInUse(
            f"QwenChat is already running: open {settings.url} in a browser. To start a second "
            f"one, add {other}.",
            param="port",
        )
    return PortInUse(
        f"Port {port} is in use by another program. Start on another one with {other}, or end "
        "that program.",
        param="port",
    )


def _is_qwenchat(settings: Settings) -> bool:
    host, port = replace(settings, port=0).url[len("http://") :].rsplit(":", 1)[0], settings.port
    connection = http.client.HTTPConnection(host.strip("[]"), port, timeout=PEER_SECONDS)
    try:
        connection.request("GET", "/healthz")
        health = json.loads(connection.getresponse().read(10_000))
    except (OSError, ValueError, http.client.HTTPException):
        return False
    finally:
        connection.close()
    return isinstance(health, dict) and {"state", "model", "stage", "error"} <= health.keys()
