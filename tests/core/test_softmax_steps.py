"""Softmax step by step: known answers, and the very weights of core.attention."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from core.attention import softmax
from core.softmax_steps import (
    TRIAD,
    TRIAD_PRINTED,
    apart,
    coldest,
    exponentials,
    heat,
    largest_two,
    steps,
)

ROWS = st.integers(1, 8).flatmap(lambda n: arrays(float, n, elements=st.floats(-1e4, 1e4)))


def test_the_article_by_hand():
    result = steps(np.array(TRIAD))
    np.testing.assert_allclose(result.plain, [24.5325, 6.0496, 1.4918], atol=5e-5)
    assert result.plain_total == pytest.approx(32.0740, abs=5e-5)
    np.testing.assert_allclose(result.shifted, [0, -1.4, -2.8], atol=1e-15)
    np.testing.assert_allclose(result.exponentials, [1, 0.2466, 0.0608], atol=5e-5)
    np.testing.assert_allclose(result.weights, [0.765, 0.189, 0.047], atol=5e-4)
    assert result.largest == 3.2
    assert result.readable


def test_the_printed_weights_have_another_ratio():
    ratio = apart(np.array(TRIAD), 0, 1, np.array([TRIAD[0] - TRIAD[1]])).ratio[0]
    assert ratio == pytest.approx(4.06, abs=5e-3)
    assert TRIAD_PRINTED[0] / TRIAD_PRINTED[1] == pytest.approx(3.27, abs=5e-3)


@given(ROWS)
def test_the_weights_are_those_of_softmax_to_the_last_bit(scores):
    result = steps(scores)
    np.testing.assert_array_equal(result.weights, softmax(scores))
    np.testing.assert_array_equal(result.exponentials / result.total, result.weights)
    assert result.exponentials.max() == 1
    assert result.shifted.max() == 0
    if result.readable:
        by_hand = result.plain / result.plain_total
        np.testing.assert_allclose(by_hand, result.weights, rtol=1e-11, atol=1e-300)


@given(ROWS, st.floats(-1000, 1000))
def test_a_constant_changes_nothing(scores, c):
    np.testing.assert_allclose(steps(scores + c).weights, steps(scores).weights, atol=1e-9)


@pytest.mark.parametrize(("scores", "readable"), [([1000.0, 0], False), ([-1000.0, -999], False),
                                                  ([700.0, -1000], True)])  # fmt: skip
def test_where_plain_exponentials_fail(scores, readable):
    assert steps(np.array(scores)).readable == readable


@pytest.mark.parametrize("scores", [[], [[1.0]], [np.inf, 1], [np.nan], [-np.inf, 0]])
def test_what_is_refused(scores):
    with pytest.raises(ValueError, match="at least one score"):
        steps(np.array(scores))


def test_exponentials():
    assert exponentials(np.array([0.0, 710, -800])).tolist() == [1, np.inf, 0]


def test_temperature():
    row = np.array([3.2, 1.8, 0.4])
    result = heat(row, np.array([0.01, 1, 2, 1e6]))
    np.testing.assert_allclose(result.weights[0], coldest(row), atol=1e-12)
    np.testing.assert_array_equal(result.weights[1], softmax(row))
    np.testing.assert_allclose(result.weights[2], softmax(row / 2), rtol=1e-14)
    np.testing.assert_allclose(result.weights[3], 1 / 3, atol=1e-5)
    np.testing.assert_array_equal(result.largest, result.weights.max(axis=1))
    np.testing.assert_allclose(result.entropy[[0, 3]], [0, np.log2(3)], atol=1e-9)
    assert (np.diff(result.largest) < 0).all()
    assert (np.diff(result.entropy) > 0).all()


def test_a_small_temperature_carries_no_score_out_of_the_range():
    huge = heat(np.array([1e300, 1e300, 0]), np.array([1e-9]))
    np.testing.assert_allclose(huge.weights, [[0.5, 0.5, 0]])


@pytest.mark.parametrize(
    ("row", "expected"),
    [([1, 3, 2], [0, 1, 0]), ([2, 2, 1], [0.5, 0.5, 0]), ([0.0] * 4, [0.25] * 4)],
)
def test_the_cold_limit(row, expected):
    assert coldest(np.array(row)).tolist() == expected


@given(ROWS.filter(lambda row: row.size > 1), st.floats(-20, 20))
def test_the_ratio_is_e_to_the_difference_whatever_the_others_are(scores, d):
    scores = scores / 1e3
    result = apart(scores, 0, 1, np.array([d]))
    np.testing.assert_allclose(result.ratio, np.exp(d), rtol=1e-9)
    np.testing.assert_allclose(result.predicted, np.exp(d))
    moved = scores.copy()
    moved[0] = moved[1] + d
    np.testing.assert_array_equal([result.first[0], result.second[0]], softmax(moved)[:2])


def test_a_ratio_beyond_numbers():
    result = apart(np.array([0.0, 0, 5000]), 0, 1, np.array([1.0, 2000]))
    assert np.isnan(result.ratio[0])  # both weights are 0 beside the third
    assert np.isinf(apart(np.zeros(2), 0, 1, np.array([2000.0])).ratio[0])


@pytest.mark.parametrize(
    ("row", "pair"), [([3.2, 1.8, 0.4], (0, 1)), ([0, 9, 4.5], (1, 2)), ([0, 0, 0], (0, 1))]
)
def test_the_two_largest(row, pair):
    assert largest_two(np.array(row)) == pair
