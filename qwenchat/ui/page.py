"""The page: a frame of empty components that the JavaScript in ``assets/js`` fills.

Conversation list, chat pane and composer are components of our own, fed by one
WebSocket (docs/page-protocol.md), so a token costs no Gradio event and eight tabs do
not use up the browser's six connections. For the same reason nothing here may make
Gradio hold an event stream open: no ``gr.State``, no ``unload``, no Python events.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import gradio as gr
from starlette.middleware import Middleware

from qwenchat.ui.first_paint import ICON, FirstPaint
from qwenchat.ui.settings_panel import build_settings_panel, mount_script
from qwenchat.ui.theme import theme

if TYPE_CHECKING:
    from qwenchat.settings import Settings

TITLE = "QwenChat"

os.environ.setdefault("GRADIO_ANALYTICS_ENABLED", "False")


def build_page(settings: Settings) -> gr.Blocks:
    """The page's components, ready for ``gr.mount_gradio_app``."""
    page: gr.Blocks = gr.Blocks(title=TITLE, analytics_enabled=False, fill_width=True)
    with page:
        with gr.Column(elem_id="qc-app"):
            _part("sidebar")
            with gr.Column(elem_id="qc-main"):
                _part("topbar")
                _part("chat-pane")
                _part("composer")
            build_settings_panel()
            _part("overlay")
    return page


def _part(name: str) -> None:
    gr.HTML(
        elem_id=f"qc-{name}",
        elem_classes=["qc-part"],
        js_on_load=mount_script(name),
        apply_default_css=False,
    )


def page_options(settings: Settings) -> dict[str, Any]:
    """Keyword arguments for ``gr.mount_gradio_app`` beside app, blocks and path."""
    return {
        "theme": theme(),
        "footer_links": [],
        "run_history": False,
        "show_error": False,
        "ssr_mode": False,
        "mcp_server": False,
        "pwa": False,
        "favicon_path": str(ICON),
        "app_kwargs": {
            "middleware": [Middleware(FirstPaint, demo=settings.demo)],
            "docs_url": None,
            "redoc_url": None,
            "openapi_url": None,
        },
    }
