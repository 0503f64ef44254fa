"""Lecture mode in a real Chromium: readable from the last row, nothing to scroll, keys for all."""

from __future__ import annotations

import io
import json
import re
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any
from urllib.parse import urlencode, urlsplit

import numpy as np
import pytest
from conftest import settled
from PIL import Image
from playwright.sync_api import Locator, Page, expect
from test_app import address, in_address, in_the_link, out_of_address, parameters, place, until
from test_axe import serious

from core import edit, presets
from core.experiment import Experiment
from core.lecture import Lecture, Step, from_json, to_link
from core.trace import trace
from ui.lecture.walk import PAGES, PLACES, Place
from ui.literal import plotly

SMALL, LARGE = {"width": 1280, "height": 720}, {"width": 1920, "height": 1080}
NUMBERS = presets.build("article-numbers")
EDITED = edit.set_cell(NUMBERS, "w_q", 0, 0, 0.1 + 0.2)
THREE = presets.random(("one", "two", "three"), seed=4, d_model=8, num_heads=2)
RELATIONS = presets.build("relations-en")
HEAD, QUERY, KEY = 2, 8, 1  # where the English relations begin: "it" looks at "cat"

pytestmark = pytest.mark.browser

Open = Callable[..., Page]

# What must be there before a place can be judged: the script is at its end, every picture that is
# to be seen has been drawn, and so has every component of ours.
DRAWN = """() => {
  const shown = (one) => one.checkVisibility() && one.getBoundingClientRect().width > 1;
  const all = (what) => [...document.querySelectorAll(what)].filter(shown);
  return !!document.querySelector('[data-test-script-state="notRunning"]')
    && !document.querySelector('[data-testid=stSkeleton], [data-stale=true]')
    && all('.st-key-page .stPlotlyChart').every((one) => one.querySelector('.main-svg'))
    && all('.st-key-page [data-testid=stBidiComponentIsolated]').every((one) =>
      [one, ...one.querySelectorAll('*')].some((inner) => inner.shadowRoot?.childElementCount))
    && all('.st-key-page h1').length === 1;
}"""

# Everything that can be read on the screen: its size there and where it lies.
READ = r"""() => {
  const small = [], beyond = [], texts = [];
  const zoomOf = (el) => {
    let outer = el.ownerSVGElement || el;
    while (outer.ownerSVGElement) outer = outer.ownerSVGElement;
    return outer.currentCSSZoom || outer.parentElement?.currentCSSZoom || 1;
  };
  const up = (el) => el.parentElement || el.getRootNode().host;
  const seen = (el) => {  // its box, as far as what is around it does not cut it off
    let { left, right, top, bottom } = el.getBoundingClientRect();
    for (let at = el; at && !at.matches('.st-key-page'); at = up(at)) {
      if (at.ownerSVGElement) continue;
      const style = getComputedStyle(at), box = at.getBoundingClientRect();
      if (style.overflowX !== 'visible') {
        left = Math.max(left, box.left);
        right = Math.min(right, box.right);
      }
      if (style.overflowY !== 'visible') {
        top = Math.max(top, box.top);
        bottom = Math.min(bottom, box.bottom);
      }
    }
    return { left, right, top, bottom, width: right - left, height: bottom - top };
  };
  const walk = (root) => {
    const all = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT);
    for (let el = all.currentNode; el; el = all.nextNode()) {
      if (el.nodeType !== 1) continue;  // a shadow root
      if (el.shadowRoot) walk(el.shadowRoot);
      const own = [...el.childNodes].filter((one) => one.nodeType === 3)
        .map((one) => one.textContent.replace(/[\u200b\s]/g, '')).join('');
      const added = ['::before', '::after'].map((part) => getComputedStyle(el, part))
        .filter((style) => /[\p{L}\d]/u.test(style.content.replace(/^(none|normal)$/, '')));
      if (!own && !added.length) continue;
      if (['STYLE', 'SCRIPT', 'TITLE'].includes(el.tagName)) continue;
      if (el.closest('.katex-mathml, .sr, [data-testid=stStatusWidget]')) continue;
      const box = seen(el);
      if (box.width <= 1 || box.height <= 1 || box.bottom <= 0 || box.top >= innerHeight) continue;
      if (!el.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
      // A text of size 0 is one that style has replaced by another.
      const sizes = [...(own ? [getComputedStyle(el)] : []), ...added]
        .map((style) => parseFloat(style.fontSize)).filter((size) => size > 0);
      if (!sizes.length) continue;
      const pixels = Math.min(...sizes) * zoomOf(el);
      const said = el.textContent.trim().slice(0, 30);
      texts.push(said);
      if (pixels < 19.95) small.push([Math.round(pixels * 10) / 10, said, el.tagName]);
      if (box.right > innerWidth + 1 || box.left < -1 || box.bottom > innerHeight + 1)
        beyond.push([Math.round(box.left), Math.round(box.right), Math.round(box.bottom), said]);
    }
  };
  walk(document.body);
  const page = document.querySelector('.st-key-page');
  const header = document.querySelector('[data-testid=stHeader]');
  return {
    scroll: [page.scrollHeight - page.clientHeight, page.scrollWidth - page.clientWidth],
    small: small.sort((a, b) => a[0] - b[0]).slice(0, 5),
    beyond: beyond.slice(0, 5),
    header: !!header && header.checkVisibility(),
    exceptions: document.querySelectorAll('[data-testid=stException]').length,
    texts,
  };
}"""


def drawn(page: Page) -> dict[str, Any]:
    """Wait until a place stands still, and read it."""
    deadline = time.monotonic() + 30
    before: dict[str, Any] | None = None
    while True:
        now = page.evaluate(READ) if page.evaluate(DRAWN) else None
        if now is not None and now == before:
            return now
        assert time.monotonic() < deadline, f"never drawn, or never still: {place(page)}"
        before = now
        page.wait_for_timeout(120)


def fits(page: Page) -> None:
    """The place on screen can be read and needs no scrolling."""
    found = drawn(page)
    bad = {name: found[name] for name in ("small", "beyond", "exceptions") if found[name]}
    if max(found["scroll"]) > 0:
        bad["scroll"] = found["scroll"]
    assert not bad, f"{place(page)}: {bad}"
    assert not found["header"], place(page)
    assert len(found["texts"]) > 2, f"{place(page)}: there is nothing on it"


def counter(page: Page) -> tuple[int, int]:
    """Which place is on, from 1, and how many there are."""
    said = page.locator(".st-key-lecture-way").get_by_text(re.compile(r"^\d+\s*/\s*\d+$"))
    at, count = said.first.inner_text().split("/")
    return int(at), int(count)


def button(page: Page | Locator, key: str) -> Locator:
    """A button by its key; Streamlit draws each a second time, unseen, to measure it."""
    return page.locator(f".st-key-{key}").get_by_role("button")


def listens(page: Page) -> None:
    """Wait until the keys are heard: a dark screen, and light again."""
    dark = page.locator("html.lecture-dark")
    deadline = time.monotonic() + 8
    while not dark.count():
        assert time.monotonic() < deadline, "no key is heard"
        page.keyboard.press(".")
        page.wait_for_timeout(50)
    page.keyboard.press(".")
    expect(dark).not_to_be_attached()


def at(page: Page, number: int) -> None:
    """Wait until the lecture is at a place."""
    way = page.locator(".st-key-lecture-way")
    expect(way.get_by_text(re.compile(rf"^{number}\s*/")).first).to_be_visible(timeout=20_000)
    settled(page)


def still_at(page: Page, number: int) -> None:
    """Nothing has moved, and nothing is on its way."""
    page.wait_for_timeout(500)
    settled(page)
    assert counter(page)[0] == number


def idea(page: Page) -> str:
    """Names of the ideas that are to be seen."""
    return page.evaluate(
        """() => [...document.querySelectorAll('[class*="st-key-idea-"]')]
          .filter((one) => one.checkVisibility())
          .map((one) => one.className.match(/st-key-idea-([\\w-]+)/)[1]).join()"""
    )


@pytest.fixture
def lecture(serve: Callable[..., str], open_page: Open) -> Iterator[Open]:
    """Open a page of the app in lecture mode; afterwards look at the console."""
    opened: list[Page] = []

    def go(
        name: str = "start",
        experiment: Experiment | None = None,
        *,
        size: Mapping[str, int] = SMALL,
        url: str = "",
        words: Mapping[str, object] | None = None,
        **options: Any,
    ) -> Page:
        asked = {"lecture": "on", "lang": "en", **address(experiment), **(words or {})}
        target = url or f"{serve('app.py')}/{'' if name == 'start' else name}?{urlencode(asked)}"
        page = open_page(target, **{"viewport": size, **options})
        opened.append(page)
        expect(page.locator(".st-key-page h1")).to_be_visible(timeout=15_000)
        settled(page)
        if page.locator(".st-key-lecture-way").count():
            listens(page)
        return page

    yield go
    for page in opened:
        errors = [one for one in page.console_messages() if one.type == "error"]
        ours = [one for one in errors if "/_stcore/" not in one.location["url"]]
        assert not ours, [one.text for one in ours]


# ---- the walk ----


@pytest.mark.parametrize(
    ("size", "language"), [(SMALL, "en"), (LARGE, "zh")], ids=["1280-en", "1920-zh"]
)
def test_every_place_of_the_walk_can_be_read(
    lecture: Open, size: dict[str, int], language: str
) -> None:
    page = lecture(size=size, words={"lang": language})
    assert counter(page) == (1, len(PLACES))
    failed, before = [], "start"
    for number, one in enumerate(PLACES, 1):
        if one.options.get("lesson") == "formed" and one.idea != "patterns":
            continue  # there is nothing before a race has run
        at(page, number)
        if one.page != before:
            listens(page)
            before = one.page
        try:
            fits(page)
        except AssertionError as error:  # all of them at once
            failed.append(str(error).splitlines()[0])
        assert idea(page) in (one.idea, ""), (number, one)
        assert urlsplit(place(page)).path == ("/" if one.page == "start" else f"/{one.page}")
        if number < len(PLACES):
            page.keyboard.press("PageDown")
    assert not failed, "\n".join(failed)


def some_places() -> list[Place]:
    wanted = (("tokens", "vectors"), ("projections", "matrices"), ("dot", "row"), ("dot", "terms"),
              ("scaling", "numbers"), ("softmax", "bars"), ("heatmap", "matrices"),
              ("heatmap", "arithmetic"), ("masks", "pictures"), ("heads", "table"),
              ("code", "program"), ("summary", "pipeline"))  # fmt: skip
    return [
        next(one for one in PLACES if (one.page, one.idea) == (page, idea)) for page, idea in wanted
    ]


@pytest.mark.thorough
@pytest.mark.parametrize("experiment", [NUMBERS, THREE], ids=["article-numbers", "random"])
def test_places_of_another_experiment_can_be_read(lecture: Open, experiment: Experiment) -> None:
    failed = []
    page = lecture("start", experiment)
    base = place(page).partition("/?")[0]
    for one in some_places():
        words = {"lecture": "on", "lang": "en", **address(experiment), **one.options}
        page.goto(f"{base}/{one.page}?{urlencode(words | {'idea': one.idea})}")
        expect(page.locator(".st-key-page h1")).to_be_visible(timeout=15_000)
        try:
            fits(page)
        except AssertionError as error:
            failed.append(str(error).splitlines()[0])
        assert idea(page) == one.idea
    assert not failed, "\n".join(failed)


def test_the_measure_can_fail(lecture: Open) -> None:
    """It sees a text that is too small in the page, in a shadow root and in a picture."""
    page = lecture("heatmap")
    fits(page)
    page.add_style_tag(content=".st-key-page h1 { font-size: 13px !important; }")
    with pytest.raises(AssertionError, match="small"):
        fits(page)
    page = lecture("heads")
    fits(page)
    page.evaluate("document.querySelector('.js-plotly-plot text').style.fontSize = '19px'")
    with pytest.raises(AssertionError, match="small"):
        fits(page)
    page = lecture("heatmap", words={"stage": "scores"})
    page.add_style_tag(content=":root { --lecture: 1.2 !important; }")
    with pytest.raises(AssertionError, match="small"):
        fits(page)
    page.add_style_tag(content=":root { --lecture: 3 !important; }")
    with pytest.raises(AssertionError, match=r"scroll|beyond"):
        fits(page)


# ---- keys ----


def test_keys_go_on_and_back(lecture: Open) -> None:
    page = lecture()
    at(page, 1)
    number = 1
    for key, by in (
        *(("PageDown", 1), ("ArrowRight", 1), ("ArrowRight", 1), ("PageUp", -1)),
        *(("ArrowLeft", -1), ("PageDown", 1), ("ArrowLeft", -1), ("PageUp", -1)),
    ):
        page.keyboard.press(key)
        number += by
        at(page, number)
    page.keyboard.press("ArrowLeft")
    still_at(page, 1)


def test_keys_pressed_quickly_are_not_lost(lecture: Open) -> None:
    page = lecture("heatmap", words={"stage": "scores"})
    for _ in range(5):
        page.keyboard.press("ArrowUp")
    in_address(page, q=str(QUERY - 5), k=str(KEY))
    for _ in range(4):
        page.keyboard.press("Shift+ArrowRight")
    in_address(page, q=str(QUERY - 5), k=str(KEY + 4))


def test_arrows_move_the_pinned_pair(lecture: Open) -> None:
    page = lecture("heatmap", words={"stage": "scores"})
    start = counter(page)[0]
    for key, query, looked_at in (
        ("ArrowUp", QUERY - 1, KEY),
        ("ArrowDown", QUERY, KEY),
        ("ArrowDown", QUERY + 1, KEY),
        ("Shift+ArrowRight", QUERY + 1, KEY + 1),
        ("Shift+ArrowLeft", QUERY + 1, KEY),
        ("Shift+ArrowUp", QUERY, KEY),
        ("Shift+ArrowDown", QUERY + 1, KEY),
    ):
        page.keyboard.press(key)
        in_address(page, q=str(query), k=str(looked_at), head=str(HEAD))
    assert counter(page)[0] == start
    label = plotly(RELATIONS.labels()[QUERY + 1])
    expect(page.locator(".st-key-page").get_by_text(label).first).to_be_visible()


@pytest.mark.thorough
def test_arrows_stop_at_the_ends_of_the_sentence(lecture: Open) -> None:
    page = lecture("heatmap", THREE, words={"q": 0, "k": 2})
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("ArrowDown")
    in_address(page, q="1", k="2")


def test_a_digit_chooses_a_head(lecture: Open) -> None:
    page = lecture("heads")
    for digit in (3, 0, 1, 1):
        page.keyboard.press(str(digit))
        in_address(page, head=str(digit), q=str(QUERY), k=str(KEY))
    page.keyboard.press("9")  # there are four: the last
    in_address(page, head="3")


@pytest.mark.thorough
def test_the_pair_still_moves_on_the_next_page_and_after_a_reload(lecture: Open) -> None:
    page = lecture("heatmap", words={"stage": "output", "idea": "arithmetic"})
    page.keyboard.press("ArrowUp")
    in_address(page, q=str(QUERY - 1))
    page.keyboard.press("PageDown")
    until(lambda: urlsplit(place(page)).path, lambda found: found == "/masks", "masks")
    drawn(page)
    listens(page)
    page.keyboard.press("ArrowUp")
    in_address(page, q=str(QUERY - 2))
    page.reload()
    drawn(page)
    listens(page)
    page.keyboard.press("ArrowDown")
    in_address(page, q=str(QUERY - 1))


@pytest.mark.parametrize("key", [".", "b"])
def test_a_key_darkens_the_screen(lecture: Open, key: str) -> None:
    page = lecture("heads")
    drawn(page)
    assert brightness(page) > 100
    page.keyboard.press(key)
    assert brightness(page) == 0
    page.keyboard.press(key)
    assert brightness(page) > 100


def brightness(page: Page) -> int:
    with Image.open(io.BytesIO(page.screenshot())) as image:
        return int(np.asarray(image.convert("L")).max())


def test_a_dark_screen_is_light_again_when_the_lecture_ends(lecture: Open) -> None:
    page = lecture("heads")
    page.keyboard.press(".")
    button(page, "lecture-end").evaluate("button => button.click()")
    expect(page.locator(".st-key-lecture-way")).not_to_be_attached()
    until(lambda: brightness(page), lambda found: found > 100)


def test_what_is_typed_moves_nothing(lecture: Open) -> None:
    page = lecture()
    before = parameters(page)
    field = page.locator(".st-key-page input[type=text]").first
    field.click()
    page.keyboard.press("End")
    for key in (
        "ArrowLeft",
        "ArrowRight",
        "ArrowUp",
        "ArrowDown",
        "1",
        ".",
        "b",
        "Shift+ArrowLeft",
    ):
        page.keyboard.press(key)
    still_at(page, 1)
    assert field.input_value().endswith("1.b")
    assert parameters(page) == before
    assert not page.locator("html.lecture-dark").count()
    page.keyboard.press("PageDown")  # a remote's keys work wherever the focus is
    at(page, 2)


def test_arrows_on_a_slider_move_the_slider(lecture: Open) -> None:
    page = lecture("softmax", words={"soft": "temperature"})
    drawn(page)
    start, before = counter(page)[0], parameters(page)
    slider = page.locator(".st-key-page").get_by_role("slider", name="Temperature")
    slider.focus()
    first = float(slider.input_value())
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    until(lambda: float(slider.input_value()), lambda now: now > first)
    still_at(page, start)
    assert parameters(page)["q"] == before["q"]
    page.keyboard.press("PageDown")
    at(page, start + 1)


@pytest.mark.thorough
def test_keys_with_ctrl_or_alt_are_the_browsers(lecture: Open) -> None:
    page = lecture("heatmap")
    before = counter(page)[0]
    for key in ("Control+ArrowRight", "Control+ArrowDown", "Control+1", "Meta+ArrowDown"):
        page.keyboard.press(key)
    still_at(page, before)
    assert parameters(page)["q"] == str(QUERY)


@pytest.mark.thorough
def test_keys_do_nothing_outside_of_a_lecture(lecture: Open) -> None:
    page = lecture("heatmap", words={"lecture": ""})
    before = place(page)
    for key in ("ArrowRight", "ArrowDown", "1", ".", "PageDown"):
        page.keyboard.press(key)
    page.wait_for_timeout(500)
    settled(page)
    assert parameters(page)["q"] == str(QUERY)
    assert urlsplit(place(page)).path == urlsplit(before).path
    assert not page.locator("html.lecture-dark").count()


def overview(page: Page) -> Locator:
    page.keyboard.press("o")
    dialog = page.get_by_role("dialog")
    expect(dialog.locator(".st-key-lecture-places")).to_be_visible()
    settled(page)
    return dialog


def closed(page: Page) -> None:
    expect(page.get_by_role("dialog")).not_to_be_attached()


@pytest.mark.parametrize("size", [SMALL, LARGE], ids=["1280", "1920"])
def test_the_overview_goes_anywhere(lecture: Open, size: dict[str, int]) -> None:
    page = lecture("heatmap", size=size, words={"stage": "scores"})
    dialog = overview(page)
    fits(page)
    assert not serious(page)
    dialog.get_by_role("button", name="Masks").click()
    closed(page)
    in_address(page, lecture="on")
    until(lambda: urlsplit(place(page)).path, lambda found: found == "/masks", "masks")
    at(page, 1 + next(i for i, one in enumerate(PLACES) if one.page == "masks"))
    listens(page)
    page.keyboard.press("PageDown")
    in_address(page, idea="words")


def test_the_overview_of_a_list_shows_its_steps(lecture: Open) -> None:
    title = "A title that is *long*, so long that it needs more than one line"
    steps = (Step("heads", {"preset": "random"}), Step("summary", {"preset": "random"}, title))
    page = lecture("heads", words={"list": to_link(Lecture("n", steps)), "step": 1})
    dialog = overview(page)
    fits(page)
    dialog.get_by_role("button", name=title).click()
    closed(page)
    until(lambda: urlsplit(place(page)).path, lambda found: found == "/summary", "summary")
    at(page, 2)


def test_language_and_guesses_are_chosen_within_a_lecture(lecture: Open) -> None:
    page = lecture("heads")
    overview(page).get_by_role("button", name="中文").click()
    closed(page)
    in_address(page, lang="zh", lecture="on")
    expect(page.locator(".st-key-page h1")).to_have_text(re.compile("[\u4e00-\u9fff]"))
    overview(page).get_by_text("先猜", exact=True).click()
    settled(page)
    page.keyboard.press("Escape")
    closed(page)
    in_address(page, guess="first")
    expect(page.locator(".st-key-question")).to_be_visible()


@pytest.mark.thorough
def test_the_buttons_do_what_the_keys_do(lecture: Open) -> None:
    page = lecture()
    button(page, "lecture-next").click()
    at(page, 2)
    button(page, "lecture-back").click()
    at(page, 1)
    button(page, "lecture-end").click()
    expect(page.locator(".st-key-path")).to_be_visible()
    expect(page.locator("[data-testid=stHeader]")).to_be_visible()
    out_of_address(page, "lecture")


def test_guess_first_asks_answers_and_shows(lecture: Open) -> None:
    page = lecture(words={"guess": "first"})
    expect(page.locator(".st-key-question")).to_be_visible()
    fits(page)
    page.keyboard.press("PageDown")
    expect(page.locator(".st-key-question")).not_to_be_attached()
    expect(page.get_by_role("heading", level=3)).to_be_visible()
    assert not page.locator(".js-plotly-plot").count()
    fits(page)
    page.keyboard.press("PageDown")
    expect(page.locator(".js-plotly-plot").first).to_be_visible(timeout=15_000)
    fits(page)
    assert (counter(page)[0], idea(page)) == (1, "lines")


# ---- the mouse, on a page that is enlarged ----

CELL = """(figure, [tile, row, column]) => {
  const box = figure.getBoundingClientRect(), name = tile ? tile + 1 : '';
  const {[`xaxis${name}`]: x, [`yaxis${name}`]: y} = figure._fullLayout;
  return [box.x + x._offset + x.c2p(column), box.y + y._offset + y.c2p(row)];
}"""


@pytest.mark.parametrize("size", [SMALL, LARGE], ids=["1280", "1920"])
@pytest.mark.parametrize(("tile", "row", "column"), [(0, 0, 0), (2, 8, 1), (3, 10, 10), (1, 5, 7)])
def test_a_picture_names_the_cell_below_the_pointer(
    lecture: Open, size: dict[str, int], tile: int, row: int, column: int
) -> None:
    page = lecture("heads", size=size)
    drawn(page)
    figure = page.locator(".st-key-heads-grid .js-plotly-plot")
    x, y = figure.evaluate(CELL, [tile, row, column])
    # The cell that is drawn there, and not only Plotly's idea of it.
    drawn_at = page.evaluate(
        """([x, y, tile]) => {
          const images = [...document.querySelectorAll('.st-key-heads-grid .heatmaplayer image')]
            .map((one) => one.getBoundingClientRect())
            .filter((box) => box.left <= x && x <= box.right && box.top <= y && y <= box.bottom);
          const box = images[0];
          return box && [(y - box.top) / box.height * 11, (x - box.left) / box.width * 11];
        }""",
        [x, y, tile],
    )
    assert drawn_at is not None
    assert [int(part) for part in drawn_at] == [row, column]
    page.mouse.move(x - 30, y)
    page.mouse.move(x, y)
    labels = RELATIONS.labels()
    weight = trace(RELATIONS).weights[tile, row, column]
    hover = page.locator(".st-key-heads-grid .hoverlayer .hovertext")
    wanted = f"{labels[row]} · {labels[column]}: {weight:.6g}"
    until(lambda: hover.all_text_contents(), lambda found: found == [wanted], wanted)
    box = hover.bounding_box()
    assert box
    assert abs(box["y"] + box["height"] / 2 - y) < 80
    assert min(abs(box["x"] - x), abs(box["x"] + box["width"] - x)) < 60


def test_a_click_in_a_picture_picks_its_head_and_cell(lecture: Open) -> None:
    page = lecture("heads")
    drawn(page)
    figure = page.locator(".st-key-heads-grid .js-plotly-plot")
    for tile, row, column in ((1, 3, 2), (3, 10, 0)):
        page.mouse.click(*figure.evaluate(CELL, [tile, row, column]))
        in_address(page, head=str(tile), q=str(row), k=str(column))
        drawn(page)


@pytest.mark.thorough
@pytest.mark.parametrize("size", [SMALL, LARGE], ids=["1280", "1920"])
def test_a_click_on_a_cell_of_a_matrix_picks_that_very_cell(
    lecture: Open, size: dict[str, int]
) -> None:
    page = lecture("heatmap", size=size)
    drawn(page)
    grid = page.locator(".st-key-page [role=grid]:visible").nth(square(page))
    for row, column in ((2, 5), (9, 0), (0, 8)):
        cell = grid.locator(".row").nth(row).get_by_role("gridcell").nth(column)
        box = cell.bounding_box()
        assert box
        for dx, dy in ((0.5, 0.5), (0.1, 0.15), (0.9, 0.85)):
            page.mouse.click(box["x"] + dx * box["width"], box["y"] + dy * box["height"])
            in_address(page, q=str(row), k=str(column))
        ring = grid.locator(".ring")
        expect(ring).to_have_attribute("data-row", str(row))
        expect(ring).to_have_attribute("data-col", str(column))
        around = ring.bounding_box()
        assert around
        for side in ("x", "y", "width", "height"):
            assert abs(around[side] - box[side]) < 8, (around, box)


def square(page: Page) -> int:
    """Which of the matrices that are to be seen has a row and a column for each token."""
    sizes = page.locator(".st-key-page [role=grid]:visible").evaluate_all(
        """grids => grids.map((grid) => [...grid.querySelectorAll('.row')]
          .filter((row) => row.querySelector('[role=gridcell]'))
          .map((row) => row.querySelectorAll('[role=gridcell]').length))"""
    )
    return sizes.index([RELATIONS.n] * RELATIONS.n)


def shows(page: Page, expected: np.ndarray) -> None:
    """Wait until a matrix that is to be seen draws these very numbers."""
    read = """grids => grids.filter((grid) => grid.checkVisibility()).map((grid) =>
      [...grid.querySelectorAll('.row')].map((row) =>
        [...row.querySelectorAll('[role=gridcell]')].map((cell) => Number(cell.dataset.v))))"""
    wanted = expected.tolist()
    until(
        lambda: page.locator(".st-key-page [role=grid]").evaluate_all(read),
        lambda found: wanted in [[row for row in grid if row] for grid in found],
        wanted,
    )


def middle(handle: Locator) -> tuple[float, float]:
    box = handle.locator(".grip").bounding_box()
    assert box
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


@pytest.mark.thorough
@pytest.mark.parametrize("size", [SMALL, LARGE], ids=["1280", "1920"])
def test_a_dragged_arrow_follows_the_pointer(lecture: Open, size: dict[str, int]) -> None:
    page = lecture("dot", size=size)
    drawn(page)
    tip = page.locator(".handle").nth(1)
    x, y = middle(tip)
    page.mouse.move(x, y)
    page.mouse.down()
    for step in range(1, 16):
        page.mouse.move(x - 8 * step, y + 4 * step)
        page.wait_for_timeout(20)
        at_x, at_y = middle(tip)
        # It snaps to the numbers that it can show.
        assert abs(at_x - (x - 8 * step)) < 8
        assert abs(at_y - (y + 4 * step)) < 8
    page.mouse.up()
    drawn(page)
    assert abs(middle(tip)[0] - (x - 120)) < 8
    assert abs(middle(tip)[1] - (y + 60)) < 8


# ---- a list of one's own ----


def open_dialog(page: Page) -> Locator:
    button(page, "lecture-open").click()
    dialog = page.get_by_role("dialog")
    expect(button(dialog, "lecture-add")).to_be_visible()
    settled(page)
    return dialog


def close_dialog(page: Page) -> None:
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).not_to_be_attached()


def add_step(page: Page, count: int) -> None:
    dialog = open_dialog(page)
    button(dialog, "lecture-add").click()
    expect(dialog.locator("[class*=st-key-lecture-title-]")).to_have_count(count)
    settled(page)


def prepared(lecture: Open) -> Page:
    """Two steps: an edited matrix on Attention, heads of random numbers; the dialog is open."""
    page = lecture("heatmap", EDITED, words={"lecture": "", "stage": "scores", "q": 3, "k": 1})
    add_step(page, 1)
    close_dialog(page)
    page.locator("[data-testid=stTopNavLink][href$='/heads']").click()
    until(lambda: urlsplit(place(page)).path, lambda found: found == "/heads", "heads")
    settled(page)
    page.locator(".st-key-preset input, [class*='st-key-preset-v'] input").first.click()
    page.get_by_role("option").last.click()
    until(lambda: parameters(page).get("preset"), lambda found: found == "random", "random")
    settled(page)
    add_step(page, 2)
    return page


def test_a_list_is_prepared_and_walked_through(lecture: Open) -> None:
    page = prepared(lecture)
    dialog = page.get_by_role("dialog")
    name = dialog.locator("[class*=st-key-lecture-name] input")
    name.fill("Tuesday 猫")
    name.press("Enter")
    title = dialog.locator("[class*=st-key-lecture-title-1] input")
    title.fill("Four heads")
    title.press("Enter")
    settled(page)
    expect(dialog.locator("[class*=st-key-lecture-title-1] input")).to_have_value("Four heads")
    shared = dialog.locator("[data-testid=stCode] code").inner_text().strip()
    button(dialog, "lecture-start-list").click()
    expect(page.get_by_role("dialog")).not_to_be_attached()
    until(lambda: urlsplit(place(page)).path, lambda found: found == "/heatmap", "heatmap")
    at(page, 1)
    fits(page)
    listens(page)
    assert counter(page) == (1, 2)
    first = trace(EDITED).scores[0]
    shows(page, first)
    page.keyboard.press("PageDown")
    until(lambda: idea(page), lambda found: found == "arithmetic", "arithmetic")
    in_address(page, idea="arithmetic", step="1")
    assert counter(page) == (1, 2)

    page.reload()  # in the middle: nothing is lost
    drawn(page)
    listens(page)
    assert (counter(page), idea(page)) == ((1, 2), "arithmetic")
    page.keyboard.press("ArrowUp")  # what is changed by hand does not stay
    in_address(page, q="2")
    page.keyboard.press("PageDown")
    until(lambda: urlsplit(place(page)).path, lambda found: found == "/heads", "heads")
    at(page, 2)
    fits(page)
    listens(page)
    assert parameters(page)["step"] == "2"
    page.keyboard.press("PageUp")
    until(lambda: urlsplit(place(page)).path, lambda found: found == "/heatmap", "heatmap")
    at(page, 1)
    listens(page)
    page.keyboard.press("PageUp")
    until(lambda: idea(page), lambda found: found == "matrices", "matrices")
    drawn(page)
    shows(page, first)

    other = lecture(url=shared, size=LARGE)
    until(lambda: urlsplit(place(other)).path, lambda found: found == "/heatmap", "heatmap")
    drawn(other)
    assert counter(other) == (1, 2)
    shows(other, first)
    other.keyboard.press("PageDown")
    until(lambda: idea(other), lambda found: found == "arithmetic", "arithmetic")
    settled(other)
    other.keyboard.press("PageDown")
    until(lambda: urlsplit(place(other)).path, lambda found: found == "/heads", "heads")
    at(other, 2)
    button(page, "lecture-end").click()
    expect(page.locator(".st-key-path")).to_be_visible()
    assert in_the_link(page) == EDITED
    dialog = open_dialog(page)
    expect(dialog.locator("[class*=st-key-lecture-name] input")).to_have_value("Tuesday 猫")


def test_a_list_is_in_the_address_while_the_dialog_is_open(lecture: Open) -> None:
    page = prepared(lecture)
    until(lambda: "list" in parameters(page), bool)
    page.reload()
    settled(page)
    dialog = open_dialog(page)
    expect(dialog.locator("[class*=st-key-lecture-title-]")).to_have_count(2)


def test_a_list_is_saved_and_opened_again(lecture: Open) -> None:
    page = prepared(lecture)
    with page.expect_download() as saved:
        page.get_by_role("dialog").locator("[data-testid=stDownloadButton] button").first.click()
    content = saved.value.path().read_bytes()
    made = from_json(content, PAGES)
    assert [step.page for step in made.steps] == ["heatmap", "heads"]
    assert json.loads(content)["name"] == ""

    other = lecture(words={"lecture": ""})
    dialog = open_dialog(other)
    dialog.locator("[data-testid=stPopover] button").click()
    file = {"name": "lecture.json", "mimeType": "application/json", "buffer": content}
    other.locator("[data-testid=stFileUploaderDropzone] input").set_input_files(file)  # type: ignore[arg-type]
    expect(other.locator("[class*=st-key-lecture-title-]")).to_have_count(2)


def test_keys_do_not_move_a_page_behind_the_dialog(lecture: Open) -> None:
    page = lecture("heatmap", words={"lecture": ""})
    dialog = open_dialog(page)
    name = dialog.locator("[class*=st-key-lecture-name] input")
    name.fill("1.b")
    name.press("ArrowLeft")
    name.press("Enter")
    settled(page)
    expect(dialog.locator("[class*=st-key-lecture-name] input")).to_have_value("1.b")
    assert parameters(page)["q"] == str(QUERY)


def test_a_list_that_is_garbage_opens_the_default_with_a_sentence(lecture: Open) -> None:
    page = lecture(words={"list": "1garbage", "step": "1"})
    expect(page.locator(".st-key-notices [data-testid=stAlert]")).to_have_count(1)
    assert counter(page) == (1, len(PLACES))
    out_of_address(page, "list")


def test_the_back_button_of_the_browser_and_a_list(lecture: Open) -> None:
    """A step of another page is a step of the browser's history too."""
    steps = (Step("heads", {"preset": "random"}), Step("summary", {"preset": "random"}))
    page = lecture("heads", words={"list": to_link(Lecture("n", steps)), "step": 1})
    drawn(page)
    assert counter(page) == (1, 2)
    page.keyboard.press("PageDown")
    until(lambda: urlsplit(place(page)).path, lambda found: found == "/summary", "summary")
    drawn(page)
    fits(page)


# ---- nobody is shut out ----


@pytest.mark.thorough
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["heatmap", "heads", "softmax"])
def test_a_lecture_shuts_nobody_out(lecture: Open, name: str, scheme: str) -> None:
    page = lecture(name, color_scheme=scheme)
    drawn(page)
    assert not serious(page)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_dialog_shuts_nobody_out(lecture: Open, scheme: str) -> None:
    page = lecture("heatmap", words={"lecture": ""}, color_scheme=scheme)
    add_step(page, 1)
    assert not serious(page)
