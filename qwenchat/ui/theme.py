"""The Gradio theme: no look of its own, every colour from ``assets/css/theme.css``.

Gradio copies the two page colours into the first bytes of the page, before any
stylesheet is there, so these two (and only these) are repeated here.
"""

from __future__ import annotations

import gradio as gr

PAGE = {"light": "#fbfbfa", "dark": "#1a1a1c"}
TEXT = {"light": "#1d1d1f", "dark": "#ececec"}
FONT = (
    "ui-sans-serif",
    "system-ui",
    "PingFang SC",
    "Microsoft YaHei",
    "Noto Sans CJK SC",
    "sans-serif",
)
FONT_MONO = ("ui-monospace", "SFMono-Regular", "Menlo", "Consolas", "monospace")

_SAME_IN_BOTH = {
    "background_fill_primary": "var(--qc-page)",
    "background_fill_secondary": "var(--qc-side)",
    "block_background_fill": "transparent",
    "block_border_color": "transparent",
    "block_info_text_color": "var(--qc-secondary)",
    "block_label_text_color": "var(--qc-text)",
    "block_title_text_color": "var(--qc-text)",
    "block_shadow": "none",
    "body_text_color_subdued": "var(--qc-secondary)",
    "border_color_accent": "var(--qc-accent)",
    "border_color_primary": "var(--qc-line)",
    "button_secondary_background_fill": "transparent",
    "button_secondary_background_fill_hover": "var(--qc-hover)",
    "button_secondary_border_color": "var(--qc-line)",
    "button_secondary_text_color": "var(--qc-text)",
    "color_accent_soft": "var(--qc-accent-soft)",
    "input_background_fill": "var(--qc-field)",
    "input_background_fill_focus": "var(--qc-field)",
    "input_border_color": "var(--qc-line)",
    "input_border_color_focus": "var(--qc-accent)",
    "input_placeholder_color": "var(--qc-secondary)",
    "input_shadow": "none",
    "input_shadow_focus": "none",
    "panel_background_fill": "transparent",
    "slider_color": "var(--qc-accent)",
}


def theme() -> gr.themes.Base:
    """A theme on the system's fonts that asks no other origin."""
    values = {name: value for name, value in _SAME_IN_BOTH.items()}
    values |= {f"{name}_dark": value for name, value in _SAME_IN_BOTH.items()}
    return gr.themes.Base(font=list(FONT), font_mono=list(FONT_MONO)).set(
        body_background_fill=PAGE["light"],
        body_background_fill_dark=PAGE["dark"],
        body_text_color=TEXT["light"],
        body_text_color_dark=TEXT["dark"],
        color_accent="var(--qc-accent)",
        block_border_width="0px",
        block_padding="0",
        block_radius="0",
        block_info_text_size="0.8125rem",
        block_title_text_weight="500",
        block_title_text_size="0.875rem",
        input_radius="10px",
        input_text_size="0.875rem",
        layout_gap="0",
        **values,
    )
