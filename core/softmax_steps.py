"""Softmax of one row of scores, step by step, and what it does when the scores change."""

from dataclasses import dataclass

import numpy as np

from core.arrays import Array
from core.attention import softmax
from core.metrics import entropy_bits

TRIAD = (3.2, 1.8, 0.4)
"""Scores of an article's example: animal, tired and street, seen from "it"."""

TRIAD_PRINTED = (0.72, 0.22, 0.06)
"""The weights that the article prints for them; the three scores alone give others."""


@dataclass(frozen=True)
class Steps:
    """Softmax of one row, as it is written and as it is computed; every array (n,)."""

    scores: Array
    plain: Array  # e^score; may overflow to ∞
    plain_total: float  # their sum
    largest: float  # of the scores
    shifted: Array  # score − largest: 0 or less
    exponentials: Array  # e^shifted: from 0 to 1
    total: float  # their sum: 1 or more
    weights: Array  # exponentials / total

    @property
    def readable(self) -> bool:
        """Whether the sum of the plain e^score is a number to divide by: neither ∞ nor 0."""
        return bool(np.isfinite(self.plain_total) and self.plain_total > 0)


def steps(scores: Array) -> Steps:
    """Work softmax out for one row (n,) of finite scores, at least one.

    Raises
    ------
    ValueError
        If there is no score, or one is not finite.
    """
    scores = np.asarray(scores, dtype=np.float64)
    if scores.ndim != 1 or scores.size == 0 or not np.isfinite(scores).all():
        raise ValueError("a row of at least one score is needed, and every score must be finite")
    plain = exponentials(scores)
    largest = scores.max()
    shifted = scores - largest
    small = np.exp(shifted)
    with np.errstate(over="ignore"):  # a sum of ∞ is what there is to see
        plain_total = float(plain.sum())
    return Steps(
        scores=scores,
        plain=plain,
        plain_total=plain_total,
        largest=float(largest),
        shifted=shifted,
        exponentials=small,
        total=float(small.sum()),
        weights=softmax(scores),
    )


def exponentials(x: Array) -> Array:
    """e^x of each number; ∞ above 709.8."""
    with np.errstate(over="ignore"):
        return np.asarray(np.exp(x))


@dataclass(frozen=True)
class Heat:
    """One row at many temperatures T: softmax(scores / T)."""

    temperatures: Array  # (m,)
    weights: Array  # (m, n)
    largest: Array  # (m,)  the largest weight
    entropy: Array  # (m,)  in bits


def heat(scores: Array, temperatures: Array) -> Heat:
    """Soften or sharpen a row (n,) by dividing it by each temperature (m,), all above 0."""
    shifted = scores - scores.max()  # first, as softmax does: a small T carries none to +∞
    with np.errstate(over="ignore"):  # a difference below the float range is −inf: weight 0
        weights = softmax(shifted / np.asarray(temperatures)[:, None])
    return Heat(temperatures, weights, weights.max(axis=-1), entropy_bits(weights))


def coldest(scores: Array) -> Array:
    """What the weights (n,) become as T goes to 0: all to the largest score, shared by equals."""
    best = scores == scores.max()
    return np.asarray(best / best.sum())


@dataclass(frozen=True)
class Apart:
    """Two keys of one row whose scores are d apart, for many d."""

    d: Array  # (m,)
    first: Array  # (m,)  weight of the key whose score is d higher
    second: Array  # (m,)  weight of the other
    ratio: Array  # (m,)  first / second

    @property
    def predicted(self) -> Array:
        """e^d, whatever else is in the row: (m,)."""
        return exponentials(self.d)


def apart(scores: Array, first: int, second: int, d: Array) -> Apart:
    """Put score ``first`` at score ``second`` + d, leave all others (n,), for each d (m,)."""
    d = np.asarray(d, dtype=np.float64)
    rows = np.tile(np.asarray(scores, dtype=np.float64), (d.size, 1))
    rows[:, first] = rows[:, second] + d
    weights = softmax(rows)
    one, other = weights[:, first], weights[:, second]
    with np.errstate(divide="ignore", invalid="ignore"):  # both may be too small to be a number
        return Apart(d, one, other, one / other)


def largest_two(scores: Array) -> tuple[int, int]:
    """Places of the largest score and of the next one; the first ones where scores are equal."""
    first, second = np.argsort(-np.asarray(scores), kind="stable")[:2]
    return int(first), int(second)
