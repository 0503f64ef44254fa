"""Numbers as coloured cells and lines of text, at places that are given; no Streamlit in here.

Across, places are parts of the width; down, pixels from above.
"""

from collections.abc import Sequence
from typing import Any

from core.arrays import Array
from ui.heatmaps import SIGNED
from ui.language import numerals
from ui.literal import plotly
from ui.parts import GREY, Parts


def paper(height: int) -> Parts:
    """An empty picture with such axes."""
    parts = Parts()
    hidden = {"visible": False, "fixedrange": True, "domain": [0, 1]}
    parts.axes = {"xaxis": {**hidden, "range": [0, 1]}, "yaxis": {**hidden, "range": [height, 0]}}
    return parts


def write(
    parts: Parts, text: str, x: float, y: float, anchor: str = "center", *, size: int = 13
) -> None:
    """Add a line of text, escaped already, whose middle line is at ``y``."""
    parts.annotations.append(
        {
            "text": text, "x": x, "y": y, "xref": "x", "yref": "y", "xanchor": anchor,
            "yanchor": "middle", "showarrow": False, "font": {"size": size},
        }
    )  # fmt: skip


def write_names(
    parts: Parts, names: Sequence[str], across: tuple[float, float], y: float, *, size: int = 12
) -> None:
    """Add a name above or below each of some columns of equal width."""
    left, right = across
    step = (right - left) / len(names)
    for j, name in enumerate(names):
        write(parts, plotly(name), left + (j + 0.5) * step, y, size=size)


def box(
    parts: Parts,
    across: tuple[float, float],
    down: tuple[float, float],
    *,
    line: dict[str, Any] | None = None,
    fill: str | None = None,
) -> None:
    """Add a frame, which lies above all, or a surface, which lies below."""
    parts.shapes.append(
        {
            "type": "rect", "x0": across[0], "x1": across[1], "y0": down[0], "y1": down[1],
            "line": line or {"width": 0}, "fillcolor": fill, "layer": "below" if fill else "above",
        }
    )  # fmt: skip


def cells(
    parts: Parts,
    values: Array,
    across: tuple[float, float],
    top: float,
    row: float,
    hover: Sequence[Sequence[str]],
    *,
    limit: float,
) -> None:
    """Add a matrix; a 0 stays empty, so that what is there stands out.

    Parameters
    ----------
    values : array (rows, columns)
    across : (left, right)
    top, row : float
        Where it begins, and the height of a row, in pixels.
    hover : rows of texts
        What each cell is called, escaped already.
    limit : float
        The magnitude with the strongest colour.
    """
    left, right = across
    step = (right - left) / values.shape[1]
    say = numerals()
    parts.data.append(
        {
            "type": "heatmap", "z": values, "x0": left + step / 2, "dx": step,
            "y0": top + row / 2, "dy": row, "xgap": 2, "ygap": 2,
            "colorscale": SIGNED, "zmin": -limit, "zmax": limit, "showscale": False,
            "text": [
                [say.significant(value, 3) if value else "" for value in one] for one in values
            ],
            "texttemplate": "%{text}", "textfont": {"size": 12}, "hovertext": hover,
            "hovertemplate": "%{hovertext}: %{z:.6g}<extra></extra>",
        }
    )  # fmt: skip
    edge = {"color": f"rgba({GREY}, .35)", "width": 1}
    for i in range(values.shape[0]):
        y = top + i * row
        box(parts, across, (y + 1, y + row - 1), line=edge)
