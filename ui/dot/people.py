"""People as rows of hobbies: all dot products between them at once."""

from functools import partial

import numpy as np
import streamlit as st

from core.arrays import Array
from core.dot import compare, pairwise
from ui import plot, session
from ui.dot.arrows import bracketed, written
from ui.dot.field import number_field
from ui.dot.figures import people as draw_people
from ui.ideas import columns, height
from ui.language import _
from ui.literal import literal
from ui.matrix import Pick, matrix_product, panel
from ui.panels import component_texts

_KEY, _PLACE = "dot:you", "dot-people"
_OTHERS = ((1.0, 0.0), (0.0, 1.0), (0.7, 0.7))
_FIRST = (0.9, 0.2)


def people() -> None:
    """Three people and the reader: matrix, arithmetic of one cell, and the same as arrows."""
    you = st.session_state.get(_KEY, _FIRST)
    vectors = np.array([*_OTHERS, you])
    names = [_("programmer"), _("musician"), _("both"), _("you")]
    hobbies = [_("programming"), _("music")]
    pick = session.picked(_PLACE) or Pick("product", 3, 2)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(_("What do **you** like? From −1, dislike, to 1, love:"), width="content")
        for place, hobby in enumerate(hobbies):
            st.markdown(literal(hobby), width="content")
            number_field(f"dot-you{place}", hobby, you[place], 1, partial(_put, you, place))
    left, right = columns([1.75, 1], ("people", "arrows"))
    with left:
        matrix_product(
            panel(
                "P·Pᵀ",
                pairwise(vectors),
                names,
                names,
                title=_("who is like whom"),
                limit=1,
            ),
            panel("P", vectors, names, hobbies, title=_("P: people × hobbies"), limit=1),
            panel("Pᵀ", vectors.T, hobbies, names, title=_("Pᵀ: P transposed"), limit=1),
            key="dot-people",
            pick=pick,
            on_pick=partial(_pick, pick),
            texts=component_texts(),
        )
        _one_pair(names, vectors, pick)
    plot.show(
        draw_people(names, vectors, (pick.row, pick.col), hobbies, height=height(310, 330)),
        key="dot-people-arrows",
        at=right,
        alt=_("The four people as arrows: programming to the right, music upwards."),
    )


def _put(you: tuple[float, float], place: int, value: float) -> None:
    st.session_state[_KEY] = (value, you[1]) if place == 0 else (you[0], value)


def _pick(before: Pick, pick: Pick) -> None:
    """A row on the left or a column in the middle chooses one of the two people."""
    row = before.row if pick.panel == "right" else pick.row
    column = before.col if pick.panel == "left" else pick.col
    session.remember_pick(_PLACE, Pick("product", row, column))


def _one_pair(names: list[str], vectors: Array, pick: Pick) -> None:
    a, b = vectors[pick.row], vectors[pick.col]
    result = compare(a, b)
    terms = " + ".join(rf"{bracketed(x)} \cdot {bracketed(y)}" for x, y in zip(a, b, strict=True))
    with st.container(key="arithmetic", horizontal=True, vertical_alignment="center", gap="small"):
        pair = f"{names[pick.row]} · {names[pick.col]}"
        st.markdown(f"**{literal(pair)}** =", width="content")
        st.latex(rf"{terms} = \mathbf{{{written(result.value)}}}", width="content")
    if pick.row == pick.col:
        said = _("Somebody with themselves: the squared length. Strong interests make it large.")
    elif result.side > 0:
        said = _("They care about the same things: above 0, and the more so the more they care.")
    elif result.side < 0:
        said = _("What one likes the other dislikes: below 0.")
    else:
        said = _("Nothing in common: 0. Neither for nor against each other.")
    st.markdown(said)
    if session.lectures():
        return
    st.caption(
        _("Q·Kᵀ is this matrix, with what tokens ask as rows and what they announce as columns.")
    )
