"""Jobs about files that were uploaded and wait to be sent with a message."""

from __future__ import annotations

import sqlite3

from qwenchat.errors import AttachedFileNotFound
from qwenchat.store.columns import attachments_column, attachments_from
from qwenchat.store.rows import Attachment


def keep_file(connection: sqlite3.Connection, file: Attachment, uploaded_at: float) -> None:
    """Keep a file until it is deleted, or old.

    Args:
        uploaded_at: Seconds since 1970.
    """
    connection.execute(
        "INSERT INTO files (id, uploaded_at, file) VALUES (?, ?, ?)",
        (file.id, uploaded_at, attachments_column([file])),
    )


def load_file(connection: sqlite3.Connection, file_id: str) -> Attachment:
    """The file of that id.

    Raises:
        AttachedFileNotFound: There is none, or no longer.
    """
    row = connection.execute("SELECT file FROM files WHERE id = ?", (file_id,)).fetchone()
    found = attachments_from(row[0]) if row else ()
    if not found:
        raise file_not_found()
    return found[0]


def delete_file(connection: sqlite3.Connection, file_id: str) -> None:
    """Delete a file; messages that it was sent with keep their copy."""
    connection.execute("DELETE FROM files WHERE id = ?", (file_id,))


def purge_files(connection: sqlite3.Connection, older_than: float) -> int:
    """Delete files uploaded before ``older_than``, in seconds since 1970; returns how many."""
    return connection.execute("DELETE FROM files WHERE uploaded_at < ?", (older_than,)).rowcount


def file_not_found() -> AttachedFileNotFound:
    """The error for a file that is not there, or no longer."""
    return AttachedFileNotFound(
        "This file is not here any more: files that are not sent are kept for a day. Add it again.",
        param="files",
    )
