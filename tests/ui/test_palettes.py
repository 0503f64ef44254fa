"""Palettes: what must be told apart is, by every reader, on light, dark and in grey print."""

import ast
import itertools
import json
import re
import time
from pathlib import Path

import numpy as np
import plotly.graph_objects as go
import plotly.io
import pytest
from colour_vision import HEALTHY, KINDS, ciede2000, contrast, difference, lightness, over
from every_picture import SAMPLE

from ui import figures, palettes, plot, twins
from ui.hatching import hatched
from ui.heads import colours
from ui.heatmaps import SIGNED, WEIGHTS, Tile
from ui.palettes import DEFAULT, GREY_SAFE, PALETTES, PRINT, SAFE, array
from ui.parts import BLUE, GREY, ORANGE, VIOLET

ROOT = Path(__file__).parents[2]

WHITE, BLACK_PAGE = (255, 255, 255), (0x0E, 0x11, 0x17)  # Streamlit's own dark page
DARK = (0x14, 0x18, 0x1D)  # .streamlit/config.toml
INK_ON = {WHITE: (0x1D, 0x25, 0x30), DARK: (0xE8, 0xEC, 0xF1)}  # the texts of both themes
LINES, TEXT = 3.0, 4.5  # WCAG 2.2, 1.4.11 and 1.4.3

# CIEDE2000. About 2 is just seen on two patches that touch. What is compared here are thin lines
# and small marks apart from each other, in a legend too: 15 is several times as much.
APART = 15
# The step of lightness between amounts of ink that mean different things: a grey printer of five
# steps from paper to ink still keeps them apart.
STEP = 12


def rgb(text: str) -> tuple[float, ...]:
    return tuple(map(float, re.findall(r"[\d.]+", text)[:3]))


def alpha(text: str) -> float:
    found = re.findall(r"[\d.]+", text)
    return float(found[3]) if len(found) > 3 else 1.0


# ---- every kind of picture ----

OTHERS = [one for one in PALETTES.values() if one.inks]
each_picture = pytest.mark.parametrize("kind", SAMPLE)
each_palette = pytest.mark.parametrize("palette", OTHERS, ids=lambda one: one.name)


def spec(kind, palette):
    return palettes.recolour(SAMPLE[kind]().to_dict(), palette)


def colours_in(part):
    """Every colour in a picture, wherever it stands."""
    return set(re.findall(r"rgba?\([^)]*\)", json.dumps(part, default=str)))


@each_picture
@each_palette
def test_no_hue_of_the_default_palette_is_left(kind, palette):
    every = {BLUE, ORANGE, VIOLET, *colours.HUES}
    before = {", ".join(map(str, map(int, rgb(c)))) for c in colours_in(SAMPLE[kind]().to_dict())}
    assert before & (every | {GREY})
    after = {", ".join(map(str, map(int, rgb(c)))) for c in colours_in(spec(kind, palette))}
    assert not after & every
    assert after <= {ink.rgb for ink in palette.inks.values()} | {
        GREY, "0, 0, 0", palette.fills.rgb if palette.fills else GREY,
    }  # fmt: skip


def test_every_hue_that_code_draws_with_is_known():
    """A hue of a new constant would keep its colour in every palette."""
    known = {BLUE, ORANGE, VIOLET, GREY, *colours.HUES}
    hue = re.compile(r"\d{1,3}, \d{1,3}, \d{1,3}")
    for path in sorted((ROOT / "ui").rglob("*.py")):
        if path.name == "palettes.py":
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                if hue.fullmatch(node.value):
                    assert node.value in known, f"{path}: {node.value}"
                if path.name != "style.py":
                    written = set(re.findall(r"rgba?\([\d, .]+\)", node.value))
                    assert written <= {"rgba(0,0,0,0)"}, f"{path}: {written}"


def test_every_hue_has_an_ink_in_every_palette():
    for palette in OTHERS:
        assert set(palette.inks) == {BLUE, ORANGE, VIOLET, *colours.HUES}


@each_picture
def test_the_default_palette_changes_nothing(kind):
    figure = SAMPLE[kind]()
    assert plot.painted(figure, DEFAULT) is figure
    before = figure.to_dict()
    assert palettes.recolour(before, DEFAULT) is before
    assert json.dumps(before, default=str) == json.dumps(figure.to_dict(), default=str)


@each_picture
@each_palette
def test_numbers_and_places_stay_and_the_picture_is_one_for_plotly(kind, palette):
    figure = SAMPLE[kind]()
    untouched = plotly.io.to_json(figure, validate=False)
    painted = plot.painted(figure, palette)
    assert plotly.io.to_json(figure, validate=False) == untouched
    old, new = json.loads(untouched), json.loads(plotly.io.to_json(painted, validate=False))
    go.Figure(new)  # raises where Plotly does not know something
    assert len(new["data"]) == len(old["data"])
    for before, after in zip(old["data"], new["data"], strict=True):
        for name in ("x", "y", "z", "text", "hovertext", "name", "customdata"):
            assert before.get(name) == after.get(name)


# ---- colour-blind safe ----


@pytest.mark.parametrize("vision", KINDS)
@pytest.mark.parametrize("page", [WHITE, DARK, BLACK_PAGE], ids=["white", "dark", "darkest"])
def test_safe_hues_are_told_apart_and_seen(vision, page):
    hues = {name: rgb(SAFE.inks[name].rgb) for name in (BLUE, ORANGE, VIOLET)}
    for one, other in itertools.combinations([*hues.values(), rgb(GREY)], 2):
        assert difference(one, other, vision) >= APART, (one, other)
    for hue in hues.values():
        assert contrast(hue, page) >= LINES


def test_the_measure_can_fail():
    """Red and green of one lightness: far apart for most readers, not for all."""
    red, green = (200, 60, 60), (95, 125, 40)
    assert difference(red, green, HEALTHY) > 40
    assert difference(red, green, "deuteranopia") < APART
    default = [rgb(hue) for hue in (BLUE, VIOLET)]
    assert difference(*default, "deuteranopia") < APART  # why there is another palette


def test_the_measure_is_that_of_the_literature():
    """Pairs of Sharma, Wu & Dalal (2005), as CIELAB."""
    assert ciede2000((50, 2.6772, -79.7751), (50, 0, -82.7485)) == pytest.approx(2.0425, abs=1e-4)
    assert ciede2000((50, 2.5, 0), (56, -27, -3)) == pytest.approx(31.9030, abs=1e-4)
    assert ciede2000((22.7233, 20.0904, -46.694), (23.0331, 14.973, -42.5619)) == pytest.approx(
        2.0373, abs=1e-4
    )
    assert contrast((255, 255, 255), (0, 0, 0)) == pytest.approx(21)


@pytest.mark.parametrize("palette", OTHERS, ids=lambda one: one.name)
def test_sixteen_heads_are_told_apart(palette):
    looks = []
    for head in range(16):
        ink = palette.inks[colours.hue(head)]
        dash, strength = ink.again if colours.dash(head) == "dot" else (ink.dash, ink.strength)
        looks.append((rgb(ink.rgb), dash, strength))
        assert ink.strength >= 0.5
    for (hue, dash, strength), (hue2, dash2, strength2) in itertools.combinations(looks, 2):
        by_hue = min(difference(hue, hue2, vision) for vision in KINDS) >= APART
        assert by_hue or dash != dash2 or abs(strength - strength2) >= 0.3


@each_palette
def test_drawn_heads_have_the_dashes_of_their_palette(palette):
    lines = [one for one in spec("heads", palette)["data"] if one["mode"] == "lines"]
    looks = {one["legendgroup"]: (one["line"]["color"], one["line"]["dash"]) for one in lines}
    assert len(set(looks.values())) == 16


@each_palette
def test_no_red_against_green(palette):
    """Of two hues one never is red where another is green."""
    for ink in palette.inks.values():
        red, green, blue = rgb(ink.rgb)
        assert not (green > 1.15 * red and green > 1.15 * blue)


# ---- grey ----


def shown(ink, page):
    """What an ink looks like on a page: the page's own, or black on paper."""
    return over(INK_ON.get(page, (17, 17, 17)), ink.strength, page)


@pytest.mark.parametrize("page", [WHITE, DARK], ids=["white", "dark"])
def test_amounts_of_ink_are_steps(page):
    amounts = [shown(GREY_SAFE.inks[hue], page) for hue in (ORANGE, BLUE, VIOLET)]
    levels = [abs(lightness(one) - lightness(page)) for one in amounts]
    assert levels == sorted(levels, reverse=True)  # the pinned one has most
    assert all(a - b >= STEP for a, b in itertools.pairwise(levels)), levels
    for one in amounts:
        assert contrast(one, page) >= LINES


def test_ink_without_the_style_is_still_readable():
    for page in (WHITE, DARK, BLACK_PAGE):
        assert contrast(rgb(palettes.INK), page) >= LINES
    assert palettes.INK in (ROOT / "ui" / "style.py").read_text("utf-8")  # who gives it a colour


def test_paper_has_steps_too():
    amounts = [over((17, 17, 17), PRINT.inks[h].strength, WHITE) for h in (ORANGE, BLUE, VIOLET)]
    levels = [lightness(one) for one in amounts]
    assert all(b - a >= STEP for a, b in itertools.pairwise(levels)), levels


@each_palette
def test_the_two_arms_differ_without_any_colour(palette):
    lines, points = {}, {}
    for one in spec("charts", palette)["data"]:
        if one.get("name") and one["mode"] == "lines":
            lines[one["name"]] = one["line"]["dash"]
        elif one.get("name"):
            points[one["name"]] = one["marker"]["symbol"]
    assert lines["without"] != lines["with"]
    assert lines["predicted"] == "dot"
    assert len(set(points.values())) == 3


@each_palette
def test_bars_over_each_other_differ_without_any_colour(palette):
    for kind in ("distributions", "take home"):
        first, second = spec(kind, palette)["data"]
        assert "pattern" not in first["marker"]
        assert second["marker"]["pattern"]["shape"]


GREYS = [GREY_SAFE, PRINT]
greys = pytest.mark.parametrize("palette", GREYS, ids=lambda one: one.name)


@greys
def test_nothing_but_grey_is_left(palette):
    for kind in SAMPLE:
        for colour in colours_in(spec(kind, palette)):
            assert max(rgb(colour)) - min(rgb(colour)) <= 1, (kind, colour)


@greys
@pytest.mark.parametrize("written", [False, True])
@pytest.mark.parametrize("scale", [SIGNED, WEIGHTS], ids=["signed", "weights"])
@pytest.mark.parametrize("below", [False, True])
def test_more_is_always_more_ink(palette, written, scale, below):
    stops = palettes._scale(scale, palette, below, written)
    places, inks = zip(*((place, alpha(colour)) for place, colour in stops), strict=True)
    assert list(inks) == sorted(inks)
    parts = np.linspace(0 if below or scale is WEIGHTS else 0.5, 1, 41)
    amounts = np.interp(parts, places, inks)
    assert (np.diff(amounts) > 0).all()
    pages = [WHITE] if palette is PRINT else [WHITE, DARK]
    for page in pages:
        levels = np.array([lightness(over(rgb(palette.fills.rgb), a, page)) for a in amounts])
        away = np.abs(levels - lightness(page))
        assert (np.diff(away) > 0).all()
        assert away[0] < 1  # the least is paper
        assert away[-1] > 30  # five steps that a bad projector still shows


@pytest.mark.parametrize("page", [WHITE, DARK], ids=["white", "dark"])
def test_numbers_on_cells_are_readable(page):
    for palette in (SAFE, GREY_SAFE, PRINT):
        if palette is PRINT and page == DARK:
            continue
        text = rgb("17, 17, 17") if palette is PRINT else INK_ON[page]
        for scale in (SIGNED, WEIGHTS):
            for _place, colour in palettes._scale(scale, palette, True, written=True):
                cell = over(rgb(colour), alpha(colour), page)
                assert contrast(text, cell) >= TEXT, (palette.name, colour)


def test_signs_share_a_scale_only_with_their_own_range():
    def ends(*values, limits=(None, None)):
        made = [
            Tile(f"t{i}", np.array(one, float), "ab", "ab", limit=limit)
            for i, (one, limit) in enumerate(zip(values, limits, strict=True))
        ]
        drawn = palettes.recolour(figures.gallery([("row", made)], height=90).to_dict(), GREY_SAFE)
        return [len(one["colorscale"]) for one in drawn["data"]]

    up, down = [[0, 1], [2, 3]], [[0, -1], [2, 3]]
    from_0, whole = 3, 2  # stops
    assert ends(up, up) == [from_0, from_0]
    assert ends(up, down, limits=(4, 5)) == [from_0, whole]
    assert ends(up, down, limits=(5, 5)) == [whole, whole]  # one range, so one meaning of a grey


def test_an_unknown_scale_is_refused():
    with pytest.raises(ValueError, match="No grey palette knows"):
        palettes._scale([[0, "rgb(1, 2, 3)"], [1, "rgb(3, 2, 1)"]], GREY_SAFE, False, False)


def test_the_pinned_cell_has_a_thicker_outline():
    def outline(palette):
        shapes = spec("grid", palette)["layout"]["shapes"]
        (width,) = {one["line"]["width"] for one in shapes if one.get("xref") == "x2"} - {1}
        return width

    assert outline(DEFAULT) < outline(GREY_SAFE) == outline(PRINT)


# ---- masked cells ----


def segments(shape):
    found = re.findall(r"M([-\d.]+),([-\d.]+)L([-\d.]+),([-\d.]+)", shape["path"])
    return np.array(found, dtype=float)


@each_palette
def test_masked_cells_are_hatched(palette):
    before = SAMPLE["causal"]().to_dict()
    after = spec("causal", palette)
    hatches = [one for one in after["layout"]["shapes"] if one["type"] == "path"]
    assert len(hatches) == 1
    assert not any(one["type"] == "path" for one in before["layout"]["shapes"])
    layer = after["data"][1]["colorscale"]
    assert alpha(layer[0][1]) == (0 if palette.grey else 0.28)


@pytest.mark.parametrize("n", [3, 11, 40])
@pytest.mark.parametrize("draw", range(4))
def test_the_hatch_lies_on_masked_cells_and_on_no_other(n, draw):
    rng = np.random.default_rng(draw)
    masked = rng.random((n, n + 2)) < (0.15, 0.5, 0.9, 1)[draw]
    layer = {"z": np.where(masked, 1, np.nan), "xaxis": "x", "yaxis": "y"}
    for placed in ({}, {"x0": 0.1, "dx": 0.01, "y0": 0.9, "dy": -0.02}):
        lines = segments(hatched({**layer, **placed}, "rgb(1, 1, 1)"))
        x0, dx, y0, dy = (placed.get(k, d) for k, d in
                          (("x0", 0), ("dx", 1), ("y0", 0), ("dy", 1)))  # fmt: skip
        crossed = np.zeros_like(masked)
        for left, low, right, high in lines:
            i, j = (low - y0) / dy - 0.5, (left - x0) / dx + 0.5
            count = round((right - left) / dx)
            assert round((low - high) / dy) == count > 0
            for step in range(count):
                crossed[round(i) - step, round(j) + step] = True
        assert not (crossed & ~masked).any()
        if n <= 18:
            assert (crossed == masked).all()
        elif masked.any():
            assert crossed.any()


def test_packed_numbers_are_read():
    figure = SAMPLE["grid"]()
    packed = figure.to_dict()["data"][0]["z"]
    assert isinstance(packed, dict)
    np.testing.assert_array_equal(array(packed), np.asarray(figure.data[0].z).ravel())


# ---- words, components, paper ----


def test_words_are_true_in_their_palette():
    assert "violet" in palettes.legend(DEFAULT)
    assert "violet" not in palettes.legend(SAFE)
    assert "purple" in palettes.legend(SAFE)
    assert not re.search("blue|orange|violet|purple|grey", palettes.legend(GREY_SAFE))


def test_no_other_sentence_names_a_hue():
    """Whoever writes one makes it true in every palette, as palettes.legend does."""
    hue = re.compile(r"\b(blue|orange|violet|purple|red|green|colou?red)\b", re.IGNORECASE)
    for path in [*(ROOT / "ui").rglob("*.py"), *(ROOT / "pages").glob("*.py")]:
        if path.name == "palettes.py":
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("_", "mark"):
                for part in ast.walk(node):
                    if isinstance(part, ast.Constant) and isinstance(part.value, str):
                        assert not hue.search(part.value), f"{path}: {part.value}"


def test_components_are_told_numbers():
    assert palettes.look(DEFAULT) == {}
    for palette in (SAFE, GREY_SAFE):
        told = json.loads(json.dumps(palettes.look(palette)))
        assert set(told["hues"]) == {"positive", "negative", "weights"}
        assert told["grey"] == palette.grey
        assert told["hues"]["positive"] == list(rgb(palette.inks[BLUE].rgb))


@each_palette
def test_paper_is_white_and_needs_no_style_of_the_page(palette):
    paper = palettes.on_paper(palette)
    for kind in SAMPLE:
        content = json.loads(twins.on_paper(SAMPLE[kind](), paper).to_json())
        assert content["layout"]["paper_bgcolor"] == "#fff"
        assert palettes.INK not in json.dumps(content)
    assert paper.grey == palette.grey
    assert "17, 17, 17" in twins.to_html(SAMPLE["grid"](), "alt", "{}", PRINT)


def test_it_is_quick():
    """Far below the picture's own making: a page draws several of them at every click."""

    def seconds(act, times=8):
        best = []
        for _ in range(times):
            start = time.perf_counter()
            act()
            best.append(time.perf_counter() - start)
        return min(best)

    figure = SAMPLE["pipeline"]()
    make = seconds(SAMPLE["pipeline"])
    for palette in (SAFE, GREY_SAFE):
        plain = seconds(figure.to_dict)
        assert seconds(lambda p=palette: palettes.recolour(figure.to_dict(), p)) - plain < make / 4
