"""How a head does its job: the pair's score, split into pairs of dimensions."""

import numpy as np
import streamlit as st

from core import presets
from core.explain import numbered
from core.heads import ScoreTerms, score_terms
from core.trace import Trace, trace
from ui import controls, describe, session
from ui.heads.names import head_name
from ui.ideas import columns, height
from ui.language import _, significant
from ui.literal import literal
from ui.matrix import Pick, matrix_product, panel
from ui.panels import component_texts

_SHOWN = 6


def how_it_works() -> None:
    """W_Q W_Kᵀ on the left, what the pinned pair makes of it on the right."""
    experiment, head = session.experiment(), session.head()
    query, key = session.pair()
    result = trace(experiment)
    split = score_terms(experiment, result, head, query, key)
    if not session.lectures():
        controls.choose_token("job-query", session.pin_strongest)
    left, right = columns([1.05, 1], ("matrix", "terms"))
    names = split.dimensions if experiment.dimension_names else numbered(len(split.query))
    with left:
        matrix_product(
            panel(
                "W_Q·W_Kᵀ",
                split.matrix,
                names,
                names,
                row_axis=_("the query has"),
                col_axis=_("the key has"),
                title=_("W_Q·W_Kᵀ: what asks for what"),
            ),
            key="head-bilinear",
            pick=_strongest(split),
            texts=component_texts(),
            max_height=height(400, 378),
        )
    with right:
        _terms(split, result)


def _strongest(split: ScoreTerms) -> Pick | None:
    cells = split.strongest(1)
    return Pick("product", *cells[0]) if cells else None


def _terms(split: ScoreTerms, result: Trace) -> None:
    """The largest terms as sentences with their numbers, and their sum."""
    experiment, head = session.experiment(), session.head()
    query, key = session.pair()
    labels = describe.short_labels(experiment)
    score = float(result.scores[head, query, key])
    st.markdown(
        literal(
            _(
                "{head}: the score of {query} → {key} is {score}. It adds up from:",
                head=head_name(experiment, head),
                query=labels[query],
                key=labels[key],
                score=significant(score, 4),
            )
        )
    )
    cells = split.strongest(_SHOWN)
    if not cells:
        st.markdown(
            _(
                "nothing: this query has no dimension that asks for one of the key's. A score of 0 "
                "is neither for nor against."
            )
        )
    lines = [
        _("| the query has | W_Q·W_Kᵀ | the key has | adds |"),
        "|---|---:|---|---:|",
    ]
    for a, b in cells:
        lines.append(
            f"| {literal(split.dimensions[a])}: {significant(split.query[a], 3)} | "
            f"{significant(split.matrix[a, b], 3)} | "
            f"{literal(split.dimensions[b])}: {significant(split.key[b], 3)} | "
            f"**{significant(split.terms[a, b], 3, plus=True)}** |"
        )
    rest = score - sum(float(split.terms[cell]) for cell in cells)
    others = int(np.count_nonzero(split.terms)) - len(cells)
    if others > 0:
        adds = significant(rest, 3, plus=True)
        lines.append(_("| {count} more | | | {sum} |", count=others, sum=adds))
    if cells:
        lines.append(_("| **sum** | | | **{score}** |", score=significant(score, 4)))
        with st.container(key="numbers-job"):
            st.markdown("\n".join(lines))
    _meaning(split, cells)


def _meaning(split: ScoreTerms, cells: list[tuple[int, int]]) -> None:
    experiment = session.experiment()
    if experiment.preset == presets.RANDOM or not experiment.dimension_names:
        st.markdown(
            _(
                "These weights were drawn at random or learned, and no dimension has a name. There "
                "is no job to read off here: many small terms of either sign add up by chance."
            )
            if experiment.preset in (presets.RANDOM, "article-numbers")
            else _(
                "No dimension of this experiment has a name, so what asks for what cannot be said "
                "in words. What a trained head does shows elsewhere: see Learning, lesson 2."
            )
        )
        return
    if cells:
        st.markdown(_asks(split, cells))


def _asks(split: ScoreTerms, cells: list[tuple[int, int]]) -> str:
    """Name what the strongest terms have in common: one dimension of the query, some of the key."""
    largest = abs(split.terms[cells[0]])
    asking = cells[0][0]
    strong = [b for a, b in cells if a == asking and split.terms[a, b] >= largest / 2]
    if not strong:
        return _(
            "So in this head **{a}** pushes **{b}** away.",
            a=literal(split.dimensions[asking]),
            b=literal(split.dimensions[cells[0][1]]),
        )
    if split.matrix[cells[0]] < 0:
        return _(
            "So in this head **{a}** asks for **{b}** of the opposite sign.",
            a=literal(split.dimensions[asking]),
            b=literal(split.dimensions[cells[0][1]]),
        )
    return _(
        "So in this head **{a}** asks for {b}.",
        a=literal(split.dimensions[asking]),
        b=describe.listed(f"**{literal(split.dimensions[b])}**" for b in strong),
    )
