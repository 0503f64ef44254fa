"""Plotly pictures: pure functions of arrays and labels. No Streamlit in here.

Colours are one hue at growing opacity, so the page's own background shows through and light and
dark need no figure of their own. What is only drawn is rounded; hover texts carry six digits.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import plotly.graph_objects as go

from core.arrays import Array, BoolArray
from ui.language import _
from ui.literal import plotly, short
from ui.parts import BLUE, GREY, ORANGE, VIOLET, Parts

SIGNED = [[0, f"rgba({ORANGE}, .9)"], [0.5, f"rgba({BLUE}, 0)"], [1, f"rgba({BLUE}, .9)"]]
WEIGHTS = [[0, f"rgba({VIOLET}, 0)"], [1, f"rgba({VIOLET}, .9)"]]
MAX_LABELS = 24  # on an axis; beyond it they would lie on each other


@dataclass(frozen=True)
class Tile:
    """One small matrix of a picture of many."""

    title: str
    values: Array  # (rows, columns)
    rows: Sequence[str]
    columns: Sequence[str]
    weights: bool = False  # 0 … 1, else signed
    limit: float | None = None  # shared range of a signed scale
    masked: BoolArray | None = None


@dataclass(frozen=True)
class Placed:
    """A tile at its place in a picture: domain in parts of the whole, from the bottom left."""

    tile: Tile
    x: tuple[float, float]
    y: tuple[float, float]
    outline: tuple[int, int] | None = None
    row_labels: bool = False
    column_labels: bool = False


def _place(parts: Parts, number: int, one: Placed) -> None:
    """Add a tile on axes of its own, which can carry its labels."""
    suffix = "" if number == 1 else str(number)
    on = {"xaxis": f"x{suffix}", "yaxis": f"y{suffix}"}
    rows, columns = one.tile.values.shape
    # The labels are categories of the axes, and the hover text takes them from there.
    cells = {"x": _categories(one.tile.columns), "y": _categories(one.tile.rows)}
    parts.data += [{**trace, **on} for trace in _heatmaps(one.tile, cells, "%{y} · %{x}")]
    parts.axes[f"xaxis{suffix}"] = {
        **_axis(one.tile.columns, one.column_labels),
        "domain": one.x,
        "range": [-0.5, columns - 0.5],
        "anchor": f"y{suffix}",
    }
    parts.axes[f"yaxis{suffix}"] = {
        **_axis(one.tile.rows, one.row_labels),
        "domain": one.y,
        "range": [rows - 0.5, -0.5],
        "anchor": f"x{suffix}",
    }
    _frame(parts, one)
    if one.outline is not None:
        i, j = one.outline
        edges = (j - 0.5, i - 0.5, j + 0.5, i + 0.5)
        _rectangle(parts, edges, (on["xaxis"], on["yaxis"]), f"rgb({ORANGE})", 2)


def _place_on_whole(parts: Parts, one: Placed) -> None:
    """Add a tile on the axes of the whole picture: many axes take most of the time of drawing."""
    rows, columns = one.tile.values.shape
    (left, right), (bottom, top) = one.x, one.y
    dx, dy = (right - left) / columns, (top - bottom) / rows
    down, across = _categories(one.tile.rows), _categories(one.tile.columns)
    cells = {
        "x0": left + dx / 2,
        "dx": dx,
        "y0": top - dy / 2,
        "dy": -dy,
        "text": [[f"{row} · {column}" for column in across] for row in down],
    }
    parts.data += _heatmaps(one.tile, cells, "%{text}")
    _frame(parts, one)
    if one.outline is not None:
        i, j = one.outline
        edges = (left + j * dx, top - i * dy, left + (j + 1) * dx, top - (i + 1) * dy)
        _rectangle(parts, edges, ("x", "y"), f"rgb({ORANGE})", 2)


def _frame(parts: Parts, one: Placed) -> None:
    """The title and the thin frame of a tile."""
    rows, columns = one.tile.values.shape
    edges = (one.x[0], one.y[0], one.x[1], one.y[1])
    _rectangle(parts, edges, ("paper", "paper"), f"rgba({GREY}, .45)", 1)
    parts.annotations.append(
        {
            "text": f"<b>{plotly(one.tile.title)}</b> {rows}×{columns}", "font": {"size": 12},
            "x": sum(one.x) / 2, "y": one.y[1], "xref": "paper", "yref": "paper",
            "xanchor": "center", "yanchor": "bottom", "showarrow": False,
        }
    )  # fmt: skip


def _rectangle(
    parts: Parts,
    edges: tuple[float, float, float, float],
    axes: tuple[str, str],
    colour: str,
    width: float,
) -> None:
    x0, y0, x1, y1 = edges
    parts.shapes.append(
        {
            "type": "rect", "xref": axes[0], "yref": axes[1],
            "x0": x0, "x1": x1, "y0": y0, "y1": y1, "line": {"color": colour, "width": width},
        }
    )  # fmt: skip


def _heatmaps(tile: Tile, cells: Mapping[str, Any], label: str) -> list[dict[str, Any]]:
    """The numbers of a tile, and a grey layer over what is masked.

    ``cells`` says where the cells lie, ``label`` is how a hover text names one.
    """
    values = np.where(np.isfinite(tile.values), tile.values, np.nan)
    if tile.masked is not None:
        values = np.where(tile.masked, np.nan, values)
    limit = tile.limit or float(np.nanmax(np.abs(values), initial=0)) or 1.0
    traces: list[dict[str, Any]] = [
        {
            "type": "heatmap",
            **cells,
            "z": values.astype(np.float32),
            "hovertemplate": label + ": %{z:.6g}<extra></extra>",
            "colorscale": WEIGHTS if tile.weights else SIGNED,
            "zmin": 0 if tile.weights else -limit,
            "zmax": 1 if tile.weights else limit,
            "showscale": False,
            "hoverongaps": False,
            "xgap": 0.5,
            "ygap": 0.5,
        }
    ]
    if tile.masked is not None and tile.masked.any():
        grey = f"rgba({GREY}, .28)"
        traces.append(
            {
                "type": "heatmap",
                **cells,
                "z": np.where(tile.masked, 1, np.nan).astype(np.float32),
                "colorscale": [[0, grey], [1, grey]],
                "showscale": False,
                "hovertemplate": label + ": " + _("masked out") + "<extra></extra>",
            }
        )
    return traces


def _categories(labels: Sequence[str]) -> list[str]:
    """Labels as categories of an axis. Equal ones would merge, so they get their number."""
    categories = [plotly(label) for label in labels]
    if len(set(categories)) < len(categories):
        categories = [plotly(f"{label}·{i}") for i, label in enumerate(labels)]
    return categories


def _axis(labels: Sequence[str], shown: bool) -> dict[str, Any]:
    """An axis with these labels, or a hidden one: ticks take most of the time of drawing."""
    axis: dict[str, Any] = {"type": "category", "fixedrange": True}
    if not shown or len(labels) > MAX_LABELS:
        return {**axis, "visible": False}
    return {
        **axis,
        "showgrid": False,
        "zeroline": False,
        "tickvals": _categories(labels),
        "ticktext": [plotly(short(label)) for label in labels],
        "tickfont": {"size": 11},
    }


def _draw_arrows(parts: Parts, arrows: Sequence[tuple[float, ...]]) -> None:
    """Arrows on the axes of the whole picture: chains of points with a head at their end."""
    on = {"xref": "x", "yref": "y"}
    colour = f"rgba({GREY}, .95)"
    for points in arrows:
        *bends, x0, y0, x1, y1 = points
        parts.annotations.append(
            {
                **on, "axref": "x", "ayref": "y", "x": x1, "y": y1, "ax": x0, "ay": y0,
                "text": "", "showarrow": True, "arrowhead": 2, "arrowsize": 1.1,
                "arrowwidth": 1.3, "arrowcolor": colour,
            }
        )  # fmt: skip
        stops = [*zip(bends[::2], bends[1::2], strict=True), (x0, y0)]
        for (ax, ay), (bx, by) in pairwise(stops):
            line = {"color": colour, "width": 1.3}
            parts.shapes.append(
                {**on, "type": "line", "x0": ax, "y0": ay, "x1": bx, "y1": by, "line": line}
            )


def pipeline(stages: Mapping[str, Tile], outlines: Mapping[str, tuple[int, int]]) -> go.Figure:
    """The whole computation as one picture: X → Q, K, V → scores → … → output.

    Parameters
    ----------
    stages : mapping
        Tiles named as the stages of a trace.
    outlines : mapping
        The pinned cell of some of them.
    """
    middle, top, bottom = (0.34, 0.92), (0.68, 0.92), (0.0, 0.24)
    places = {
        "embeddings": ((0.001, 0.125), middle),
        "query": ((0.165, 0.215), top),
        "key": ((0.165, 0.215), (0.34, 0.58)),
        "value": ((0.165, 0.215), bottom),
        "scores": ((0.255, 0.36), middle),
        "scaled_scores": ((0.39, 0.495), middle),
        "masked_scores": ((0.525, 0.63), middle),
        "weights": ((0.66, 0.765), middle),
        "head_outputs": ((0.8, 0.85), middle),
        "output": ((0.885, 0.999), middle),
    }
    gap, half = 0.004, 0.63
    arrows: list[tuple[float, ...]] = [
        (0.125 + gap, half, 0.165 - gap, 0.8),
        (0.125 + gap, half, 0.165 - gap, 0.46),
        (0.145, half, 0.145, 0.12, 0.165 - gap, 0.12),
        (0.215 + gap, 0.8, 0.255 - gap, half),
        (0.215 + gap, 0.46, 0.255 - gap, half),
        *((places[name][0][1] + gap, half, places[name][0][1] + 0.03 - gap, half)
          for name in ("scores", "scaled_scores", "masked_scores")),
        (0.765 + gap, half, 0.8 - gap, half),
        (0.215 + gap, 0.12, 0.825, 0.12, 0.825, 0.33),
        (0.85 + gap, half, 0.885 - gap, half),
    ]  # fmt: skip
    parts = Parts()
    whole = {"visible": False, "fixedrange": True, "range": [0, 1], "domain": [0, 1]}
    parts.axes = {"xaxis": whole, "yaxis": whole}
    for name, (x, y) in places.items():
        _place_on_whole(parts, Placed(stages[name], x, y, outlines.get(name)))
    _draw_arrows(parts, arrows)
    return parts.figure(228)


def grid(
    tiles: Sequence[Tile],
    columns: int,
    *,
    axes: tuple[str, str],
    outline: tuple[int, int] | None = None,
    height: int = 300,
) -> go.Figure:
    """Matrices of weights in rows and columns, all on the one scale from 0 to 1.

    Parameters
    ----------
    tiles : sequence of Tile
    columns : int
        Tiles side by side.
    axes : (str, str)
        What rows and columns are.
    outline : (query, key), optional
        The pinned cell of every tile.
    height : int
        In pixels; labels, axis names and the colour bar included.
    """
    rows = -(-len(tiles) // columns)
    # Many tiles make narrow ones, whose labels Plotly turns upright.
    left, right, below = 0.105, 0.94, (78 if columns < 3 else 104) / height
    gap_x, gap_y = 0.02, 26 / height
    width = (right - left - gap_x * (columns - 1)) / columns
    tall = (1 - below - gap_y * rows) / rows
    placed = []
    for number, tile in enumerate(tiles):
        row, column = divmod(number, columns)
        x, y = left + column * (width + gap_x), 1 - (gap_y + tall) * (row + 1)
        placed.append(
            Placed(
                tile,
                (x, x + width),
                (max(0.0, y), y + tall),
                outline,
                row_labels=column == 0,
                column_labels=number + columns >= len(tiles),
            )
        )
    parts = Parts()
    for number, one in enumerate(placed, start=1):
        _place(parts, number, one)
    parts.data[0] |= {
        "showscale": True,
        "colorbar": {
            "thickness": 10, "len": 1 - below, "y": below, "yanchor": "bottom", "x": 0.955,
            "tickvals": [0, 0.5, 1], "tickfont": {"size": 11},
        },
    }  # fmt: skip
    name = {"showarrow": False, "xref": "paper", "yref": "paper", "font": {"size": 12}}
    parts.annotations += [
        {
            **name, "text": axes[0], "x": 0, "y": (1 + below) / 2,
            "textangle": -90, "xanchor": "left",
        },
        {
            **name, "text": axes[1], "x": (left + right) / 2, "y": 0,
            "xanchor": "center", "yanchor": "bottom",
        },
    ]  # fmt: skip
    return parts.figure(height)


def token_lines(
    labels: Sequence[str],
    weights: Array,
    query: int,
    key: int,
    *,
    faintest: float = 0.01,
    height: int = 190,
) -> go.Figure:
    """Lines from the tokens that look (above) to those looked at (below), thick as the weight.

    Parameters
    ----------
    labels : n texts
    weights : array (n, n)
    query, key : int
        The pinned pair; the query's lines are strong, all others faint.
    faintest : float
        Lines of other queries below this weight are left out.
    height : int
        In pixels.
    """
    n = len(labels)
    parts = Parts()
    for width, pairs in _by_width(weights, query, faintest).items():
        parts.data.append(_lines(pairs, width, f"rgba({GREY}, .38)"))
    for j in range(n):
        if weights[query, j] >= _FAINTEST:
            line = {
                "color": f"rgba({ORANGE if j == key else VIOLET}, .85)",
                "width": _width(weights[query, j]),
            }  # a shape is drawn faster than a trace
            parts.shapes.append(
                {"type": "line", "x0": query, "y0": 1, "x1": j, "y1": 0, "line": line}
            )
    texts = [plotly(short(label)) for label in labels]
    emphasised = [f"<b>{text}</b>" if i == query else text for i, text in enumerate(texts)]
    shares = [f"{texts[j]}<br>{weights[query, j]:.0%}" for j in range(n)]
    full = [plotly(label) for label in labels]
    for y, shown, position, hover in (
        (1, emphasised, "top center", full),
        (0, shares, "bottom center", [f"{full[j]}: {weights[query, j]:.6f}" for j in range(n)]),
    ):
        parts.data.append(
            {
                "type": "scatter", "x": list(range(n)), "y": [y] * n,
                "text": shown if n <= MAX_LABELS else None, "hovertext": hover,
                "mode": "markers+text" if n <= MAX_LABELS else "markers", "textposition": position,
                "hovertemplate": "%{hovertext}<extra></extra>",
                "marker": {"size": 5, "color": f"rgba({GREY}, .9)"},
                "textfont": {"size": 13 if n <= 14 else 10},
            }
        )  # fmt: skip
    hidden = {"visible": False, "fixedrange": True}
    parts.axes["xaxis"] = {**hidden, "range": [-0.6, n - 0.4]}
    parts.axes["yaxis"] = {**hidden, "range": [-0.55, 1.28]}
    return parts.figure(height)


_FAINTEST = 0.01


def _width(weight: float) -> float:
    return 0.5 + 7.5 * float(weight)


def _by_width(weights: Array, query: int, faintest: float) -> dict[float, list[tuple[int, int]]]:
    """Pairs of all other queries, gathered by line width so that they need few traces."""
    pairs: dict[float, list[tuple[int, int]]] = {}
    for i, j in np.argwhere(weights >= faintest):
        if i != query:
            pairs.setdefault(round(_width(weights[i, j])), []).append((int(i), int(j)))
    return pairs


def _lines(pairs: Sequence[tuple[int, int]], width: float, colour: str) -> dict[str, Any]:
    return {
        "type": "scatter",
        "x": [place for i, j in pairs for place in (i, j, None)],
        "y": [1, 0, None] * len(pairs),
        "mode": "lines",
        "line": {"width": width, "color": colour},
        "hoverinfo": "skip",
    }
