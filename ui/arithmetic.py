"""The arithmetic of the picked cell, opened below its matrix."""

import numpy as np
import streamlit as st

from core.explain import Masked, PlainSum, Quotient, SoftmaxCell, SumOfProducts, explain
from core.trace import Trace
from ui import describe, drawn, formulas, session
from ui.ideas import height, idea
from ui.language import _, significant
from ui.literal import literal
from ui.matrix import matrix_product, panel
from ui.panels import ROLE_SYMBOLS, ROLES, component_texts, stage_name
from ui.view_page import Line

_LARGE_TERMS = 2  # of a sum that have room on a lecture screen; all of them stand in the table


def show_arithmetic(result: Trace, stage: str, row: int, column: int) -> None:
    """Show how one cell of a stage is computed: formula in numbers, and every term.

    Parameters
    ----------
    result : Trace
        Of the experiment on screen.
    stage : str
        Named as in :class:`~core.trace.Trace`.
    row, column : int
        Within the current head.
    """
    experiment, head = session.experiment(), session.head()
    labels = describe.short_labels(experiment)
    explanation = explain(experiment, result, stage, head, row, column)
    column_label = labels[column] if stage in _OVER_KEYS else str(column)
    if stage == "embeddings":
        column_label = experiment.dimension_labels()[column]
    elif stage == "output":
        column_label = experiment.output_labels()[column]
    name = f"{stage_name(stage)}[{labels[row]}, {column_label}]"
    with idea("arithmetic"), st.container(key="arithmetic", gap="small"):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.markdown(f"**{literal(name)}** =", width="content")
            most = _LARGE_TERMS if session.lectures() else formulas.MAX_TERMS
            formula = formulas.formula(explanation, experiment, most_terms=most)
            st.latex(formula, width="content")
            drawn.note("arithmetic", Line(f"{name} = {formulas.plain(formula)}"))
        if isinstance(explanation, SumOfProducts):
            left, right = _operands(stage, labels[row], column_label)
            _terms(stage, explanation, left, right)
        elif isinstance(explanation, SoftmaxCell):
            _softmax_terms(explanation)
        else:
            st.caption(_in_words(explanation))


_OVER_KEYS = ("scores", "scaled_scores", "masked_scores", "weights")


def _operands(stage: str, row: str, column: str) -> tuple[str, str]:
    if stage in ROLES:
        return f"X[{row}]", f"W_{ROLE_SYMBOLS[stage]}[:, {column}]"
    if stage == "scores":
        return f"Q[{row}]", f"K[{column}]"
    if stage == "head_outputs":
        return f"{stage_name('weights')}[{row}]", f"V[:, {column}]"
    heads = _("heads")
    return f"{heads}[{row}]", f"W_O[:, {column}]"


def _terms(stage: str, explanation: SumOfProducts, left: str, right: str) -> None:
    columns = [(term.label, term.left, term.right, term.product) for term in explanation.terms]
    if explanation.bias is not None:
        columns.append(("b", 1.0, explanation.bias, explanation.bias))
    values = np.array([column[1:] for column in columns]).T
    matrix_product(
        panel(
            _("terms"),
            values,
            (left, right, _("product")),
            [column[0] for column in columns],
            digits=3,
            title=_("term by term; the last row adds up to {sum}", sum=_plain(explanation.total())),
        ),
        key=f"terms-{stage}",
        texts=component_texts(),
        max_height=height(120, 230),
    )


def _softmax_terms(explanation: SoftmaxCell) -> None:
    exponentials = np.array(explanation.exponentials())
    total = explanation.row_sum()
    scores = np.array(explanation.scores)
    masked = np.zeros((3, len(scores)), dtype=bool)
    masked[0] = np.isneginf(scores)
    values = np.array([scores, exponentials, exponentials / (total or 1.0)])
    matrix_product(
        panel(
            _("terms"),
            values,
            (stage_name("masked_scores"), _("e^(score − largest)"), stage_name("weights")),
            explanation.labels,
            digits=3,
            title=_(
                "the row; its largest score is taken off first, which changes no weight; "
                "its e^… add up to {sum}",
                sum=_plain(total),
            ),
            masked=masked,
            scale="plain",
        ),
        key="terms-weights",
        texts=component_texts(),
        max_height=height(120, 230),
    )


def _in_words(explanation: PlainSum | Quotient | Masked) -> str:
    if isinstance(explanation, PlainSum):
        return _("The word's own number, plus what its position adds.")
    if isinstance(explanation, Quotient):
        return _("The score over the divisor. The same divisor for every cell.")
    if explanation.allowed:
        return _("This query may look at this key: the score stays.")
    return _("This query may not look at this key: minus infinity, so that e^… becomes 0.")


def _plain(value: float) -> str:
    return significant(value, 6)
