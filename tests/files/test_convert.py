"""Files become text, whatever they are written in; what cannot be read is refused in words."""

from __future__ import annotations

import asyncio
import codecs
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from qwenchat.errors import UnreadableFile, UnsupportedFile
from qwenchat.files import convert as converting
from qwenchat.files.convert import Converted, convert
from qwenchat.files.kinds import LONGEST_NAME, clean_name
from qwenchat.files.worker import MOST_CHARACTERS
from tests.files.samples import CHINESE, changed_docx, docx, docx_with, locked_pdf, pdf


@pytest.fixture
def read(tmp_path: Path):
    def read(data: bytes, name: str, **options: float) -> Converted:
        path = tmp_path / "upload"
        path.write_bytes(data)
        return asyncio.run(convert(path, name, **options))

    return read


# ---- text


@pytest.mark.parametrize(
    ("encoding", "mark"),
    [
        ("utf-8", b""),
        ("utf-8", codecs.BOM_UTF8),
        ("utf-16-le", codecs.BOM_UTF16_LE),
        ("utf-16-be", codecs.BOM_UTF16_BE),
        ("utf-32-le", codecs.BOM_UTF32_LE),
        ("gb18030", b""),
        ("gbk", b""),
    ],
)
def test_chinese_text_reads_right_in_every_encoding(read, encoding: str, mark: bytes) -> None:
    found = read(mark + CHINESE.encode(encoding), "说明.txt")
    assert found == Converted("text", "line", CHINESE, False)


def test_a_short_chinese_file_in_gb18030_reads_right(read) -> None:
    assert read("你好，世界".encode("gb18030"), "a.txt").text == "你好，世界"


def test_utf_16_without_a_mark_reads_right(read) -> None:
    text = "name,value\nwidth,12\n"
    assert read(text.encode("utf-16-le"), "export.csv").text == text


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("Le café était fermé, à côté de l'hôtel. Où êtes-vous allés?\n", "cp1252"),
        ("Größe und Übung\n", "cp1252"),
        ("Привет, как дела? Это обычный текст.\n", "cp1251"),
        ("こんにちは、元気ですか。日本語の文章です。\n", "cp932"),
        ("繁體中文的檔案，測試編碼。\n", "big5"),
        ("안녕하세요 한국어 문장입니다\n", "cp949"),
    ],
)
def test_old_encodings_of_other_languages_read_right(read, text: str, encoding: str) -> None:
    assert read(text.encode(encoding) * 5, "letter.txt").text == text * 5


def test_line_ends_become_plain_ones(read) -> None:
    assert read(b"one\r\ntwo\rthree\n", "a.txt").text == "one\ntwo\nthree\n"


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("notes.md", "markdown"),
        ("main.py", "code"),
        ("Dockerfile", "code"),
        ("data.CSV", "csv"),
        ("page.html", "code"),
        ("README", "text"),
        ("odd.zzz", "text"),
    ],
)
def test_text_has_its_kind_by_its_name(read, name: str, kind: str) -> None:
    assert read(b"a,b\n1,2\n", name).kind == kind


def test_a_csv_file_stays_as_it_is(read) -> None:
    data = 'name,"note, long"\n广州,"a ""b"""\n'
    assert read(data.encode(), "t.csv").text == data


def test_text_that_has_no_lines_to_choose_from_is_counted_in_characters(read) -> None:
    assert read(b"[" + b"1," * 4000 + b"1]", "one-line.json").unit == "character"


def test_a_single_nul_does_not_make_a_text_binary(read) -> None:
    assert read(b"a" * 500 + b"\0" + b"b" * 500, "a.txt").text == "a" * 500 + "\ufffd" + "b" * 500


def test_a_huge_text_is_kept_up_to_the_limit_and_says_so(read) -> None:
    found = read(b"0123456789\n" * (MOST_CHARACTERS // 10), "log.txt")
    assert len(found.text) == MOST_CHARACTERS and found.cut


# ---- pdf


def test_a_pdf_is_read_page_by_page(read) -> None:
    found = read(pdf(["First page.", "Second page.", ""]), "paper.pdf")
    assert found == Converted("pdf", "page", "First page.\fSecond page.\f", False)


def test_a_chinese_pdf_without_its_font_is_read(read) -> None:
    assert read(pdf(["机密文件不外传"], chinese=True), "文件.pdf").text == "机密文件不外传"


def test_a_pdf_is_known_by_its_content_whatever_its_name(read) -> None:
    assert read(pdf(["Hello."]), "download").kind == "pdf"


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (locked_pdf(), "locked with a password"),
        (pdf(["", ""]), "has no text, only pictures"),
        (b"%PDF-1.7\nnothing of a PDF follows", "the PDF is damaged"),
        (pdf(["Hello."])[:300], "the PDF is damaged"),
        (b"<html>Not found</html>", "not what its name says"),
    ],
)
def test_a_pdf_that_cannot_be_read_says_why(read, data: bytes, says: str) -> None:
    with pytest.raises(UnreadableFile, match=says):
        read(data, "a.pdf")


# ---- word


def test_a_word_file_keeps_headings_lists_and_tables(read) -> None:
    found = read(docx("First paragraph.", "第二段。"), "报告.docx")
    assert (found.kind, found.unit, found.cut) == ("docx", "line", False)
    assert found.text == (
        "# 季度报告 Report\n\nFirst paragraph.\n\n第二段。\n\n- one\n- two\n\n"
        "| 城市 | 人口 |\n| --- | --- |\n| 广州 | 18\\|7 |"
    )


def test_inserted_text_is_read_and_deleted_text_is_not(read) -> None:
    run = "<w:r><w:t>Plain.</w:t></w:r>"
    tracked = (
        '<w:ins w:id="1" w:author="a"><w:r><w:t>Added.</w:t></w:r></w:ins>'
        '<w:del w:id="2" w:author="a"><w:r><w:delText>Gone.</w:delText></w:r></w:del>'
    )
    text = read(changed_docx("word/document.xml", run, run + tracked), "a.docx").text
    assert "Plain.Added." in text and "Gone" not in text


def test_macros_and_links_in_a_word_file_are_neither_run_nor_followed(read) -> None:
    link = (
        '<Relationship Id="rId99" TargetMode="External" Target="http://127.0.0.1:9/evil.dotm" '
        'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/'
        'attachedTemplate"/></Relationships>'
    )
    base = docx_with({"word/vbaProject.bin": b"\xd0\xcf\x11\xe0 Sub AutoOpen()"})
    changed = changed_docx("word/_rels/document.xml.rels", "</Relationships>", link, base)
    assert "Plain." in read(changed, "a.docx").text


def test_entities_in_a_word_file_are_not_read_from_the_disk(read, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("THE SECRET")
    base = changed_docx("word/document.xml", "Plain.", "Plain.&take;")
    kind = f'<!DOCTYPE w [<!ENTITY take SYSTEM "file://{tmp_path}/secret">]><w:document'
    data = changed_docx("word/document.xml", "<w:document", kind, base)
    assert "SECRET" not in read(data, "a.docx").text


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (docx_with({"word/media/bomb.png": bytes(60 << 20)}), "far more than a document has"),
        (docx("x")[:2000], "the Word file is damaged"),
        (changed_docx("word/document.xml", "<w:body>", "<w:body"), "the Word file is damaged"),
        (changed_docx("[Content_Types].xml", "document.main+xml", "x.main+xml"), "has macros"),
        (b"plain words", "not what its name says"),
    ],
)
def test_a_word_file_that_cannot_be_read_says_why(read, data: bytes, says: str) -> None:
    with pytest.raises(UnreadableFile, match=says):
        read(data, "a.docx")


def test_an_entity_bomb_in_a_word_file_is_refused(read) -> None:
    kinds = "".join(f'<!ENTITY e{n + 1} "{f"&e{n};" * 20}">' for n in range(12))
    bomb = f'<!DOCTYPE w [<!ENTITY e0 "ha">{kinds}]><w:document'
    base = changed_docx("word/document.xml", "Plain.", "Plain.&e12;")
    # Left as it is or refused, but never grown.
    try:
        assert (
            "haha"
            not in read(changed_docx("word/document.xml", "<w:document", bomb, base), "a.docx").text
        )
    except UnreadableFile as error:
        assert "damaged" in error.message


# ---- what is refused


def _archive(*names: str) -> bytes:
    import io

    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name in names:
            archive.writestr(name, "x")
    return out.getvalue()


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"\x89PNG\r\n\x1a\n" + bytes(50), "cannot see pictures"),
        (b"\xff\xd8\xff\xe0" + bytes(50), "cannot see pictures"),
        (b"RIFF\0\0\0\0WEBPVP8 " + bytes(50), "cannot see pictures"),
        (b"\x7fELF" + bytes(50), "is a program"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(50), "old Office file"),
        (_archive("xl/workbook.xml"), "Excel workbook"),
        (_archive("ppt/presentation.xml"), "presentation"),
        (_archive("holiday.txt"), "is an archive"),
        (bytes(range(256)) * 8, "is not text"),
        (b"\0\0\0\x18ftypmp42" + bytes(50), "video or sound"),
    ],
)
def test_what_is_no_text_is_refused_and_told_what_is(read, data: bytes, says: str) -> None:
    with pytest.raises(UnsupportedFile, match=says) as raised:
        read(data, "thing.txt")
    assert raised.value.http_status == 415


def test_blank_space_is_no_text(read) -> None:
    with pytest.raises(UnreadableFile, match="only blank space"):
        read(b" \n\n", "a.txt")


def test_a_conversion_that_takes_too_long_is_ended(read) -> None:
    with pytest.raises(UnreadableFile, match="takes too long"):
        read(b"words", "a.txt", seconds=0.001)


def test_a_conversion_that_dies_is_an_error_in_words(read, monkeypatch) -> None:
    monkeypatch.setattr(converting, "MODULE", "qwenchat.files.nothing_here")
    with pytest.raises(UnreadableFile, match="exit status 1"):
        read(b"words", "a.txt")


@pytest.mark.parametrize(
    "attempt",
    [
        "socket.create_connection(('127.0.0.1', 9))",
        "subprocess.run(['true'])",
        "os.system('true')",
        "open('written', 'wb', 0).write(b'x')",
        "bytearray(2 << 30)",
    ],
)
def test_the_process_that_reads_files_can_do_nothing_else(attempt: str, tmp_path: Path) -> None:
    script = (
        "import os, signal, socket, subprocess\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "from qwenchat.files.worker import _confine\n"
        f"_confine()\ntry:\n    {attempt}\nexcept (OSError, MemoryError):\n    print('refused')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(Path(converting.__file__).parents[2])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.strip() == "refused", done.stderr


# ---- names


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("../../etc/passwd", "passwd"),
        ("C:\\Users\\me\\报告.docx", "报告.docx"),
        ("a\nb\tc\x00d\u202egpj.txt", "a b c d gpj.txt"),
        ("", "file"),
        ("...", "file"),
        ("/", "file"),
        ("`x`.md", "`x`.md"),
    ],
)
def test_names_are_one_line_without_folders(given: str, kept: str) -> None:
    assert clean_name(given) == kept


def test_a_long_name_keeps_its_ending() -> None:
    name = clean_name("长" * 500 + ".pdf")
    assert len(name) == LONGEST_NAME and name.endswith("….pdf")
