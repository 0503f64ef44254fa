"""Where a number comes from, as data.

Every function takes the operands from the same arrays as the matrix on screen, so an explanation
and its cell cannot disagree. ``total()`` works the arithmetic out again, term by term.
"""

import math
from dataclasses import dataclass

from core.arrays import Array
from core.experiment import Experiment
from core.trace import Trace


@dataclass(frozen=True)
class Term:
    """One product of a sum: left · right."""

    label: str  # the dimension or token that it belongs to
    left: float
    right: float

    @property
    def product(self) -> float:
        """The term's share of the sum."""
        return self.left * self.right


@dataclass(frozen=True)
class SumOfProducts:
    """Row times column, term by term, plus a bias where there is one."""

    value: float
    terms: tuple[Term, ...]
    bias: float | None = None

    def total(self) -> float:
        """The sum of all terms and the bias."""
        return math.fsum(term.product for term in self.terms) + (self.bias or 0.0)


@dataclass(frozen=True)
class PlainSum:
    """A word's number plus its position's."""

    value: float
    left: float
    right: float

    def total(self) -> float:
        """left + right."""
        return self.left + self.right


@dataclass(frozen=True)
class Quotient:
    """A score over the divisor and the temperature."""

    value: float
    score: float
    divisor: float
    temperature: float

    def total(self) -> float:
        """score / (divisor · temperature)."""
        return self.score / (self.divisor * self.temperature)


@dataclass(frozen=True)
class Masked:
    """A score that passes the mask, or −inf."""

    value: float
    score: float
    allowed: bool

    def total(self) -> float:
        """The score where the query may look, −inf elsewhere."""
        return self.score if self.allowed else -math.inf


@dataclass(frozen=True)
class SoftmaxCell:
    """e^x over the sum of all e^x of the row, the row's largest score taken off first."""

    value: float
    column: int
    labels: tuple[str, ...]  # of the keys
    scores: tuple[float, ...]  # of the row, −inf where masked
    largest: float  # −inf when the row has no key left

    def exponentials(self) -> tuple[float, ...]:
        """e^(score − largest) for each key; all 0 in a row with no key left."""
        if math.isinf(self.largest):
            return tuple(0.0 for _ in self.scores)
        return tuple(math.exp(score - self.largest) for score in self.scores)

    def row_sum(self) -> float:
        """The sum under the fraction."""
        return math.fsum(self.exponentials())

    def total(self) -> float:
        """This cell's e^x over the sum; 0 in a row with no key left."""
        row_sum = self.row_sum()
        return self.exponentials()[self.column] / row_sum if row_sum else 0.0


Explanation = SumOfProducts | PlainSum | Quotient | Masked | SoftmaxCell


def dot(
    value: float, left: Array, right: Array, labels: tuple[str, ...], bias: float | None = None
) -> SumOfProducts:
    """Explain ``value`` = left · right (+ bias); left and right are vectors of equal length."""
    terms = tuple(
        Term(label, float(a), float(b)) for label, a, b in zip(labels, left, right, strict=True)
    )
    return SumOfProducts(float(value), terms, None if bias is None else float(bias))


def explain_embedding(experiment: Experiment, result: Trace, row: int, column: int) -> PlainSum:
    """X[row, column] = token vector + position encoding."""
    return PlainSum(
        float(result.embeddings[row, column]),
        float(experiment.token_vectors[row, column]),
        float(result.position_encoding[row, column]),
    )


def explain_projection(
    experiment: Experiment, result: Trace, role: str, head: int, row: int, column: int
) -> SumOfProducts:
    """One cell of a head's query, key or value: row of X times column of W (+ b).

    Parameters
    ----------
    role : "query", "key" or "value"
    column : int
        Within the head: 0 … d_k−1 or d_v−1.
    """
    name = {"query": "w_q", "key": "w_k", "value": "w_v"}[role]
    place = experiment.head_columns(head, name).start + column
    bias = getattr(experiment, "b_" + name[-1])
    return dot(
        getattr(result, role)[head, row, column],
        result.embeddings[row],
        getattr(experiment, name)[:, place],
        experiment.dimension_labels(),
        None if bias is None else bias[place],
    )


def explain_score(result: Trace, head: int, row: int, column: int) -> SumOfProducts:
    """scores[row, column] = query of the row · key of the column."""
    query, key = result.query[head, row], result.key[head, column]
    return dot(result.scores[head, row, column], query, key, numbered(len(query)))


def explain_scaled_score(
    experiment: Experiment, result: Trace, head: int, row: int, column: int
) -> Quotient:
    """scaled_scores[row, column] = score / (divisor · temperature)."""
    return Quotient(
        float(result.scaled_scores[head, row, column]),
        float(result.scores[head, row, column]),
        experiment.divisor_value,
        experiment.temperature,
    )


def explain_masked_score(result: Trace, head: int, row: int, column: int) -> Masked:
    """masked_scores[row, column] = the scaled score, or −inf."""
    return Masked(
        float(result.masked_scores[head, row, column]),
        float(result.scaled_scores[head, row, column]),
        bool(result.allowed[row, column]),
    )


def explain_weight(
    experiment: Experiment, result: Trace, head: int, row: int, column: int
) -> SoftmaxCell:
    """weights[row, column] = e^score / sum of e^score over the row."""
    scores = result.masked_scores[head, row]
    return SoftmaxCell(
        float(result.weights[head, row, column]),
        column,
        experiment.labels(),
        tuple(float(score) for score in scores),
        float(scores.max()),
    )


def explain_head_output(
    experiment: Experiment, result: Trace, head: int, row: int, column: int
) -> SumOfProducts:
    """head_outputs[row, column] = weights of the row · that column of the values."""
    return dot(
        result.head_outputs[head, row, column],
        result.weights[head, row],
        result.value[head, :, column],
        experiment.labels(),
    )


def explain_output(
    experiment: Experiment, result: Trace, row: int, column: int
) -> SumOfProducts | PlainSum:
    """output[row, column] = concatenated heads of the row · column of W_O (+ b).

    Without w_o the output is the concatenation, and the cell is itself plus nothing.
    """
    value = result.output[row, column]
    if experiment.w_o is None:
        return PlainSum(float(value), float(result.concatenated[row, column]), 0.0)
    return dot(
        value,
        result.concatenated[row],
        experiment.w_o[:, column],
        experiment.head_labels(),
        None if experiment.b_o is None else experiment.b_o[column],
    )


def numbered(count: int) -> tuple[str, ...]:
    """Labels of dimensions that have no name: 0, 1, 2, …"""
    return tuple(str(i) for i in range(count))


def explain(
    experiment: Experiment, result: Trace, stage: str, head: int, row: int, column: int
) -> Explanation:
    """Explain one cell of any stage, named as in :class:`~core.trace.Trace`.

    ``head`` is not used by the stages that have no head axis.
    """
    if stage == "embeddings":
        return explain_embedding(experiment, result, row, column)
    if stage in ("query", "key", "value"):
        return explain_projection(experiment, result, stage, head, row, column)
    if stage == "scores":
        return explain_score(result, head, row, column)
    if stage == "scaled_scores":
        return explain_scaled_score(experiment, result, head, row, column)
    if stage == "masked_scores":
        return explain_masked_score(result, head, row, column)
    if stage == "weights":
        return explain_weight(experiment, result, head, row, column)
    if stage == "head_outputs":
        return explain_head_output(experiment, result, head, row, column)
    if stage == "output":
        return explain_output(experiment, result, row, column)
    raise ValueError(f"{stage} is no stage of a trace that has an arithmetic of its own")
