"""Attention heatmap: from scores to weights to output, stage by stage."""

from collections.abc import Callable
from functools import partial

import numpy as np
import streamlit as st

from core import edit
from core.arrays import Array
from core.metrics import entropy_bits, received, row_sums
from core.trace import masked_rows, trace
from ui import controls, describe, figures, session, shell
from ui.arithmetic import show_arithmetic
from ui.language import _, mark
from ui.literal import literal
from ui.matrix import Edit, Panel, Pick, matrix_product, panel
from ui.panels import Panels, component_texts

shell.guard()

STAGES = ("scores", "scaled_scores", "masked_scores", "weights", "head_outputs")
ALL = "all"
HEIGHT = 300


def body() -> None:
    """Controls, the chosen stage, the pinned pair, its arithmetic."""
    experiment = session.experiment()
    result = trace(experiment)
    panels = Panels(experiment, result, session.head())
    query, key = session.pair()
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        stage = _stage_choice()
        lines = stage == "weights" and _wants_lines()
        sentence = describe.pinned_sentence(experiment, result, session.head(), query, key)
        st.markdown(f"**{literal(sentence)}**", width="content")
    _settings()
    lost = masked_rows(result)
    if lost and query not in lost:
        labels = ", ".join(experiment.labels()[i] for i in lost)
        st.caption(
            literal(_("No key is left for {tokens}: weights and output are 0.", tokens=labels))
        )
    draw: dict[str, Callable[[Panels], None]] = {
        "scores": _scores,
        "scaled_scores": _scaled,
        "masked_scores": _masked,
        "weights": partial(_weights, lines=lines),
        "head_outputs": _output,
        ALL: _all_at_once,
    }
    draw[stage](panels)
    if stage == "head_outputs":
        show_arithmetic(result, stage, query, _output_column(panels))
    else:
        show_arithmetic(result, "weights" if stage == ALL else stage, query, key)


def _stage_choice() -> str:
    names = {
        "scores": _("1 Q·Kᵀ"),
        "scaled_scores": _("2 ÷ divisor"),
        "masked_scores": _("3 mask"),
        "weights": _("4 softmax"),
        "head_outputs": _("5 · V"),
        ALL: _("all at once"),
    }
    back = st.container(width="content")
    chosen = controls.option("stage", _("Stage"), names, "weights")
    forward = st.container(width="content")
    order = list(names)
    place = order.index(chosen)
    for column, icon, label, to in (
        (back, "chevron_left", _("Step back"), place - 1),
        (forward, "chevron_right", _("Next step"), place + 1),
    ):
        column.button(
            " ",
            key=f"stage-{icon}",
            icon=f":material/{icon}:",
            help=label,
            disabled=not 0 <= to < len(order),
            on_click=session.set_option,
            args=("stage", "weights", order[to % len(order)]),
            type="tertiary",
        )
    return chosen


def _settings() -> None:
    now = session.experiment()
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        _setting(
            "mask",
            _("Mask"),
            {"none": _("none"), "causal": _("causal"), "manual": _("by hand")},
        )
        _setting(
            "divisor",
            _("Divisor"),
            {
                "sqrt_d_k": f"√d_k = {np.sqrt(now.d_k):.3g}",
                "none": _("none"),
                "d_k": f"d_k = {now.d_k}",
                "sqrt_d_model": f"√d_model = {np.sqrt(now.d_model):.3g}",
            },
        )
        st.markdown(_("Temperature"), width="content")
        st.session_state["temperature"] = now.temperature
        st.slider(
            _("Temperature"),
            min_value=0.1,
            max_value=5.0,
            key="temperature",
            step=0.1,
            width=180,
            on_change=_set_temperature,
            label_visibility="collapsed",
            help=_("A second divisor, no part of the paper's formula; 1 leaves it out."),
        )


def _set_temperature() -> None:
    session.change(lambda now: now.with_(temperature=float(st.session_state["temperature"])))


def _setting(field: str, label: str, names: dict[str, str]) -> None:
    def write(value: str) -> None:
        if field == "mask" and value == "manual":
            session.change(lambda e: e.with_(mask="manual", allowed=e.may_attend))
        else:
            session.change(lambda e: e.with_(**{field: value}))

    st.markdown(label, width="content")
    controls.choose(field, label, names, getattr(session.experiment(), field), write)


def _pair_panel(
    one: Panel,
    key: str,
    *,
    height: int = HEIGHT,
    left: Panel | None = None,
    right: Panel | None = None,
) -> None:
    """A matrix over pairs: its pick is the pinned pair."""
    query, looked_at = session.pair()
    matrix_product(
        one,
        left,
        right,
        key=key,
        pick=Pick("product", query, looked_at),
        on_pick=_pin,
        texts=component_texts(),
        max_height=height,
    )


def _pin(pick: Pick) -> None:
    if pick.panel == "product":
        session.pin(pick.row, pick.col)
    elif pick.panel == "left":
        session.pin(query=pick.row)
    else:
        session.pin(key=pick.col)


def _scores(panels: Panels) -> None:
    _pair_panel(
        panels.pairs("scores"), "scores", left=panels.role("query"), right=panels.key_transposed()
    )


def _scaled(panels: Panels) -> None:
    before, after = st.columns(2)
    limit = panels.score_limit()
    with before:
        _pair_panel(panels.pairs("scores", limit=limit), "before-scaling")
    with after:
        divisor = panels.experiment.divisor_value * panels.experiment.temperature
        title = _("scaled = scores ÷ {divisor}", divisor=f"{divisor:.4g}")
        _pair_panel(panels.pairs("scaled_scores", limit=limit, title=title), "scaled")


def _masked(panels: Panels) -> None:
    before, after = st.columns(2)
    with before:
        if panels.experiment.mask == "manual":
            query, key = session.pair()
            matrix_product(
                panels.mask(),
                key="mask-by-hand",
                pick=Pick("product", query, key),
                on_pick=_pin,
                on_edit=_toggle,
                texts=component_texts(),
                max_height=HEIGHT,
            )
        else:
            _pair_panel(panels.pairs("scaled_scores"), "before-mask")
    with after:
        title = _("masked: −∞ where a query may not look")
        _pair_panel(panels.pairs("masked_scores", title=title), "masked")


def _toggle(change: Edit) -> None:
    session.pin(change.row, change.col)
    session.change(lambda now: edit.toggle_mask(now, change.row, change.col))


def _wants_lines() -> bool:
    names = {"matrix": _("matrix"), "lines": _("lines")}
    return controls.option("view", _("View"), names, "matrix") == "lines"


def _weights(panels: Panels, *, lines: bool) -> None:
    """The matrix or the lines, and beside it what can be said of each row and column."""
    query, key = session.pair()
    weights = panels.trace.weights[panels.head]
    picture, facts = st.columns([3, 2])
    with picture:
        if not lines:
            _pair_panel(panels.pairs("weights"), "weights")
        else:
            st.plotly_chart(
                figures.token_lines(panels.experiment.labels(), weights, query, key, height=HEIGHT),
                key="weight-lines",
                config={"displayModeBar": False},
                alt=describe.lines_alt(panels.experiment, weights, query),
            )
    with facts:
        matrix_product(
            _facts(panels, weights),
            key="facts",
            texts=component_texts(),
            max_height=HEIGHT,
        )


def _facts(panels: Panels, weights: Array) -> Panel:
    values = np.stack([row_sums(weights), entropy_bits(weights), received(weights)], axis=1)
    return panel(
        _("each token"),
        values,
        panels.experiment.labels(),
        (_("row sum"), _("entropy, bits"), _("receives")),
    )


def _output(panels: Panels) -> None:
    query, _key = session.pair()
    matrix_product(
        panels.head_output(),
        panels.pairs("weights"),
        panels.role("value"),
        key="head-output",
        pick=Pick("product", query, _output_column(panels)),
        on_pick=_pick_output,
        texts=component_texts(),
        max_height=HEIGHT,
    )


def _output_column(panels: Panels) -> int:
    pick = session.picked("head-output")
    return min(pick.col, panels.experiment.d_v - 1) if pick else 0


def _pick_output(pick: Pick) -> None:
    if pick.panel == "left":
        session.pin(pick.row, pick.col)
    elif pick.panel == "product":
        session.remember_pick("head-output", pick)
        session.pin(query=pick.row)
    else:
        session.pin(key=pick.row)


def _all_at_once(panels: Panels) -> None:
    limit = panels.score_limit()
    stages = ("scores", "scaled_scores", "masked_scores", "weights")
    for column, stage in zip(st.columns(len(stages)), stages, strict=True):
        with column:
            shared = None if stage == "weights" else limit
            _pair_panel(panels.pairs(stage, limit=shared), f"all-{stage}", height=240)


shell.show(
    mark("Scores become weights, weights mix values: one row for each token that looks."), body
)
