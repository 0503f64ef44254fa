"""Enlarged pictures: every text can be read from the last row, and nothing is moved or lost."""

import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import plotly.graph_objects as go
import plotly.io
import pytest
from every_picture import SAMPLE

from core import presets
from core.trace import trace
from ui import cells, figures
from ui.enlarge import LEAST, ZOOM, enlarged
from ui.figures import grid, token_lines
from ui.heatmaps import Tile
from ui.tiles import tiles, weights_tile

AXES = ("query: who looks", "key: who is looked at")
FONTS = ("font", "tickfont", "textfont", "title_font", "titlefont", "insidetextfont",
         "outsidetextfont")  # fmt: skip


def row_of_cells() -> go.Figure:
    parts = cells.paper(150)
    cells.write(parts, "a name", 0, 1)
    cells.write_names(parts, ["a", "b"], (0, 1), 1)
    cells.cells(parts, np.eye(2), (0, 1), 20, 20, [["h"] * 2] * 2, limit=1)
    return parts.figure(150)


def long_sentence() -> go.Figure:
    now = presets.random([f"word{i}" for i in range(30)], d_model=4, num_heads=1)
    return token_lines(now.labels(), trace(now).weights[0], 0, 1)


def all_of_a_preset(name: str) -> go.Figure:
    now = presets.build(name)
    result = trace(now)
    each = tiles(now, result, 0)
    return figures.gallery([("row", [each["scores"], each["weights"]])], height=300, shapes=True)


KINDS = {
    **SAMPLE,
    "cells": row_of_cells,
    "long sentence": long_sentence,
    "gallery with shapes": lambda: all_of_a_preset("article-numbers"),
}
each_kind = pytest.mark.parametrize("kind", KINDS)


def sent(figure: go.Figure) -> dict[str, Any]:
    """The figure as the browser gets it."""
    return json.loads(plotly.io.to_json(figure, validate=False))


def parts_of(part: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every value of a figure with the way to it."""
    yield path, part
    inner: Any = ()
    if isinstance(part, dict):
        inner = part.items()
    elif isinstance(part, list):
        inner = enumerate(part)
    for name, one in inner:
        yield from parts_of(one, f"{path}.{name}")


def font_sizes(part: Any) -> dict[str, Any]:
    return {
        path: size
        for path, size in parts_of(part)
        if path.endswith(".size") and path.split(".")[-2] in FONTS
    }


@each_kind
def test_every_text_has_twenty_pixels(kind):
    figure = sent(enlarged(KINDS[kind]()))
    sizes = font_sizes(figure)
    small = {path: size for path, size in sizes.items() if not np.min(size) >= LEAST}
    assert not small
    assert LEAST == 20
    layout = figure["layout"]  # what the texts without a size of their own fall back on
    assert layout["font"]["size"] >= 20
    assert layout["legend"]["font"]["size"] >= 20
    assert layout["hoverlabel"]["font"]["size"] >= 20
    template = layout.get("template", {})
    assert not font_sizes(template)


@each_kind
def test_no_text_is_made_smaller_inside(kind):
    """Plotly draws <sub> and <sup> at 70 %, and takes any size that a style asks for."""
    for path, text in parts_of(sent(enlarged(KINDS[kind]()))):
        if isinstance(text, str) and not path.startswith(".layout.template"):
            assert not any(mark in text for mark in ("<sub", "<sup", "font-size")), (path, text)


def test_the_sample_has_texts_that_are_too_small_before():
    """Or the tests above would say nothing."""
    for kind, make in KINDS.items():
        sizes = font_sizes(sent(make()))
        assert kind == "charts" or sizes or sent(make())["layout"].get("annotations"), kind
        assert not sizes or min(np.min(size) for size in sizes.values()) < LEAST, kind


@each_kind
def test_the_picture_that_came_is_unchanged(kind):
    figure = KINDS[kind]()
    before = plotly.io.to_json(figure, validate=False)
    made = enlarged(figure)
    assert made is not figure
    assert plotly.io.to_json(figure, validate=False) == before


def thinned(before: Any, after: Any, mode: str | None) -> bool:
    """Whether texts are the same; those at points may be left out, but not one in bold."""
    if mode != "markers+text" or before is None:
        return before == after
    pairs = zip(before, after, strict=True)
    return all(new == old or (new == "" and not old.startswith("<b>")) for old, new in pairs)


@each_kind
def test_numbers_and_places_stay(kind):
    figure = KINDS[kind]()
    old, new = sent(figure), sent(enlarged(figure))
    assert len(new["data"]) == len(old["data"])
    for before, after in zip(old["data"], new["data"], strict=True):
        assert thinned(before.get("text"), after.get("text"), before.get("mode"))
        for name in ("type", "x", "y", "z", "hovertext", "hovertemplate", "customdata",
                     "name", "legendgroup", "zmin", "zmax", "colorscale", "x0", "dx", "y0", "dy",
                     "xaxis", "yaxis"):  # fmt: skip
            assert before.get(name) == after.get(name), name
    places = ("x", "y", "x0", "x1", "y0", "y1", "xref", "yref", "ax", "ay", "textangle")
    for group in ("shapes", "annotations"):
        before, after = (one["layout"].get(group, []) for one in (old, new))
        assert [[one.get(name) for name in places] for one in before] == [
            [one.get(name) for name in places] for one in after
        ]
    axes = [name for name in old["layout"] if name[1:5] == "axis"]
    for name in axes:
        before, after = old["layout"][name], new["layout"][name]
        for part in ("domain", "type", "anchor"):
            assert before.get(part) == after.get(part), (name, part)
        at, now = (sorted(one.get("range", ())) for one in (before, after))
        assert at == now or (name == "xaxis" and now[0] <= at[0] and now[1] >= at[1])
        assert (before.get("range", [0, 1])[0] < before.get("range", [0, 1])[1]) == (
            after.get("range", [0, 1])[0] < after.get("range", [0, 1])[1]
        )
        if before.get("type") == "category" and "tickvals" in before:  # some labels, in order
            pairs = list(zip(before["tickvals"], before["ticktext"], strict=True))
            left = list(zip(after["tickvals"], after["ticktext"], strict=True))
            assert left
            assert left == [pair for pair in pairs if pair in left]
        else:
            for part in ("tickvals", "ticktext"):
                assert before.get(part) == after.get(part), (name, part)
    assert old["layout"].get("height") == new["layout"].get("height")


@each_kind
def test_plotly_takes_it(kind):
    made = enlarged(KINDS[kind]())
    go.Figure(sent(made))  # raises where Plotly does not know something
    assert isinstance(made, go.Figure)


def test_lines_and_marks_grow_with_the_texts():
    figure = token_lines(("a", "b", "c"), np.eye(3) / 2 + 1 / 6, 0, 1)
    old, new = sent(figure), sent(enlarged(figure))
    for before, after in zip(old["data"], new["data"], strict=True):
        for name, size in (("line", "width"), ("marker", "size")):
            if size in before.get(name, {}):
                assert after[name][size] == pytest.approx(ZOOM * before[name][size])
    widths = [[one["line"]["width"] for one in part["layout"]["shapes"]] for part in (old, new)]
    assert widths[1] == pytest.approx([ZOOM * width for width in widths[0]])
    assert len(widths[0]) == 3


# ---- numbers in cells ----


def tile(columns: int) -> Tile:
    weights = np.full((3, columns), 1 / columns)
    return Tile("w", weights, list("abc"), [f"c{i}" for i in range(columns)], weights=True)


def with_numbers(figure: go.Figure) -> list[bool]:
    return [
        "texttemplate" in one
        for one in sent(figure)["data"]
        if one["type"] == "heatmap" and "text" in one
    ]


@pytest.mark.parametrize(
    ("side_by_side", "columns", "kept"),
    [(1, 2, True), (1, 12, True), (2, 4, True), (2, 12, True), (4, 4, True), (4, 12, False)],
)
def test_numbers_stay_only_where_a_cell_has_room(side_by_side, columns, kept):
    figure = grid([tile(columns)] * side_by_side, columns=side_by_side, axes=AXES)
    assert with_numbers(figure) == [True] * side_by_side
    made = enlarged(figure)
    assert with_numbers(made) == [kept] * side_by_side
    for one in sent(made)["data"]:
        assert ("textfont" in one) == ("texttemplate" in one)
    # A cell with a number is as wide as two digits, a point and a little air at 20 pixels.
    for one in sent(made)["data"]:
        if "texttemplate" in one:
            left, right = sent(made)["layout"][f"xaxis{one.get('xaxis', 'x')[1:]}"]["domain"]
            assert (right - left) * 1240 / columns >= 1.8 * LEAST


def test_room_is_asked_for_each_picture_by_itself():
    """A wide matrix beside a narrow one loses its numbers alone."""
    figure = grid([tile(2), tile(12), tile(12), tile(2)], columns=4, axes=AXES)
    assert with_numbers(figure) == [True] * 4
    assert with_numbers(enlarged(figure)) == [True, False, False, True]


@each_kind
def test_a_number_that_stays_fits_into_its_cell(kind):
    """About 11 pixels a digit at 20 pixels; a picture is 1240 pixels wide."""
    made = sent(enlarged(KINDS[kind]()))
    for one in made["data"]:
        if one["type"] != "heatmap" or "texttemplate" not in one:
            continue
        axis = made["layout"][f"xaxis{one.get('xaxis', 'x')[1:]}"]
        (left, right), (low, high) = axis["domain"], axis["range"]
        step = one.get("dx", 1) / abs(high - low)
        longest = max(len(text) for row in one["text"] for text in row)
        assert step * (right - left) * 1240 >= 11 * longest, kind


# ---- titles ----


def test_a_title_keeps_its_name_and_loses_its_shape():
    now = presets.build("article-numbers")
    result = trace(now)
    figure = figures.gallery([("r", [tiles(now, result, 0)["weights"]])], height=200, shapes=True)
    before = [one["text"] for one in sent(figure)["layout"]["annotations"]]
    after = [one["text"] for one in sent(enlarged(figure))["layout"]["annotations"]]
    assert len(before) == len(after)
    assert any(not text.endswith("</b>") for text in before), "no title told its shape"
    for old, new in zip(before, after, strict=True):
        assert old.startswith(new)
        assert new.endswith("</b>") == old.startswith("<b>")
        assert new


@pytest.mark.parametrize("n", [2, 11, 30, 64])
def test_labels_do_not_lie_on_each_other(n):
    """Those of a row or column: one line of 22 pixels each, on 1240 × 1.5 · height pixels."""
    labels = [f"w{i}" for i in range(n)]
    one = Tile("w", np.full((n, n), 1 / n), labels, labels, weights=True)
    for side_by_side in (1, 4):
        figure = grid([one] * side_by_side, columns=side_by_side, axes=AXES, height=345)
        layout = sent(enlarged(figure))["layout"]
        for name, axis in layout.items():
            if name[1:5] == "axis" and axis.get("ticktext"):
                first, last = axis["domain"]
                length = (last - first) * (1240 if name[0] == "x" else 1.5 * 345)
                kept = len(axis["ticktext"])
                assert kept * 22 <= length + 22
                assert kept == n or 2 * kept * 22 > length / 2, "more is left out than has to be"


def test_a_text_that_is_no_title_stays_as_it_is():
    now = presets.build("relations-en")
    figure = grid([weights_tile(now, trace(now), 2, title="head 2 <b>")], columns=1, axes=AXES)
    texts = [one["text"] for one in sent(enlarged(figure))["layout"]["annotations"]]
    assert set(AXES) <= set(texts)
    assert any("head 2 &lt;b" in text or "head 2 <" in text for text in texts), texts
