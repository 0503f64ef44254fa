"""What each head does, measured; and how heads and dimensions share in a result."""

from dataclasses import dataclass

import numpy as np

from core.arrays import Array, BoolArray
from core.experiment import Experiment
from core.metrics import entropy_bits
from core.trace import Trace

# A head is called after a place when it puts at least this share of its weight there on average.
NAMED_FROM = 0.5
# It asks nothing when every row's entropy is at least this share of the largest possible.
EVEN_FROM = 0.99


@dataclass(frozen=True)
class HeadFacts:
    """Means over the queries that have a choice of two keys or more; NaN where there is none.

    Every field has one number a head: (h,).
    """

    entropy: Array  # bits
    previous: Array  # weight on the token before, over queries that may look there
    itself: Array
    following: Array
    first: Array  # weight on token 0, over queries after it
    distance: Array  # tokens between query and key, weighted
    evenness: Array  # the LEAST of all rows' entropy, in parts of the largest possible


def head_facts(weights: Array, allowed: BoolArray) -> HeadFacts:
    """Measure every head.

    Parameters
    ----------
    weights : array (h, n, n)
    allowed : bool array (n, n)
    """
    n = weights.shape[-1]
    place = np.arange(n)
    offset = place[None, :] - place[:, None]  # (n, n): key − query
    chooses = allowed.sum(axis=1) > 1

    def share(there: BoolArray) -> Array:
        """Mean weight on these cells, over the queries that have one of them to look at."""
        there = there & allowed & chooses[:, None]
        rows = there.any(axis=1)
        return _mean((weights * there).sum(axis=-1)[:, rows])

    entropy = entropy_bits(weights)[:, chooses]  # (h, rows)
    most = np.log2(allowed.sum(axis=1)[chooses])
    return HeadFacts(
        entropy=_mean(entropy),
        previous=share(offset == -1),
        itself=share(offset == 0),
        following=share(offset == 1),
        first=share((place[None, :] == 0) & (place[:, None] > 0)),
        distance=_mean((weights * np.abs(offset)).sum(axis=-1)[:, chooses]),
        evenness=(entropy / most).min(axis=-1) if chooses.any() else np.full(len(weights), np.nan),
    )


def _mean(rows: Array) -> Array:
    """Mean over the last axis; NaN over nothing."""
    if rows.shape[-1] == 0:
        return np.full(rows.shape[0], np.nan)
    return np.asarray(rows.mean(axis=-1))


def job(facts: HeadFacts, head: int) -> str:
    """What the numbers earn: "even", "previous", "itself", "following", "first", or "" for none.

    The largest of the four shares names the head if it is at least ``NAMED_FROM``. In a sentence of
    two tokens two places are one; the first in this order is taken.
    """
    if facts.evenness[head] >= EVEN_FROM:
        return "even"
    shares = {
        name: float(np.nan_to_num(getattr(facts, name)[head]))
        for name in ("previous", "itself", "following", "first")
    }
    best = max(shares, key=shares.__getitem__)
    return best if shares[best] >= NAMED_FROM else ""


def head_contributions(experiment: Experiment, result: Trace) -> Array:
    """What each head adds to the output: its output times its own rows of W_O, (h, n, width).

    Concat(head_0, …) W_O = Σ_t head_t W_O[rows of t]: they add up to the output, less ``b_o``.
    Without W_O each head fills its own columns.
    """
    d_v, width = experiment.d_v, result.output.shape[-1]
    w_o = experiment.w_o
    if w_o is None:
        w_o = np.eye(width, dtype=result.output.dtype)
    slices = w_o.reshape(experiment.num_heads, d_v, width)
    return np.asarray(result.head_outputs @ slices)  # (h, n, d_v) × (h, d_v, width)


def output_of(experiment: Experiment, result: Trace, heads: list[int]) -> Array:
    """The output when only these heads speak: all other slices of W_O zeroed, (n, width)."""
    total = head_contributions(experiment, result)[heads].sum(axis=0)
    if experiment.b_o is not None and experiment.w_o is not None:
        total = total + experiment.b_o
    return np.asarray(total)


@dataclass(frozen=True)
class ScoreTerms:
    """One score, split by what the query's and the key's dimensions have to do with it.

    score = Σ_a Σ_b x_query[a] · W_Q W_Kᵀ[a, b] · x_key[b]. Biases count as one more dimension,
    which is 1 for every token.
    """

    dimensions: tuple[str, ...]  # D names: those of X, and "bias" when there is one
    query: Array  # (D,)
    key: Array  # (D,)
    matrix: Array  # (D, D)  W_Q W_Kᵀ of the head: row asks, column announces
    terms: Array  # (D, D)  add up to the score

    def strongest(self, count: int) -> list[tuple[int, int]]:
        """The cells of the terms that count most, largest first; zeros are left out."""
        order = np.argsort(-np.abs(self.terms), axis=None, kind="stable")[:count]
        cells = [divmod(int(i), self.terms.shape[1]) for i in order]
        return [cell for cell in cells if self.terms[cell] != 0]


def score_terms(
    experiment: Experiment, result: Trace, head: int, query: int, key: int
) -> ScoreTerms:
    """Split the score of a pair into contributions of pairs of dimensions."""
    columns = experiment.head_columns(head, "w_q")
    dtype = result.scores.dtype  # of the widest array; the score was computed in it
    w_q, w_k = (w[:, columns].astype(dtype) for w in (experiment.w_q, experiment.w_k))
    x = result.embeddings
    names = experiment.dimension_labels()
    if experiment.b_q is not None or experiment.b_k is not None:
        w_q, w_k = (
            np.vstack([w, np.zeros(w.shape[1]) if b is None else b[columns]])
            for w, b in ((w_q, experiment.b_q), (w_k, experiment.b_k))
        )
        x = np.hstack([x, np.ones((len(x), 1))])
        names = (*names, "bias")
    matrix = w_q @ w_k.T
    terms = x[query][:, None] * matrix * x[key][None, :]
    return ScoreTerms(tuple(names), x[query], x[key], matrix, terms)
