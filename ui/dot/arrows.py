"""Two arrows in the plane: their dot product beside lengths, angle and cosine."""

from functools import partial

import numpy as np
import streamlit as st

from core.dot import DotProduct, compare
from ui import drag, session
from ui.dot.field import number_field
from ui.formulas import number
from ui.ideas import height, idea
from ui.language import _, decimal, significant

_KEY = "dot:arrows"  # in the session; not in the link
_LIMIT = 5
_FIRST = (3.0, 1.0, 1.0, 2.0)
Four = tuple[float, ...]


def two_arrows() -> None:
    """The plane to drag in; beside it the same as numbers."""
    values = st.session_state.get(_KEY, _FIRST)
    result = compare(np.array(values[:2]), np.array(values[2:]))
    lectures = session.lectures()
    with idea("plane"):
        plane, text = st.columns([1, 1.55], gap="large")
    with plane:
        drag.arrows("dot-arrows", ("a", "b"), values, _put, limit=_LIMIT, height=height(390, 330))
        if not lectures:
            st.caption(_("Drag a tip, or Tab and arrow keys. The wide band: b's shadow on a."))
    with text:
        if not lectures:
            _fields(values)
        _examples(values)
        for column, (name, shown) in zip(st.columns(3), _headline(result), strict=True):
            column.metric(name, shown)
        st.markdown(_meaning(result))
    with idea("numbers") if lectures else text, st.container(key="arithmetic"):
        st.latex(arithmetic(values, result), width="content")


def _put(values: Four) -> None:
    st.session_state[_KEY] = values


def _fields(values: Four) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        for k, name in enumerate("ab"):
            st.markdown(f"**{name}** =", width="content")
            for place in (2 * k, 2 * k + 1):
                label = f"{name}{place % 2 + 1}"
                number_field(
                    f"dot-{label}", label, values[place], _LIMIT, partial(_put_one, values, place)
                )


def _put_one(values: Four, place: int, value: float) -> None:
    _put((*values[:place], value, *values[place + 1 :]))


def _examples(values: Four) -> None:
    a, b = values[:2], values[2:]
    doubled = (*a, *(2 * part for part in b))
    examples = (
        ("same", _("Same direction"), (3.0, 1.0, 1.5, 0.5), None),
        ("right", _("Right angle"), (3.0, 1.0, -1.0, 3.0), None),
        ("against", _("Opposite"), (3.0, 1.0, -3.0, -1.0), None),
        ("longer", _("b twice as long"), doubled, _("a · b doubles, the cosine stays.")),
    )
    with st.container(horizontal=True, gap="small"):
        for name, label, example, explanation in examples:
            st.button(
                label,
                key=f"dot-{name}",
                on_click=_put,
                args=(example,),
                disabled=max(map(abs, example)) > _LIMIT,
                help=explanation,
            )


def _headline(result: DotProduct) -> tuple[tuple[str, str], ...]:
    undefined = "–"
    known = result.cosine == result.cosine
    return (
        (_("dot product a · b"), _short(result.value)),
        (_("cosine of the angle"), decimal(result.cosine, 4) if known else undefined),
        (_("angle θ"), f"{decimal(result.degrees, 1)}°" if known else undefined),
    )


def _short(value: float) -> str:
    """Three decimals at most, without the noise of the last digit."""
    return significant(round(value, 3) + 0.0, 6)


def _meaning(result: DotProduct) -> str:
    if result.cosine != result.cosine:
        return _(
            "**No angle:** an arrow of length 0 points nowhere. a · b is 0, and there is no cosine."
        )
    if result.side == 0:
        return _("**At right angles:** b throws no shadow on a, so a · b is 0.")
    if result.side > 0:
        return _("**On the same side:** the shadow of b points along a, so a · b is above 0.")
    return _("**Against each other:** the shadow of b points away from a, so a · b is below 0.")


def arithmetic(values: Four, result: DotProduct) -> str:
    """Every number of the lesson with what it is made of, as aligned lines of LaTeX."""
    a1, a2, b1, b2 = (bracketed(value) for value in values)
    value, long_a, long_b = (written(x) for x in (result.value, result.length_a, result.length_b))
    lines = [
        rf"a \cdot b &= a_1 b_1 + a_2 b_2 = {a1} \cdot {b1} + {a2} \cdot {b2} = \mathbf{{{value}}}",
        rf"|a| &= \sqrt{{{a1}^2 + {a2}^2}} = {long_a}"
        rf"\qquad |b| = \sqrt{{{b1}^2 + {b2}^2}} = {long_b}",
    ]
    if result.cosine == result.cosine:
        cosine, shadow = written(result.cosine, 4), written(result.projection)
        lines += [
            rf"\cos\theta &= \frac{{a \cdot b}}{{|a|\,|b|}}"
            rf" = \frac{{{value}}}{{{long_a} \cdot {long_b}}} = {cosine}"
            rf"\qquad \theta = {written(result.degrees, 1)}^\circ",
            rf"|a|\,|b| \cos\theta &= {long_a} \cdot {long_b} \cdot {bracketed(result.cosine, 4)}"
            rf" = \mathbf{{{written(result.by_angle)}}}",
            rf"|b| \cos\theta &= {shadow}",
        ]
    return r"\begin{aligned}" + r" \\[2pt] ".join(lines) + r"\end{aligned}"


def written(value: float, digits: int = 3) -> str:
    """A number as LaTeX; what only rounding has left of a 0 is 0."""
    return number(round(value, 12), digits)


def bracketed(value: float, digits: int = 3) -> str:
    """A number as LaTeX, in brackets where it is below 0."""
    text = written(value, digits)
    return f"({text})" if text.startswith("-") else text
