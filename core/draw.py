"""Random numbers that say where they come from: a seed, and the word or matrix they are for."""

from zlib import crc32

import numpy as np

from core.arrays import Array


def word_vector(word: str, d_model: int, seed: int) -> Array:
    """Draw the vector of a word from N(0, 1): (d_model,).

    It depends on the word and the seed alone, so equal words get equal vectors, and a sentence
    can grow or shrink without changing the words that stay.
    """
    code = crc32(word.encode(errors="surrogatepass"))
    vector: Array = np.random.default_rng([seed, code]).standard_normal(d_model)
    return vector


def weight_matrix(name: str, rows: int, columns: int, seed: int) -> Array:
    """Draw weights from N(0, 1/rows): (rows, columns).

    A product with tokens of variance 1 then has variance 1 again, and scaled scores keep a spread
    near 1 at every size. (With N(0, 1) the softmax saturates, with 0.1·N(0, 1) it is flat.)
    """
    rng = np.random.default_rng([seed, crc32(name.encode())])
    weights: Array = rng.standard_normal((rows, columns)) / np.sqrt(rows)
    return weights
