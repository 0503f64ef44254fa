"""The same scores at many temperatures: from one winner to equal shares."""

from functools import partial

import numpy as np
import streamlit as st

from core.arrays import Array
from core.softmax_steps import coldest, heat
from ui import controls, curves, describe, plot, session
from ui.bars import Bars, bar_charts
from ui.curves import Chart, Curve
from ui.ideas import columns, height
from ui.language import _, decimal, significant
from ui.literal import literal
from ui.parts import BLUE, VIOLET
from ui.soft.scores import Row

_KEY = "soft:temperature"
_LIMITS = (0.1, 10.0)
_GRID = np.round(np.arange(_LIMITS[0], _LIMITS[1] + 0.05, 0.1), 1)


def temperature(row: Row) -> None:
    """Weights at T between their two limits; largest weight and entropy over T."""
    t = float(st.session_state.get(_KEY, 1.0))
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(_("**T = {t}**: weights = softmax(x ÷ T)", t=decimal(t, 1)), width="content")
        controls.slide("soft-t", _("Temperature"), t, _LIMITS, _put, step=0.1, width=380)
        for value in () if session.lectures() else (0.1, 1.0, 10.0):
            st.button(
                f"T = {significant(value, 2)}",
                key=f"soft-t-{value:g}",
                on_click=partial(_put, value),
            )
    now = heat(row.values, np.array([t]))
    left, right = columns([1.9, 1], ("bars", "curves"))
    with left:
        _bars(row, t, now.weights[0])
        st.markdown(
            _(
                "At T = {t} the largest weight is **{largest}** and the entropy **{entropy}** of "
                "at most {most} bits.",
                t=decimal(t, 1),
                largest=decimal(now.largest[0], 3),
                entropy=decimal(now.entropy[0], 3),
                most=decimal(np.log2(len(row.values)), 3),
            )
        )
        st.markdown(literal(_limits(row)))
    with right:
        _curves(row, t)


def _bars(row: Row, t: float, weights: Array) -> None:
    even = np.full(len(row.values), 1 / len(row.values))
    panels = (
        (_("T → 0"), coldest(row.values)),
        (f"T = {decimal(t, 1)}", weights),
        (_("T → ∞"), even),
    )
    plot.show(
        bar_charts(
            [
                Bars(title, row.labels, part, [decimal(w, 2) for w in part], weights=True)
                for title, part in panels
            ],
            height=height(282, 222),
            width=790,
        ),
        key="soft-heat",
        alt=_(
            "Weights near T = 0, at T = {t} and for very large T. At T = {t}: {weights}.",
            t=decimal(t, 1),
            weights=describe.strongest(row.labels, weights),
        ),
    )


def _put(value: float) -> None:
    st.session_state[_KEY] = float(value)


def _curves(row: Row, t: float) -> None:
    over = heat(row.values, _GRID)
    most = float(np.log2(len(row.values)))
    plot.show(
        curves.charts(
            [
                Chart(_("largest weight"), _GRID, [Curve("", over.largest, VIOLET)],
                      range_y=(0, 1.04), mark=t),
                Chart(_("entropy, bits"), _GRID, [Curve("", over.entropy, BLUE)],
                      range_y=(0, 1.04 * most or 1.0), mark=t, name_x="T"),
            ],
            2 if session.lectures() else 1,
            height=height(366, 300),
        ),
        key="soft-over-t",
        alt=_(
            "Over T from {low} to {high} the largest weight falls from {first} to {last}, and the "
            "entropy rises.",
            low=significant(_LIMITS[0], 2),
            high=significant(_LIMITS[1], 2),
            first=decimal(over.largest[0], 3),
            last=decimal(over.largest[-1], 3),
        ),
    )  # fmt: skip


def _limits(row: Row) -> str:
    winners = [
        label for label, share in zip(row.labels, coldest(row.values), strict=True) if share > 0
    ]
    if len(winners) == len(row.labels):
        return _("All scores are equal, so the shares are equal at every temperature.")
    values = {"winners": describe.listed(winners), "count": len(row.labels)}
    if len(winners) > 1:
        return _(
            "Cold, {winners} share all of it, being equal. Hot, each of {count} gets the same. "
            "The order never changes.",
            **values,
        )
    return _(
        "Cold, {winners} gets all. Hot, each of {count} gets the same. The order never changes.",
        **values,
    )
