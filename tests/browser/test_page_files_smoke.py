"""The one way everybody takes with a file: add it, ask about it, read it again."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.files.samples import docx
from tests.ui.files import chips, choose, expect_ready
from tests.ui.pages import QUESTION, ask, visit
from tests.ui.serving import Served

pytestmark = pytest.mark.browser


def test_a_word_file_is_added_asked_about_and_read_again(new_page, tmp_path: Path) -> None:
    with Served(tmp_path) as app:
        page = visit(new_page(), app)
        choose(page, ("报告.docx", docx("Revenue rose by a tenth.")))
        expect_ready(page, 1)
        expect(chips(page)).to_contain_text("tokens")
        ask(page, "By how much?")
        read = app.engine.requests[-1].messages[-1].content
        assert read.startswith("File: 报告.docx\n") and "Revenue rose by a tenth." in read
        page.locator(f"{QUESTION} .qc-file-chip button").click()
        expect(page.locator(".qc-preview-text")).to_contain_text("Revenue rose by a tenth.")
