"""A public address for the page, by way of Gradio's servers (``--share``)."""

from __future__ import annotations

import secrets
import sys
from logging import getLogger
from urllib.parse import urlsplit

from qwenchat.settings import Settings

_log = getLogger(__name__)


def open_tunnel(settings: Settings) -> str | None:
    """Have Gradio's program pass requests from a public https address on to this server.

    Waits for its download at the first time and for the address, up to about a minute: not
    for an event loop. Needs Gradio to be imported.

    Returns:
        The address; None when there is none, for a reason that is in the log.
    """
    from gradio import networking

    try:
        return networking.setup_tunnel(
            urlsplit(settings.url).hostname or "127.0.0.1",
            settings.port,
            share_token=secrets.token_urlsafe(32),
            share_server_address=None,
            share_server_tls_certificate=None,
        )
    except Exception as error:
        # Whatever goes wrong between here and a foreign service, the page goes on without.
        _log.warning("no public address: %s: %s", type(error).__name__, error, exc_info=error)
        return None


def close_tunnels() -> None:
    """End Gradio's program, so that the address leads nowhere once the app is gone."""
    tunneling = sys.modules.get("gradio.tunneling")
    if tunneling:
        for tunnel in tunneling.CURRENT_TUNNELS:
            tunnel.kill()
