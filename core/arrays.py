"""Checks that every array passes before it is computed with."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.floating[Any]]
BoolArray = NDArray[np.bool_]


def as_float(x: Any, name: str) -> Array:
    """Return x as a float array: float32 and float64 as they are, all other numbers as float64.

    Integers are converted before any product, so that small ones cannot wrap around.

    Raises
    ------
    TypeError
        If x holds anything but real numbers (objects, text, complex or truth values).
    """
    array = np.asarray(x)
    if array.dtype in (np.float32, np.float64):
        return array
    if array.dtype.kind not in "iuf":
        raise TypeError(f"{name} holds {array.dtype} values; only real numbers can be used")
    return array.astype(np.float64)


def check_finite(x: Array, name: str, *, allow_minus_inf: bool = False) -> None:
    """Raise ValueError that names the first cell of x that is NaN or infinite."""
    bad = ~np.isfinite(x)
    if allow_minus_inf:
        bad &= ~np.isneginf(x)
    if bad.any():
        cell = tuple(int(i) for i in np.argwhere(bad)[0])
        raise ValueError(f"{name}{list(cell)} is {x[cell]}; every number must be finite")


def broadcasts_to(shape: tuple[int, ...], target: tuple[int, ...]) -> bool:
    """Tell whether ``shape`` broadcasts to ``target`` without making it larger."""
    try:
        return np.broadcast_shapes(shape, target) == target
    except ValueError:
        return False


def frozen(x: Array) -> Array:
    """Return a read-only copy, so that two experiments can share it safely.

    Always row by row in memory: products of equal arrays then agree to the last bit.
    """
    copy = np.array(x, order="C")
    copy.setflags(write=False)
    return copy
