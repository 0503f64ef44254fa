"""Plotly pictures of several heads together; no Streamlit in here."""

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

from core.arrays import Array
from ui.heads.colours import dash, hue
from ui.heatmaps import MAX_LABELS, Placed, Tile, place_on_whole
from ui.language import decimal
from ui.literal import plotly, short
from ui.parts import GREY, LEGEND, Parts, Table


def query_lines(
    labels: Sequence[str],
    rows: Array,
    query: int,
    names: Sequence[str],
    shown: Sequence[int],
    *,
    threshold: float,
    height: int,
) -> go.Figure:
    """Lines from one query to its keys, one for each head, side by side and thick as the weight.

    Parameters
    ----------
    labels : n texts
    rows : array (h, n)
        The query's weights in every head.
    query : int
    names : h texts
    shown : heads
        Which of them are drawn.
    threshold : float
        Weights below it are left out.
    """
    n = len(labels)
    parts = Parts()
    drawn = list(shown)
    parts.tables.append(
        Table(labels[query], ["", *(names[head] for head in drawn)], [labels, *rows[drawn]])
    )
    for place, head in enumerate(shown):
        # Heads stand beside each other, so that equal lines do not hide each other.
        aside = (place - (len(shown) - 1) / 2) * min(0.09, 0.7 / max(1, len(shown)))
        named = False
        for j in range(n):
            weight = float(rows[head, j])
            if weight < threshold or weight == 0:
                continue
            parts.data.append(
                {
                    "type": "scatter", "mode": "lines", "x": [query + aside, j + aside],
                    "y": [1, 0], "name": plotly(names[head]), "legendgroup": str(head),
                    "showlegend": not named, "opacity": 0.85,
                    "line": {"color": f"rgb({hue(head)})", "dash": dash(head),
                             "width": 0.6 + 7 * weight},
                    "hovertext": f"{plotly(names[head])} → {plotly(labels[j])}: "
                    f"{decimal(weight, 6)}",
                    "hovertemplate": "%{hovertext}<extra></extra>",
                }
            )  # fmt: skip
            named = True
    texts = [plotly(short(label)) for label in labels]
    for y, position, written in (
        (1, "top center", [f"<b>{t}</b>" if i == query else "" for i, t in enumerate(texts)]),
        (0, "bottom center", texts),
    ):
        parts.data.append(
            {
                "type": "scatter", "x": list(range(n)), "y": [y] * n, "hoverinfo": "skip",
                "text": written if n <= MAX_LABELS else None, "showlegend": False,
                "mode": "markers+text" if n <= MAX_LABELS else "markers",
                "textposition": position, "textfont": {"size": 13 if n <= 14 else 10},
                "marker": {"size": 5, "color": f"rgba({GREY}, .9)"},
            }
        )  # fmt: skip
    hidden = {"visible": False, "fixedrange": True}
    parts.axes["xaxis"] = {**hidden, "range": [-0.6, n - 0.4]}
    parts.axes["yaxis"] = {**hidden, "range": [-0.2, 1.2]}
    legend = LEGEND | {"yanchor": "bottom"}
    margin = {"l": 0, "r": 0, "t": 26, "b": 0}
    return parts.figure(height, showlegend=True, legend=legend, margin=margin)


def product_by_heads(
    concatenated: Tile, w_o: Tile, output: Tile, num_heads: int, names: Sequence[str], height: int
) -> go.Figure:
    """Heads side by side times W_O, each head's columns and rows framed in its colour."""
    parts = Parts.on_whole()
    top, low = 1 - 40 / height, 0.02
    places = ((concatenated, 0.01, 0.37), (w_o, 0.43, 0.64), (output, 0.71, 0.99))
    for tile, x0, x1 in places:
        place_on_whole(parts, Placed(tile, (x0, x1), (low, top)))
    for head in range(num_heads):
        (_, a, b), (_, c, d), _output = places
        step, down = (b - a) / num_heads, (top - low) / num_heads
        left = a + head * step
        _frame(parts, head, left, left + step, low, top)
        _frame(parts, head, c, d, top - (head + 1) * down, top - head * down)
        if num_heads <= 8:
            parts.annotations.append(
                {
                    **_TEXT, "text": f"<b>{plotly(short(names[head], 16))}</b>",
                    "x": left + step / 2, "y": 1, "yanchor": "top",
                    "font": {"size": 11, "color": f"rgb({hue(head)})"},
                }
            )  # fmt: skip
    for sign, x in (("×", 0.4), ("=", 0.675)):
        parts.annotations.append(
            {**_TEXT, "text": sign, "x": x, "y": (low + top) / 2, "font": {"size": 20}}
        )
    return parts.figure(height)


def sum_of_heads(tiles: Sequence[Tile], total: Tile, height: int) -> go.Figure:
    """Each head's own contribution, and their sum; all on the range of the tiles."""
    parts = Parts.on_whole()
    count = len(tiles) + 1
    columns = min(count, 9)
    rows = -(-count // columns)
    gap = 0.024
    edge = 0.003  # room for the frames
    width = (1 - 2 * edge - gap * (columns - 1)) / columns
    title = 22 / height
    tall = 1 / rows - title - 4 / height
    for place, tile in enumerate([*tiles, total]):
        row, column = divmod(place, columns)
        x = edge + column * (width + gap)
        top = 1 - row / rows - title
        place_on_whole(
            parts, Placed(tile, (x, x + width), (max(0.0, top - tall), top), shape=False)
        )
        if place < len(tiles):
            _frame(parts, place, x, x + width, max(0.0, top - tall), top)
        if column:
            sign = "=" if place == len(tiles) else "+"
            parts.annotations.append(
                {**_TEXT, "text": sign, "x": x - gap / 2, "y": top - tall / 2, "font": {"size": 16}}
            )
    return parts.figure(height)


_TEXT: dict[str, Any] = {
    "showarrow": False, "xref": "paper", "yref": "paper", "xanchor": "center", "yanchor": "middle",
}  # fmt: skip


def _frame(parts: Parts, head: int, x0: float, x1: float, y0: float, y1: float) -> None:
    parts.shapes.append(
        {
            "type": "rect", "xref": "paper", "yref": "paper",
            "x0": x0, "x1": x1, "y0": y0, "y1": y1,
            "line": {"color": f"rgb({hue(head)})", "width": 2, "dash": dash(head)},
        }
    )  # fmt: skip
