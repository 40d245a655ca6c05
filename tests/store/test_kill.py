"""A writer that is killed at any moment loses nothing that was said to be saved."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

from qwenchat.store.conversations import load_conversation
from qwenchat.store.listing import count_all
from qwenchat.store.opening import open_store
from qwenchat.store.search import search
from tests.store.samples import keep

PROJECT = Path(__file__).resolve().parents[2]
WRITER = """
import sys
from pathlib import Path
from qwenchat.store.conversations import load_conversation
from qwenchat.store.messages import append_text, finish_message, insert_messages
from qwenchat.store.opening import open_store
from qwenchat.store.rows import MessageRow

database = open_store(Path(sys.argv[1])).database
run = sys.argv[2]
number = 0
while True:
    key = f"reply-{run}-{number}"
    row = MessageRow(key, "c", "assistant", "", 1e9 + number, "c-0", state="streaming")
    database.write(insert_messages, [row], {"leaf_id": key})
    text = ""
    for index in range(20):
        piece = f"{index} \u4e2d\u6587 "
        future = database.write(append_text, key, len(text), piece)
        text += piece
        if index % 3 == 2:
            assert future.result() == len(text)
            print("text", key, len(text), flush=True)
    database.write(finish_message, key, text, "done").result()
    print("done", key, len(text), flush=True)
    number += 1
"""


def test_killed_at_random_moments_the_database_has_all_that_was_confirmed(tmp_path: Path) -> None:
    database = open_store(tmp_path).database
    keep(database, "c", "question")
    database.close()
    choose = random.Random()
    whole = "".join(f"{index} 中文 " for index in range(20))
    confirmed: dict[str, tuple[str, int]] = {}
    for run in range(6):
        writer = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(tmp_path), str(run)],
            cwd=PROJECT,
            stdout=subprocess.PIPE,
            text=True,
        )
        first = writer.stdout.readline()
        time.sleep(choose.uniform(0, 0.3))
        writer.send_signal(signal.SIGKILL)
        rest, _ = writer.communicate()
        lines = (first + rest).splitlines()
        # The last line may be cut off in the middle.
        for word, key, length in (line.split() for line in lines if line.count(" ") == 2):
            if int(length) >= confirmed.get(key, ("", 0))[1]:
                confirmed[key] = (word, int(length))

        opened = open_store(tmp_path)
        assert opened.recovery is None
        database = opened.database
        _, rows = database.read(load_conversation, "c").result()
        stored = {row.id: row for row in rows}
        for key, (word, length) in confirmed.items():
            content = stored[key].content
            assert whole.startswith(content) and len(content) >= length, key
            assert stored[key].state in (("done",) if word == "done" else ("done", "interrupted"))
        assert database.read(count_all).result().messages == len(rows)
        assert database.read(search, "文").result().hits
        problems = database.write(
            lambda connection: connection.execute("PRAGMA integrity_check").fetchall()
        ).result()
        assert problems == [("ok",)]
        database.close()
    assert len(confirmed) > 6
