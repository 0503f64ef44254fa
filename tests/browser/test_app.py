"""The whole app in a real browser: what is drawn is what core computes, and nothing is lost."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from core import edit, files, link, presets
from core.experiment import Experiment
from core.trace import trace
from ui.language import LOCALES

WIDE = {"width": 1280, "height": 800}
PHONE = {"width": 390, "height": 844}
UNDO, RESET = ".st-key-button--material-undo-", ".st-key-button--material-restart_alt-"
# Of each page something that is there when it has been drawn.
DRAWN = {
    "start": ".st-key-start-lines .js-plotly-plot .main-svg",
    "tokens": ".st-key-token-vectors [role=grid]",
    "projections": ".st-key-projection [role=grid]:visible",
    "heatmap": ".st-key-page [role=grid]:visible",
    "scaling": ".st-key-scaling-own .heatmaplayer image, .st-key-scaling-own-3 [role=grid]",
    "learning": ".st-key-race-weights .js-plotly-plot .heatmaplayer image",
    "masks": ".st-key-mask-two .js-plotly-plot .heatmaplayer image",
    "dot": ".st-key-page [data-testid=stBidiComponentIsolated]",
    "softmax": ".st-key-page .js-plotly-plot .main-svg",
    "heads": ".st-key-heads-grid .heatmaplayer image, [class*=st-key-heads-grid-] [role=grid]",
    "code": ".st-key-code-text code",
    "summary": ".st-key-summary-pipeline .js-plotly-plot .main-svg",
}
LEFT, RIGHT, PRODUCT = range(3)
RELATIONS = presets.build("relations-en")
HEAD = 2  # where "it" looks at "cat": what is on screen at first

pytestmark = pytest.mark.browser

Visit = Callable[..., Page]


@pytest.fixture
def visit(serve: Callable[..., str], open_page: Callable[..., Page]) -> Iterator[Visit]:
    """Open a page of the app, cut off from the network; afterwards look at the console."""
    opened: list[Page] = []

    def go(
        name: str = "start",
        experiment: Experiment | None = None,
        *,
        url: str = "",
        parameters: Mapping[str, object] | None = None,
        **options: Any,
    ) -> Page:
        asked = {**address(experiment), **(parameters or {})}
        place = "" if name == "start" else name
        target = url or f"{serve('app.py')}/{place}?{urlencode(asked)}"
        page = open_page(target, **{"viewport": WIDE, **options})
        opened.append(page)
        ready(page, name)
        return page

    yield go
    for page in opened:
        errors = [one for one in page.console_messages() if one.type == "error"]
        # On a deep link Streamlit itself looks for its own services below the page first.
        ours = [one for one in errors if not re.search(r"/_stcore/", one.location["url"])]
        assert not ours, [one.text for one in ours]


def address(experiment: Experiment | None) -> dict[str, str]:
    if experiment is None:
        return {}
    return {"preset": experiment.preset, "x": link.to_link(experiment)}


def ready(page: Page, name: str) -> None:
    expect(page.locator(DRAWN[name]).first).to_be_visible(timeout=15_000)
    expect(page.locator('[data-test-script-state="notRunning"]')).to_be_visible()
    assert page.locator("[data-testid=stException]").count() == 0


def turn_to(page: Page, name: str) -> None:
    """Go to another page by the navigation, within the session."""
    path = "" if name == "start" else name
    page.locator(f'[data-testid=stTopNavLink][href$="/{path}"]').click()
    until(lambda: urlsplit(place(page)).path, lambda found: found in (f"/{name}", "/"), name)
    ready(page, name)


def control(page: Page, key: str) -> Locator:
    """A control by its key; one that was moved by anything but itself has a version behind it."""
    return page.locator(f'.st-key-{key}, [class*="st-key-{key}-v"]')


def panel(page: Page, key: str, slot: int = 0) -> Locator:
    return page.locator(f".st-key-{key} [role=grid]").nth(slot)


def cell(page: Page, key: str, slot: int, row: int, column: int) -> Locator:
    return panel(page, key, slot).locator(".row").nth(row).get_by_role("gridcell").nth(column)


READ_CELLS = """grids => grids.map((grid) => [...grid.querySelectorAll('.row')].map(
  (row) => [...row.querySelectorAll('[role=gridcell]')].map((cell) => cell.dataset.v)))"""


def all_numbers(page: Page, key: str) -> list[np.ndarray]:
    """What every matrix inside a key draws, at full precision; NaN where it is masked."""
    found = page.locator(f".st-key-{key} [role=grid]").evaluate_all(READ_CELLS)
    return [
        np.array([[np.nan if v == "masked" else float(v) for v in row] for row in rows])
        for rows in found
    ]


def numbers(page: Page, key: str, slot: int = 0) -> np.ndarray:
    expect(panel(page, key, slot)).to_be_attached()
    return all_numbers(page, key)[slot]


def shows(page: Page, key: str, slot: int, expected: np.ndarray) -> None:
    """Wait until a matrix draws these numbers."""
    until(lambda: numbers(page, key, slot), lambda found: near(found, expected), expected)


def shows_somewhere(page: Page, expected: np.ndarray) -> None:
    """Wait until any matrix of the page draws these numbers."""
    until(
        lambda: all_numbers(page, "page"),
        lambda found: any(near(one, expected) for one in found),
        expected,
    )


def near(found: np.ndarray, expected: np.ndarray) -> bool:
    return found.shape == expected.shape and np.allclose(
        found, expected, rtol=0, atol=1e-6, equal_nan=True
    )


def until(read: Callable[[], Any], good: Callable[[Any], bool], wanted: object = "") -> Any:
    deadline = time.monotonic() + 8
    while not good(found := read()):
        assert time.monotonic() < deadline, f"there is still {found}, not {wanted}"
        time.sleep(0.05)
    return found


def pictures(page: Page, key: str) -> list[np.ndarray]:
    """The numbers that a Plotly figure draws as heatmaps, read from the figure in the page."""
    read = """figure => figure._fullData
      .filter((one) => one.type === 'heatmap' && one.hovertemplate.includes('%{z'))
      .map((one) => Array.from(one.z, (row) => Array.from(row)))"""
    found = page.locator(f".st-key-{key} .js-plotly-plot").evaluate(read)
    return [np.array(one, dtype=float) for one in found]


def side_by_side(page: Page, place: str) -> list[np.ndarray]:
    """The numbers of matrices that stand side by side."""
    grids = page.locator(f'[class*="st-key-{place}-"] [role=grid]')
    return [np.array(rows, dtype=float) for rows in grids.evaluate_all(READ_CELLS)]


def rings(page: Page, place: str, count: int = 4) -> set[tuple[str | None, ...] | None]:
    """The outlines of matrices that stand side by side."""
    return {ring(page, f"{place}-{number}") for number in range(count)}


def outlines(page: Page, key: str) -> list[tuple[float, float]]:
    """The (row, column) of every outlined cell of a Plotly figure."""
    read = """figure => figure.layout.shapes.filter((one) => one.xref !== 'paper')
      .map((one) => [one.y0 + 0.5, one.x0 + 0.5])"""
    found = page.locator(f".st-key-{key} .js-plotly-plot").evaluate(read)
    return [tuple(one) for one in found]


def ring(page: Page, key: str, slot: int = 0) -> tuple[str | None, ...] | None:
    """Row and column of the outline of a matrix."""
    mark = panel(page, key, slot).locator(".ring")
    if not mark.is_visible():
        return None
    return mark.get_attribute("data-row"), mark.get_attribute("data-col")


def click_cell(page: Page, key: str, tile: int, row: int, column: int) -> None:
    """Click the middle of a cell of one of a Plotly figure's tiles."""
    where = """(figure, [tile, row, column]) => {
      const box = figure.getBoundingClientRect(), name = tile ? tile + 1 : '';
      const {[`xaxis${name}`]: x, [`yaxis${name}`]: y} = figure._fullLayout;
      return [box.x + x._offset + x.c2p(column), box.y + y._offset + y.c2p(row)];
    }"""
    figure = page.locator(f".st-key-{key} .js-plotly-plot")
    page.mouse.click(*figure.evaluate(where, [tile, row, column]))


def in_address(page: Page, **wanted: str) -> None:
    """Wait until the address holds these parameters."""
    until(lambda: parameters(page), lambda found: wanted.items() <= found.items(), wanted)


def out_of_address(page: Page, name: str) -> None:
    """Wait until the address has lost a parameter; it may be older than the page."""
    until(lambda: parameters(page), lambda found: name not in found, f"no {name}")


def parameters(page: Page) -> dict[str, str]:
    return {name: value[0] for name, value in parse_qs(urlsplit(place(page)).query).items()}


def place(page: Page) -> str:
    """The address as the browser has it now; ``page.url`` may be older."""
    return page.evaluate("location.href")


def in_the_link(page: Page) -> Experiment:
    found = parameters(page)
    return link.from_link(found.get("preset", ""), found.get("x", ""))


def type_into(page: Page, at: Locator, text: str) -> None:
    """Edit a cell as a person does, and do not wait for what comes of it."""
    at.dblclick()
    page.locator(".layer input").fill(text)
    page.keyboard.press("Enter")


def write_sentence(page: Page, sentence: str) -> None:
    field = control(page, "sentence").locator("input")
    field.fill(sentence)
    field.press("Enter")


def choose(page: Page, key: str, place: int) -> None:
    control(page, key).get_by_role("radio").nth(place).click()


# ---- opening ----


def test_a_deep_link_on_a_cold_server(
    serve: Callable[..., str], visit: Visit, request: pytest.FixtureRequest
) -> None:
    """The first visitor of all comes by a deep link: nobody has opened the start page yet."""
    cold = serve("app.py", "--logger.level=error")  # other options: a server of its own
    page = visit("heads", url=f"{cold}/heads")
    titles = page.locator("[data-testid=stTopNavLink]")
    expect(titles).to_have_count(len(DRAWN))
    texts = titles.all_inner_texts()
    assert not set(texts) & set(DRAWN), "raw file names"
    for key in ("preset", "head", "option-lang"):
        expect(control(page, key)).to_be_visible()
    expect(page.locator(UNDO)).to_be_visible()
    for head, weights in enumerate(trace(RELATIONS).weights):
        shows(page, f"heads-grid-{head}", 0, weights)


def every_page(visit: Visit, **options: Any) -> Iterator[tuple[str, Page]]:
    """Each page opened by its own address, one after the other in one browser."""
    page = visit("start", **options)
    base = place(page).partition("?")[0]
    for name in DRAWN:
        if name != "start":
            page.goto(base + name)
            ready(page, name)
        yield name, page


def test_every_page_opens(visit: Visit) -> None:
    for name, page in every_page(visit):
        expect(page.locator(".st-key-page h1")).to_have_count(1)
        expect(page.locator("[data-testid=stTopNavLink]")).to_have_count(len(DRAWN))
        assert urlsplit(place(page)).path == ("/" if name == "start" else f"/{name}")


def test_a_phone_does_not_scroll_sideways(visit: Visit) -> None:
    too_wide = {}
    for name, page in every_page(visit, viewport=PHONE):
        page.wait_for_timeout(200)  # a figure may grow late
        wide = page.evaluate(
            """() => [document.documentElement, document.querySelector('[data-testid=stMain]')]
              .map((one) => one.scrollWidth - one.clientWidth)"""
        )
        too_wide |= {name: wide} if max(wide) > 0 else {}
    assert not too_wide


@pytest.mark.parametrize("name", ["heatmap", "heads"])
def test_dark(visit: Visit, name: str) -> None:
    page = visit(name, color_scheme="dark")
    colour = page.locator(".stApp").evaluate("app => getComputedStyle(app).backgroundColor")
    assert max(map(int, re.findall(r"\d+", colour)[:3])) < 60


# ---- the numbers on screen are core's ----


def test_projections_draw_the_trace_and_open_every_cell(visit: Visit) -> None:
    page = visit("projections")
    result, columns = trace(RELATIONS), RELATIONS.head_columns(HEAD, "w_q")
    shows(page, "projection", LEFT, result.embeddings)
    shows(page, "projection", RIGHT, RELATIONS.w_q[:, columns])
    shows(page, "projection", PRODUCT, result.query[HEAD])

    for row, column in ((8, 1), (1, 0), (4, 3)):
        cell(page, "projection", PRODUCT, row, column).click()
        picked = result.query[HEAD, row, column]
        left, right = result.embeddings[row], RELATIONS.w_q[:, columns][:, column]
        shows(page, "terms-query", 0, np.array([left, right, left * right]))
        assert numbers(page, "terms-query")[2].sum() == pytest.approx(picked, abs=1e-9)
        shown = float(cell(page, "projection", PRODUCT, row, column).get_attribute("data-v"))
        assert shown == pytest.approx(picked, abs=1e-9)
        expect(page.locator(".st-key-arithmetic .katex").first).to_be_visible()


@pytest.mark.parametrize("role", ["key", "value"])
def test_the_other_roles(visit: Visit, role: str) -> None:
    page = visit("projections", parameters={"role": role, "head": 1})
    result = trace(RELATIONS)
    shows(page, "projection", PRODUCT, getattr(result, role)[1])
    cell(page, "projection", PRODUCT, 3, 0).click()
    in_address(page, q="8", k="3")
    values, columns = result.embeddings[3], RELATIONS.head_columns(1, f"w_{role[0]}")
    weights = getattr(RELATIONS, f"w_{role[0]}")[:, columns][:, 0]
    shows(page, f"terms-{role}", 0, np.array([values, weights, values * weights]))


def test_the_heatmap_draws_the_trace_at_every_stage(visit: Visit) -> None:
    masked = RELATIONS.with_(mask="causal")
    result = trace(masked)
    page = visit("heatmap", masked, parameters={"head": HEAD})
    shows(page, "weights", 0, np.where(result.allowed, result.weights[HEAD], np.nan))
    until(lambda: numbers(page, "terms-weights"), lambda found: found.shape == (3, 11))
    row = int(ring(page, "weights")[0])
    found = numbers(page, "terms-weights")
    scores = np.where(result.allowed, result.masked_scores[HEAD], np.nan)
    assert near(found[0], scores[row])
    assert near(found[2], result.weights[HEAD, row])
    for number, expected in (
        (0, result.scores[HEAD]),
        (1, result.scaled_scores[HEAD]),
        (2, scores),
        (4, result.head_outputs[HEAD]),
    ):
        choose(page, "option-stage", number)
        shows_somewhere(page, expected)


def test_heads_and_scaling_draw_the_trace(visit: Visit) -> None:
    now = presets.random(("the", "cat", "the", "dog"), seed=4, d_model=8, num_heads=2)
    page = visit("heads", now)
    assert all(
        near(*pair)
        for pair in zip(side_by_side(page, "heads-grid"), trace(now).weights, strict=True)
    )
    turn_to(page, "scaling")
    head = int(parameters(page)["head"])
    divisors = ("none", "sqrt_d_k", "d_k", "sqrt_d_model")
    arms = [trace(now.with_(divisor=name)).weights[head] for name in divisors]
    assert all(near(*pair) for pair in zip(side_by_side(page, "scaling-own"), arms, strict=True))


LONG = presets.random(tuple(f"word{i}" for i in range(13)), seed=4, d_model=8, num_heads=2)


def test_longer_sentences_are_pictures_on_one_scale(visit: Visit) -> None:
    page = visit("heads", LONG)
    assert all(
        near(*pair) for pair in zip(pictures(page, "heads-grid"), trace(LONG).weights, strict=True)
    )
    click_cell(page, "heads-grid", 1, 7, 2)
    in_address(page, head="1", q="7", k="2")
    until(lambda: outlines(page, "heads-grid"), lambda found: found == [(7, 2)] * 2)
    turn_to(page, "scaling")
    ranges = page.locator(".st-key-scaling-own .js-plotly-plot").evaluate(
        """figure => figure._fullData.filter((one) => one.type === 'heatmap')
          .map((one) => [one.zmin, one.zmax])"""
    )
    assert ranges == [[0, 1]] * 4


# ---- editing ----


def test_an_edit_of_a_weight_undo_and_reset(visit: Visit) -> None:
    page = visit("projections")
    start = RELATIONS.head_columns(HEAD, "w_q").start
    edited = edit.set_cell(RELATIONS, "w_q", 0, start, 2.5)
    type_into(page, cell(page, "projection", RIGHT, 0, 0), "2.5")
    shows(page, "projection", PRODUCT, trace(edited).query[HEAD])
    until(lambda: in_the_link(page), lambda found: found == edited)
    page.locator(UNDO).get_by_role("button").click()
    shows(page, "projection", PRODUCT, trace(RELATIONS).query[HEAD])
    type_into(page, cell(page, "projection", LEFT, 8, 0), "-1")
    moved = edit.paste_embeddings(RELATIONS, 8, 0, np.array([[-1.0]]))
    shows(page, "projection", PRODUCT, trace(moved).query[HEAD])
    page.locator(RESET).get_by_role("button").click()
    shows(page, "projection", LEFT, trace(RELATIONS).embeddings)
    shows(page, "projection", RIGHT, RELATIONS.w_q[:, start : start + 4])


def test_a_refused_number_is_not_kept(visit: Visit) -> None:
    page = visit("projections")
    before = numbers(page, "projection", RIGHT)
    type_into(page, cell(page, "projection", RIGHT, 0, 0), "0,5")
    notice = page.locator(".st-key-notices [data-testid=stAlert]")
    expect(notice).to_have_count(1)
    expect(notice).to_contain_text("0,5")
    shows(page, "projection", RIGHT, before)
    expect(page.locator("[data-testid=stException]")).to_have_count(0)


def test_two_quick_edits_are_both_kept(visit: Visit) -> None:
    page = visit("projections")
    start = RELATIONS.head_columns(HEAD, "w_q").start
    edited = edit.set_cell(RELATIONS, "w_q", 1, start, 3)
    edited = edit.set_cell(edited, "w_q", 2, start + 1, -4)
    type_into(page, cell(page, "projection", RIGHT, 1, 0), "3")
    type_into(page, cell(page, "projection", RIGHT, 2, 1), "-4")
    shows(page, "projection", RIGHT, edited.w_q[:, start : start + 4])
    shows(page, "projection", PRODUCT, trace(edited).query[HEAD])
    until(lambda: in_the_link(page), lambda found: found == edited)


def test_another_seed_leaves_no_edit_behind(visit: Visit) -> None:
    now = presets.random(("a", "b", "c"), seed=3, d_model=6, num_heads=2)
    page = visit("tokens", now)
    type_into(page, cell(page, "token-vectors", 0, 1, 2), "77")
    shows(page, "token-vectors", 0, edit.set_cell(now, "token_vectors", 1, 2, 77).token_vectors)
    field = control(page, "seed").locator("input")
    field.fill("4")
    field.press("Enter")
    other = presets.random(("a", "b", "c"), seed=4, d_model=6, num_heads=2)
    shows(page, "token-vectors", 0, other.token_vectors)
    until(lambda: in_the_link(page), lambda found: found == other)
    page.wait_for_timeout(300)
    shows(page, "token-vectors", 0, other.token_vectors)


def test_quick_edits_of_several_rows_change_nothing_else(visit: Visit) -> None:
    """Each edit overtakes the run of the one before; no control may then send an older choice."""
    now = presets.random(("a", "b", "c", "d"), seed=3, d_model=6, num_heads=2)
    page = visit("tokens", now)
    for step in range(12):
        row, column = step % 4, step % 5
        type_into(page, cell(page, "token-vectors", 0, row, column), str(step))
        now = edit.set_cell(now, "token_vectors", row, column, step)
        page.wait_for_timeout((0, 40, 90)[step % 3])
    shows(page, "token-vectors", 0, now.token_vectors)
    in_address(page, q=str(row))
    field = control(page, "rename").locator("input")
    until(lambda: field.input_value(), lambda found: found == now.tokens[row])
    seed = control(page, "seed").locator("input")
    seed.fill("4")
    seed.press("Enter")
    other = presets.random(("a", "b", "c", "d"), seed=4, d_model=6, num_heads=2)
    shows(page, "token-vectors", 0, other.token_vectors)
    until(lambda: in_the_link(page), lambda found: found == other)


def test_a_mask_by_hand(visit: Visit) -> None:
    page = visit("heatmap", parameters={"stage": "masked_scores"})
    choose(page, "mask", 2)
    expect(panel(page, "mask-by-hand")).to_be_visible()
    cell(page, "mask-by-hand", 0, 8, 1).click()
    edited = edit.toggle_mask(
        RELATIONS.with_(mask="manual", allowed=RELATIONS.may_attend), 8, 1
    )  # fmt: skip
    shows(page, "mask-by-hand", 0, edited.may_attend.astype(float))
    masked = trace(edited).masked_scores[HEAD]
    shows(page, "masked", 0, np.where(edited.may_attend, masked, np.nan))


# ---- the state stays ----


def test_a_sentence_outlives_pages_and_reload(visit: Visit) -> None:
    page = visit("tokens")
    write_sentence(page, "the dog chases the cat")
    edited = edit.set_tokens(RELATIONS, ["the", "dog", "chases", "the", "cat"])
    shows(page, "token-vectors", 0, edited.token_vectors)
    turn_to(page, "heads")
    for head, weights in enumerate(trace(edited).weights):
        shows(page, f"heads-grid-{head}", 0, weights)
    turn_to(page, "tokens")
    shows(page, "token-vectors", 0, edited.token_vectors)
    expect(control(page, "sentence").locator("input")).to_have_value("the dog chases the cat")
    page.reload()
    ready(page, "tokens")
    shows(page, "token-vectors", 0, edited.token_vectors)
    expect(control(page, "sentence").locator("input")).to_have_value("the dog chases the cat")


def test_a_copied_link_shows_the_same_to_somebody_else(visit: Visit) -> None:
    page = visit("projections")
    type_into(page, cell(page, "projection", RIGHT, 0, 0), "-0.125")
    cell(page, "projection", PRODUCT, 3, 2).click()
    choose(page, "option-role", 1)
    in_address(page, role="key", q="3")
    start = RELATIONS.head_columns(HEAD, "w_q").start
    edited = edit.set_cell(RELATIONS, "w_q", 0, start, -0.125)
    shows(page, "projection", PRODUCT, trace(edited).key[HEAD])
    until(lambda: in_the_link(page), lambda found: found == edited)
    other = visit("projections", url=place(page))
    for slot in (LEFT, RIGHT, PRODUCT):
        assert near(numbers(other, "projection", slot), numbers(page, "projection", slot))
    assert ring(other, "projection", PRODUCT)[0] == parameters(page)["k"]
    choose(other, "option-role", 0)
    shows(other, "projection", RIGHT, edited.w_q[:, start : start + 4])
    assert ring(other, "projection", PRODUCT)[0] == "3"


def test_the_pinned_pair_follows_through_all_pages(visit: Visit) -> None:
    page = visit("heatmap")
    cell(page, "weights", 0, 3, 5).click()
    in_address(page, q="3", k="5")
    turn_to(page, "heads")
    until(lambda: rings(page, "heads-grid"), lambda found: found == {("3", "5")})
    turn_to(page, "scaling")
    until(lambda: rings(page, "scaling-own"), lambda found: found == {("3", "5")})
    turn_to(page, "projections")
    until(lambda: ring(page, "projection", PRODUCT), lambda found: found and found[0] == "3")
    for name, key in (("start", "start-query"), ("tokens", "token-choice")):
        turn_to(page, name)
        pressed = control(page, key).locator("button[aria-checked=true]")
        expect(pressed).to_have_text(f"{RELATIONS.labels()[3]}")
    choose(page, "token-choice", 6)
    in_address(page, q="6", k="5")
    turn_to(page, "heatmap")
    until(lambda: ring(page, "weights"), lambda found: found == ("6", "5"))
    in_address(page, q="6", k="5")


def test_a_click_on_a_cell_of_a_head_is_seen_on_other_pages(visit: Visit) -> None:
    page = visit("heads", RELATIONS)
    in_address(page, head="2")
    cell(page, "heads-grid-3", 0, 7, 2).click()
    in_address(page, head="3", q="7", k="2")
    until(lambda: rings(page, "heads-grid"), lambda found: found == {("7", "2")})
    turn_to(page, "heatmap")
    shows(page, "weights", 0, trace(RELATIONS).weights[3])
    assert ring(page, "weights") == ("7", "2")


def test_the_language_changes_and_the_state_stays(visit: Visit) -> None:
    now = edit.set_cell(RELATIONS, "w_q", 0, 0, 0.75)
    page = visit("heatmap", now, parameters={"q": 4, "k": 2, "head": 1})
    titles = page.locator("[data-testid=stTopNavLink]")
    english = titles.all_inner_texts()
    choose(page, "option-lang", 1)
    in_address(page, lang="zh")
    if any((LOCALES / "zh").rglob("*.po")):
        until(titles.all_inner_texts, lambda found: set(found) & set(english) <= {"Softmax"})
    ready(page, "heatmap")
    shows(page, "weights", 0, trace(now).weights[1])
    assert ring(page, "weights") == ("4", "2")
    turn_to(page, "projections")
    in_address(page, lang="zh", q="4", k="2", head="1")
    assert in_the_link(page) == now
    page.reload()
    ready(page, "projections")
    expect(control(page, "option-lang").locator("button[aria-checked=true]")).to_have_text("中文")
    choose(page, "option-lang", 0)
    until(titles.all_inner_texts, lambda found: found == english)


# ---- what the reader types is text ----

HOSTILE = (
    *("<img src=x onerror=alert(1)>", "**bold**", "$x$", ":red[x]", "%{y}", "القط", "👨‍👩‍👧"),
    *("&lt;", "<b>b</b>", "`c`", "[a](b)", ":material/home:", "http://a.b/c", "a@b.co"),
)
INVISIBLE = re.compile("[\u2060\u200b\u2066-\u2069]")


def all_text(page: Page) -> str:
    """Every text on the page, inside components too, without marks that have no shape."""
    found = page.evaluate(
        """() => {
          const texts = [];
          const walk = (node) => {
            for (const child of node.childNodes) {
              if (child.nodeType === 3) texts.push(child.data);
              else if (!['STYLE', 'SCRIPT'].includes(child.tagName)) walk(child);
            }
            if (node.shadowRoot) walk(node.shadowRoot);
            if (node instanceof HTMLElement && getComputedStyle(node).display !== 'inline')
              texts.push('\\n');
          };
          walk(document.body);
          return texts.join('');
        }"""
    )
    return INVISIBLE.sub("", found)


def is_shown(word: str, position: int, text: str) -> bool:
    """Whether a label stands in the text, in full or cut: ``<img sr…·0``."""
    cut = rf"{re.escape(word[:4])}[^\n·]*…\s?·{position}(?!\d)"
    return bool(re.search(rf"{re.escape(word)}\s?·{position}(?!\d)|{cut}", text))


def not_shown(page: Page) -> list[str]:
    text = all_text(page)
    return [word for i, word in enumerate(HOSTILE) if not is_shown(word, i, text)]


def test_hostile_words_are_text_on_every_page(visit: Visit) -> None:
    page = visit("tokens", presets.random(("a",), d_model=4), parameters={"split": "as typed"})
    dialogs: list[str] = []
    page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    write_sentence(page, " | ".join(HOSTILE))
    expect(control(page, "token-choice").get_by_role("radio")).to_have_count(len(HOSTILE))
    missing: dict[str, list[str]] = {}
    injected: dict[str, list[str]] = {}
    for name in ("tokens", "projections", "heatmap", "scaling", "heads", "start"):
        if name != "tokens":
            turn_to(page, name)
        try:
            until(lambda: not_shown(page), lambda found: not found)
        except AssertionError:
            missing[name] = not_shown(page)
        found = page.evaluate(
            """() => [...document.querySelectorAll(
                '.st-key-page :is(img[src="x"], script, a[href*="a.b"], a[href^="mailto"], ' +
                'a[href="b"], [data-testid=stMarkdownContainer] :is(b, code))')]
              .map((one) => one.outerHTML)"""
        )
        injected |= {name: found} if found else {}
    # On the start page every word is said in a sentence too.
    for i, word in enumerate(HOSTILE):
        choose(page, "start-query", i)
        in_address(page, q=str(i))
        sentence = page.locator(".st-key-page [data-testid=stMarkdown] strong").first
        try:
            until(
                lambda at=sentence: INVISIBLE.sub("", at.text_content() or ""),
                lambda found, at=i, word=word: is_shown(word, at, found),
            )
        except AssertionError:
            missing.setdefault("sentence", []).append(word)
        assert sentence.locator("*").count() == 0 or missing or injected
    assert not dialogs
    assert (injected, missing) == ({}, {})


# ---- files ----


def upload(page: Page, name: str, data: bytes) -> None:
    field = page.locator(".st-key-upload input[type=file]")
    if field.count() == 0:
        page.locator(".st-key-page [data-testid=stPopover] button").first.click()
    field.set_input_files({"name": name, "mimeType": "text/csv", "buffer": data})


def test_an_upload_counts_once_and_a_bad_one_changes_nothing(visit: Visit) -> None:
    now = presets.build("article-numbers")
    page = visit("tokens", now)
    good = b"1,2\n3,4\n5,6\n7,8\n"
    upload(page, "good.csv", good)
    loaded = files.read("good.csv", good, now)
    shows(page, "token-vectors", 0, loaded.token_vectors)
    page.keyboard.press("Escape")

    type_into(page, cell(page, "token-vectors", 0, 1, 1), "44")
    edited = edit.set_cell(loaded, "token_vectors", 1, 1, 44)
    shows(page, "token-vectors", 0, edited.token_vectors)
    choose(page, "token-choice", 2)
    in_address(page, q="2")
    turn_to(page, "projections")
    turn_to(page, "tokens")
    shows(page, "token-vectors", 0, edited.token_vectors)

    upload(page, "ragged.csv", b"1,2\n3\n")
    expect(page.locator(".st-key-notices [data-testid=stAlert]")).to_have_count(1)
    shows(page, "token-vectors", 0, edited.token_vectors)
    page.keyboard.press("Escape")
    page.locator(UNDO).get_by_role("button").click()
    shows(page, "token-vectors", 0, loaded.token_vectors)


def test_a_saved_file_can_be_opened_again(visit: Visit) -> None:
    now = edit.set_cell(RELATIONS, "w_k", 1, 1, -3)
    page = visit("tokens", now)
    page.locator(".st-key-page [data-testid=stPopover] button").first.click()
    with page.expect_download() as saved:
        page.locator("[data-testid=stDownloadButton] button").nth(1).click()
    content = saved.value.path().read_bytes()
    assert files.read("x.json", content, presets.build("random")) == now
    assert json.loads(content)["preset"] == "relations-en"
