"""Every cell of every stage against its own arithmetic."""

import numpy as np
import pytest
from hypothesis import given
from strategies import experiments

from core import explain
from core.presets import build, random
from core.trace import trace

EXPLAIN = {
    "embeddings": explain.explain_embedding,
    **{
        role: lambda e, result, *cell, role=role: explain.explain_projection(e, result, role, *cell)
        for role in ("query", "key", "value")
    },
    "scores": lambda e, result, *cell: explain.explain_score(result, *cell),
    "scaled_scores": explain.explain_scaled_score,
    "masked_scores": lambda e, result, *cell: explain.explain_masked_score(result, *cell),
    "weights": explain.explain_weight,
    "head_outputs": explain.explain_head_output,
    "output": explain.explain_output,
}
LONGEST_EXPONENT = 110  # e^−x is 0 in float32 beyond it; the rounding of x counts so many times


def size_of_terms(explanation):
    """How large the numbers are that were added up, and how many roundings they went through."""
    match explanation:
        case explain.SumOfProducts(terms=terms, bias=bias):
            size = sum(abs(term.product) for term in terms) + abs(bias or 0)
            return size, len(terms) + 2
        case explain.PlainSum(left=left, right=right):
            return abs(left) + abs(right), 1
        case explain.Quotient(value=value):
            return abs(value), 4
        case explain.Masked():
            return 0, 0
        case explain.SoftmaxCell(value=value, scores=scores):
            return value, LONGEST_EXPONENT + len(scores)


def assert_explained(cell, explanation):
    assert cell.dtype.type(explanation.value).tobytes() == cell.tobytes()
    total = explanation.total()
    if np.isinf(cell):
        assert total == cell
        return
    info = np.finfo(cell.dtype)
    size, roundings = size_of_terms(explanation)
    assert abs(total - float(cell)) <= roundings * (size * float(info.eps) + float(info.tiny))


@given(experiments())
def test_every_cell_of_every_stage(experiment):
    result = trace(experiment)
    for stage, explained in EXPLAIN.items():
        array = getattr(result, stage)
        for cell in np.ndindex(array.shape):
            assert_explained(array[cell], explained(experiment, result, *cell))


@pytest.fixture(scope="module")
def hidden():
    """Token 1 may look at nobody, token 2 only at itself."""
    allowed = np.array([[1, 1, 1], [0, 0, 0], [0, 0, 1]], bool)
    return random(("a", "b", "a")).with_(mask="manual", allowed=allowed, b_q=np.ones(16))


def test_masked_cell(hidden):
    cell = explain.explain_masked_score(trace(hidden), 0, 2, 0)
    assert (cell.value, cell.total(), cell.allowed) == (-np.inf, -np.inf, False)
    assert np.isfinite(cell.score)


def test_row_without_a_key(hidden):
    cell = explain.explain_weight(hidden, trace(hidden), 3, 1, 2)
    assert (cell.value, cell.total(), cell.row_sum()) == (0, 0, 0)
    assert cell.exponentials() == (0, 0, 0)


def test_weight_of_the_only_key(hidden):
    cell = explain.explain_weight(hidden, trace(hidden), 3, 2, 2)
    assert (cell.value, cell.total(), cell.row_sum()) == (1, 1, 1)
    assert cell.exponentials() == (0, 0, 1)


def test_operands_are_named(hidden):
    result = trace(hidden)
    projection = explain.explain_projection(hidden, result, "query", 2, 1, 3)
    assert [term.label for term in projection.terms] == [str(i) for i in range(16)]
    assert [term.left for term in projection.terms] == result.embeddings[1].tolist()
    assert [term.right for term in projection.terms] == hidden.w_q[:, 2 * 4 + 3].tolist()
    assert projection.bias == 1
    mixed = explain.explain_head_output(hidden, result, 2, 0, 3)
    assert [term.label for term in mixed.terms] == ["a·0", "b·1", "a·2"]


def test_terms_of_the_output_are_called_as_the_columns_of_the_heads():
    """One name for a column, in the matrix and in the arithmetic; without W_O the output is it."""
    now = build("relations-en")
    explanation = explain.explain(now, trace(now), "output", 0, 8, 3)
    labels = now.head_labels()
    assert labels[:5] == ("0·0", "0·1", "0·2", "0·3", "1·0")
    assert tuple(term.label for term in explanation.terms) == labels
    assert now.output_labels() == now.dimension_labels()
    assert now.with_(w_o=None).output_labels() == labels
