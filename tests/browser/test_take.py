"""What can be taken away from the browser: a matrix as picture or numbers, the view as a page."""

from __future__ import annotations

import base64
import csv
import io
import json
import re
import struct
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlencode

import numpy as np
import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from core import files, link, presets
from core.presets.views import first_view
from core.trace import trace

PROBE = Path(__file__).parent / "apps" / "matrix_probe.py"
WIDE = {"width": 1280, "height": 800}
PHONE = {"width": 390, "height": 844}
SVG = "{http://www.w3.org/2000/svg}"
ITEMS = {"svg": 0, "png": 1, "csv": 2}
RELATIONS = presets.build("relations-en")

pytestmark = pytest.mark.browser

Show = Callable[..., Page]


@pytest.fixture
def show(serve: Callable[..., str], open_page: Callable[..., Page]) -> Show:
    """Open one view of the probe app."""

    def open_view(name: str, **options: object) -> Page:
        page = open_page(f"{serve(PROBE)}/?show={name}", **{"viewport": WIDE, **options})
        expect(page.get_by_role("grid").last).to_be_attached()
        return page

    return open_view


@pytest.fixture
def app(serve: Callable[..., str], open_page: Callable[..., Page]) -> Show:
    """Open one page of the app."""

    def open_app(name: str, **parameters: str) -> Page:
        address = urlencode({"lang": "en", **parameters})
        page = open_page(f"{serve('app.py')}/{name}?{address}", viewport=WIDE)
        expect(page.locator(".st-key-share button").first).to_be_visible()
        return page

    return open_app


def button(page: Page | Locator) -> Locator:
    return page.locator(".take").first


def menu(page: Page) -> Locator:
    return page.get_by_role("menu")


def taken(page: Page, kind: str, within: Page | Locator | None = None) -> tuple[str, bytes]:
    """Name and content of what one item of the menu saves."""
    button(within or page).click()
    with page.expect_download() as saved:
        menu(page).get_by_role("menuitem").nth(ITEMS[kind]).click()
    return saved.value.suggested_filename, saved.value.path().read_bytes()


def drawing(page: Page, within: Locator | None = None) -> ET.Element:
    return ET.fromstring(taken(page, "svg", within)[1])


def texts(root: ET.Element) -> list[str]:
    return ["".join(one.itertext()) for one in root.iter(f"{SVG}text")]


def sent(page: Page) -> list[np.ndarray]:
    """The numbers that the cells on screen hold, a matrix each."""
    read = """grids => grids.map((grid) => [...grid.querySelectorAll('.row')].map(
      (row) => [...row.querySelectorAll('[role=gridcell]')].map((cell) => cell.dataset.v)))"""
    found = page.get_by_role("grid").evaluate_all(read)
    return [
        np.array([[np.nan if v == "masked" else float(v) for v in row] for row in rows])
        for rows in found
    ]


def tables(content: bytes) -> dict[str, tuple[list[str], list[str], np.ndarray]]:
    """Every matrix of a CSV file: labels of columns and rows, numbers; NaN where it is masked."""
    found = {}
    for block in content.decode("utf-8-sig").split("\r\n\r\n"):
        (title,), header, *rows = list(csv.reader(io.StringIO(block)))
        values = [[float(cell.lstrip("'") or "nan") for cell in row[1:]] for row in rows]
        found[title] = header[1:], [row[0] for row in rows], np.array(values)
    return found


# ---- the menu ----


def test_the_button_says_what_it_does_and_is_large_enough(show: Show) -> None:
    page = show("scores")
    box = button(page).bounding_box()
    assert box is not None
    assert min(box["width"], box["height"]) >= 24
    expect(button(page)).to_have_accessible_name("Save as a picture or as numbers")
    expect(button(page)).to_have_attribute("title", "Save as a picture or as numbers")
    grid = page.get_by_role("grid").last.bounding_box()
    foot = page.locator(".foot").bounding_box()
    assert grid is not None
    assert foot is not None
    assert box["x"] + box["width"] == pytest.approx(foot["x"] + foot["width"], abs=1)
    assert foot["height"] == 22, "the foot is as high as it was"


def test_the_keyboard_opens_moves_and_closes(show: Show) -> None:
    page = show("scores")
    button(page).focus()
    page.keyboard.press("Enter")
    items = menu(page).get_by_role("menuitem")
    expect(items).to_have_text(["Picture (SVG)", "Picture (PNG)", "Numbers (CSV)"])
    expect(button(page)).to_have_attribute("aria-expanded", "true")
    expect(items.nth(0)).to_be_focused()
    for key, at in (("ArrowDown", 1), ("ArrowDown", 2), ("ArrowDown", 0), ("ArrowUp", 2),
                    ("Home", 0), ("End", 2), ("Shift+Tab", 1), ("Tab", 2)):  # fmt: skip
        page.keyboard.press(key)
        expect(items.nth(at)).to_be_focused()
    page.keyboard.press("Escape")
    expect(menu(page)).to_be_hidden()
    expect(button(page)).to_be_focused()
    expect(button(page)).to_have_attribute("aria-expanded", "false")
    page.keyboard.press("Enter")
    with page.expect_download() as saved:
        page.keyboard.press("Enter")
    assert saved.value.suggested_filename == "scores.svg"
    expect(menu(page)).to_be_hidden()
    expect(button(page)).to_be_focused()


def test_a_click_beside_it_and_a_second_click_close_it(show: Show) -> None:
    page = show("scores")
    button(page).click()
    expect(menu(page)).to_be_visible()
    page.mouse.click(700, 20)
    expect(menu(page)).to_be_hidden()
    button(page).click()
    expect(menu(page)).to_be_visible()
    button(page).click()
    expect(menu(page)).to_be_hidden()


def test_nothing_is_sent_to_python(show: Show) -> None:
    page = show("shrink")
    runs = page.get_by_text("shrink runs: ", exact=False)
    before = runs.inner_text()
    for kind in ITEMS:
        taken(page, kind)
    assert runs.inner_text() == before
    page.get_by_role("gridcell").first.click()  # and this is how it would look
    expect(runs).not_to_have_text(before)


# ---- the picture ----


def test_the_picture_holds_what_the_screen_shows(show: Show) -> None:
    page = show("weights")
    root = drawing(page)
    said = texts(root)
    for title in ("weights11 × 11", "V11 × 4", "output11 × 4", "×", "="):
        assert said.count(title) == 1
    assert {"query: who looks", "key: who is looked at", "masked"} <= set(said)
    assert said.count("animal·1") == 4  # rows of three, columns of one
    on_screen = page.locator(".cell").all_inner_texts()
    shown = sorted(text for text in on_screen if text)
    written = [one.text for one in root.iter(f"{SVG}text") if one.get("x") and one.text]
    for text in set(shown):
        assert written.count(text) >= shown.count(text), text


def test_the_pick_is_outlined_with_its_operands(show: Show) -> None:
    page = show("scores")
    assert not [one for one in drawing(page).iter() if one.get("class") == "pick"]
    cell = page.get_by_role("grid").nth(2).locator(".row").nth(3).get_by_role("gridcell").nth(5)
    cell.click()
    root = drawing(page)
    (own,) = [one for one in root.iter() if one.get("class") == "pick"]
    width, height = float(own.get("width", 0)), float(own.get("height", 0))
    assert float(own.get("x", 0)) == pytest.approx(5 * width)
    assert float(own.get("y", 0)) == pytest.approx(3 * height)
    others = [one for one in root.iter() if one.get("stroke") == "#777"]
    assert [float(one.get("width", 0)) / width for one in others] == pytest.approx([4, 1])


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_is_black_on_white_in_every_theme(show: Show, scheme: str) -> None:
    root = drawing(show("scores", color_scheme=scheme))
    background = next(one for one in root if one.tag == f"{SVG}rect")
    assert background.get("fill") == "#fff"
    assert background.get("width") == root.get("width")
    assert root.get("fill") == "#111"
    fills = {one.get("fill", "") for one in root.iter(f"{SVG}path")} - {"none", "", "url(#hatch)"}
    assert all(re.fullmatch(r"#[0-9a-f]{6}", fill) for fill in fills)
    # The strongest blue, whose number must stay readable, is far from black.
    assert min(sum(bytes.fromhex(fill[1:])) for fill in fills) > 250


def test_a_sign_survives_grey_where_there_is_no_number(show: Show) -> None:
    page = show("big")
    root = drawing(page)
    values = np.random.default_rng(6).normal(size=(64, 64)).round(3)
    visible = values <= -0.03 * np.abs(values).max()
    marks = [one for one in root.iter(f"{SVG}path") if one.get("stroke") == "#111"]
    (in_cells, in_legend) = sorted(marks, key=lambda one: -len(one.get("d", "")))
    places = re.findall(r"M([\d.]+) ([\d.]+)h([\d.]+)", in_cells.get("d", ""))
    grid = next(one for one in root.iter(f"{SVG}rect") if one.get("stroke") == "#888")
    width, height = float(grid.get("width", 0)) / 64, float(grid.get("height", 0)) / 64
    found = np.zeros((64, 64), dtype=bool)
    for x, y, long in places:
        found[int(float(y) / height), int((float(x) + float(long) / 2) / width)] = True
    assert np.array_equal(found, visible)
    assert in_legend is not None
    assert "below 0" in texts(root)
    assert not re.search(r"[−.]\d", " ".join(texts(root)[:-4])), "no number fits"


def test_hostile_words_stay_text_and_the_file_is_xml(show: Show) -> None:
    page = show("hostile")
    name, content = taken(page, "svg")
    assert name == "hostile.svg"
    root = ET.fromstring(content)
    said = texts(root)
    assert {"<b>x</b>", "🦊👩‍🚀", "שלום", "right to left", "**bold** [a](b)"} <= set(said)
    assert any(text.startswith("<u>M</u> title") for text in said)
    assert {"NaN", "∞", "−∞"} <= set(said)
    kinds = {one.tag.removeprefix(SVG) for one in root.iter()}
    assert kinds <= {"svg", "title", "defs", "pattern", "path", "rect", "g", "text", "tspan",
                     "linearGradient", "stop"}  # fmt: skip
    assert not [name for one in root.iter() for name in one.attrib if name.startswith("on")]


def test_what_xml_forbids_is_replaced(app: Show) -> None:
    words = ("a\x0bb", "\x00", "]]>", "\ufffe", "<script>alert(1)</script>", "\x85", '"&amp;')
    experiment = presets.random(words, d_model=3, num_heads=1)
    page = app("tokens", preset="random", x=link.to_link(experiment))
    area = page.locator(".st-key-token-vectors")
    root = drawing(page, area)
    rows = texts(root)[1:8]
    assert rows == ["a\ufffdb·0", "\ufffd·1", "]]>·2", "\ufffd·3", "<script>alert(1)</script>·4",
                    "\ufffd·5", '"&amp;·6']  # fmt: skip


def test_a_png_is_the_picture_at_twice_its_size(show: Show) -> None:
    page = show("weights")
    root = drawing(page)
    name, content = taken(page, "png")
    assert name == "weights.png"
    assert content.startswith(b"\x89PNG")
    size = struct.unpack(">II", content[16:24])
    assert size == tuple(2 * int(root.get(side, 0)) for side in ("width", "height"))
    # What it shows: white paper, and cells in colour.
    counted = page.evaluate(
        """async (data) => {
          const image = new Image();
          image.src = `data:image/png;base64,${data}`;
          await image.decode();
          const canvas = document.createElement("canvas");
          canvas.width = image.width; canvas.height = image.height;
          const pen = canvas.getContext("2d");
          pen.drawImage(image, 0, 0);
          const { data: p } = pen.getImageData(0, 0, image.width, image.height);
          let white = 0, coloured = 0, dark = 0;
          for (let i = 0; i < p.length; i += 4) {
            const [r, g, b] = [p[i], p[i + 1], p[i + 2]];
            if (r + g + b === 765) white += 1;
            else if (Math.max(r, g, b) - Math.min(r, g, b) > 60) coloured += 1;
            else if (r + g + b < 150) dark += 1;
          }
          return [white, coloured, dark].map((count) => count / (p.length / 4));
        }""",
        base64.b64encode(content).decode(),
    )
    white, coloured, dark = counted
    assert white > 0.4
    assert coloured > 0.05
    assert dark > 0.005


def test_a_large_picture_is_no_large_file(app: Show) -> None:
    words = tuple(f"token{i}" for i in range(64))
    large = presets.random(words, d_model=512, num_heads=16)
    page = app("projections", preset="random", x=link.to_link(large))
    area = page.locator(".st-key-projection")
    _, content = taken(page, "svg", area)
    assert len(content) < 2_000_000
    root = ET.fromstring(content)
    assert sum(1 for _ in root.iter()) < 5000
    assert "X64 × 512" in texts(root)


def test_on_a_phone_the_picture_has_all_panels(show: Show) -> None:
    page = show("scores", viewport=PHONE, has_touch=True)
    box = button(page).bounding_box()
    assert box is not None
    assert box["x"] + box["width"] <= PHONE["width"]
    assert {"Q11 × 4", "Kᵀ4 × 11", "scores11 × 11"} <= set(texts(drawing(page)))


# ---- the numbers ----


def test_numbers_are_complete_and_labelled(show: Show) -> None:
    page = show("scores")
    name, content = taken(page, "csv")
    assert name == "scores.csv"
    assert content.startswith(b"\xef\xbb\xbf")
    found = tables(content)
    assert list(found) == ["Q", "Kᵀ", "scores"]
    for (_, _, values), shown in zip(found.values(), sent(page), strict=True):
        assert np.array_equal(values, shown)
    columns, rows, _ = found["scores"]
    assert columns[:2] == rows[:2] == ["the·0", "animal·1"]


def test_masked_cells_are_empty(show: Show) -> None:
    page = show("weights")
    found = tables(taken(page, "csv")[1])["weights"][2]
    assert np.array_equal(np.isnan(found), np.triu(np.ones((11, 11), bool), 1))


def test_a_spreadsheet_runs_nothing(app: Show) -> None:
    words = ("=1+1", "+x", "@a", "-x", "-5", "a,b", 'q"q', "a\rb", "\tx")
    experiment = presets.random(words, d_model=2, num_heads=1)
    page = app("tokens", preset="random", x=link.to_link(experiment))
    _, content = taken(page, "csv", page.locator(".st-key-token-vectors"))
    rows = list(csv.reader(io.StringIO(content.decode("utf-8-sig"), newline="")))
    labels = [row[0] for row in rows[2:]]
    assert labels == ["'=1+1·0", "'+x·1", "'@a·2", "'-x·3", "'-5·4", "a,b·5", 'q"q·6', "a\rb·7",
                      "'\tx·8"]  # fmt: skip
    numbers = np.array([[float(cell) for cell in row[1:]] for row in rows[2:]])
    assert np.array_equal(numbers, experiment.token_vectors)


def test_what_is_saved_as_x_or_a_w_is_loaded_again(app: Show) -> None:
    page = app("projections", preset="relations-en")
    _, content = taken(page, "csv", page.locator(".st-key-projection"))
    assert list(tables(content)) == ["X with positions", "W_Q head 2", "Q"]
    changed = RELATIONS.with_(w_q=np.zeros_like(RELATIONS.w_q))
    read = files.read("projection.csv", content, changed)
    columns = RELATIONS.head_columns(2, "w_q")
    assert np.array_equal(read.w_q[:, columns], RELATIONS.w_q[:, columns])
    assert not read.w_q[:, : columns.start].any()

    page = app("tokens", preset="relations-en")
    _, content = taken(page, "csv", page.locator(".st-key-token-vectors"))
    read = files.read("x.csv", content, RELATIONS.with_(token_vectors=np.ones((11, 16))))
    assert read.tokens == RELATIONS.tokens
    assert read.token_vectors.tobytes() == RELATIONS.token_vectors.tobytes()


# ---- the whole view as one page ----


@pytest.fixture
def alone(browser: Browser, tmp_path: Path) -> Iterator[Callable[[bytes], Page]]:
    """Open a page from a file, with no network at all."""
    context = browser.new_context(viewport=WIDE)
    asked: list[str] = []
    context.route(lambda url: not url.startswith("file:"), lambda route: (
        asked.append(route.request.url), route.abort()))  # fmt: skip
    errors: list[str] = []

    def open_file(content: bytes) -> Page:
        path = tmp_path / "view.html"
        path.write_bytes(content)
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(path.as_uri())
        return page

    yield open_file
    context.close()
    assert not asked
    assert not errors


def shared(page: Page) -> dict[str, tuple[str, bytes]]:
    """Everything that the dialog gives away, by the name of its file."""
    page.locator(".st-key-share button").first.click()
    offered = page.get_by_role("dialog").locator("[data-testid=stDownloadButton]")
    expect(offered).to_have_count(4)
    found = {}
    for one in offered.all():
        with page.expect_download() as saved:
            one.get_by_role("button").first.click()
        name = saved.value.suggested_filename
        found[name] = name, saved.value.path().read_bytes()
    return found


def test_the_dialog_gives_everything_away_and_each_file_opens_again(app: Show) -> None:
    changed = RELATIONS.with_(mask="causal", temperature=0.3)
    page = app("heatmap", preset="relations-en", x=link.to_link(changed))
    found = shared(page)
    assert list(found) == ["heatmap.html", "experiment.json", "experiment.npz", "attention.py"]
    for name, content in found.values():
        assert files.read(name, content, presets.build("random")) == changed, name


def test_a_matrix_lights_what_it_was_made_from(app: Show, alone: Callable[[bytes], Page]) -> None:
    page = alone(shared(app("projections", preset="relations-en"))["projections.html"][1])
    expect(page.locator("html")).to_have_attribute("lang", "en")
    product = page.locator(".product").first
    table = product.locator("table[data-slot=product]")
    table.locator("tr").nth(9).locator("td").nth(0).hover()
    expected = trace(RELATIONS).query[2, 8, 0]
    expect(product.locator(".readout")).to_have_text(f"Q[it·8, 0] = {expected:g}")
    lit = product.locator("table[data-slot=left] .lit")
    expect(lit).to_have_count(16)
    assert lit.first.evaluate("cell => cell.parentElement.rowIndex") == 9
    column = product.locator("table[data-slot=right] .lit-column")
    expect(column).to_have_count(16)
    assert column.first.evaluate("cell => cell.cellIndex") == 1
    product.locator("table[data-slot=left] tr").nth(2).locator("td").nth(3).hover()
    expect(product.locator("table[data-slot=product] .lit")).to_have_count(4)
    expect(product.locator("table[data-slot=right] .lit-column")).to_have_count(0)


def test_a_picture_is_drawn_and_hovers_without_network(
    app: Show, alone: Callable[[bytes], Page]
) -> None:
    content = shared(app("masks", preset="relations-en"))["masks.html"][1]
    assert len(content) < 5_000_000
    page = alone(content)
    picture = page.locator(".picture").first
    expect(picture.locator(".heatmaplayer image").first).to_be_visible(timeout=15_000)
    assert "without a mask" in (picture.get_attribute("aria-label") or "")
    read = """figure => figure._fullData.find((one) => one.type === 'heatmap').z
      .map((row) => [...row])"""
    weights = np.array(picture.evaluate(read), dtype=float)
    head = first_view(RELATIONS).head
    np.testing.assert_allclose(weights, trace(RELATIONS).weights[head], atol=1e-6)
    cell = picture.locator(".heatmaplayer image").first.bounding_box()
    assert cell is not None
    page.mouse.move(cell["x"] + cell["width"] / 2, cell["y"] + cell["height"] / 2)
    expect(picture.locator(".hoverlayer .hovertext").first).to_be_visible()
    page.locator("details summary").first.click()
    first = page.locator("details table").first.locator("td").nth(1)
    assert float(first.inner_text()) == pytest.approx(weights[0, 0], rel=1e-5)


def test_hostile_words_do_nothing_in_the_page(app: Show, alone: Callable[[bytes], Page]) -> None:
    words = ("</script><script>window.bad=1</script>", "<img src=x onerror=bad=1>", "&lt;", '"')
    experiment = presets.random(words, d_model=4, num_heads=2)
    found = shared(app("masks", preset="random", x=link.to_link(experiment)))
    content = found["masks.html"][1]
    page = alone(content)
    expect(page.locator(".picture .main-svg").first).to_be_visible(timeout=15_000)
    assert page.evaluate("window.bad") is None
    assert page.locator("img").count() == 0
    assert files.read("x.html", content, RELATIONS) == experiment
    carried = page.locator("#attention-experiment").text_content()
    assert json.loads(carried or "")["tokens"] == list(words)
