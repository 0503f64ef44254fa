"""Plotly pictures of the library: the shelf as a table, and what is taken home. No Streamlit."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from core.presets.library import MAX_LEVEL, SHARPNESS, LookUp
from ui.cells import box, cells, paper, write, write_names
from ui.language import _, decimal, percent, significant
from ui.literal import plain, plotly
from ui.parts import GREY, LEGEND, ORANGE, VIOLET, Parts, Table

# Where things stand from left to right, in parts of the width.
_TITLES, _KEYS, _SCORE, _BARS, _VALUES = 0.142, (0.15, 0.455), 0.488, (0.52, 0.635), (0.7, 0.999)
_SHARE = 0.671
# From above, in pixels.
_HEAD, _NAMES, _QUERY, _BOOKS, _ROW = 10, 30, 40, 74, 23
SPLIT = _VALUES[0]  # what lies right of it belongs to the values, below the picture too


def shelf(
    found: LookUp,
    titles: Sequence[str],
    labels: Sequence[str],
    contents: Sequence[str],
) -> go.Figure:
    """The query above the keys, then a row a book: key, score, weight, value.

    Parameters
    ----------
    found : LookUp
        n books, d labels, d contents.
    titles : n texts
    labels, contents : d texts
    """
    height = _BOOKS + _ROW * len(titles) + 2
    parts = paper(height)
    strong = _strong(found)
    _emphasise(parts, found, strong)
    by_label, by_content = (
        [[f"{plotly(title)} · {plotly(name)}" for name in names] for title in titles]
        for names in (labels, contents)
    )
    asked = [[plotly(label) for label in labels]]
    limit = SHARPNESS * MAX_LEVEL
    cells(parts, found.query[None], _KEYS, _QUERY, _ROW, asked, limit=limit)
    cells(parts, found.keys, _KEYS, _BOOKS, _ROW, by_label, limit=1)
    cells(parts, found.values, _VALUES, _BOOKS, _ROW, by_content, limit=1)
    _bars(parts, found, titles, strong)
    query, key = _("<b>query</b>: your search"), _("<b>key</b>: what a book announces")
    score, weight = _("<b>score</b>"), _("<b>weight</b>")
    value = _("<b>value</b>: what it hands over")
    write(parts, key, sum(_KEYS) / 2, _HEAD)
    write(parts, score, _SCORE, _HEAD)
    write(parts, "q · k", _SCORE, _NAMES, size=12)
    write(parts, weight, sum(_BARS) / 2, _HEAD)
    write(parts, value, sum(_VALUES) / 2, _HEAD)
    write(parts, query, _TITLES, _QUERY + _ROW / 2, "right")
    parts.tables += [
        Table.of_matrix(plain(query), found.query[None], [""], labels),
        Table.of_matrix(plain(key), found.keys, titles, labels),
        Table("q · k", ["", plain(score), plain(weight)], [titles, found.scores, found.weights]),
        Table.of_matrix(plain(value), found.values, titles, contents),
    ]
    write_names(parts, labels, _KEYS, _NAMES)
    write_names(parts, contents, _VALUES, _NAMES)
    for i, title in enumerate(titles):
        for text, x, anchor in (
            (plotly(title), _TITLES, "right"),
            (significant(found.scores[i], 3), _SCORE, "center"),
            (percent(found.weights[i]), _SHARE, "right"),
        ):
            shown = f"<b>{text}</b>" if i in strong else text
            write(parts, shown, x, _BOOKS + (i + 0.5) * _ROW, anchor)
    return parts.figure(height)


def take_home(found: LookUp, contents: Sequence[str], *, height: int) -> go.Figure:
    """What the soft and the hard look-up bring home, side by side below the values.

    Parameters
    ----------
    found : LookUp
    contents : d texts
    height : int
        In pixels.
    """
    parts = Parts()
    places = np.arange(len(contents))
    soft, hard = _("soft: weights × values"), _("hard: the best book only")
    parts.tables.append(Table("", ["", soft, hard], [contents, found.soft, found.hard]))
    for name, amounts, colour, aside in (
        (soft, found.soft, f"rgba({VIOLET}, .9)", -0.19),
        (hard, found.hard, f"rgba({GREY}, .5)", 0.19),
    ):
        parts.data.append(
            {
                "type": "bar", "name": name, "x": places + aside, "y": amounts, "width": 0.36,
                "marker": {"color": colour, "line": {"width": 0}},
                "text": [decimal(amount, 2) if amount else "" for amount in amounts],
                "textposition": "outside", "textfont": {"size": 11}, "textangle": 0,
                "cliponaxis": False, "hovertext": [plotly(name) for name in contents],
                "hovertemplate": "%{hovertext}: %{y:.6f}<extra>%{fullData.name}</extra>",
            }
        )  # fmt: skip
    parts.axes = {
        "xaxis": {
            "range": [-0.5, len(contents) - 0.5], "domain": [0, 1], "fixedrange": True,
            "tickvals": places, "ticktext": [plotly(name) for name in contents],
            "tickfont": {"size": 12}, "tickangle": 0, "showgrid": False, "zeroline": False,
        },
        "yaxis": {
            "visible": False, "fixedrange": True, "range": [0, 1.18],
            "domain": [22 / height, 1 - 24 / height],
        },
    }  # fmt: skip
    return parts.figure(height, showlegend=True, legend=LEGEND, barmode="overlay")


def _strong(found: LookUp) -> tuple[int, ...]:
    """The best books; none where all are equally good."""
    return found.best if len(found.best) < len(found.scores) else ()


def _emphasise(parts: Parts, found: LookUp, strong: Sequence[int]) -> None:
    """A band behind the best books, and a frame around each label that is asked for."""
    for i in strong:
        top = _BOOKS + i * _ROW
        box(parts, (0, 1), (top, top + _ROW), fill=f"rgba({VIOLET}, .13)")
    left, right = _KEYS
    step = (right - left) / len(found.query)
    bottom = _BOOKS + len(found.scores) * _ROW
    for j in np.flatnonzero(found.query):
        x = left + float(j) * step
        line = {"color": f"rgb({ORANGE})", "width": 2}
        box(parts, (x, x + step), (_QUERY, bottom), line=line)


def _bars(parts: Parts, found: LookUp, titles: Sequence[str], strong: Sequence[int]) -> None:
    """Weights as bars, the best books' strong; the grey length is 100 %."""
    left, right = _BARS
    places = _BOOKS + (np.arange(len(titles)) + 0.5) * _ROW
    half = _ROW * 0.33
    for y in places:
        box(parts, _BARS, (float(y) - half, float(y) + half), fill=f"rgba({GREY}, .15)")
    colours = [f"rgba({VIOLET}, {0.95 if i in strong else 0.5})" for i in range(len(titles))]
    parts.data.append(
        {
            "type": "bar", "orientation": "h", "y": places, "base": left,
            "x": found.weights * (right - left), "width": 2 * half,
            "marker": {"color": colours, "line": {"width": 0}},
            "customdata": found.weights, "hovertext": [plotly(title) for title in titles],
            "hovertemplate": "%{hovertext}: %{customdata:.6f}<extra></extra>",
        }
    )  # fmt: skip
