"""Small heatmaps as parts of a Plotly picture: what they hold, and how they are placed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from core.arrays import Array, BoolArray
from ui.language import _, numerals
from ui.literal import plotly, short
from ui.numerals import Numerals
from ui.parts import BLUE, GREY, ORANGE, VIOLET, Parts, Table

# Twice at 0, so that no orange turns into blue on its way there.
SIGNED = [
    [0, f"rgba({ORANGE}, .9)"], [0.5, f"rgba({ORANGE}, 0)"],
    [0.5, f"rgba({BLUE}, 0)"], [1, f"rgba({BLUE}, .9)"],
]  # fmt: skip
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
    shape: bool = True  # whether the title tells rows × columns
    numbers: bool = False  # whether each cell of weights tells its number


def place_with_axes(parts: Parts, number: int, one: Placed) -> None:
    """Add tile ``number`` (from 1) on axes of its own, which can carry its labels."""
    suffix = "" if number == 1 else str(number)
    on = {"xaxis": f"x{suffix}", "yaxis": f"y{suffix}"}
    rows, columns = one.tile.values.shape
    # The labels are categories of the axes, and the hover text takes them from there.
    cells = {"x": _categories(one.tile.columns), "y": _categories(one.tile.rows)}
    drawn = _heatmaps(parts, one.tile, cells, "%{y} · %{x}")
    if one.numbers:
        say = numerals()
        text = [[_two_digits(weight, say) for weight in row] for row in one.tile.values]
        drawn[0] |= {"text": text, "texttemplate": "%{text}", "textfont": {"size": 9}}
    parts.data += [{**trace, **on} for trace in drawn]
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


def place_on_whole(parts: Parts, one: Placed) -> None:
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
    parts.data += _heatmaps(parts, one.tile, cells, "%{text}")
    _frame(parts, one)
    if one.outline is not None:
        i, j = one.outline
        edges = (left + j * dx, top - i * dy, left + (j + 1) * dx, top - (i + 1) * dy)
        _rectangle(parts, edges, ("x", "y"), f"rgb({ORANGE})", 2)


_MAX_TARGETS = 1100  # a tile; more points would make drawing slow


def targets(tile: Tile, number: int) -> dict[str, Any]:
    """Unseen points on the cells of tile ``number`` (from 0): a heatmap itself tells of no click.

    Each carries (number, row, column). A large tile has one for every few cells.
    """
    rows, columns = tile.values.shape
    every = int(np.ceil(np.sqrt(rows * columns / _MAX_TARGETS))) or 1
    cells = [(i, j) for i in range(0, rows, every) for j in range(0, columns, every)]
    across, down = _categories(tile.columns), _categories(tile.rows)
    suffix = "" if number == 0 else str(number + 1)
    unseen = {"marker": {"opacity": 0}}
    say = numerals()
    return {
        "type": "scatter", "mode": "markers", "xaxis": f"x{suffix}", "yaxis": f"y{suffix}",
        "x": [across[j] for _i, j in cells], "y": [down[i] for i, _j in cells],
        "marker": {"size": 1, "opacity": 0}, "selected": unseen, "unselected": unseen,
        "customdata": [[number, i, j] for i, j in cells],
        "hovertemplate": "%{y} · %{x}: %{text}<extra></extra>",
        "text": [_cell_text(tile, i, j, say) for i, j in cells],
    }  # fmt: skip


def _cell_text(tile: Tile, row: int, column: int, say: Numerals) -> str:
    if tile.masked is not None and tile.masked[row, column]:
        return _("masked out")
    return say.significant(tile.values[row, column], 6)


def _frame(parts: Parts, one: Placed) -> None:
    """The title and the thin frame of a tile."""
    rows, columns = one.tile.values.shape
    title = f"<b>{plotly(one.tile.title)}</b>" + (f" {rows}×{columns}" if one.shape else "")
    edges = (one.x[0], one.y[0], one.x[1], one.y[1])
    _rectangle(parts, edges, ("paper", "paper"), f"rgba({GREY}, .45)", 1)
    parts.annotations.append(
        {
            "text": title, "font": {"size": 12},
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


def _heatmaps(
    parts: Parts, tile: Tile, cells: Mapping[str, Any], label: str
) -> list[dict[str, Any]]:
    """The numbers of a tile, and a grey layer over what is masked; its table joins the parts.

    ``cells`` says where the cells lie, ``label`` is how a hover text names one.
    """
    values = np.where(np.isfinite(tile.values), tile.values, np.nan)
    if tile.masked is not None:
        values = np.where(tile.masked, np.nan, values)
    parts.tables.append(Table.of_matrix(tile.title, values, tile.rows, tile.columns))
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


def _two_digits(weight: float, say: Numerals) -> str:
    """ ".99"; nothing for what rounds to 0."""
    return say.decimal(weight, 2).removeprefix("0") if weight >= 0.005 else ""


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
