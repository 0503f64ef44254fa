"""Plotly bars over labels, in panels side by side; no Streamlit in here."""

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from core.arrays import Array
from ui.heatmaps import MAX_LABELS
from ui.language import _, numerals
from ui.literal import plotly, short
from ui.parts import BLUE, GREY, ORANGE, VIOLET, Parts, Table

_LETTER, _TEXT = 7.2, 18  # pixels: about the width of a letter, the height of a number at a bar


@dataclass(frozen=True)
class Bars:
    """One panel: a number and its bar for each label."""

    title: str
    labels: Sequence[str]
    values: Array  # NaN has no bar
    texts: Sequence[str]  # each number as it is written at its bar
    weights: bool = False  # violet, from 0 to 1; else blue above 0 and orange below
    total: tuple[str, str] | None = None  # label and text of one more bar, their sum
    limit: float | None = None  # the axis reaches from −limit to limit; else as far as needed


def bar_charts(
    panels: Sequence[Bars], *, height: int, width: int = 380, names: bool = True
) -> go.Figure:
    """Draw panels side by side.

    Parameters
    ----------
    panels : sequence of Bars
    height, width : int
        In pixels; the width about, on a wide page: what has no room in it is turned or left out.
    names : bool
        Whether the labels stand below the bars; they are in the hover texts too.
    """
    title, gap, left = (22 if any(panel.title for panel in panels) else 0), 0.06, 0.07
    part = (1 - left - gap * (len(panels) - 1)) / len(panels)
    slot = width * part / max(len(panel.labels) + bool(panel.total) for panel in panels)
    names = names and all(len(panel.labels) <= MAX_LABELS for panel in panels)
    longest = max(_width(map(short, panel.labels)) for panel in panels)
    turned = longest > slot
    below = ((min(96, longest + 14) if turned else 24) if names else 6) / height
    parts = Parts()
    for number, panel in enumerate(panels):
        x = left + number * (part + gap)
        suffix = "" if number == 0 else str(number + 1)
        room = _TEXT / (height * (1 - below) - title - _TEXT)
        _draw(parts, panel, suffix, slot, room)
        parts.axes[f"xaxis{suffix}"] |= {
            "domain": [x, x + part], "anchor": f"y{suffix}", "showticklabels": names,
            "tickangle": -90 if turned else 0,
        }  # fmt: skip
        parts.axes[f"yaxis{suffix}"] |= {"domain": [below, 1 - title / height]}
        parts.axes[f"yaxis{suffix}"] |= {"anchor": f"x{suffix}"}
        if panel.title:
            parts.annotations.append(
                {
                    "text": f"<b>{plotly(panel.title)}</b>", "font": {"size": 12}, "y": 1,
                    "x": x + part / 2, "xref": "paper", "yref": "paper", "xanchor": "center",
                    "yanchor": "top", "showarrow": False,
                }
            )  # fmt: skip
    return parts.figure(height, bargap=0.28)


def _draw(parts: Parts, panel: Bars, suffix: str, slot: float, room: float) -> None:
    labels, values, texts = list(panel.labels), panel.values, list(panel.texts)
    if panel.total:
        labels.append(panel.total[0])
        values = np.append(values, values.sum())
        texts.append(panel.total[1])
    name = _("weight") if panel.weights else _("number")
    written = ["NaN" if np.isnan(value) else value for value in values]
    parts.tables.append(Table(panel.title, ["", name], [labels, written]))
    hues = [VIOLET if panel.weights else BLUE if value >= 0 else ORANGE for value in values]
    colours = [f"rgba({hue}, .85)" for hue in hues]
    if panel.total:
        colours[-1] = f"rgba({VIOLET}, .85)"
    say = numerals()
    parts.data.append(
        {
            "type": "bar", "x": list(range(len(labels))), "y": np.nan_to_num(values),
            "marker": {"color": colours, "line": {"width": 0}}, "cliponaxis": False,
            "text": texts if _width(texts) <= slot + 4 else None, "textposition": "outside",
            "textangle": 0, "constraintext": "none", "textfont": {"size": 12},
            "xaxis": f"x{suffix}", "yaxis": f"y{suffix}",
            "hovertext": [f"{plotly(label)}: {say.significant(v, 6)}"
                          for label, v in zip(labels, values, strict=True)],
            "hovertemplate": "%{hovertext}<extra></extra>",
        }
    )  # fmt: skip
    parts.axes[f"xaxis{suffix}"] = {
        "range": [-0.5, len(labels) - 0.5], "fixedrange": True, "showgrid": False,
        "zeroline": False, "tickvals": list(range(len(labels))),
        "ticktext": [plotly(short(label)) for label in labels],
        "tickfont": {"size": 12},
    }  # fmt: skip
    parts.axes[f"yaxis{suffix}"] = {
        "range": _range(panel, values, room), "fixedrange": True,
        "gridcolor": f"rgba({GREY}, .22)", "zerolinecolor": f"rgba({GREY}, .7)",
        "tickfont": {"size": 11}, "nticks": 5,
    }  # fmt: skip


def _width(texts: Iterable[str]) -> float:
    """Pixels that the longest text takes, about; a Chinese letter is twice as wide as a Latin."""
    wide = "WF"
    return _LETTER * max(
        sum(2 if unicodedata.east_asian_width(letter) in wide else 1 for letter in text)
        for text in texts
    )


def _range(panel: Bars, values: Array, room: float) -> list[float]:
    """From the smallest to the largest number and 0; ``room`` is what a number takes of it."""
    if panel.weights:
        return [0.0, 1 + room]
    if panel.limit is not None:
        return [-(1 + room) * panel.limit, (1 + room) * panel.limit]
    low, high = min(0.0, float(values.min())), max(0.0, float(values.max()))
    beside = room * (high - low or 1.0)
    return [low - beside if low < 0 else 0.0, high + beside]
