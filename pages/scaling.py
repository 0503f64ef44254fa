"""Scaling: the same scores with and without the divisor."""

import numpy as np
import streamlit as st

from core.metrics import entropy_bits
from core.trace import trace
from ui import figures, session, shell
from ui.language import _, mark
from ui.panels import pair_axes
from ui.tiles import weights_tile

shell.guard()


def body() -> None:
    """Two heatmaps on one colour scale, and what the divisor does to the pinned row."""
    experiment, head = session.experiment(), session.head()
    query, key = session.pair()
    arms = {
        _("without: softmax(Q·Kᵀ)"): experiment.with_(divisor="none"),
        _("with: softmax(Q·Kᵀ ÷ √{d_k})", d_k=experiment.d_k): experiment.with_(divisor="sqrt_d_k"),
    }
    results = {title: trace(arm) for title, arm in arms.items()}
    st.plotly_chart(
        figures.grid(
            [
                weights_tile(experiment, result, head, title=title)
                for title, result in results.items()
            ],
            columns=2,
            axes=pair_axes(),
            outline=(query, key),
            height=400,
        ),
        key="scaling-pair",
        config={"displayModeBar": False},
        alt=_("Weights without and with the divisor, side by side on one colour scale."),
    )
    for column, result in zip(st.columns(2), results.values(), strict=True):
        row = result.weights[head, query]
        facts = (
            (_("std of the scores"), f"{np.std(result.scaled_scores[head]):.2f}"),
            (_("largest weight"), f"{row.max():.1%}"),
            (_("entropy"), _("{bits} bits", bits=f"{entropy_bits(row):.2f}")),
        )
        for metric, (label, value) in zip(column.columns(len(facts)), facts, strict=True):
            metric.metric(label, value)


shell.show(
    mark("The same scores, with and without ÷ √d_k."),
    body,
)
