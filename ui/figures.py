"""Plotly pictures: pure functions of arrays and labels. No Streamlit in here.

Colours are one hue at growing opacity, so the page's own background shows through and light and
dark need no figure of their own. What is only drawn is rounded; hover texts carry six digits.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import plotly.graph_objects as go

from core.arrays import Array
from ui.heatmaps import MAX_LABELS, Placed, Tile, place_on_whole, place_with_axes, targets
from ui.language import _, numerals
from ui.literal import plotly, short
from ui.parts import GREY, ORANGE, VIOLET, Parts, Table


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


def pipeline(
    stages: Mapping[str, Tile], outlines: Mapping[str, tuple[int, int]], *, height: int = 228
) -> go.Figure:
    """The whole computation as one picture: X → Q, K, V → scores → … → output.

    Parameters
    ----------
    stages : mapping
        Tiles named as the stages of a trace.
    outlines : mapping
        The pinned cell of some of them.
    height : int
        In pixels.
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
    parts = Parts.on_whole()
    for name, (x, y) in places.items():
        place_on_whole(parts, Placed(stages[name], x, y, outlines.get(name)))
    _draw_arrows(parts, arrows)
    return parts.figure(height)


_LABELLED = 5  # tiles side by side; narrower ones have no room for the names of their columns
_NUMBERED, _MAX_NUMBERED = 4, 12  # tiles side by side, and tokens, with room for numbers


def grid(
    tiles: Sequence[Tile],
    columns: int,
    *,
    axes: tuple[str, str],
    outline: tuple[int, int] | None = None,
    height: int = 300,
    notes: Sequence[Sequence[str]] = (),
    clickable: bool = False,
    narrow: bool = False,
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
    notes : a few short lines for each tile, optional
        Written below it.
    clickable : bool
        Whether a click on a cell can be told: its ``customdata`` is (tile, row, column).
    narrow : bool
        Whether the picture has about half of a page, so that labels need a larger part of it.
    """
    rows = -(-len(tiles) // columns)
    # Many tiles make narrow ones, whose labels Plotly turns upright.
    labels = 56 if columns < 3 and not narrow else 82 if columns <= _LABELLED else 4
    said = 15 * max(map(len, notes), default=0)
    left, right, below = 0.165 if narrow else 0.105, 0.94, (labels + said + 22) / height
    gap_x, gap_y = 0.02, (26 + said) / height
    width = (right - left - gap_x * (columns - 1)) / columns
    tall = (1 - below - 26 / height - gap_y * (rows - 1)) / rows
    placed = []
    for number, tile in enumerate(tiles):
        row, column = divmod(number, columns)
        x, top = left + column * (width + gap_x), 1 - 26 / height - (gap_y + tall) * row
        placed.append(
            Placed(
                tile,
                (x, x + width),
                (max(0.0, top - tall), top),
                outline,
                row_labels=column == 0,
                column_labels=number + columns >= len(tiles) and columns <= _LABELLED,
                shape=not notes,
                numbers=columns <= _NUMBERED and max(tile.values.shape) <= _MAX_NUMBERED,
            )
        )
    parts = Parts()
    for number, one in enumerate(placed, start=1):
        place_with_axes(parts, number, one)
        if notes:
            under = (labels if one.column_labels else 4) / height
            parts.annotations.append(_note(one, notes[number - 1], one.y[0] - under))
    if clickable:
        parts.data += [targets(one.tile, number) for number, one in enumerate(placed)]
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
    how: dict[str, Any] = {"hovermode": "closest", "hoverdistance": -1} if clickable else {}
    return parts.figure(height, **how)


def _note(one: Placed, lines: Sequence[str], y: float) -> dict[str, Any]:
    return {
        "text": "<br>".join(map(plotly, lines)), "font": {"size": 11}, "showarrow": False,
        "x": sum(one.x) / 2, "y": y, "xref": "paper", "yref": "paper",
        "xanchor": "center", "yanchor": "top",
    }  # fmt: skip


def gallery(
    rows: Sequence[tuple[str, Sequence[Tile]]], *, height: int, shapes: bool = False
) -> go.Figure:
    """Named rows of small heatmaps, without axes: quick to draw again and again.

    Parameters
    ----------
    rows : (name, tiles) each
        A row's name stands at its left.
    height : int
        In pixels.
    shapes : bool
        Whether titles tell rows × columns.
    """
    columns = max(len(tiles) for _name, tiles in rows)
    left, gap, title = 0.085, 0.014, 20 / height
    width = (1 - left - gap * columns) / columns
    tall = (1 - len(rows) * (title + gap)) / len(rows)
    parts = Parts.on_whole()
    for row, (name, tiles) in enumerate(rows):
        top = 1 - row * (title + tall + gap) - title
        y = (max(0.0, top - tall), top)
        for column, tile in enumerate(tiles):
            x = left + column * (width + gap)
            place_on_whole(parts, Placed(tile, (x, x + width), y, shape=shapes))
        parts.annotations.append(
            {
                "text": f"<b>{plotly(name)}</b>", "font": {"size": 13}, "showarrow": False,
                "x": left / 2, "y": sum(y) / 2, "xref": "paper", "yref": "paper", "textangle": -90,
                "xanchor": "center", "yanchor": "middle",
            }
        )  # fmt: skip
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
    parts.tables.append(Table(labels[query], ["", _("weight")], [labels, weights[query]]))
    texts = [plotly(short(label)) for label in labels]
    emphasised = [f"<b>{text}</b>" if i == query else text for i, text in enumerate(texts)]
    say = numerals()
    shares = [f"{texts[j]}<br>{say.percent(weights[query, j])}" for j in range(n)]
    full = [plotly(label) for label in labels]
    for y, shown, position, hover in (
        (1, emphasised, "top center", full),
        (
            0,
            shares,
            "bottom center",
            [f"{full[j]}: {say.decimal(weights[query, j], 6)}" for j in range(n)],
        ),
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
