"""Attention, as in Vaswani et al., "Attention Is All You Need" (2017), section 3.2.

    Attention(Q, K, V) = softmax(Q Kᵀ / √d_k) V

Rows are queries (who looks), columns are keys (who is looked at). n and m count queries and
keys, h heads, d_k the width of a query or key of ONE head, d_v that of a value. Any number of
batch axes may stand in front. Argument names follow
``torch.nn.functional.scaled_dot_product_attention`` where it has one.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.arrays import Array, BoolArray, as_float, broadcasts_to, check_finite
from core.masks import causal_mask


@dataclass(frozen=True)
class Attention:
    """Every stage of scaled dot-product attention, in the order in which it is computed."""

    scores: Array  # (..., n, m)    Q Kᵀ
    scaled_scores: Array  # (..., n, m)    scores · scale
    masked_scores: Array  # (..., n, m)    −inf where a query may not look
    weights: Array  # (..., n, m)    softmax over keys; rows sum to 1, or to 0 with no key left
    output: Array  # (..., n, d_v)  weights V


@dataclass(frozen=True)
class MultiHeadAttention:
    """Every stage of multi-head attention, in the order in which it is computed."""

    query: Array  # (..., h, n, d_k)
    key: Array  # (..., h, m, d_k)
    value: Array  # (..., h, m, d_v)
    scores: Array  # (..., h, n, m)
    scaled_scores: Array  # (..., h, n, m)
    masked_scores: Array  # (..., h, n, m)
    weights: Array  # (..., h, n, m)
    head_outputs: Array  # (..., h, n, d_v)
    concatenated: Array  # (..., n, h·d_v)
    output: Array  # (..., n, d_model), or the concatenation when there is no w_o


def softmax(x: Array, axis: int = -1) -> Array:
    """Turn scores into weights: e^x divided by the sum of all e^x along one axis.

    The largest score is subtracted first. That changes nothing in exact arithmetic, since the
    factor e^−max cancels, and keeps e^x from overflowing.

    Parameters
    ----------
    x : array of any shape
        Scores. −inf means "not allowed" and gets weight 0.
    axis : int
        The axis along which the weights sum to 1.

    Returns
    -------
    array, same shape
        A slice that holds nothing but −inf has no key left: its weights are all 0.

    Raises
    ------
    ValueError
        If a score is NaN or +inf, naming the cell.
    """
    x = as_float(x, "scores")
    check_finite(x, "scores", allow_minus_inf=True)
    if x.size == 0:
        return x
    largest = x.max(axis=axis, keepdims=True)
    with np.errstate(over="ignore"):  # a difference below the float range is −inf: weight 0
        exponentials = np.exp(x - np.where(np.isneginf(largest), 0, largest))
    total = exponentials.sum(axis=axis, keepdims=True)
    return exponentials / np.where(total == 0, 1, total)


def scaled_dot_product_attention(
    query: Array,
    key: Array,
    value: Array,
    *,
    attn_mask: Array | BoolArray | None = None,
    is_causal: bool = False,
    scale: float | None = None,
) -> Attention:
    """Let each query look at all keys and mix their values: softmax(Q Kᵀ · scale) V.

    Parameters
    ----------
    query, key, value : arrays (..., n, d_k), (..., m, d_k), (..., m, d_v)
    attn_mask : array that broadcasts to (..., n, m), optional
        Boolean: True where a query may attend. Float: added after scaling.
    is_causal : bool
        Query i may look at keys 0 … i only. Combines with ``attn_mask``.
    scale : float, optional
        Factor on the scores; 1/√d_k when none is given.

    Raises
    ------
    ValueError
        If shapes do not fit together, a number is not finite or the scores overflow.
    TypeError
        If an array does not hold real numbers.

    Examples
    --------
    >>> one = np.eye(2)
    >>> scaled_dot_product_attention(one, one, one, scale=0.0).weights
    array([[0.5, 0.5],
           [0.5, 0.5]])
    """
    query, key, value = as_float(query, "query"), as_float(key, "key"), as_float(value, "value")
    for name, array in (("query", query), ("key", key), ("value", value)):
        if array.ndim < 2:
            raise ValueError(f"{name} needs a token axis and a width, but has shape {array.shape}")
        check_finite(array, name)
    d_k = query.shape[-1]
    if key.shape[-1] != d_k:
        raise ValueError(f"query is {d_k} wide but key is {key.shape[-1]} wide; both must be d_k")
    if d_k == 0:
        raise ValueError("query and key are 0 wide; d_k must be at least 1")
    if key.shape[-2] != value.shape[-2]:
        raise ValueError(
            f"there are {key.shape[-2]} keys but {value.shape[-2]} values; each key needs its value"
        )
    if scale is None:
        scale = 1 / np.sqrt(d_k)
    elif not np.isfinite(scale):
        raise ValueError(f"scale is {scale}; it must be finite")

    with np.errstate(over="ignore", invalid="ignore"):  # an overflow is refused in the next line
        scores = query @ np.swapaxes(key, -1, -2)  # (..., n, d_k) × (..., d_k, m) → (..., n, m)
        scaled_scores = scores * scores.dtype.type(scale)  # keeps float32 where it is float32
    check_finite(scaled_scores, "scaled_scores")

    masked_scores: Array = scaled_scores
    if attn_mask is not None:
        masked_scores = _apply_mask(masked_scores, np.asarray(attn_mask))
    if is_causal:
        masked_scores = _apply_mask(masked_scores, causal_mask(*scores.shape[-2:]))

    weights = softmax(masked_scores)  # (..., n, m); over keys
    output = weights @ value  # (..., n, m) × (..., m, d_v) → (..., n, d_v)
    return Attention(scores, scaled_scores, masked_scores, weights, output)


def _apply_mask(scores: Array, mask: NDArray[Any]) -> Array:
    if not broadcasts_to(mask.shape, scores.shape):
        raise ValueError(
            f"attn_mask has shape {mask.shape}, which does not fit the scores {scores.shape}; "
            "its last two axes are queries and keys"
        )
    if mask.dtype == bool:
        return np.where(mask, scores, scores.dtype.type(-np.inf))
    if mask.dtype.kind in "iu":
        raise TypeError(
            f"attn_mask holds {mask.dtype} values: give True and False for who may attend, "
            "or floats to be added"
        )
    mask = as_float(mask, "attn_mask")
    check_finite(mask, "attn_mask", allow_minus_inf=True)
    with np.errstate(over="ignore"):  # float32 has no room for float64's lowest: that is −inf
        return (scores + mask).astype(scores.dtype)


def split_heads(x: Array, num_heads: int) -> Array:
    """Cut the width into heads: (..., n, h·d) → (..., h, n, d).

    Head t gets columns t·d … (t+1)·d−1. The axes must be swapped after the reshape: a plain
    reshape to (..., h, n, d) would mix tokens.

    Raises
    ------
    ValueError
        If ``num_heads`` is below 1 or does not divide the width.
    """
    x = np.asarray(x)
    width = x.shape[-1]
    if num_heads < 1 or width % num_heads:
        raise ValueError(f"a width of {width} cannot be cut into {num_heads} equal heads")
    per_head = x.reshape(*x.shape[:-1], num_heads, width // num_heads)  # (..., n, h, d)
    return np.swapaxes(per_head, -2, -3)


def merge_heads(x: Array) -> Array:
    """Lay the heads side by side: (..., h, n, d) → (..., n, h·d). Undoes :func:`split_heads`."""
    x = np.swapaxes(np.asarray(x), -2, -3)  # (..., n, h, d)
    return x.reshape(*x.shape[:-2], x.shape[-2] * x.shape[-1])


def project(x: Array, w: Array, b: Array | None = None) -> Array:
    """Multiply tokens by a weight matrix: (..., n, d_in) × (d_in, d_out) (+ b) → (..., n, d_out).

    Raises
    ------
    ValueError
        If the widths do not fit, naming both, or a number or the product is not finite.
    """
    x, w = as_float(x, "x"), as_float(w, "w")
    if x.ndim < 2 or w.ndim != 2 or x.shape[-1] != w.shape[0]:
        raise ValueError(
            f"x {x.shape} times w {w.shape} does not fit: "
            "the width of x must be the number of rows of w"
        )
    check_finite(x, "x")
    check_finite(w, "w")
    if b is not None:
        b = as_float(b, "b")
        if b.shape != w.shape[1:]:
            raise ValueError(f"b has shape {b.shape}, but w has {w.shape[1]} columns")
        check_finite(b, "b")
    with np.errstate(over="ignore", invalid="ignore"):  # an overflow is refused in the next line
        product = x @ w if b is None else x @ w + b
    check_finite(product, "x times w")
    return product


def multi_head_attention(
    x: Array,
    w_q: Array,
    w_k: Array,
    w_v: Array,
    w_o: Array | None = None,
    *,
    num_heads: int,
    b_q: Array | None = None,
    b_k: Array | None = None,
    b_v: Array | None = None,
    b_o: Array | None = None,
    context: Array | None = None,
    attn_mask: Array | BoolArray | None = None,
    is_causal: bool = False,
    scale: float | None = None,
) -> MultiHeadAttention:
    """Run h attentions side by side on the same tokens: Concat(head_1, …, head_h) W_O.

    Parameters
    ----------
    x : array (..., n, d_model)
        The tokens that look.
    w_q, w_k, w_v : arrays (d_model, h·d_k), (d_model, h·d_k), (d_model, h·d_v)
        Head t owns columns t·d … (t+1)·d−1.
    w_o : array (h·d_v, d_model), optional
        Without it the output is the concatenation.
    num_heads : int
    b_q, b_k, b_v, b_o : arrays of the width of their product, optional
    context : array (..., m, d_model), optional
        The tokens that are looked at (cross-attention); x itself when none is given.
    attn_mask, is_causal, scale
        As in :func:`scaled_dot_product_attention`; the mask broadcasts to (..., h, n, m).

    Raises
    ------
    ValueError, TypeError
        As in the functions that it is made of.
    """
    context = x if context is None else context
    query = split_heads(project(x, w_q, b_q), num_heads)
    key = split_heads(project(context, w_k, b_k), num_heads)
    value = split_heads(project(context, w_v, b_v), num_heads)
    heads = scaled_dot_product_attention(
        query, key, value, attn_mask=attn_mask, is_causal=is_causal, scale=scale
    )
    concatenated = merge_heads(heads.output)
    output = concatenated if w_o is None else project(concatenated, w_o, b_o)
    return MultiHeadAttention(
        query=query,
        key=key,
        value=value,
        scores=heads.scores,
        scaled_scores=heads.scaled_scores,
        masked_scores=heads.masked_scores,
        weights=heads.weights,
        head_outputs=heads.output,
        concatenated=concatenated,
        output=output,
    )
