"""The usual mistakes, on purpose: each is wrong, and here to be compared with what is right."""

import numpy as np

from core.arrays import Array, BoolArray
from core.attention import Attention, merge_heads, scaled_dot_product_attention, softmax
from core.experiment import Experiment
from core.trace import Trace


def naive_softmax(x: Array, axis: int = -1) -> Array:
    """e^x over the sum of all e^x, with no largest score subtracted: overflows to NaN.

    e^x is infinite above 88.7 in float32 and above 709.8 in float64, and ∞/∞ is not a number.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        exponentials = np.exp(x)
        return np.asarray(exponentials / exponentials.sum(axis=axis, keepdims=True))


def split_by_reshape(x: Array, num_heads: int) -> Array:
    """Cut (..., n, h·d) into (..., h, n, d) by a reshape alone: the tokens get mixed.

    Row r of "head" t is then no token: it is a piece of token (t·n + r) // h, since a reshape only
    counts numbers on. :func:`core.attention.split_heads` swaps two axes, and that is the point.
    """
    *batch, n, width = x.shape
    return x.reshape(*batch, num_heads, n, width // num_heads)


def attention_by_reshape(experiment: Experiment, result: Trace) -> Attention:
    """Attention of all heads when Q, K and V are split by :func:`split_by_reshape`: (h, n, ·)."""
    query, key, value = (
        split_by_reshape(merge_heads(x), experiment.num_heads)
        for x in (result.query, result.key, result.value)
    )
    return scaled_dot_product_attention(
        query,
        key,
        value,
        attn_mask=result.allowed,
        scale=1 / (experiment.divisor_value * experiment.temperature),
    )


def zero_after_softmax(scaled_scores: Array, allowed: BoolArray) -> Array:
    """Weights over all keys, then 0 where a query may not look: rows sum to less than 1.

    (..., n, m) → (..., n, m). What the forbidden keys took is gone, and the forbidden scores still
    decide how much that is.
    """
    return softmax(scaled_scores) * allowed


def zero_before_softmax(scaled_scores: Array, allowed: BoolArray) -> Array:
    """Scores of 0 where a query may not look: e⁰ = 1, so the forbidden keys still get weight."""
    return softmax(np.where(allowed, scaled_scores, 0))
