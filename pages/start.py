"""Start: one sentence, its attention, and the whole computation at a glance."""

import streamlit as st

from core.trace import trace
from ui import controls, describe, figures, library, plot, sentence, session, shell
from ui.language import _, mark
from ui.tiles import tiles

shell.guard()


def body() -> None:
    """Sentence, lines, pipeline; or the library."""
    if library.shows():
        library.lesson()
        return
    experiment, head = session.experiment(), session.head()
    query, key = session.pair()
    result = trace(experiment)
    labels = experiment.labels()

    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        library.choice()
        sentence.field(width=340)
        _legend()
    controls.choose_token("start-query", _pin_query)
    plot.show(
        figures.token_lines(labels, result.weights[head], query, key, faintest=0.2, height=140),
        key="start-lines",
        alt=describe.lines_alt(experiment, result.weights[head], query),
    )
    plot.show(
        figures.pipeline(
            tiles(experiment, result, head),
            dict.fromkeys(("scores", "scaled_scores", "masked_scores", "weights"), (query, key)),
        ),
        key="start-pipeline",
        alt=describe.pipeline_alt(experiment, head),
    )
    sentence.unknown_words()


def _legend() -> None:
    st.caption(
        _(
            "Lines are as thick as the weight: orange to the pinned word, violet to the others, "
            "grey for the other words. Cells: blue above 0, orange below, violet for weights."
        ),
        width=640,
    )


def _pin_query(query: int) -> None:
    """Pin the picked word, and the key that it looks at most."""
    weights = trace(session.experiment()).weights[session.head(), query]
    session.pin(query, int(weights.argmax()))


shell.show(
    "start",
    mark("Every word looks at all words and mixes what they say. Pick one."),
    body,
    aside=library.heading,
)
