"""The usual mistakes, on purpose: each is wrong, and here to be compared with what is right."""

import numpy as np

from core.arrays import Array


def naive_softmax(x: Array, axis: int = -1) -> Array:
    """e^x over the sum of all e^x, with no largest score subtracted: overflows to NaN.

    e^x is infinite above 88.7 in float32 and above 709.8 in float64, and ∞/∞ is not a number.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        exponentials = np.exp(x)
        return np.asarray(exponentials / exponentials.sum(axis=axis, keepdims=True))
