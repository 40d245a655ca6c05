"""The page's Gradio side: nothing that keeps a connection, and one table of settings."""

from __future__ import annotations

import asyncio
from pathlib import Path

import gradio as gr
import pytest

from qwenchat.sampling import PARAMETERS, SamplingParameters
from qwenchat.settings import Settings
from qwenchat.ui.page import build_page, page_options
from qwenchat.ui.settings_panel import refusal, settings_config


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(data_dir=tmp_path)


@pytest.fixture
def page(settings: Settings) -> gr.Blocks:
    async def build() -> gr.Blocks:
        return build_page(settings)

    # Without a running event loop Gradio makes its own and never closes them.
    return asyncio.run(build())


def test_gradio_holds_no_connection_and_calls_no_python(page):
    config = page.get_config_file()
    assert config["connect_heartbeat"] is False
    assert [one for one in config["dependencies"] if one["backend_fn"]] == []


def test_analytics_run_history_and_footer_are_off(page, settings):
    assert page.analytics_enabled is False
    options = page_options(settings)
    assert options["run_history"] is False
    assert options["footer_links"] == []


def test_the_settings_come_in_the_order_of_the_components(page):
    config = page.get_config_file()
    bridge = next(one for one in config["dependencies"] if one["targets"][0][1] == "apply")
    names = {one["id"]: one["props"].get("elem_id", "") for one in config["components"]}
    shown = [names[output].removeprefix("setting-") for output in bridge["outputs"]]
    assert shown == settings_config()["order"]


def test_every_parameter_is_known_to_the_page():
    config = settings_config()
    assert list(config["numbers"]) == [parameter.name for parameter in PARAMETERS]
    assert config["defaults"] == SamplingParameters().as_dict()


@pytest.mark.parametrize("parameter", PARAMETERS, ids=lambda parameter: parameter.name)
def test_a_refusal_has_the_servers_words_and_a_place_for_the_value(parameter):
    words = refusal(parameter)
    assert words.startswith(f"{parameter.label} must be")
    assert words.count("{value}") == 1
    assert "'" not in words.replace("model's", "")
