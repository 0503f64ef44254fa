"""From an experiment to every number that a page shows."""

from dataclasses import dataclass

import numpy as np

from core.arrays import Array, BoolArray
from core.attention import multi_head_attention
from core.experiment import BIAS_NAMES, MATRIX_NAMES, Experiment


@dataclass(frozen=True)
class Trace:
    """Every stage of one experiment, in the order in which it is computed."""

    position_encoding: Array  # (n, d_model)
    embeddings: Array  # (n, d_model)  X: token vectors + position encoding
    query: Array  # (h, n, d_k)
    key: Array  # (h, n, d_k)
    value: Array  # (h, n, d_v)
    scores: Array  # (h, n, n)
    scaled_scores: Array  # (h, n, n)
    allowed: BoolArray  # (n, n)
    masked_scores: Array  # (h, n, n)
    weights: Array  # (h, n, n)
    head_outputs: Array  # (h, n, d_v)
    concatenated: Array  # (n, h·d_v)
    output: Array  # (n, d_model), or the concatenation without w_o


def trace(experiment: Experiment) -> Trace:
    """Compute every stage; pure, and some tens of microseconds at the sizes that are read by eye.

    Returns
    -------
    Trace
        float64, or float32 where all of the experiment's arrays are.
    """
    arrays = [getattr(experiment, name) for name in (*MATRIX_NAMES, *BIAS_NAMES)]
    dtype = np.result_type(*(array for array in arrays if array is not None))
    encoding = experiment.position_encoding.astype(dtype)
    embeddings = experiment.token_vectors + encoding  # all that follows is of this type too
    allowed = experiment.may_attend
    stages = multi_head_attention(
        embeddings,
        experiment.w_q,
        experiment.w_k,
        experiment.w_v,
        experiment.w_o,
        num_heads=experiment.num_heads,
        b_q=experiment.b_q,
        b_k=experiment.b_k,
        b_v=experiment.b_v,
        b_o=experiment.b_o,
        attn_mask=None if allowed.all() else allowed,
        scale=1 / (experiment.divisor_value * experiment.temperature),
    )
    return Trace(
        position_encoding=encoding,
        embeddings=embeddings,
        query=stages.query,
        key=stages.key,
        value=stages.value,
        scores=stages.scores,
        scaled_scores=stages.scaled_scores,
        allowed=allowed,
        masked_scores=stages.masked_scores,
        weights=stages.weights,
        head_outputs=stages.head_outputs,
        concatenated=stages.concatenated,
        output=stages.output,
    )


def masked_rows(result: Trace) -> list[int]:
    """Queries that have no key left to look at: their weights and output are 0."""
    return [int(i) for i in np.flatnonzero(~result.allowed.any(axis=1))]
