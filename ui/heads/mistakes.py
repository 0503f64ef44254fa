"""The usual mistakes, on purpose, beside what is right."""

import numpy as np
import streamlit as st

from core.arrays import Array
from core.mistakes import attention_by_reshape
from core.trace import Trace, trace
from ui import figures, plot, session
from ui.heads.names import head_names
from ui.heatmaps import Tile
from ui.ideas import height
from ui.language import _, _n, percent, significant


def mistakes() -> None:
    """Choose a mistake; the heads with it, below the heads without."""
    experiment = session.experiment()
    result = trace(experiment)
    # A plain widget: it starts with "none" on every visit and is no part of the link.
    chosen = st.segmented_control(
        _("Mistake"),
        ["none", "sqrt_d_model", "reshape"],
        default="none",
        required=True,
        format_func={
            "none": _("none"),
            "sqrt_d_model": _("wrong: ÷ √d_model"),
            "reshape": _("wrong: split by a plain reshape"),
        }.__getitem__,
        label_visibility="collapsed",
        key="mistake",
    )
    rows = _rows(_("right"), result, result.weights)
    wrong: Array | None = None
    if chosen == "sqrt_d_model":
        wrong = trace(experiment.with_(divisor="sqrt_d_model")).weights
    elif chosen == "reshape":
        wrong = attention_by_reshape(experiment, result).weights
    if wrong is not None:
        rows += _rows(_("WRONG"), result, wrong)
    plot.show(
        figures.gallery(rows, height=height(max(110, 380 // max(2, len(rows))) * len(rows), 270)),
        key="heads-mistakes",
        alt=_(
            "Weights of every head; below them, when a mistake is chosen, what it makes of them."
        ),
    )
    if wrong is not None:
        difference = float(np.abs(wrong - result.weights).max())
        if chosen == "sqrt_d_model" and experiment.d_k == experiment.d_model:
            st.markdown(_("Here a head is as wide as d_model, so ÷ √d_model is no mistake."))
            return
        if difference == 0:
            st.markdown(_("Here it makes no difference: this experiment is the same either way."))
            return
        st.error(_explanation(chosen, difference), icon=":material/error:")
    else:
        st.markdown(_("Two mistakes that run without an error. Switch one on to see what it does."))


def _rows(name: str, result: Trace, weights: Array) -> list[tuple[str, list[Tile]]]:
    """The heads, eight in a row."""
    experiment = session.experiment()
    labels = experiment.labels()
    tiles = [
        Tile(title, weights[t], labels, labels, weights=True, masked=~result.allowed)
        for t, title in enumerate(head_names(experiment))
    ]
    return [(name, tiles[start : start + 8]) for start in range(0, len(tiles), 8)]


def _explanation(chosen: str, difference: float) -> str:
    experiment = session.experiment()
    values = {
        "difference": percent(difference, 1),
        "d_model": experiment.d_model,
        "n": experiment.n,
        "h": experiment.num_heads,
        "right": significant(experiment.divisor_value, 3),
        "wrong": significant(experiment.with_(divisor="sqrt_d_model").divisor_value, 3),
    }
    if chosen == "sqrt_d_model":
        return _n(
            "Wrong: q and k of one head have {count} number, not {d_model}. The scores are divided "
            "by √{d_model} = {wrong} and not by {right}; a weight changes by up to {difference}.",
            "Wrong: q and k of one head have {count} numbers, not {d_model}. The scores are "
            "divided by √{d_model} = {wrong} and not by {right}; a weight changes by up to "
            "{difference}.",
            count=experiment.d_k,
            **values,
        )
    return _(
        "Wrong: reshape counts the numbers on, row after row, so a row of a “head” is a piece of a "
        "token, and {h} rows in a row are pieces of the same token. The labels at the cells are no "
        "longer true. One must reshape to ({n}, {h}, d) and then swap two axes. A weight changes "
        "by up to {difference}.",
        **values,
    )
