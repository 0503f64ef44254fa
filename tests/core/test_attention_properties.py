"""What must hold for attention over any numbers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from core.attention import (
    merge_heads,
    multi_head_attention,
    project,
    scaled_dot_product_attention,
    softmax,
    split_heads,
)

sizes = st.integers(1, 5)
floats = st.sampled_from([np.float32, np.float64])


def matrices(n, width, dtype=np.float64, limit=10):
    return arrays(dtype, (n, width), elements=st.floats(-limit, limit, width=32))


@st.composite
def attention_inputs(draw, dtype=np.float64, limit=10):
    n, m, d_k, d_v = (draw(sizes) for _ in range(4))
    shapes = ((n, d_k), (m, d_k), (m, d_v))
    return tuple(draw(matrices(*shape, dtype, limit)) for shape in shapes)


@st.composite
def masked_inputs(draw):
    query, key, value = draw(attention_inputs(limit=1000))
    return query, key, value, draw(arrays(bool, (len(query), len(key))))


@st.composite
def self_attention_inputs(draw, limit=10):
    n, d = draw(st.integers(2, 6)), draw(sizes)
    return tuple(draw(matrices(n, d, limit=limit)) for _ in range(3))


@st.composite
def heads_of(draw):
    num_heads, width = draw(sizes), draw(sizes)
    shape = (*draw(array_shapes(min_dims=1, max_dims=3, max_side=4)), num_heads * width)
    return draw(arrays(np.float64, shape, elements=st.floats(allow_nan=False))), num_heads


@given(masked_inputs())
def test_rows_of_weights_sum_to_one_or_to_zero_without_a_key(inputs):
    query, key, value, allowed = inputs
    attention = scaled_dot_product_attention(query, key, value, attn_mask=allowed)
    np.testing.assert_allclose(
        attention.weights.sum(axis=-1), allowed.any(axis=-1), rtol=0, atol=1e-12
    )
    assert (attention.weights >= 0).all()
    assert (attention.weights[~allowed] == 0).all()
    assert (attention.output[~allowed.any(axis=-1)] == 0).all()


@given(masked_inputs())
def test_boolean_mask_equals_minus_infinity_added(inputs):
    query, key, value, allowed = inputs
    boolean = scaled_dot_product_attention(query, key, value, attn_mask=allowed)
    added = np.where(allowed, 0.0, -np.inf)
    np.testing.assert_array_equal(
        scaled_dot_product_attention(query, key, value, attn_mask=added).weights, boolean.weights
    )


@given(masked_inputs())
def test_masked_key_is_as_good_as_absent(inputs):
    query, key, value, allowed = inputs
    attention = scaled_dot_product_attention(query, key, value, attn_mask=allowed[0])
    kept = scaled_dot_product_attention(query, key[allowed[0]], value[allowed[0]])
    np.testing.assert_allclose(attention.output, kept.output, rtol=0, atol=1e-5)


@given(matrices(3, 5, limit=100), st.floats(-1e5, 1e5))
def test_softmax_does_not_change_when_a_constant_is_added(scores, constant):
    np.testing.assert_allclose(softmax(scores + constant), softmax(scores), rtol=0, atol=1e-9)


@given(self_attention_inputs(), st.randoms(use_true_random=False))
def test_permuting_tokens_permutes_the_output(inputs, random):
    query, key, value = inputs
    order = random.sample(range(len(query)), len(query))
    output = scaled_dot_product_attention(query, key, value).output
    permuted = scaled_dot_product_attention(query[order], key[order], value[order]).output
    np.testing.assert_allclose(permuted, output[order], rtol=0, atol=1e-9)


@given(attention_inputs())
def test_output_lies_between_the_smallest_and_the_largest_value(inputs):
    query, key, value = inputs
    output = scaled_dot_product_attention(query, key, value).output
    assert (output <= value.max(axis=0) + 1e-9).all()
    assert (output >= value.min(axis=0) - 1e-9).all()


@given(heads_of())
def test_merging_undoes_splitting(case):
    x, num_heads = case
    merged = merge_heads(split_heads(x, num_heads))
    assert merged.shape == x.shape
    assert merged.tobytes() == x.tobytes()


@given(heads_of())
def test_head_owns_its_columns(case):
    x, num_heads = case
    width = x.shape[-1] // num_heads
    for t, head in enumerate(np.moveaxis(split_heads(x, num_heads), -3, 0)):
        np.testing.assert_array_equal(head, x[..., t * width : (t + 1) * width], strict=True)


@given(self_attention_inputs(), st.data())
def test_causal_rows_do_not_see_later_tokens(inputs, data):
    query, key, value = inputs
    changed = data.draw(st.integers(1, len(query) - 1))
    before = scaled_dot_product_attention(query, key, value, is_causal=True).output
    for array in inputs:
        array[changed] = data.draw(matrices(1, array.shape[1]))
    after = scaled_dot_product_attention(query, key, value, is_causal=True).output
    np.testing.assert_allclose(after[:changed], before[:changed], rtol=0, atol=1e-12)


@given(self_attention_inputs())
def test_causal_first_token_sees_itself_alone(inputs):
    query, key, value = inputs
    attention = scaled_dot_product_attention(query, key, value, is_causal=True)
    np.testing.assert_array_equal(attention.output[0], value[0])
    np.testing.assert_array_equal(attention.weights, np.tril(attention.weights))


@given(masked_inputs())
def test_causal_combines_with_a_mask(inputs):
    query, key, value, allowed = inputs
    both = scaled_dot_product_attention(query, key, value, attn_mask=allowed, is_causal=True)
    triangle = scaled_dot_product_attention(query, key, value, attn_mask=np.tril(allowed))
    np.testing.assert_array_equal(both.weights, triangle.weights)


@given(floats.flatmap(attention_inputs), st.booleans())
def test_every_stage_keeps_the_float_type(inputs, is_causal):
    attention = scaled_dot_product_attention(*inputs, is_causal=is_causal, scale=np.float64(0.3))
    assert {stage.dtype for stage in vars(attention).values()} == {inputs[0].dtype}


def test_multi_head_stages_keep_float32():
    x = w = np.eye(4, dtype=np.float32)
    mask = np.zeros((4, 4))  # float64
    attention = multi_head_attention(x, w, w, w, w, num_heads=2, b_o=x[0], attn_mask=mask)
    assert {stage.dtype for stage in vars(attention).values()} == {np.dtype(np.float32)}


@given(attention_inputs(np.float32))
def test_float32_queries_cost_float64_keys_no_digits(inputs):
    query, key, value = inputs
    mixed = scaled_dot_product_attention(query, key.astype(np.float64), value)
    wide = scaled_dot_product_attention(*(array.astype(np.float64) for array in inputs))
    np.testing.assert_allclose(mixed.scaled_scores, wide.scaled_scores, rtol=1e-14, atol=1e-14)


@given(sizes, sizes, st.data())
def test_scale_depends_on_the_width_of_one_head(num_heads, d_k, data):
    x, w_q, w_k, w_v = (
        data.draw(matrices(rows, num_heads * d_k)) for rows in (3, *[num_heads * d_k] * 3)
    )
    default = multi_head_attention(x, w_q, w_k, w_v, num_heads=num_heads)
    np.testing.assert_allclose(default.scaled_scores * np.sqrt(d_k), default.scores, rtol=1e-12)
    given_scale = multi_head_attention(
        x, w_q, w_k, w_v, num_heads=num_heads, scale=1 / np.sqrt(d_k)
    )
    np.testing.assert_array_equal(given_scale.weights, default.weights)


@given(st.data())
def test_each_head_is_attention_over_its_own_columns(data):
    x, w_q, w_k, w_v = (data.draw(matrices(rows, 4)) for rows in (3, 4, 4, 4))
    context = data.draw(matrices(5, 4))
    attention = multi_head_attention(x, w_q, w_k, w_v, num_heads=2, context=context)
    for columns in (slice(0, 2), slice(2, 4)):
        alone = scaled_dot_product_attention(
            x @ w_q[:, columns], context @ w_k[:, columns], context @ w_v[:, columns]
        )
        np.testing.assert_allclose(attention.output[:, columns], alone.output, atol=1e-6)


@given(self_attention_inputs(), st.sampled_from(["query", "key", "value", "attn_mask"]), st.data())
def test_nan_anywhere_is_an_error_that_names_the_cell(inputs, where, data):
    arguments = dict(zip(("query", "key", "value"), inputs, strict=True))
    arguments["attn_mask"] = np.full((len(inputs[0]), len(inputs[1])), -np.inf)
    row, column = (data.draw(st.integers(0, size - 1)) for size in arguments[where].shape)
    arguments[where][row, column] = np.nan
    with pytest.raises(ValueError, match=rf"{where}\[{row}, {column}\] is nan"):
        scaled_dot_product_attention(**arguments)


@given(arrays(np.float64, (3, 2), elements=st.just(-np.inf)), st.data())
def test_nan_among_masked_scores_is_no_quiet_zero(scores, data):
    row, column = data.draw(st.integers(0, 2)), data.draw(st.integers(0, 1))
    scores[row, column] = np.nan
    with pytest.raises(ValueError, match=rf"scores\[{row}, {column}\] is nan"):
        softmax(scores)


@pytest.mark.parametrize("where", ["x", "w", "b"])
def test_nan_in_a_projection_is_an_error_that_names_the_cell(where):
    arguments = {"x": np.ones((3, 2)), "w": np.ones((2, 2)), "b": np.ones(2)}
    arguments[where][..., 1] = np.nan
    with pytest.raises(ValueError, match=rf"{where}\[.*1\] is nan"):
        project(**arguments)


@pytest.mark.parametrize("where", ["x", "w_q", "w_k", "w_v", "w_o", "b_o", "context"])
def test_nan_in_multi_head_attention_is_an_error(where):
    names = ("x", "w_q", "w_k", "w_v", "w_o", "context")
    arguments = {name: np.eye(2) for name in names} | {"b_o": np.zeros(2)}
    arguments[where][-1] = np.nan
    with pytest.raises(ValueError, match="is nan"):
        multi_head_attention(**arguments, num_heads=1)


@given(floats.flatmap(lambda dtype: attention_inputs(dtype, limit=1000)))
def test_large_numbers_neither_warn_nor_break(inputs):
    attention = scaled_dot_product_attention(*inputs, scale=1.0)
    np.testing.assert_allclose(attention.weights.sum(axis=-1), 1, rtol=1e-5)
    assert np.isfinite(attention.output).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    ("scores", "weights"),
    [
        ([1e5, -1e5], [1, 0]),
        ([1e5, 1e5], [0.5, 0.5]),
        ([-1e5, -1e5], [0.5, 0.5]),
        ([-1e5, -np.inf], [1, 0]),
        ([-np.inf, -np.inf], [0, 0]),
    ],
)
def test_softmax_of_extreme_scores(dtype, scores, weights):
    actual = softmax(np.array([scores, scores], dtype=dtype))
    np.testing.assert_array_equal(actual, np.array([weights, weights], dtype=dtype), strict=True)


def test_softmax_of_the_widest_scores_that_floats_hold():
    top = np.finfo(np.float64).max
    np.testing.assert_array_equal(softmax([top, -top]), [1, 0])


def test_lowest_float64_in_a_mask_hides_a_float32_score():
    one = np.ones((2, 1), dtype=np.float32)
    mask = [[0, np.finfo(np.float64).min]]
    weights = scaled_dot_product_attention(one, one, one, attn_mask=mask).weights
    np.testing.assert_array_equal(weights, [[1, 0], [1, 0]])


def test_a_mask_of_zeros_and_ones_is_refused():
    """Added as numbers it would hide nothing, and nobody would see why."""
    one = np.eye(3)
    with pytest.raises(TypeError, match="True and False"):
        scaled_dot_product_attention(one, one, one, attn_mask=np.tri(3, dtype=int))
