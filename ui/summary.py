"""The whole chain for the pinned pair: one line a step, and one paragraph to take away."""

from collections.abc import Iterable
from functools import reduce

import numpy as np
import streamlit as st

from core.experiment import Experiment
from core.explain import explain
from core.heads import head_contributions
from core.trace import Trace, trace
from ui import describe, formulas, session
from ui.heads.names import head_name
from ui.ideas import idea
from ui.language import _, _n, percent, significant
from ui.literal import literal
from ui.whole import show_pipeline

_SHOWN = 6  # numbers of a vector; the rest is three dots


def chain() -> None:
    """Picture, steps, paragraph."""
    experiment, head = session.experiment(), session.head()
    query, key = session.pair()
    result = trace(experiment)
    with idea("pipeline"):
        show_pipeline("summary-pipeline", experiment, result)
    with idea("chain"):
        _steps(experiment, result, head, query, key)
    with idea("words"):
        said = paragraph(experiment, result, head, query, key)
        if session.lectures():
            st.markdown(literal(said))
        else:
            st.code(said, language=None, wrap_lines=True)


def _steps(experiment: Experiment, result: Trace, head: int, query: int, key: int) -> None:
    """Where each step is at home, and its arithmetic for this pair."""
    stages = (
        ("scores", "dot", "q·k", _("Dot product")),
        ("scaled_scores", "scaling", "÷ √d_k", _("Scaling")),
        ("masked_scores", "masks", _("mask"), _("Masks")),
        ("weights", "softmax", "softmax", _("Softmax")),
    )
    with st.container(key="summary-steps", gap=None):
        vectors = (("q", result.query[head, query]), ("k", result.key[head, key]),
                   ("v", result.value[head, key]))  # fmt: skip
        row = st.columns([1, 1, 5], vertical_alignment="center")
        row[0].page_link("pages/projections.py", label=_("Projections"))
        row[1].markdown("**q, k, v**")
        row[2].markdown(" · ".join(f"{name} = {_vector(values)}" for name, values in vectors))
        for stage, page, symbol, title in stages:
            row = st.columns([1, 1, 5], vertical_alignment="center")
            row[0].page_link(f"pages/{page}.py", label=title)
            row[1].markdown(f"**{symbol}**")
            worked_out = explain(experiment, result, stage, head, query, key)
            row[2].markdown(f"${formulas.formula(worked_out, experiment)}$")


def paragraph(experiment: Experiment, result: Trace, head: int, query: int, key: int) -> str:
    """The chain in words and numbers, as plain text."""
    labels = describe.short_labels(experiment)
    weight = float(result.weights[head, query, key])
    share = head_contributions(experiment, result)[head, query]
    values = {
        "head": head_name(experiment, head),
        "query": labels[query],
        "key": labels[key],
        "q": _vector(result.query[head, query]),
        "k": _vector(result.key[head, key]),
        "v": _vector(result.value[head, key]),
        "score": significant(result.scores[head, query, key], 4),
        "divisor": significant(experiment.divisor_value * experiment.temperature, 4),
        "scaled": significant(result.scaled_scores[head, query, key], 4),
        "weight": percent(weight, 2),
        "taken": _vector(weight * result.value[head, key]),
        "head_output": _vector(result.head_outputs[head, query]),
        "norm": significant(np.linalg.norm(share), 3),
        "output": _vector(result.output[query]),
    }
    sentences = [
        _("{head}: “{query}” asks with q = {q}, and “{key}” announces k = {k}.", **values),
        _("Their dot product is {score}; divided by {divisor} that is {scaled}.", **values),
    ]
    if result.allowed[query, key]:
        sentences.append(
            _n(
                "Softmax over {count} key makes it a weight of {weight}, so “{query}” takes "
                "{weight} of v = {v}, which is {taken}.",
                "Softmax over {count} keys makes it a weight of {weight}, so “{query}” takes "
                "{weight} of v = {v}, which is {taken}.",
                count=int(result.allowed[query].sum()),
                **values,
            )
        )
    else:
        sentences.append(_("The mask forbids it: the weight is 0.", **values))
    sentences.append(
        _("With all keys together the head's output for “{query}” is {head_output}.", **values)
    )
    if experiment.w_o is not None:
        sentences.append(
            _n(
                "W_O turns that into a contribution of length {norm}; there is no other head, so "
                "the output row is {output}.",
                "W_O turns that into a contribution of length {norm}; with all {count} heads the "
                "output row is {output}.",
                count=experiment.num_heads,
                **values,
            )
        )
    return reduce(lambda one, two: _("{one} {two}", one=one, two=two), sentences)


def _vector(values: Iterable[float]) -> str:
    numbers = [significant(value, 3) for value in np.asarray(values)]
    more = ", …" if len(numbers) > _SHOWN else ""
    return f"[{', '.join(numbers[:_SHOWN])}{more}]"
