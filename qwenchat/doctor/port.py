"""The port QwenChat would listen on."""

from __future__ import annotations

from dataclasses import dataclass

from qwenchat.doctor.data import find_holder
from qwenchat.doctor.subject import Subject
from qwenchat.errors import PortInUse, QwenChatError


@dataclass(frozen=True, slots=True)
class Port:
    """What came of trying to listen.

    Attributes:
        refused: Why it did not work, in words to show; empty when it did.
        in_use: Somebody listens there already.
        is_this: And that is this very process.
    """

    host: str
    number: int
    refused: str = ""
    in_use: bool = False
    is_this: bool = False


def read_port(subject: Subject) -> Port:
    """Listen for a moment, as the app would."""
    # Needs a package; here, so that the rest of the doctor works without it.
    from qwenchat.server.listen import listen
    from qwenchat.settings import Settings

    try:
        listen(Settings(host=subject.host, port=subject.port)).close()
    except QwenChatError as error:
        in_use = isinstance(error, PortInUse)
        holder = find_holder(subject.data_dir) if in_use else None
        is_this = holder is not None and holder.is_this
        return Port(subject.host, subject.port, error.message, in_use, is_this)
    return Port(subject.host, subject.port)
