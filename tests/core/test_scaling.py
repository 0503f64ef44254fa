"""What d_k does to random scores: known numbers, a slow reading, and errors that are honest."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from core import scaling
from core.attention import softmax
from core.gradients import jacobian_norm
from core.scaling import (
    Estimate,
    chance_beyond,
    extremes,
    measure,
    predicted_spread,
    reversed_region,
)

ARMS = ("unscaled", "scaled")
FIELDS = ("largest", "entropy", "jacobian", "d_scores", "d_query", "d_key")
WIDE = (1, 4, 16, 64, 256, 1024)


def all_numbers(law) -> list[np.ndarray]:
    """Every array of a measurement, in one order."""
    estimates = [law.spread, law.jacobian_gain]
    estimates += [getattr(getattr(law, arm), field) for arm in ARMS for field in FIELDS]
    numbers = [array for one in estimates for array in (one.mean, one.error)]
    return [*law.scores, law.predicted, *numbers]


# ---- known numbers ----

# An independent study: 6 keys, q and k from N(0, 1), 4000 rows; largest weight, entropy in bits,
# Frobenius norm of the Jacobian.
STUDIED = (4, 16, 64, 256, 1024)
UNSCALED = {
    "largest": [0.578, 0.772, 0.890, 0.945, 0.975],
    "entropy": [1.58, 0.85, 0.40, 0.19, 0.09],
    "jacobian": [0.342, 0.244, 0.138, 0.074, 0.036],
}
SCALED = {"largest": 0.42, "entropy": 2.12, "jacobian": 0.385}  # about, at every d_k
HALF_A_DIGIT = {"largest": 0.0005, "entropy": 0.005, "jacobian": 0.0005}


@pytest.fixture(scope="module")
def studied():
    return measure(STUDIED, draws=4000)


@pytest.mark.parametrize("field", UNSCALED)
def test_without_the_scale_as_in_the_study(studied, field):
    ours: Estimate = getattr(studied.unscaled, field)
    allowed = 4 * math.sqrt(2) * ours.error + HALF_A_DIGIT[field]
    assert (np.abs(ours.mean - UNSCALED[field]) < allowed).all(), ours.mean


@pytest.mark.parametrize("field", SCALED)
def test_with_the_scale_as_in_the_study(studied, field):
    ours: Estimate = getattr(studied.scaled, field)
    loose = np.where(np.array(STUDIED) == 4, 0.03, 0.005)
    allowed = 4 * math.sqrt(2) * ours.error + loose
    assert (np.abs(ours.mean - SCALED[field]) < allowed).all(), ours.mean


@pytest.mark.parametrize("distribution", ["normal", "uniform"])
def test_predicted_from_an_integral(distribution):
    x, step = np.linspace(-12, 12, 240_001, retstep=True)
    density = {
        "normal": np.exp(-(x**2) / 2) / math.sqrt(2 * math.pi),
        "uniform": np.where(np.abs(x) <= 1, 0.5, 0),
    }[distribution]
    variance = (x**2 * density).sum() * step  # of one coordinate; a product has its square
    np.testing.assert_allclose(
        predicted_spread(WIDE, distribution), np.sqrt(np.array(WIDE) * variance**2), rtol=1e-3
    )


@pytest.mark.parametrize("keys", [2, 6, 32])
@pytest.mark.parametrize("distribution", ["normal", "uniform"])
def test_the_measured_spread_is_the_predicted_one(distribution, keys):
    law = measure(WIDE, keys=keys, distribution=distribution)
    assert (np.abs(law.spread.mean - law.predicted) < 4 * law.spread.error).all()
    assert (law.spread.error < 0.1 * law.predicted).all(), "an error that agrees with anything"


def test_small_scores_react_more_without_the_scale():
    law = measure((12, 512), keys=8, draws=1000, distribution="uniform")
    assert law.unscaled.jacobian.mean[0] > law.scaled.jacobian.mean[0]
    assert reversed_region(law).tolist() == [True, False]


def test_wide_scores_do_not():
    law = measure((64,), keys=6)
    assert law.unscaled.jacobian.mean < law.scaled.jacobian.mean
    assert reversed_region(law).tolist() == [False]


def test_a_reversal_is_more_than_two_errors():
    gain = Estimate(np.array([0.1, 0.3, -0.1, -0.3]), np.full(4, 0.1))
    law = replace(measure((1, 2, 3, 4), draws=2), jacobian_gain=gain)
    assert reversed_region(law).tolist() == [False, True, False, False]


def test_one_wide_there_is_nothing_to_scale():
    law = measure((1,))
    for field in FIELDS:
        assert getattr(law.unscaled, field).mean == getattr(law.scaled, field).mean
    assert reversed_region(law).tolist() == [False]


# ---- each field, read slowly ----


def slowly_softmax(scores: np.ndarray) -> np.ndarray:
    exponentials = [math.exp(score) for score in scores]
    return np.array([one / sum(exponentials) for one in exponentials])


def slopes(loss, at: np.ndarray) -> np.ndarray:
    """∂loss/∂at, from a small step to either side of each number."""
    found = np.empty_like(at)
    for place in np.ndindex(at.shape):
        step = np.zeros_like(at)
        step[place] = 1e-5
        found[place] = (loss(at + step) - loss(at - step)) / 2e-5
    return found


def slowly(query, key, value, d_output, scale: float) -> dict[str, float]:
    """The fields of an arm for one draw: query (d_k,), key (m, d_k), value (m, d_v)."""

    def loss_of_scores(scaled_scores):
        return float(slowly_softmax(scaled_scores) @ value @ d_output)

    scores = np.array([sum(query * one) for one in key]) * scale
    weights = slowly_softmax(scores)
    jacobian = np.diag(weights) - np.outer(weights, weights)
    return {
        "largest": max(weights),
        "entropy": -sum(p * math.log2(p) for p in weights),
        "jacobian": math.sqrt(sum(number**2 for number in jacobian.ravel())),
        "d_scores": np.mean(np.abs(slopes(loss_of_scores, scores))),
        "d_query": np.linalg.norm(slopes(lambda q: loss_of_scores(key @ q * scale), query)),
        "d_key": np.linalg.norm(slopes(lambda k: loss_of_scores(k @ query * scale), key)),
    }


@pytest.mark.parametrize("distribution", ["normal", "uniform"])
def test_a_slow_reading_of_the_same_draws(distribution):
    d_k, keys, draws, seed = 5, 3, 4, 7
    law = measure((d_k,), keys=keys, draws=draws, seed=seed, distribution=distribution)
    drawn = [one for chunk in scaling._draw(d_k, keys, draws, seed, distribution)
             for one in zip(*chunk, strict=True)]  # fmt: skip
    np.testing.assert_allclose(law.scores[0], [(key @ query.T)[:, 0] for query, key, *_ in drawn])
    found = {
        arm: [slowly(q[0], k, v, g[0], scale) for q, k, v, g in drawn]
        for arm, scale in (("unscaled", 1), ("scaled", 1 / math.sqrt(d_k)))
    }
    for arm in ARMS:
        for field in FIELDS:
            sample = [one[field] for one in found[arm]]
            same_mean_and_error(getattr(getattr(law, arm), field), sample)
    pairs = zip(found["unscaled"], found["scaled"], strict=True)
    same_mean_and_error(law.jacobian_gain, [a["jacobian"] - b["jacobian"] for a, b in pairs])


def same_mean_and_error(estimate: Estimate, sample: list[float]) -> None:
    mean = sum(sample) / len(sample)
    variance = sum((one - mean) ** 2 for one in sample) / (len(sample) - 1)
    np.testing.assert_allclose(estimate.mean, [mean], rtol=1e-7)
    np.testing.assert_allclose(estimate.error, [math.sqrt(variance / len(sample))], rtol=1e-7)


@pytest.mark.parametrize("ahead", [0, 5, 18, 25, 30])
def test_the_jacobian_norm_of_a_saturated_row(ahead):
    """At d_k = 256 a lead of 20 is nothing rare without the scale; digits must not cancel."""
    weights = softmax(np.array([ahead, 0.0, -1.0]))
    exact = [Fraction(float(p)) for p in weights]
    cells = [p * ((i == j) - q) for i, p in enumerate(exact) for j, q in enumerate(exact)]
    norm = math.sqrt(sum(cell**2 for cell in cells))
    assert jacobian_norm(weights) == pytest.approx(norm, rel=1e-6, abs=0)


# ---- the same again ----


def test_one_seed_gives_one_measurement():
    one, same, other = (measure((3, 8), draws=20, seed=seed) for seed in (1, 1, 2))
    for a, b in zip(all_numbers(one), all_numbers(same), strict=True):
        np.testing.assert_array_equal(a, b)
    assert (one.scores[0] != other.scores[0]).all()
    assert (one.scaled.largest.mean != other.scaled.largest.mean).all()


def test_a_width_does_not_depend_on_the_others():
    alone, among = measure((8,), draws=20), measure((3, 8, 64), draws=20)
    np.testing.assert_array_equal(alone.scores[0], among.scores[1])
    for arm in ARMS:
        for field in FIELDS:
            a, b = (getattr(getattr(law, arm), field) for law in (alone, among))
            assert (a.mean[0], a.error[0]) == (b.mean[1], b.error[1])


def test_widths_share_values_and_gradients_but_no_query_and_no_key():
    (one,), (other,) = (list(scaling._draw(d_k, 3, 5, 0, "normal")) for d_k in (4, 8))
    for shared in (2, 3):
        np.testing.assert_array_equal(one[shared], other[shared])
    assert not set(one[0].ravel()) & set(other[0].ravel())
    assert not set(one[1].ravel()) & set(other[1].ravel())


@pytest.mark.parametrize("distribution", ["normal", "uniform"])
@pytest.mark.parametrize("chunk", [1, 200])  # one draw at a time; a few, and fewer at last
def test_chunks_change_nothing(monkeypatch, chunk, distribution):
    def law():
        return measure((3, 9), keys=4, draws=23, distribution=distribution)

    whole = law()
    monkeypatch.setattr(scaling, "_CHUNK", chunk)
    assert len(list(scaling._draw(9, 4, 23, 0, distribution))) > 1
    for a, b in zip(all_numbers(whole), all_numbers(law()), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12)


# ---- errors ----


@pytest.fixture(scope="module")
def forty():
    return [measure((16,), seed=seed) for seed in range(40)]


def test_the_true_spread_lies_within_two_errors_almost_always(forty):
    inside = [abs(law.spread.mean[0] - 4) < 2 * law.spread.error[0] for law in forty]
    assert 0.8 <= np.mean(inside) <= 1


@pytest.mark.parametrize("field", ["spread", "jacobian_gain", *FIELDS])
def test_errors_are_as_large_as_the_scatter_of_other_seeds(forty, field):
    """Neither too small nor, which would be right always, too large."""
    for arm in ARMS if field in FIELDS else (None,):
        estimates = [getattr(getattr(law, arm) if arm else law, field) for law in forty]
        scatter = np.std([one.mean for one in estimates], ddof=1)
        assert 0.65 < scatter / np.mean([one.error for one in estimates]) < 1.5, arm


# ---- single large scores ----


@pytest.mark.parametrize(
    ("limit", "spread", "chance"), [(1.96, 1, 0.05), (2, 2, 0.3173), (0, 5, 1)]
)
def test_chance_beyond(limit, spread, chance):
    assert chance_beyond(limit, spread) == pytest.approx(chance, abs=1e-4)


def test_the_largest_of_many_scores():
    found = extremes(512, limit=100)
    assert (found.d_k, found.limit, found.count) == (512, 100, 1_000_000)
    assert found.spread == pytest.approx(22.6, abs=0.1)
    assert found.largest == pytest.approx(89, abs=4)
    assert 3e-6 < found.beyond / found.count < 3e-5


def test_scores_beyond_a_limit_are_counted_on_both_sides():
    found = extremes(4, limit=4, tables=20)
    assert found.spread == pytest.approx(2, abs=0.05)
    assert found.beyond / found.count == pytest.approx(0.05, abs=0.01)


# ---- refused ----


@pytest.mark.parametrize(
    "too_few", [{"keys": 1}, {"draws": 1}, {"keys": 0}, {"draws": -1}], ids=str
)
def test_too_few_keys_or_draws(too_few):
    with pytest.raises(ValueError, match="at least 2"):
        measure((4,), **too_few)
