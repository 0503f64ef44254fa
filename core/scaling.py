"""What d_k does to dot products, to softmax and to its gradient: measured on random vectors.

One draw is one query, some keys, their values and a gradient that arrives at the output. It goes
through :mod:`core.attention` and :mod:`core.gradients` twice: with the scores divided by √d_k, and
with the scores as they are.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from core.arrays import Array, BoolArray
from core.attention import Attention, scaled_dot_product_attention
from core.gradients import AttentionGradients, attention_backward, jacobian_norm
from core.metrics import entropy_bits

Distribution = Literal["normal", "uniform"]

WIDTHS = (
    1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 512, 1024, 2048, 4096,
)  # fmt: skip
MAX_KEYS = 64
D_V = 16  # of the values; the same at every d_k, so that only d_k changes
_CHUNK = 2**19  # numbers drawn at a time: a few megabytes

# Variance of one coordinate: N(0, 1), and even between −1 and 1.
_VARIANCE: dict[Distribution, float] = {"normal": 1.0, "uniform": 1 / 3}


@dataclass(frozen=True)
class Estimate:
    """A mean over draws and its standard error, one for each d_k."""

    mean: Array
    error: Array


@dataclass(frozen=True)
class Arm:
    """What happens with one divisor; every field is over the d_k that were measured."""

    largest: Estimate  # largest weight of the row
    entropy: Estimate  # bits
    jacobian: Estimate  # Frobenius norm of ∂weights/∂scaled scores
    d_scores: Estimate  # mean |∂L/∂scaled score|: the gradient that softmax lets through
    d_query: Estimate  # ‖∂L/∂q‖
    d_key: Estimate  # ‖∂L/∂K‖, all keys together


@dataclass(frozen=True)
class Law:
    """Measurements over d_k, from one seed."""

    widths: tuple[int, ...]
    keys: int
    draws: int
    spread: Estimate  # standard deviation of q·k
    predicted: Array  # the same, from the variance of one coordinate: σ² √d_k
    scores: tuple[Array, ...]  # (draws, keys) for each d_k: the very dot products
    unscaled: Arm
    scaled: Arm
    jacobian_gain: Estimate  # of the Jacobian norm when not scaling, on the same draws


def measure(
    widths: tuple[int, ...] = WIDTHS,
    *,
    keys: int = 6,
    draws: int = 300,
    seed: int = 0,
    distribution: Distribution = "normal",
) -> Law:
    """Draw q and k at every d_k and measure scores, weights and gradients with and without √d_k.

    Parameters
    ----------
    widths : ints
        The d_k to measure at. Each has draws of its own, which do not depend on the others.
    keys : int
        Keys that the one query of a draw looks at.
    draws : int
        Independent repetitions; the standard errors come from their scatter.

    Raises
    ------
    ValueError
        If there are fewer than 2 keys or 2 draws.
    """
    if keys < 2 or draws < 2:
        raise ValueError(f"{keys} keys and {draws} draws; both must be at least 2")
    measured = [_measure_one(d_k, keys, draws, seed, distribution) for d_k in widths]
    spread = [_spread(one["scores"]) for one in measured]
    return Law(
        widths=widths,
        keys=keys,
        draws=draws,
        spread=Estimate(*(np.array(part) for part in zip(*spread, strict=True))),
        predicted=predicted_spread(widths, distribution),
        scores=tuple(one["scores"] for one in measured),
        unscaled=_arm([one["unscaled"] for one in measured]),
        scaled=_arm([one["scaled"] for one in measured]),
        jacobian_gain=_estimate(
            [one["unscaled"][:, _JACOBIAN] - one["scaled"][:, _JACOBIAN] for one in measured]
        ),
    )


def predicted_spread(widths: tuple[int, ...], distribution: Distribution = "normal") -> Array:
    """Standard deviation of q·k by theory: σ² √d_k, for d_k products of variance σ⁴ each.

    Source: Vaswani et al. (2017), footnote 4, where σ = 1.
    """
    return np.asarray(_VARIANCE[distribution] * np.sqrt(np.array(widths, dtype=float)))


def reversed_region(law: Law) -> BoolArray:
    """Where the Jacobian is larger WITHOUT the scale, by more than two standard errors: (d_k,)."""
    return np.asarray(law.jacobian_gain.mean > 2 * law.jacobian_gain.error)


def chance_beyond(limit: float, spread: float) -> float:
    """Probability that a normal variable of this standard deviation lies beyond ±limit."""
    return math.erfc(limit / spread / math.sqrt(2))


@dataclass(frozen=True)
class Extremes:
    """How large single dot products get among many."""

    d_k: int
    count: int  # scores looked at
    spread: float  # their standard deviation
    largest: float  # |score|, the median over tables of 100 × 100
    beyond: int  # scores beyond ±limit
    limit: float


def extremes(d_k: int, *, limit: float, tables: int = 100, seed: int = 0) -> Extremes:
    """Look at tables of 100 queries × 100 keys from N(0, 1).

    Parameters
    ----------
    limit : float
        Scores beyond ± this are counted.
    tables : int
        Independent tables; each has 10 000 scores.
    """
    rng = np.random.default_rng([seed, d_k])
    largest, squares, beyond = [], 0.0, 0
    for _ in range(tables):
        scores = np.abs(rng.standard_normal((100, d_k)) @ rng.standard_normal((d_k, 100)))
        largest.append(scores.max())
        squares += float((scores**2).sum())
        beyond += int((scores > limit).sum())
    count = tables * 100 * 100
    return Extremes(
        d_k, count, math.sqrt(squares / count), float(np.median(largest)), beyond, limit
    )


# The columns of what one draw yields, in the order of the fields of Arm.
_JACOBIAN = list(Arm.__dataclass_fields__).index("jacobian")


def _measure_one(
    d_k: int, keys: int, draws: int, seed: int, distribution: Distribution
) -> dict[str, Array]:
    """Scores (draws, keys), and for each arm a table (draws, fields of Arm)."""
    parts: dict[str, list[Array]] = {"scores": [], "unscaled": [], "scaled": []}
    for query, key, value, d_output in _draw(d_k, keys, draws, seed, distribution):
        for arm, scale in (("unscaled", 1.0), ("scaled", 1 / math.sqrt(d_k))):
            forward = scaled_dot_product_attention(query, key, value, scale=scale)
            back = attention_backward(query, key, value, forward.weights, d_output, scale=scale)
            parts[arm].append(_facts(forward, back))
        parts["scores"].append(forward.scores[:, 0])
    return {name: np.concatenate(arrays) for name, arrays in parts.items()}


def _draw(
    d_k: int, keys: int, draws: int, seed: int, distribution: Distribution
) -> Iterator[tuple[Array, Array, Array, Array]]:
    """Query (c, 1, d_k), key (c, keys, d_k), value and the gradient at the output, c at a time."""
    wide = np.random.default_rng([seed, d_k])
    # The same values and gradients at every d_k.
    fixed = np.random.default_rng([seed, 0])
    values = fixed.standard_normal((draws, keys, D_V))
    gradients = fixed.standard_normal((draws, 1, D_V))
    chunk = max(1, _CHUNK // ((keys + 1) * d_k))
    for start in range(0, draws, chunk):
        shape = (min(chunk, draws - start), keys + 1, d_k)
        if distribution == "normal":
            vectors = wide.standard_normal(shape)
        else:
            vectors = wide.uniform(-1, 1, shape)
        part = slice(start, start + chunk)
        yield vectors[:, :1], vectors[:, 1:], values[part], gradients[part]


def _facts(forward: Attention, back: AttentionGradients) -> Array:
    """One row a draw, one column a field of Arm."""
    weights = forward.weights[:, 0]
    return np.stack(
        [
            weights.max(axis=-1),
            entropy_bits(weights),
            jacobian_norm(weights),
            np.abs(back.masked_scores[:, 0]).mean(axis=-1),
            np.linalg.norm(back.query[:, 0], axis=-1),
            np.linalg.norm(back.key, axis=(-2, -1)),
        ],
        axis=-1,
    )


def _arm(tables: list[Array]) -> Arm:
    fields = range(len(Arm.__dataclass_fields__))
    return Arm(*(_estimate([table[:, field] for table in tables]) for field in fields))


def _estimate(samples: list[Array]) -> Estimate:
    """Mean and standard error of each sample of independent draws."""
    mean = np.array([sample.mean() for sample in samples])
    error = np.array([sample.std(ddof=1) / math.sqrt(len(sample)) for sample in samples])
    return Estimate(mean, error)


def _spread(scores: Array) -> tuple[float, float]:
    """Standard deviation about the known mean 0, and its standard error.

    The keys of one draw share their query, so only whole draws are independent: the error of the
    variance comes from the scatter of the draws, and that of its root is it over 2σ.
    """
    variances = (scores**2).mean(axis=-1)
    spread = math.sqrt(variances.mean())
    error = float(variances.std(ddof=1)) / math.sqrt(len(variances))
    return spread, error / (2 * spread)
