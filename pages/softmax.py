"""Softmax: scores become shares of one whole."""

from collections.abc import Callable

import streamlit as st

from ui import controls, session, shell
from ui.drag import drag_code
from ui.language import _, mark
from ui.soft import constant, differences, scores, stages, temperature
from ui.soft.scores import Row

shell.guard()


def body() -> None:
    """One lesson at a time, all on the same scores."""
    names = {
        "stages": _("1 step by step"),
        "temperature": _("2 temperature"),
        "constant": _("3 what changes nothing"),
        "differences": _("4 differences"),
    }
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        lesson = controls.steps("soft", _("Lesson"), names, "stages")
        st.space("stretch")
        row = scores.choose(shown=not (session.lectures() and lesson == "constant"))
    if row is None:
        st.markdown(_("The mask leaves the pinned row no key: there is nothing to share out."))
        return
    draw: dict[str, Callable[[Row], None]] = {
        "stages": stages.stages,
        "temperature": temperature.temperature,
        "constant": constant.constant,
        "differences": differences.differences,
    }
    draw[lesson](row)


shell.show(
    "softmax",
    mark("Softmax turns scores into shares: e^score, divided by the sum."),
    body,
)
drag_code()
