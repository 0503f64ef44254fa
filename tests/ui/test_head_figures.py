"""Pictures of several heads: lines, products, sums; notes and clicks of the grid; the gallery."""

import json

import numpy as np
import pytest
from test_figures import AXES, HOSTILE, RELATIONS, RESULT, array, axis, pictures, sent, tile

from core import presets
from core.heads import head_contributions
from core.trace import trace
from ui.figures import gallery, grid
from ui.heads.colours import dash, hue
from ui.heads.figures import product_by_heads, query_lines, sum_of_heads
from ui.heatmaps import Tile
from ui.literal import plotly
from ui.numerals import Numerals
from ui.tiles import weights_tile

LABELS = ("a·0", "b·1", "c·2", "d·3")
NAMES = ("head 0", "head 1", "head 2")
ROWS = np.array([[0.7, 0.2, 0.1, 0.0], [0.25, 0.25, 0.25, 0.25], [0.05, 0.05, 0.0, 0.9]])


def test_sixteen_heads_are_told_apart():
    assert len({(hue(head), dash(head)) for head in range(16)}) == 16


def texts(figure):
    return [one["text"] for one in sent(figure)["layout"]["annotations"]]


# ---- lines from one query ----


def lines(shown, threshold=0.1, names=NAMES, labels=LABELS, query=1):
    """The lines as (head, key, line)."""
    figure = query_lines(labels, ROWS, query, names, shown, threshold=threshold, height=200)
    found = [one for one in sent(figure)["data"] if one["mode"] == "lines"]
    for one in found:
        assert one["y"] == [1, 0]
        assert abs(one["x"][0] - query) < 0.5
    return [(int(one["legendgroup"]), round(one["x"][1]), one) for one in found]


@pytest.mark.parametrize("shown", [[], [1], [0, 2], [0, 1, 2]])
@pytest.mark.parametrize("threshold", [0.1, 0.25, 0.26, 1])
def test_a_line_for_each_weight_from_the_threshold_on(shown, threshold):
    expected = [(t, j) for t in shown for j in range(4) if ROWS[t, j] >= threshold]
    found = lines(shown, threshold)
    assert [(head, key) for head, key, _line in found] == expected
    for head, key, line in found:
        assert f"{ROWS[head, key]:.6f}" in line["hovertext"]
        assert line["line"]["color"] == f"rgb({hue(head)})"
        assert line["line"]["dash"] == dash(head)


def test_lines_are_as_thick_as_their_weight():
    found = sorted((ROWS[head, key], line["line"]["width"]) for head, key, line in lines([0, 1, 2]))
    assert len({width for _weight, width in found}) == len({weight for weight, _width in found})
    assert [width for _weight, width in found] == sorted(width for _weight, width in found)


def test_the_legend_names_each_head_once():
    found = [(line["name"], line["showlegend"]) for _head, _key, line in lines([2, 0, 1])]
    assert [name for name, in_legend in found if in_legend] == ["head 2", "head 0", "head 1"]
    assert {name for name, _in_legend in found} == set(NAMES)


def test_equal_lines_of_several_heads_do_not_hide_each_other():
    same = np.full((16, 4), 0.25)
    names = [f"head {head}" for head in range(16)]
    figure = query_lines(LABELS, same, 0, names, list(range(16)), threshold=0, height=200)
    places = [tuple(one["x"]) for one in sent(figure)["data"] if one["mode"] == "lines"]
    assert len(set(places)) == len(places) == 64


@pytest.mark.parametrize("word", HOSTILE)
def test_names_and_words_are_text(word):
    words = [f"{word}·{i}" for i in range(4)]
    figure = query_lines(words, ROWS, 0, [word] * 3, [0, 1, 2], threshold=0, height=200)
    data = sent(figure)["data"]
    assert {one["name"] for one in data if one["mode"] == "lines"} == {plotly(word)}
    text = json.dumps(data, ensure_ascii=False)
    assert not [bad for bad in ("<a href", "<b>x", "a\\nb") if bad in text]
    assert not [one for one in data if "%{y}" in one.get("hovertemplate", "")], "Plotly fills it in"


# ---- heads joined ----


def small(heads):
    now = presets.random(("a", "b", "c"), d_model=6, num_heads=heads, d_k=2)
    return now, trace(now)


def frames(figure):
    """The frames in colours of heads, of each head in their order."""
    colours = {f"rgb({hue(t)})": t for t in range(8)}
    found: dict[int, list] = {}
    for one in sent(figure)["layout"]["shapes"]:
        if (head := colours.get(one["line"]["color"])) is not None:
            found.setdefault(head, []).append(one)
    return found


def cells(one, shape):
    """The rows and the columns of a heatmap that a frame lies around."""
    left, top = one["x0"] - one["dx"] / 2, one["y0"] - one["dy"] / 2
    down = [(shape[y] - top) / one["dy"] for y in ("y1", "y0")]
    across = [(shape[x] - left) / one["dx"] for x in ("x0", "x1")]
    return np.round([*down, *across], 6).tolist()


@pytest.mark.parametrize("heads", [1, 2, 3])
def test_heads_own_columns_and_rows_of_w_o(heads):
    now, result = small(heads)
    inner, outer = now.head_labels(), now.output_labels()
    names = [f"<b>{head}" for head in range(heads)]
    figure = product_by_heads(
        Tile("side by side", result.concatenated, now.labels(), inner),
        Tile("W_O", now.w_o, inner, outer),
        Tile("output", result.output, now.labels(), outer),
        heads,
        names,
        200,
    )
    left, right, product = pictures(figure)
    np.testing.assert_allclose(array(left["z"]) @ array(right["z"]), array(product["z"]), atol=1e-5)
    np.testing.assert_allclose(array(product["z"]), result.output, atol=1e-5)
    found = frames(figure)
    assert sorted(found) == list(range(heads))
    for head, (columns, rows) in found.items():
        assert cells(left, columns) == [0, 3, 2 * head, 2 * head + 2]
        assert cells(right, rows) == [2 * head, 2 * head + 2, 0, 6]
        assert f"<b>{plotly(names[head])}</b>" in texts(figure)


@pytest.mark.parametrize("heads", [1, 2, 4, 8, 9, 16])
def test_a_tile_for_each_head_and_one_for_the_sum(heads):
    now, result = small(heads)
    parts = head_contributions(now, result)
    tiles = [Tile(f"{t}", part, now.labels(), now.output_labels()) for t, part in enumerate(parts)]
    total = Tile("sum", result.output, now.labels(), now.output_labels())
    figure = sum_of_heads(tiles, total, 300)
    drawn = pictures(figure)
    assert len(drawn) == heads + 1
    for one, expected in zip(drawn, [*parts, result.output], strict=True):
        np.testing.assert_allclose(array(one["z"]), expected, atol=1e-5)
    places = [(one["x0"], one["y0"]) for one in drawn]
    assert sorted(places, key=lambda place: (-place[1], place[0])) == places, "read line by line"
    assert len(set(places)) == len(places)
    assert sum(map(len, frames(figure).values())) == heads
    if heads <= 8:
        for head, [frame] in frames(figure).items():
            assert cells(drawn[head], frame) == [0, 3, 0, 6]
        assert [text for text in texts(figure) if text in "+="] == ["+"] * (heads - 1) + ["="]
    ends = [
        (one["x0"] + (one["dx"] * columns), one["y0"] + one["dy"] * rows)
        for one in drawn
        for rows, columns in ((-0.5, -0.5), (2.5, 5.5))
    ]
    assert -1e-9 <= np.min(ends) < np.max(ends) <= 1 + 1e-9


# ---- the grid: clicks, notes, half a page ----


def clickable(tiles, columns=2):
    figure = grid(tiles, columns=columns, axes=AXES, clickable=True)
    return figure, [one for one in sent(figure)["data"] if one["type"] == "scatter"]


def test_a_click_tells_tile_row_and_column():
    now = RELATIONS.with_(mask="causal")
    result = trace(now)
    tiles = [weights_tile(now, result, t) for t in range(4)]
    figure, targets = clickable(tiles)
    for number, (one, drawn) in enumerate(zip(targets, pictures(figure), strict=True)):
        assert (one["xaxis"], one["yaxis"]) == (drawn["xaxis"], drawn["yaxis"])
        expected = [[number, i, j] for i in range(now.n) for j in range(now.n)]
        assert one["customdata"] == expected
        for (_tile, i, j), x, y, text in zip(
            expected, one["x"], one["y"], one["text"], strict=True
        ):
            assert (y, x) == (drawn["y"][i], drawn["x"][j])
            weight = Numerals("en").significant(result.weights[number, i, j], 6)
            assert text == (weight if result.allowed[i, j] else "masked out")


def test_equal_words_are_clicked_apart():
    _figure, [one] = clickable([tile(np.eye(3), ("the", "cat", "the"))], columns=1)
    assert len(set(zip(one["x"], one["y"], strict=True))) == len(one["customdata"]) == 9


@pytest.mark.parametrize("n", [1, 31, 32, 64])
def test_a_large_tile_has_about_a_thousand_targets(n):
    labels = [f"{i}" for i in range(n)]
    _figure, [one] = clickable([tile(np.full((n, n), 1 / n), labels)], columns=1)
    found = np.array(one["customdata"])
    assert min(n * n, 250) <= len(found) <= 1100
    assert found.min() == 0
    assert n - 4 < found[:, 1:].max() < n


def test_nothing_is_clickable_unless_asked_for():
    figure = grid([weights_tile(RELATIONS, RESULT, 0)], columns=1, axes=AXES)
    assert {one["type"] for one in sent(figure)["data"]} == {"heatmap"}


@pytest.mark.parametrize(("count", "columns"), [(1, 1), (4, 4), (6, 3), (16, 8)])
def test_notes_stand_below_their_tile(count, columns):
    now, result = small(count)
    notes = [[f"{HOSTILE[0]} {t}", "second"] for t in range(count)]
    figure = grid(
        [weights_tile(now, result, t) for t in range(count)],
        columns=columns,
        axes=AXES,
        height=500,
        notes=notes,
    )
    drawn = pictures(figure)
    written = [one for one in sent(figure)["layout"]["annotations"] if "second" in one["text"]]
    tops = [axis(figure, one, "y")["domain"][1] for one in drawn]
    for one, picture, lines in zip(written, drawn, notes, strict=True):
        assert one["text"] == "<br>".join(map(plotly, lines))
        (left, right), (bottom, top) = (axis(figure, picture, name)["domain"] for name in "xy")
        assert one["x"] == pytest.approx((left + right) / 2)
        next_tile = max((other for other in tops if other < top), default=0)
        assert next_tile < one["y"] < bottom


def test_half_a_page_leaves_more_room_for_labels():
    left = []
    for narrow in (False, True):
        one = weights_tile(RELATIONS, RESULT, 0)
        figure = grid([one, one], columns=2, axes=AXES, narrow=narrow)
        first, second = (axis(figure, drawn, "x")["domain"] for drawn in pictures(figure))
        assert first[1] < second[0] < second[1] < 1
        left.append(first[0])
    assert left[0] < left[1]


# ---- the gallery ----


@pytest.mark.parametrize("shapes", [False, True])
def test_the_gallery_has_named_rows(shapes):
    matrices = np.random.default_rng(0).random((3, 2, 3))
    made = [
        Tile(f"tile {i}", matrix, ("a", "b"), ("x", "y", "z")) for i, matrix in enumerate(matrices)
    ]
    rows = [("right", made[:2]), ("<b>x", made[2:])]
    figure = gallery(rows, height=300, shapes=shapes)
    drawn = pictures(figure)
    for one, matrix in zip(drawn, matrices, strict=True):
        np.testing.assert_allclose(array(one["z"]), matrix, rtol=1e-6)
    first, second, third = ((one["x0"], one["y0"]) for one in drawn)
    assert first[0] == third[0] < second[0]
    assert third[1] < first[1] == second[1]
    turned = [one for one in sent(figure)["layout"]["annotations"] if one.get("textangle") == -90]
    assert [one["text"] for one in turned] == [f"<b>{plotly(name)}</b>" for name, _tiles in rows]
    assert turned[0]["y"] > turned[1]["y"]
    titles = [text for text in texts(figure) if "tile" in text]
    assert titles == [f"<b>tile {i}</b>" + " 2×3" * shapes for i in range(3)]
