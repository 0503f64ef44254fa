"""Projections: X times W gives each token its three roles."""

from collections.abc import Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core import edit
from core.numbers import parse_input
from core.trace import Trace, trace
from ui import controls, describe, session, shell, two_sentences
from ui.arithmetic import show_arithmetic
from ui.ideas import height, idea
from ui.language import _, mark, significant
from ui.literal import literal
from ui.matrix import Edit, Pick, matrix_product
from ui.panels import ROLES, Panels, component_texts

shell.guard()

SHOWN = 4  # numbers of a vector that fit beside the others


def body() -> None:
    """X × W = Q, K or V of one head; edit X or W, pick a cell to see its arithmetic."""
    if two_sentences.shows():
        two_sentences.lesson()
        return
    experiment, head = session.experiment(), session.head()
    result = trace(experiment)
    panels = Panels(experiment, result, head)
    choice, *columns = st.columns([7.5, 2.2, 2.2, 2.2], vertical_alignment="center")
    with choice, st.container(horizontal=True, vertical_alignment="center", gap="xsmall"):
        two_sentences.choice()
        role = controls.view("role", _("Role"), _role_names(), "query")
    if not session.lectures():
        _three_roles(result, head, columns)
    token = _token(role)
    pick = _current_pick(token, panels.role(role).shape[1], experiment.d_model)
    with idea("matrices"):
        matrix_product(
            panels.role(role),
            panels.embeddings(editable=True),
            panels.projection(ROLES[role], editable=True),
            key="projection",
            pick=pick,
            on_pick=lambda picked: _pick(picked, role),
            on_edit=lambda change: _edit(change, role),
            texts=component_texts(),
            max_height=height(330, 372),
        )
    if pick.panel == "left":
        show_arithmetic(result, "embeddings", pick.row, pick.col)
    else:
        show_arithmetic(result, role, token, pick.col)


def _token(role: str) -> int:
    """The pinned token that plays a role: one asks, the other announces and hands over."""
    query, key = session.pair()
    return query if role == "query" else key


def _role_names() -> dict[str, str]:
    return {
        "query": _("Q: asks"),
        "key": _("K: announces"),
        "value": _("V: hands over"),
    }


def _current_pick(token: int, width: int, d_model: int) -> Pick:
    """The last pick, moved to the pinned token and inside matrices that may have shrunk."""
    pick = session.picked("projections") or Pick("product", token, 0)
    if pick.panel == "right":
        return Pick("right", min(pick.row, d_model - 1), min(pick.col, width - 1))
    limit = width if pick.panel == "product" else d_model
    return Pick(pick.panel, token, min(pick.col, limit - 1))


def _pick(pick: Pick, role: str) -> None:
    session.remember_pick("projections", pick)
    if pick.panel == "right":
        return
    if role == "query":
        session.pin(query=pick.row)
    else:
        session.pin(key=pick.row)


def _edit(typed: Edit, role: str) -> None:
    """Write what was typed or pasted into X or the head's columns of W."""
    if typed.panel == "left":
        session.change(
            lambda now: edit.paste_embeddings(now, typed.row, typed.col, parse_input(typed.text))
        )
    else:
        start = session.experiment().head_columns(session.head(), ROLES[role]).start
        session.write_numbers(ROLES[role], typed, start)


def _three_roles(result: Trace, head: int, columns: Sequence[DeltaGenerator]) -> None:
    """What the pinned tokens ask, announce and hand over, in real numbers."""
    labels = describe.short_labels(session.experiment())
    sentences = {
        "query": _("{token} asks:", token=labels[_token("query")]),
        "key": _("{token} announces:", token=labels[_token("key")]),
        "value": _("{token} hands over:", token=labels[_token("value")]),
    }
    for column, role in zip(columns, ROLES, strict=True):
        vector = getattr(result, role)[head, _token(role)]
        numbers = ", ".join(significant(x, 2) for x in vector[:SHOWN])
        more = ", …" if len(vector) > SHOWN else ""
        column.caption(f"{literal(sentences[role])}  \n\\[{numbers}{more}\\]")


shell.show(
    "projections",
    mark("One vector, three matrices: it asks, announces, hands over."),
    body,
    aside=two_sentences.heading,
)
