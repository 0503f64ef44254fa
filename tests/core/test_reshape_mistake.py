"""A reshape in place of split_heads: where it is the same, and what it mixes where it is not."""

import numpy as np
import pytest

from core.attention import softmax, split_heads
from core.mistakes import attention_by_reshape, split_by_reshape
from core.presets import random
from core.trace import trace


def numbered(n, heads, width=3):
    """Every number another one."""
    return np.arange(float(n * heads * width)).reshape(n, heads * width)


@pytest.mark.parametrize("n", [1, 2, 5])
def test_one_head_is_split_rightly(n):
    x = numbered(n, 1)
    np.testing.assert_array_equal(split_by_reshape(x, 1), split_heads(x, 1))


@pytest.mark.parametrize("heads", [2, 3, 4])
@pytest.mark.parametrize("n", [2, 3, 5])
def test_a_row_is_a_piece_of_another_token(n, heads):
    x = numbered(n, heads)
    pieces = x.reshape(n, heads, 3)  # of each token
    split = split_by_reshape(x, heads)
    assert split.shape == split_heads(x, heads).shape
    assert not np.array_equal(split, split_heads(x, heads))
    for t in range(heads):
        for r in range(n):
            token, piece = divmod(t * n + r, heads)
            np.testing.assert_array_equal(split[t, r], pieces[token, piece])


@pytest.mark.parametrize("mask", ["none", "causal"])
def test_attention_of_one_head_is_right(mask):
    now = random(("a", "b", "c"), d_model=6, num_heads=1)
    now = now.with_(mask=mask, divisor="d_k", temperature=0.5)
    result = trace(now)
    wrong = attention_by_reshape(now, result)
    np.testing.assert_array_equal(wrong.weights, result.weights)
    np.testing.assert_array_equal(wrong.output, result.head_outputs)


def test_attention_of_two_heads_weighs_pieces():
    now = random(("a", "b", "c"), d_model=4, num_heads=2).with_(divisor="none", temperature=2.0)
    result = trace(now)
    query, key = ((now.token_vectors @ w).reshape(6, 2) for w in (now.w_q, now.w_k))
    for t, rows in enumerate((slice(0, 3), slice(3, 6))):  # a₀ a₁ b₀ and b₁ c₀ c₁
        expected = softmax(query[rows] @ key[rows].T / 2)
        found = attention_by_reshape(now, result).weights[t]
        np.testing.assert_allclose(found, expected, rtol=1e-12)
        assert np.abs(found - result.weights[t]).max() > 0.01
