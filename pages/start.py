"""Start: one sentence, its attention, and the whole computation at a glance."""

import streamlit as st

from core.trace import trace
from ui import controls, describe, figures, library, palette_choice, plot, sentence, session, shell
from ui.ideas import height, idea
from ui.language import mark
from ui.whole import show_pipeline

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

    with idea("lines"):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            library.choice()
            sentence.field(width=340)
            if not session.lectures():
                _legend()
        controls.choose_token("start-query", session.pin_strongest)
        plot.show(
            figures.token_lines(
                labels, result.weights[head], query, key, faintest=0.2, height=height(140, 200)
            ),
            key="start-lines",
            alt=describe.lines_alt(experiment, result.weights[head], query),
        )
    with idea("pipeline"):
        show_pipeline("start-pipeline", experiment, result)
    sentence.unknown_words()


def _legend() -> None:
    st.caption(palette_choice.legend(), width=640)


shell.show(
    "start",
    mark("Every word looks at all words and mixes what they say. Pick one."),
    body,
    aside=library.heading,
)
