"""Plotly pictures of vectors as arrows; no Streamlit in here."""

from collections.abc import Sequence

import plotly.graph_objects as go

from core.arrays import Array
from ui.literal import plotly
from ui.parts import BLUE, GREY, ORANGE, Parts, Table


def people(
    names: Sequence[str],
    vectors: Array,
    pair: tuple[int, int],
    axes: tuple[str, str] | Sequence[str],
    *,
    height: int,
) -> go.Figure:
    """Draw vectors (n, 2) as arrows from the origin; the two of ``pair`` in colour."""
    parts = Parts()
    parts.tables.append(Table.of_matrix("", vectors, names, axes))
    for k, (name, (x, y)) in enumerate(zip(names, vectors, strict=True)):
        hue = BLUE if k == pair[0] else ORANGE if k == pair[1] else GREY
        parts.annotations.append(
            {
                "xref": "x", "yref": "y", "axref": "x", "ayref": "y", "x": x, "y": y, "ax": 0,
                "ay": 0, "text": "", "showarrow": True, "arrowhead": 2, "arrowsize": 1,
                "arrowwidth": 2.5, "arrowcolor": f"rgba({hue}, .95)",
            }
        )  # fmt: skip
        parts.annotations.append(
            {
                "xref": "x", "yref": "y", "x": x, "y": y, "text": plotly(name),
                "showarrow": False, "font": {"size": 12}, "xshift": 6 if x >= 0 else -6,
                "yshift": 11 if y >= 0 else -11, "xanchor": "left" if x >= 0 else "right",
            }
        )  # fmt: skip
    low = min(-0.15, float(vectors.min()) - 0.25)
    grid = {
        "range": [low, 1.3], "fixedrange": True, "zerolinecolor": f"rgba({GREY}, .7)",
        "gridcolor": f"rgba({GREY}, .22)", "showgrid": True, "dtick": 0.5, "tickfont": {"size": 11},
    }  # fmt: skip
    sizes = {"font": {"size": 12}, "standoff": 4}
    parts.axes["xaxis"] = {**grid, "title": {"text": plotly(axes[0]), **sizes}}
    parts.axes["yaxis"] = {
        **grid, "title": {"text": plotly(axes[1]), **sizes}, "scaleanchor": "x",
    }  # fmt: skip
    parts.data.append({"type": "scatter", "x": [0], "y": [0], "mode": "markers", "opacity": 0})
    return parts.figure(height, margin={"l": 44, "r": 0, "t": 0, "b": 40})
