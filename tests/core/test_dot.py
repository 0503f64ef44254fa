"""The dot product taken apart: known answers by hand, and what holds for all vectors."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from core import presets
from core.dot import MOST_BY_COSINE, compare, cosines, disagreement, pairwise
from core.trace import trace

PAIRS = st.integers(1, 8).flatmap(
    lambda d: st.tuples(*[arrays(float, d, elements=st.floats(-1e6, 1e6))] * 2)
)


@pytest.mark.parametrize(
    ("a", "b", "value", "cosine", "degrees", "projection", "side"),
    [
        ([3, 1], [1, 2], 5, 1 / math.sqrt(2), 45, 5 / math.sqrt(10), 1),
        ([2, 0], [1, math.sqrt(3)], 2, 0.5, 60, 1, 1),
        ([3, 1], [1.5, 0.5], 5, 1, 0, math.sqrt(2.5), 1),
        ([3, 1], [-1, 3], 0, 0, 90, 0, 0),
        ([3, 1], [-3, -1], -10, -1, 180, -math.sqrt(10), -1),
        ([0.8, 0.3, 0.9, 0.1], [0.3, -0.8, 0.1, -0.9], 0, 0, 90, 0, 0),
        ([2], [-3], -6, -1, 180, -3, -1),
        ([1e-200, 0], [1e-200, 1e-200], 0, 1 / math.sqrt(2), 45, 1e-200, 1),
    ],
)
def test_known_answers(a, b, value, cosine, degrees, projection, side):
    result = compare(np.array(a, float), np.array(b, float))
    assert result.value == pytest.approx(value, abs=1e-15)
    assert result.terms.tolist() == [x * y for x, y in zip(a, b, strict=True)]
    assert result.cosine == pytest.approx(cosine, abs=1e-15)
    assert result.degrees == pytest.approx(degrees, abs=1e-12)
    assert result.projection == pytest.approx(projection, rel=1e-14, abs=1e-15)
    assert result.side == side


def test_lengths():
    result = compare(np.array([3.0, -4.0]), np.array([-5.0, 12.0]))
    assert (result.length_a, result.length_b, result.value) == (5, 13, -63)
    assert result.cosine == pytest.approx(-63 / 65)


def test_a_right_angle_of_tenths_is_one():
    """Its cosine comes out as 9e-18: above 0 by rounding alone."""
    result = compare(np.array([0.6, 0.2]), np.array([-0.1, 0.3]))
    assert result.side == 0
    assert compare(np.array([0.6, 0.2]), np.array([-0.1, 0.3 + 1e-9])).side == 1


def test_length_zero_leaves_no_angle():
    zero, one = np.zeros(2), np.array([3.0, 4.0])
    for a, b in ((zero, one), (one, zero), (zero, zero)):
        result = compare(a, b)
        assert (result.value, result.side) == (0, 0)
        assert math.isnan(result.cosine)
        assert math.isnan(result.degrees)
        assert math.isnan(result.by_angle)
    assert compare(one, zero).projection == 0
    assert math.isnan(compare(zero, one).projection)


@given(PAIRS)
def test_what_holds_for_all_vectors(pair):
    a, b = pair
    result, back = compare(a, b), compare(b, a)
    lengths = result.length_a * result.length_b
    assert abs(result.value) <= lengths * (1 + 1e-12) + 1e-300  # Cauchy and Schwarz
    assert result.value == back.value
    if result.length_a and result.length_b:
        assert result.by_angle == pytest.approx(result.value, rel=0, abs=1e-12 * lengths + 1e-300)
        assert -1 <= result.cosine <= 1
        assert math.cos(math.radians(result.degrees)) == pytest.approx(result.cosine, abs=1e-12)
        assert result.degrees == back.degrees
        assert compare(-a, b).degrees == pytest.approx(180 - result.degrees, abs=1e-9)
        assert compare(2 * a, b).cosine == pytest.approx(result.cosine, abs=1e-12)


@pytest.mark.parametrize(
    ("a", "b", "error", "sentence"),
    [
        ([1, 2], [1, 2, 3], ValueError, "a has 2 numbers and b 3"),
        ([[1, 2]], [1, 2], ValueError, r"a must be one row of numbers, but has shape \(1, 2\)"),
        ([], [], ValueError, "a must be one row of numbers"),
        ([1, math.inf], [1, 2], ValueError, r"a\[1\] is inf"),
        ([1, 2], [math.nan, 2], ValueError, r"b\[0\] is nan"),
        ([1, 2], ["x", "y"], TypeError, "b holds"),
    ],
)
def test_what_is_refused(a, b, error, sentence):
    with pytest.raises(error, match=sentence):
        compare(np.array(a), np.array(b))


def test_people():
    people = np.array([[1, 0], [0, 1], [0.7, 0.7]])
    expected = [[1, 0, 0.7], [0, 1, 0.7], [0.7, 0.7, 0.98]]
    np.testing.assert_allclose(pairwise(people), expected, atol=1e-15)


def test_cosines_of_keys():
    keys = np.array([[2.0, 0], [0, 3], [0, 0], [-1, 0]])
    np.testing.assert_allclose(cosines(np.array([5.0, 0]), keys), [1, 0, np.nan, -1])


def test_two_keys_that_change_places():
    query = np.array([1.0, 0])
    keys = np.array([[3.0, 3], [1, 0], [0, 0], [-1, 0]])  # long and aside, short and straight
    everyone = np.ones(4, bool)
    assert disagreement(query, keys, everyone) == (0, 1)
    assert disagreement(query, keys, np.array([True, False, True, True])) is None
    assert disagreement(query, keys, np.zeros(4, bool)) is None
    assert disagreement(np.zeros(2), keys, everyone) is None
    assert disagreement(query, keys / [[18**0.5], [1], [1], [1]], everyone) is None


@pytest.mark.parametrize("preset", ["random", "article-numbers", "relations-en"])
def test_the_order_really_differs(preset):
    now = presets.random(tuple("abcdefgh")) if preset == "random" else presets.build(preset)
    result = trace(now)
    found = 0
    for head in range(now.num_heads):
        for query, keys, allowed in zip(
            result.query[head], [result.key[head]] * now.n, result.allowed, strict=True
        ):
            pair = disagreement(query, keys, allowed)
            if pair is not None:
                one, other = (compare(query, keys[place]) for place in pair)
                assert one.value > other.value
                assert one.cosine < other.cosine
                found += 1
    assert found > 0 or preset == "relations-en"


def test_scores_of_a_trace_are_these_sums():
    result = trace(presets.build("article-numbers"))
    pair = compare(result.query[0, 2], result.key[0, 1])
    assert pair.value == pytest.approx(result.scores[0, 2, 1], rel=1e-14)


def test_the_largest_ratio_of_weights_by_cosines():
    assert pytest.approx(math.exp(1) / math.exp(-1)) == MOST_BY_COSINE
