"""Plotly pictures: pure functions of arrays and labels. No Streamlit in here.

Colours are one hue at growing opacity, so the page's own background shows through and light and
dark need no figure of their own. What is only drawn is rounded; hover texts carry six digits.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from core.arrays import Array, BoolArray
from ui.literal import plotly, short

# The hues of the matrix component, so that both ways of drawing speak alike.
BLUE, ORANGE, VIOLET, GREY = "47, 129, 247", "224, 112, 32", "124, 92, 240", "128, 128, 128"
SIGNED = [[0, f"rgba({ORANGE}, .9)"], [0.5, f"rgba({BLUE}, 0)"], [1, f"rgba({BLUE}, .9)"]]
WEIGHTS = [[0, f"rgba({VIOLET}, 0)"], [1, f"rgba({VIOLET}, .9)"]]
MAX_LABELS = 24  # on an axis; beyond it they would lie on each other
_LAYOUT = {
    "margin": {"l": 0, "r": 0, "t": 0, "b": 0},
    "paper_bgcolor": "rgba(0,0,0,0)",
    "plot_bgcolor": "rgba(0,0,0,0)",
    "showlegend": False,
    "dragmode": False,
}


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


def _heatmap(tile: Tile, outline: tuple[int, int] | None = None) -> list[go.Heatmap | go.Scatter]:
    values = np.where(np.isfinite(tile.values), tile.values, np.nan)
    if tile.masked is not None:
        values = np.where(tile.masked, np.nan, values)
    limit = tile.limit or float(np.nanmax(np.abs(values), initial=0)) or 1.0
    rows, columns = values.shape
    text = [
        [
            f"{plotly(tile.rows[i])} · {plotly(tile.columns[j])}: "
            + ("−∞" if np.isnan(values[i, j]) else f"{values[i, j]:.6g}")
            for j in range(columns)
        ]
        for i in range(rows)
    ]
    traces = [
        go.Heatmap(
            z=values.astype(np.float32),
            text=text,
            hovertemplate="%{text}<extra></extra>",
            colorscale=WEIGHTS if tile.weights else SIGNED,
            zmin=0 if tile.weights else -limit,
            zmax=1 if tile.weights else limit,
            showscale=False,
            hoverongaps=False,
            xgap=0.5,
            ygap=0.5,
        )
    ]
    if tile.masked is not None and tile.masked.any():
        traces.append(
            go.Heatmap(
                z=np.where(tile.masked, 1, np.nan).astype(np.float32),
                colorscale=[[0, f"rgba({GREY}, .28)"], [1, f"rgba({GREY}, .28)"]],
                showscale=False,
                hoverinfo="skip",
            )
        )
    if outline is not None:
        i, j = outline
        traces.append(
            go.Scatter(
                x=[j - 0.5, j + 0.5, j + 0.5, j - 0.5, j - 0.5],
                y=[i - 0.5, i - 0.5, i + 0.5, i + 0.5, i - 0.5],
                mode="lines",
                line={"color": f"rgb({ORANGE})", "width": 2},
                hoverinfo="skip",
            )
        )
    return traces


@dataclass(frozen=True)
class Placed:
    """A tile at its place in a picture: domain in parts of the whole, from the bottom left."""

    tile: Tile
    x: tuple[float, float]
    y: tuple[float, float]
    outline: tuple[int, int] | None = None
    row_labels: bool = False
    column_labels: bool = False


def mosaic(placed: Sequence[Placed], arrows: Sequence[tuple[float, ...]], height: int) -> go.Figure:
    """Many small matrices in one picture, with arrows between them.

    Parameters
    ----------
    placed : sequence of Placed
    arrows : sequence of (x, y, x, y, …)
        Points from tail to head, in parts of the whole picture.
    height : int
        In pixels.
    """
    figure = go.Figure(layout=go.Layout(height=height, **_LAYOUT))
    for number, one in enumerate(placed, start=1):
        suffix = "" if number == 1 else str(number)
        for trace in _heatmap(one.tile, one.outline):
            trace.update(xaxis=f"x{suffix}", yaxis=f"y{suffix}")
            figure.add_trace(trace)
        rows, columns = one.tile.values.shape
        across = _axis(one.tile.columns if one.column_labels else ())
        down = _axis(one.tile.rows if one.row_labels else ())
        figure.update_layout(
            {
                f"xaxis{suffix}": {
                    **across,
                    "domain": one.x,
                    "range": [-0.5, columns - 0.5],
                    "anchor": f"y{suffix}",
                },
                f"yaxis{suffix}": {
                    **down, "domain": one.y, "range": [rows - 0.5, -0.5], "anchor": f"x{suffix}",
                },
            }
        )  # fmt: skip
        figure.add_shape(
            type="rect", xref="paper", yref="paper", layer="above",
            x0=one.x[0], x1=one.x[1], y0=one.y[0], y1=one.y[1],
            line={"color": f"rgba({GREY}, .45)", "width": 1},
        )  # fmt: skip
        figure.add_annotation(
            x=sum(one.x) / 2, y=one.y[1], xref="paper", yref="paper",
            xanchor="center", yanchor="bottom",
            text=f"<b>{plotly(one.tile.title)}</b> {rows}×{columns}",
            showarrow=False, font={"size": 12},
        )  # fmt: skip
    if arrows:
        _draw_arrows(figure, arrows)
    return figure


def _axis(labels: Sequence[str]) -> dict[str, object]:
    """An axis with these labels, or a hidden one: ticks take most of the time of drawing."""
    if not labels or len(labels) > MAX_LABELS:
        return {"visible": False, "fixedrange": True}
    return {
        "fixedrange": True,
        "showgrid": False,
        "zeroline": False,
        "tickvals": list(range(len(labels))),
        "ticktext": [plotly(short(label)) for label in labels],
        "tickfont": {"size": 11},
    }


def _draw_arrows(figure: go.Figure, arrows: Sequence[tuple[float, ...]]) -> None:
    """Arrows in parts of the whole picture; each is a chain of points with a head at its end.

    They hang on a pair of axes of their own, since Plotly has no arrow in paper coordinates.
    """
    whole = {"visible": False, "fixedrange": True, "range": [0, 1], "domain": [0, 1]}
    figure.update_layout(
        xaxis99={**whole, "anchor": "y99"}, yaxis99={**whole, "anchor": "x99", "overlaying": None}
    )
    colour = f"rgba({GREY}, .95)"
    for points in arrows:
        *bends, x0, y0, x1, y1 = points
        figure.add_annotation(
            x=x1, y=y1, ax=x0, ay=y0, xref="x99", yref="y99", axref="x99", ayref="y99", text="",
            showarrow=True, arrowhead=2, arrowsize=1.1, arrowwidth=1.3, arrowcolor=colour,
        )  # fmt: skip
        if bends:
            figure.add_trace(
                go.Scatter(
                    x=[*bends[::2], x0],
                    y=[*bends[1::2], y0],
                    xaxis="x99",
                    yaxis="y99",
                    mode="lines",
                    line={"color": colour, "width": 1.3},
                    hoverinfo="skip",
                )
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
    placed = [Placed(stages[name], x, y, outlines.get(name)) for name, (x, y) in places.items()]
    return mosaic(placed, arrows, 240)


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
    left, right, below = 0.075, 0.94, (78 if columns < 3 else 104) / height
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
    figure = mosaic(placed, (), height)
    bar = {"thickness": 10, "len": 1 - below, "y": below, "yanchor": "bottom", "x": 0.955}
    figure.data[0].update(
        showscale=True, colorbar={**bar, "tickvals": [0, 0.5, 1], "tickfont": {"size": 11}}
    )
    name = {"showarrow": False, "xref": "paper", "yref": "paper", "font": {"size": 12}}
    figure.add_annotation(
        text=axes[0], x=0, y=(1 + below) / 2, textangle=-90, xanchor="left", **name
    )
    figure.add_annotation(
        text=axes[1], x=(left + right) / 2, y=0, xanchor="center", yanchor="bottom", **name
    )
    return figure


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
    figure = go.Figure(layout=go.Layout(height=height, **_LAYOUT))
    for width, pairs in _by_width(weights, query, faintest).items():
        figure.add_trace(_lines(pairs, width, f"rgba({GREY}, .38)"))
    for j in range(n):
        if weights[query, j] >= _FAINTEST:
            colour = ORANGE if j == key else VIOLET
            figure.add_trace(
                _lines([(query, j)], _width(weights[query, j]), f"rgba({colour}, .85)")
            )
    texts = [plotly(short(label)) for label in labels]
    emphasised = [f"<b>{text}</b>" if i == query else text for i, text in enumerate(texts)]
    shares = [f"{texts[j]}<br>{weights[query, j]:.0%}" for j in range(n)]
    full = [plotly(label) for label in labels]
    for y, shown, position, hover in (
        (1, emphasised, "top center", full),
        (0, shares, "bottom center", [f"{full[j]}: {weights[query, j]:.6f}" for j in range(n)]),
    ):
        figure.add_trace(
            go.Scatter(
                x=list(range(n)),
                y=[y] * n,
                text=shown if n <= 24 else None,
                hovertext=hover,
                mode="markers+text" if n <= 24 else "markers",
                textposition=position,
                hovertemplate="%{hovertext}<extra></extra>",
                marker={"size": 5, "color": f"rgba({GREY}, .9)"},
                textfont={"size": 13 if n <= 14 else 10},
            )
        )
    figure.update_xaxes(visible=False, fixedrange=True, range=[-0.6, n - 0.4])
    figure.update_yaxes(visible=False, fixedrange=True, range=[-0.55, 1.28])
    return figure


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


def _lines(pairs: Sequence[tuple[int, int]], width: float, colour: str) -> go.Scatter:
    x = [place for i, j in pairs for place in (i, j, None)]
    y = [place for _ in pairs for place in (1, 0, None)]
    return go.Scatter(
        x=x, y=y, mode="lines", line={"width": width, "color": colour}, hoverinfo="skip"
    )
