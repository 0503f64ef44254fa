"""What a frame says about a model besides its loss."""

import numpy as np

from core.arrays import Array
from core.attention import project, split_heads
from core.masks import causal_mask
from core.training.model import Backward, Forward, Parameters, layer_norm
from core.training.tasks import Problems

ONE_HOT = 0.99  # a row of weights with one larger than this has all but chosen one key


def saturated(passed: Forward, *, is_causal: bool) -> float:
    """Tell which share of the rows of weights, of all that have a choice of keys, is one-hot."""
    first = 1 if is_causal else 0  # a causal first token has but one key
    rows = [layer.attention.weights[..., first:, :] for layer in passed.layers]
    # No row has two such weights, so that counting cells counts rows.
    return float(np.mean([(w > ONE_HOT).mean() * w.shape[-1] for w in rows]))


def score_gradient(back: Backward, *, is_causal: bool) -> float:
    """Mean |∂L/∂softmax input| over all cells that a query may look at, of all layers and heads."""
    n, m = back.layers[0].masked_scores.shape[-2:]
    share = causal_mask(n, m).mean() if is_causal else 1.0  # the other cells hold 0
    return float(np.mean([np.abs(layer.masked_scores).mean() for layer in back.layers]) / share)


def role_mass(weights: Array, problems: Problems) -> Array:
    """Mean weight that each head puts on the places of each role, over all queries that are asked.

    Parameters
    ----------
    weights : array (batch, h, T, T)
    problems : Problems
        Those that the weights are for.

    Returns
    -------
    array (h, roles)
    """
    num_heads, roles = weights.shape[1], problems.places.shape[-1]
    cells = np.swapaxes(weights, 0, 1).reshape(num_heads, -1)
    total = cells @ problems.places.reshape(-1, roles)
    return np.asarray(total / problems.scored.sum())


def position_patterns(parameters: Parameters, *, num_heads: int, scale: float) -> Array:
    """Scaled scores of the first layer between positions alone: LN(P) W_Q W_Kᵀ LN(P)ᵀ · scale.

    That is what the layer would see were all letters 0. Next to a letter, P is a part of the
    vector only, so its share of a true score is smaller.

    Returns
    -------
    array (h, T, T)
    """
    places = layer_norm(parameters["position_embedding"]).vectors
    query, key = (
        split_heads(project(places, parameters[name][0]), num_heads) for name in ("w_q", "w_k")
    )
    return query @ np.swapaxes(key, -1, -2) * scale
