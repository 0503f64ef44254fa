"""The model: embeddings, layers of attention, one read-out a question; and all of its way back.

    x = E[tokens] + P,   x ← x + attention(LN(x)) in each layer,   logits = x W_R

LN is layer normalisation without gain and bias (Ba et al., "Layer Normalization" (2016)), before
the attention as in Xiong et al., "On Layer Normalization in the Transformer Architecture" (2020).
No MLP, no dropout, no last normalisation: all that is left is what the pages show. Forward and
backward of the attention are the functions that the pages use.

Embeddings start from N(0, 1). From N(0, 1/d_model) four_questions is learned sooner, but the two
layers of induction then find answers without any head that looks at the place of the answer.
"""

from dataclasses import dataclass

import numpy as np

from core.arrays import Array, BoolArray
from core.attention import MultiHeadAttention, multi_head_attention
from core.draw import weight_matrix
from core.gradients import AttentionGradients, multi_head_backward, weight_gradient
from core.training.tasks import LETTERS, IntArray

Parameters = dict[str, Array]
LAYER_NAMES = ("w_q", "w_k", "w_v", "w_o")
_TINY_VARIANCE = 1e-5  # keeps a vector of equal numbers from a division by 0


@dataclass(frozen=True)
class Normalised:
    """The result of :func:`layer_norm`, with what its way back needs."""

    vectors: Array  # (..., d)  mean 0, variance 1
    spread: Array  # (..., 1)  what they were divided by


@dataclass(frozen=True)
class Layer:
    """What one layer saw and made of it."""

    seen: Normalised  # (batch, T, d_model)
    attention: MultiHeadAttention


@dataclass(frozen=True)
class Forward:
    """Every stage of the model, in the order in which it is computed."""

    tokens: IntArray  # (batch, T)
    layers: tuple[Layer, ...]
    result: Array  # (batch, T, d_model)  after the last layer
    logits: Array  # (batch, T, questions, letters)


@dataclass(frozen=True)
class Backward:
    """∂L/∂parameter for all parameters, and ∂L/∂stage inside each layer's heads."""

    parameters: Parameters
    layers: tuple[AttentionGradients, ...]


def initial_parameters(
    *,
    length: int,
    questions: int,
    layers: int,
    num_heads: int,
    d_model: int,
    d_k: int,
    d_v: int,
    spread: float,
    seed: int,
) -> Parameters:
    """Draw all parameters: embeddings from N(0, spread²), matrices from N(0, 1/rows).

    Returns
    -------
    dict
        token_embedding (letters, d_model), position_embedding (T, d_model), w_q and w_k
        (layers, d_model, h·d_k), w_v (layers, d_model, h·d_v), w_o (layers, h·d_v, d_model) and
        read_out (d_model, questions·letters). Each depends on the seed, its name and its shape.
    """
    letters = len(LETTERS)
    shapes = {
        "w_q": (d_model, num_heads * d_k),
        "w_k": (d_model, num_heads * d_k),
        "w_v": (d_model, num_heads * d_v),
        "w_o": (num_heads * d_v, d_model),
    }
    return {
        "token_embedding": weight_matrix("E", letters, d_model, seed) * np.sqrt(letters) * spread,
        "position_embedding": weight_matrix("P", length, d_model, seed) * np.sqrt(length) * spread,
        **{
            name: np.stack([weight_matrix(f"{name} {i}", *shape, seed) for i in range(layers)])
            for name, shape in shapes.items()
        },
        "read_out": weight_matrix("W_R", d_model, questions * letters, seed),
    }


def forward(
    parameters: Parameters,
    tokens: IntArray,
    *,
    num_heads: int,
    is_causal: bool = False,
    scale: float | None = None,
) -> Forward:
    """Answer a batch of problems.

    Parameters
    ----------
    parameters : dict
        As :func:`initial_parameters` makes them.
    tokens : int array (batch, T)
    num_heads, is_causal, scale
        As in :func:`core.attention.multi_head_attention`.
    """
    x = parameters["token_embedding"][tokens] + parameters["position_embedding"]
    layers = []
    for matrices in zip(*(parameters[name] for name in LAYER_NAMES), strict=True):
        seen = layer_norm(x)
        attention = multi_head_attention(
            seen.vectors, *matrices, num_heads=num_heads, is_causal=is_causal, scale=scale
        )
        layers.append(Layer(seen, attention))
        x = x + attention.output
    logits = (x @ parameters["read_out"]).reshape(*tokens.shape, -1, len(LETTERS))
    return Forward(tokens, tuple(layers), x, logits)


def backward(
    parameters: Parameters, passed: Forward, d_logits: Array, *, scale: float | None = None
) -> Backward:
    """Take a gradient from the logits back to every parameter.

    Parameters
    ----------
    parameters, scale
        As they were given to :func:`forward`.
    passed : Forward
        What it made of them.
    d_logits : array of the shape of the logits
    """
    read_out = parameters["read_out"]
    d_logits = d_logits.reshape(-1, read_out.shape[1])  # all tokens in one product: faster
    gradients = {"read_out": weight_gradient(passed.result, d_logits)}
    d_x = (d_logits @ read_out.T).reshape(passed.result.shape)
    found = []
    for i in reversed(range(len(passed.layers))):
        seen, attention = passed.layers[i].seen, passed.layers[i].attention
        w_q, w_k, w_v, w_o = (parameters[name][i] for name in LAYER_NAMES)
        of_layer = multi_head_backward(
            seen.vectors, w_q, w_k, w_v, w_o, attention, d_x, scale=scale
        )
        found.append(of_layer)
        d_x = d_x + layer_norm_backward(seen, of_layer.x)  # around the layer and through it
    found.reverse()
    for name in LAYER_NAMES:
        gradients[name] = np.stack([getattr(of_layer, name) for of_layer in found])
    gradients["position_embedding"] = np.asarray(d_x.sum(axis=0))
    gradients["token_embedding"] = weight_gradient(_one_hot(passed.tokens), d_x)
    return Backward(gradients, tuple(of_layer.heads for of_layer in found))


def layer_norm(x: Array) -> Normalised:
    """Give each vector mean 0 and variance 1: (..., d) → (..., d)."""
    centred = x - x.mean(axis=-1, keepdims=True)
    variance = (centred**2).mean(axis=-1, keepdims=True)
    spread = np.sqrt(variance + _TINY_VARIANCE)
    return Normalised(centred / spread, spread)


def layer_norm_backward(normalised: Normalised, d_vectors: Array) -> Array:
    """Take a gradient back through :func:`layer_norm`: (..., d) → (..., d).

    What would move the mean or the length of a vector is lost, since both are always the same:
    (d − mean(d) − y · mean(d ⊙ y)) / spread for the result y.
    """
    y = normalised.vectors
    along = (d_vectors * y).mean(axis=-1, keepdims=True)
    d_x = d_vectors - d_vectors.mean(axis=-1, keepdims=True) - y * along
    return np.asarray(d_x / normalised.spread)


def cross_entropy(logits: Array, answers: IntArray, scored: BoolArray) -> tuple[float, Array]:
    """Mean of −log of the probability that the right answers got, in nats; and its gradient.

    Parameters
    ----------
    logits : array (batch, T, questions, letters)
    answers : int array (batch, T, questions)
    scored : bool array (batch, T)
        Where the answers count; at least one place.

    Returns
    -------
    loss : float
    d_logits : array of the shape of the logits
        (softmax − 1 at the right answer) / number of answers; 0 where nothing is scored.
    """
    right = _one_hot(answers)
    shifted = logits - logits.max(axis=-1, keepdims=True)  # as in core.attention.softmax
    exponentials = np.exp(shifted)
    totals = exponentials.sum(axis=-1, keepdims=True)
    losses = (np.log(totals[..., 0]) - (shifted * right).sum(axis=-1))[scored]  # −log softmax
    d_logits = (exponentials / totals - right) * (scored[..., None, None] / losses.size)
    return float(losses.mean()), d_logits


def _one_hot(tokens: IntArray) -> Array:
    rows: Array = np.eye(len(LETTERS))[tokens]
    return rows
