"""axe-core in Chromium on every view, in both themes, wide and narrow: nothing serious."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

from tests.ui.pages import visit
from tests.ui.serving import Served
from tests.ui.views import VIEWS, furnish, leave

pytestmark = pytest.mark.browser

AXE = Path(__file__).parents[1] / "vendor" / "axe-core" / "axe.min.js"
SERIOUS = ("serious", "critical")


@pytest.fixture(scope="module")
def app(tmp_path_factory) -> Iterator[Served]:
    with Served(tmp_path_factory.mktemp("axe"), context_length=8192) as served:
        furnish(served)
        yield served


def findings(page: Page) -> list[str]:
    """What axe finds that keeps somebody from using the page, one line for each element."""
    page.evaluate(AXE.read_text(encoding="utf-8") + ";0")
    violations: list[dict[str, Any]] = page.evaluate(
        """async () => {
            // What fades in is judged once it is there.
            await Promise.all(document.getAnimations().map((one) =>
                one.effect?.getComputedTiming().iterations === Infinity ? null
                    : one.finished.catch(() => null)));
            return (await axe.run(document, {resultTypes: ["violations"]})).violations;
        }"""
    )
    return [
        f"{one['id']} ({one['impact']}): {node['target'][-1]} {node['html'][:160]} "
        f"{' '.join(check['message'] for check in node['any'][:1])}"
        for one in violations
        if one["impact"] in SERIOUS
        for node in one["nodes"]
    ]


def test_axe_itself_finds_what_is_wrong(new_page, app):
    page = visit(new_page(), app)
    page.evaluate(
        """() => document.getElementById("chat").insertAdjacentHTML("beforeend",
            "<button></button><p style='color:#bbb;background:#ccc'>Hardly to be read</p>")"""
    )
    found = " ".join(findings(page))
    assert "button-name (critical)" in found
    assert "color-contrast (serious)" in found


def test_the_first_screen_and_a_chat_have_no_serious_finding(new_page, app):
    page = visit(new_page(), app)
    for view in VIEWS[:2]:
        view.show(page, app)
        assert findings(page) == [], view.name


@pytest.mark.accept
@pytest.mark.timeout(600)
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_no_view_has_a_serious_finding(new_page, app, width, scheme):
    page = visit(new_page(width, 844, scheme), app)
    found = {}
    for view in VIEWS:
        view.show(page, app)
        if problems := findings(page):
            found[view.name] = problems
        leave(page, app)
    assert found == {}, "\n".join(f"{name}\n  " + "\n  ".join(all) for name, all in found.items())
