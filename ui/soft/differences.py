"""Two scores moved apart: the ratio of their weights is e to the difference."""

from functools import partial

import numpy as np
import streamlit as st

from core.softmax_steps import Apart, apart, largest_two
from ui import controls, curves, plot, session
from ui.curves import Chart, Curve
from ui.ideas import height, idea
from ui.language import _, decimal, significant
from ui.literal import literal
from ui.parts import BLUE, GREY, ORANGE, VIOLET
from ui.soft import scores
from ui.soft.scores import Row
from ui.soft.stages import short_number

_HEIGHT = 245
_FAR = 6.0


def differences(row: Row) -> None:
    """Scores to drag; the ratio and both weights over the difference."""
    if len(row.values) < 2:
        st.markdown(_("A difference needs two keys, and this row has one."))
        return
    first, second = largest_two(row.first)
    d = float(row.values[first] - row.values[second])
    names = row.labels[first], row.labels[second]
    _slider(row, first, second, d, names)
    with idea("pictures"):
        left, right = st.columns([1, 2], gap="medium")
    with left:
        st.markdown(_("**Scores** x: drag any of them"))
        scores.draw(row, "soft-apart", height(_HEIGHT, 235))
    with right:
        far = max(_FAR, min(abs(d), 30.0))
        few, over = (
            apart(row.values, first, second, np.linspace(-far, far, count)) for count in (25, 121)
        )
        _curves(few, over, d, names)
    with idea("words"):
        _said(apart(row.values, first, second, np.array([d])), names)


def _slider(row: Row, first: int, second: int, d: float, names: tuple[str, str]) -> None:
    def put(chosen: float) -> None:
        values = row.values.copy()
        values[first] = values[second] + chosen
        scores.put(row, values)

    base = float(row.values[second])
    limits = max(-_FAR, -row.limit - base), min(_FAR, row.limit - base)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(
            literal(_("d = {first} − {second} = {d}", first=names[0], second=names[1],
                      d=decimal(d, 2))),
            width="content",
        )  # fmt: skip
        controls.slide(
            "soft-d",
            "d",
            round(d, 6),
            (round(min(limits[0], d), 6), round(max(limits[1], d), 6)),
            put,
            step=0.1,
            width=380,
        )
        for value in () if session.lectures() else (0.0, 1.0, 2.0):
            st.button(
                f"d = {significant(value, 2)}",
                key=f"soft-d-{value:g}",
                on_click=partial(put, value),
            )


def _curves(few: Apart, over: Apart, d: float, names: tuple[str, str]) -> None:
    plot.show(
        curves.charts(
            [
                Chart(
                    _("ratio of the two weights"),
                    few.d,
                    [
                        Curve("e^d", few.predicted, GREY),
                        Curve(_("weight ÷ weight"), few.ratio, VIOLET, points=True),
                    ],
                    log_y=True,
                    mark=d,
                    name_x="d",
                ),
                Chart(
                    _("the two weights"),
                    over.d,
                    [Curve(names[0], over.first, BLUE), Curve(names[1], over.second, ORANGE)],
                    range_y=(0, 1.04),
                    mark=d,
                    name_x="d",
                ),
            ],
            2,
            height=height(_HEIGHT + 30, 265),
        ),
        key="soft-curves",
        alt=_("The ratio of the two weights over their difference d: it is e to the d throughout."),
    )


def _said(now: Apart, names: tuple[str, str]) -> None:
    st.markdown(
        literal(
            _(
                "{first} has the weight {one}, {second} {other}: the ratio is {ratio}, and "
                "e^{d} = {predicted}.",
                first=names[0],
                second=names[1],
                one=decimal(now.first[0], 4),
                other=decimal(now.second[0], 4),
                ratio=short_number(now.ratio[0]),
                d=significant(now.d[0], 6),
                predicted=short_number(now.predicted[0]),
            )
        )
    )
    st.markdown(
        _(
            "Move another score: both weights change, their ratio does not. Each step of 1 in d is "
            "worth a factor e = {e}.",
            e=decimal(np.e, 3),
        )
    )
