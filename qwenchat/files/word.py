"""Word files (.docx), read by python-docx: paragraphs and tables as Markdown-like lines.

Only the text is read. Macros, links and embedded objects are neither run nor followed;
headers, footers and notes are left out.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from docx import Document
from docx.document import Document as DocumentObject
from docx.oxml.ns import qn

from qwenchat.errors import UnreadableFile, UnsupportedFile
from qwenchat.files.kinds import ACCEPTED

MOST_PART_BYTES = 40 << 20
"""Of one part, unpacked: a document of this size is a bomb or a whole library."""
MOST_BYTES = 200 << 20
"""Of all parts, unpacked, pictures included."""
MOST_PARTS = 10_000
MAIN = "word/document.xml"

_PARAGRAPH, _TABLE, _ROW, _CELL = qn("w:p"), qn("w:tbl"), qn("w:tr"), qn("w:tc")
_TEXT, _TAB = qn("w:t"), qn("w:tab")
_BREAKS = (qn("w:br"), qn("w:cr"))
_TAB_STOPS = qn("w:tabs")
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_OFFICE = {
    "xl/": "an Excel workbook. Save the sheet as CSV",
    "ppt/": "a presentation. Save it as PDF",
}


def read_word(path: Path, name: str, most: int) -> tuple[str, bool]:
    """The text of the document, and whether there is more than could be kept.

    Raises:
        UnsupportedFile: It is another kind of archive.
        UnreadableFile: It is damaged, empty, or unpacks to far more than a document has.
    """
    _check_archive(path, name)
    try:
        document = Document(str(path))
    except ValueError as error:
        raise UnreadableFile(
            f"{name} is not a plain Word document: it is a template or has macros. Save it as "
            ".docx, then add that.",
            param="file",
        ) from error
    except Exception as error:
        # lxml, zipfile and python-docx each have errors of their own for damage.
        raise _damaged(name) from error
    lines: list[str] = []
    room = most
    for line in _lines(document):
        if len(line) > room:
            lines.append(line[: max(0, room)])
            return "\n".join(lines), True
        lines.append(line)
        room -= len(line) + 1
    text = "\n".join(lines).strip("\n")
    if not text.strip():
        raise UnreadableFile(
            f"{name} has no text, only pictures or nothing at all. Add a file with text.",
            param="file",
        )
    return text, False


def _check_archive(path: Path, name: str) -> None:
    try:
        with zipfile.ZipFile(path) as archive:
            parts = archive.infolist()
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise _damaged(name) from error
    names = [part.filename for part in parts]
    if MAIN not in names:
        other = next(
            (say for head, say in _OFFICE.items() if any(n.startswith(head) for n in names)), None
        )
        if other:
            raise UnsupportedFile(f"{name} is {other}, then add that.", param="file")
        raise UnsupportedFile(
            f"{name} is an archive. Unpack it and add the files in it: {ACCEPTED}.", param="file"
        )
    sizes = [part.file_size for part in parts]
    if max(sizes) > MOST_PART_BYTES or sum(sizes) > MOST_BYTES or len(parts) > MOST_PARTS:
        raise UnreadableFile(
            f"{name} unpacks to {sum(sizes) // 2**20:,} MiB, far more than a document has. Save "
            "the part you need as a file of its own, then add that.",
            param="file",
        )


def _lines(document: DocumentObject) -> Iterator[str]:
    names = {style.style_id: style.name or "" for style in document.styles}
    previous_was_item = False
    first = True
    for block in _blocks(document.element.body):
        if block.tag == _TABLE:
            yield from ([] if first else [""])
            yield from _table_lines(block)
            previous_was_item = False
        else:
            text = _text_of(block).strip()
            if not text:
                continue
            style = block.style
            mark = _mark(names.get(style, "") if style else "", block)
            is_item = mark == "- "
            if not first and not (is_item and previous_was_item):
                yield ""
            yield from (mark + text).split("\n")
            previous_was_item = is_item
        first = False


def _blocks(parent: Any) -> Iterator[Any]:
    """Paragraphs and tables in their order, also those in content controls."""
    for child in parent:
        if child.tag in (_PARAGRAPH, _TABLE):
            yield child
        elif isinstance(child.tag, str) and child.tag not in (_ROW, _CELL):
            yield from _blocks(child)


def _mark(style: str, paragraph: Any) -> str:
    """What Markdown puts before a paragraph of this style."""
    if style == "Title":
        return "# "
    if style.startswith("Heading ") and style[8:].isdigit():
        return "#" * min(6, int(style[8:])) + " "
    properties = paragraph.pPr
    numbered = properties is not None and properties.numPr is not None
    return "- " if numbered or style.startswith("List") else ""


def _text_of(element: Any) -> str:
    """The text below an element, inserted text included, deleted text not."""
    found: list[str] = []

    def walk(node: Any) -> None:
        for child in node:
            if child.tag == _TEXT:
                found.append(child.text or "")
            elif child.tag == _TAB:
                found.append("\t")
            elif child.tag in _BREAKS:
                found.append("\n")
            elif child.tag == _PARAGRAPH:
                walk(child)
                found.append("\n")
            elif child.tag not in (_FALLBACK, _TAB_STOPS):
                walk(child)

    walk(element)
    return "".join(found)


def _table_lines(table: Any) -> Iterator[str]:
    rows = [
        [" ".join(_text_of(cell).split()).replace("|", "\\|") for cell in _cells(row)]
        for row in table
        if row.tag == _ROW
    ]
    width = max((len(row) for row in rows), default=0)
    for index, row in enumerate(rows):
        yield "| " + " | ".join([*row, *[""] * (width - len(row))]) + " |"
        if index == 0:
            yield "|" + " --- |" * width


def _cells(row: Any) -> Iterator[Any]:
    """The cells of a row, also those in content controls; a merged one is one."""
    for child in row:
        if child.tag == _CELL:
            yield child
        elif child.tag == qn("w:sdt"):
            for content in child:
                yield from _cells(content)


def _damaged(name: str) -> UnreadableFile:
    return UnreadableFile(
        f"{name} cannot be read: the Word file is damaged. Open it in Word or LibreOffice and "
        "save it anew, then add that.",
        param="file",
    )
