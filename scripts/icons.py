"""Make the PNG icons of the installed app from ``assets/icons/qwenchat.svg``, with Chromium.

    .venv/bin/python scripts/icons.py

Needs what the tests need (Playwright and Chromium). The pictures are committed; this is run
again when the drawing changes.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

ICONS = Path(__file__).resolve().parents[1] / "assets" / "icons"
BACKGROUND = "#5a50d6"
"""The drawing's own, for icons that a system cuts to a shape of its own."""

# Name, pixels, and the share of the width that the drawing takes; None keeps its own shape.
# Systems cut a maskable icon to a circle of 80 % of its width.
PICTURES = (
    ("icon-192.png", 192, None),
    ("icon-512.png", 512, None),
    ("maskable-512.png", 512, 0.78),
    ("apple-touch-icon.png", 180, 0.9),
)


def page_for(drawing: str, pixels: int, share: float | None) -> str:
    """HTML that shows nothing but the icon."""
    ground = "transparent" if share is None else BACKGROUND
    size = round(pixels * (share or 1.0))
    return (
        f"<style>body{{margin:0;width:{pixels}px;height:{pixels}px;display:grid;"
        f"place-items:center;background:{ground}}}svg{{width:{size}px;height:{size}px}}</style>"
        f"{drawing}"
    )


def main() -> int:
    """Write every picture."""
    executable = shutil.which("chromium")
    if executable is None:
        print("Chromium is not installed (Debian: apt-get install chromium).", file=sys.stderr)
        return 1
    drawing = (ICONS / "qwenchat.svg").read_text(encoding="utf-8")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=executable, args=["--headless", "--no-sandbox", "--disable-gpu"]
        )
        for name, pixels, share in PICTURES:
            page = browser.new_page(viewport={"width": pixels, "height": pixels})
            page.set_content(page_for(drawing, pixels, share))
            page.screenshot(path=str(ICONS / name), omit_background=True)
            page.close()
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
