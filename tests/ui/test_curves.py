"""Curves: what is drawn is what was given, in its panel, and no text turns into markup."""

import base64
import json
from itertools import pairwise

import numpy as np
import plotly.graph_objects as go
import pytest

from ui.curves import WITH, WITHOUT, Chart, Curve, charts, distributions
from ui.literal import plotly

X = np.array([1.0, 4.0, 16.0, 64.0])
Y = np.array([0.5, 2.0, 1.0, 0.25])
ERROR = np.array([0.1, 0.2, 0.0, 0.05])
HOSTILE = ("<b>x</b>", "&lt;", "<a href='javascript:alert(1)'>x</a>", "a\nb")


def sent(figure: go.Figure) -> dict:
    """The figure as the browser gets it."""
    return json.loads(figure.to_json())


def array(packed) -> np.ndarray:
    """Numbers out of Plotly's JSON, packed or not."""
    if isinstance(packed, dict):
        return np.frombuffer(base64.b64decode(packed["bdata"]), packed["dtype"])
    return np.array(packed, dtype=float)


def drawn(chart: Chart) -> tuple[list[dict], dict]:
    """The traces and the layout of one panel."""
    figure = sent(charts([chart], 1, height=300))
    return figure["data"], figure["layout"]


# ---- numbers ----


def test_a_curve_is_its_numbers():
    (line,), _layout = drawn(Chart("t", X, [Curve("c", Y, WITH, dash="dot")]))
    np.testing.assert_array_equal(array(line["x"]), X)
    np.testing.assert_array_equal(array(line["y"]), Y)
    assert (line["mode"], line["name"]) == ("lines", "c")
    assert line["line"] == {"color": f"rgb({WITH})", "width": 2, "dash": "dot"}


def test_a_band_goes_up_and_comes_back_down_around_its_line():
    (band, line), _layout = drawn(Chart("t", X, [Curve("c", Y, WITH, ERROR)]))
    np.testing.assert_array_equal(array(line["y"]), Y)
    there, back = np.split(array(band["y"]), 2)
    np.testing.assert_allclose(there, Y + ERROR, rtol=1e-6)
    np.testing.assert_allclose(back[::-1], Y - ERROR, rtol=1e-6)
    np.testing.assert_array_equal(array(band["x"]), [*X, *X[::-1]])
    assert (band["fill"], band["showlegend"], band["hoverinfo"]) == ("toself", False, "skip")
    assert WITH in band["fillcolor"]


def test_a_band_on_a_logarithmic_axis_stays_above_zero():
    (band, _line), _layout = drawn(Chart("t", X, [Curve("c", Y, WITH, 2 * Y)], log_y=True))
    assert (array(band["y"]) > 0).all()
    np.testing.assert_allclose(array(band["y"])[:4], 3 * Y, rtol=1e-6)


def test_points_have_error_bars():
    (one,), _layout = drawn(Chart("t", X, [Curve("c", Y, WITHOUT, ERROR, points=True)]))
    np.testing.assert_array_equal(array(one["y"]), Y)
    np.testing.assert_allclose(array(one["error_y"]["array"]), ERROR, rtol=1e-6)
    assert one["mode"] == "markers"
    assert one["marker"]["color"] == one["error_y"]["color"] == f"rgb({WITHOUT})"


def test_points_without_an_error_have_no_bars():
    (one,), _layout = drawn(Chart("t", X, [Curve("c", Y, WITHOUT, points=True)]))
    assert "error_y" not in one


# ---- axes ----


@pytest.mark.parametrize("name", ["x", "y"])
def test_a_logarithmic_axis_has_ticks_as_numbers(name):
    _data, layout = drawn(Chart("t", X, [Curve("c", Y, WITH)], **{f"log_{name}": True}))
    other = {"x": "y", "y": "x"}[name]
    axis = layout[f"{name}axis"]
    assert (axis["type"], layout[f"{other}axis"]["type"]) == ("log", "linear")
    assert [float(text) for text in axis["ticktext"]] == pytest.approx(axis["tickvals"])
    shown = {"x": X, "y": Y}[name]
    assert sum(shown.min() <= tick <= shown.max() for tick in axis["tickvals"]) >= 3


@pytest.mark.parametrize("log", [True, False])
def test_all_of_x_is_within_the_axis(log):
    _data, layout = drawn(Chart("t", X, [Curve("c", Y, WITH)], log_x=log))
    first, last = (10**end if log else end for end in layout["xaxis"]["range"])
    assert 0.5 < first <= 1
    assert 64 <= last < 100


def test_one_single_x_has_an_axis_too():
    _data, layout = drawn(Chart("t", np.zeros(1), [Curve("c", np.ones(1), WITH)]))
    first, last = layout["xaxis"]["range"]
    assert first <= 0 < last


@pytest.mark.parametrize("value", [2.6, 1.0, 3.6e-5, 1e-300])
def test_a_single_point_is_seen_between_two_ticks(value):
    """What has just begun is one point; a line through it would be nothing."""
    curve = Curve("c", np.array([value]), WITH)
    (trace,), layout = drawn(Chart("t", np.array([0.0]), [curve], log_y=True))
    assert "markers" in trace["mode"]
    low, high = layout["yaxis"]["range"]
    assert low <= np.log10(value) < high
    shown = [tick for tick in np.log10(layout["yaxis"]["tickvals"]) if low <= tick <= high]
    assert len(shown) == 2
    (line,), _layout = drawn(Chart("t", X, [Curve("c", Y, WITH)], log_y=True))
    assert line["mode"] == "lines"


def test_a_range_that_was_given():
    _data, layout = drawn(Chart("t", X, [Curve("c", Y, WITH)], range_y=(0, 0.52), name_x="d_k"))
    assert layout["yaxis"]["range"] == [0, 0.52]
    assert layout["xaxis"]["title"]["text"] == "d_k"


@pytest.mark.parametrize("log", [True, False])
def test_a_mark_and_a_shaded_region_stand_at_their_x(log):
    """Plotly takes shapes on a logarithmic axis at the numbers themselves."""
    region = np.array([False, True, True, False])
    curve = [Curve("c", Y, WITH)]
    plain, marked = Chart("a", X, curve), Chart("b", X, curve, log_x=log, mark=16.0, shaded=region)
    shapes = sent(charts([plain, marked], 2, height=300))["layout"]["shapes"]
    assert [one["x0"] for one in shapes if one["type"] == "line"] == [16]
    rectangles = [(one["x0"], one["x1"]) for one in shapes if one["type"] == "rect"]
    halfway = [2, 8, 32] if log else [2.5, 10, 40]
    np.testing.assert_allclose(rectangles, list(pairwise(halfway)))
    for one in shapes:
        assert (one["xref"], one["yref"]) == ("x2", "y2 domain"), "in the other panel"
        assert (one["y0"], one["y1"]) == (0, 1)


def test_nothing_is_shaded_where_nothing_is_to_be():
    nowhere = np.zeros(4, dtype=bool)
    _data, layout = drawn(Chart("t", X, [Curve("c", Y, WITH)], shaded=nowhere))
    assert not layout.get("shapes")


# ---- several panels ----


@pytest.mark.parametrize(("count", "columns"), [(1, 1), (2, 2), (3, 2), (6, 3)])
def test_panels_are_read_line_by_line_and_do_not_overlap(count, columns):
    panels = [Chart(f"title {i}", X, [Curve("c", Y + i, WITH)]) for i in range(count)]
    figure = sent(charts(panels, columns, height=400))
    boxes = []
    for i, one in enumerate(figure["data"]):
        np.testing.assert_allclose(array(one["y"]), Y + i)
        across, down = (
            figure["layout"][f"{name}axis{one[f'{name}axis'][1:]}"]["domain"] for name in "xy"
        )
        boxes.append((*across, *down))
        title = figure["layout"]["annotations"][i]
        assert title["text"] == f"<b>title {i}</b>"
        assert across[0] < title["x"] < across[1]
        assert title["y"] == down[1]
    assert len(set(boxes)) == count
    assert sorted(range(count), key=lambda i: (-boxes[i][3], boxes[i][0])) == list(range(count))
    for x0, x1, y0, y1 in boxes:
        assert 0 <= x0 < x1 <= 1
        assert 0 <= y0 < y1 < 1
    for i, (x0, x1, y0, y1) in enumerate(boxes):
        for u0, u1, v0, v1 in boxes[:i]:
            assert x1 < u0 or u1 < x0 or y1 < v0 or v1 < y0


def test_the_legend_names_each_curve_once():
    curves = [Curve("without", Y, WITHOUT, ERROR), Curve("with", Y, WITH)]
    figure = sent(charts([Chart(str(i), X, curves) for i in range(3)], 3, height=300))
    named = [one["name"] for one in figure["data"] if one["showlegend"]]
    assert named == ["without", "with"]
    assert figure["layout"]["showlegend"]
    groups = {one["legendgroup"] for one in figure["data"] if one.get("name")}
    assert groups == {"without", "with"}, "a click hides a curve in all panels"


def test_one_curve_needs_no_legend():
    _data, layout = drawn(Chart("t", X, [Curve("c", Y, WITH)]))
    assert not layout["showlegend"]


# ---- texts ----


@pytest.mark.parametrize("text", HOSTILE)
def test_texts_are_shown_as_they_are(text):
    panel = Chart(text, X, [Curve(text, Y, WITH, ERROR), Curve("b", Y, WITH)], name_x=text)
    figure = sent(charts([panel], 1, height=300))
    assert figure["layout"]["annotations"][0]["text"] == f"<b>{plotly(text)}</b>"
    assert figure["layout"]["xaxis"]["title"]["text"] == plotly(text)
    assert [one["name"] for one in figure["data"] if "name" in one] == [plotly(text), "b"]
    histogram = sent(distributions([(text, Y, WITH)], 1, text, height=300))
    assert histogram["layout"]["xaxis"]["title"]["text"] == plotly(text)
    assert histogram["data"][0]["name"] == plotly(text)


# ---- histograms ----


def test_histograms_are_densities_on_one_axis():
    wide, width = np.random.default_rng(0).normal(scale=2, size=5000), 0.2
    samples = {"wide": (wide, WITHOUT), "narrow": (wide / 8, WITH)}
    figure = sent(distributions([(name, *one) for name, one in samples.items()], 2, "score",
                                height=300))  # fmt: skip
    assert [one["name"] for one in figure["data"]] == list(samples)
    assert figure["layout"]["xaxis"]["range"] == [-8, 8]
    assert figure["layout"]["barmode"] == "overlay"
    for one, (numbers, colour) in zip(figure["data"], samples.values(), strict=True):
        x, density = array(one["x"]), array(one["y"])
        np.testing.assert_allclose(x, np.linspace(-7.9, 7.9, 80), rtol=1e-5)
        assert density.sum() * width == pytest.approx(1, rel=1e-5)
        for place in (30, 39, 45):
            mine = np.abs(numbers - (place * width - 7.9)) < width / 2
            assert density[place] == pytest.approx(mine.mean() / width, rel=1e-5)
        assert colour in one["marker"]["color"]


def test_numbers_beyond_the_axis_are_missing_from_the_density():
    figure = sent(distributions([("a", np.array([0.1, 0.1, 0.1, 99]), WITH)], 1, "x", height=300))
    x, density = array(figure["data"][0]["x"]), array(figure["data"][0]["y"])
    assert (density * (x[1] - x[0])).sum() == pytest.approx(0.75, rel=1e-4)
