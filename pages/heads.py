"""Heads: every head's weights at once, on one colour scale."""

import streamlit as st

from core.trace import trace
from ui import describe, figures, session, shell
from ui.language import _, mark
from ui.literal import literal
from ui.panels import pair_axes
from ui.tiles import weights_tile

shell.guard()


def body() -> None:
    """One small heatmap a head, and what the pinned token looks at in each."""
    experiment = session.experiment()
    result = trace(experiment)
    query, key = session.pair()
    columns = min(experiment.num_heads, 4)
    rows = -(-experiment.num_heads // columns)
    st.plotly_chart(
        figures.grid(
            [
                weights_tile(experiment, result, t, title=_title(t))
                for t in range(experiment.num_heads)
            ],
            columns=columns,
            axes=pair_axes(),
            outline=(query, key),
            height=420 if rows == 1 else 104 + 230 * rows,
        ),
        key="heads-grid",
        config={"displayModeBar": False},
        alt=describe.heads_alt(experiment, result, query),
    )
    if experiment.num_heads == 1:
        st.caption(_("This experiment has one head. Open another one to compare several."))
    for first, column in enumerate(st.columns(columns)):
        for t in range(first, experiment.num_heads, columns):
            column.markdown(literal(describe.looks_at(experiment, result, t, query)))


def _title(head: int) -> str:
    names = session.experiment().head_names
    title = _("head {head}", head=head) + (f" {names[head]}" if names else "")
    return f"▸ {title}" if head == session.head() else title


shell.show(
    mark("Each head asks a question of its own."),
    body,
)
