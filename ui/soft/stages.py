"""From scores to weights in three pictures and one table."""

import numpy as np
import streamlit as st

from core.arrays import Array
from core.softmax_steps import TRIAD_PRINTED, Steps, apart, steps
from ui import describe, plot, session
from ui.bars import Bars, bar_charts
from ui.ideas import height, idea
from ui.language import _, _n, decimal, significant
from ui.literal import literal
from ui.matrix import matrix_product, panel
from ui.panels import component_texts
from ui.soft import scores
from ui.soft.scores import Row

_HEIGHT = 222
_FEW = 6  # bars that have room for long numbers


def stages(row: Row) -> None:
    """Scores to drag, e^score, weights; the numbers; what is worth a word."""
    result = steps(row.values)
    small = not result.readable
    powers, total = (
        (result.exponentials, result.total) if small else (result.plain, result.plain_total)
    )
    name = "e^(x − max)" if small else "e^x"
    with idea("bars"):
        first, second, third = st.columns(3, gap="medium")
        with first:
            st.markdown(_("**Scores** x: drag the bars"))
            scores.draw(row, "soft-scores", height(_HEIGHT, 270))
        with second:
            st.markdown(_("→ **{power}**, total {total}", power=name, total=short_number(total)))
            digits = 4 if len(powers) <= _FEW else 2
            _picture("soft-exponentials", row, powers, [significant(p, digits) for p in powers])
        with third:
            st.markdown(_("÷ {total} → **weights**, in all 1", total=short_number(total)))
            _picture("soft-weights", row, result.weights, shares(result.weights), weights=True)
    with idea("numbers"):
        wide = min(0.6, 0.12 + 0.05 * len(row.values))
        table, text = st.columns([wide, 1 - wide], gap="medium")
        with table:
            _numbers(row, result, powers, name)
        with text:
            for sentence in _said(row, result):
                st.markdown(sentence)


def shares(weights: Array) -> list[str]:
    """Weights as they are written at their bars: shorter where there are many."""
    digits = 3 if len(weights) <= _FEW else 2
    return [decimal(weight, digits) for weight in weights]


def short_number(value: float) -> str:
    """Four digits, or a power of ten."""
    return "∞" if np.isposinf(value) else significant(value, 4)


def _picture(key: str, row: Row, values: Array, texts: list[str], *, weights: bool = False) -> None:
    said = describe.listed(map(" ".join, zip(row.labels, texts, strict=True)))
    plot.show(
        bar_charts(
            [Bars("", row.labels, values, texts, weights=weights)], height=height(_HEIGHT, 270)
        ),
        key=key,
        alt=said,
    )


def _numbers(row: Row, result: Steps, powers: Array, name: str) -> None:
    matrix_product(
        panel(
            _("numbers"),
            np.array([row.values, powers, result.weights]),
            [_("score x"), name, _("weight")],
            row.labels,
            digits=3,
            scale="plain" if len(row.labels) <= 12 else "signed",
            title=_("the same as numbers"),
        ),
        key="soft-numbers",
        texts=component_texts(),
        max_height=height(130, 250),
    )


def _said(row: Row, result: Steps) -> list[str]:
    said = []
    if row.left_out:
        said.append(
            literal(
                _(
                    "Left out by the mask, with weight 0: {tokens}.",
                    tokens=describe.listed(row.left_out),
                )
            )
        )
    if row.source == "pinned" and not row.moved:
        label = describe.short_labels(session.experiment())[session.pair()[0]]
        said.append(literal(_("These are the scores of {query}, scaled and masked.", query=label)))
    if row.source == "article" and not row.moved:
        said.append(_printed(row, result))
    if float(np.ptp(row.values)) == 0:
        said.append(
            _n(
                "A single score gets all there is: {share}.",
                "Equal scores, equal shares: each of {count} gets {share}. Only differences count.",
                count=len(row.values),
                share=decimal(result.weights[0], 3),
            )
        )
    return said


def _printed(row: Row, result: Steps) -> str:
    """The article's example with the weights that its own scores give."""
    difference = float(row.values[0] - row.values[1])
    ratio = apart(row.values, 0, 1, np.array([difference])).ratio[0]
    return _(
        "The article behind this app prints the weights {printed} for these scores. The three "
        "alone give {weights}; and more words could not mend it, since the first two keep the "
        "ratio e^{difference} = {ratio} whatever else is in the row, while {one} ÷ {other} = "
        "{printed_ratio}. The idea is right all the same.",
        printed=_(", ").join(decimal(weight, 2) for weight in TRIAD_PRINTED),
        weights=_(", ").join(decimal(weight, 3) for weight in result.weights),
        difference=decimal(difference, 1),
        ratio=decimal(ratio, 2),
        one=decimal(TRIAD_PRINTED[0], 2),
        other=decimal(TRIAD_PRINTED[1], 2),
        printed_ratio=decimal(TRIAD_PRINTED[0] / TRIAD_PRINTED[1], 2),
    )
