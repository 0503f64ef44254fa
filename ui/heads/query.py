"""One query through all heads: lines in a colour a head, and the same as a table."""

import numpy as np
import streamlit as st

from core.trace import trace
from ui import describe, plot, session
from ui.heads.figures import query_lines
from ui.heads.names import head_names
from ui.heads.switches import switches
from ui.ideas import height, idea
from ui.language import _, percent
from ui.matrix import Pick, matrix_product, panel
from ui.panels import component_texts

_THRESHOLDS = (0.0, 0.01, 0.05, 0.1, 0.2, 0.5)


def one_query() -> None:
    """Choose the query, the heads and how much a line must carry; lines; table."""
    experiment = session.experiment()
    result = trace(experiment)
    query, key = session.pair()
    names = head_names(experiment)
    labels = experiment.labels()
    rows = result.weights[:, query]
    with idea("lines"):
        shown = switches("query", _("Heads that are drawn"), names)
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.markdown(_("lines from"), width="content")
            threshold = st.select_slider(
                _("Smallest weight that is drawn"),
                _THRESHOLDS,
                value=0.1,
                format_func=lambda t: percent(t),
                label_visibility="collapsed",
                key="query-threshold",
                width=170,
            )
        plot.show(
            query_lines(
                labels, rows, query, names, shown, threshold=threshold, height=height(235, 300)
            ),
            key="heads-lines",
            alt=_(
                "Lines from {query} in each head. {heads}",
                query=describe.short_labels(experiment)[query],
                heads=" ".join(
                    describe.looks_at(experiment, result, t, query) for t in range(len(names))
                ),
            ),
        )
    with idea("table"):
        matrix_product(
            panel(
                _("weights of {query}", query=describe.short_labels(experiment)[query]),
                rows,
                names,
                labels,
                row_axis=_("head"),
                col_axis=_("key: who is looked at"),
                scale="weights",
                masked=np.broadcast_to(~result.allowed[query], rows.shape),
            ),
            key="heads-table",
            pick=Pick("product", session.head(), key),
            on_pick=_pick,
            texts=component_texts(),
            max_height=height(210, 330),
        )


def _pick(pick: Pick) -> None:
    session.set_head(pick.row)
    session.pin(key=pick.col)
