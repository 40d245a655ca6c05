"""PDF files, read by PDFium: the text of each page, in the order in which it is read."""

from __future__ import annotations

import re
from pathlib import Path

import pypdfium2
from pypdfium2 import raw

from qwenchat.errors import UnreadableFile
from qwenchat.files.sections import PAGE_BREAK

MOST_PAGES = 5000
# A word that was broken at the end of a line: PDFium marks the hyphen.
_BROKEN_WORD = re.compile("[\ufffe\x02]\\s*")


def read_pdf(path: Path, name: str, most: int) -> tuple[str, bool]:
    """The text of the pages, and whether there are more than could be kept.

    Raises:
        UnreadableFile: It is damaged, needs a password, or has no text.
    """
    try:
        document = pypdfium2.PdfDocument(path.read_bytes())
    except pypdfium2.PdfiumError as error:
        if error.err_code == raw.FPDF_ERR_PASSWORD:
            raise UnreadableFile(
                f"{name} is locked with a password. Save a copy without one, then add that.",
                param="file",
            ) from None
        raise _damaged(name) from error
    pages: list[str] = []
    room = most
    for index in range(min(len(document), MOST_PAGES)):
        text = _page_text(document, index)
        if len(text) > room:
            pages.append(text[:room])
            break
        pages.append(text)
        room -= len(text) + len(PAGE_BREAK)
        if room <= 0:
            break
    if not pages:
        raise _damaged(name)
    if not any(map(str.strip, pages)):
        raise UnreadableFile(
            f"{name} has no text, only pictures: it was scanned. Run it through text recognition "
            "(OCR) first, then add the result.",
            param="file",
        )
    cut = len(pages) < len(document) or room < 0
    return PAGE_BREAK.join(pages), cut or len(PAGE_BREAK.join(pages)) >= most


def _page_text(document: pypdfium2.PdfDocument, index: int) -> str:
    try:
        page = document[index]
        text = page.get_textpage().get_text_range()
    except pypdfium2.PdfiumError:
        # One damaged page among whole ones keeps its place.
        return ""
    lines = _BROKEN_WORD.sub("", text).replace("\r\n", "\n").replace("\r", "\n")
    lines = lines.replace(PAGE_BREAK, "\n")
    return "\n".join(line.rstrip() for line in lines.split("\n")).strip("\n")


def _damaged(name: str) -> UnreadableFile:
    return UnreadableFile(
        f"{name} cannot be read: the PDF is damaged. Open it in a PDF viewer and save it anew, "
        "then add that.",
        param="file",
    )
