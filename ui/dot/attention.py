"""The pinned query and key: their score is a dot product, and why it is not a cosine."""

import numpy as np
import streamlit as st

from core.dot import MOST_BY_COSINE, DotProduct, compare, cosines, disagreement
from core.explain import explain_score, numbered
from core.trace import Trace, trace
from ui import controls, describe, formulas, plot, session
from ui.bars import Bars, bar_charts
from ui.ideas import columns, height, idea
from ui.language import _, decimal, significant
from ui.literal import literal
from ui.matrix import Pick, matrix_product, panel
from ui.panels import component_texts, stage_name


def attention() -> None:
    """The query's row as dot products and as cosines; the pinned cell term by term; why."""
    experiment, head = session.experiment(), session.head()
    query, key = session.pair()
    result = trace(experiment)
    labels = describe.short_labels(experiment)
    with idea("row"):
        _row(result, head, query, key)
    pair = compare(result.query[head, query], result.key[head, key])
    name = f"{stage_name('scores')}[{labels[query]}, {labels[key]}]"
    with (
        idea("sum"),
        st.container(key="arithmetic", horizontal=True, vertical_alignment="center"),
    ):
        st.markdown(f"**{literal(name)}** =", width="content")
        explanation = explain_score(result, head, query, key)
        st.latex(formulas.formula(explanation, experiment), width="content")
    picture, text = columns([1, 1.35], ("terms", "why"))
    with picture:
        _terms(result, head, query, key, pair)
    with text:
        st.markdown(_by_angle(pair))
        st.markdown(_why())
        st.markdown(_orders(result, head, query))


def query_choice() -> None:
    """Choose the query, beside the choice of the lesson; a lecture has keys for it."""
    if session.lectures():
        return
    labels = describe.short_labels(session.experiment())
    st.space("stretch")
    st.markdown(_("query"), width="content")
    controls.choose(
        "dot-query",
        _("query"),
        dict(enumerate(labels)),
        session.pair()[0],
        lambda chosen: session.pin(query=chosen),
        dropdown=True,
        width=200,
    )


def _row(result: Trace, head: int, query: int, key: int) -> None:
    labels = session.experiment().labels()
    asking = describe.short_labels(session.experiment())[query]
    keys = result.key[head]
    lengths = [compare(one, one).length_a for one in keys]
    values = np.array(
        [result.scores[head, query], lengths, cosines(result.query[head, query], keys)]
    )
    matrix_product(
        panel(
            _("row"),
            values,
            ["q · k", "|k|", "cos θ"],
            labels,
            title=_(
                "{query} and every key; a key of length 0 has no angle",
                query=asking,
            )
            if np.isnan(values).any()
            else _("{query} and every key", query=asking),
            scale="plain" if len(labels) <= 12 else "signed",
        ),
        key="dot-row",
        pick=Pick("product", 0, key),
        on_pick=lambda pick: session.pin(key=pick.col),
        texts=component_texts(),
        max_height=height(150, 250),
    )  # fmt: skip


def _terms(result: Trace, head: int, query: int, key: int, pair: DotProduct) -> None:
    score = float(result.scores[head, query, key])
    plot.show(
        bar_charts(
            [
                Bars(
                    _("products q_t · k_t, and their sum: the score"),
                    numbered(pair.terms.size),
                    pair.terms,
                    [significant(term, 3) for term in pair.terms],
                    total=(_("sum"), significant(score, 3)),
                )
            ],
            height=height(212, 300),
            width=510,
        ),
        key="dot-score",
        alt=_(
            "The products of query and key, number by number; they add up to {sum}.",
            sum=significant(score, 3),
        ),
    )


def _by_angle(pair: DotProduct) -> str:
    """The cosine beside the dot product, where there is one."""
    if pair.cosine != pair.cosine:
        return _("One of the two has length 0: the dot product is 0, and there is no cosine.")
    return _(
        "Dot product **{value}** = |q| {length_q} · |k| {length_k} · cosine **{cosine}**",
        value=significant(pair.value, 3),
        length_q=significant(pair.length_a, 3),
        length_k=significant(pair.length_b, 3),
        cosine=decimal(pair.cosine, 3),
    )


def _why() -> str:
    return _(
        "**Why not the cosine?** Length is a voice: a long key is heard by every query that leans "
        "its way, and a long query makes its row sharp. With cosines no weight could be more than "
        "e² = {most} times another. It is a choice and no law: some models take cosines, times a "
        "learned number.",
        most=decimal(MOST_BY_COSINE, 2),
    )


def _orders(result: Trace, head: int, query: int) -> str:
    """Two keys of the row whose order depends on the measure, or that there are none."""
    labels = describe.short_labels(session.experiment())
    q, keys = result.query[head, query], result.key[head]
    found = disagreement(q, keys, result.allowed[query])
    if found is None:
        return literal(_("Among the keys that have an angle both give the same order here."))
    longer, closer = (compare(q, keys[place]) for place in found)
    return literal(
        _(
            "For {query} the order differs: {longer} has the larger dot product, {big} against "
            "{small}, but {closer} the larger cosine, {near} against {far}.",
            query=labels[query],
            longer=labels[found[0]],
            closer=labels[found[1]],
            big=significant(longer.value, 3),
            small=significant(closer.value, 3),
            near=decimal(closer.cosine, 3),
            far=decimal(longer.cosine, 3),
        )
    )
