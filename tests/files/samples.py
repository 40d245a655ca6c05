"""Small files as people have them, and as hostile ones make them."""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Sequence

from docx import Document

CHINESE = (
    "本地运行的聊天助手：不会把任何内容发送到别处。\n第二行，带有标点、数字 123 和 English。\n"
)


def pdf(pages: Sequence[str], *, chinese: bool = False, extra: str = "") -> bytes:
    """A PDF with a line of text on each page; an empty one has only a picture.

    Args:
        chinese: The text is written in the encoding UniGB-UCS2-H, without a font in the file.
        extra: Added to the trailer.
    """
    objects: list[bytes] = []

    def add(body: bytes) -> int:
        objects.append(body)
        return len(objects)

    if chinese:
        descriptor = add(
            b"<< /Type /FontDescriptor /FontName /STSong /Flags 4 /FontBBox [0 0 1000 1000] "
            b"/ItalicAngle 0 /Ascent 800 /Descent -200 /CapHeight 700 /StemV 80 >>"
        )
        descendant = add(
            b"<< /Type /Font /Subtype /CIDFontType0 /BaseFont /STSong /DW 1000 /FontDescriptor "
            + f"{descriptor} 0 R ".encode()
            + b"/CIDSystemInfo << /Registry (Adobe) /Ordering (GB1) /Supplement 2 >> >>"
        )
        font = add(
            b"<< /Type /Font /Subtype /Type0 /BaseFont /STSong /Encoding /UniGB-UCS2-H "
            + f"/DescendantFonts [{descendant} 0 R] >>".encode()
        )
    else:
        font = add(b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
    picture = add(
        _stream(
            b"\x80" * 4,
            "/Type /XObject /Subtype /Image /Width 2 /Height 2 /ColorSpace /DeviceGray "
            "/BitsPerComponent 8",
        )
    )
    parent = len(objects) + 2 * len(pages) + 1
    kids = []
    for text in pages:
        shown = text.encode("utf-16-be").hex() if chinese else text.encode("latin-1").hex()
        drawing = f"BT /F 12 Tf 72 700 Td <{shown}> Tj ET" if text else "q 99 0 0 99 0 0 cm /P Do Q"
        content = add(_stream(drawing.encode(), ""))
        kids.append(
            add(
                f"<< /Type /Page /Parent {parent} 0 R /MediaBox [0 0 612 792] /Contents {content} "
                f"0 R /Resources << /Font << /F {font} 0 R >> /XObject << /P {picture} 0 R >> >> "
                ">>".encode()
            )
        )
    listed = " ".join(f"{kid} 0 R" for kid in kids)
    add(f"<< /Type /Pages /Count {len(kids)} /Kids [{listed}] >>".encode())
    root = add(f"<< /Type /Catalog /Pages {parent} 0 R >>".encode())
    out = io.BytesIO()
    out.write(b"%PDF-1.7\n")
    places = []
    for number, body in enumerate(objects, start=1):
        places.append(out.tell())
        out.write(f"{number} 0 obj\n".encode() + body + b"\nendobj\n")
    start = out.tell()
    out.write(f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode())
    out.writelines(f"{place:010} 00000 n \n".encode() for place in places)
    trailer = f"trailer\n<< /Size {len(objects) + 1} /Root {root} 0 R {extra} >>\n"
    out.write(trailer.encode() + f"startxref\n{start}\n%%EOF\n".encode())
    return out.getvalue()


def locked_pdf() -> bytes:
    """A PDF that asks for a password nobody knows."""
    return pdf(
        ["secret"],
        extra=f"/ID [<{'00' * 16}> <{'00' * 16}>] /Encrypt << /Filter /Standard /V 1 /R 2 /P -4 "
        f"/O <{'11' * 32}> /U <{'22' * 32}> >>",
    )


def docx(*paragraphs: str) -> bytes:
    """A Word file with a heading, paragraphs, a list and a table."""
    document = Document()
    document.add_heading("季度报告 Report", level=1)
    for text in paragraphs:
        document.add_paragraph(text)
    for item in ("one", "two"):
        document.add_paragraph(item, style="List Bullet")
    table = document.add_table(rows=2, cols=2)
    for row, texts in zip(table.rows, (("城市", "人口"), ("广州", "18|7")), strict=True):
        for cell, text in zip(row.cells, texts, strict=True):
            cell.text = text
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def changed_docx(part: str, old: str, new: str, base: bytes | None = None) -> bytes:
    """A Word file in which something of one part's XML is another."""
    return _rewritten(
        base or docx("Plain."),
        {part: lambda data: data.decode().replace(old, new, 1).encode()},
    )


def docx_with(extra: dict[str, bytes]) -> bytes:
    """A Word file with other things in its archive."""
    out = io.BytesIO(docx("Plain."))
    with zipfile.ZipFile(out, "a", zipfile.ZIP_DEFLATED) as archive:
        for name, data in extra.items():
            archive.writestr(name, data)
    return out.getvalue()


def _rewritten(data: bytes, changes: dict) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as source, zipfile.ZipFile(out, "w") as target:
        for part in source.infolist():
            body = source.read(part)
            if part.filename in changes:
                changed = changes[part.filename](body)
                assert changed != body, "the sample has changed"
                body = changed
            target.writestr(part.filename, body, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def _stream(data: bytes, keys: str) -> bytes:
    packed = zlib.compress(data)
    head = f"<< {keys} /Filter /FlateDecode /Length {len(packed)} >>\nstream\n"
    return head.encode() + packed + b"\nendstream"
