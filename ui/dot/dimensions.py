"""Vectors of four numbers, which no plane can show: the same sum, term by term."""

from functools import partial

import numpy as np
import streamlit as st

from core.dot import DotProduct, compare
from ui import drag, plot
from ui.bars import Bars, bar_charts
from ui.dot.arrows import bracketed, written
from ui.ideas import height
from ui.language import _, decimal, significant

_KEY = "dot:four"
_A = (0.8, 0.3, 0.9, 0.1)
_FIRST = (0.7, 0.2, 0.8, 0.5)
_HEIGHT = 225
Numbers = tuple[float, ...]


def dimensions() -> None:
    """a · b as three pictures: a, b to drag, and the products that add up."""
    b: Numbers = st.session_state.get(_KEY, _FIRST)
    result = compare(np.array(_A), np.array(b))
    _examples()
    first, second, third = st.columns([1, 1, 1.2], gap="medium")
    with first:
        st.markdown(_("**a**"))
        plot.show(
            bar_charts(
                [Bars("", _names("a"), np.array(_A), [significant(x, 6) for x in _A], limit=1)],
                height=height(_HEIGHT, 178),
            ),
            key="dot-a",
            alt=_("The four numbers of a."),
        )  # fmt: skip
    with second:
        st.markdown(_("× **b**: drag the bars"))
        drag.bars("dot-b", _names("b"), b, _put, limit=1, height=height(_HEIGHT, 178))
    with third:
        st.markdown(_("= products; their sum is **a · b**"))
        texts = [significant(term, 2) for term in result.terms]
        total = significant(result.value, 3)
        terms = [f"a{i}·b{i}" for i in "₁₂₃₄"]
        plot.show(
            bar_charts(
                [Bars("", terms, result.terms, texts, total=(_("sum"), total))],
                height=height(_HEIGHT, 178),
            ),
            key="dot-terms",
            alt=_("The four products and their sum, {sum}.", sum=total),
        )
    st.latex(_sum(b, result), width="content")
    st.markdown(_said(result))


def _names(letter: str) -> list[str]:
    return [letter + digit for digit in "₁₂₃₄"]


def _put(values: Numbers) -> None:
    st.session_state[_KEY] = values


def _examples() -> None:
    examples = (
        ("like", _("b = a"), _A),
        ("mixed", _("A bit like a"), _FIRST),
        ("unrelated", _("At right angles"), (0.3, -0.8, 0.1, -0.9)),
        ("against", _("b = −a"), tuple(-x for x in _A)),
    )
    with st.container(horizontal=True, gap="small"):
        for name, label, example in examples:
            st.button(label, key=f"dot-four-{name}", on_click=partial(_put, example))


def _sum(b: Numbers, result: DotProduct) -> str:
    terms = " + ".join(rf"{written(x)} \cdot {bracketed(y)}" for x, y in zip(_A, b, strict=True))
    return rf"a \cdot b = {terms} = \mathbf{{{written(result.value)}}}"


def _said(result: DotProduct) -> str:
    if result.cosine != result.cosine:
        return _("b has length 0: a · b is 0, and there is no angle.")
    return _(
        "Four dimensions cannot be drawn, but nothing changes: multiply in pairs and add up. "
        "Lengths {length_a} and {length_b}, cosine {cosine}, so the angle is {degrees}°.",
        length_a=significant(result.length_a, 3),
        length_b=significant(result.length_b, 3),
        cosine=decimal(result.cosine, 3),
        degrees=decimal(result.degrees, 1),
    )
