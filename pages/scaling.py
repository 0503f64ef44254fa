"""Scaling: why the scores are divided by √d_k, measured link by link."""

import streamlit as st

from ui import controls, law, own_scores, shell
from ui.language import _, mark

shell.guard()


def body() -> None:
    """One step of the argument at a time."""
    names = {
        "own": _("1 your sentence"),
        "spread": _("2 scores grow"),
        "learning": _("3 softmax and gradient"),
        "overflow": _("4 not overflow"),
        "figures": _("5 what is often said"),
    }
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        step = controls.steps("why", _("Step"), names, "own")
        if step == "own":
            own_scores.width()
    draw = {
        "own": own_scores.four_divisors,
        "spread": law.spread,
        "learning": law.learning,
        "overflow": law.overflow,
        "figures": law.loose_figures,
    }
    draw[step]()


shell.show(
    "scaling",
    mark("Why ÷ √d_k: wide scores saturate softmax, and its gradient fades."),
    body,
)
