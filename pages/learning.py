"""Learning: a small attention layer is trained before the reader's eyes, with and without √d_k."""

import streamlit as st

from ui import controls, lessons, shell
from ui.language import _, mark

shell.guard()


def body() -> None:
    """One lesson at a time."""
    names = {
        "race": _("1 the race"),
        "formed": _("2 what forms"),
        "seeds": _("3 many seeds"),
        "depth": _("4 why depth"),
    }
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        lesson = controls.steps("lesson", _("Lesson"), names, "race")
        lessons.controls_of(lesson)
    draw = {
        "race": lessons.the_race,
        "formed": lessons.formed,
        "seeds": lessons.many_seeds,
        "depth": lessons.depth,
    }
    draw[lesson]()


shell.show(
    "learning",
    mark("Watch attention learn, step by step."),
    body,
    experiment=False,
)
