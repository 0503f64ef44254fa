"""Attention heatmap: from scores to weights to output, stage by stage."""

from collections.abc import Callable
from functools import partial

import streamlit as st

from core.trace import masked_rows, trace
from ui import controls, describe, session, shell, stages
from ui.arithmetic import show_arithmetic
from ui.ideas import idea
from ui.language import _, mark
from ui.literal import literal
from ui.panels import Panels

shell.guard()


def body() -> None:
    """Stage, settings, the pinned pair in words, the matrices, the open arithmetic."""
    experiment, head = session.experiment(), session.head()
    result = trace(experiment)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        stage = _stage_choice()
        lines = stage == "weights" and _wants_lines()
    _settings(stage)
    lost = masked_rows(result)
    if lost and session.pair()[0] not in lost:
        labels = describe.listed(describe.short_labels(experiment)[i] for i in lost)
        st.caption(
            literal(_("No key is left for {tokens}: weights and output are 0.", tokens=labels))
        )
    draw: dict[str, Callable[[Panels], stages.Opened]] = {
        "scores": stages.scores,
        "scaled_scores": stages.scaled_scores,
        "masked_scores": stages.masked_scores,
        "weights": partial(stages.weights, lines=lines),
        "head_outputs": stages.head_outputs,
        "output": stages.output,
        "all": stages.all_at_once,
    }
    with idea("matrices"):
        opened = draw[stage](Panels(experiment, result, head))
    show_arithmetic(result, *opened)


def _stage_choice() -> str:
    names = {
        "scores": "1 Q·Kᵀ",
        "scaled_scores": "2 ÷ √d_k",
        "masked_scores": _("3 mask"),
        "weights": "4 softmax",
        "head_outputs": "5 × V",
        "output": "6 × W_O",
        "all": _("all at once"),
    }
    return controls.steps("stage", _("Stage"), names, "weights")


def _wants_lines() -> bool:
    names = {"matrix": _("matrix"), "lines": _("lines")}
    return controls.option("view", _("View"), names, "matrix") == "lines"


def _settings(stage: str) -> None:
    """Mask, divisor and temperature; in a lecture those that the stage is about."""
    now, lectures = session.experiment(), session.lectures()
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        if not lectures or stage == "masked_scores":
            st.markdown(_("Mask"), width="content")
            masks = {"none": _("none"), "causal": _("causal"), "manual": _("by hand")}
            controls.choose("mask", _("Mask"), masks, now.mask, _set_mask)
        if not lectures or stage == "scaled_scores":
            st.markdown(_("Divisor"), width="content")
            divisors = describe.divisors(now)
            controls.choose("divisor", _("Divisor"), divisors, now.divisor, _set_divisor)
        if lectures:
            return
        st.markdown(_("Temperature (not in the paper)"), width="content")
        # A file or a link may lie outside of what the slider offers.
        limits = (min(0.1, now.temperature), max(5.0, now.temperature))
        controls.slide(
            "temperature",
            _("Temperature"),
            now.temperature,
            limits,
            lambda chosen: session.change(lambda e: e.with_(temperature=float(chosen))),
            step=0.1,
            width=150,
        )


def _set_mask(chosen: str) -> None:
    """A mask by hand starts from the one before, and is edited at its own stage."""
    if chosen == "manual":
        session.change(lambda now: now.with_(mask="manual", allowed=now.may_attend))
        session.set_option("stage", "weights", "masked_scores")
    else:
        session.change(lambda now: now.with_(mask=chosen))


def _set_divisor(chosen: str) -> None:
    session.change(lambda now: now.with_(divisor=chosen))


shell.show("heatmap", mark("Scores become weights, and weights mix values."), body)
