"""Files in messages, as a person adds them."""

from __future__ import annotations

from playwright.sync_api import Locator, Page, expect

Named = tuple[str, bytes]

CHIP = ".qc-composer-files .qc-file-chip"


def choose(page: Page, *files: Named) -> None:
    """Choose files in the dialog behind the button with the paper clip."""
    with page.expect_file_chooser() as chooser:
        page.locator("#attach").click()
    chooser.value.set_files(
        [{"name": name, "mimeType": "", "buffer": data} for name, data in files]
    )


def drop(page: Page, place: str, *files: Named, kind: str = "") -> None:
    """Drag files over a place and let go."""
    page.evaluate(
        """([place, files, kind]) => {
            const carried = new DataTransfer();
            for (const [name, bytes] of files) {
                carried.items.add(new File([new Uint8Array(bytes)], name, {type: kind}));
            }
            const target = document.querySelector(place);
            for (const type of ["dragenter", "dragover", "drop"]) {
                target.dispatchEvent(new DragEvent(type,
                    {dataTransfer: carried, bubbles: true, cancelable: true}));
            }
        }""",
        [place, [[name, list(data)] for name, data in files], kind],
    )


def paste(page: Page, *, text: str = "", files: tuple[Named, ...] = ()) -> None:
    """Paste into the message box, which takes in text as the browser does."""
    page.locator("#message-box").focus()
    page.evaluate(
        """([text, files]) => {
            const carried = new DataTransfer();
            if (text) carried.setData("text/plain", text);
            for (const [name, bytes] of files) {
                carried.items.add(new File([new Uint8Array(bytes)], name));
            }
            const box = document.querySelector("#message-box");
            const event = new ClipboardEvent("paste",
                {clipboardData: carried, bubbles: true, cancelable: true});
            if (box.dispatchEvent(event) && text) document.execCommand("insertText", false, text);
        }""",
        [text, [[name, list(data)] for name, data in files]],
    )


def chips(page: Page) -> Locator:
    """The files in the message box."""
    return page.locator(CHIP)


def expect_ready(page: Page, count: int) -> None:
    """Wait until so many files are read."""
    expect(chips(page)).to_have_count(count)
    expect(page.locator(f"{CHIP}[data-state=reading]")).to_have_count(0, timeout=15_000)
