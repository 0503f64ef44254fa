"""Heads: many questions at once, what each one does, how their answers are joined."""

import streamlit as st

from ui import controls, session, shell
from ui.heads import cost, counts, grid, job, mistakes, one_or_many, output, query
from ui.language import _, mark

shell.guard()


def body() -> None:
    """One lesson at a time, on the experiment's own heads."""
    names = {
        "grid": _("1 all heads"),
        "query": _("2 one query"),
        "job": _("3 job"),
        "one": _("4 one or many"),
        "cost": _("5 cost"),
        "output": _("6 joined"),
        "mistakes": _("7 mistakes"),
    }
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        lesson = controls.steps("part", _("Lesson"), names, "grid")
        if not session.lectures():
            st.space("stretch")
            counts.shape()
    draw = {
        "grid": grid.grid,
        "query": query.one_query,
        "job": job.how_it_works,
        "one": one_or_many.one_or_many,
        "cost": cost.costs,
        "output": output.output,
        "mistakes": mistakes.mistakes,
    }
    draw[lesson]()


shell.show(
    "heads",
    mark("Each head asks a question of its own."),
    body,
)
