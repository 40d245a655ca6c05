"""What the documents say of the tree is so."""

from __future__ import annotations

import re
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]
FOLDERS = ("qwenchat", "assets/js", "assets/css", "scripts")
EMPTY_INIT_BYTES = 0


def test_architecture_has_one_line_for_every_file() -> None:
    text = (PROJECT / "docs/architecture.md").read_text()
    named: set[str] = set()
    folder = ""
    for line in text.splitlines():
        if heading := re.fullmatch(r"### `(.+)/`", line):
            folder = heading[1]
        elif row := re.match(r"\| `([^`]+)` \| \S", line):
            named.add(f"{folder}/{row[1]}")
    there = {
        str(path.relative_to(PROJECT))
        for top in FOLDERS
        for path in (PROJECT / top).rglob("*")
        if path.suffix in (".py", ".js", ".css", ".sh", ".html")
        and path.stat().st_size > EMPTY_INIT_BYTES
    }
    assert there - named == set(), "add a line to docs/architecture.md"
    assert named - there == set(), "no longer there"


def test_links_between_documents_lead_somewhere() -> None:
    for document in [PROJECT / "README.md", *(PROJECT / "docs").glob("*.md")]:
        for target in re.findall(r"\]\((?!https?://|#)([^)#]+)", document.read_text()):
            assert (document.parent / target).exists(), f"{document.name}: {target}"
