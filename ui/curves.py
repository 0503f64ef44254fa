"""Plotly curves over one quantity, in small panels side by side; no Streamlit in here."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from core.arrays import Array, BoolArray
from ui.language import significant
from ui.literal import plotly
from ui.parts import BLUE, GREY, LEGEND, ORANGE, Parts, Table

# The two arms that are compared, on every page: scores as they are, and divided by √d_k.
WITHOUT, WITH = ORANGE, BLUE
_POWERS = (1, 4, 16, 64, 256, 1024, 4096)  # ticks of a logarithmic x: all d_k


@dataclass(frozen=True)
class Curve:
    """One line of a panel, over the x of its panel."""

    name: str
    y: Array
    colour: str
    error: Array | None = None  # half the height of its band or its error bars
    points: bool = False  # measured points with error bars, not a line with a band
    dash: str = "solid"


@dataclass(frozen=True)
class Chart:
    """One small panel of curves."""

    title: str
    x: Array
    curves: Sequence[Curve]
    log_x: bool = False
    log_y: bool = False
    range_x: tuple[float, float] | None = None  # else from the first to the last x
    range_y: tuple[float, float] | None = None
    mark: float | None = None  # a vertical line at this x
    shaded: BoolArray | None = None  # where along x the background is grey
    name_x: str = ""


def charts(panels: Sequence[Chart], columns: int, *, height: int) -> go.Figure:
    """Draw panels in rows and columns, with one legend for all of them above.

    Parameters
    ----------
    panels : sequence of Chart
        Curves of one name have one colour; the legend names each once.
    columns : int
        Panels side by side.
    height : int
        In pixels.
    """
    rows = -(-len(panels) // columns)
    legend, title, ticks = 26 / height, 22 / height, 25 / height
    name_x = 18 / height
    # Ticks such as 1e-05 stand in the gap.
    left_edge, right_edge, gap = 0.05, 0.985, 0.09 if any(p.log_y for p in panels) else 0.065
    width = (right_edge - left_edge - gap * (columns - 1)) / columns
    tall = (1 - legend - name_x - rows * (title + ticks)) / rows
    parts = Parts()
    named: set[str] = set()
    for number, panel in enumerate(panels):
        row, column = divmod(number, columns)
        left = left_edge + column * (width + gap)
        top = 1 - legend - row * (title + tall + ticks) - title
        domain = ((left, left + width), (max(0.0, top - tall), top))
        _draw(parts, number + 1, panel, domain, named, panel.name_x or panels[-1].name_x)
    return parts.figure(height, showlegend=len(named) > 1, legend=LEGEND, hovermode="x")


def _draw(
    parts: Parts,
    number: int,
    panel: Chart,
    domain: tuple[tuple[float, float], tuple[float, float]],
    named: set[str],
    name_x: str,
) -> None:
    suffix = "" if number == 1 else str(number)
    on = {"xaxis": f"x{suffix}", "yaxis": f"y{suffix}"}
    parts.tables.append(_table(panel, name_x))
    for curve in panel.curves:
        parts.data += [{**trace, **on} for trace in _traces(panel, curve, curve.name in named)]
        named.add(curve.name)
    parts.axes[f"xaxis{suffix}"] = _axis(domain[0], f"y{suffix}", panel.log_x) | {
        "title": {"text": plotly(panel.name_x), "font": {"size": 11}, "standoff": 2},
        "range": _scaled(panel.range_x, panel.log_x) or _range(panel.x, panel.log_x),
    }
    if panel.log_x:
        parts.axes[f"xaxis{suffix}"] |= _ticks(_POWERS)
    parts.axes[f"yaxis{suffix}"] = _axis(domain[1], f"x{suffix}", panel.log_y) | {
        "range": _scaled(panel.range_y, panel.log_y),
        "nticks": 5,
    }
    if panel.log_y:
        ticks = _decades(panel)
        parts.axes[f"yaxis{suffix}"] |= _ticks(ticks)
        if len(panel.x) == 1 and panel.range_y is None:
            parts.axes[f"yaxis{suffix}"]["range"] = _scaled(_around(panel, ticks), log=True)
    parts.annotations.append(
        {
            "text": f"<b>{plotly(panel.title)}</b>", "font": {"size": 12}, "showarrow": False,
            "x": sum(domain[0]) / 2, "y": domain[1][1], "xref": "paper", "yref": "paper",
            "xanchor": "center", "yanchor": "bottom",
        }
    )  # fmt: skip
    if panel.mark is not None:
        line = {"color": f"rgba({GREY}, .9)", "width": 1, "dash": "dot"}
        parts.shapes.append(_across(on, panel.mark, panel.mark) | {"line": line})
    if panel.shaded is not None:
        edges = _between(panel.x, panel.log_x)
        fill = {"fillcolor": f"rgba({GREY}, .18)", "line": {"width": 0}}
        for i in np.flatnonzero(panel.shaded):
            parts.shapes.append(_across(on, edges[i], edges[i + 1], "rect") | fill)


def _table(panel: Chart, name_x: str) -> Table:
    """Its curves side by side over the x that they share, each with what its band says."""
    names, columns = [name_x or "x"], [panel.x]
    for curve in panel.curves:
        names.append(curve.name or panel.title)
        columns.append(curve.y)
        if curve.error is not None:
            names.append(f"± {names[-1]}")
            columns.append(curve.error)
    return Table(panel.title, names, columns)


def _between(x: Array, log: bool) -> Array:
    """Edges around each x, half-way to its neighbours: one more than there are x."""
    x = np.log(x) if log else x
    edges = np.concatenate([x[:1], (x[1:] + x[:-1]) / 2, x[-1:]])
    return np.asarray(np.exp(edges) if log else edges)


def _across(on: dict[str, str], x0: float, x1: float, kind: str = "line") -> dict[str, Any]:
    """A shape from the bottom to the top of a panel."""
    y = {"yref": f"{on['yaxis']} domain", "y0": 0, "y1": 1}
    return {"type": kind, "xref": on["xaxis"], "x0": x0, "x1": x1, "layer": "below", **y}


def _axis(domain: tuple[float, float], anchor: str, log: bool) -> dict[str, Any]:
    return {
        "domain": domain,
        "anchor": anchor,
        "fixedrange": True,
        "type": "log" if log else "linear",
        "zeroline": False,
        "gridcolor": f"rgba({GREY}, .22)",
        "tickfont": {"size": 11},
    }


def _decades(panel: Chart) -> list[float]:
    """Ticks of a logarithmic y: powers of ten, with steps between where there are few of them."""
    numbers = np.concatenate([curve.y[curve.y > 0] for curve in panel.curves])
    low, high = np.log10([numbers.min(), numbers.max()]) if numbers.size else (0.0, 0.0)
    between = (1, 2, 5) if high - low < 2.5 else (1,)
    powers = range(int(np.floor(low)), int(np.ceil(high)) + 1)
    every = 2 if high - low > 6 else 1
    return [m * 10.0**e for e in powers if e % every == 0 for m in between]


def _around(panel: Chart, ticks: Sequence[float]) -> tuple[float, float]:
    """The ticks below and above all numbers: between single points there may be none."""
    numbers = np.concatenate([curve.y for curve in panel.curves])
    below = [tick for tick in ticks if tick <= numbers.min()]
    above = [tick for tick in ticks if tick > numbers.max()]
    return max(below, default=ticks[0]), min(above, default=ticks[-1])


def _ticks(values: Sequence[float]) -> dict[str, Any]:
    texts = [significant(value, 6) for value in values]
    return {"tickvals": values, "ticktext": texts, "tickangle": 0}


def _scaled(limits: tuple[float, float] | None, log: bool) -> list[float] | None:
    """Limits as an axis takes them: exponents on a logarithmic one."""
    if limits is None:
        return None
    return [float(v) for v in (np.log10(limits) if log else limits)]


def _range(x: Array, log: bool) -> list[float]:
    first, last = float(x[0]), float(x[-1])
    if log:
        return [float(np.log10(first)) - 0.06, float(np.log10(last)) + 0.06]
    return [first, max(last, first + 1)]


def _traces(panel: Chart, curve: Curve, known: bool) -> list[dict[str, Any]]:
    """A line with its band below it, or points with error bars."""
    x, y = panel.x.astype(np.float32), curve.y.astype(np.float32)
    colour = f"rgb({curve.colour})"
    main: dict[str, Any] = {
        "type": "scatter", "x": x, "y": y, "name": plotly(curve.name), "showlegend": not known,
        "legendgroup": curve.name, "hovertemplate": "%{y:.4g}<extra>%{fullData.name}</extra>",
    }  # fmt: skip
    if curve.points:
        main |= {"mode": "markers", "marker": {"color": colour, "size": 6}}
        if curve.error is not None:
            bar = {"type": "data", "array": curve.error.astype(np.float32), "thickness": 1.2}
            main["error_y"] = bar | {"color": colour, "width": 3}
        return [main]
    # One point alone would make no line: what has just begun would look empty.
    begun = {"mode": "lines+markers", "cliponaxis": False} if len(x) == 1 else {"mode": "lines"}
    main |= {**begun, "line": {"color": colour, "width": 2, "dash": curve.dash}}
    if curve.error is None:
        return [main]
    low = curve.y - curve.error
    if panel.log_y:
        low = np.maximum(low, curve.y / 1e3)  # a logarithm has no 0 to reach down to
    band = {
        "type": "scatter", "x": np.concatenate([x, x[::-1]]), "mode": "lines",
        "y": np.concatenate([curve.y + curve.error, low[::-1]]).astype(np.float32),
        "fill": "toself", "fillcolor": f"rgba({curve.colour}, .2)", "line": {"width": 0},
        "hoverinfo": "skip", "showlegend": False,
    }  # fmt: skip
    return [band, main]


def distributions(
    samples: Sequence[tuple[str, Array, str]], spread: float, title: str, *, height: int
) -> go.Figure:
    """Draw histograms of the same scores before and after, as densities on one axis.

    Parameters
    ----------
    samples : (name, numbers, colour) each
    spread : float
        Half the width of the axis is four times this.
    title : str
        What the axis shows.
    """
    edges = np.linspace(-4 * spread, 4 * spread, 81)
    parts = Parts()
    middles = (edges[:-1] + edges[1:]) / 2
    columns = [middles]
    for name, numbers, colour in samples:
        density, _edges = np.histogram(numbers, edges)
        density = density / (numbers.size * np.diff(edges))
        columns.append(density)
        parts.data.append(
            {
                "type": "bar", "x": middles.astype(np.float32),
                "y": density.astype(np.float32), "name": plotly(name),
                "marker": {"color": f"rgba({colour}, .6)", "line": {"width": 0}},
                "hovertemplate": "%{x:.3g}: %{y:.3g}<extra>%{fullData.name}</extra>",
            }
        )  # fmt: skip
    parts.tables.append(Table("", [title, *(name for name, *_rest in samples)], columns))
    parts.axes["xaxis"] = _axis((0.035, 1), "y", log=False) | {
        "title": {"text": plotly(title), "font": {"size": 11}, "standoff": 4},
        "range": [float(edges[0]), float(edges[-1])],
    }
    parts.axes["yaxis"] = _axis((40 / height, 1 - 26 / height), "x", log=False) | {"nticks": 5}
    return parts.figure(height, showlegend=True, legend=LEGEND, barmode="overlay", bargap=0)
