"""Short summaries of a matrix of weights."""

import numpy as np

from core.arrays import Array


def row_sums(weights: Array) -> Array:
    """What each query gives away in all: (..., n, m) → (..., n). 1, or 0 with no key left."""
    return np.asarray(weights.sum(axis=-1))


def received(weights: Array) -> Array:
    """What each key is given by all queries together: (..., n, m) → (..., m)."""
    return np.asarray(weights.sum(axis=-2))


def entropy_bits(weights: Array) -> Array:
    """Shannon entropy of each row in bits: (..., n, m) → (..., n).

    0 when all weight lies on one key, log2(m) when it is spread evenly. −Σ p log2 p with
    0 log 0 = 0 (Shannon 1948).
    """
    positive = np.where(weights > 0, weights, 1)
    return np.asarray(-(positive * np.log2(positive)).sum(axis=-1)) + 0.0  # + 0.0: no "−0"
