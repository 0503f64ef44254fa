"""Masks: who may look at whom."""

import streamlit as st

from ui import controls, masking, shell
from ui.language import _, mark

shell.guard()


def body() -> None:
    """One lesson at a time, on the experiment's own sentence."""
    names = {
        "ahead": _("1 not ahead"),
        "minus": _("2 why −∞"),
        "arrive": _("3 one by one"),
    }
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        lesson = controls.steps("masks", _("Lesson"), names, "ahead")
    draw = {
        "ahead": masking.no_looking_ahead,
        "minus": masking.minus_infinity,
        "arrive": masking.one_by_one,
    }
    draw[lesson]()


shell.show(
    "masks",
    mark("A mask says who may look at whom. A decoder must not look ahead."),
    body,
)
