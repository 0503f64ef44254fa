"""How a preset is written by hand: words as named features, weights as a list of wishes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from core.arrays import Array

# (dimension, slot, number): this dimension counts so much in this slot of the head.
Entry = tuple[str, int, float]


@dataclass(frozen=True)
class Head:
    """One head of width d, written as the few numbers that are not 0."""

    asks: Sequence[Entry]  # W_Q
    announces: Sequence[Entry]  # W_K
    hands_over: Sequence[str]  # W_V: slot s carries this dimension, and W_O puts it back there


@dataclass(frozen=True)
class Pair:
    """A query word, the key word that a head must find for it, and that head."""

    head: int
    query: int
    key: int


def word_vectors(
    words: Sequence[str],
    dimensions: Sequence[str],
    vocabulary: Mapping[str, Mapping[str, float]],
) -> Array:
    """Look up words, whatever their case: (n, d_model). A word that is not there gets zeros."""
    vectors = np.zeros((len(words), len(dimensions)))
    for i, word in enumerate(words):
        for dimension, number in vocabulary.get(word.lower(), {}).items():
            vectors[i, dimensions.index(dimension)] = number
    return vectors


def weights(
    heads: Sequence[Head], dimensions: Sequence[str], width: int
) -> tuple[Array, Array, Array, Array]:
    """Write the heads as w_q, w_k, w_v (d_model, h·width) and w_o (h·width, d_model)."""
    w_q, w_k, w_v = (np.zeros((len(dimensions), len(heads) * width)) for _ in range(3))
    for t, head in enumerate(heads):
        for matrix, entries in ((w_q, head.asks), (w_k, head.announces)):
            for dimension, slot, number in entries:
                matrix[dimensions.index(dimension), t * width + slot] = number
        for slot, dimension in enumerate(head.hands_over):
            w_v[dimensions.index(dimension), t * width + slot] = 1
    return w_q, w_k, w_v, w_v.T.copy()
