"""A sentence that arrives one token after the other, as when a decoder writes it."""

from dataclasses import dataclass

import numpy as np

from core.arrays import Array
from core.experiment import Experiment
from core.trace import Trace, trace


def prefix(experiment: Experiment, count: int) -> Experiment:
    """Keep the first ``count`` tokens, all weights and settings; 1 ≤ count ≤ n."""
    allowed = experiment.allowed
    return experiment.with_(
        tokens=experiment.tokens[:count],
        token_vectors=experiment.token_vectors[:count],
        allowed=None if allowed is None else allowed[:count, :count],
    )


@dataclass(frozen=True)
class Arrival:
    """What the last token of a prefix changed in the rows of the tokens before it."""

    result: Trace  # of the prefix
    weights: Array  # (h, count − 1)  largest change of a weight in each earlier row
    output: Array  # (count − 1,)  largest change of a number in each earlier row


def arrival(experiment: Experiment, count: int) -> Arrival:
    """Compare the prefix of ``count`` tokens with the one that is a token shorter.

    A causal mask makes both changes 0 but for rounding: row i depends on tokens 0 … i only, so
    that a decoder can keep what it has computed.
    """
    now = trace(prefix(experiment, count))
    if count == 1:
        return Arrival(now, np.zeros((experiment.num_heads, 0)), np.zeros(0))
    before = trace(prefix(experiment, count - 1))
    earlier = now.weights[:, :-1]  # (h, count − 1, count); the new token is its last column
    change = np.abs(earlier[..., :-1] - before.weights).max(axis=-1)
    return Arrival(
        now,
        np.maximum(change, np.abs(earlier[..., -1])),
        np.abs(now.output[:-1] - before.output).max(axis=-1),
    )
