"""Who may use the OpenAI-compatible API: what the configuration says, not the caller's address.

A program on the same machine and one behind a proxy on it look alike, so an address proves
nothing.
"""

from __future__ import annotations

import hmac

from starlette.datastructures import Headers
from starlette.types import Scope

from qwenchat.errors import ApiKeyRequired
from qwenchat.settings import Settings, is_loopback

API_PREFIX = "/v1/"


class ApiKeys:
    """The key of this server, and whether one is needed.

    A login or further host names mean that others reach the server through something in
    front of it, even where it listens on loopback.
    """

    def __init__(self, settings: Settings) -> None:
        self._key = settings.api_key.encode() if settings.api_key else None
        self._is_private = (
            is_loopback(settings.host) and not settings.auth and not settings.allowed_hosts
        )

    def check(self, scope: Scope) -> None:
        """Let pass who may use the API.

        Raises:
            ApiKeyRequired: The request lacks the right key, or none is configured on a server
                that others reach.
        """
        if self._key is None:
            if self._is_private:
                return
            raise ApiKeyRequired(
                "This server can be reached by others and has no API key, so its API is closed. "
                "Set one where it is started, as in QWENCHAT_API_KEY=sk-..., and send it as "
                "Authorization: Bearer sk-..."
            )
        scheme, _, given = Headers(scope=scope).get("authorization", "").partition(" ")
        right = hmac.compare_digest(given.strip().encode(), self._key)
        if scheme.lower() != "bearer" or not right:
            raise ApiKeyRequired(
                "The API key is missing or wrong. Send the key this server was started with "
                "as Authorization: Bearer KEY."
            )
