"""One stage of the walk from scores to output, drawn with the matrix component.

Each function draws a stage and returns the cell whose arithmetic is open: in the product that is
the pinned pair; a cell of an operand opens its own arithmetic instead.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Literal, NamedTuple

import numpy as np
import streamlit as st

from core import edit
from core.metrics import entropy_bits, received, row_sums
from ui import describe, figures, plot, session
from ui.ideas import height
from ui.language import _, significant
from ui.matrix import Edit, Panel, Pick, matrix_product, panel
from ui.panels import Panels, component_texts

HEIGHT, TALL = 285, 480  # in pixels; tall where no number fits into a cell anyway
LECTURE = 330  # of the large pixels of a lecture screen

Slot = Literal["left", "right", "product"]


class Opened(NamedTuple):
    """A cell whose arithmetic is shown: a stage of the trace, a row, a column."""

    stage: str
    row: int
    column: int


def scores(panels: Panels) -> Opened:
    """Q × Kᵀ = scores."""
    operands = panels.role("query"), panels.key_transposed()
    pick = _product("scores", panels.pairs("scores"), operands)
    if pick.panel == "left":
        return Opened("query", pick.row, pick.col)
    if pick.panel == "right":  # Kᵀ: a column is a token
        return Opened("key", pick.col, pick.row)
    return Opened("scores", *session.pair())


def scaled_scores(panels: Panels) -> Opened:
    """Scores beside the same divided, on one colour range."""
    limit = panels.score_limit()
    divisor = panels.experiment.divisor_value * panels.experiment.temperature
    title = _("scaled = scores ÷ {divisor}", divisor=significant(divisor, 4))
    before, after = st.columns(2)
    with before:
        _pairs(panels.pairs("scores", limit=limit), "before-scaling")
    with after:
        _pairs(panels.pairs("scaled_scores", limit=limit, title=title), "scaled")
    return Opened("scaled_scores", *session.pair())


def masked_scores(panels: Panels) -> Opened:
    """What the mask lets through; a mask by hand is switched on the left."""
    before, after = st.columns(2)
    with before:
        if panels.experiment.mask == "manual":
            matrix_product(
                panels.mask(),
                key="mask-by-hand",
                pick=Pick("product", *session.pair()),
                on_pick=_pin_pair,
                on_edit=_toggle,
                texts=component_texts(),
                max_height=_height(),
            )
        else:
            _pairs(panels.pairs("scaled_scores"), "before-mask")
    with after:
        title = _("masked: −∞ where a query may not look")
        _pairs(panels.pairs("masked_scores", title=title), "masked")
    if panels.trace.allowed.all() and not session.lectures():
        st.caption(_("Nothing is masked here. Choose causal, or by hand, to see the difference."))
    return Opened("masked_scores", *session.pair())


def weights(panels: Panels, *, lines: bool) -> Opened:
    """The matrix or the lines, and beside it what can be said of each row and column."""
    query, key = session.pair()
    values = panels.trace.weights[panels.head]
    picture, facts = st.columns([3, 2])
    with picture:
        if lines:
            plot.show(
                figures.token_lines(
                    panels.experiment.labels(), values, query, key, height=_height()
                ),
                key="weight-lines",
                alt=describe.lines_alt(panels.experiment, values, query),
            )
        else:
            _pairs(panels.pairs("weights"), "weights")
    with facts:
        columns = np.stack([row_sums(values), entropy_bits(values), received(values)], axis=1)
        names = (_("row sum"), _("entropy, bits"), _("received"))
        matrix_product(
            panel(_("each token"), columns, panels.experiment.labels(), names, scale="plain"),
            key="facts",
            texts=component_texts(),
            max_height=_height(),
        )
    return Opened("weights", query, key)


def head_outputs(panels: Panels) -> Opened:
    """weights × V = output of the head."""
    query, key = session.pair()
    operands = panels.pairs("weights"), panels.role("value")
    pick = _product("head_outputs", panels.head_output(), operands)
    if pick.panel == "left":
        return Opened("weights", query, key)
    if pick.panel == "right":
        return Opened("value", pick.row, pick.col)
    return Opened("head_outputs", query, pick.col)


def output(panels: Panels) -> Opened:
    """All heads side by side × W_O = output; just the heads where there is no W_O."""
    query, _key = session.pair()
    operands = panels.output_operands()
    pick = _product(
        "output", panels.output(), operands, on_edit=partial(session.write_numbers, "w_o")
    )
    if pick.panel == "left":  # its head became the current one
        return Opened("head_outputs", query, pick.col % panels.experiment.d_v)
    return Opened("output", query, pick.col)


def all_at_once(panels: Panels) -> Opened:
    """Scores, scaled, masked; below them weights × V = output."""
    limit = panels.score_limit()
    stages = ("scores", "scaled_scores", "masked_scores")
    for column, stage in zip(st.columns(len(stages)), stages, strict=True):
        with column:
            _pairs(panels.pairs(stage, limit=limit), f"all-{stage}")
    head_outputs(panels)
    return Opened("weights", *session.pair())


def _height() -> int:
    return height(HEIGHT if session.experiment().n <= 16 else TALL, LECTURE)


def _pairs(one: Panel, key: str) -> None:
    """A matrix over pairs, alone: its pick is the pinned pair."""
    matrix_product(
        one,
        key=key,
        pick=Pick("product", *session.pair()),
        on_pick=_pin_pair,
        texts=component_texts(),
        max_height=_height(),
    )


def _pin_pair(pick: Pick) -> None:
    session.pin(pick.row, pick.col)


def _product(
    place: str,
    product: Panel,
    operands: tuple[Panel, Panel] | tuple[None, None],
    on_edit: Callable[[Edit], None] | None = None,
) -> Pick:
    """Draw a product of the current head and return the pick that it shows."""
    pick = _pick_of(place, product, *operands)
    matrix_product(
        product,
        *operands,
        key=place,
        pick=pick,
        on_pick=partial(_remember, place),
        on_edit=on_edit,
        texts=component_texts(),
        max_height=_height(),
    )
    return pick


def _pick_of(place: str, product: Panel, left: Panel | None, right: Panel | None) -> Pick:
    """The last pick of a product, moved with the pinned pair and inside what may have shrunk."""
    query, key = session.pair()
    pick = session.picked(place) or Pick("product", query, 0)
    one = {"product": product, "left": left, "right": right}[pick.panel]
    if one is None:
        return Pick("product", query, 0)
    row, column = _MEANING[place][pick.panel]
    pinned = {"query": query, "key": key}
    rows, columns = one.shape
    return Pick(
        pick.panel,
        min(pinned.get(row or "", pick.row), rows - 1),
        min(pinned.get(column or "", pick.col), columns - 1),
    )


# What a row and a column of each panel are, for pinning: query, key, or nothing.
_MEANING: Mapping[str, Mapping[Slot, tuple[str | None, str | None]]] = {
    "scores": {"left": ("query", None), "right": (None, "key"), "product": ("query", "key")},
    "head_outputs": {"left": ("query", "key"), "right": ("key", None), "product": ("query", None)},
    "output": {"left": ("query", None), "right": (None, None), "product": ("query", None)},
}


def _remember(place: str, pick: Pick) -> None:
    session.remember_pick(place, pick)
    row, column = _MEANING[place][pick.panel]
    pinned = {name: i for name, i in ((row, pick.row), (column, pick.col)) if name}
    session.pin(**pinned)
    if place == "output" and pick.panel == "left":
        session.set_head(pick.col // session.experiment().d_v)


def _toggle(change: Edit) -> None:
    session.pin(change.row, change.col)
    session.change(lambda now: edit.toggle_mask(now, change.row, change.col))
