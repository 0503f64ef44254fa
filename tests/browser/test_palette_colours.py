"""Palettes in a real Chromium: what is seen follows the choice, in light and dark."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from conftest import settled
from PIL import Image
from playwright.sync_api import Locator, Page, expect
from test_matrix import contrasts, grid

PROBE = Path(__file__).parent / "apps" / "palette_probe.py"
WIDE = {"width": 1280, "height": 900}
COLOURED = 40  # of 255 between the channels; the page's own texts are bluish by 19
PICTURES = ".js-plotly-plot, .mx"

pytestmark = pytest.mark.browser

Open = Callable[..., Page]


def coloured(picture: Locator) -> float:
    """The part of a picture's pixels that has a hue."""
    with Image.open(io.BytesIO(picture.screenshot())) as image:
        pixels = np.asarray(image.convert("RGB")).astype(int)
    return float((np.ptp(pixels, axis=2) > COLOURED).mean())


def seen(page: Page, least: int) -> list[float]:
    """How coloured each picture of the page is, once all are drawn."""
    expect(page.locator(PICTURES).nth(least - 1)).to_be_visible(timeout=15_000)
    settled(page)
    page.mouse.move(2, 2)
    page.wait_for_timeout(500)
    return [coloured(one) for one in page.locator(PICTURES).all() if one.is_visible()]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(
    ("path", "least"),
    [("/?lang=en", 2), ("/heatmap?lang=en", 1), ("/scaling?lang=en", 1),
     ("/scaling?lang=en&why=spread", 2)],
)  # fmt: skip
def test_grey_pictures_have_no_hue(
    serve: Callable[..., str], open_page: Open, scheme: str, path: str, least: int
) -> None:
    def pictures(palette: str) -> list[float]:
        page = open_page(
            f"{serve('app.py')}{path}&palette={palette}", viewport=WIDE, color_scheme=scheme
        )
        return seen(page, least)

    if scheme == "light":
        assert max(pictures("")) > 0.001  # the measure sees the hues of the default palette
    assert max(pictures("grey")) == 0


@pytest.fixture
def probe(serve: Callable[..., str], open_page: Open) -> Open:
    """Open the probe app."""

    def open_probe(**options: object) -> Page:
        page = open_page(serve(PROBE), **{"viewport": WIDE, **options})
        expect(page.get_by_text("end of page")).to_be_visible()
        expect(page.locator(".mx .cell").first).to_be_visible()
        return page

    return open_probe


def choose(page: Page, name: str) -> None:
    page.get_by_role("radio", name=name).or_(page.get_by_role("button", name=name)).first.click()
    settled(page)


def backgrounds(page: Page, title: str) -> list[list[float]]:
    """Red, green, blue and opacity of every cell of a panel."""
    read = """cells => cells.map((cell) => {
      const [r, g, b, a = 1] = getComputedStyle(cell).backgroundColor.match(/[\\d.]+/g).map(Number);
      return [r, g, b, a];
    })"""
    found: list[list[float]] = grid(page, title).locator(".cell:not(.masked)").evaluate_all(read)
    return found


def ring(page: Page) -> tuple[str | None, str | None]:
    found = grid(page, "M").locator(".ring")
    expect(found).to_be_visible()
    return found.get_attribute("data-row"), found.get_attribute("data-col")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_cells_are_recoloured_and_the_pick_stays(probe: Open, scheme: str) -> None:
    page = probe(color_scheme=scheme)
    grid(page, "M").locator(".row").nth(2).get_by_role("gridcell").nth(1).click()
    expect(page.get_by_text("pick: 2 1")).to_be_visible()
    before = backgrounds(page, "M")
    assert ring(page) == ("2", "1")

    choose(page, "colour-blind safe")
    expect(page.locator(".drag.look")).to_be_attached()
    safe = backgrounds(page, "M")
    assert safe[0][:3] == [224, 88, 0]
    assert safe[-1][:3] == [30, 145, 250]
    assert ring(page) == ("2", "1")
    assert min(contrasts(page)) >= 4.5

    choose(page, "grey-safe")
    expect(page.locator(".drag.grey")).to_be_attached()
    grey = backgrounds(page, "M")
    assert all(max(one[:3]) - min(one[:3]) < COLOURED for one in grey)
    inks = [one[3] for one in grey]
    assert inks == sorted(inks)  # −1 … 1, the more the more ink
    assert inks[0] == 0
    assert inks[-1] > 0.3
    assert ring(page) == ("2", "1")
    expect(page.get_by_text("pick: 2 1")).to_be_visible()
    assert min(contrasts(page)) >= 4.5
    assert max(coloured(one) for one in page.locator(f"{PICTURES}, .drag").all()) == 0

    choose(page, "default")
    expect(page.locator(".drag.look")).not_to_be_attached()
    assert backgrounds(page, "M") == before


def test_masked_cells_look_like_no_number(probe: Open) -> None:
    page = probe()
    hatch = page.locator(".js-plotly-plot .shapelayer path[d*='L']")
    expect(page.locator(".js-plotly-plot .shapelayer path").first).to_be_attached()
    assert hatch.count() == 0
    choose(page, "grey-safe")
    expect(page.locator(".drag.grey")).to_be_attached()
    style = grid(page, "W").locator(".masked").first.evaluate(
        "cell => getComputedStyle(cell).backgroundImage"
    )  # fmt: skip
    assert "repeating-linear-gradient" in style
    expect(hatch).to_have_count(1)  # all lines of a tile are one path
    assert (hatch.get_attribute("d") or "").count("L") == 5  # slants of a triangle over 4 × 4


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_grey_ink_is_the_ink_of_the_page(probe: Open, scheme: str) -> None:
    """Plotly's picture is one for light and dark; ui/style.py gives its ink a colour."""
    page = probe(color_scheme=scheme)
    choose(page, "grey-safe")
    outline = page.locator(".js-plotly-plot .shapelayer path[style*='119, 119, 118']").first
    expect(outline).to_be_attached()
    text = page.locator(".js-plotly-plot").evaluate("one => getComputedStyle(one).color")
    assert outline.evaluate("one => getComputedStyle(one).stroke") == text
    assert text != "rgb(119, 119, 118)"


def test_a_picture_to_save_can_be_grey(probe: Open) -> None:
    page = probe()
    page.locator(".st-key-more-probe button").first.click()
    dialog = page.get_by_role("dialog")
    picture = dialog.locator(".js-plotly-plot")
    expect(picture).to_be_visible()
    page.wait_for_timeout(500)
    assert coloured(picture) > 0.001
    dialog.get_by_text("for grey print").click()
    expect(dialog.locator(".shapelayer path[style*='17, 17, 17']").first).to_be_attached()
    settled(page)
    page.mouse.move(2, 2)
    page.wait_for_timeout(500)
    assert coloured(picture) == 0
