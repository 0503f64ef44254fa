"""Dot product: one number for how alike two vectors point."""

import streamlit as st

from ui import controls, shell
from ui.dot import arrows, attention, dimensions, people
from ui.drag import drag_code
from ui.language import _, mark

shell.guard()


def body() -> None:
    """One lesson at a time, from two arrows to a score of the experiment."""
    names = {
        "arrows": _("1 two arrows"),
        "people": _("2 people and hobbies"),
        "dimensions": _("3 more dimensions"),
        "attention": _("4 query and key"),
    }
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        lesson = controls.steps("dot", _("Lesson"), names, "arrows")
        if lesson == "attention":
            attention.query_choice()
    draw = {
        "arrows": arrows.two_arrows,
        "people": people.people,
        "dimensions": dimensions.dimensions,
        "attention": attention.attention,
    }
    draw[lesson]()


shell.show(
    "dot",
    mark("A dot product tells whether two arrows agree, and how strongly."),
    body,
)
drag_code()
