"""The way back against central differences; torch's answers are in test_known_answers."""

import numpy as np
import pytest
from differences import assert_gradients, central_differences
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from core.attention import multi_head_attention, scaled_dot_product_attention, softmax
from core.gradients import (
    attention_backward,
    bias_gradient,
    jacobian_norm,
    multi_head_backward,
    softmax_jacobian,
    softmax_vjp,
    weight_gradient,
)

seeds = st.integers(0, 2**32 - 1)
sizes = st.integers(1, 4)
scales = st.sampled_from([None, 1.0, 0.3])


@st.composite
def masks(draw, n, m):
    """None, who may attend, or numbers to be added; a row may be left without any key."""
    kind = draw(st.sampled_from(["none", "boolean", "float"]))
    if kind == "none":
        return None
    allowed = draw(arrays(bool, (n, m)))
    if draw(st.booleans()):
        allowed[draw(st.integers(0, n - 1))] = False
    if kind == "boolean":
        return allowed
    added = draw(arrays(np.float64, (n, m), elements=st.floats(-3, 3)))
    return np.where(allowed, added, -np.inf)


@given(data=st.data(), seed=seeds, scale=scales, is_causal=st.booleans())
def test_attention_backward(data, seed, scale, is_causal):
    n, m, d_k, d_v = (data.draw(sizes) for _ in range(4))
    batch = data.draw(st.sampled_from([(), (2,), (2, 1)]))
    options = {"attn_mask": data.draw(masks(n, m)), "is_causal": is_causal, "scale": scale}
    draw = np.random.default_rng(seed).standard_normal
    query, key, value = draw((*batch, n, d_k)), draw((*batch, m, d_k)), draw((*batch, m, d_v))
    d_output = draw((*batch, n, d_v))

    def loss():
        return (scaled_dot_product_attention(query, key, value, **options).output * d_output).sum()

    forward = scaled_dot_product_attention(query, key, value, **options)
    gradients = attention_backward(query, key, value, forward.weights, d_output, scale=scale)
    pairs = {
        "query": (query, gradients.query),
        "key": (key, gradients.key),
        "value": (value, gradients.value),
    }
    assert_gradients(loss, pairs)
    closed = np.isneginf(forward.masked_scores)
    assert not gradients.masked_scores[closed].any()
    assert not gradients.scores[closed].any()
    assert not gradients.query[closed.all(axis=-1)].any()


@given(
    seed=seeds,
    scale=scales,
    is_causal=st.booleans(),
    mixes=st.booleans(),
    biased=st.booleans(),
    crosses=st.booleans(),
    batch=st.sampled_from([(), (2,), (1, 2)]),
    num_heads=st.integers(1, 3),
)
def test_multi_head_backward(seed, scale, is_causal, mixes, biased, crosses, batch, num_heads):
    draw = np.random.default_rng(seed).standard_normal
    n, m, d_model, d_k, d_v = 3, 2, 3, 2, 1
    x = draw((*batch, n, d_model))
    context = draw((*batch, m, d_model)) if crosses else None
    w_q, w_k = draw((d_model, num_heads * d_k)), draw((d_model, num_heads * d_k))
    w_v = draw((d_model, num_heads * d_v))
    w_o = draw((num_heads * d_v, d_model)) if mixes else None
    widths = {"b_q": num_heads * d_k, "b_k": num_heads * d_k, "b_v": num_heads * d_v}
    widths |= {"b_o": d_model} if mixes else {}
    biases = {name: draw(width) if biased else np.zeros(width) for name, width in widths.items()}

    def run():
        return multi_head_attention(
            x, w_q, w_k, w_v, w_o, num_heads=num_heads, context=context,
            is_causal=is_causal, scale=scale, **biases,
        )  # fmt: skip

    forward = run()
    d_output = draw(forward.output.shape)
    gradients = multi_head_backward(
        x, w_q, w_k, w_v, w_o, forward, d_output, context=context, scale=scale
    )
    arrays_of = {"x": x, "context": context, "w_q": w_q, "w_k": w_k, "w_v": w_v, "w_o": w_o}
    arrays_of |= biases
    pairs = {
        name: (array, getattr(gradients, name))
        for name, array in arrays_of.items()
        if array is not None
    }
    assert_gradients(lambda: (run().output * d_output).sum(), pairs)
    for name in {"context", "w_o", "b_o"} - pairs.keys():
        assert getattr(gradients, name) is None, name


rows = arrays(np.float64, st.tuples(sizes, st.integers(1, 6)), elements=st.floats(-20, 20))


@given(scores=rows, data=st.data())
def test_softmax_jacobian(scores, data):
    closed = data.draw(arrays(bool, scores.shape))
    weights = softmax(np.where(closed, -np.inf, scores))
    d_weights = data.draw(arrays(np.float64, scores.shape, elements=st.floats(-9, 9)))
    jacobian = softmax_jacobian(weights)

    np.testing.assert_array_equal(jacobian, np.swapaxes(jacobian, -1, -2))
    np.testing.assert_allclose(jacobian.sum(axis=-1), 0, atol=1e-15)
    norms = np.linalg.norm(jacobian, axis=(-2, -1))
    np.testing.assert_allclose(jacobian_norm(weights), norms, atol=2e-8)  # √ of rounding at 0
    assert (norms <= 0.5 + 1e-15).all()
    product = (jacobian @ d_weights[..., None])[..., 0]
    np.testing.assert_allclose(softmax_vjp(weights, d_weights), product, atol=1e-14)
    assert not jacobian[closed].any()


@given(scores=arrays(np.float64, 4, elements=st.floats(-3, 3)))
def test_softmax_jacobian_is_what_moves(scores):
    moved = [
        central_differences(lambda i=i: softmax(scores)[i], scores) for i in range(len(scores))
    ]
    np.testing.assert_allclose(softmax_jacobian(softmax(scores)), moved, atol=1e-9)


@pytest.mark.parametrize("m", [1, 2, 3, 10, 64])
def test_jacobian_of_equal_weights(m):
    assert jacobian_norm(np.full(m, 1 / m)) == pytest.approx(np.sqrt(m - 1) / m, abs=1e-8)


@pytest.mark.parametrize(("weights", "norm"), [([0, 1, 0], 0), ([0.5, 0, 0.5], 0.5), ([0, 0], 0)])
def test_jacobian_of_few_keys(weights, norm):
    assert jacobian_norm(np.array(weights, dtype=float)) == norm


def test_float32_stays_float32():
    draw = np.random.default_rng(0).standard_normal
    x, *matrices = (
        draw(shape).astype(np.float32) for shape in ((2, 3, 4), (4, 6), (4, 6), (4, 2), (2, 4))
    )
    forward = multi_head_attention(x, *matrices, num_heads=2)
    gradients = multi_head_backward(x, *matrices, forward, forward.output)
    stages = vars(gradients).copy()
    found = vars(stages.pop("heads")) | stages
    assert {array.dtype for array in found.values() if array is not None} == {np.dtype(np.float32)}
    assert softmax_jacobian(forward.weights).dtype == np.float32
    assert jacobian_norm(forward.weights).dtype == np.float32


def test_weight_and_bias_gradients_sum_over_the_batch():
    draw = np.random.default_rng(0).standard_normal
    x, d_product = draw((2, 3, 4, 5)), draw((2, 3, 4, 6))
    outer = sum(np.outer(x[cell], d_product[cell]) for cell in np.ndindex(2, 3, 4))
    np.testing.assert_allclose(weight_gradient(x, d_product), outer, atol=1e-12)
    total = sum(d_product[cell] for cell in np.ndindex(2, 3, 4))
    np.testing.assert_allclose(bias_gradient(d_product), total, atol=1e-12)


@pytest.mark.parametrize(
    ("query", "key", "d_output", "message"),
    [
        ((2, 3), (4, 3), (2, 6), r"d_output has shape \(2, 6\), the output \(2, 5\)"),
        ((2, 3), (4, 3), (5,), r"d_output has shape \(5,\)"),
        ((7, 2, 3), (4, 3), (7, 2, 5), "must have the same batch axes"),
        ((7, 2, 3), (1, 4, 3), (7, 2, 5), "must have the same batch axes"),
    ],
)
def test_attention_backward_refuses_shapes(query, key, d_output, message):
    value = (*key[:-1], 5)
    weights = np.zeros((*query[:-1], key[-2]))
    with pytest.raises(ValueError, match=message):
        attention_backward(
            np.zeros(query), np.zeros(key), np.zeros(value), weights, np.zeros(d_output)
        )


def test_multi_head_backward_refuses_shapes():
    x, w = np.ones((2, 4)), np.ones((4, 4))
    forward = multi_head_attention(x, w, w, w, num_heads=2)
    with pytest.raises(ValueError, match=r"d_output has shape \(4, 2\), the output \(2, 4\)"):
        multi_head_backward(x, w, w, w, None, forward, np.zeros((4, 2)))
