"""The dot product of two vectors and what it is made of: terms, lengths, the angle between."""

import math
from dataclasses import dataclass

import numpy as np

from core.arrays import Array, BoolArray, as_float, check_finite

MOST_BY_COSINE = math.exp(2)
"""Largest ratio of two weights of one row whose scores are cosines, which differ by 2 at most."""


@dataclass(frozen=True)
class DotProduct:
    """Two vectors a and b compared; NaN where a vector of length 0 leaves no angle."""

    terms: Array  # (d,)  a_t · b_t
    value: float  # their sum
    length_a: float
    length_b: float
    cosine: float  # value / (length_a · length_b), from −1 to 1
    degrees: float  # the angle, from 0 to 180
    projection: float  # length of the shadow of b on a: below 0 when it points away
    side: int  # 1: same side, 0: at right angles to rounding, or length 0; −1: against

    @property
    def by_angle(self) -> float:
        """|a| |b| cos θ, which is the value again."""
        return self.length_a * self.length_b * self.cosine


def compare(a: Array, b: Array) -> DotProduct:
    """Take the dot product of two vectors (d,) apart.

    Raises
    ------
    ValueError
        If they are not two vectors of one width, or a number is not finite.
    TypeError
        If they do not hold real numbers.

    Examples
    --------
    >>> compare(np.array([3.0, 1.0]), np.array([1.0, 2.0])).value
    5.0
    """
    a, b = _vector(a, "a"), _vector(b, "b")
    if a.shape != b.shape:
        raise ValueError(f"a has {a.size} numbers and b {b.size}; both must have as many")
    terms = a * b
    value = float(terms.sum())
    (along_a, length_a), (along_b, length_b) = _direction(a), _direction(b)
    if not (length_a and length_b):
        projection = 0.0 if length_a else math.nan
        return DotProduct(terms, value, length_a, length_b, math.nan, math.nan, projection, 0)
    cosine = float(np.clip(along_a @ along_b, -1, 1))
    # arccos loses half of the digits near 0° and 180°; this does not (Kahan).
    apart, together = np.linalg.norm(along_a - along_b), np.linalg.norm(along_a + along_b)
    degrees = math.degrees(2 * math.atan2(apart, together))
    noise = 4 * len(terms) * np.finfo(float).eps * float(np.abs(along_a * along_b).sum())
    side = 0 if abs(cosine) <= noise else int(math.copysign(1, cosine))
    return DotProduct(terms, value, length_a, length_b, cosine, degrees, length_b * cosine, side)


def pairwise(vectors: Array) -> Array:
    """Dot product of each vector with each, itself included: (n, d) → (n, n)."""
    return np.asarray(vectors @ vectors.T)


def cosines(query: Array, keys: Array) -> Array:
    """Cosine between a query (d,) and each of the keys (n, d): (n,); NaN where one has length 0."""
    return np.array([compare(query, key).cosine for key in keys])


def disagreement(query: Array, keys: Array, allowed: BoolArray) -> tuple[int, int] | None:
    """Find two keys that the dot product and the cosine put in different orders.

    Parameters
    ----------
    query : array (d,)
    keys : array (n, d)
    allowed : array of bool (n,)
        Only these keys are compared.

    Returns
    -------
    (i, j) or None
        Key i has the larger dot product and key j the larger cosine, and it shows: of all such
        pairs the one that is clearest in both. None where both orders are the same.
    """
    cosine = cosines(query, keys)
    place = np.flatnonzero(np.asarray(allowed) & ~np.isnan(cosine))
    if place.size < 2:
        return None
    products = (keys[place] @ query).astype(np.float64)
    cosine = cosine[place]
    # Each as a part of its own range, since one is as large as the vectors and one at most 1.
    gain = (products[:, None] - products) / (float(np.ptp(products)) or 1.0)
    loss = (cosine - cosine[:, None]) / (float(np.ptp(cosine)) or 1.0)
    clear = np.minimum(gain, loss)
    i, j = np.unravel_index(int(clear.argmax()), clear.shape)
    return (int(place[i]), int(place[j])) if clear[i, j] > _CLEAR else None


_CLEAR = 1e-3  # a smaller part of the range would not be seen in the numbers


def _vector(x: Array, name: str) -> Array:
    vector = as_float(x, name).astype(np.float64)
    if vector.ndim != 1 or vector.size == 0:
        raise ValueError(f"{name} must be one row of numbers, but has shape {vector.shape}")
    check_finite(vector, name)
    return vector


def _direction(vector: Array) -> tuple[Array, float]:
    """A vector of length 1 in the same direction, and the length; no square leaves the range."""
    largest = float(np.abs(vector).max())
    if largest == 0:
        return vector, 0.0
    part = vector / largest
    length = float(np.linalg.norm(part))
    return part / length, length * largest
