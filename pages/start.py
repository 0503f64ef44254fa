"""Start: one sentence, its attention, and the whole computation at a glance."""

import streamlit as st

from core.trace import trace
from ui import describe, figures, session, shell
from ui.language import _, mark
from ui.literal import literal
from ui.tiles import tiles

shell.guard()


def body() -> None:
    """Sentence, lines, pipeline."""
    experiment, head = session.experiment(), session.head()
    query, key = session.pair()
    result = trace(experiment)
    labels = experiment.labels()

    st.session_state["start-query"] = query
    st.pills(
        _("Pick the word that looks"),
        list(range(experiment.n)),
        key="start-query",
        required=True,
        format_func=lambda i: literal(labels[i]),
        on_change=_pin_query,
        label_visibility="collapsed",
    )
    st.plotly_chart(
        figures.token_lines(labels, result.weights[head], query, key, faintest=0.2, height=180),
        key="start-lines",
        config={"displayModeBar": False},
        alt=describe.lines_alt(experiment, result.weights[head], query),
    )
    st.plotly_chart(
        figures.pipeline(
            tiles(experiment, result, head),
            dict.fromkeys(("scores", "scaled_scores", "masked_scores", "weights"), (query, key)),
        ),
        key="start-pipeline",
        config={"displayModeBar": False},
        alt=describe.pipeline_alt(experiment, head),
    )
    shell.path()


def _pin_query() -> None:
    """Pin the picked word, and the key that it looks at most."""
    query = st.session_state["start-query"]
    weights = trace(session.experiment()).weights[session.head(), query]
    session.pin(query, int(weights.argmax()))


shell.show(
    mark("Every word looks at all words and mixes what they say. Pick one."),
    body,
)
