"""Plotly picture of one word in two sentences; no Streamlit in here."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from core.arrays import Array
from core.presets.apple import Reading
from ui.cells import box, cells, paper, write, write_names
from ui.language import _, decimal, percent
from ui.literal import plain, plotly
from ui.parts import BLUE, GREY, ORANGE, VIOLET, Parts, Table

_LEFT, _RIGHT = (0.025, 0.47), (0.53, 0.998)  # X above the weights; q, k, v above the output
_GAP = 0.02  # between q, k and v
# From the top of a sentence, in pixels.
_SENTENCE, _NAMES, _CELLS, _ROW, _TITLES, _BARS, _BOTTOM = 9, 28, 36, 22, 68, 92, 162
_BLOCK = 188


def two_sentences(readings: Sequence[Reading], marked: Sequence[str]) -> go.Figure:
    """For each sentence the word's X, q, k, v; below them its weights and its output.

    Parameters
    ----------
    readings : sequence of Reading
    marked : texts
        Dimensions of the output that stand out.
    """
    height = _BLOCK * len(readings) - 10
    parts = paper(height)
    # The largest weight fills the height, or nobody would see the small ones.
    most = max(float(one.weights.max()) for one in readings)
    for number, one in enumerate(readings):
        _block(parts, one, number * _BLOCK, most, marked)
    return parts.figure(height, barmode="overlay")


def _block(parts: Parts, one: Reading, top: int, most: float, marked: Sequence[str]) -> None:
    now, i = one.experiment, one.place
    words = [plotly(token) for token in now.tokens]
    words[i] = f"<b><u>{words[i]}</u></b>"
    write(parts, " ".join(words), 0, top + _SENTENCE, "left", size=15)

    names = now.dimension_labels()
    parts.tables.append(
        Table.of_matrix(_of(one, "X"), one.trace.embeddings[[i]], [one.word], names)
    )
    write(parts, "<b>X</b>", 0.002, top + _CELLS + _ROW / 2, "left")
    write_names(parts, names, _LEFT, top + _NAMES, size=11)
    hover = [[f"X · {plotly(name)}" for name in names]]
    cells(parts, one.trace.embeddings[[i]], _LEFT, top + _CELLS, _ROW, hover, limit=1)
    _roles(parts, one, top)

    word = plotly(one.word)
    title = _("<b>weights</b>: what {word} takes from each word", word=word)
    parts.tables.append(Table(_of(one, title), ["", _("weight")], [now.tokens, one.weights]))
    write(parts, title, _LEFT[0], top + _TITLES, "left")
    own = [ORANGE if j == i else VIOLET for j in range(now.n)]
    _bars(parts, one.weights, _LEFT, top, own, now.tokens, most)
    title = _("<b>output</b>: what {word} becomes", word=word)
    parts.tables.append(Table(_of(one, title), ["", _("number")], [names, one.output]))
    write(parts, title, _RIGHT[0], top + _TITLES, "left")
    strong = [BLUE if name in marked else GREY for name in names]
    _bars(parts, one.output, _RIGHT, top, strong, names)


def _of(one: Reading, title: str) -> str:
    """What a table shows, and of which sentence."""
    return f"{' '.join(one.experiment.tokens)} · {plain(title)}"


def _roles(parts: Parts, one: Reading, top: int) -> None:
    """q, k and v of the word side by side."""
    roles = (
        (_("<b>q</b>: asks"), one.trace.query),
        (_("<b>k</b>: announces"), one.trace.key),
        (_("<b>v</b>: hands over"), one.trace.value),
    )
    left, right = _RIGHT
    width = (right - left - _GAP * (len(roles) - 1)) / len(roles)
    for number, (title, values) in enumerate(roles):
        x = left + number * (width + _GAP)
        row = values[0, [one.place]]  # (1, d)
        slots = [str(slot) for slot in range(row.shape[1])]
        hover = [[f"{title} · {slot}" for slot in slots]]
        parts.tables.append(Table.of_matrix(_of(one, title), row, [one.word], slots))
        write(parts, title, x + width / 2, top + _NAMES - 2)
        limit = max(1.0, float(np.abs(row).max()))
        cells(parts, row, (x, x + width), top + _CELLS, _ROW, hover, limit=limit)


def _bars(
    parts: Parts,
    amounts: Array,
    across: tuple[float, float],
    top: int,
    colours: Sequence[str],
    names: Sequence[str],
    most: float | None = None,
) -> None:
    """Upright bars over names, each with its number: shares up to ``most``, else numbers to 1."""
    left, right = across
    step = (right - left) / len(amounts)
    places = left + (np.arange(len(amounts)) + 0.5) * step
    tall = (_BOTTOM - _BARS) / (most or 1)
    parts.data.append(
        {
            "type": "bar", "x": places, "base": top + _BOTTOM, "y": -amounts * tall,
            "width": step * 0.6, "customdata": amounts,
            "marker": {"color": [f"rgba({colour}, .85)" for colour in colours],
                       "line": {"width": 0}},
            "hovertext": [plotly(name) for name in names],
            "hovertemplate": "%{hovertext}: %{customdata:.6f}<extra></extra>",
        }
    )  # fmt: skip
    floor = {"color": f"rgba({GREY}, .6)", "width": 1}
    box(parts, across, (top + _BOTTOM, top + _BOTTOM), line=floor)
    write_names(parts, names, across, top + _BOTTOM + 9, size=12 if most else 11)
    for x, amount in zip(places, amounts, strict=True):
        if amount:
            text = percent(amount) if most else f"<b>{decimal(amount, 2)}</b>"
            y = top + _BOTTOM - float(amount) * tall - 8
            write(parts, text, float(x), y, size=12)
