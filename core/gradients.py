"""The way back: how a loss changes with each number of attention.

The gradient of a loss L with respect to an array has the shape of that array; ``d_x`` is short for
∂L/∂x. Each function takes what :mod:`core.attention` computed on the way forward, and the gradient
that arrives at the result. The formulas are the chain rule applied to softmax(Q Kᵀ · scale) V,
one stage at a time (Petersen & Pedersen, "The Matrix Cookbook" (2012), section 2).
"""

from dataclasses import dataclass

import numpy as np

from core.arrays import Array
from core.attention import MultiHeadAttention, merge_heads, split_heads


@dataclass(frozen=True)
class AttentionGradients:
    """∂L/∂stage for the stages of scaled dot-product attention, in the order of the way back."""

    value: Array  # (..., m, d_v)
    weights: Array  # (..., n, m)
    masked_scores: Array  # (..., n, m)  0 where a query may not look; also that of scaled_scores
    scores: Array  # (..., n, m)
    query: Array  # (..., n, d_k)
    key: Array  # (..., m, d_k)


@dataclass(frozen=True)
class MultiHeadGradients:
    """∂L/∂array for all that multi-head attention is made of."""

    heads: AttentionGradients  # with an axis of heads: (..., h, n, ·)
    w_o: Array | None  # (h·d_v, d_model), or none where there was none
    w_q: Array  # (d_model, h·d_k)
    w_k: Array  # (d_model, h·d_k)
    w_v: Array  # (d_model, h·d_v)
    b_o: Array | None  # (d_model,)
    b_q: Array  # (h·d_k,)
    b_k: Array  # (h·d_k,)
    b_v: Array  # (h·d_v,)
    x: Array  # (..., n, d_model)  with what comes through the keys and values of self-attention
    context: Array | None  # (..., m, d_model) of cross-attention, else none


def softmax_jacobian(weights: Array) -> Array:
    """How each weight moves with each score: (..., m) → (..., m, m).

    For p = softmax(s) it is ∂p_i/∂s_j = p_i (δ_ij − p_j), that is diag(p) − p pᵀ (Bishop, "Pattern
    Recognition and Machine Learning" (2006), equation 4.106). It is symmetric and its rows sum
    to 0; it is all 0 when one key has all the weight.
    """
    weights = np.asarray(weights)
    diagonal = weights[..., :, None] * np.eye(weights.shape[-1], dtype=weights.dtype)
    return np.asarray(diagonal - weights[..., :, None] * weights[..., None, :])


def jacobian_norm(weights: Array) -> Array:
    """Frobenius norm of :func:`softmax_jacobian`: (..., m) → (...).

    0 when one key has all the weight, √(m−1)/m when all m have the same, and largest, 1/2, when two
    share it evenly. Its square is Σp² − 2 Σp³ + (Σp²)², but that loses all digits near 0.
    """
    return np.asarray(np.linalg.norm(softmax_jacobian(weights), axis=(-2, -1)))


def softmax_vjp(weights: Array, d_weights: Array) -> Array:
    """Take a gradient back through softmax: Jᵀ d_weights, (..., m) → (..., m).

    That is p ⊙ (d_weights − Σ p d_weights), with no Jacobian made. A row without any key has p = 0,
    so its gradient is 0.
    """
    return np.asarray(weights * (d_weights - (weights * d_weights).sum(axis=-1, keepdims=True)))


def attention_backward(
    query: Array,
    key: Array,
    value: Array,
    weights: Array,
    d_output: Array,
    *,
    scale: float | None = None,
) -> AttentionGradients:
    """Take a gradient from the output of attention back to its query, key and value.

    Parameters
    ----------
    query, key, value : arrays (..., n, d_k), (..., m, d_k), (..., m, d_v)
        With equal batch axes.
    weights : array (..., n, m)
        What :func:`core.attention.scaled_dot_product_attention` made of them.
    d_output : array (..., n, d_v)
    scale : float, optional
        The factor of the way forward; 1/√d_k when none is given.

    Raises
    ------
    ValueError
        If ``d_output`` has not the shape of the output, or batch axes differ.
    """
    expected = (*query.shape[:-1], value.shape[-1])
    if not query.shape[:-2] == key.shape[:-2] == value.shape[:-2]:
        raise ValueError(
            f"query {query.shape}, key {key.shape} and value {value.shape} "
            "must have the same batch axes"
        )
    if np.shape(d_output) != expected:
        raise ValueError(f"d_output has shape {np.shape(d_output)}, the output {expected}")
    factor = query.dtype.type(1 / np.sqrt(query.shape[-1]) if scale is None else scale)

    d_value = _transposed(weights) @ d_output  # (..., m, n) × (..., n, d_v)
    d_weights = d_output @ _transposed(value)  # (..., n, d_v) × (..., d_v, m)
    d_masked_scores = softmax_vjp(weights, d_weights)  # (..., n, m)
    d_scores = d_masked_scores * factor
    d_query = d_scores @ key  # (..., n, m) × (..., m, d_k)
    d_key = _transposed(d_scores) @ query  # (..., m, n) × (..., n, d_k)
    return AttentionGradients(d_value, d_weights, d_masked_scores, d_scores, d_query, d_key)


def multi_head_backward(
    x: Array,
    w_q: Array,
    w_k: Array,
    w_v: Array,
    w_o: Array | None,
    forward: MultiHeadAttention,
    d_output: Array,
    *,
    context: Array | None = None,
    scale: float | None = None,
) -> MultiHeadGradients:
    """Take a gradient from the output of multi-head attention back to its tokens and weights.

    Parameters
    ----------
    x, w_q, w_k, w_v, w_o, context, scale
        As they were given to :func:`core.attention.multi_head_attention`.
    forward : MultiHeadAttention
        What it made of them.
    d_output : array of the shape of the output

    Returns
    -------
    MultiHeadGradients
        Those of the biases too, whether or not there were any.
    """
    if np.shape(d_output) != forward.output.shape:
        raise ValueError(
            f"d_output has shape {np.shape(d_output)}, the output {forward.output.shape}"
        )
    num_heads = forward.query.shape[-3]
    d_concatenated = d_output if w_o is None else d_output @ w_o.T  # (..., n, h·d_v)
    heads = attention_backward(
        forward.query,
        forward.key,
        forward.value,
        forward.weights,
        split_heads(d_concatenated, num_heads),
        scale=scale,
    )
    d_query, d_key, d_value = (merge_heads(d) for d in (heads.query, heads.key, heads.value))
    looked_at = x if context is None else context
    d_x = d_query @ w_q.T
    d_looked_at = d_key @ w_k.T + d_value @ w_v.T
    return MultiHeadGradients(
        heads=heads,
        w_o=None if w_o is None else weight_gradient(forward.concatenated, d_output),
        w_q=weight_gradient(x, d_query),
        w_k=weight_gradient(looked_at, d_key),
        w_v=weight_gradient(looked_at, d_value),
        b_o=None if w_o is None else bias_gradient(d_output),
        b_q=bias_gradient(d_query),
        b_k=bias_gradient(d_key),
        b_v=bias_gradient(d_value),
        x=d_x + d_looked_at if context is None else d_x,
        context=None if context is None else d_looked_at,
    )


def weight_gradient(x: Array, d_product: Array) -> Array:
    """∂L/∂W of the product x W, summed over all tokens and batches: xᵀ d_product.

    Parameters
    ----------
    x, d_product : arrays (..., n, d_in), (..., n, d_out)

    Returns
    -------
    array (d_in, d_out)
    """
    return x.reshape(-1, x.shape[-1]).T @ d_product.reshape(-1, d_product.shape[-1])


def bias_gradient(d_product: Array) -> Array:
    """∂L/∂b of x W + b: the sum over all tokens and batches, (..., n, d_out) → (d_out,)."""
    return np.asarray(d_product.reshape(-1, d_product.shape[-1]).sum(axis=0))


def _transposed(x: Array) -> Array:
    return np.swapaxes(x, -1, -2)
