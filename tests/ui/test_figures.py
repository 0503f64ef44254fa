"""Pictures: every number in them is the one that was given, and it stands at its place."""

import base64
import json
from pathlib import Path

import numpy as np
import plotly.graph_objects as go
import pytest

from core import presets
from core.trace import trace
from ui.figures import grid, pipeline, token_lines
from ui.heatmaps import Tile
from ui.literal import plotly
from ui.tiles import tiles, weights_tile

DATA = Path(__file__).parents[1] / "data"
KNOWN = json.loads((DATA / "heatmap_orientation.json").read_text("utf-8"))
RELATIONS = presets.build("relations-en")
RESULT = trace(RELATIONS)
AXES = ("query: who looks", "key: who is looked at")


def tile(weights, rows, columns=None, **options) -> Tile:
    matrix = np.array(weights, dtype=float)
    return Tile("weights", matrix, rows, columns or rows, weights=True, **options)


def refuse(constant: str) -> None:
    raise AssertionError(f"{constant} stands in the JSON")


def sent(figure: go.Figure) -> dict:
    """The figure as the browser gets it."""
    return json.loads(figure.to_json(), parse_constant=refuse)


def array(packed) -> np.ndarray:
    """A matrix out of Plotly's JSON, packed or not."""
    if isinstance(packed, dict):
        numbers = np.frombuffer(base64.b64decode(packed["bdata"]), packed["dtype"])
        return numbers.reshape([int(size) for size in str(packed.get("shape", "-1")).split(",")])
    return np.array([[np.nan if x is None else x for x in row] for row in packed], dtype=float)


def pictures(figure: go.Figure) -> list[dict]:
    """The heatmaps that show numbers (not what lies over masked cells)."""
    heatmaps = [one for one in sent(figure)["data"] if one["type"] == "heatmap"]
    return [one for one in heatmaps if "%{z" in one["hovertemplate"]]


def axis(figure: go.Figure, one: dict, name: str) -> dict:
    """The axis that a trace hangs on."""
    place = one.get(f"{name}axis", name)
    return sent(figure)["layout"][f"{name}axis{place[1:]}"]


def at(figure: go.Figure, one: dict, vertical: str, horizontal: str) -> float:
    """The number in a corner of the picture as it is seen: top or bottom, left or right."""
    z = array(one["z"])
    down, across = axis(figure, one, "y")["range"], axis(figure, one, "x")["range"]
    first_row_on_top = down[0] > down[1]
    first_column_left = across[0] < across[1]
    row = 0 if (vertical == "top") == first_row_on_top else -1
    column = 0 if (horizontal == "left") == first_column_left else -1
    return z[row, column]


# ---- orientation ----


@pytest.mark.parametrize("case", KNOWN["checks"], ids=lambda case: case["cell"])
def test_corners(case):
    tokens = tuple(KNOWN["tokens"])
    figure = grid([tile(KNOWN["weights"], tokens)], columns=1, axes=AXES)
    vertical, horizontal = case["cell"].split("-")
    one = pictures(figure)[0]
    assert at(figure, one, vertical, horizontal) == pytest.approx(case["value"], abs=1e-6)
    row, column = tokens.index(case["query"]), tokens.index(case["key"])
    assert array(one["z"])[row, column] == pytest.approx(case["value"], abs=1e-6)
    assert one["y"][row] == plotly(case["query"])
    assert one["x"][column] == plotly(case["key"])
    template = one["hovertemplate"]
    assert 0 <= template.index("%{y}") < template.index("%{x}") < template.index("%{z")


def test_rows_are_queries_also_when_they_are_fewer():
    known = KNOWN["cross"]
    figure = grid([tile(known["weights"], known["queries"], known["keys"])], columns=1, axes=AXES)
    one = pictures(figure)[0]
    assert array(one["z"]).shape == (2, 3)
    np.testing.assert_allclose(array(one["z"]), known["weights"], atol=1e-6)
    down, across = axis(figure, one, "y"), axis(figure, one, "x")
    assert down["ticktext"] == [plotly(label) for label in known["queries"]]
    assert across["ticktext"] == [plotly(label) for label in known["keys"]]
    assert down["range"] == [1.5, -0.5]
    assert across["range"] == [-0.5, 2.5]
    texts = [one["text"] for one in sent(figure)["layout"]["annotations"]]
    assert set(AXES) <= set(texts)
    turned = {one["text"]: one.get("textangle") for one in sent(figure)["layout"]["annotations"]}
    assert turned[AXES[0]] == -90, "the first name belongs to the rows"
    assert turned[AXES[1]] is None


def test_row_zero_is_on_top_in_every_picture():
    figure = grid([weights_tile(RELATIONS, RESULT, t) for t in range(4)], columns=2, axes=AXES)
    assert len(pictures(figure)) == 4
    for one in pictures(figure):
        low, high = axis(figure, one, "y")["range"]
        assert (low, high) == (array(one["z"]).shape[0] - 0.5, -0.5)
    whole = pipeline(tiles(RELATIONS, RESULT, 2), {"weights": (8, 1)})
    assert len(pictures(whole)) == 10
    assert axis(whole, pictures(whole)[0], "y")["range"] == [0, 1]
    for one in pictures(whole):  # on one pair of axes: each row lies below the one before
        assert one["dy"] < 0 < one["dx"]
        assert one["text"][0][1].startswith(plotly(RELATIONS.labels()[0]))


def test_the_outline_lies_around_its_cell():
    figure = grid([weights_tile(RELATIONS, RESULT, 2)], columns=1, axes=AXES, outline=(8, 1))
    shapes = [one for one in sent(figure)["layout"]["shapes"] if one["xref"] == "x"]
    assert len(shapes) == 1
    assert [shapes[0][edge] for edge in ("x0", "x1", "y0", "y1")] == [0.5, 1.5, 7.5, 8.5]


# ---- labels ----


def test_equal_words_stay_rows_and_columns_of_their_own():
    known = KNOWN["duplicates"]
    for labels in (known["tokens"], [f"{token}·{i}" for i, token in enumerate(known["tokens"])]):
        figure = grid([tile(known["weights"], labels)], columns=1, axes=AXES)
        one = pictures(figure)[0]
        np.testing.assert_allclose(array(one["z"]), known["weights"], atol=1e-6)
        for name in "xy":
            assert axis(figure, one, name)["ticktext"] == [plotly(label) for label in labels]
            assert axis(figure, one, name)["tickvals"] == one[name]
            assert len(set(one[name])) == 3
            assert axis(figure, one, name)["type"] == "category"


def test_long_equal_words_keep_their_position_on_the_axis():
    now = presets.random(("internationalization",) * 3, d_model=4, num_heads=1)
    figure = grid([weights_tile(now, trace(now), 0)], columns=1, axes=AXES)
    ticks = axis(figure, pictures(figure)[0], "y")["ticktext"]
    assert len(set(ticks)) == 3


HOSTILE = ("<b>x</b>", "&lt;", "%{y}", "<a href='javascript:alert(1)'>x</a>", "a\nb")


@pytest.mark.parametrize("word", HOSTILE)
def test_words_are_shown_as_they_are(word):
    now = presets.random((word, "b"), d_model=4, num_heads=1)
    result = trace(now)
    label = f"{word}·0"
    matrix = grid([weights_tile(now, result, 0)], columns=1, axes=AXES)
    lines = token_lines(now.labels(), result.weights[0], 0, 1)
    hovered = pictures(matrix)[0]
    assert hovered["y"][0] == hovered["x"][0] == plotly(label)
    for figure in (matrix, lines):
        text = json.dumps(sent(figure), ensure_ascii=False)
        assert "<a href" not in text
        assert "<b>x</b>" not in text
        assert "a\\nb" not in text
        templates = {one.get("hovertemplate", "") for one in sent(figure)["data"]}
        assert templates <= {"", "%{hovertext}<extra></extra>", hovered["hovertemplate"]}


@pytest.mark.parametrize("name", HOSTILE[:-1])
def test_titles_are_shown_as_they_are(name):
    """Names of heads come from the reader's file."""
    one = weights_tile(RELATIONS, RESULT, 0, title=f"head 0 {name}")
    figure = grid([one], columns=1, axes=AXES)
    titles = [one["text"] for one in sent(figure)["layout"]["annotations"]]
    assert any(plotly(name)[1:-1] in title for title in titles), titles


# ---- numbers and colours ----


def test_one_range_of_colours_for_all_tiles():
    known = KNOWN["colour"]
    labels = ("a", "b", "c", "d")
    figure = grid(
        [tile(known["head1"], labels), tile(known["head2"], labels)], columns=2, axes=AXES
    )
    drawn = pictures(figure)
    assert [(one["zmin"], one["zmax"]) for one in drawn] == [(0, 1), (0, 1)]
    assert drawn[0]["colorscale"] == drawn[1]["colorscale"]
    np.testing.assert_allclose(array(drawn[0]["z"]), 0.25)
    np.testing.assert_array_equal(array(drawn[1]["z"]), np.eye(4))
    bars = [one for one in drawn if one["showscale"]]
    assert len(bars) == 1


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 16])
def test_the_numbers_of_every_head_and_each_at_its_place(count):
    now = presets.random(("a", "b", "c"), seed=3, d_model=16, num_heads=count)
    result = trace(now)
    figure = grid(
        [weights_tile(now, result, t, title=f"head {t}") for t in range(count)],
        columns=min(count, 4),
        axes=AXES,
        height=500,
    )
    drawn = pictures(figure)
    places = []
    for head, one in enumerate(drawn):
        np.testing.assert_allclose(array(one["z"]), result.weights[head], rtol=0, atol=1e-6)
        places.append(
            (tuple(axis(figure, one, "x")["domain"]), tuple(axis(figure, one, "y")["domain"]))
        )
    assert len(set(places)) == count
    for (x0, x1), (y0, y1) in places:
        assert 0 <= x0 < x1 <= 1
        assert 0 <= y0 < y1 <= 1
    order = sorted(range(count), key=lambda t: (-places[t][1][0], places[t][0][0]))
    assert order == list(range(count)), "heads are read line by line"


def test_the_numbers_of_the_pipeline():
    figure = pipeline(tiles(RELATIONS, RESULT, 2), {})
    drawn = iter(pictures(figure))
    for stage in ("embeddings", "query", "key", "value", "scores", "scaled_scores",
                  "masked_scores", "weights", "head_outputs", "output"):  # fmt: skip
        expected = getattr(RESULT, stage)
        expected = expected[2] if expected.ndim == 3 else expected
        one = next(drawn)
        np.testing.assert_allclose(array(one["z"]), expected, rtol=1e-6, atol=1e-6)
        if stage == "weights":
            assert (one["zmin"], one["zmax"]) == (0, 1)
        else:
            assert one["zmin"] == -one["zmax"], "a signed scale has 0 in its middle"
            assert one["zmax"] >= np.abs(expected).max() * (1 - 1e-6)


@pytest.mark.parametrize("stage", ["weights", "masked_scores"])
def test_masked_cells_are_not_drawn_as_zero(stage):
    now = RELATIONS.with_(mask="causal")
    result = trace(now)
    figure = grid([weights_tile(now, result, 2, stage)], columns=1, axes=AXES)
    z = array(pictures(figure)[0]["z"])
    np.testing.assert_array_equal(np.isnan(z), ~result.allowed)
    np.testing.assert_allclose(
        z[result.allowed], getattr(result, stage)[2][result.allowed], atol=1e-6
    )
    heatmaps = [one for one in sent(figure)["data"] if one["type"] == "heatmap"]
    assert len(heatmaps) == 2
    over = heatmaps[1]
    np.testing.assert_array_equal(np.isnan(array(over["z"])), result.allowed)
    zero = pictures(figure)[0]["colorscale"][0][1]
    assert over["colorscale"][0][1] != zero


def test_a_zero_that_is_no_mask_is_drawn_as_zero():
    figure = grid([tile(np.eye(2), ("a", "b"))], columns=1, axes=AXES)
    np.testing.assert_array_equal(array(pictures(figure)[0]["z"]), np.eye(2))
    assert len([one for one in sent(figure)["data"] if one["type"] == "heatmap"]) == 1


@pytest.mark.parametrize("mask", ["none", "causal", "nothing"])
def test_no_figure_holds_nan_or_infinity(mask):
    nothing = np.zeros((RELATIONS.n, RELATIONS.n), dtype=bool)
    now = (
        RELATIONS.with_(mask="manual", allowed=nothing)
        if mask == "nothing"
        else RELATIONS.with_(mask=mask)
    )
    result = trace(now)
    for figure in (
        grid([weights_tile(now, result, t) for t in range(4)], columns=4, axes=AXES),
        pipeline(tiles(now, result, 0), {"weights": (0, 0)}),
        token_lines(now.labels(), result.weights[0], 8, 1),
    ):
        text = json.dumps(sent(figure))
        assert "inf" not in text.lower().replace("hoverinfo", "")
        assert '"nan' not in text.lower()


def test_all_zeros_have_a_colour_range():
    now = RELATIONS.with_(w_q=np.zeros_like(RELATIONS.w_q))
    for one in pictures(pipeline(tiles(now, trace(now), 0), {})):
        assert one["zmin"] < one["zmax"]


# ---- lines between tokens ----


def test_the_lines_of_the_query_are_its_weights():
    weights = np.array(KNOWN["weights"])
    figure = sent(token_lines(("A", "B", "C"), weights, 0, 2))
    data, own = figure["data"], figure["layout"]["shapes"]
    assert {(one["x0"], one["y0"], one["y1"]) for one in own} == {(0, 1, 0)}
    assert [one["x1"] for one in own] == [0, 1, 2]
    widths = [one["line"]["width"] for one in own]
    assert widths == sorted(widths, reverse=True)
    assert own[2]["line"]["color"] != own[1]["line"]["color"], "the pinned key stands out"
    below = [one for one in data if "markers" in one["mode"]][1]
    assert [float(text.rpartition(": ")[2]) for text in below["hovertext"]] == [0.7, 0.2, 0.1]
    for text, weight in zip(below["text"], weights[0], strict=True):
        assert f"{weight:.0%}" in text


def test_lines_of_a_row_that_is_masked_are_left_out():
    weights = np.array([[0.0, 0.0], [0.5, 0.5]])
    figure = sent(token_lines(("a", "b"), weights, 0, 1))
    lines = [one for one in figure["data"] if one["mode"] == "lines"]
    assert all(x == 1 for one in lines for x in one["x"][::3])
    assert not figure["layout"].get("shapes")


def test_one_token_looks_at_itself():
    figure = token_lines(("one·0",), np.ones((1, 1)), 0, 0)
    assert [(one["x0"], one["x1"]) for one in sent(figure)["layout"]["shapes"]] == [(0, 0)]


@pytest.mark.parametrize(("n", "tiles", "told"), [(12, 4, True), (13, 4, False), (12, 5, False)])
def test_weights_are_written_where_there_is_room(n, tiles, told):
    weights = np.full((n, n), 0.004)
    weights[:, 0] = 0.99
    labels = [f"t·{i}" for i in range(n)]
    figure = grid(
        [Tile("w", weights, labels, labels, weights=True)] * tiles, columns=tiles, axes=("q", "k")
    )
    texts = figure.data[0].text
    assert (texts is not None) == told
    if told:
        assert [list(row) for row in texts] == [[".99", *[""] * (n - 1)]] * n
