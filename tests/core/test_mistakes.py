"""Mistakes on purpose: right where they look right, and wrong where they are shown to be."""

import numpy as np
import pytest

from core.attention import softmax
from core.mistakes import naive_softmax

SMALL = np.random.default_rng(0).normal(scale=3, size=(4, 5))


@pytest.mark.parametrize("axis", [-1, 0])
def test_naive_softmax_of_small_scores_is_softmax(axis):
    np.testing.assert_allclose(naive_softmax(SMALL, axis), softmax(SMALL, axis), rtol=1e-14)


def test_naive_softmax_overflows_where_softmax_does_not():
    large = np.array([1000.0, 1001.0, 1002.0])
    assert np.isnan(naive_softmax(large)).all()
    np.testing.assert_allclose(softmax(large), [0.0900306, 0.2447285, 0.6652410], atol=5e-8)


@pytest.mark.parametrize(("dtype", "limit"), [(np.float32, 88.7), (np.float64, 709.7)])
def test_where_it_overflows(dtype, limit):
    assert naive_softmax(np.array([limit, 0], dtype))[0] == 1
    assert np.isnan(naive_softmax(np.array([limit + 0.2, 0], dtype))[0])
