"""Projections: X times W gives each token its three roles."""

import streamlit as st

from core import edit
from core.experiment import Experiment
from core.numbers import parse_input
from core.trace import Trace, trace
from ui import controls, session, shell
from ui.arithmetic import show_arithmetic
from ui.language import _, mark
from ui.literal import literal
from ui.matrix import Edit, Pick, matrix_product
from ui.panels import ROLE_SYMBOLS, ROLES, Panels, component_texts

shell.guard()


def body() -> None:
    """X × W = Q, K or V of one head; edit X or W, pick a cell to see its arithmetic."""
    experiment, head = session.experiment(), session.head()
    result = trace(experiment)
    panels = Panels(experiment, result, head)
    role = controls.option("role", _("Role"), _role_names(), "query")
    query, _key = session.pair()
    pick = session.picked("projections", Pick("product", query, 0))
    # The pinned token may have changed on another page; a picked product cell follows it.
    if pick is not None and pick.panel == "product":
        pick = Pick("product", query, min(pick.col, panels.role(role).shape[1] - 1))
    matrix_product(
        panels.role(role),
        panels.embeddings(editable=True),
        panels.projection(ROLES[role], editable=True),
        key="projection",
        pick=pick,
        on_pick=_pick,
        on_edit=lambda change: _edit(change, role),
        texts=component_texts(),
        max_height=330,
    )
    row, column = _opened(pick, query)
    show_arithmetic(result, role, row, min(column, panels.role(role).shape[1] - 1))
    _three_roles(experiment, result, query, head)


def _role_names() -> dict[str, str]:
    return {
        "query": _("Q: what it asks"),
        "key": _("K: how it announces itself"),
        "value": _("V: what it hands over"),
    }


def _opened(pick: Pick | None, query: int) -> tuple[int, int]:
    """The product cell whose arithmetic is open for a pick in any of the three panels."""
    if pick is None:
        return query, 0
    return {
        "product": (pick.row, pick.col),
        "left": (pick.row, 0),
        "right": (query, pick.col),
    }[pick.panel]


def _pick(pick: Pick) -> None:
    session.remember_pick("projections", pick)
    if pick.panel != "right":
        session.pin(query=pick.row)


def _edit(change: Edit, role: str) -> None:
    """Write what was typed or pasted into X or the head's columns of W."""

    def make(experiment: Experiment) -> Experiment:
        numbers = parse_input(change.text)
        if change.panel == "left":
            return edit.paste_embeddings(experiment, change.row, change.col, numbers)
        start = experiment.head_columns(session.head(), ROLES[role]).start
        return edit.paste(experiment, ROLES[role], change.row, start + change.col, numbers)

    session.change(make)


def _three_roles(experiment: Experiment, result: Trace, query: int, head: int) -> None:
    """One sentence a role for the pinned token, with its real vectors."""
    token = literal(experiment.labels()[query])
    sentences = {
        "query": _("asks with its query"),
        "key": _("announces itself with its key"),
        "value": _("hands over its value"),
    }
    for column, (role, symbol) in zip(st.columns(3), ROLE_SYMBOLS.items(), strict=True):
        numbers = ", ".join(f"{x:.2f}" for x in getattr(result, role)[head, query][:8])
        column.markdown(f"**{token}** {sentences[role]}  \n{symbol} = [{numbers}]")


shell.show(
    mark("One vector, three matrices: what it asks, how it announces itself, what it hands over."),
    body,
)
