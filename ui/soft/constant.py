"""A constant added to every score: it changes no weight, but it can break the arithmetic."""

from functools import partial

import numpy as np
import streamlit as st

from core.arrays import Array
from core.mistakes import naive_softmax
from core.softmax_steps import steps
from ui import controls, describe, plot, session
from ui.bars import Bars, bar_charts
from ui.ideas import columns, height
from ui.language import _, significant
from ui.matrix import matrix_product, panel
from ui.panels import component_texts
from ui.soft.scores import Row
from ui.soft.stages import shares, short_number

_KEY = "soft:constant"
_ROUNDING = 1e-12
_IN_CELLS = 12  # columns; beyond it cells have no numbers, and need a colour
_LIMITS = (-1000.0, 1000.0)
_NAMED = 6  # more bars have their names in the table above only


def constant(row: Row) -> None:
    """The same row computed in two ways, at any c."""
    c = float(st.session_state.get(_KEY, 1000.0))
    before, after = steps(row.values), steps(row.values + c)
    naive = naive_softmax(after.scores)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(_("**c = {c}** is added to every score", c=_whole(c)), width="content")
        if not session.lectures():
            controls.slide("soft-c", "c", c, _LIMITS, _put, step=10.0, format="%.0f", width=380)
        for value in (-1000, 0, 100, 1000):
            label = f"c = {_whole(value)}"
            st.button(label, key=f"soft-c-{value}", on_click=partial(_put, value))
    stable, written, text = columns([1, 1, 0.85], ("stable", "naive", "words"))
    with stable:
        _table(
            "soft-stable",
            _("stable: the maximum is taken off first"),
            row,
            {
                "x + c": after.scores,
                "x + c − max": after.shifted,
                "e^(…)": after.exponentials,
                _("÷ {total}", total=short_number(after.total)): after.weights,
            },
        )
        _bars("soft-stable-weights", row, after.weights)
    with written:
        _table(
            "soft-naive",
            _("naive: as it is written"),
            row,
            {
                "x": row.values,
                "x + c": after.scores,
                "e^(x + c)": after.plain,
                _("÷ {total}", total=short_number(after.plain_total)): naive,
            },
        )
        _bars("soft-naive-weights", row, naive)
    with text:
        st.latex(
            r"\frac{e^{x_i + c}}{\sum_k e^{x_k + c}} = \frac{e^c\, e^{x_i}}{e^c \sum_k e^{x_k}}"
            r" = \frac{e^{x_i}}{\sum_k e^{x_k}}",
            width="content",
        )
        difference = float(np.abs(after.weights - before.weights).max())
        st.markdown(
            _(
                "**Nothing changes:** the largest difference to the weights without c is "
                "{difference}, which is rounding.",
                difference=significant(difference, 1),
            )
            if difference
            else _("**Nothing changes:** these are the weights without c, to the last bit.")
        )
        st.markdown(_naive(naive, after.weights, after.plain_total, after.largest))


def _whole(value: float) -> str:
    return f"{value:.0f}".replace("-", "−")


def _bars(key: str, row: Row, weights: Array) -> None:
    """Weights as bars."""
    plot.show(
        bar_charts(
            [
                Bars(
                    "",
                    row.labels,
                    weights,
                    [text.replace("nan", "NaN") for text in shares(weights)],
                    weights=True,
                )
            ],
            height=height(146, 144),
            names=len(weights) <= _NAMED,
        ),
        key=key,
        alt=_("Weights: {weights}.", weights=describe.strongest(row.labels, weights) or "NaN"),
    )


def _put(value: float) -> None:
    st.session_state[_KEY] = float(value)


def _table(key: str, title: str, row: Row, lines: dict[str, Array]) -> None:
    matrix_product(
        panel(
            key.removeprefix("soft-"),
            np.array(list(lines.values())),
            list(lines),
            row.labels,
            title=title,
            digits=3,
            scale="plain" if len(row.labels) <= _IN_CELLS else "signed",
        ),
        key=key,
        texts=component_texts(),
        max_height=height(215, 210),
    )


def _naive(naive: Array, stable: Array, total: float, largest: float) -> str:
    if np.isinf(total) and not np.isnan(naive).any():
        return _(
            "**The naive way is wrong here:** each e^(x + c) is a number that fits, but their sum "
            "is too large for 64 bits and becomes ∞, and whatever is divided by ∞ is 0."
        )
    if not np.isnan(naive).any() and np.abs(naive - stable).max() > _ROUNDING:
        return _(
            "**The naive way is already wrong here,** by up to {difference}: the e^(x + c) are so "
            "close to 0 that most of their digits are gone.",
            difference=significant(np.abs(naive - stable).max(), 1),
        )
    if not np.isnan(naive).any():
        return _(
            "**The naive way still works here.** Every e^(x + c) is a number that fits. Try "
            "c = 1000 and c = −1000."
        )
    if np.isinf(total):
        return _(
            "**The naive way breaks:** e^{largest} is too large for a number of 64 bits, becomes "
            "∞, and ∞ ÷ ∞ is NaN, not a number. With the maximum taken off, nothing is above "
            "e^0 = 1.",
            largest=significant(largest, 6),
        )
    return _(
        "**The naive way breaks:** e^{largest} is too small for a number of 64 bits, becomes 0, "
        "and 0 ÷ 0 is NaN, not a number. With the maximum taken off, one of them is e^0 = 1.",
        largest=significant(largest, 6),
    )
