"""Nothing serious shuts a reader out, as far as axe-core can tell."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page
from test_app import DRAWN, Visit, visit  # noqa: F401  (a fixture)

pytestmark = pytest.mark.browser

# What Streamlit's own widgets do wrong, by the element that axe names.
THEIRS = {"scrollable-region-focusable": "<pre class="}


def serious(page: Page) -> list[str]:
    found = Axe().run(page).response["violations"]
    return [
        f"{one['id']}: {node['html'][:120]}"
        for one in found
        if one["impact"] in ("serious", "critical")
        for node in one["nodes"]
        if not node["html"].startswith(THEIRS.get(one["id"], "nothing"))
    ]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", DRAWN)
def test_a_page_shuts_nobody_out(visit: Visit, name: str, scheme: str) -> None:  # noqa: F811
    assert not serious(visit(name, color_scheme=scheme))
