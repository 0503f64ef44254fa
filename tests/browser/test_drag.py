"""The drag component in a real browser: mouse and keys move numbers, no echo moves them back."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from core.attention import softmax
from core.dot import compare
from core.softmax_steps import TRIAD

WIDE = {"width": 1280, "height": 720}

pytestmark = pytest.mark.browser


@pytest.fixture
def show(serve: Callable[..., str], open_page: Callable[..., Page]) -> Callable[[str], Page]:
    def go(address: str) -> Page:
        page = open_page(f"{serve('app.py')}/{address}", viewport=WIDE)
        expect(page.locator(".handle").first).to_be_visible(timeout=15_000)
        return page

    return go


def numbers(handle: Locator) -> list[float]:
    text = handle.get_attribute("aria-valuetext") or ""
    return [float(part.replace("−", "-")) for part in text.split(", ")]


def middle(handle: Locator) -> tuple[float, float]:
    box = handle.locator(".grip").bounding_box()
    assert box
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def metric(page: Page, place: int, value: float, tolerance: float) -> None:
    """Wait until a large number on the page is this one."""
    shown = page.locator("[data-testid=stMetricValue]").nth(place)
    page.wait_for_function(
        "([shown, value, most]) => Math.abs(parseFloat(shown.innerText) - value) <= most",
        arg=[shown.element_handle(), value, tolerance],
    )


def test_a_dragged_arrow_changes_the_numbers(show: Callable[[str], Page]) -> None:
    page = show("dot")
    a, b = (page.locator(".handle").nth(k) for k in range(2))
    # What the tip says on its way: an answer to an older message must not move it back.
    b.evaluate(
        """(handle) => {
          window.heard = [];
          new MutationObserver(() => window.heard.push(handle.getAttribute("aria-valuenow")))
            .observe(handle, { attributeFilter: ["aria-valuenow"] });
        }"""
    )
    x, y = middle(b)
    page.mouse.move(x, y)
    page.mouse.down()
    for step in range(1, 31):
        page.mouse.move(x - 4 * step, y + 2 * step)
        page.wait_for_timeout(20)
    page.mouse.up()
    assert abs(middle(b)[0] - (x - 120)) < 4
    assert numbers(b)[0] < -2
    result = compare(np.array(numbers(a)), np.array(numbers(b)))
    metric(page, 0, result.value, 1e-9)
    metric(page, 1, result.cosine, 5e-5)
    metric(page, 2, result.degrees, 0.05)
    expect(page.locator("[class*=st-key-dot-b1] input")).to_have_value(f"{numbers(b)[0]:g}")
    page.wait_for_timeout(300)  # whatever was still on its way
    heard = [float(one) for one in page.evaluate("window.heard")]
    assert len(heard) > 5
    assert heard == sorted(heard, reverse=True)


def test_arrow_keys_on_a_bar_change_the_weights(show: Callable[[str], Page]) -> None:
    page = show("softmax")
    bar = page.locator(".handle").nth(1)
    expect(bar).to_have_attribute("aria-label", "tired: 1.8")
    bar.focus()
    for key in ("ArrowUp", "ArrowUp", "Shift+ArrowDown"):
        page.keyboard.press(key)
    expect(bar).to_have_attribute("aria-label", "tired: 1")
    row = page.get_by_role("grid").locator(".row").nth(2)

    def weighs(tired: float) -> None:
        for place, weight in enumerate(softmax(np.array([TRIAD[0], tired, TRIAD[2]]))):
            cell = row.get_by_role("gridcell").nth(place)
            expect(cell).to_have_attribute("data-v", re.compile(re.escape(str(weight)[:9])))

    weighs(1)
    assert bar.evaluate("(handle) => handle.getRootNode().activeElement === handle")
    page.keyboard.press("PageUp")
    for _ in range(60):
        page.keyboard.press("ArrowUp")
    expect(bar).to_have_attribute("aria-label", "tired: 5")  # the end of the scale
    weighs(5)  # the last message has come: it is sent a moment after the one before it
    page.locator(".st-key-soft-reset").click()
    expect(bar).to_have_attribute("aria-label", "tired: 1.8")
