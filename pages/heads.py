"""Heads: every head's weights at once, on one colour scale."""

import streamlit as st

from core.trace import trace
from ui import describe, figures, session, shell
from ui.language import _, mark
from ui.literal import literal
from ui.tiles import weights_tile

shell.guard()


def body() -> None:
    """One small heatmap a head, and what the pinned token looks at in each."""
    experiment = session.experiment()
    result = trace(experiment)
    query, key = session.pair()
    names = experiment.head_names or ("",) * experiment.num_heads
    columns = min(experiment.num_heads, 4)
    rows = -(-experiment.num_heads // columns)
    st.plotly_chart(
        figures.grid(
            [
                weights_tile(
                    experiment, result, t, title=_("head {head}", head=t) + f" {names[t]}".rstrip()
                )
                for t in range(experiment.num_heads)
            ],
            columns=columns,
            axes=(_("query: who looks"), _("key: who is looked at")),
            outline=(query, key),
            height=420 if rows == 1 else 104 + 230 * rows,
        ),
        key="heads-grid",
        config={"displayModeBar": False},
        alt=describe.heads_alt(experiment, result, query),
    )
    labels = describe.short_labels(experiment)
    for column, start in zip(st.columns(columns), range(columns), strict=True):
        for t in range(start, experiment.num_heads, columns):
            keys = describe.strongest(labels, result.weights[t, query])
            column.markdown(
                literal(
                    _(
                        "Head {head}: {query} looks at {keys}.",
                        head=t,
                        query=labels[query],
                        keys=keys or _("nothing"),
                    )
                )
            )


shell.show(
    mark("Each head asks a question of its own."),
    body,
)
