"""Whether QwenChat can keep what people write, and be reached."""

from __future__ import annotations

from qwenchat.doctor.data import Data
from qwenchat.doctor.outcome import Check, ok, problem, warning
from qwenchat.doctor.port import Port


def check_data(data: Data) -> list[Check]:
    """Every check of the data folder."""
    return [folder(data), lock(data), database(data)]


def folder(data: Data) -> Check:
    """Whether it can be made, read and written."""
    if data.refused:
        return problem(
            "data folder",
            f"{data.folder} cannot be written",
            "Correct its permissions, or choose another folder with --data-dir.",
            data.refused,
        )
    return ok("data folder", str(data.folder) if data.exists else f"{data.folder} (not made yet)")


def lock(data: Data) -> Check:
    """Whether another QwenChat has it."""
    if data.holder is None:
        return ok("lock", "no other QwenChat uses the data folder")
    if data.holder.is_this:
        return ok("lock", "held by this QwenChat")
    who = f"process {data.holder.pid}" if data.holder.pid else "another QwenChat"
    where = f" at {data.holder.url}" if data.holder.url else ""
    return warning(
        "lock",
        f"the data folder is in use by {who}{where}",
        "Use that QwenChat, end it, or start a second one with another --data-dir.",
    )


def database(data: Data) -> Check:
    """Whether the conversations can be read."""
    name = "database"
    if data.unreadable:
        return problem(name, "the conversations cannot be opened", data.unreadable)
    if data.damage:
        return problem(
            name,
            "the database of conversations is damaged",
            "Start QwenChat: it keeps the damaged file aside, unchanged, and saves everything "
            "that can still be read.",
            data.damage,
        )
    if data.database_bytes is None:
        return ok(name, "no conversations yet")
    return ok(name, f"whole, {data.database_bytes / 2**20:.1f} MiB")


def port(found: Port) -> Check:
    """Whether the app could listen there."""
    where = f"{found.host}:{found.number}"
    if found.is_this:
        return ok("port", f"{where}, where this QwenChat listens")
    if not found.refused:
        return ok("port", f"{where} is free" if found.number else "a free one is picked")
    what, _, rest = found.refused.partition(". ")
    make = warning if found.in_use else problem
    return make("port", what, rest)
