"""Writes the database of the current schema version."""

from __future__ import annotations

import sqlite3
import sys
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from qwenchat.store.columns import attachments_from
from qwenchat.store.conversations import delete_conversation, insert_conversation
from qwenchat.store.index import findable_text
from qwenchat.store.messages import insert_messages
from qwenchat.store.migrations import APPLICATION_ID, MIGRATIONS
from qwenchat.store.opening import open_store
from qwenchat.store.uploads import keep_file
from qwenchat.store.words import indexed_words
from tests.store.old import dump_of
from tests.store.samples import ATTACHED, FULL_CONVERSATION, FULL_MESSAGES, NOON, growing, keep


def main() -> None:
    target = dump_of(len(MIGRATIONS))
    if target.exists():
        sys.exit(f"{target.name} is there already: what was released does not change.")
    with tempfile.TemporaryDirectory() as folder:
        database = open_store(Path(folder)).database
        database.write(insert_conversation, FULL_CONVERSATION).result()
        database.write(insert_messages, FULL_MESSAGES).result()
        question = keep(database, "plain", "How are you?", "Fine.", "你好", title="Plain")[0]
        database.write(insert_messages, [growing(question)]).result()
        version = replace(growing(question, "version"), content="Well.", state="interrupted")
        database.write(insert_messages, [version], {"leaf_id": "version"}).result()
        database.write(insert_conversation, replace(FULL_CONVERSATION, id="hashed"), "abc").result()
        database.write(keep_file, ATTACHED[1], NOON).result()
        keep(database, "gone", "deleted")
        database.write(delete_conversation, "gone", NOON).result()
        lines = database.read(lambda connection: list(_lines(connection))).result()
        database.close()
    target.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"wrote {target.name}")


def _lines(connection: sqlite3.Connection) -> Iterator[str]:
    yield f"PRAGMA application_id = {APPLICATION_ID};"
    yield f"PRAGMA user_version = {len(MIGRATIONS)};"
    schema = connection.execute(
        "SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid"
    ).fetchall()
    made_by_search = ("title_words_", "message_words_")
    for name, sql in schema:
        if not name.startswith(made_by_search):
            yield f"{sql};"
    for table in ("conversations", "messages", "facts", "files"):
        columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
        order = {"facts": "name", "files": "id"}.get(table, "number")
        quoted = " || ', ' || ".join(f"quote({column})" for column in columns)
        for (values,) in connection.execute(f"SELECT {quoted} FROM {table} ORDER BY {order}"):
            # quote() leaves control characters in the file as they are.
            yield f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({values});"
    titles = connection.execute("SELECT number, title FROM conversations")
    yield from _index_lines(connection, "title_words", titles)
    messages = connection.execute(
        "SELECT number, substr(content, 1, indexed_length), attachments FROM messages "
        "WHERE indexed_length IS NOT NULL"
    )
    texts = (
        (number, findable_text(content, attachments_from(attachments)))
        for number, content, attachments in messages
    )
    yield from _index_lines(connection, "message_words", texts)


def _index_lines(
    connection: sqlite3.Connection, table: str, texts: Iterable[tuple[int, str]]
) -> Iterator[str]:
    for number, text in texts:
        if words := indexed_words(text):
            (quoted,) = connection.execute("SELECT quote(?)", (words,)).fetchone()
            yield f"INSERT INTO {table} (rowid, words) VALUES ({number}, {quoted});"


main()
